"""Numerical gradients that know about kinks: is a backward pass the derivative of its forward pass?"""

import numpy as np

from course_lib import arguments
from course_lib.gradcheck.judge import TOLERANCE, judge
from course_lib.gradcheck.probe import Probe, like, to_numpy
from course_lib.gradcheck.report import GradientReport, Kink

__all__ = ["GradientReport", "Kink", "check_gradient", "error_curve"]


def check_gradient(function, backward, *inputs, eps=None, samples=None, rng=None):
    """Compares a backward pass with differences of its forward pass.

    Parameters
    ----------
    function : callable
        Takes the inputs, returns one array. Called with copies.
    backward : callable
        Takes the upstream gradient and the inputs, returns one gradient an input: a tuple, or a single array.
    *inputs : ndarray or torch tensor, float32 or float64
    eps : float or None
        Step of the difference. None takes ε^(1/3) of the dtype, where truncation and rounding balance, relative for
        elements above 1; where that step does not confirm a gradient, longer and shorter ones are tried.
    samples : int or None
        How many elements of each input to try; None tries all. Elements that are not finite are never tried.
    rng : numpy.random.Generator or None
        Draws the upstream gradient and the samples; None is seeded with 0.

    Returns
    -------
    GradientReport

    Raises
    ------
    TypeError
        If an input or the function's output is not a float32 or float64 array, or there is no input.
    ValueError
        If ``eps`` or ``samples`` is not such a number.

    Notes
    -----
    The upstream gradient is random, since one of all ones hides transposed gradients. Errors are relative, since an
    absolute tolerance hides everything in small gradients. Where the one-sided derivatives differ and stay different
    when the step is halved, the element is a kink: the backward pass may choose any value between them, and elements
    that tie, in one input or in several, must choose together. They are moved by the same step at once, along which the
    function is smooth again, and their gradients must add up to that slope. Beside a corner, shorter steps decide.

    A difference shows no more than its rounding lets it. The report says of how many elements that is less than the
    tolerance.

    Examples
    --------
    >>> x = np.array([1.0, 2.0])
    >>> check_gradient(lambda x: x**2, lambda g, x: 2 * x * g, x).passed
    True
    >>> check_gradient(lambda x: x**2, lambda g, x: x * g, x).passed
    False
    """
    rng = _generator(rng)
    arrays = _checked(inputs)
    probe = Probe(function, inputs, arrays)
    steps = [_step(probe.eps, eps) for _ in arrays]
    grad_output = _upstream(probe, rng)
    places = [_places(array, samples, rng) for array in arrays]
    analytic, problem = _analytic(backward, probe, grad_output)
    if not probe.repeats():
        problem = "the function gave another answer when it was called again with the same arguments."
    if problem:
        return GradientReport(False, problem, (), (), np.inf, np.inf, None, tuple(steps), ())
    return judge(probe, grad_output, analytic, steps, places, adaptive=eps is None)


def error_curve(function, backward, *inputs, steps=None, scheme="central", rng=None):
    """Relative error of a difference against its step, along one random direction: the U-curve.

    Parameters
    ----------
    function, backward, *inputs, rng
        As in `check_gradient`.
    steps : sequence of float or None
        None takes 10⁻¹ down to 10⁻¹³.
    scheme : "central" or "forward"

    Returns
    -------
    steps, errors : ndarray, ndarray

    Notes
    -----
    Truncation grows as h² (central) or h (forward), rounding as ε/h. A linear function has no truncation: its curve is
    no U, and only falls with the step.
    """
    if scheme not in ("central", "forward"):
        raise ValueError(f"scheme must be 'central' or 'forward'; got scheme={scheme!r}.")
    rng = _generator(rng)
    steps = np.logspace(-1, -13, 25) if steps is None else np.array([_step(0, step, "steps") for step in steps])
    arrays = _checked(inputs)
    probe = Probe(function, inputs, arrays)
    grad_output = _upstream(probe, rng)
    directions = [np.asarray(rng.standard_normal(array.shape)).astype(array.dtype) for array in arrays]
    analytic, problem = _analytic(backward, probe, grad_output)
    if problem:
        raise ValueError(f"backward must give gradients that can be compared; {problem}")
    exact = sum(float(np.vdot(*pair)) for pair in zip(analytic, directions, strict=True))
    # Steps as Python floats: those of NumPy would turn float32 inputs into float64, and the curve would be another.
    slopes = [probe.along(directions, step, grad_output, scheme) for step in steps.tolist()]
    return steps, np.abs(np.array(slopes) - exact) / (abs(exact) or 1.0)


def _generator(rng):
    """The given NumPy Generator, or one that is seeded with 0."""
    return np.random.default_rng(0) if rng is None else arguments.generator(rng)


def _upstream(probe, rng):
    """A random upstream gradient for the function's output."""
    return np.asarray(rng.standard_normal(probe.base.shape)).astype(probe.base.dtype)


def _analytic(backward, probe, grad_output):
    """The gradients of the backward pass as arrays, and the sentence that says why they cannot be used, or None."""
    first, second = (
        backward(like(probe.inputs[0], grad_output), *map(like, probe.inputs, probe.arrays)) for _ in range(2)
    )
    first, second = ([to_numpy(value) for value in _as_tuple(result)] for result in (first, second))
    if len(first) != len(probe.arrays):
        return first, f"backward must return one gradient an input: {len(first)} came for {len(probe.arrays)}."
    for number, (gradient, array) in enumerate(zip(first, probe.arrays, strict=True)):
        if gradient.dtype.kind not in "fiu":
            return first, f"the gradient of input {number} must hold real numbers; it has dtype {gradient.dtype}."
        if gradient.shape != array.shape:
            return first, f"the gradient of input {number} has shape {gradient.shape}; the input has {array.shape}."
    if not all(np.array_equal(a, b, equal_nan=True) for a, b in zip(first, second, strict=True)):
        return first, "backward gave another answer when it was called again with the same arguments."
    return first, None


def _checked(inputs):
    """The inputs as float32 or float64 arrays of our own."""
    if not inputs:
        raise TypeError("inputs must hold at least one array; got none.")
    arrays = [to_numpy(value) for value in inputs]
    for number, array in enumerate(arrays):
        if array.dtype.name not in TOLERANCE:
            raise TypeError(f"inputs must have dtype float32 or float64; got {array.dtype} for input {number}.")
    return [array.copy() for array in arrays]


def _step(precision, eps, name="eps"):
    """ε^(1/3) of the dtype, or the step asked for."""
    if eps is None:
        return float(np.cbrt(precision))
    if not 0 < arguments.number(name, eps) < np.inf:
        raise ValueError(f"{name} must be finite and greater than 0; got {name}={eps!r}.")
    return float(eps)


def _places(array, samples, rng):
    """The elements to try, in row-major order: no step leads away from one that is not finite."""
    chosen = np.flatnonzero(np.isfinite(array))
    if samples is not None and arguments.integer("samples", samples, 1) < len(chosen):
        chosen = np.sort(rng.choice(chosen, samples, replace=False))
    return [tuple(int(i) for i in np.unravel_index(flat, array.shape)) for flat in chosen]


def _as_tuple(result):
    """One gradient or several, as a tuple."""
    return tuple(result) if isinstance(result, (tuple, list)) else (result,)
