"""Hidden cases: the public ones with other numbers, drawn from the class's secret.

A case keeps what it is there for. Ties stay possible where there were ties, NaN comes where there was NaN, negative
numbers stay negative; kernel, stride and padding stay, and planes grow by whole windows.
"""

import hashlib
import hmac
from dataclasses import replace

import numpy as np

from course_lib.classroom import hidden_checkers
from course_lib.exercises.judged import Judged
from course_lib.exercises.misconceptions import Case
from course_lib.exercises.misconceptions.windows import conv_output_shape, output_shape, pair
from course_lib.exercises.no_loops import NoLoops
from course_lib.exercises.properties import KeepsInputs, Star, Together, Values

VARIANTS = 2
GEOMETRY = ("kernel_size", "stride", "padding", "ceil_mode", "dilation", "groups")
NAME = "a hidden case"


def generator(secret, number, student=""):
    """A random generator that only who knows the secret can have.

    Parameters
    ----------
    secret : bytes
    number : int
        Of the exercise.
    student : str
        Where each student has cases of their own; "" for one set for the class.
    """
    digest = hmac.new(secret, f"{number}\n{student}".encode(), hashlib.sha256).digest()
    return np.random.default_rng(list(digest))


def with_hidden_cases(exercise, rng):
    """The exercise with hidden cases in the place of the public ones; properties that have no arrays are left out."""
    properties = tuple(filter(None, (_redrawn(judged, rng) for judged in exercise.properties)))
    return replace(exercise, properties=properties)


def _redrawn(judged, rng):
    """A property with other cases; None if it has none to draw."""
    if isinstance(judged, Star):
        inner = _redrawn(judged.judged, rng)
        return inner and replace(judged, judged=inner)
    if isinstance(judged, Together):
        parts = tuple(filter(None, (_redrawn(part, rng) for part in judged.parts)))
        return replace(judged, parts=parts) if parts else None
    if isinstance(judged, Judged):
        found = hidden_checkers.redrawn(judged.by, rng)
        return found and replace(judged, by=found)
    # An answer that is an array belongs to one case, which the learner was given.
    if isinstance(getattr(judged, "judged", None), NoLoops):
        small, large = hidden_case(judged.judged.small, rng, 0), hidden_case(judged.judged.large, rng)
        return replace(judged, judged=replace(judged.judged, small=small, large=large))
    if not hasattr(judged, "cases") or not getattr(judged, "run", None):
        return None
    if isinstance(judged, KeepsInputs):
        return replace(judged, cases=_cases(judged.cases, rng))
    if isinstance(judged, Values):
        cases = _cases(judged.cases, rng)
        return replace(judged, cases=cases, beside=tuple(replace(one, cases=cases) for one in judged.beside))
    return None


def _cases(cases, rng):
    """Some hidden cases for each public one."""
    return tuple(hidden_case(case, rng, number) for case in cases for number in range(VARIANTS))


def hidden_case(case, rng, number=1):
    """A case with other numbers; the first has the shape of the public one, the others may be larger."""
    given = case.fresh()
    x = given["x"]
    geometry = {name: given[name] for name in GEOMETRY if name in given}
    shape = x.shape if number == 0 else _grown(x.shape, given, geometry, rng)
    given["x"] = like(x, shape, rng)
    if "weight" in given:
        given["weight"] = like(given["weight"], given["weight"].shape, rng)
        given["bias"] = like(given["bias"], given["bias"].shape, rng)
        outputs = conv_output_shape(shape, given["weight"].shape, **geometry)
    else:
        outputs = output_shape(shape, **geometry)
    given["grad_output"] = upstream(given["grad_output"], outputs, rng)
    return Case(NAME, given)


def _grown(shape, given, geometry, rng):
    """A plane with some windows more along the axes that have several."""
    stride = pair(geometry.get("stride", 1))
    if "weight" in given:
        outputs = conv_output_shape(shape, given["weight"].shape, **geometry)
    else:
        outputs = output_shape(shape, **geometry)
    spatial = [
        size + step * int(rng.integers(0, 3)) if windows > 1 else size
        for size, step, windows in zip(shape[2:], stride, outputs[2:], strict=True)
    ]
    return (*shape[:2], *spatial)


def like(array, shape, rng):
    """Other numbers of the same kind: as tied, as close together, as negative, as whole as those of an array."""
    size = int(np.prod(shape))
    finite = array[np.isfinite(array)] if array.dtype.kind == "f" else array
    if array.dtype.kind in "iu":
        found = rng.choice(np.arange(-size, 4 * size), size, replace=False)
    elif len(np.unique(finite)) < finite.size:
        found = rng.integers(-2, max(3, size // 3), size).astype(float)
    elif finite.size > 1 and np.ptp(finite) < 1e-3:
        found = float(rng.integers(1, 9)) + rng.permutation(size) * 1e-5
    else:
        # Distinct: a tie would be another task.
        found = rng.choice(np.arange(-3 * size - 3, 3 * size + 4), size, replace=False) / 1.0
    if finite.size and (finite < 0).all():
        found = found - found.max() - 1
    found = found.reshape(shape).astype(array.dtype)
    if array.dtype.kind == "f" and np.isnan(array).any():
        found[rng.random(shape) < np.isnan(array).mean()] = np.nan
    return found


def upstream(array, shape, rng):
    """An upstream gradient of distinct numbers, none of them 0."""
    size = int(np.prod(shape))
    numbers = rng.choice(np.setdiff1d(np.arange(-size - 2, 2 * size + 3), [0]), size, replace=False)
    scale = 0.5 if array.size and (array % 1 != 0).any() else 1.0
    return (numbers * scale).reshape(shape).astype(array.dtype)
