"""Global average pooling backward, and whether a gradient's sum is right."""

from dataclasses import dataclass, replace

import numpy as np

from course_lib import loops
from course_lib.interview.coding.asked import Asked, operation
from course_lib.interview.coding.draw import case, distinct, one_of, written
from course_lib.interview.coding.task import Task, Variant, skeleton

NAME = "global_average_backward"
RETURNS = "grad_input", "excess"
SHAPES = {"NCHW": "(N, C, H, W)", "NHWC": "(N, H, W, C)", "NLC": "(N, L, C)"}
MEANS = {
    "NCHW": "Every channel of every sample was averaged over its plane",
    "NHWC": "Every channel of every sample was averaged over its plane",
    "NLC": "Every channel of every sample was averaged over those of its L tokens that `mask`, an array (N, L) of 0 "
    "and 1, marks with 1; every sample has one at least",
}


@dataclass(frozen=True)
class Rules:
    """What is right, and what a mistake changes of it.

    Attributes
    ----------
    layout : str
        Of `SHAPES`.
    over : str
        What the mean is over, as far as the gradient knows: ``places``, ``all`` for masked tokens too, ``axis`` for one
        side of the plane alone, ``batch`` for all samples together, ``none`` for a sum.
    leaves : bool
        Whether masked tokens get nothing.
    total : str
        What is compared: the ``sum`` of the gradient, its ``mean``, or the sum over all ``channels``.
    sign : int
        Of the excess.
    """

    layout: str
    over: str = "places"
    leaves: bool = True
    total: str = "sum"
    sign: int = 1

    def __call__(self, grad_output, claimed, input_shape=None, mask=None):
        """Both results, with the loops' gradient of each sample."""
        shape = claimed.shape
        sent = grad_output.reshape(shape[0], -1)
        kept = np.ones(self._places(shape)) if mask is None else mask
        side = shape[2 if self.layout == "NCHW" else 1]
        grad = np.stack([self._sample(*pair, side, len(sent)) for pair in zip(sent, kept, strict=True)])
        back = grad.reshape(len(sent), -1, *shape[2:]) if self.layout == "NCHW" else np.moveaxis(grad, 1, -1)
        planes = claimed if self.layout == "NCHW" else np.moveaxis(claimed, -1, 1)
        return {"grad_input": back.reshape(shape), "excess": self._excess(planes.reshape(*sent.shape, -1), sent)}

    def _places(self, shape):
        """One sample's places for each of its channels."""
        return (shape[0], int(np.prod(shape[2:] if self.layout == "NCHW" else shape[1:-1])))

    def _sample(self, sent, kept, side, samples):
        """The gradient of one sample, (C, places)."""
        grad = np.zeros((len(sent), len(kept)))
        where = np.flatnonzero(kept if self.leaves else np.ones(len(kept)))
        shares = loops.adaptive_avg_pool_backward(sent[None, :, None], (1, len(sent), len(where)))[0]
        count = {"places": np.count_nonzero(kept), "all": len(kept), "none": 1,
                 "axis": side, "batch": np.count_nonzero(kept) * samples}  # fmt: skip
        grad[:, where] = shares * len(where) / count[self.over]
        return grad

    def _excess(self, planes, sent):
        """By how much what arrives is more than what was sent."""
        found = planes.mean(-1) if self.total == "mean" else planes.sum(-1)
        if self.total == "channels":
            found = np.broadcast_to(found.sum(-1, keepdims=True), sent.shape)
        # Where as much arrives, the rounding of a sum is no excess.
        return self.sign * np.round(found - sent, 9)


def mistakes(asked, right):
    """The mistakes: the right rules with one changed."""

    def mistake(name, chapter, sentence, *changes):
        return asked.mistake(f"global_{name}", chapter, sentence, *(replace(right, **change) for change in changes))

    masked = (
        mistake("all_tokens", "11", "The gradient is divided by the number of all tokens, masked ones too. The mean "
                "was over those that the mask keeps.", {"over": "all"}, {"over": "all", "leaves": False}),
        mistake("masked_get_some", "11", "Masked tokens get a share. They were not in the mean: their gradient is 0.",
                {"leaves": False}),
    )  # fmt: skip
    plane = (
        mistake("divided_by_side", "02", "The gradient is divided by one side of the plane, not by its area.",
                {"over": "axis"}),
    )  # fmt: skip
    return (
        *(masked if right.layout == "NLC" else plane),
        mistake("not_divided", "02", "Every element gets the whole gradient, as from a sum. A mean gives a part.",
                {"over": "none"}, {"over": "none", "leaves": False}),
        mistake("over_the_batch", "10", "The mean was over each sample, and the gradient is divided by the number of "
                "samples too.", {"over": "batch"}),
        mistake("mean_for_sum", "07", "The mean of the gradient is compared with what was sent. What arrives is its "
                "sum.", {"total": "mean"}),
        mistake("all_channels", "07", "The channels are summed over too. Each must get what was sent to it.",
                {"total": "channels"}),
        mistake("sign", "07", "What was sent minus what arrives: an excess is the other way round.", {"sign": -1}),
    )  # fmt: skip


def statement(layout, keeps):
    """What to write."""
    ones = SHAPES[layout].replace("H", "1").replace("W", "1").replace("L", "1")
    return (
        f"x is {SHAPES[layout]}. {MEANS[layout]}. `grad_output`, the gradient of the averages, is "
        f"{ones if keeps else '(N, C)'}. Return two arrays. First the gradient of x, in the shape of x. Second a check "
        f"of `claimed`, which somebody else takes for the gradient of x: (N, C), by how much its sum over "
        f"{'all tokens' if layout == 'NLC' else 'the plane'} exceeds what was sent, 0 where as much arrives."
    )


def arrays(rng, layout, keeps, shape, kept):
    """The arguments of a case, its shape as (N, C, H, W), with a claim that is wrong at some places."""
    samples, channels, height, width = shape
    last = {"NHWC": (samples, height, width, channels), "NLC": (samples, height * width, channels)}
    x_shape = last.get(layout, shape)
    sent = distinct(rng, (samples, channels), low=1).array
    mask = np.ones((samples, height * width), int)
    mask[tuple(np.array(kept).T) if kept else ([], [])] = 0
    gradient = Rules(layout)(sent, np.zeros(x_shape), mask=mask if layout == "NLC" else None)["grad_input"]
    claimed = gradient + rng.integers(-1, 2, size=gradient.shape)
    if keeps:
        # As a mean with keepdims leaves it.
        sent = sent.reshape([size if letter in "NC" else 1 for letter, size in zip(layout, x_shape, strict=True)])
    drawn = {"grad_output": sent, "mask": mask, "claimed": claimed}
    return {name: written(array) for name, array in drawn.items()} | {"input_shape": x_shape}


def variant(seed):
    """The layout, with a mask or without, the shape of the upstream gradient and the order are drawn."""
    rng = np.random.default_rng(seed)
    keeps, layout = one_of(rng, False, True), one_of(rng, *SHAPES)
    about = "mask" if layout == "NLC" else "input_shape"
    order = one_of(rng, ("grad_output", about, "claimed"), ("claimed", "grad_output", about))
    right = Rules(layout)
    asked = Asked(NAME, operation("global average pooling", right), RETURNS)
    signature = f"def {NAME}({', '.join(order)}):"

    def call(shape, kept=()):
        given = arrays(rng, layout, keeps, shape, kept)
        return case(**{name: given[name] for name in order})

    masked = call((1, 1, 1, 3), [(0, 1)]), call((2, 2, 1, 4), [(0, 0), (0, 3), (1, 2)])
    properties = (
        *asked.gives_each("one channel", call((1, 1, 1, 2)), call((1, 1, 2, 3))),
        *asked.gives_each("channels", call((1, 2, 2, 2)), call((1, 3, 1, 4))),
        *asked.gives_each("a batch", call((2, 1, 2, 2)), call((3, 2, 2, 3))),
        *(asked.gives_each("masked tokens", *masked) if layout == "NLC" else ()),
        asked.keeps_inputs(masked[1]),
    )
    blank = skeleton(signature, "The gradient of x, and by how much the sum of the claimed one exceeds grad_output.")
    return Variant(statement(layout, keeps), signature, properties, blank, mistakes(asked, right))


TASK = Task(
    name="global-average-backward",
    title="Global average pooling backward, and a check of its sum",
    minutes=8,
    topic="Checking and testing",
    level=1,
    variant=variant,
    why="Every element of the mean gets the same share, so the backward is one division and one broadcast. The shares "
    "add up to what was sent, and that conservation is the cheapest check there is: it sees a wrong divisor, and it "
    "does not see a gradient at the wrong place. Both halves of that sentence are worth saying.",
    hints=(
        "How much does the mean rise if one of its elements rises by one?",
        "Divide by the number of elements in the mean. Give the gradient axes of one element where the mean was taken.",
        "grad = np.broadcast_to(grad_output[:, :, None, None] / (H * W), shape).copy(); the excess is claimed.sum over "
        "the same axes, minus grad_output.",
    ),
    chapter="10",
)
