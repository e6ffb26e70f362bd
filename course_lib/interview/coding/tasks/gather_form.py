"""The backward in gather form: an element asks the windows that hold it."""

import numpy as np

from course_lib import loops
from course_lib.exercises import faults, reading
from course_lib.exercises.faults import Fault
from course_lib.exercises.properties import Values
from course_lib.geometry import output_size
from course_lib.interview.coding.asked import Asked, operation
from course_lib.interview.coding.draw import Drawn, case, distinct, one_of, tied
from course_lib.interview.coding.gathers import SAID, holding, mistakes, offsets_of, right
from course_lib.interview.coding.task import Task, Variant, skeleton

NAME = "gradient_of"
SIZES = ("kernel_size", "stride", "padding")


def ask(session, case, hide):
    """The candidate's gradient, element by element; other windows hold a trap if ``hide`` says so."""
    given = case.fresh()
    size = np.atleast_1d(given["input_size"])
    gradient = np.zeros(size)
    for place in np.ndindex(*size):
        arguments = dict(given)
        if hide:
            _hide(arguments, place, size)
        typed = place if len(place) > 1 else place[0]
        value = session.call(NAME, typed, *arguments.values(), returns=("result",))
        number = reading.as_array("result", value, session.calls)
        if number.shape != ():
            raise Fault(faults.WRONG_SHAPE, f"{NAME} must return one number; got shape {number.shape}")
        gradient[place] = number
    return gradient


def _hide(arguments, place, size):
    """In windows that do not hold the place, a gradient of NaN and an index that lures."""
    sizes = [arguments[name] for name in SIZES]
    outside = np.ones(arguments["grad_output"].shape, bool)
    ends = [holding(at, *sizes, count) for at, count in zip(place, outside.shape, strict=True)]
    outside[tuple(slice(first, last + 1) for first, last in ends)] = False
    arguments["grad_output"] = np.where(outside, np.nan, arguments["grad_output"])
    if "indices" in arguments:
        arguments["indices"] = np.where(outside, np.ravel_multi_index(place, size), arguments["indices"])


def variant(seed):
    """The number of axes, and what is pooled and how that was saved, are drawn."""
    rng = np.random.default_rng(seed)
    rank, kind = one_of(rng, 1, 2), one_of(rng, *SAID)
    maximum = kind in ("flat", "offset")
    names = ("grad_output", *(["indices"] if maximum else []), "input_size", *SIZES)
    signature = f"def {NAME}(place, {', '.join(names)}):"
    words = {"place": "index" if rank == 1 else "flat index", "kernel": f"kernel_size{'²' * (rank == 2)}"}
    where = "`place`, an index" if rank == 1 else "`place`, a pair (row, column)"
    statement = (
        f"Write the backward of {rank}-D pooling of one plane in gather form: return the gradient of one element, that "
        f"at {where}, as a number. It is {SAID[kind].format(**words)}. `grad_output` is the upstream gradient, and "
        f"`input_size` the {'length' if rank == 1 else 'pair (H, W)'} of the input. Windows have `kernel_size` "
        f"elements along {'the axis' if rank == 1 else 'each axis'}, are `stride` apart, and begin with `padding` "
        "elements of padding; the stride may be larger than the kernel. Read no window but those that hold the "
        "element: the others may hold NaN, or any index."
    )
    asked = Asked(NAME, operation("gather", lambda **given: right(kind, **given)), ("result",))

    def values(name, *cases, hide=False):
        return Values(name, 1, (NAME,), asked.operation, cases, lambda results: results["result"],
                      lambda session, case: ask(session, case, hide))  # fmt: skip

    def pool(size, kernel_size, stride, padding, numbers=distinct):
        return _case(rng, names, kind, size[-rank:], (kernel_size, stride, padding), numbers)

    properties = (
        values("windows side by side", pool((4, 4), 2, 2, 0)),
        values("overlap", pool((3, 5), 2, 1, 0), pool((4, 7), 3, 2, 0, tied)),
        values("borders", pool((3, 4), 3, 1, 1), pool((4, 6), 4, one_of(rng, 2, 3), 2)),
        values("gaps and remainders", pool((4, 7), 2, 3, 0), pool((3, 8), 2, 2, one_of(rng, 0, 1))),
        values("only the windows that hold it", pool((4, 5), 3, 2, 1), pool((5, 6), 2, 3, 1), hide=True),
    )
    blank = skeleton(signature, "The gradient of the element at a place, a number.")
    return Variant(statement, signature, properties, blank, tuple(mistakes(asked, kind)))


def _case(rng, names, kind, size, sizes, numbers):
    """A case on one plane."""
    shape = tuple(output_size(one, *sizes, sizes[-1]) for one in size)
    given = {"grad_output": distinct(rng, shape, low=1), "input_size": size if len(size) > 1 else size[0]}
    if "indices" in names:
        plane = numbers(rng, size).array[None, None]
        flat = loops.max_pool(plane, *sizes, return_indices=True)[1][0, 0]
        indices = flat if kind == "flat" else offsets_of(flat, size, *sizes)
        given["indices"] = Drawn(indices, str(indices.tolist()))
    given |= dict(zip(SIZES, sizes, strict=True))
    return case(**{name: given[name] for name in names})


TASK = Task(
    name="gather-form",
    title="The backward in gather form",
    minutes=25,
    topic="Speed and parallel code",
    level=3,
    variant=variant,
    why="On a GPU one worker takes one element and asks the windows that hold it: nothing is written twice, so no "
    "atomic addition is needed, and a run gives the same bits every time. Everything hangs on two ends: the first "
    "window, rounded up and not below 0, and the last, rounded down and not behind the last output.",
    hints=(
        "Window i holds kernel_size positions, from i · stride - padding on. For which i is the element among them?",
        "i · stride - padding <= position <= i · stride - padding + kernel_size - 1. Solve both for i.",
        "From ceil((position + padding - kernel_size + 1) / stride), at least 0, to (position + padding) // stride, at "
        "most the last output.",
    ),
    chapter="09",
)
