"""Max pooling where channels stand last."""

from dataclasses import dataclass, replace

import numpy as np

from course_lib import arguments, loops
from course_lib.interview.coding.asked import Asked, operation
from course_lib.interview.coding.draw import case, distinct, one_of, tied, written
from course_lib.interview.coding.images import from_layout, to_layout, words
from course_lib.interview.coding.task import Task, Variant, skeleton
from course_lib.loops.windows import plane_position, taps

NAME = "max_pool"
LAYOUTS = ("HWC", "CHWN", "NHWC")
COUNTS = {
    "plane": "the flat index of the winner in its plane: row · W + column",
    "image": "the flat index of the winner in its image (H, W, C): (row · W + column) · C + channel",
    "window": "the place of the winner in its window, row by row from 0: a · kernel_size + b in its row a and column b",
}
PADDINGS = {
    False: "`padding` elements of -inf stand at both ends of both axes, at most half of the kernel, and every window "
    "lies inside that.",
    True: 'Padding is TensorFlow\'s "SAME": an axis has ceil(size / stride) windows, as many elements of -inf stand at '
    "its ends as they need, and of an odd number the larger half stands behind.",
}


@dataclass(frozen=True)
class Pool:
    """What is right, and what a mistake changes of it.

    Attributes
    ----------
    layout, counts : str
        Of `LAYOUTS` and `COUNTS`.
    same : bool or str
        Whether padding is "SAME", or its name.
    pad_value : float
    last : bool
        Whether the last of equal maxima wins.
    stride_is_k : bool
    padded : bool
        Whether an index counts the padded plane.
    """

    layout: str
    counts: str
    same: bool | str
    pad_value: float = -np.inf
    last: bool = False
    stride_is_k: bool = False
    padded: bool = False

    def __call__(self, x, kernel_size, stride, padding=0):
        """The maxima and their indices, in the layout."""
        images = from_layout(x, self.layout)
        stride = kernel_size if self.stride_is_k else stride
        pads = {False: padding, True: "same"}.get(self.same, self.same)
        axes = arguments.pool_axes(images.shape[2:], kernel_size, stride, pads, 1, False)
        if self.pad_value == -np.inf and not self.last:
            y, planes = loops.max_pool(images, kernel_size, stride, pads, return_indices=True)
            place = np.stack(np.divmod(planes, axes[1].size), -1)
        else:
            y, place = self._scan(images, axes)
        return {"y": to_layout(y, self.layout), "indices": to_layout(self._index(place, axes, images), self.layout)}

    def _scan(self, images, axes):
        """The maxima, and row and column of each, as the loops never find them."""
        shape = (*images.shape[:2], *(axis.output for axis in axes))
        y, place = np.empty(shape), np.empty((*shape, 2), int)
        for sample, channel, *window in np.ndindex(shape):
            elements = list(taps(axes, window))
            real = (all(0 <= at < axis.size for at, axis in zip(one, axes, strict=True)) for one in elements)
            values = np.array([images[sample, channel, *one] if lies else self.pad_value
                               for one, lies in zip(elements, real, strict=True)])  # fmt: skip
            best = len(values) - 1 - values[::-1].argmax() if self.last else values.argmax()
            y[sample, channel, *window], place[sample, channel, *window] = values[best], elements[best]
        return y, place

    def _index(self, place, axes, images):
        """The indices that are asked for, from row and column in the plane."""
        row, column = place[..., 0], place[..., 1]
        if self.counts == "window":
            _, _, i, j = np.indices(row.shape)
            starts = (at * axis.stride - axis.before for at, axis in zip((i, j), axes, strict=True))
            a, b = (at - start for at, start in zip((row, column), starts, strict=True))
            return a * axes[1].kernel + b
        if self.padded:
            row, column = row + axes[0].before, column + axes[1].before
            axes = [axis._replace(size=axis.size + axis.before + axis.after) for axis in axes]
        planes = plane_position(axes, (row, column))
        if self.counts == "image":
            return planes * images.shape[1] + np.arange(images.shape[1])[:, None, None]
        return planes


def mistakes(asked, right):
    """The mistakes: the right pooling with something changed."""

    def mistake(name, chapter, sentence, *changes):
        return asked.mistake(f"nhwc_{name}", chapter, sentence, *(replace(right, **change) for change in changes))

    by_padding = (
        mistake("same_lower", "04", "Of an odd number of padding elements the larger half stands before. In TensorFlow "
                "it stands behind.", {"same": "same_lower"}),
        mistake("valid", "04", "Nothing is padded, so that windows are missing.", {"same": "valid"}),
    ) if right.same else ()  # fmt: skip
    counts = (
        mistake(f"index_{name}", "04", f"Another index is asked for: {COUNTS[right.counts]}.", {"counts": name})
        for name in COUNTS if name != right.counts
    )  # fmt: skip
    return (
        *by_padding,
        *counts,
        mistake("zero_pad", "04", "Padding counts as 0 and wins against negative elements. In max pooling it counts as "
                "minus infinity.", {"pad_value": 0.0}),
        mistake("tie_last", "05", "The last of equal maxima wins, as in a scan with >=; here the first one wins.",
                {"last": True}),
        mistake("stride_is_k", "03", "The windows lie side by side, whatever the stride.", {"stride_is_k": True}),
        *(
            mistake(name, "04", "The index counts the padded plane. It must count the input.", {"padded": True})
            for name in ("padded_index",) if right.counts != "window"
        ),
    )  # fmt: skip


def negative(rng, shape):
    """Numbers below 0, so that padding of 0 would win."""
    return written(distinct(rng, shape).array - 50)


def variant(seed):
    """The layout, what an index counts and how padding is given are drawn."""
    rng = np.random.default_rng(seed)
    layout, counts, same = one_of(rng, *LAYOUTS), one_of(rng, *COUNTS), one_of(rng, False, True)
    right = Pool(layout, counts, same)
    asked = Asked(NAME, operation("max pooling", right), ("y", "indices"))
    signature = f"def {NAME}(x, kernel_size, stride{'' if same else ', padding'}):"
    statement = (
        f"Write 2-D max pooling of `x`, {words(layout)}. Windows are square, kernel_size by kernel_size, and `stride` "
        f"apart. {PADDINGS[same]} Return two arrays in the layout of x with the pooled sizes: the maxima, and for each "
        f"{COUNTS[counts]}. Of equal maxima the first one wins, in row-major order of the plane."
    )

    def call(shape, kernel_size, stride, padding=0, numbers=distinct):
        shape = (shape[0] if "N" in layout else 1, *shape[1:])
        x = written(to_layout(numbers(rng, shape).array, layout))
        pads = {} if same else {"padding": padding}
        return case(x=x, kernel_size=kernel_size, stride=stride, **pads)

    pads = call((1, 1, 4, 5), 3, 2, 1, negative), call((1, 1, 3, 6), 2, 2, 1, negative)
    properties = (
        *asked.gives_each("windows side by side", call((1, 1, 2, 4), 2, 2), call((1, 1, 6, 3), 3, 3)),
        *asked.gives_each("overlap", call((1, 1, 3, 4), 2, 1), call((1, 1, 6, 5), 3, 2)),
        *asked.gives_each("borders", *pads),
        *asked.gives_each("ties", call((1, 1, 4, 4), 2, 2, 0, tied), call((1, 1, 4, 5), 3, 1, 1, tied)),
        *asked.gives_each("batch and channels", call((1, 2, 2, 4), 2, 2), call((2, 3, 4, 4), 2, 2, 1)),
    )
    shown = words(layout)
    blank = skeleton(signature, f"The maxima, and where they are: two arrays {shown} with the pooled sizes.")
    return Variant(statement, signature, properties, blank, mistakes(asked, right))


TASK = Task(
    name="nhwc-max-pool",
    title="Max pooling where channels do not stand second",
    minutes=16,
    topic="At the border",
    level=2,
    variant=variant,
    why="Say first which axes slide. Either write for the layout that you have, or move the axes, pool, and move them "
    "back: a reshape in the place of a transpose is the usual fault, and equal sizes hide it. An index means nothing "
    "until it is said what it counts; with channels last they may be part of it.",
    hints=(
        "Which two axes slide here? What does a window hold, seen in all axes of x?",
        "Take windows over the two axes alone and put the taps on one axis at the end; argmax over it gives the place "
        "in the window, and the first of equals.",
        "a, b = divmod(place, kernel_size); row = i * stride - before + a; column = j * stride - before + b.",
    ),
    chapter="04",
)
