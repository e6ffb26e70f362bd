"""Slopes of a function around its inputs, and the corners found on the way."""

from typing import NamedTuple

import numpy as np

from course_lib.dispatch import is_tensor

# Half steps tell a kink from a bend: a bend's one-sided slopes come together in proportion to the step.
HALVINGS = (2, 4)
# Roundings that a value may carry.
ROUNDINGS = 4
# Steps to fall back on, in units of the usual one: where it is lost in rounding, too long for a curve, or in a corner.
STEPS = 4.0 ** np.arange(6, -15, -1)

# Points at which slopes around the inputs are taken.
POINTS = 24


class Sides(NamedTuple):
    """For each output its slope to the right and to the left, and how much of either may be rounding."""

    right: np.ndarray
    left: np.ndarray
    noise: np.ndarray

    @property
    def jump(self):
        return np.abs(self.right - self.left)

    @property
    def middle(self):
        return (self.right + self.left) / 2


class Slope(NamedTuple):
    """Slope of the loss along one direction: the interval of one-sided slopes, the noise, the outputs with a kink."""

    low: float
    high: float
    noise: float
    kinked: np.ndarray


class Probe:
    """The function at its inputs, and slopes of the loss ⟨grad_output, function⟩ around them.

    A direction is a list of moves (input, index): all these elements grow by the same step.
    """

    def __init__(self, function, inputs, arrays):
        self.function, self.inputs, self.arrays = function, inputs, arrays
        self.base = self.value(arrays)
        if self.base.dtype.name not in ("float32", "float64"):
            raise TypeError(f"function must return one float32 or float64 array; got {self.base.dtype}.")
        # The coarsest type decides: a float64 result of float32 sums is no better than they are.
        self.dtype = min((array.dtype for array in (self.base, *arrays)), key=lambda dtype: dtype.itemsize)
        self.eps = float(np.finfo(self.dtype).eps)

    def value(self, arrays):
        """The output as a NumPy array, for inputs of the caller's own kind."""
        output = self.function(*map(like, self.inputs, arrays))
        if isinstance(output, tuple):
            # NumPy would make one array of all its entries, indices among them.
            raise TypeError(f"function must return one array; got a tuple of {len(output)}.")
        return to_numpy(output)

    def repeats(self):
        """Whether the function gives the same answer again."""
        return np.array_equal(self.base, self.value(self.arrays), equal_nan=True)

    def moved(self, moves, step):
        """The output after moving some elements, and the step that was really taken."""
        arrays = list(self.arrays)
        for number in {number for number, _ in moves}:
            arrays[number] = arrays[number].copy()
        for number, index in moves:
            arrays[number][index] += step
        number, index = moves[0]
        return self.value(arrays), float(arrays[number][index]) - float(self.arrays[number][index])

    def sides(self, moves, step):
        """The slopes of every output, and their noise; not a number where a step is too small to be taken."""
        # A step may leave the function's domain. That is the checker's doing, and a shorter step will tell.
        with np.errstate(all="ignore"):
            (ahead, up), (behind, down) = (self.moved(moves, signed) for signed in (step, -step))
            largest = np.maximum(np.abs(self.base), np.maximum(np.abs(ahead), np.abs(behind))).astype(np.float64)
            noise = ROUNDINGS * self.eps * np.where(np.isfinite(largest), largest, 0) / min(up, -down, step)
            up, down = up or np.nan, down or np.nan
            return Sides(_change(ahead, self.base) / up, _change(behind, self.base) / down, noise)

    def slope(self, moves, step, grad_output):
        """The slope of the loss when some elements move together, with every corner found on the way."""
        sides = self.sides(moves, step)
        with np.errstate(invalid="ignore"):
            suspect = sides.jump > sides.noise + 1e-4 * np.maximum(np.abs(sides.right), np.abs(sides.left))
            kinked = suspect & ~self._bends(moves, step, sides) if suspect.any() else suspect
            low, high = (
                np.where(kinked, side(sides.right, sides.left), sides.middle) * grad_output
                for side in (np.minimum, np.maximum)
            )
            noise = sides.noise * np.abs(grad_output) * ((sides.right != 0) | (sides.left != 0))
            return Slope(
                float(np.minimum(low, high).sum()), float(np.maximum(low, high).sum()), float(noise.sum()), kinked
            )

    def _bends(self, moves, step, sides):
        """Where the one-sided slopes come together in proportion to the step, as for a smooth curve."""
        smooth = np.ones(sides.jump.shape, bool)
        for parts in HALVINGS:
            jump = self.sides(moves, step / parts).jump
            smooth &= np.abs(jump * parts - sides.jump) <= 0.2 * sides.jump + parts**2 * sides.noise
        return smooth

    def refined(self, moves, steps, grad_output):
        """The slope of the loss from that step of several at which its error is the least, and this error."""
        slopes, noise = _losses([self.sides(moves, step) for step in steps], grad_output)
        slopes, noise, steps = (values[np.isfinite(slopes)] for values in (slopes, noise, steps))
        if len(slopes) < 2:
            return np.nan, np.inf
        # What the shortest steps differ by is rounding, and it grows as they shrink.
        rough = (np.abs(np.diff(slopes)) * steps[1:])[-3:].max()
        noise = np.maximum(noise, rough / steps)
        # A longer step must agree with the next, and with all shorter ones as far as their noise lets one see.
        apart = np.abs(slopes[:, None] - slopes)
        gaps = np.maximum(np.triu(apart - noise).max(axis=1)[:-1], apart.diagonal(1))
        errors = 3 * noise[:-1] + gaps
        best = int(np.argmin(errors))
        return float(slopes[best]), float(errors[best])

    def nearby(self, moves, step, grad_output):
        """The least and the largest slope of the loss at points around the inputs, summed over outputs."""
        rng, slopes = np.random.default_rng(0), []
        for _ in range(POINTS):
            there = Probe(self.function, self.inputs, [_scattered(array, 4 * step, rng) for array in self.arrays])
            slopes.append(there.sides(moves, step).middle * grad_output)
        return float(np.min(slopes, axis=0).sum()), float(np.max(slopes, axis=0).sum())

    def alike(self, move, radius):
        """All elements, of any input, whose values are that close to one of them."""
        value = float(self.arrays[move[0]][move[1]])
        near = [np.abs(array - value) <= radius for array in self.arrays]
        return [(number, tuple(map(int, index))) for number, marks in enumerate(near) for index in np.argwhere(marks)]

    def along(self, directions, step, grad_output, scheme):
        """Difference quotient of the loss along one direction of all inputs."""
        ahead = self.value([a + step * d for a, d in zip(self.arrays, directions, strict=True)])
        if scheme == "forward":
            return float(np.vdot(grad_output, ahead - self.base)) / step
        behind = self.value([a - step * d for a, d in zip(self.arrays, directions, strict=True)])
        return float(np.vdot(grad_output, ahead - behind)) / (2 * step)


def _change(moved, base):
    """The difference of two outputs in float64; 0 where both are the same, infinite or not a number."""
    same = (moved == base) | (np.isnan(moved) & np.isnan(base))
    return np.where(same, 0, moved.astype(np.float64) - base)


def _scattered(array, radius, rng):
    """The array with each element moved at random."""
    return (array + rng.uniform(-radius, radius, array.shape) * np.maximum(1, np.abs(array))).astype(array.dtype)


def _losses(found, grad_output):
    """The slope of the loss and its noise at each step, over the outputs that any step changes."""
    middles, noises = (np.stack([getattr(sides, name) for sides in found]) for name in ("middle", "noise"))
    touched = (np.isfinite(middles) & (middles != 0)).any(axis=0)
    slopes = (middles * grad_output).reshape(len(found), -1).sum(axis=1)
    # An output that never changes may have changed by less than it can show.
    noises = np.where(touched, noises, noises[0]) * np.abs(grad_output)
    return slopes, noises.reshape(len(found), -1).sum(axis=1)


def to_numpy(value):
    """An array from an array or a tensor."""
    if not is_tensor(value):
        return np.asarray(value)
    if value.is_meta or str(value.dtype) == "torch.bfloat16":
        raise TypeError(
            f"A gradient check needs tensors of float32 or float64 with values; got {value.dtype} on {value.device}."
        )
    return value.detach().cpu().resolve_conj().resolve_neg().numpy()


def like(example, array):
    """A copy of an array, of the example's kind: a tensor on its device, or an array."""
    return example.new_tensor(array) if is_tensor(example) else array.copy()
