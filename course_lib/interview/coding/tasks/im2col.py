"""im2col: every window as one line of a matrix."""

from dataclasses import dataclass, replace

import numpy as np

from course_lib import loops
from course_lib.interview.coding.asked import Asked, operation
from course_lib.interview.coding.draw import case, distinct, one_of
from course_lib.interview.coding.task import Task, Variant, skeleton

NAME = "im2col"
TAPS = {
    "channel": "first by channel, then by kernel row, then by kernel column, the last fastest",
    "tap": "first by kernel row, then by kernel column, then by channel, the last fastest",
}
SHAPES = {
    "rows": "one **row** for each window",
    "columns": "one **column** for each window",
}


@dataclass(frozen=True)
class Columns:
    """The matrix, and what a mistake changes of it.

    Attributes
    ----------
    taps, shape : str
        Of `TAPS` and `SHAPES`.
    last, batch : bool
        Whether channels stand last, and whether there are samples: then windows follow one another sample by sample.
    by_column : bool
        Whether windows are counted down the columns.
    turned : bool
        Whether kernel rows and columns are exchanged.
    sample_fastest : bool
        Whether windows at one place stand together.
    flat : bool
        Whether a matrix of windows in rows was only reshaped into one of windows in columns, or back.
    stretched : bool
        Whether dilation is left out.
    """

    taps: str
    shape: str
    last: bool
    batch: bool
    by_column: bool = False
    turned: bool = False
    sample_fastest: bool = False
    flat: bool = False
    stretched: bool = True

    def __call__(self, x, kernel_size, stride, padding, dilation=1):
        """The matrix."""
        images = x if self.batch else x[None]
        images = np.moveaxis(images, -1, 1) if self.last else images
        found = self.windows(images, kernel_size, stride, padding, dilation if self.stretched else 1)
        # Samples, rows and columns of windows, and then the taps.
        order = (3, 4, 5) if self.taps == "channel" else (4, 5, 3)
        order = tuple({4: 5, 5: 4}.get(axis, axis) for axis in order) if self.turned else order
        ahead = (0, 2, 1) if self.by_column else (0, 1, 2)
        ahead = (*ahead[1:], ahead[0]) if self.sample_fastest else ahead
        matrix = found.transpose(*ahead, *order).reshape(found[..., 0, 0, 0].size, -1)
        if self.flat:
            return {"matrix": matrix.reshape(matrix.shape[::-1]) if self.shape == "columns" else matrix.T.reshape(
                matrix.shape)}  # fmt: skip
        return {"matrix": matrix.T if self.shape == "columns" else matrix}

    def windows(self, images, kernel_size, stride, padding, dilation):
        """All taps, (N, rows, columns, C, kernel rows, kernel columns): a convolution with one kernel a tap."""
        padded = np.pad(images, ((0, 0), (0, 0), *[(padding, padding)] * 2))
        channels, size = images.shape[1], images.shape[1] * kernel_size**2
        weight = np.eye(size).reshape(size, channels, kernel_size, kernel_size)
        found = loops.conv(padded, weight, None, stride, 0, dilation)
        found = found.reshape(len(images), channels, kernel_size, kernel_size, *found.shape[2:])
        return found.transpose(0, 4, 5, 1, 2, 3)


def mistakes(asked, right, dilated):
    """The right matrix with something changed."""

    def mistake(name, sentence, **changes):
        return asked.mistake(f"columns_{name}", "06", sentence, replace(right, **changes))

    other = next(taps for taps in TAPS if taps != right.taps)
    yield mistake("taps_in_another_order", f"The elements of a window are ordered {TAPS[other]}.", taps=other)
    yield mistake("transposed", "The matrix is transposed.",
                  shape=next(shape for shape in SHAPES if shape != right.shape))  # fmt: skip
    yield mistake("reshaped", "The matrix has the right shape and the elements of another one: reshape does not "
                  "transpose.", flat=True)  # fmt: skip
    yield mistake("windows_by_column", "The windows follow one another down the columns of the image.", by_column=True)
    yield mistake("kernel_turned", "Rows and columns of the kernel are exchanged.", turned=True)
    if right.batch:
        yield mistake("samples_last", "Windows at one place of all samples stand together. First come all windows of "
                      "the first sample.", sample_fastest=True)  # fmt: skip
    if dilated:
        yield mistake("side_by_side", "No tap is left out between others, whatever dilation says.", stretched=False)


def variant(seed):
    """The order of taps, windows in rows or columns, the layout, samples and dilation are drawn."""
    rng = np.random.default_rng(seed)
    taps, shape = one_of(rng, *TAPS), one_of(rng, *SHAPES)
    last, batch, dilated = (one_of(rng, False, True) for _ in range(3))
    axes = ("(N, H, W, C)" if batch else "(H, W, C)") if last else ("(N, C, H, W)" if batch else "(C, H, W)")
    signature = f"def {NAME}(x, kernel_size, stride, padding{', dilation' if dilated else ''}):"
    statement = (
        f"Write im2col: return the matrix that has {SHAPES[shape]} of `x`, {axes}. The elements of a window are "
        f"ordered {TAPS[taps]}. Windows follow one another row by row{', and sample by sample' if batch else ''}. "
        "They have `kernel_size` by `kernel_size` elements of every channel, and are `stride` apart; the image is "
        f"padded with `padding` zeros on each side{', and taps are `dilation` apart' if dilated else ''}."
    )
    right = Columns(taps, shape, last, batch)
    asked = Asked(NAME, operation("im2col", right), ("matrix",))

    def image(channels, height, width, kernel_size, stride, padding, dilation=1, samples=1):
        sizes = (height, width, channels) if last else (channels, height, width)
        x = distinct(rng, (samples, *sizes) if batch else sizes, low=1)
        more = {"dilation": dilation} if dilated else {}
        return case(x=x, kernel_size=kernel_size, stride=stride, padding=padding, **more)

    several = image(2, 4, 3, 2, 1, 1, samples=2)
    properties = (
        asked.gives("one channel", image(1, 2, 3, 2, 1, 0), image(1, 3, 4, 2, 1, 0)),
        asked.gives("stride and padding", image(1, 3, 4, 2, 2, 1), image(1, 5, 7, 3, one_of(rng, 2, 3), 1)),
        asked.gives("channels", image(3, 2, 2, 2, 1, 0), image(2, 3, 4, 2, 1, 0)),
        *([asked.gives("samples", image(1, 2, 3, 2, 1, 0, samples=2), several)] if batch else []),
        *([asked.gives("dilation", image(1, 3, 4, 2, 1, 0, 2), image(2, 6, 7, 3, 2, 1, 2))] if dilated else []),
        asked.keeps_inputs(several),
    )
    blank = skeleton(signature, f"A matrix with {SHAPES[shape].replace('**', '')}.")
    return Variant(statement, signature, properties, blank, tuple(mistakes(asked, right, dilated)))


TASK = Task(
    name="im2col",
    title="im2col, the matrix of all windows",
    minutes=20,
    topic="Convolution",
    level=2,
    variant=variant,
    why="With the windows in a matrix a convolution is one matrix product, and so are the gradients of weight and "
    "input. It stands or falls with the order of its axes: an interviewer looks whether you name the six axes "
    "before you reshape, and whether you know that a reshape never moves an element.",
    hints=(
        "Which six numbers name one tap of one window? In which order do they stand in the matrix?",
        "Make an array with six axes, by loops or by a view, transpose it into that order, and reshape it once.",
        "sliding_window_view over the two axes of the padded image, [..., ::stride, ::stride, ::dilation, ::dilation] "
        "with a window of dilation * (kernel_size - 1) + 1.",
    ),
    chapter="06",
)
