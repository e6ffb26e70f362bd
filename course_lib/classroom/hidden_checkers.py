"""Hidden backwards for exercise 6: other numbers, other shapes, and right and wrong ones in an order of their own.

Who only counts the calls has to guess each answer, and a property is paid only where all of them are right.
"""

from dataclasses import dataclass, replace

import numpy as np

import course_lib
from course_lib.exercises import specimens
from course_lib.exercises.checkers import Accepts, Rejects, ReportsErrors, accepts_unfit
from course_lib.exercises.ex06_check_the_gradient import ErrorsAgainstTorch, RefusesShapes
from course_lib.exercises.judged import wrong
from course_lib.exercises.specimens import Specimen

FEWEST_RIGHT, DRAWS = 4, 200
# A wrong gradient is no test where it is nearly right.
APART = 0.05
# Smooth functions and their slopes, of which one takes the place of the exponential.
SMOOTH = (
    (np.exp, np.exp),
    (np.sin, np.cos),
    (np.sinh, np.cosh),
    (lambda x: x * x, lambda x: 2 * x),
    (lambda x: 1 / (2 + x * x), lambda x: -2 * x / (2 + x * x) ** 2),
)
FACTORS = (-1.0, 2.0, 3.0)
RIGHT = {
    course_lib.conv: specimens.conv_backward,
    specimens.relu: specimens.RELU.backward,
    specimens.max_pool: specimens.max_backward("first"),
    specimens.avg_pool: specimens.avg_backward,
}


@dataclass(frozen=True)
class Sorts:
    """The judging: right backwards are accepted and wrong ones refused, in whatever order they come.

    Attributes
    ----------
    trials : tuple of pairs of Specimen and bool
        A backward, and whether it is wrong.
    by_error : bool
        Whether an exception is a refusal too.
    """

    trials: tuple
    by_error: bool = False

    def __call__(self, session):
        for specimen, is_wrong in self.trials:
            if not is_wrong:
                Accepts((specimen,))(session)
            elif accepts_unfit(session, specimen, self.by_error):
                raise wrong(f"a wrong backward was accepted: {specimen.name}")
        return len(self.trials)


def redrawn(judging, rng):
    """A judging of a checker on hidden backwards; None for one that has none.

    Parameters
    ----------
    judging : Accepts, Rejects, ReportsErrors, ErrorsAgainstTorch, RefusesShapes or another
    rng : numpy.random.Generator
    """
    if isinstance(judging, Accepts):
        pairs = [_with_spoilt(one, rng) for one in judging.right]
        return Sorts(_mixed([one for one, _ in pairs], [wrong_one for _, wrong_one in pairs], rng))
    if isinstance(judging, Rejects):
        right = [drawn(one, rng)[1] for one in _at_least(FEWEST_RIGHT, judging.right)]
        unfit = [drawn(one, rng, is_wrong=True)[1] for one in _at_least(FEWEST_RIGHT, judging.unfit)]
        return Sorts(_mixed(right, unfit, rng), judging.by_error)
    if isinstance(judging, (ReportsErrors, ErrorsAgainstTorch)):
        pairs = [drawn(one, rng, is_wrong=one is not base) for base, one in judging.pairs]
        return replace(judging, pairs=tuple(pairs[number] for number in rng.permutation(len(pairs))))
    if isinstance(judging, RefusesShapes):
        unfit = [drawn(one, rng, is_wrong=True)[1] for one, _ in _at_least(FEWEST_RIGHT, judging.trials)]
        return replace(judging, trials=_mixed([drawn(specimens.CONV, rng)[1] for _ in unfit], unfit, rng))
    return None


def _at_least(count, several):
    """The members, from the first on again until there are enough."""
    return several * max(1, -(-count // len(several)))


def _mixed(right, unfit, rng):
    """Pairs of a specimen and whether it is wrong, in an order that only the secret knows."""
    trials = [(one, False) for one in right] + [(one, True) for one in unfit]
    return tuple(trials[number] for number in rng.permutation(len(trials)))


def _with_spoilt(specimen, rng):
    """A right specimen, and one with its numbers that no checker accepts."""
    for _ in range(DRAWS):
        base, found = drawn(specimen, rng)
        unfit = spoilt(found, rng)
        # Where inputs tie and the gradient adds up to 0, so does a multiple of it, and that may be right too.
        if _is_apart(unfit, base):
            return found, unfit
    raise ValueError(f"no numbers were found that show a multiple of {specimen.name}")


def spoilt(specimen, rng):
    """A right specimen with its gradients turned or too large: no checker accepts that, whatever else it misses."""
    factor = rng.choice(FACTORS)

    def backward(grad_output, *inputs):
        # As linear in the upstream gradient as the right one: to look at this alone tells nothing.
        return tuple(factor * np.asarray(one, float) for one in specimen.backward(grad_output, *inputs))

    return specimen.with_backward(f"{factor:g} times the gradient", backward)


def drawn(specimen, rng, is_wrong=False):
    """A specimen with other numbers, and in front of it a right one with the same numbers.

    Parameters
    ----------
    specimen : Specimen
    rng : numpy.random.Generator
    is_wrong : bool
        Whether its gradients must differ from right ones so that a checker can see it.
    """
    for _ in range(DRAWS):
        base, found = _once(specimen, rng, is_wrong)
        if _is_clear(base) and (not is_wrong or _is_apart(found, base)):
            return base, found
    raise ValueError(f"no numbers were found that show {specimen.name}")


def _once(specimen, rng, is_wrong):
    """One draw: a right specimen, and the one that is wanted."""
    inputs = [_numbers(array, shape, rng) for array, shape in zip(specimen.inputs, _shapes(specimen, rng), strict=True)]
    function, backward, right = specimen.function, specimen.backward, RIGHT.get(specimen.function)
    if right is None:
        function, slope = SMOOTH[rng.integers(len(SMOOTH))]
        right, backward = _with_upstream(slope), _without_upstream(slope) if is_wrong else _with_upstream(slope)
    output = function(*(np.array(array) for array in inputs))
    # As small as it is in public, away from 0, and of both signs.
    scale = np.abs(np.asarray(specimen.grad_output, float)).max() / output.size
    signs = np.where(rng.random(output.shape) < 0.5, -1, 1)
    grad_output = scale * signs * (rng.permutation(output.size).reshape(output.shape) + 1.0)
    base = Specimen(specimen.name, function, right, tuple(inputs), grad_output)
    return base, replace(base, backward=backward)


def _with_upstream(slope):
    """The backward of a function of single elements."""
    return lambda grad_output, x: (grad_output * slope(x),)


def _without_upstream(slope):
    """The slope alone."""
    return lambda grad_output, x: (slope(x),)


def _shapes(specimen, rng):
    """A shape for each input: the public one, grown."""
    shapes = [np.shape(array) for array in specimen.inputs]
    if specimen.function is course_lib.conv:
        (samples, _, rows, columns), (_, _, *kernel), _ = shapes
        channels, outputs = (int(one) for one in rng.integers(1, 4, 2))
        plane = rows + int(rng.integers(2)), columns + int(rng.integers(2))
        return [(samples, channels, *plane), (outputs, channels, *kernel), (outputs,)]
    return [(*shape[:-2], *(size + int(rng.integers(2)) for size in shape[-2:])) for shape in shapes]


def _numbers(array, shape, rng):
    """Other numbers: small whole ones with ties and zeros where there were ties, else distinct ones away from 0."""
    size = int(np.prod(shape))
    if _has_ties(array):
        return rng.integers(-2, 3, shape).astype(float)
    return ((rng.permutation(size) - size // 2 + 0.25) * 4 / max(size, 8)).reshape(shape)


def _has_ties(array):
    """Whether equal elements are in one plane."""
    array = np.atleast_2d(np.asarray(array, float))
    return any(len(np.unique(plane)) < plane.size for plane in array.reshape(-1, *array.shape[-2:]))


def _is_clear(base):
    """Whether no gradient is 0 throughout, or all but: a factor would not show, and a relative error would be noise."""
    least = APART * np.abs(base.grad_output).max()
    return all(np.abs(gradient).max() > least for gradient in base.right())


def _is_apart(unfit, base):
    """Whether a wrong gradient can be told: by its shape, by an element, and where inputs tie by its sum."""
    tied = any(map(_has_ties, base.inputs))
    found, right = unfit.right(), base.right()
    if [one.shape for one in found] != [one.shape for one in right]:
        return True
    scales = [APART * np.abs(one).max() for one in right]
    far = [np.abs(a.sum() - b.sum()) if tied else np.abs(a - b).max() for a, b in zip(found, right, strict=True)]
    return not all(distance <= scale for distance, scale in zip(far, scales, strict=True))
