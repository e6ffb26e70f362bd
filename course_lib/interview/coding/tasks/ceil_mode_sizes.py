"""How many windows an axis has in ceil mode."""

from dataclasses import dataclass

import numpy as np

from course_lib import loops
from course_lib.interview.coding.asked import Asked, operation
from course_lib.interview.coding.draw import case, one_of
from course_lib.interview.coding.task import Task, Variant, skeleton

NAME = "output_sizes"
LAST = {
    "input": "A last window that would begin behind the input is left out, even if it begins in the padding there.",
    "padded": "A last window counts if it begins in the input or in the padding, before it or behind it.",
}
PADDINGS = {
    False: "`padding` has one int an axis, for both of its ends",
    True: "`padding` has one pair (before, after) an axis",
}
RETURNS = {
    False: "Return the numbers in a list, axis by axis.",
    True: "Return a list with one pair an axis: the number of windows, and by how many positions the last one "
    "overhangs the padded input, 0 if it does not.",
}


def windows(last, size, kernel, stride, before, after, dilation):
    """The windows of one axis, counted by the loops."""
    if last == "padded":
        # Padding that is real: a window begins behind it, or it counts.
        size, before, after = size + before + after, 0, 0
    row = np.zeros((1, 1, size))
    return loops.max_pool(row, kernel, stride, ((before, after),), dilation, last != "down").shape[2]


def overhang(count, size, kernel, stride, before, after, dilation):
    """How far the last of some windows overhangs the padded input."""
    return max((count - 1) * stride + dilation * (kernel - 1) + 1 - size - before - after, 0)


@dataclass(frozen=True)
class Sizes:
    """The sizes of all axes, with overhangs or without; an axis is (size, kernel, stride, before, after, dilation)."""

    count: object
    overhangs: bool

    def __call__(self, input_size, kernel_size, stride, padding, dilation=None):
        pads = (pad if isinstance(pad, tuple) else (pad, pad) for pad in padding)
        axes = zip(input_size, kernel_size, stride, pads, dilation or [1] * len(stride), strict=True)
        axes = [(size, kernel, step, *pad, apart) for size, kernel, step, pad, apart in axes]
        counts = [self.count(*axis) for axis in axes]
        pairs = [(count, overhang(count, *axis)) for count, axis in zip(counts, axes, strict=True)]
        return {"result": np.array(pairs if self.overhangs else counts)}


def steps(size, kernel, stride, before, after, dilation):
    """The steps of the first window, rounded up."""
    return -(-(size + before + after - dilation * (kernel - 1) - 1) // stride)


def mistakes(asked, last, overhangs, pairs, dilated):
    """The mistakes under a rule: other counts."""

    def count(change):
        return lambda *axis: windows(last, *change(*axis))

    def mistake(name, chapter, sentence, *counts):
        return asked.mistake(name, chapter, sentence, *(Sizes(one, overhangs) for one in counts))

    wrong = "padded" if last == "input" else "input"
    sentence = "A last window counts" if last == "input" else "A last window is left out"
    before_twice = (
        mistake("ceil_before_twice", "01", "The padding before the input is taken for both ends.",
                count(lambda size, kernel, stride, before, after, far: (size, kernel, stride, before, before, far))),
    )  # fmt: skip
    apart = (
        mistake("ceil_dilation", "01", "A dilated window reaches over d·(k − 1) + 1 elements, not over k.",
                count(lambda *axis: (*axis[:5], 1))),
        mistake("ceil_dilated_span", "01", "A dilated window reaches over d·(k − 1) + 1 elements, not over d·k.",
                count(lambda size, kernel, *rest: (size, rest[-1] * kernel, *rest[:-1], 1))),
    )  # fmt: skip
    return (
        mistake("ceil_rounded_down", "01", "The number is rounded down, although a last window may overhang.",
                lambda *axis: windows("down", *axis)),
        mistake("ceil_last_window", "04", f"{sentence} that begins in the padding behind the input.",
                lambda *axis: windows(wrong, *axis)),
        mistake("ceil_never_left_out", "04", "A last window counts wherever it begins, also where nothing is left.",
                lambda *axis: steps(*axis) + 1),
        mistake("ceil_without_first", "01", "The steps are counted, and the first window stands before them.", steps),
        mistake("ceil_padding_once", "01", "The padding of one end alone is counted.",
                count(lambda size, kernel, stride, before, after, far: (size, kernel, stride, before, 0, far))),
        *(before_twice if pairs else ()),
        *(apart if dilated else ()),
    )  # fmt: skip


def statement(last, overhangs, pairs, dilated):
    """What to write."""
    return (
        f"How many windows has pooling in ceil mode? `input_size`, `kernel_size`, `stride`{', `dilation`' * dilated} "
        f"have one int for each spatial axis, one to three of them, and {PADDINGS[pairs]}. The first window begins "
        f"where the padding begins, and each other one `stride` further. "
        f"{'The taps of a window lie `dilation` elements apart. ' * dilated}Windows go on until one ends where the "
        f"padded input ends, or overhangs it. {LAST[last]} {RETURNS[overhangs]}"
    )


def variant(seed):
    """Which last window counts, what is asked for, how padding is given and whether taps lie apart are drawn."""
    rng = np.random.default_rng(seed)
    last, (overhangs, pairs, dilated) = one_of(rng, *LAST), rng.integers(2, size=3).astype(bool).tolist()
    rules = last, overhangs, pairs, dilated
    asked = Asked(NAME, operation("output sizes", Sizes(lambda *axis: windows(last, *axis), overhangs)))
    signature = f"def {NAME}(input_size, kernel_size, stride, padding{', dilation' * dilated}):"

    def call(input_size, kernel_size, stride, padding, dilation=1):
        padding = tuple(pad if pairs else pad[0] for pad in padding)
        apart = {"dilation": (dilation,) * len(stride)} if dilated else {}
        return case(input_size=input_size, kernel_size=kernel_size, stride=stride, padding=padding, **apart)

    none, one = (0, 0), (1, 1)
    apart = call((7,), (2,), (1,), [none], 3), call((9, 8), (3, 2), (2, 2), [one, one], 2)
    last_window = (
        call((5,), (2,), (3,), [one]),
        call((4, 7, 6), (2, 3, 4), (5, 4, 3), [one] * 3),
        call((5, 6), (4, 2), (4, 3), [(1, 2), one]),
        call((4, 5), (1, 1), (3, 3), [none, none]),
    )
    properties = (
        asked.gives("windows side by side", call((6,), (2,), (2,), [none]), call((9, 4), (3, 2), (3, 2), [none] * 2)),
        asked.gives("a remainder", call((7,), (3,), (3,), [none]), call((6, 8), (3, 3), (2, 4), [none, none])),
        asked.gives(
            "padding",
            call((5,), (3,), (1,), [one]),
            call((6, 9), (3, 4), (2, 3), [one, (2, 1)]),
            call((7,), (3,), (2,), [(0, 1)]),
        ),
        asked.gives("the last window", *last_window),
        *([asked.gives("taps apart", *apart)] if dilated else []),
    )
    blank = skeleton(signature, f"{'Windows and overhang' if overhangs else 'The number of windows'} of each axis.")
    return Variant(statement(*rules), signature, properties, blank, mistakes(asked, *rules))


TASK = Task(
    name="ceil-mode-sizes",
    title="Output sizes in ceil mode",
    minutes=6,
    topic="At the border",
    level=1,
    variant=variant,
    why="A dilated window reaches over d·(k − 1) + 1 elements, and the first one can move by what is left of the "
    "padded size. Divided by the stride and rounded up, that gives the steps, and one window stands before the first "
    "step. Where the last window begins decides whether it counts; that clause is what libraries differ in.",
    hints=(
        "Where does window number q begin, counted from the first element of the input? Where does it end?",
        "Count the steps that the first window can make, rounded up, and add one. Then look where the last one begins.",
        "room = size + before + after - dilation * (kernel - 1) - 1; windows = -(-room // stride) + 1; the last begins "
        "at (windows - 1) * stride - before.",
    ),
    chapter="04",
)
