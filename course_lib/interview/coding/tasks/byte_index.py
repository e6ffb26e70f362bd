"""Winners kept in one byte each, and read again."""

from dataclasses import dataclass, replace

import numpy as np

from course_lib import arguments
from course_lib.exercises.judged import Judged, wrong
from course_lib.interview.coding.asked import Asked, operation
from course_lib.interview.coding.draw import Drawn, case, distinct, one_of, tied, written
from course_lib.interview.coding.task import Task, Variant, skeleton
from course_lib.loops.windows import plane_position, taps

NAME = "byte_indices"
RETURNS = "codes", "indices"
FORMATS = {
    "halves": "has a in its upper four bits and b in its lower four",
    "columns": "is b · kh + a, so that the window is counted column by column",
    "rows": "is a · kw + b, so that the window is counted row by row",
}
TIES = {False: "the first", True: "the last"}


@dataclass(frozen=True)
class Bytes:
    """What is right, and what a mistake changes of it.

    Attributes
    ----------
    form : str
        Of `FORMATS`.
    last : bool
        Whether the last of equal maxima wins.
    pad_value : float
    wraps : str
        What is computed in eight bits: nothing, the whole ``index``, the step down the ``rows``, or the ``step`` from
        the window's start.
    moves : bool
        Whether windows begin where they begin, and not at the corner.
    shift : bool
        Whether the padding is subtracted.
    turned : bool
        Whether a code is read with the window's sides exchanged.
    across : bool
        Whether an index is made with the plane's height.
    """

    form: str
    last: bool
    pad_value: float = -np.inf
    wraps: str = ""
    moves: bool = True
    shift: bool = True
    turned: bool = False
    across: bool = False

    def __call__(self, x, kernel_size, stride, padding=(0, 0)):
        """Codes and indices; the winner of each window is found as the loops walk."""
        axes = arguments.pool_axes(x.shape, kernel_size, stride, padding, 1, False)
        place = np.empty((*(axis.output for axis in axes), 2), int)
        for window in np.ndindex(place.shape[:2]):
            elements = list(taps(axes, window))
            values = np.array([self._read(x, element) for element in elements])
            best = len(values) - 1 - values[::-1].argmax() if self.last else values.argmax()
            place[window] = divmod(best, kernel_size[1])
        return {"codes": self._codes(place, kernel_size), "indices": self._indices(place, axes, kernel_size)}

    def _read(self, x, element):
        """One tap."""
        real = all(0 <= at < size for at, size in zip(element, x.shape, strict=True))
        return x[element] if real else self.pad_value

    def _codes(self, place, kernel_size):
        """The codes of places in windows."""
        a, b = place[..., 0], place[..., 1]
        first, second, line = {"rows": (a, b, kernel_size[1]), "columns": (b, a, kernel_size[0]),
                               "halves": (a, b, 16)}[self.form]  # fmt: skip
        return first * line + second

    def _indices(self, place, axes, kernel_size):
        """The flat indices that are read from the codes."""
        if self.turned:
            codes = self._codes(place, kernel_size)
            lines = {"rows": kernel_size[0], "columns": kernel_size[1], "halves": 16}
            first, second = np.divmod(codes, lines[self.form])
            place = np.stack((first, second) if self.form == "rows" else (second, first), -1)
        i, j = np.indices(place.shape[:2])
        top, left = (
            at * axis.stride * self.moves - axis.before * self.shift for at, axis in zip((i, j), axes, strict=True)
        )
        width = axes[0].size if self.across else axes[1].size
        down, right = place[..., 0] * width, place[..., 1]
        if self.wraps == "index":
            return plane_position(axes, (top + place[..., 0], left + right)) % 256
        if self.wraps:
            down, right = (down % 256, right) if self.wraps == "rows" else ((down + right) % 256, 0)
        return top * width + left + down + right


def mistakes(asked, right, padded):
    """The mistakes: the right bytes with something changed."""

    def mistake(name, chapter, sentence, *changes):
        return asked.mistake(f"byte_{name}", chapter, sentence, *(replace(right, **change) for change in changes))

    others = [
        mistake(f"as_{form}", "09", f"A code {FORMATS[right.form]}. Yours {said}.", {"form": form})
        for form, said in FORMATS.items() if form != right.form
    ]  # fmt: skip
    around = (
        mistake("zero_pad", "04", "Padding counts as 0 and wins against negative elements. In max pooling it counts as "
                "minus infinity.", {"pad_value": 0.0}),
        mistake("padding", "04", "The padding is not subtracted: an index counts from the first real element.",
                {"shift": False}),
    )  # fmt: skip
    return (
        mistake("overflow", "09", "The index is computed in eight bits, as the codes are kept: beyond 255 it begins "
                "anew. Widen the codes before you compute.", {"wraps": "index"}, {"wraps": "rows"}, {"wraps": "step"}),
        *others,
        mistake("other_tie", "05", f"Of equal maxima {TIES[right.last]} wins; yours is {TIES[not right.last]}.",
                {"last": not right.last}),
        mistake("from_the_corner", "04", "Where the window begins is left out.", {"moves": False},
                {"moves": False, "shift": False}),
        *(around if padded else ()),
        mistake("window_side", "04", "A code is read with the two sides of the window exchanged.",
                {"turned": True}),
        mistake("row_length", "04", "The index comes from the width of the plane, not from its height.",
                {"across": True}),
    )  # fmt: skip


def rising(rng, shape):
    """Numbers that rise from the first element to the last."""
    count = shape[0] * shape[1]
    return Drawn(np.arange(float(count)).reshape(shape), f"np.arange({count}.0).reshape{shape}")


def negative(rng, shape):
    """Numbers below 0, so that padding of 0 would win."""
    return written(distinct(rng, shape).array - 50)


def one_byte(*cases):
    """The judging: the codes have one byte each."""

    def judge(session):
        for one in cases:
            codes, _ = session.call(NAME, *one.fresh().values(), returns=RETURNS)
            found = session.array("codes", codes).dtype
            if found != np.uint8:
                raise wrong(f"codes must have dtype uint8; got {found}", ("case", one.name))
        return len(cases)

    return judge


def statement(form, last, padded):
    """What to write."""
    sizes = "`stride` and `padding` are" if padded else "`stride` is"
    around = (
        "-inf stands around x, `padding` rows and columns, at most half of the kernel, and windows lie inside"
        if padded
        else "Windows lie inside x"
    )
    return (
        f"Max pooling of one plane `x`, (H, W), keeps of every window one byte: where its winner is. `kernel_size` is "
        f"(kh, kw), none over 16; {sizes} (rows, columns). {around}. Of equal maxima "
        f"{TIES[last]} wins, in row-major order. For a winner in row a and column b of its window, the code "
        f"{FORMATS[form]}. Return two arrays of the pooled sizes: the codes, of dtype uint8, and the flat "
        "indices of the winners in x, row by row, as they are read from the codes alone."
    )


def variant(seed):
    """How a byte is written, and which of equal maxima wins, are drawn, and whether padding is given."""
    rng = np.random.default_rng(seed)
    form, last, padded = one_of(rng, *FORMATS), one_of(rng, False, True), one_of(rng, False, True)
    right = Bytes(form, last)
    asked = Asked(NAME, operation("one byte for each winner", right), RETURNS)
    signature = f"def {NAME}(x, kernel_size, stride{', padding' * padded}):"

    def call(shape, kernel_size, stride, padding=(0, 0), numbers=distinct):
        pads = {"padding": padding} if padded else {}
        return case(x=numbers(rng, shape), kernel_size=kernel_size, stride=stride, **pads)

    small = call((2, 6), (2, 3), (2, 3)), call((6, 6), (3, 2), (3, 2))
    # The winner is the last tap, so that its code is 255.
    large = call((16, 19), (16, 16), (1, 3), numbers=rising), call((20, 20), (2, 4), (6, 8))
    borders = call((3, 4), (2, 2), (2, 2), (1, 1), negative), call((5, 7), (3, 4), (2, 3), (1, 2), negative)
    ties = call((2, 4), (2, 2), (2, 2), numbers=tied), call((5, 5), (3, 2), (1, 1), numbers=tied)
    properties = (
        *asked.gives_each("windows side by side", *small),
        *asked.gives_each("overlap", call((3, 4), (2, 2), (1, 1)), call((5, 6), (3, 2), (1, 2))),
        *asked.gives_each("ties", *ties),
        *(asked.gives_each("borders", *borders) if padded else ()),
        *asked.gives_each("large windows and planes", *large),
        Judged("one byte each", 1, (NAME,), one_byte(small[0], large[0])),
    )
    blank = skeleton(signature, "One code and one flat index for each window.")
    return Variant(statement(form, last, padded), signature, properties, blank, mistakes(asked, right, padded))


TASK = Task(
    name="byte-index",
    title="One byte for each winner, and back",
    minutes=20,
    topic="Speed and parallel code",
    level=3,
    variant=variant,
    why="A flat index of 64 bits for every output can outweigh the outputs; the place in a window of at most 256 taps "
    "fits in a byte, and the window's number says the rest. The price is the way back, and its trap: arithmetic in "
    "eight bits wraps without a word. Say what is saved, and where the width changes.",
    hints=(
        "What does the backward know of a window without being told? What must it be told?",
        "Find the place in the window by an argmax over its taps. To read a code, widen it first, split it, and add "
        "where the window begins.",
        "a, b = np.divmod(codes.astype(np.int64), kw); indices = (i * sh - ph + a) * W + j * sw - pw + b.",
    ),
    chapter="09",
)
