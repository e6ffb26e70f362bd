"""Wrong steps between the windows and the input: where they lie, where their gradients go, and what becomes of them."""

import numpy as np

from course_lib.exercises.misconceptions.pooling import without_padding
from course_lib.geometry import output_size

# The axes in the order in which the windows, or their taps, are visited.
BY_WINDOW = (0, 1, 2, 3, 4, 5)
BY_COLUMN = (0, 1, 3, 2, 4, 5)
BY_TAP = (4, 5, 0, 1, 2, 3)


def assign_winners(order):
    """What is sent to an element replaces what it had."""

    def collect(gradient, index, sent, shares):
        # In an assignment with repeated indices NumPy keeps the last value.
        chosen = np.transpose(shares != 0, order)
        gradient[np.transpose(index, order)[chosen]] = np.transpose(sent, order)[chosen]

    return collect


def assign_windows(order):
    """What is sent to a window replaces what its elements had, zeros included."""

    def collect(gradient, index, sent, shares):
        gradient[np.transpose(index, order)] = np.transpose(sent, order)

    return collect


WINNERS_BY_WINDOW, WINDOWS_BY_WINDOW = assign_winners(BY_WINDOW), assign_windows(BY_WINDOW)


def race(gradient, index, sent, shares):
    """Two workers add at once: both read an element before either writes, and one of the two sums is lost."""
    index, sent = index.reshape(-1, index[0, 0, 0, 0].size), sent.reshape(-1, index[0, 0, 0, 0].size)
    for first in range(0, len(index), 2):
        before = gradient.copy()
        for window in range(first, min(first + 2, len(index))):
            changed = sent[window] != 0
            gradient[index[window][changed]] = before[index[window][changed]] + sent[window][changed]


def square(use_kernel, use_stride, use_padding):
    """The first number of a pair stands for both."""

    def sizes(kernel, stride, padding):
        given = ((kernel, use_kernel), (stride, use_stride), (padding, use_padding))
        return tuple((value[0], value[0]) if used else value for value, used in given)

    return sizes


def stride_is_kernel(kernel, stride, padding):
    """The windows lie side by side, whatever the stride."""
    return kernel, kernel, padding


def lay_side_by_side(geometry):
    """As many windows as there should be, one after another."""
    return geometry._replace(stride=geometry.kernel)


def lay_square(use_kernel, use_stride):
    """As many windows as there should be, each as wide as it is high, or each as far to the right as down."""

    def lay(geometry):
        kernel, stride, _ = square(use_kernel, use_stride, False)(geometry.kernel, geometry.stride, geometry.padding)
        return geometry._replace(kernel=kernel, stride=stride)

    return lay


def lay_two_by_two(geometry):
    """Windows of two rows and two columns."""
    return geometry._replace(kernel=(2, 2))


def count_without_padding(size, kernel, stride, padding, ceil_mode):
    """The number of windows as if nothing were padded."""
    return output_size(size, kernel, stride, 0, 0)


def count_with_padding_once(size, kernel, stride, padding, ceil_mode):
    """The number of windows as if one side alone were padded."""
    return output_size(size, kernel, stride, padding, 0, ceil_mode=ceil_mode)


def count_one_too_few(size, kernel, stride, padding, ceil_mode):
    """The number of steps, which is one less than the number of windows."""
    return (size + 2 * padding - kernel) // stride


def count_by_division(size, kernel, stride, padding, ceil_mode):
    """How often the stride goes into the axis."""
    return (size + 2 * padding) // stride


def count_up(size, kernel, stride, padding, ceil_mode):
    """The number of windows, rounded up."""
    return -(-(size + 2 * padding - kernel) // stride) + 1


def count_down(size, kernel, stride, padding, ceil_mode):
    """The number of windows, rounded down."""
    return output_size(size, kernel, stride, padding, padding)


def to_sample_0(where, geometry):
    """Every sample's gradient goes to the first one."""
    return where._replace(sample=np.zeros_like(where.sample))


def to_channel_0(where, geometry):
    """Every channel's gradient goes to the first one."""
    return where._replace(channel=np.zeros_like(where.channel))


def from_the_corner(where, geometry):
    """The window's own offset, without its start."""
    kernel_row, kernel_column = np.ogrid[: geometry.kernel[0], : geometry.kernel[1]]
    return where._replace(row=kernel_row, column=kernel_column)


def from_the_padded_corner(where, geometry):
    """The window's own offset, without its start, in the padded input."""
    inner = from_the_corner(where, geometry)
    return inner._replace(row=inner.row - geometry.padding[0], column=inner.column - geometry.padding[1])


def side_by_side(where, geometry):
    """The places that windows side by side would have."""
    rows, columns = lay_side_by_side(geometry).taps()
    return where._replace(row=rows, column=columns)


def recoded(encode, decode):
    """A flat index that is made with one row length and read with another; both come from the height and the width."""

    def place(where, geometry):
        height, width = geometry.shape[2:]
        index = where.row * encode(height, width) + where.column
        row, column = np.divmod(index, decode(height, width))
        return where._replace(row=row, column=column)

    return place


def recoded_in_window(where, geometry):
    """The flat index in a window, read with its number of rows."""
    kh, kw = geometry.kernel
    row, column = np.divmod(np.arange(kh * kw).reshape(kh, kw), kh)
    return where._replace(
        row=where.row - np.arange(kh)[:, None] + row,
        column=where.column - np.arange(kw) + column,
    )


def padded_index(where, geometry):
    """The flat index in the padded plane, read in the plane itself."""
    (ph, pw), (_, _, _, width) = geometry.padding, geometry.padded
    row, column = np.divmod((where.row + ph) * width + where.column + pw, geometry.shape[3])
    return where._replace(row=row, column=column)


def index_in_8_bits(where, geometry):
    """The flat index in the plane, as far as a byte holds it."""
    row, column = np.divmod((where.row * geometry.shape[3] + where.column) % 256, geometry.shape[3])
    return where._replace(row=row, column=column)


def not_cropped(gradient, geometry):
    """The gradient of the padded input."""
    return gradient


def cropped_from_the_corner(gradient, geometry):
    """As much as the input has, from the first padded element on."""
    return gradient[:, :, : geometry.shape[2], : geometry.shape[3]]


def cropped_to_minus(gradient, geometry):
    """From p to −p, which is from 0 to 0 without padding."""
    ph, pw = geometry.padding
    return gradient[:, :, ph:-ph, pw:-pw]


def cropped_to_windows(gradient, geometry):
    """As far as the windows reach, and no further."""
    ends = (int(geometry.positions(axis).max()) + geometry.padding[axis] + 1 for axis in (0, 1))
    rows, columns = ends
    return without_padding(gradient[:, :, :rows, :columns], geometry)


def transposed(gradient, x, geometry):
    """Rows and columns exchanged."""
    return np.swapaxes(gradient, 2, 3)


def in_the_type_of_x(gradient, x, geometry):
    """The gradient in the type of the input."""
    return gradient.astype(x.dtype)


def over_coverage(gradient, given, geometry):
    """Divided by the number of windows that hold each element."""
    rows, columns = (_coverage(geometry, axis) for axis in (0, 1))
    return gradient / np.maximum(np.outer(rows, columns), 1)


def _coverage(geometry, axis):
    """How many windows hold each element of an axis."""
    positions = geometry.positions(axis)
    real = (positions >= 0) & (positions < geometry.shape[2 + axis])
    return np.bincount(positions[real], minlength=geometry.shape[2 + axis])


def twice(gradient):
    """The second call adds to what the first one left."""
    return 2 * gradient


def reshaped_last(x, grad_output):
    """The memory of (N, C, H, W) read as if it were (N, H, W, C)."""
    return _reshaped_last(x), _reshaped_last(grad_output)


def _reshaped_last(array):
    """An array (N, C, H, W), reshaped to (N, H, W, C), with its last axis put second."""
    samples, channels, height, width = array.shape
    return np.moveaxis(array.reshape(samples, height, width, channels), -1, 1)


def reshaped_back(result, shape):
    """The memory of (N, H, W, C) written back as if it were (N, C, H, W)."""
    return np.moveaxis(result, 1, -1).reshape(shape)


def moved_last(x, grad_output):
    """The axes (N, C, H, W) taken for (N, H, W, C)."""
    return np.moveaxis(x, -1, 1), np.moveaxis(grad_output, -1, 1)


def moved_back(result, shape):
    """The axes put back."""
    return np.moveaxis(result, 1, -1)


def misordered(axes):
    """The upstream gradient is taken in another order of axes, by a reshape."""

    def enter(x, grad_output):
        sizes = tuple(grad_output.shape[axis] for axis in axes)
        return x, np.transpose(grad_output.reshape(sizes), np.argsort(axes))

    return enter


def misordered_outputs(axes, pool):
    """The outputs are put in another order of axes and reshaped, where they should be transposed."""
    return lambda windows: np.transpose(pool(windows), axes).reshape(windows.values.shape[:4])
