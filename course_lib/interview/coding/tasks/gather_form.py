"""The backward in gather form: an element asks the windows that hold it."""

from dataclasses import dataclass
from itertools import product

import numpy as np

from course_lib import loops
from course_lib.exercises import faults, reading
from course_lib.exercises.faults import Fault
from course_lib.exercises.properties import Values
from course_lib.geometry import output_size
from course_lib.interview.coding.asked import Asked, operation
from course_lib.interview.coding.draw import Drawn, case, distinct, one_of, tied
from course_lib.interview.coding.task import Task, Variant, skeleton

NAME = "gradient_of"
SAID = {
    "flat": "max pooling; `indices` has, for each window, the winner's {place} in the input",
    "offset": "max pooling; `indices` has, for each window, the winner's {place} in the window, from 0 on",
    "kernel": "average pooling, which divides by {kernel}: padding counts",
    "real": "average pooling, which divides by the number of elements in the window that are not padding",
}
SIZES = ("kernel_size", "stride", "padding")


def holding(position, kernel_size, stride, padding, count):
    """The first and the last window that hold a position; none where the first is behind the last."""
    return max(-((kernel_size - 1 - padding - position) // stride), 0), min((position + padding) // stride, count - 1)


@dataclass(frozen=True)
class Gather:
    """A gather whose windows may be wrong.

    Attributes
    ----------
    kind : str
        Of `SAID`.
    windows : callable
        As `holding`.
    """

    kind: str
    windows: object = staticmethod(holding)

    def __call__(self, grad_output, kernel_size, stride, padding, indices=None, input_size=None):
        """The gradient of every element."""
        size = tuple(np.atleast_1d(input_size))
        gradient = np.zeros(size)
        for place in np.ndindex(size):
            ends = [self.windows(at, kernel_size, stride, padding, count)
                    for at, count in zip(place, grad_output.shape, strict=True)]  # fmt: skip
            for window in product(*(range(first, last + 1) for first, last in ends)):
                share = self.share(place, window, size, kernel_size, stride, padding, indices)
                gradient[place] += share * grad_output[window]
        return {"result": gradient}

    def share(self, place, window, size, kernel_size, stride, padding, indices):
        """What part of a window's gradient a place gets."""
        starts = [one * stride - padding for one in window]
        if self.kind == "kernel":
            return 1 / kernel_size ** len(size)
        if self.kind == "real":
            ends = (min(start + kernel_size, most) - max(start, 0) for start, most in zip(starts, size, strict=True))
            return 1 / max(int(np.prod(list(ends))), 1)
        if self.kind == "flat":
            return indices[window] == np.ravel_multi_index(place, size)
        offsets = [at - start for at, start in zip(place, starts, strict=True)]
        return indices[window] == sum(one * kernel_size**power for power, one in enumerate(reversed(offsets)))


def right(kind, grad_output, kernel_size, stride, padding, indices=None, input_size=None):
    """The gradient of every element, by the loops."""
    shape, sizes = (1, 1, *np.atleast_1d(input_size)), (kernel_size, stride, padding)
    upstream = np.asarray(grad_output)[None, None]
    if kind in ("kernel", "real"):
        include = kind == "kernel"
        return {"result": loops.avg_pool_backward(upstream, shape, *sizes, count_include_pad=include)[0, 0]}
    flat = flat_indices(indices, shape[2:], *sizes) if kind == "offset" else indices
    return {"result": loops.max_pool_backward(upstream, flat[None, None], shape)[0, 0]}


def flat_indices(offsets, size, kernel_size, stride, padding):
    """The winners' indices in the input, from their offsets in the windows."""
    taps = np.unravel_index(offsets, (kernel_size,) * len(size))
    windows = np.indices(offsets.shape)
    return np.ravel_multi_index([w * stride - padding + tap for w, tap in zip(windows, taps, strict=True)], size)


def offsets_of(flat, size, kernel_size, stride, padding):
    """The winners' offsets in the windows, from their indices in the input."""
    places, windows = np.unravel_index(flat, size), np.indices(flat.shape)
    taps = [place - w * stride + padding for place, w in zip(places, windows, strict=True)]
    return np.ravel_multi_index(taps, (kernel_size,) * len(size))


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


def mistakes(asked, kind):
    """Gathers from other windows, or with other shares."""

    def mistake(name, chapter, sentence, **changes):
        return asked.mistake(f"gather_{name}", chapter, sentence, Gather(**{"kind": kind, **changes}))

    yield mistake("own_window", "03", "Only the last window that holds the element is asked. Where windows overlap "
                  "there are more.", windows=lambda at, k, s, p, count: ((at + p) // s,
                                                                         min((at + p) // s, count - 1)))  # fmt: skip
    yield mistake("no_padding", "04", "The padding is left out: in the padded input the element stands at position + "
                  "padding.", windows=lambda at, k, s, p, count: holding(at, k, s, 0, count))  # fmt: skip
    yield mistake("one_too_many", "03", "The first window is rounded down, and it ends before the element.",
                  windows=lambda at, k, s, p, count: (max((at + p - k + 1) // s, 0),
                                                      min((at + p) // s, count - 1)))  # fmt: skip
    yield mistake("one_too_few", "03", "A window that ends at the element is left out.",
                  windows=lambda at, k, s, p, count: (holding(at, k, s, p, count)[0] + ((at + p - k + 1) % s == 0),
                                                      min((at + p) // s, count - 1)))  # fmt: skip
    for other in {"kernel", "real"} - {kind} if kind in ("kernel", "real") else ():
        sentence = {"kernel": "It is divided by the size of the kernel, padding or not.",
                    "real": "It is divided by the number of elements that are not padding."}[other]  # fmt: skip
        yield mistake(f"divides_by_{other}", "04", sentence, kind=other)
    if kind == "flat":
        yield mistake("reads_offsets", "04", "The index is read as an offset in the window.", kind="offset")
    if kind == "offset":
        yield mistake("reads_flat", "04", "The offset in the window is read as an index in the input.", kind="flat")


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
