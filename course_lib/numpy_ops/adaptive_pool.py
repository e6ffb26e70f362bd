"""Adaptive and global pooling: as many bins as are asked for, whatever the size of the input."""

from functools import reduce

import numpy as np

from course_lib import arguments, geometry
from course_lib.numpy_ops.avg_pool import avg_pool, avg_pool_backward
from course_lib.numpy_ops.layout import from_channels_first, to_channels_first
from course_lib.numpy_ops.max_pool import max_pool, max_pool_backward


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
    y, indices = to_channels_first(x, axis), plane_positions(first[2:])
    for position in range(len(outputs) + 1, 1, -1):
        y, indices = bin_winners(y, np.broadcast_to(indices, y.shape), position, outputs[position - 2])
    y = from_channels_first(y, axis)
    return (y, from_channels_first(indices, axis)) if return_indices else y


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
    for sample in range(len(x)):
        sums = x[sample].astype(np.float64)
        for position, (starts, stops) in enumerate(windows, start=1):
            sums = bin_sums(sums, position, starts, stops)
        y[sample] = sums / bin_sizes(windows)
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
    for sample in range(len(g)):
        shares = g[sample] / bin_sizes(windows)
        for position, (starts, stops) in enumerate(windows, start=1):
            shares = spread_bins(shares, position, starts, stops, first[position + 1])
        grad_input[sample] = shares
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


def plane_positions(sizes):
    """The flat position of every element of a plane, (1, 1, *sizes)."""
    return np.arange(int(np.prod(sizes))).reshape(1, 1, *sizes)


def bin_winners(values, places, axis, output):
    """Winners of the bins along one axis, and their places: tap by tap where bins are short, else bin by bin."""
    starts, stops = geometry.adaptive_windows(values.shape[axis], output)
    longest = int((stops - starts).max())
    if longest <= output:
        # A shorter bin reads its last element again: that changes neither a maximum nor its place.
        return tap_winners(values, places, axis, [np.minimum(starts + tap, stops - 1) for tap in range(longest)])
    slices = [(slice(None),) * axis + (slice(start, stop),) for start, stop in zip(starts, stops, strict=True)]
    winners = [slice_winner(values[part], places[part], axis) for part in slices]
    return tuple(np.stack(arrays, axis) for arrays in zip(*winners, strict=True))


def slice_winner(values, places, axis):
    """The winner along one axis, and its place: the first of equals, the last of NaNs."""
    number = values.argmax(axis)
    best = np.take_along_axis(values, np.expand_dims(number, axis), axis).squeeze(axis)
    if values.dtype.kind == "f" and np.isnan(best).any():
        # argmax finds the first NaN, and in reverse the last one.
        last = values.shape[axis] - 1 - np.isnan(np.flip(values, axis)).argmax(axis)
        number = np.where(np.isnan(best), last, number)
    return best, np.take_along_axis(places, np.expand_dims(number, axis), axis).squeeze(axis)


def tap_winners(values, places, axis, taps):
    """Winners of windows along one axis, and their places, for the positions that each tap reads in every window."""
    first, *others = taps
    best, winners = take(values, first, axis), take(places, first, axis)
    for positions in others:
        keep_winners(best, winners, take(values, positions, axis), take(places, positions, axis))
    return best, winners


def take(values, positions, axis):
    """The values at some positions along one axis."""
    return values.take(positions, axis) if positions.ndim == 1 else np.take_along_axis(values, positions, axis)


def keep_winners(best, indices, values, places):
    """Puts each value where it beats the best so far: a larger one, or a NaN, which also replaces an earlier NaN."""
    wins = values > best
    if values.dtype.kind == "f":
        wins |= np.isnan(values)
    np.copyto(best, values, where=wins)
    np.copyto(indices, places, where=wins)


def bin_sums(values, axis, starts, stops):
    """The sum of each bin along one axis."""
    return np.stack([values.take(range(a, b), axis).sum(axis) for a, b in zip(starts, stops, strict=True)], axis)


def spread_bins(shares, axis, starts, stops, size):
    """Adds each bin's share to each of its elements along one axis: the transpose of `bin_sums`."""
    moved = np.moveaxis(shares, axis, 0)
    spread = np.zeros((size, *moved.shape[1:]))
    for number, (start, stop) in enumerate(zip(starts, stops, strict=True)):
        spread[start:stop] += moved[number]
    return np.moveaxis(spread, 0, axis)


def bin_sizes(windows):
    """The number of elements of every bin, of the output's spatial shape."""
    return reduce(np.multiply.outer, [stops - starts for starts, stops in windows])
