"""The paths of a gradient from the elements of an output to those of an input."""

import math
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

from course_lib import arguments
from course_lib.dispatch import is_tensor
from course_lib.routing.taps import bounded_taps, plane_taps
from course_lib.routing.tensors import as_array, as_tensor


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
        indices : ndarray or Tensor (N, C, *output), int64
            Flat positions in the plane of each sample and channel; −1 feeds nothing.
        input_shape : tuple of int
            Full shape of the input.
        """
        indices = as_array(indices)
        arguments.index_array(indices, np.shape(indices), "the output")
        shape, axis, first = arguments.shape_argument("input_shape", input_shape, channel_axis, indices.ndim - 2)
        arguments.same_batch(indices.shape, shape, axis)
        size = math.prod(first[2:])
        arguments.index_range(indices, size)
        planes = np.moveaxis(indices, axis, 1).reshape(first[0] * first[1], -1)
        plane, window = np.nonzero(planes >= 0)
        return routes_of(plane, window, planes[plane, window], 1.0, shape, indices.shape, axis)

    @classmethod
    def from_windows(cls, starts, stops, shape, *, channel_axis=1):
        """Routes of an average over windows with given bounds, as in adaptive pooling.

        Parameters
        ----------
        starts, stops : one int array an axis, (output,)
            Each window holds the elements from ``start`` up to, not including, ``stop``; each gets an equal share.
        shape : tuple of int
            Full shape of the input.

        Raises
        ------
        ValueError
            If a window is empty or reaches outside the input.

        Examples
        --------
        >>> routes = Routes.from_windows([[0, 1]], [[2, 3]], (1, 1, 3))
        >>> routes.backward(np.array([[[2., 4.]]]))
        array([[[1., 3., 2.]]])
        """
        shape, axis, first = arguments.shape_argument("shape", shape, channel_axis, len(starts))
        bounds = arguments.window_bounds(starts, stops, first[2:])
        positions, real = plane_taps(first[2:], [bounded_taps(*pair) for pair in bounds])
        outputs = arguments.output_shape(first, [SimpleNamespace(output=len(start)) for start, _ in bounds], axis)
        return even_routes(positions, real, 1 / np.maximum(real.sum(axis=1), 1), shape, outputs, axis)

    def backward(self, grad_output):
        """The gradient of the input: each output's upstream gradient times the weight, added where the path ends.

        Parameters
        ----------
        grad_output : ndarray or Tensor of shape ``shape_out``

        Returns
        -------
        ndarray or Tensor of shape ``shape_in``, in the gradient's dtype; a tensor without a history.
        """
        if is_tensor(grad_output):
            return as_tensor(self.backward(as_array(grad_output)), grad_output)
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


def even_routes(positions, real, share, shape, outputs, axis):
    """Routes that give each real tap of a window the window's share, repeated in every sample and channel."""
    window, tap = np.nonzero(real)
    planes = outputs[0 if axis else 1] * outputs[axis]
    plane = np.repeat(np.arange(planes), len(window))
    windows, ends = np.tile(window, planes), np.tile(positions[window, tap], planes)
    return routes_of(plane, windows, ends, share[windows], shape, outputs, axis)


def routes_of(plane, window, element, weight, shape, outputs, axis):
    """Routes from plane, window and element numbers, with the flat positions of the caller's own layout."""
    output_index = plane_positions(outputs, axis)[plane, window]
    input_index = plane_positions(shape, axis)[plane, element]
    weights = np.broadcast_to(np.asarray(weight, np.float64), output_index.shape)
    return Routes(output_index, input_index, weights, tuple(shape), tuple(outputs))


def plane_positions(shape, axis):
    """The caller's flat positions, arranged as (samples × channels, plane)."""
    first = np.moveaxis(np.arange(math.prod(shape)).reshape(shape), axis, 1)
    return first.reshape(first.shape[0] * first.shape[1], math.prod(first.shape[2:]))
