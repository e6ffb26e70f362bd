"""How many windows hold each element."""

import numpy as np

from course_lib import loops
from course_lib.interview.coding.asked import Asked, operation
from course_lib.interview.coding.draw import case, one_of
from course_lib.interview.coding.task import Task, Variant, skeleton

NAME = "coverage"
ENDS = {
    False: "A window counts if all of its taps lie on the input or on its padding.",
    True: "Windows go on in ceil mode until one ends where the padded input ends, or overhangs it; a last window that "
    "would begin behind the input is left out.",
}


def along_axes(compute):
    """A computation that takes one int for one axis, as a tuple of one."""

    def with_tuples(**geometry):
        return compute(**{name: (value,) if isinstance(value, int) else value for name, value in geometry.items()})

    return with_tuples


def counted(input_size, kernel_size, stride, padding, dilation=1, ceil_mode=False):
    """How many windows hold each element: the gradient of the sum of all windows, by the loops."""
    geometry = kernel_size, stride, padding, dilation, ceil_mode
    shape = 1, 1, *input_size
    sums = np.ones(loops.avg_pool(np.zeros(shape), *geometry).shape)
    return loops.avg_pool_backward(sums, shape, *geometry, divisor_override=1)[0, 0]


def counts(ceil_mode, change=lambda **geometry: geometry):
    """The counts, with the geometry changed before."""

    def compute(**geometry):
        changed = {"dilation": (1,) * len(geometry["input_size"])} | geometry | change(**geometry)
        return {"result": counted(**{"ceil_mode": ceil_mode} | changed)}

    return compute


def shifted(ceil_mode):
    """The counts of the padded input, from its corner on."""

    def compute(input_size, kernel_size, stride, padding, **more):
        padded = tuple(size + 2 * pad for size, pad in zip(input_size, padding, strict=True))
        none = (0,) * len(input_size)
        found = counts(ceil_mode)(input_size=padded, kernel_size=kernel_size, stride=stride, padding=none, **more)
        return {"result": found["result"][tuple(map(slice, input_size))]}

    return compute


def everywhere(input_size, kernel_size, stride, **more):
    """The count of the middle, at every element."""
    most = [-(-kernel // step) for kernel, step in zip(kernel_size, stride, strict=True)]
    return {"result": np.full(input_size, np.prod(most))}


def added(ceil_mode):
    """The counts of rows and of columns, added."""

    def compute(input_size, **geometry):
        parts = []
        for axis, size in enumerate(input_size):
            one = {name: value[axis : axis + 1] for name, value in geometry.items()}
            parts.append(counts(ceil_mode)(input_size=(size,), **one)["result"])
        return {"result": np.add.outer(*parts) if len(parts) == 2 else parts[0]}

    return compute


def _span(kernel_size, dilation=None, **geometry):
    """Windows that hold everything from their first tap to their last."""
    far = dilation or (1,) * len(kernel_size)
    spans = tuple(apart * (kernel - 1) + 1 for kernel, apart in zip(kernel_size, far, strict=True))
    return {"kernel_size": spans, "dilation": (1,) * len(spans)}


def mistakes(asked, ceil_mode, rank, dilated):
    """The mistakes: the counts of another geometry."""

    def changed(change):
        return counts(ceil_mode, change)

    def mistake(name, chapter, sentence, compute):
        return asked.mistake(f"coverage_{name}", chapter, sentence, along_axes(compute))

    apart = (
        mistake("dilation", "03", "The taps are taken side by side. They lie `dilation` apart.",
                      changed(lambda padding, **_: {"dilation": (1,) * len(padding)})),
        mistake("span", "03", "What lies between two taps is counted. A dilated window does not hold it.",
                      changed(_span)),
    )  # fmt: skip
    added_up = (
        mistake("added", "03", "The counts of rows and columns are added. A window needs both: multiply.",
                      added(ceil_mode)),
    )  # fmt: skip
    return (
        mistake("at_border", "03", "Every element gets the number of those in the middle. At the border "
                      "windows are missing.", everywhere),
        mistake("stride", "03", "The windows lie one step apart. They lie at multiples of the stride.",
                      changed(lambda stride, **_: {"stride": (1,) * len(stride)})),
        mistake("stride_is_k", "03", "The windows lie side by side, whatever the stride.",
                      changed(lambda kernel_size, **_: {"stride": kernel_size})),
        mistake("without_padding", "04", "The windows that begin in the padding are missing.",
                      changed(lambda padding, **_: {"padding": (0,) * len(padding)})),
        mistake("shifted", "04", "The counts belong to the padded input, and are read from its corner "
                      "on. Cut from [p : p + size].", shifted(ceil_mode)),
        mistake("last_window", "04", ENDS[ceil_mode], counts(not ceil_mode)),
        *(apart if dilated else ()),
        *(added_up if rank == 2 else ()),
        mistake("held_once", "03", "An element in several windows is counted once.",
                      lambda **geometry: {"result": np.minimum(counts(ceil_mode)(**geometry)["result"], 1)}),
    )  # fmt: skip


def variant(seed):
    """One axis or two, whether taps lie apart, and how the last window is treated are drawn."""
    rng = np.random.default_rng(seed)
    rank, dilated, ceil_mode = one_of(rng, 1, 2), one_of(rng, False, True), one_of(rng, False, True)
    asked = Asked(NAME, operation("coverage", along_axes(counts(ceil_mode))))
    names = ["kernel_size", "stride", "padding", *(["dilation"] if dilated else [])]
    signature = f"def {NAME}(input_size, {', '.join(names)}):"
    shape = "a row of `input_size` elements?" if rank == 1 else "a plane? Every argument is a pair (rows, columns)."
    statement = (
        f"How many pooling windows hold each element of {shape} A window has `kernel_size` taps along an axis, windows "
        f"begin `stride` apart, the first one at the start of `padding` positions before the input, and there are as "
        f"many behind it.{' The taps of a window lie `dilation` elements apart.' * dilated} {ENDS[ceil_mode]} Return "
        f"the counts in an array of shape ({'H, W' if rank == 2 else 'input_size,'})."
    )

    def call(size, kernel_size, stride, padding=(0, 0), dilation=(1, 1)):
        values = dict(zip(("input_size", *names), (size, kernel_size, stride, padding, dilation), strict=False))
        # One axis: the second of the two, which is the longer one, as ints.
        return case(**(values if rank == 2 else {name: value[1] for name, value in values.items()}))

    properties = (
        asked.gives("windows side by side", call((4, 6), (2, 3), (2, 3)), call((6, 8), (3, 2), (3, 2))),
        asked.gives("overlap", call((3, 4), (2, 2), (1, 1)), call((6, 9), (2, 4), (1, 2))),
        asked.gives("gaps and remainders", call((5, 6), (2, 2), (3, 3)), call((7, 9), (3, 3), (2, 4))),
        asked.gives("borders", call((3, 4), (2, 2), (2, 2), (1, 1)), call((5, 8), (3, 5), (1, 3), (1, 2)),
                    call((4, 6), (3, 3), (3, 4), (1, 1))),
        *([asked.gives("taps apart", call((5, 6), (2, 2), (1, 1), (0, 0), (2, 3)),
                       call((7, 10), (3, 3), (1, 2), (1, 1), (2, 3)))] if dilated else []),
    )  # fmt: skip
    blank = skeleton(signature, "How many windows hold each element.")
    return Variant(statement, signature, properties, blank, mistakes(asked, ceil_mode, rank, dilated))


TASK = Task(
    name="coverage",
    title="How many windows hold an element",
    minutes=7,
    topic="Overlapping windows",
    level=1,
    variant=variant,
    why="Two ways lead there: let every window add one to what it holds, or ask for each element between which two "
    "windows it lies. The counts of two axes multiply. The border has fewer, a gap has none, and both are what a "
    "gradient that is spread by an average looks like.",
    hints=(
        "Which windows hold the first element? Which the middle one?",
        "Add one at every tap of every window that lies on the input, one axis at a time.",
        "for q in range(windows): for j in range(k): at = q * s - p + j * d; counts[at] += 0 <= at < size. Two axes: "
        "np.outer(rows, columns).",
    ),
    chapter="03",
)
