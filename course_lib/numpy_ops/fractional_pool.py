"""Fractional max pooling: windows that stand at pseudo-random places, so that the size shrinks by any factor."""

import numpy as np

from course_lib import arguments
from course_lib.numpy_ops.layout import from_channels_first, to_channels_first
from course_lib.numpy_ops.scattered_windows import channels_back, channels_last, plane_positions, tap_winners


def fractional_max_pool(x, kernel_size, output_size=None, output_ratio=None, *, samples=None, rng=None,
                        return_indices=False, channel_axis=1):  # fmt: skip
    """The largest element of windows that stand at random, in order, the last one at the end.

    Parameters
    ----------
    x : ndarray (N, C, *spatial)
        One to three spatial axes; float16, float32, float64 or an integer type.
    kernel_size : int or one int an axis
        In elements.
    output_size : int or one int an axis, or None
        Windows along each axis.
    output_ratio : number or one number an axis, or None
        Windows along each axis as a part of its size, between 0 and 1. Exactly one of the two is given.
    samples : ndarray (N, C, spatial axes) or None
        Where the windows stand, one number in [0, 1) for each plane and axis, in the dtype of ``x`` (float64 for
        integers), axes in their order. None draws them.
    rng : numpy.random.Generator or None
        Draws the samples. None makes a fresh one.
    return_indices : bool
        Whether to return the winners' positions too.
    channel_axis : int
        Where the channels of ``x`` and of the results stand; −1 for NHWC.

    Returns
    -------
    y : ndarray (N, C, *output)
        In the dtype of ``x``.
    indices : ndarray (N, C, *output), int64
        Only with ``return_indices``: for `max_pool_backward`, which is the backward of this operation too.

    Raises
    ------
    ValueError
        If a shape or a number does not fit: the message names the argument and its value.
    TypeError
        If an argument has the wrong type.

    See Also
    --------
    max_pool_backward

    Notes
    -----
    With ``alpha = (n - k) / (o - 1)`` window ``i`` starts at ``int((i + u) * alpha) - int(u * alpha)``, each step
    rounded to the dtype of ``x``, as in PyTorch 2.13. There the samples of two spatial axes are in the order W, H.

    References
    ----------
    Benjamin Graham, Fractional Max-Pooling, arXiv:1412.6071v4.

    Examples
    --------
    With ``u = 0.5`` and ``alpha = 1.5`` the windows start at 0, 2 and 3.

    >>> x = np.array([[[1., 5., 2., 4., 3.]]])
    >>> fractional_max_pool(x, 2, 3, samples=np.full((1, 1, 1), 0.5))
    array([[[5., 4., 4.]]])
    """
    x = arguments.array("x", x, arguments.FLOATS + arguments.INTEGERS)
    rank = arguments.rank_of(kernel_size, output_size, output_ratio)
    axis, first = arguments.image_batch("x", x.shape, channel_axis, rank)
    kernel, outputs = arguments.fractional_sizes(first[2:], kernel_size, output_size, output_ratio)
    dtype = x.dtype if x.dtype.kind == "f" else np.dtype(np.float64)
    samples = arguments.fractional_samples(samples, rng, first, dtype)
    arguments.flag("return_indices", return_indices)
    x = to_channels_first(x, axis)
    y, indices = (np.empty((*first[:2], *outputs), kind) for kind in (x.dtype, np.int64))
    for sample, values in enumerate(x):
        winners = window_winners(channels_last(values), samples[sample], kernel, outputs)
        y[sample], indices[sample] = map(channels_back, winners)
    y = from_channels_first(y, axis)
    return (y, from_channels_first(indices, axis)) if return_indices else y


def window_winners(values, samples, kernel, outputs):
    """The winners of the windows of (*spatial, C) and their places in the plane, along one axis after another."""
    places = plane_positions(values.shape[:-1])
    for axis in reversed(range(len(kernel))):
        starts = window_starts(samples[:, axis], values.shape[axis], kernel[axis], outputs[axis])
        # The windows stand at their axis and the channels last, so that they broadcast against the values.
        starts = starts.reshape(*[1] * axis, outputs[axis], *[1] * (len(kernel) - axis - 1), -1)
        values, places = tap_winners(values, places, axis, [starts + tap for tap in range(kernel[axis])])
    return values, places


def window_starts(u, size, kernel, output):
    """Where the windows of one axis start in each plane, (output, C). Every step rounds to the type of ``u``."""
    starts = np.full((output, *u.shape), size - kernel, np.int64)
    if output > 1:
        alpha = u.dtype.type(size - kernel) / u.dtype.type(output - 1)
        steps = np.arange(output - 1).astype(u.dtype)[:, None] + u
        # In half precision a step may round beyond the last place.
        starts[:-1] = np.minimum((steps * alpha).astype(np.int64) - (u * alpha).astype(np.int64), size - kernel)
    return starts
