"""Max unpooling, with indices that may repeat."""

from dataclasses import dataclass, replace

import numpy as np

from course_lib import loops
from course_lib.interview.coding.asked import Asked, operation
from course_lib.interview.coding.draw import case, distinct, one_of, written
from course_lib.interview.coding.task import Task, Variant, skeleton

NAME = "max_unpool"
RULES = {
    "last": "the one that comes last, row by row, stays",
    "first": "the one that comes first, row by row, stays",
    "sum": "they are added",
    "largest": "the largest value stays",
}
LAYOUTS = {True: "(H, W, C)", False: "(C, H, W)"}
SCOPES = {
    True: "An index counts the elements of the whole output, in its own layout, from 0 and row by row",
    False: "An index counts the elements of one channel's plane (H, W), from 0 and row by row",
}


def unpooled(rule, values, indices, shape):
    """One sample, (C, rows, columns), with indices in the plane; by the loops."""
    values, indices, shape = values[None], indices[None], (1, *shape)
    if rule == "sum":
        return loops.max_pool_backward(values, indices, shape)[0]
    if rule == "last":
        return loops.max_unpool(values, indices, shape, duplicates="last")[0]
    flat, order = values.reshape(*values.shape[:2], -1), np.arange(values[0, 0].size)[None, None, ::-1]
    if rule == "largest":
        order = flat.argsort(-1)
    ordered = (np.take_along_axis(array.reshape(flat.shape), order, -1) for array in (values, indices))
    return loops.max_unpool(*(array[..., None] for array in ordered), shape, duplicates="last")[0]


@dataclass(frozen=True)
class Unpool:
    """What is right, and what a mistake changes of it.

    Attributes
    ----------
    rule : str
        Of `RULES`.
    last, whole : bool
        Whether channels stand last, and whether an index counts the whole output.
    skips : bool
        Whether an index of −1 writes nothing, and not to the last element.
    mixed : bool
        Whether every channel is written to the first plane.
    turned : bool
        Whether rows and columns of the output are exchanged.
    """

    rule: str
    last: bool
    whole: bool
    skips: bool = True
    mixed: bool = False
    turned: bool = False

    def __call__(self, values, indices, output_size):
        """The output."""
        values, planes = (np.moveaxis(array, -1, 0) if self.last else array for array in (values, indices))
        channels, (height, width) = len(values), output_size
        if self.whole:
            planes = np.where(planes >= 0, planes // channels if self.last else planes % (height * width), planes)
        if not self.skips:
            planes = np.where(planes < 0, height * width - 1, planes)
        shape = channels, height, width
        if self.mixed:
            values, planes = values.reshape(1, -1, 1), planes.reshape(1, -1, 1)
            result = np.zeros(shape)
            result[:1] = unpooled(self.rule, values, planes, (1, height, width))
        else:
            result = unpooled(self.rule, values, planes, shape)
        if self.turned:
            result = result.reshape(channels, width, height).swapaxes(1, 2)
        return {"result": np.moveaxis(result, 0, -1) if self.last else result}


def mistakes(asked, right):
    """The mistakes: the right function with something changed."""

    def mistake(name, chapter, sentence, **changes):
        return asked.mistake(name, chapter, sentence, replace(right, **changes))

    others = (
        mistake(f"unpool_{rule}", "02", f"Where indices repeat, it is done as if {said}; here {RULES[right.rule]}.",
                rule=rule)
        for rule, said in RULES.items() if rule != right.rule
    )  # fmt: skip
    return (
        *others,
        mistake("unpool_minus_one", "04", "Index -1 counts from the end, and so the last element is written. It stands "
                "for no element: leave it out.", skips=False),
        mistake("unpool_channel_mix", "04", "All channels go to the first one. Each has a plane of its own.",
                mixed=True),
        mistake("unpool_turned", "04", "Rows and columns of the output are exchanged.", turned=True),
    )  # fmt: skip


def statement(rule, last, whole):
    """What to write."""
    small = "(rows, columns, C)" if last else "(C, rows, columns)"
    return (
        f"Write max unpooling of one image. `values` and `indices` are {small}, and `output_size` is (H, W). Put every "
        f"value where its index says, in an output {LAYOUTS[last]} that is 0 elsewhere. {SCOPES[whole]}. -1 stands for "
        f"no element: that value is left out. Where indices of a channel repeat, {RULES[rule]}. Return the output. "
        "Change no argument."
    )


def arguments(values, planes, size, last, whole):
    """The arguments of a case, from values and their places in the plane, both (C, rows, columns)."""
    channels = len(planes)
    channel = np.arange(channels)[:, None, None]
    if whole:
        index = planes * channels + channel if last else planes + channel * size[0] * size[1]
        planes = np.where(planes >= 0, index, planes)
    values, planes = (np.moveaxis(array, 0, -1).copy() if last else array for array in (values, planes))
    return {"values": written(values), "indices": written(planes), "output_size": size}


def variant(seed):
    """What happens to repeated indices, the layout and what an index counts are drawn."""
    rng = np.random.default_rng(seed)
    rule, last, whole = one_of(rng, *RULES), one_of(rng, False, True), one_of(rng, False, True)
    right = Unpool(rule, last, whole)
    asked = Asked(NAME, operation("max unpooling", right))
    signature = f"def {NAME}(values, indices, output_size):"

    def call(shape, height, width, pick):
        """A case; ``pick`` gives the places of one channel, from the number of values."""
        planes = np.stack([pick(shape[1] * shape[2]) for _ in range(shape[0])]).reshape(shape)
        # No value is 0, as what is not written is.
        values = distinct(rng, shape).array + 0.5
        return case(**arguments(values, planes, (height, width), last, whole))

    def different(size):
        return lambda count: rng.permutation(size)[:count]

    def repeated(*places):
        return lambda count: rng.permutation(np.resize(places, count))

    twice = call((1, 2, 2), 2, 4, repeated(1, 6)), call((2, 2, 3), 4, 5, repeated(3, 7, 18))
    properties = (
        asked.gives("one channel", call((1, 1, 2), 2, 3, different(6)), call((1, 2, 3), 4, 5, different(20))),
        asked.gives("channels", call((2, 1, 1), 1, 2, different(2)), call((3, 2, 2), 3, 4, different(12))),
        asked.gives("repeated indices", *twice),
        asked.gives("no element", call((1, 1, 2), 1, 3, repeated(-1, 0)), call((2, 2, 2), 3, 3, repeated(-1, 4))),
        asked.keeps_inputs(twice[1]),
    )
    blank = skeleton(signature, f"The unpooled image, {LAYOUTS[last]}.")
    return Variant(statement(rule, last, whole), signature, properties, blank, mistakes(asked, right))


TASK = Task(
    name="max-unpool",
    title="Max unpooling with repeated indices",
    minutes=10,
    topic="Where the gradient goes",
    level=1,
    variant=variant,
    why="Unpooling writes, and the backward of pooling adds: the difference shows where two windows share a winner. An "
    "interviewer waits for the question of what shall happen then, and for a rule that the code keeps on purpose: an "
    "assignment with repeated indices keeps the last one in NumPy, and any one of them on a GPU.",
    hints=(
        "What does output[indices] = values do with an index that stands there twice? And with -1?",
        "Leave out what has no element. Treat each channel by itself, or add the channel's own start to its indices.",
        "Sort the values in the order in which they may overwrite one another, or use np.add.at, np.maximum.at.",
    ),
    chapter="02",
)
