"""Which output feeds which input, with what weight: routes, coverage and density of a gradient."""

import math
from dataclasses import dataclass

import numpy as np

from course_lib import arguments, geometry

TIES = ("first", "last", "split")


@dataclass(frozen=True)
class Routes:
    """The paths of a gradient from the elements of an output to the elements of an input.

    Attributes
    ----------
    output_index, input_index : ndarray (routes,), int64
        Flat positions in the whole output and in the whole input, batch and channels included.
    weight : ndarray (routes,), float64
        What share of the output's upstream gradient takes this path: an entry of the local Jacobian.
    shape_in, shape_out : tuple of int
        Full shapes.
    """

    output_index: np.ndarray
    input_index: np.ndarray
    weight: np.ndarray
    shape_in: tuple
    shape_out: tuple

    def __repr__(self):
        return f"Routes({len(self.weight)} paths, {self.shape_out} -> {self.shape_in})"

    @classmethod
    def from_indices(cls, indices, input_shape, *, channel_axis=1):
        """Routes of a maximum: each output feeds the element that its index names, with weight 1.

        Parameters
        ----------
        indices : ndarray (N, C, *output), int64
            Flat positions in the plane of each sample and channel; −1 feeds nothing.
        input_shape : tuple of int
            Full shape of the input.
        """
        arguments.index_array(indices, np.shape(indices), "the output")
        shape, axis, first = arguments.shape_argument("input_shape", input_shape, channel_axis, indices.ndim - 2)
        arguments.same_batch(indices.shape, shape, axis)
        size = math.prod(first[2:])
        arguments.index_range(indices, size)
        planes = np.moveaxis(indices, axis, 1).reshape(first[0] * first[1], -1)
        plane, window = np.nonzero(planes >= 0)
        return _routes(plane, window, planes[plane, window], 1.0, shape, indices.shape, axis)

    @classmethod
    def from_windows(cls, starts, stops, shape, *, channel_axis=1):
        """Routes of an average over windows with given bounds, as in adaptive pooling.

        Parameters
        ----------
        starts, stops : one int array an axis, (output,)
            Each window holds the elements from ``start`` up to, not including, ``stop``; each gets an equal share.
        shape : tuple of int
            Full shape of the input.

        Examples
        --------
        >>> routes = Routes.from_windows([[0, 1]], [[2, 3]], (1, 1, 3))
        >>> routes.backward(np.array([[[2., 4.]]]))
        array([[[1., 3., 2.]]])
        """
        shape, axis, first = arguments.shape_argument("shape", shape, channel_axis, len(starts))
        tables = [_bounded_taps(start, stop) for start, stop in zip(starts, stops, strict=True)]
        positions, real = _plane_taps(first[2:], tables)
        outputs = arguments.output_shape(first, [_Outputs(len(start)) for start in starts], axis)
        return _even_routes(positions, real, 1 / np.maximum(real.sum(axis=1), 1), shape, outputs, axis)

    def backward(self, grad_output):
        """The gradient of the input: each output's upstream gradient times the weight, added where the path ends.

        Parameters
        ----------
        grad_output : ndarray of shape ``shape_out``

        Returns
        -------
        ndarray of shape ``shape_in``, in the gradient's dtype.
        """
        grad_output = arguments.array("grad_output", grad_output, arguments.FLOATS)
        arguments.gradient_shape(grad_output.shape, self.shape_out)
        shares = self.weight * grad_output.ravel()[self.output_index]
        grad_input = np.bincount(self.input_index, shares, minlength=math.prod(self.shape_in))
        return grad_input.reshape(self.shape_in).astype(grad_output.dtype)

    def jacobian(self):
        """The local Jacobian as a sparse array (outputs, inputs): how much each output follows each input."""
        from scipy import sparse

        size = (math.prod(self.shape_out), math.prod(self.shape_in))
        return sparse.csr_array((self.weight, (self.output_index, self.input_index)), shape=size)


@dataclass(frozen=True)
class _Outputs:
    """An axis of which only the number of windows is known."""

    output: int


def coverage(input_size, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    """How many windows hold each input element.

    Parameters
    ----------
    input_size : int or tuple of int
        Spatial size of the input.
    kernel_size, stride, padding, dilation, ceil_mode
        As in `course_lib.max_pool`.

    Returns
    -------
    ndarray of shape ``input_size``, int64

    Examples
    --------
    The centre of 5×5 lies in four windows of 3×3 with stride 2.

    >>> coverage((5, 5), 3, stride=2)
    array([[1, 1, 2, 1, 1],
           [1, 1, 2, 1, 1],
           [2, 2, 4, 2, 2],
           [1, 1, 2, 1, 1],
           [1, 1, 2, 1, 1]])
    """
    rank = arguments.rank_of(input_size) or 1
    sizes = arguments.per_axis("input_size", input_size, rank, 1)
    return geometry.coverage(arguments.pool_axes(sizes, kernel_size, stride, padding, dilation, ceil_mode))


def max_routes(x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, *, ties="first",
               channel_axis=1):  # fmt: skip
    """Routes of max pooling: every window sends its whole upstream gradient to its winner.

    Parameters
    ----------
    x : ndarray (N, C, *spatial)
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
    x = arguments.array("x", x, arguments.FLOATS + arguments.INTEGERS)
    arguments.choice("ties", ties, TIES)
    axis, first = arguments.image_batch("x", x.shape, channel_axis, arguments.rank_of(kernel_size, stride, dilation))
    axes = arguments.pool_axes(first[2:], kernel_size, stride, padding, dilation, ceil_mode)
    positions, real = _window_taps(axes)
    values = np.moveaxis(x, axis, 1).reshape(first[0] * first[1], -1)[:, positions]
    share = _shares(_winners(values, real), ties)
    plane, window, tap = np.nonzero(share)
    ends = positions[window, tap]
    outputs = arguments.output_shape(first, axes, axis)
    return _routes(plane, window, ends, share[plane, window, tap], x.shape, outputs, axis)


def avg_routes(x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, *, count_include_pad=True,
               divisor_override=None, channel_axis=1):  # fmt: skip
    """Routes of average pooling: every window sends an equal share to each of its elements.

    Parameters
    ----------
    x : ndarray (N, C, *spatial), or its full shape
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
    return _even_routes(*_window_taps(axes), 1 / divisors.ravel(), shape, outputs, axis)


def density(grad):
    """Fraction of the elements that are not zero; NaN counts as not zero.

    Parameters
    ----------
    grad : ndarray
        Of any shape, not empty.

    Examples
    --------
    >>> density(np.array([0., 6., 0., 0.]))
    0.25
    """
    grad = np.asarray(grad)
    if grad.size == 0:
        raise ValueError(f"grad must not be empty; got shape {grad.shape}.")
    return int(np.count_nonzero(grad)) / grad.size


def _window_taps(axes):
    """`_plane_taps` of sliding windows."""
    tables = [(geometry.tap_positions(axis), geometry.is_real(axis)) for axis in axes]
    return _plane_taps([axis.size for axis in axes], tables)


def _bounded_taps(starts, stops):
    """Positions from each start on, and whether they come before the stop, (output, longest window)."""
    starts, stops = np.asarray(starts), np.asarray(stops)
    positions = starts[:, None] + np.arange((stops - starts).max())
    return positions, positions < stops[:, None]


def _plane_taps(sizes, tables):
    """Flat plane position of every tap, and whether it is real: two arrays (windows, taps), taps in row-major order."""
    positions, real = np.zeros((1, 1), np.int64), np.ones((1, 1), bool)
    for size, (steps, inside) in zip(sizes, tables, strict=True):
        positions = _combine(positions * size, np.where(inside, steps, 0), np.add)
        real = _combine(real, inside, np.logical_and)
    return positions, real


def _combine(left, right, operation):
    """All windows × windows and taps × taps of two (windows, taps) tables, in row-major order."""
    table = operation(left[:, None, :, None], right[None, :, None, :])
    return table.reshape(len(left) * len(right), -1)


def _winners(values, real):
    """Which taps of each window are its maximum; the last NaN alone, where there is one. (planes, windows, taps)"""
    lowest = -np.inf if values.dtype.kind == "f" else np.iinfo(values.dtype).min
    masked = np.where(real, values, lowest)
    nan = np.isnan(masked) if values.dtype.kind == "f" else np.zeros(masked.shape, bool)
    best = np.where(nan, lowest, masked).max(axis=-1, keepdims=True)
    has_nan = nan.any(axis=-1, keepdims=True)
    return np.where(has_nan, _last(nan), real & (masked == best))


def _shares(winners, ties):
    """The share of each tap under a tie rule; every window with a winner sums to 1."""
    if ties == "first":
        return _last(winners[..., ::-1])[..., ::-1].astype(np.float64)
    if ties == "last":
        return _last(winners).astype(np.float64)
    return winners / np.maximum(winners.sum(axis=-1, keepdims=True), 1)


def _last(marks):
    """Keeps the last mark of each row."""
    return marks & (np.cumsum(marks[..., ::-1], axis=-1)[..., ::-1] == 1)


def _even_routes(positions, real, share, shape, outputs, axis):
    """Routes that give each real tap of a window the window's share, repeated in every sample and channel."""
    window, tap = np.nonzero(real)
    planes = outputs[0 if axis else 1] * outputs[axis]
    plane = np.repeat(np.arange(planes), len(window))
    windows, ends = np.tile(window, planes), np.tile(positions[window, tap], planes)
    return _routes(plane, windows, ends, share[windows], shape, outputs, axis)


def _routes(plane, window, element, weight, shape, outputs, axis):
    """Routes from plane, window and element numbers, with the flat positions of the caller's own layout."""
    output_index = _plane_positions(outputs, axis)[plane, window]
    input_index = _plane_positions(shape, axis)[plane, element]
    weights = np.broadcast_to(np.asarray(weight, np.float64), output_index.shape)
    return Routes(output_index, input_index, weights, tuple(shape), tuple(outputs))


def _plane_positions(shape, axis):
    """The caller's flat positions, arranged as (samples × channels, plane)."""
    first = np.moveaxis(np.arange(math.prod(shape)).reshape(shape), axis, 1)
    return first.reshape(first.shape[0] * first.shape[1], math.prod(first.shape[2:]))
