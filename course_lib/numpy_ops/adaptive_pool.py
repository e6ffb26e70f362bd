"""Adaptive and global pooling: as many bins as are asked for, whatever the size of the input."""

from functools import reduce

import numpy as np

from course_lib import arguments, geometry
from course_lib.numpy_ops.avg_pool import avg_pool, avg_pool_backward
from course_lib.numpy_ops.layout import from_channels_first, to_channels_first
from course_lib.numpy_ops.max_pool import max_pool, max_pool_backward
from course_lib.numpy_ops.scattered_windows import channels_back, channels_last, plane_positions, tap_winners


def adaptive_max_pool(x, output_size, *, return_indices=False, channel_axis=1):
    """The largest element of each bin.

    Parameters
    ----------
    x : ndarray (N, C, *spatial)
        One to three spatial axes; float16, float32, float64 or an integer type.
    output_size : int or one entry an axis
        Bins along each axis, at least 1. None keeps the size of its axis.
    return_indices : bool
        Whether to return the winners' positions too.
    channel_axis : int
        Where the channels stand; −1 for NHWC.

    Returns
    -------
    y : ndarray (N, C, *output_size)
        In the dtype of ``x``.
    indices : ndarray (N, C, *output_size), int64
        Only with ``return_indices``: the winner's flat position in the plane of its sample and channel.

    Raises
    ------
    ValueError
        If a shape or a number does not fit: the message names the argument and its value.
    TypeError
        If an argument has the wrong type.

    See Also
    --------
    adaptive_max_pool_backward, max_pool

    Notes
    -----
    Bin ``i`` of ``o`` over ``n`` elements runs from ``floor(i n / o)`` up to ``ceil((i + 1) n / o)``, as in PyTorch
    2.13. Bins overlap where ``o`` does not divide ``n``. Ties and NaN as in `max_pool`.

    Examples
    --------
    The bins hold elements 0 and 1, 1 to 3, and 3 and 4.

    >>> adaptive_max_pool(np.array([[[1., 5., 3., 2., 4.]]]), 3)
    array([[[5., 5., 4.]]])
    """
    x = arguments.array("x", x, arguments.FLOATS + arguments.INTEGERS)
    axis, first, outputs = bins(x, output_size, channel_axis)
    arguments.flag("return_indices", return_indices)
    if sizes := equal_bins(first[2:], outputs):
        return max_pool(x, sizes, return_indices=return_indices, channel_axis=channel_axis)
    x = to_channels_first(x, axis)
    windows = [geometry.adaptive_windows(n, o) for n, o in zip(first[2:], outputs, strict=True)]
    y = np.empty((*first[:2], *outputs), x.dtype)
    if not return_indices:
        for sample, values in enumerate(x):
            y[sample] = channels_back(bin_maxima(channels_last(values), windows))
        return from_channels_first(y, axis)
    indices = np.empty(y.shape, np.int64)
    for sample, values in enumerate(x):
        y[sample], indices[sample] = map(channels_back, bin_winners(channels_last(values), windows))
    return from_channels_first(y, axis), from_channels_first(indices, axis)


def adaptive_max_pool_backward(grad_output, indices, input_shape, *, channel_axis=1):
    """Adds each upstream gradient at the winner of its bin.

    Parameters
    ----------
    grad_output : ndarray (N, C, *output_size)
        Upstream gradient, float16, float32 or float64.
    indices : ndarray (N, C, *output_size), int64
        As `adaptive_max_pool` returns them. −1 sends its gradient nowhere.
    input_shape : tuple of int
        Full shape of the input, batch and channels included.
    channel_axis : int
        Where the channels stand, in all three.

    Returns
    -------
    ndarray of shape ``input_shape``, in the gradient's dtype.

    Raises
    ------
    ValueError, TypeError
        As `max_pool_backward`.

    See Also
    --------
    adaptive_max_pool

    Examples
    --------
    >>> adaptive_max_pool_backward(np.array([[[1., 2., 4.]]]), np.array([[[1, 1, 4]]]), (1, 1, 5))
    array([[[0., 3., 0., 0., 4.]]])
    """
    return max_pool_backward(grad_output, indices, input_shape, channel_axis=channel_axis)


def adaptive_avg_pool(x, output_size, *, channel_axis=1):
    """The mean of each bin.

    Parameters
    ----------
    x : ndarray (N, C, *spatial)
        One to three spatial axes; float16, float32 or float64.
    output_size, channel_axis
        As in `adaptive_max_pool`.

    Returns
    -------
    ndarray (N, C, *output_size), in the dtype of ``x``.

    Raises
    ------
    ValueError, TypeError
        As `adaptive_max_pool`; averages of integers are refused.

    See Also
    --------
    adaptive_avg_pool_backward, avg_pool

    Notes
    -----
    Each bin is divided by its own number of elements. Sums are kept in float64, also those of half precision, which
    PyTorch 2.13 sums in float16 over three spatial axes.

    Examples
    --------
    >>> adaptive_avg_pool(np.array([[[1., 2., 3., 4., 5.]]]), 3)
    array([[[1.5, 3. , 4.5]]])
    """
    x = arguments.array("x", x, arguments.FLOATS)
    axis, first, outputs = bins(x, output_size, channel_axis)
    if sizes := equal_bins(first[2:], outputs):
        return avg_pool(x, sizes, channel_axis=channel_axis)
    x = to_channels_first(x, axis)
    y = np.empty((*first[:2], *outputs), x.dtype)
    windows = [geometry.adaptive_windows(n, o) for n, o in zip(first[2:], outputs, strict=True)]
    with np.errstate(all="ignore"):
        for sample, values in enumerate(x):
            sums = reduce_bins(np.add, channels_last(values, np.float64), windows)
            y[sample] = channels_back(sums) / bin_sizes(windows)
    return from_channels_first(y, axis)


def adaptive_avg_pool_backward(grad_output, input_shape, *, channel_axis=1):
    """Gives each element of a bin its share of the bin's upstream gradient, and adds the shares.

    Parameters
    ----------
    grad_output : ndarray (N, C, *output_size)
        Upstream gradient, float16, float32 or float64.
    input_shape : tuple of int
        Full shape of the input, batch and channels included.
    channel_axis : int
        Where the channels stand, in both.

    Returns
    -------
    ndarray of shape ``input_shape``, in the gradient's dtype.

    Raises
    ------
    ValueError, TypeError
        As `adaptive_avg_pool`, and if ``grad_output`` has not the samples and channels of ``input_shape``.

    See Also
    --------
    adaptive_avg_pool

    Examples
    --------
    Elements 1 and 3 lie in two bins each.

    >>> adaptive_avg_pool_backward(np.array([[[6., 6., 6.]]]), (1, 1, 5))
    array([[[3., 5., 2., 5., 3.]]])
    """
    grad_output = arguments.array("grad_output", grad_output, arguments.FLOATS)
    shape, axis, first = arguments.shape_argument("input_shape", input_shape, channel_axis, grad_output.ndim - 2)
    arguments.not_empty("grad_output", grad_output.shape, arguments.channels_first(grad_output.shape, axis)[1])
    arguments.same_batch(grad_output.shape, shape, axis)
    g = to_channels_first(grad_output, axis)
    if sizes := equal_bins(first[2:], g.shape[2:]):
        return avg_pool_backward(grad_output, shape, sizes, channel_axis=axis)
    grad_input = np.empty(first, g.dtype)
    windows = [geometry.adaptive_windows(n, o) for n, o in zip(first[2:], g.shape[2:], strict=True)]
    with np.errstate(all="ignore"):
        for sample, gradients in enumerate(g):
            shares = channels_last(gradients / bin_sizes(windows), np.float64)
            grad_input[sample] = channels_back(spread_bins(shares, windows, first[2:]))
    return from_channels_first(grad_input, axis)


def global_max_pool(x, *, return_indices=False, channel_axis=1):
    """The largest element of each plane: `adaptive_max_pool` with one bin.

    Examples
    --------
    >>> global_max_pool(np.array([[[1., 5., 2.]]]))
    array([[[5.]]])
    """
    return adaptive_max_pool(x, 1, return_indices=return_indices, channel_axis=channel_axis)


def global_avg_pool(x, *, channel_axis=1):
    """The mean of each plane: `adaptive_avg_pool` with one bin.

    Examples
    --------
    >>> global_avg_pool(np.array([[[1., 5., 3.]]]))
    array([[[3.]]])
    """
    return adaptive_avg_pool(x, 1, channel_axis=channel_axis)


def bins(x, output_size, channel_axis):
    """The channel axis counted from the front, the input's shape as (N, C, *spatial), and the bins along each axis."""
    rank = arguments.rank_of(output_size)
    axis, first = arguments.image_batch("x", x.shape, channel_axis, rank)
    return axis, first, arguments.bin_counts(output_size, first[2:])


def equal_bins(sizes, outputs):
    """The length of the bins along each axis, if they neither overlap nor differ: they are then a sliding window."""
    equal = all(n % o == 0 for n, o in zip(sizes, outputs, strict=True))
    return tuple(n // o for n, o in zip(sizes, outputs, strict=True)) if equal else None


def bin_maxima(values, windows):
    """The largest element of each bin of (*spatial, C)."""
    best = reduce_bins(np.maximum, values, windows)
    # Of 0 and -0, which are equal, np.maximum takes either: the first has to stay.
    if not best.all() and (np.signbit(values) & (values == 0)).any():
        return bin_winners(values, windows)[0]
    return best


def reduce_bins(operation, values, windows):
    """The elements of each bin of (*spatial, C), combined along one axis after another."""
    for axis, (starts, stops) in enumerate(windows):
        bins = [values[(slice(None),) * axis + (slice(a, b),)] for a, b in zip(starts, stops, strict=True)]
        values = np.stack([operation.reduce(part, axis) for part in bins], axis)
    return values


def spread_bins(shares, windows, sizes):
    """Adds each bin's share to each of its elements, along one axis after another: the transpose of adding them."""
    for axis, (starts, stops) in enumerate(windows):
        spread = np.zeros((*shares.shape[:axis], sizes[axis], *shares.shape[axis + 1 :]))
        before = (slice(None),) * axis
        for number, (start, stop) in enumerate(zip(starts, stops, strict=True)):
            spread[(*before, slice(start, stop))] += shares[(*before, slice(number, number + 1))]
        shares = spread
    return shares


def bin_winners(values, windows):
    """The winners of the bins of (*spatial, C) and their places in the plane, along one axis after another."""
    places = plane_positions(values.shape[:-1])
    for axis in reversed(range(len(windows))):
        values, places = axis_winners(values, places, axis, *windows[axis])
    return values, places


def axis_winners(values, places, axis, starts, stops):
    """The winners of the bins along one axis, and their places: tap by tap where bins are short, else bin by bin."""
    longest = int((stops - starts).max())
    if longest <= len(starts):
        # A shorter bin reads its last element again: that changes neither a maximum nor its place.
        return tap_winners(values, places, axis, [np.minimum(starts + tap, stops - 1) for tap in range(longest)])
    slices = [(slice(None),) * axis + (slice(start, stop),) for start, stop in zip(starts, stops, strict=True)]
    winners = [slice_winner(values[part], places[part], axis) for part in slices]
    return tuple(np.stack(arrays, axis) for arrays in zip(*winners, strict=True))


def slice_winner(values, places, axis):
    """The winner along one axis, and its place: the first of equals, the last of NaNs."""
    number = values.argmax(axis, keepdims=True)
    best = np.take_along_axis(values, number, axis)
    if values.dtype.kind == "f" and np.isnan(best).any():
        # argmax finds the first NaN, and in reverse the last one.
        last = values.shape[axis] - 1 - np.isnan(np.flip(values, axis)).argmax(axis, keepdims=True)
        number = np.where(np.isnan(best), last, number)
    winners = np.take_along_axis(np.broadcast_to(places, values.shape), number, axis)
    return best.squeeze(axis), winners.squeeze(axis)


def bin_sizes(windows):
    """The number of elements of every bin, of the output's spatial shape."""
    return reduce(np.multiply.outer, [stops - starts for starts, stops in windows])
