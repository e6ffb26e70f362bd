"""Bug hunts: find the smallest input that exposes a backward with one planted fault, then mend the line."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from course_lib import avg_pool, avg_pool_backward, max_pool, max_pool_backward
from course_lib.interview import journal

FILE = Path(__file__).parent / "hunts.toml"
PREFIX = "hunt "
GEOMETRY = ("kernel_size", "stride", "padding")
HOW = "Rows with ; between, channels with |, samples with ||: 1 2; 3 4 | 5 6; 7 8"


@dataclass(frozen=True)
class Hunt:
    """A backward with one wrong line, what should stand there, and the smallest input that is known to show it."""

    name: str
    operation: str
    line: int
    mended: str
    why: str
    smallest: dict
    code: str

    def case(self):
        """The smallest input, with arrays."""
        arrays = {name: np.array(self.smallest[name]) for name in ("x", "grad_output")}
        return {**self.smallest, **arrays}

    def with_line(self, number, text):
        """The code with another line."""
        lines = self.code.strip("\n").split("\n")
        lines[number - 1] = text
        return "\n".join(lines)


@cache
def hunts():
    """Every hunt, in the order of the file."""
    return tuple(Hunt(**entry) for entry in tomllib.loads(FILE.read_text(encoding="utf-8"))["hunt"])


def winners(x, kernel_size, stride, padding):
    """The flat index of the winner of each window; the code of hunts may use it."""
    return max_pool(x, kernel_size, stride, padding, return_indices=True)[1]


def right(hunt, x, grad_output, **geometry):
    """The gradient as it should be.

    Raises
    ------
    ValueError
        The geometry or a shape is not possible.
    """
    if hunt.operation == "max":
        indices = winners(x, *(geometry[name] for name in GEOMETRY))
        return max_pool_backward(grad_output, indices, x.shape)
    return avg_pool_backward(grad_output, x.shape, *(geometry[name] for name in GEOMETRY))


def output_shape(x, **geometry):
    """The shape that the upstream gradient must have."""
    return avg_pool(x, *(geometry[name] for name in GEOMETRY)).shape


def outcome(code, case):
    """What code makes of a case: an array, or the exception that it raised."""
    names = {"np": np, "winners": winners}
    try:
        with np.errstate(all="ignore"):
            exec(code, names)
            return np.asarray(names["backward"](**{**case, "x": case["x"].copy()}), float)
    except Exception as error:
        return error


def agrees(hunt, code, case):
    """Whether code is right about a case."""
    found, expected = outcome(code, case), right(hunt, **case)
    return isinstance(found, np.ndarray) and found.shape == expected.shape and np.allclose(found, expected)


def cases(hunt):
    """What mended code must be right about: the smallest input, and a batch with ties, negatives and borders."""
    rng = np.random.default_rng(7)
    yield hunt.case()
    for k, s, p in [(2, 2, 0), (2, 1, 0), (3, 2, 1), (3, 1, 1), (2, 3, 1)]:
        geometry = dict(zip(GEOMETRY, (k, s, p), strict=True))
        x = rng.integers(-4, 4, (2, 3, 6, 7)).astype(float)
        yield {"x": x, "grad_output": rng.normal(size=output_shape(x, **geometry)), **geometry}


def parse(text):
    """An array of four axes from typed rows.

    Raises
    ------
    ValueError
        It is no such array; the message says why.
    """
    samples = [[[row.split() for row in plane.split(";")] for plane in sample.split("|")] for sample in
               re.split(r"\|\|", text)]  # fmt: skip
    try:
        array = np.array(samples, float)
    except ValueError:
        raise ValueError(f"That is no array of numbers. {HOW}.") from None
    if array.ndim != 4 or not array.size:
        raise ValueError(f"All rows must have the same length. {HOW}.")
    return array


def play(desk, hunt, attempt=None):
    """One hunt, from the code to the mended line; what is typed goes to the journal.

    Parameters
    ----------
    desk : Desk
    hunt : Hunt
    attempt : Attempt, optional
        None means a new one.
    """
    attempt = attempt or journal.begin(PREFIX + hunt.name)
    desk.say(f"A backward of {hunt.operation} pooling has one wrong line.")
    desk.say("winners(…) gives each window's flat index in its plane, and is right." * ("winners(" in hunt.code))
    for number, line in enumerate(hunt.code.strip("\n").split("\n"), 1):
        desk.show(f"{number:>3}  {line}")
    size = expose(desk, hunt, attempt)
    mended = size is not None and mend(desk, hunt, attempt)
    desk.say(f"Line {hunt.line} should be:")
    desk.show(hunt.mended)
    desk.say(hunt.why)
    rating = 1 if size is None else 2 if not mended else 4 if size <= hunt.case()["x"].size else 3
    journal.write(attempt, "rated", desk.now(), rating=rating)


def _typed(desk, attempt, prompt):
    """A line, which is written down."""
    line = desk.ask(prompt)
    journal.write(attempt, "line", desk.now(), text=line, seconds=0)
    return line


def expose(desk, hunt, attempt):
    """Asks for inputs until one exposes the fault; the number of its elements, or None after an empty line."""
    desk.say(f"Find the smallest input that exposes it; an empty line gives up. {HOW}")
    while True:
        line = _typed(desk, attempt, "x: ")
        if not line.strip():
            return None
        try:
            case = _case(desk, attempt, line)
            expected = right(hunt, **case)
        except (ValueError, TypeError) as error:
            desk.say(str(error))
            continue
        if agrees(hunt, hunt.code, case):
            desk.say("Right and wrong code give the same there. Another input, please.")
            continue
        return _exposed(desk, hunt, case, expected)


def _case(desk, attempt, line):
    """The arguments of a call. An empty upstream gradient means powers of two."""
    x = parse(line)
    numbers = _typed(desk, attempt, "kernel_size, stride, padding: ").replace(",", " ").split()
    if len(numbers) != 3 or not all(number.isdecimal() for number in numbers):
        raise ValueError("Three whole numbers, please, as 2 1 0.")
    geometry = dict(zip(GEOMETRY, map(int, numbers), strict=True))
    shape = output_shape(x, **geometry)
    text = _typed(desk, attempt, f"upstream gradient of shape {shape} (Enter for powers of two): ")
    grad_output = parse(text) if text.strip() else 2.0 ** np.arange(np.prod(shape)).reshape(shape)
    if grad_output.shape != shape:
        raise ValueError(f"The upstream gradient must have shape {shape}; got {grad_output.shape}.")
    return {"x": x, "grad_output": grad_output, **geometry}


def _exposed(desk, hunt, case, expected):
    """Shows both results, and says how small the input is."""
    found, size, smallest = outcome(hunt.code, case), case["x"].size, hunt.case()["x"].size
    wrong = found.tolist() if isinstance(found, np.ndarray) else f"{type(found).__name__}: {found}"
    desk.say(f"Exposed. It gives {wrong}, and right is {expected.tolist()}.")
    best = "None smaller is known." if size <= smallest else f"One of {smallest} would do."
    desk.say(f"Your input has {size} element{'s' * (size > 1)}. {best}")
    return size


def mend(desk, hunt, attempt):
    """Asks for a number and a new line until the code is right; False after an empty line."""
    most = len(hunt.code.strip("\n").split("\n"))
    while True:
        number = _typed(desk, attempt, "Which line is wrong? Its number, or Enter to give up: ").strip()
        if not number:
            return False
        if not number.isdecimal() or not 1 <= int(number) <= most:
            desk.say(f"A number from 1 to {most}, please.")
            continue
        text = _typed(desk, attempt, "What should stand there, with its indent? ")
        code = hunt.with_line(int(number), text)
        if all(agrees(hunt, code, case) for case in cases(hunt)):
            desk.say("Mended.")
            return True
        desk.say("It is still wrong about some input.")
