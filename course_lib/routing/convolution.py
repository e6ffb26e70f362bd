"""Routes of convolution: every element of a window gets the upstream gradient times the weight that read it."""

import numpy as np

from course_lib import arguments
from course_lib.routing.routes import Routes, plane_positions
from course_lib.routing.taps import window_taps
from course_lib.routing.tensors import as_array


def conv_routes(x, weight, stride=1, padding=0, dilation=1, groups=1, *, channel_axis=1):
    """Routes of convolution from each element of the output to each input element that its window reads.

    Parameters
    ----------
    x : ndarray or Tensor (N, C_in, *spatial), or its full shape
        A convolution routes by shape and weights alone: the values play no part.
    weight : ndarray or Tensor (C_out, C_in / groups, *kernel)
    stride, padding, dilation, groups, channel_axis
        As in `course_lib.conv`.

    Returns
    -------
    Routes
        The weight of a route is an element of ``weight``, also where that is 0. What falls on padding is on no route.

    Raises
    ------
    ValueError, TypeError
        As `course_lib.conv`.

    See Also
    --------
    course_lib.conv_backward : its ``grad_input`` is ``conv_routes(…).backward(grad_output)``

    Examples
    --------
    The middle element is read by both windows, with different weights.

    >>> routes = conv_routes((1, 1, 3), np.array([[[1., 10.]]]))
    >>> routes.backward(np.array([[[1., 1.]]]))
    array([[[ 1., 11., 10.]]])
    """
    weight = arguments.array("weight", as_array(weight), arguments.FLOATS)
    rank = arguments.weight_rank(weight)
    shape, axis, first = arguments.shape_argument("x", getattr(x, "shape", x), channel_axis, rank)
    groups = arguments.conv_weight(weight.shape, first, groups)
    axes = arguments.conv_axes(first[2:], weight.shape, stride, padding, dilation)
    positions, real = window_taps(axes)
    window, tap = np.nonzero(real)
    outputs = arguments.output_shape((first[0], len(weight), *first[2:]), axes, axis)
    out_planes, in_planes = channel_pairs(first[0], first[1], weight.shape, groups)
    output_index = plane_positions(outputs, axis)[out_planes[..., None], window]
    input_index = plane_positions(shape, axis)[in_planes[..., None], positions[window, tap]]
    weights = weight.reshape(*weight.shape[:2], -1)[:, :, tap]
    weights = np.broadcast_to(weights, output_index.shape).astype(np.float64).ravel()
    return Routes(output_index.ravel(), input_index.ravel(), weights, tuple(shape), tuple(outputs))


def channel_pairs(samples, channels, weight_shape, groups):
    """Which plane of the output follows which plane of the input: two arrays (N, C_out, C_in / groups)."""
    rows, width = weight_shape[:2]
    first_channels = np.arange(rows) // (rows // groups) * width
    sample = np.arange(samples)[:, None, None]
    out_planes = sample * rows + np.arange(rows)[:, None]
    in_planes = sample * channels + first_channels[:, None] + np.arange(width)
    return np.broadcast_to(out_planes, in_planes.shape), in_planes
