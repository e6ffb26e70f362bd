"""Our max and average pooling against what people write in NumPy today, and against scikit-image and SciPy.

    python benchmarks/alternatives.py

Each way is held to ours first, on the same input. Ratios above 1 mean that ours is faster; the naive loops are timed on
a small part of the input, and the time is scaled to all of it.
"""

import measure
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from course_lib import avg_pool, max_pool, set_threads

SHAPES = {"S2": ((32, 64, 56, 56), 2, 2, 0), "S3": ((16, 192, 28, 28), 3, 1, 1), "S4": ((8, 256, 13, 13), 3, 2, 0)}
# Samples and channels on which the naive loops are timed.
FEW = 1, 2


def padded(x, padding, value):
    """The input with a frame of one value."""
    return np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)), constant_values=value)


def naive_loops(x, kernel, stride, padding):
    """Four loops, and a maximum of a small array in the innermost."""
    x = padded(x, padding, -np.inf)
    rows, columns = ((size - kernel) // stride + 1 for size in x.shape[2:])
    y = np.empty((*x.shape[:2], rows, columns), x.dtype)
    for n, c, r, q in np.ndindex(y.shape):
        y[n, c, r, q] = x[n, c, r * stride : r * stride + kernel, q * stride : q * stride + kernel].max()
    return y


def im2col(x, kernel, stride, padding):
    """Columns of taps by fancy indexing, then a maximum along them."""
    x = padded(x, padding, -np.inf)
    rows, columns = ((size - kernel) // stride + 1 for size in x.shape[2:])
    r = np.repeat(np.arange(kernel), kernel)[:, None] + stride * np.repeat(np.arange(rows), columns)
    q = np.tile(np.arange(kernel), kernel)[:, None] + stride * np.tile(np.arange(columns), rows)
    return x[:, :, r, q].max(axis=2).reshape(*x.shape[:2], rows, columns)


def two_loops(x, kernel, stride, padding):
    """A loop over the windows of a plane, each a maximum over all samples and channels."""
    x = padded(x, padding, -np.inf)
    rows, columns = ((size - kernel) // stride + 1 for size in x.shape[2:])
    y = np.empty((*x.shape[:2], rows, columns), x.dtype)
    for r, q in np.ndindex(rows, columns):
        window = x[:, :, r * stride : r * stride + kernel, q * stride : q * stride + kernel]
        y[:, :, r, q] = window.max(axis=(2, 3))
    return y


def windows_max(x, kernel, stride, padding):
    """A view of all windows, and a maximum over their axes."""
    windows = sliding_window_view(padded(x, padding, -np.inf), (kernel, kernel), axis=(2, 3))
    return windows[:, :, ::stride, ::stride].max(axis=(-1, -2))


def windows_mean(x, kernel, stride, padding):
    """A view of all windows, and a mean over their axes."""
    windows = sliding_window_view(padded(x, padding, 0), (kernel, kernel), axis=(2, 3))
    return windows[:, :, ::stride, ::stride].mean(axis=(-1, -2))


def reshape_max(x, kernel, stride, padding):
    """Where windows tile the plane: axes of taps by reshaping."""
    samples, channels, rows, columns = x.shape
    return x.reshape(samples, channels, rows // kernel, kernel, columns // kernel, kernel).max(axis=(3, 5))


def block_reduce(x, kernel, stride, padding):
    """scikit-image, where windows tile the plane."""
    from skimage.measure import block_reduce

    return block_reduce(x, (1, 1, kernel, kernel), np.max)


def maximum_filter(x, kernel, stride, padding):
    """SciPy: the maximum around every element, of which the windows are a part."""
    from scipy.ndimage import maximum_filter

    around = maximum_filter(x, (1, 1, kernel, kernel), mode="constant", cval=-np.inf)
    start = kernel // 2 - padding
    rows, columns = ((size + 2 * padding - kernel) // stride + 1 for size in x.shape[2:])
    return around[:, :, start::stride, start::stride][:, :, :rows, :columns]


MAX = (two_loops, im2col, windows_max, reshape_max, block_reduce, maximum_filter)
TILES_ONLY = (reshape_max, block_reduce)


def ratio(way, ours, x, window):
    """How many times as fast as it ours is, or why that is not measured."""
    if way in TILES_ONLY and (window[0] != window[1] or window[2]):
        return "–"
    try:
        np.testing.assert_allclose(way(x, *window), ours(x, *window), rtol=1e-5, atol=1e-5)
    except ImportError:
        return "not installed"
    times = measure.in_turn(lambda: way(x, *window), lambda: ours(x, *window), x.nbytes, seconds=1)
    return f"{times.ratio:.1f}"


def loops_ratio(x, window):
    """The same for the naive loops, from a part of the input."""
    part = np.ascontiguousarray(x[: FEW[0], : FEW[1]])
    np.testing.assert_array_equal(naive_loops(part, *window), max_pool(part, *window))
    seconds = measure.seconds_of(lambda: naive_loops(part, *window)) * x.size / part.size
    ours = min(measure.seconds_of(lambda: max_pool(x, *window)) for _ in range(5))
    return f"{seconds / ours:.0f}"


def main():
    """Prints one table: a line for each way, a column for each shape."""
    set_threads(1)
    generator = np.random.default_rng(0)
    inputs = {name: generator.standard_normal(shape, dtype=np.float32) for name, (shape, *_) in SHAPES.items()}
    cells = {name: (inputs[name], SHAPES[name][1:]) for name in SHAPES}
    rows = [["max: four loops", *(loops_ratio(*cell) for cell in cells.values())]]
    rows += [[f"max: {way.__name__}", *(ratio(way, max_pool, *cell) for cell in cells.values())] for way in MAX]
    rows += [["average: windows_mean", *(ratio(windows_mean, avg_pool, *cell) for cell in cells.values())]]
    print(f"# Ours against other ways in Python\n\n{measure.machine()}\n")
    print("How many times as fast ours is, one thread, values only.\n")
    print("\n".join(measure.table(["", *SHAPES], rows)))


if __name__ == "__main__":
    main()
