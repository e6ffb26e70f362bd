"""The place in a window, and the index in the plane."""

from dataclasses import dataclass, replace

import numpy as np

from course_lib import arguments
from course_lib.exercises.misconceptions.windows import output_shape
from course_lib.interview.coding.asked import Asked, operation
from course_lib.interview.coding.draw import case, written
from course_lib.interview.coding.task import Task, Variant, skeleton
from course_lib.loops.windows import plane_position, taps

NAMES = {True: "flat_index", False: "window_offset"}
ORDERS = {True: "row by row", False: "column by column"}
SCOPES = {
    True: "An index counts the elements of the whole array (N, C, H, W)",
    False: "An index counts the elements of one plane (H, W)",
}
TAKES = {
    True: "`offset` holds for every window the place of a tap in it",
    False: "`index` holds for every window the index of one of its taps, or -1 for none",
}
RETURNS = {
    True: "Return the index of that tap, or -1 where it lies on padding.",
    False: "Return the place of that tap in its window, and -1 where there is none.",
}


def every_tap(by_rows, whole, kernel_size, stride, padding, input_shape):
    """The index of every tap, (N, C, rows, columns, taps), −1 on padding; by the loops."""
    axes = arguments.pool_axes(input_shape[2:], kernel_size, stride, padding, 1, False)
    outputs = output_shape(input_shape, kernel_size, stride, padding)
    found = np.empty((*outputs, kernel_size[0] * kernel_size[1]), np.int64)
    for sample, channel, *window in np.ndindex(outputs):
        plane = (sample * input_shape[1] + channel) * axes[0].size * axes[1].size * whole
        places = list(taps(axes, window))
        if not by_rows:
            places = [places[a * kernel_size[1] + b] for b in range(kernel_size[1]) for a in range(kernel_size[0])]
        real = (all(0 <= at < axis.size for at, axis in zip(place, axes, strict=True)) for place in places)
        index = (plane_position(axes, place) + plane for place in places)
        found[sample, channel, *window] = [at if lies else -1 for at, lies in zip(index, real, strict=True)]
    return found


def right(by_rows, whole, to_plane):
    """The results as they should be."""

    def compute(input_shape, kernel_size, stride, padding, **given):
        places = every_tap(by_rows, whole, kernel_size, stride, padding, input_shape)
        if to_plane:
            return {"result": np.take_along_axis(places, given["offset"][..., None], -1)[..., 0]}
        index = given["index"]
        return {"result": np.where(index < 0, -1, (places == index[..., None]).argmax(-1))}

    return compute


@dataclass(frozen=True)
class Formula:
    """The results by a formula, whose parts a mistake changes.

    Attributes
    ----------
    by_rows, whole, to_plane : bool
        As they are asked for.
    across : bool
        Whether lengths of rows and columns are exchanged in the plane.
    turned : bool
        Whether they are exchanged in the window.
    moves : bool
        Whether windows begin where they begin, and not at the corner.
    shift : int
        How often the padding is subtracted.
    marks : bool
        Whether taps on padding are −1.
    side_by_side : bool
        Whether windows lie at multiples of the kernel.
    """

    by_rows: bool
    whole: bool
    to_plane: bool
    across: bool = False
    turned: bool = False
    moves: bool = True
    shift: int = 1
    marks: bool = True
    side_by_side: bool = False

    def __call__(self, input_shape, kernel_size, stride, padding, **given):
        """The results."""
        (kh, kw), (height, width) = kernel_size, input_shape[2:]
        # What one step down is worth in the plane, and one line of the window in an offset.
        row = height if self.across else width
        line = (kw if self.by_rows else kh) if not self.turned else (kh if self.by_rows else kw)
        array = given["offset" if self.to_plane else "index"]
        sample, channel, i, j = np.indices(array.shape)
        steps = kernel_size if self.side_by_side else stride
        top, left = (
            at * step * self.moves - self.shift * pad for at, step, pad in zip((i, j), steps, padding, strict=True)
        )
        start = (sample * input_shape[1] + channel) * height * width * self.whole
        if self.to_plane:
            first, second = np.divmod(array, line)
            down, right = (top, left) + np.array((first, second) if self.by_rows else (second, first))
            real = (down >= 0) & (down < height) & (right >= 0) & (right < width)
            return {"result": np.where(real | (not self.marks), start + down * row + right, -1)}
        down, right = np.divmod(array - start, row)
        first, second = (down - top, right - left) if self.by_rows else (right - left, down - top)
        return {"result": np.where((array < 0) & self.marks, -1, first * line + second)}


def mistakes(asked, formula):
    """The mistakes: formulas with another part."""

    def mistake(name, sentence, *changes):
        return asked.mistake(name, "04", sentence, *(replace(formula, **change) for change in changes))

    order = ORDERS[formula.by_rows]
    return (
        mistake("index_row_length", "Row and column of the plane come from its width W, not from its height.",
                {"across": True}),
        mistake("index_window_side", f"A window that is counted {order} has lines of another length.",
                {"turned": True}),
        mistake("index_other_order", f"The window is counted {order}, and was read the other way.",
                {"by_rows": not formula.by_rows}),
        mistake("index_from_the_corner", "Where the window begins is left out.", {"moves": False},
                {"moves": False, "shift": 0}),
        mistake("index_padding", "The padding is not subtracted: positions count from the first real element.",
                {"shift": 0}, {"shift": 0, "marks": False}),
        mistake("index_not_marked", "What lies on padding has no index: it is marked with -1.", {"marks": False}),
        mistake("index_stride_is_k", "Windows begin at multiples of the stride, not of the kernel size.",
                {"side_by_side": True}),
        mistake("index_scope", f"{SCOPES[formula.whole]}.", {"whole": not formula.whole}),
    )  # fmt: skip


def variant(seed):
    """The direction, the order within a window and what an index counts are drawn."""
    rng = np.random.default_rng(seed)
    to_plane, by_rows, whole = rng.integers(2, size=3).astype(bool).tolist()
    rules = by_rows, whole, to_plane
    name, takes = NAMES[to_plane], "offset" if to_plane else "index"
    asked = Asked(name, operation("flat index", right(*rules)))
    signature = f"def {name}({takes}, kernel_size, stride, padding, input_shape):"
    statement = (
        f"{TAKES[to_plane]}; its shape is (N, C, rows, columns), the pooled one. Places in a window are counted "
        f"from 0, {ORDERS[by_rows]}. {SCOPES[whole]}, without padding, from 0 and row by row. `kernel_size`, `stride` "
        f"and `padding` are pairs (rows, columns), and `input_shape` is (N, C, H, W). {RETURNS[to_plane]}"
    )

    def call(input_shape, *geometry):
        places = every_tap(by_rows, whole, *geometry, input_shape)
        offset = rng.integers(places.shape[-1], size=places.shape[:-1])
        index = np.take_along_axis(places, offset[..., None], -1)[..., 0]
        sizes = dict(zip(("kernel_size", "stride", "padding"), geometry, strict=True))
        return case(**{takes: written(offset if to_plane else index)}, **sizes, input_shape=input_shape)

    none = 0, 0
    properties = (
        asked.gives("one window", call((1, 1, 2, 3), (2, 3), (2, 3), none), call((1, 1, 3, 2), (3, 2), (1, 1), none)),
        asked.gives("windows side by side", call((1, 1, 4, 6), (2, 2), (2, 2), none),
                    call((1, 1, 6, 4), (3, 2), (3, 2), none)),
        asked.gives("overlap", call((1, 1, 4, 5), (3, 2), (1, 1), none), call((1, 1, 3, 6), (2, 3), (1, 2), none)),
        asked.gives("borders", call((1, 1, 4, 4), (2, 2), (2, 2), (1, 1)), call((1, 1, 5, 6), (3, 2), (2, 2), (1, 1)),
                    call((1, 1, 3, 5), (2, 4), (1, 1), (1, 2))),
        asked.gives("batch and channels", call((2, 3, 3, 4), (2, 2), (1, 2), (0, 1))),
        asked.keeps_inputs(call((1, 2, 4, 5), (3, 2), (1, 1), (1, 1))),
    )  # fmt: skip
    blank = skeleton(signature, f"The {'index' if to_plane else 'place'} of each window's tap, -1 where it has none.")
    return Variant(statement, signature, properties, blank, mistakes(asked, Formula(*rules)))


TASK = Task(
    name="flat-index",
    title="From the place in a window to the index in the plane, or back",
    minutes=8,
    topic="Where the gradient goes",
    level=1,
    variant=variant,
    why="Two divmods and one start: the place splits by the window's line, the window begins at i * stride - padding, "
    "and the plane's row length is W. A rectangular window in a rectangular plane shows at once which of these was "
    "mixed up, and a tap on padding must not be taken for an element of another row.",
    hints=(
        "Where does window (i, j) begin in the input? Which row and column does its tap (a, b) have?",
        "Split the one number into row and column, add or subtract where the window begins, and join the two again. "
        "Each of the two numbers has a line length of its own.",
        "a, b = divmod(offset, kw); row = i * sh - ph + a; column = j * sw - pw + b; index = row * W + column.",
    ),
    chapter="04",
)
