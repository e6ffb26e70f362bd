"""Slopes of a function around its inputs, and the corners found on the way."""

from typing import NamedTuple

import numpy as np

# Half steps tell a kink from a bend: a bend's one-sided slopes come together in proportion to the step.
HALVINGS = (1, 2, 4)


class Slope(NamedTuple):
    """Slope of the loss along one direction: the interval of one-sided slopes, the noise, the outputs with a kink."""

    low: float
    high: float
    noise: float
    kinked: np.ndarray


class Probe:
    """The function at its inputs, and slopes of the loss ⟨grad_output, function⟩ around them."""

    def __init__(self, function, inputs, arrays):
        self.function, self.inputs, self.arrays = function, inputs, arrays
        self.base = self.value(arrays)

    def value(self, arrays):
        """The output as a NumPy array, for inputs of the caller's own kind."""
        return to_numpy(self.function(*map(like, self.inputs, arrays)))

    def moved(self, number, indices, step):
        """The output after moving some elements of one input, and the step that was really taken."""
        array = self.arrays[number].copy()
        for index in indices:
            array[index] += step
        taken = float(array[indices[0]]) - float(self.arrays[number][indices[0]])
        return self.value([array if i == number else other for i, other in enumerate(self.arrays)]), taken

    def sides(self, number, indices, step):
        """Slope of every output to the right and to the left."""
        base = self.base.astype(np.float64)
        return [(moved - base) / taken for moved, taken in (self.moved(number, indices, s) for s in (step, -step))]

    def slope(self, number, indices, step, grad_output):
        """The slope of the loss when some elements move together, with every corner found on the way."""
        right, left = self.sides(number, indices, step)
        noise = 8 * np.finfo(self.base.dtype).eps * np.abs(self.base).astype(np.float64) / step
        jump = np.abs(right - left)
        suspect = jump > noise + 1e-4 * np.maximum(np.abs(right), np.abs(left))
        kinked = suspect & ~self._bends(number, indices, step, jump, noise) if suspect.any() else suspect
        middle = (right + left) / 2
        low, high = (np.where(kinked, side(right, left), middle) * grad_output for side in (np.minimum, np.maximum))
        touched = (right != 0) | (left != 0)
        return Slope(
            float(np.minimum(low, high).sum()), float(np.maximum(low, high).sum()),
            float((noise * np.abs(grad_output) * touched).sum()), kinked,
        )  # fmt: skip

    def _bends(self, number, indices, step, jump, noise):
        """Where the one-sided slopes come together in proportion to the step, as for a smooth curve."""
        smooth = np.ones(jump.shape, bool)
        for parts in HALVINGS[1:]:
            right, left = self.sides(number, indices, step / parts)
            smooth &= np.abs(np.abs(right - left) * parts - jump) <= 0.2 * jump + parts**2 * noise
        return smooth

    def along(self, directions, step, grad_output, scheme):
        """Difference quotient of the loss along one direction of all inputs."""
        ahead = self.value([a + step * d for a, d in zip(self.arrays, directions, strict=True)])
        if scheme == "forward":
            return float(np.vdot(grad_output, ahead - self.base)) / step
        behind = self.value([a - step * d for a, d in zip(self.arrays, directions, strict=True)])
        return float(np.vdot(grad_output, ahead - behind)) / (2 * step)


def to_numpy(value):
    """An array from an array or a tensor."""
    return np.asarray(value.detach().cpu().numpy() if hasattr(value, "detach") else value)


def like(example, array):
    """A copy of an array, of the example's kind: a tensor on its device, or an array."""
    return example.new_tensor(array) if hasattr(example, "new_tensor") else array.copy()
