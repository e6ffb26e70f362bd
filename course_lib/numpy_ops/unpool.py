"""Max unpooling: puts pooled values back where they came from. Its backward reads the gradient there."""

import numpy as np

from course_lib import arguments
from course_lib.numpy_ops.layout import from_channels_first, to_channels_first

# Elements of the planes that are worked on at a time.
BLOCK = 2**16


def max_unpool(x, indices, output_shape, *, duplicates="raise", channel_axis=1):
    """Puts each value where its index says, and 0 elsewhere.

    Parameters
    ----------
    x : ndarray (N, C, *spatial)
        Values, of any float or integer type.
    indices : ndarray of the shape of ``x``, int64
        Flat positions in the output's plane of the same sample and channel, as from `max_pool`. −1 writes nothing.
    output_shape : tuple of int
        Full shape of the result, batch and channels included.
    duplicates : {"raise", "last"}
        What to do when two values have one index: refuse, or let the last one in row-major order stay.
    channel_axis : int
        Where the channels stand, in all three.

    Returns
    -------
    ndarray of shape ``output_shape``, in the dtype of ``x``.

    Raises
    ------
    ValueError
        If a shape does not fit, an index lies outside the plane, or one stands twice and ``duplicates`` is "raise".
    TypeError
        If an argument has the wrong type.

    See Also
    --------
    max_unpool_backward, max_pool

    Notes
    -----
    Where windows overlap, `max_pool` gives one index more than once; PyTorch 2.13 leaves open which value stays.

    Examples
    --------
    >>> max_unpool(np.array([[[5., 4.]]]), np.array([[[1, 3]]]), (1, 1, 5))
    array([[[0., 5., 0., 4., 0.]]])
    """
    x = arguments.array("x", x, arguments.FLOATS + arguments.INTEGERS)
    indices = arguments.index_array(indices, x.shape, "x")
    arguments.choice("duplicates", duplicates, ("raise", "last"))
    shape, axis, first = arguments.shape_argument("output_shape", output_shape, channel_axis, x.ndim - 2)
    arguments.same_planes(x.shape, shape, axis)
    size = int(np.prod(first[2:]))
    arguments.index_range(indices, size, "output_shape")
    values, places = planes(to_channels_first(x, axis)), planes(to_channels_first(indices, axis))
    y = np.zeros((len(values), size), x.dtype)
    for block in plane_blocks(len(y), size):
        flat, real = flat_places(places[block], size)
        if duplicates == "raise":
            arguments.no_duplicates(first_duplicate(flat, size, y[block].size))
        # NumPy assigns in order: of several values with one index the last stays.
        y[block].reshape(-1)[flat] = values[block][real]
    return from_channels_first(y.reshape(first), axis)


def max_unpool_backward(grad_output, indices, *, channel_axis=1):
    """Reads the upstream gradient where each value was put.

    Parameters
    ----------
    grad_output : ndarray (N, C, *output)
        Upstream gradient, float16, float32 or float64.
    indices : ndarray (N, C, *spatial), int64
        As given to `max_unpool`.
    channel_axis : int
        Where the channels stand, in both.

    Returns
    -------
    ndarray of the shape of ``indices``, in the gradient's dtype. Index −1 gets 0, and so does a value that a later one
    with the same index has overwritten.

    Raises
    ------
    ValueError
        If the samples or channels of the two differ, or an index lies outside the plane.
    TypeError
        If an argument has the wrong type.

    See Also
    --------
    max_unpool

    Notes
    -----
    PyTorch 2.13 gives every duplicate the whole gradient, though only one of them is in the output.

    Examples
    --------
    >>> max_unpool_backward(np.array([[[1., 2., 3., 4., 5.]]]), np.array([[[1, 3]]]))
    array([[[2., 4.]]])
    """
    grad_output = arguments.array("grad_output", grad_output, arguments.FLOATS)
    axis, first = arguments.image_batch("grad_output", grad_output.shape, channel_axis)
    indices = arguments.index_planes(indices, grad_output.shape, axis)
    size = int(np.prod(first[2:]))
    arguments.index_range(indices, size, "grad_output")
    gradients, moved = planes(to_channels_first(grad_output, axis)), to_channels_first(indices, axis)
    places = planes(moved)
    grad_input = np.zeros(places.shape, grad_output.dtype)
    for block in plane_blocks(len(places), max(size, places.shape[1])):
        flat, real = flat_places(places[block], size)
        found = gradients[block].reshape(-1)[flat]
        grad_input[block][real] = np.where(last_of_each(flat, gradients[block].size), found, 0)
    return from_channels_first(grad_input.reshape(moved.shape), axis)


def planes(values):
    """(N, C, *spatial) as (N C, elements)."""
    return values.reshape(values.shape[0] * values.shape[1], int(np.prod(values.shape[2:])))


def plane_blocks(count, size):
    """Slices of the planes with about `BLOCK` elements each: what is scattered over stays in the cache."""
    step = max(1, BLOCK // max(1, size))
    return [slice(start, min(start + step, count)) for start in range(0, count, step)]


def flat_places(places, size):
    """Positions in a block of planes, one after another, and where they are: everywhere but at −1."""
    real = places >= 0
    return (places + size * np.arange(len(places))[:, None])[real], real


def last_of_each(flat, size):
    """Whether each position is the last of its value."""
    numbers, last = np.arange(len(flat)), np.empty(size, np.int64)
    last[flat] = numbers
    return last[flat] == numbers


def first_duplicate(flat, size, total):
    """A position, in its own plane, that stands twice in a block; None if there is none."""
    twice = ~last_of_each(flat, total)
    return flat[twice.argmax()] % size if twice.any() else None
