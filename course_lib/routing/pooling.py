"""Routes of pooling: to the winner, or to all elements of a window."""

import numpy as np

from course_lib import arguments, geometry
from course_lib.routing.routes import even_routes, routes_of
from course_lib.routing.taps import window_taps
from course_lib.routing.tensors import as_array

TIES = ("first", "last", "split")


def max_routes(x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, *, ties="first",
               channel_axis=1):  # fmt: skip
    """Routes of max pooling: every window sends its whole upstream gradient to its winner.

    Parameters
    ----------
    x : ndarray or Tensor (N, C, *spatial)
    kernel_size, stride, padding, dilation, ceil_mode, channel_axis
        As in `course_lib.max_pool`.
    ties : "first", "last" or "split"
        Which of equal maxima gets the gradient: the first or the last in row-major order, or each an equal share.

    Returns
    -------
    Routes
        The weights of one window sum to 1 under every rule; a window without a real tap has no route. A window with a
        NaN sends everything to its last NaN under every rule.

    Examples
    --------
    >>> x = np.array([[4., 4.], [3., 2.]])[None, None]
    >>> for ties in ("first", "last", "split"):
    ...     print(max_routes(x, 2, ties=ties).backward(np.array([[[[6.]]]])).ravel())
    [6. 0. 0. 0.]
    [0. 6. 0. 0.]
    [3. 3. 0. 0.]
    """
    x = arguments.array("x", as_array(x), arguments.FLOATS + arguments.INTEGERS)
    arguments.choice("ties", ties, TIES)
    axis, first = arguments.image_batch("x", x.shape, channel_axis, arguments.rank_of(kernel_size, stride, dilation))
    axes = arguments.pool_axes(first[2:], kernel_size, stride, padding, dilation, ceil_mode)
    positions, real = window_taps(axes)
    values = np.moveaxis(x, axis, 1).reshape(first[0] * first[1], -1)[:, positions]
    share = shares(winners(values, real), ties)
    plane, window, tap = np.nonzero(share)
    ends = positions[window, tap]
    outputs = arguments.output_shape(first, axes, axis)
    return routes_of(plane, window, ends, share[plane, window, tap], x.shape, outputs, axis)


def avg_routes(x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, *, count_include_pad=True,
               divisor_override=None, channel_axis=1):  # fmt: skip
    """Routes of average pooling: every window sends an equal share to each of its elements.

    Parameters
    ----------
    x : ndarray or Tensor (N, C, *spatial), or its full shape
        An average routes by shape alone: the values play no part.
    kernel_size, stride, padding, dilation, ceil_mode, count_include_pad, divisor_override, channel_axis
        As in `course_lib.avg_pool`.

    Returns
    -------
    Routes
        A share that falls on padding is on no route, so the weights of such a window may sum to less than 1.
    """
    shape, axis, first = arguments.shape_argument("x", getattr(x, "shape", x), channel_axis)
    axes = arguments.pool_axes(first[2:], kernel_size, stride, padding, dilation, ceil_mode)
    divisors = geometry.divisors(
        axes, arguments.flag("count_include_pad", count_include_pad), arguments.divisor(divisor_override)
    )
    outputs = arguments.output_shape(first, axes, axis)
    return even_routes(*window_taps(axes), 1 / divisors.ravel(), shape, outputs, axis)


def lp_routes(x, norm_type, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, *, channel_axis=1):
    """Routes of lp pooling: an element's share of the upstream gradient is sign(x) · (|x| / y)ᵖ⁻¹.

    Parameters
    ----------
    x : ndarray or Tensor (N, C, *spatial)
    norm_type, kernel_size, stride, padding, dilation, ceil_mode, channel_axis
        As in `course_lib.lp_pool`.

    Returns
    -------
    Routes
        An element that is 0 is on no route: its gradient is 0.

    Examples
    --------
    >>> lp_routes(np.array([[[3., -4.]]]), 2, 2).weight
    array([ 0.6, -0.8])
    """
    power = arguments.norm_order(norm_type)
    x = arguments.array("x", as_array(x), arguments.FLOATS)
    axis, first = arguments.image_batch("x", x.shape, channel_axis, arguments.rank_of(kernel_size, stride, dilation))
    axes = arguments.pool_axes(first[2:], kernel_size, stride, padding, dilation, ceil_mode)
    positions, real = window_taps(axes)
    values = np.moveaxis(x, axis, 1).reshape(first[0] * first[1], -1)[:, positions].astype(np.float64)
    values = np.where(real, values, 0)
    plane, window, tap = np.nonzero(values)
    shares = norm_slopes(values, power)[plane, window, tap]
    return routes_of(
        plane, window, positions[window, tap], shares, x.shape, arguments.output_shape(first, axes, axis), axis
    )


def winners(values, real):
    """Which taps of each window are its maximum; the last NaN alone, where there is one. (planes, windows, taps)"""
    lowest = -np.inf if values.dtype.kind == "f" else np.iinfo(values.dtype).min
    masked = np.where(real, values, lowest)
    nan = np.isnan(masked) if values.dtype.kind == "f" else np.zeros(masked.shape, bool)
    best = np.where(nan, lowest, masked).max(axis=-1, keepdims=True)
    has_nan = nan.any(axis=-1, keepdims=True)
    return np.where(has_nan, last(nan), real & (masked == best))


def shares(winners, ties):
    """The share of each tap under a tie rule; every window with a winner sums to 1."""
    if ties == "first":
        return last(winners[..., ::-1])[..., ::-1].astype(np.float64)
    if ties == "last":
        return last(winners).astype(np.float64)
    return winners / np.maximum(winners.sum(axis=-1, keepdims=True), 1)


def last(marks):
    """Keeps the last mark of each row."""
    return marks & (np.cumsum(marks[..., ::-1], axis=-1)[..., ::-1] == 1)


def norm_slopes(values, power):
    """The slope of each window's p-norm in each of its taps (planes, windows, taps); 0 in an element that is 0."""
    with np.errstate(all="ignore"):
        sizes = np.abs(values)
        largest = sizes.max(axis=-1, keepdims=True)
        # Divided by the largest first, so that no power overflows.
        ratios = sizes / largest
        norms = (ratios**power).sum(axis=-1, keepdims=True) ** (1 / power)
        return np.where(values == 0, 0, np.sign(values) * (ratios / norms) ** (power - 1))
