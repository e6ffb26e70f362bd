"""Numerical gradients that know about kinks: is a backward pass the derivative of its forward pass?"""

import numpy as np

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
        Step of the difference; None takes ε^(1/3) of the dtype, where truncation and rounding balance.
    samples : int or None
        How many elements of each input to try; None tries all.
    rng : numpy.random.Generator or None
        Draws the upstream gradient and the samples; None is seeded with 0.

    Returns
    -------
    GradientReport

    Raises
    ------
    TypeError
        If an input is not a float32 or float64 array.

    Notes
    -----
    The upstream gradient is random, since one of all ones hides transposed gradients. Errors are relative, since an
    absolute tolerance hides everything in small gradients. Where the one-sided derivatives differ and stay different
    when the step is halved, the element is a kink: the backward pass may choose any value between them, and elements
    that tie must choose together. They are moved by the same step at once, along which the function is smooth again,
    and their gradients must add up to that slope.

    Examples
    --------
    >>> x = np.array([1.0, 2.0])
    >>> check_gradient(lambda x: x**2, lambda g, x: 2 * x * g, x).passed
    True
    >>> check_gradient(lambda x: x**2, lambda g, x: x * g, x).passed
    False
    """
    rng = np.random.default_rng(0) if rng is None else rng
    arrays = [_checked(number, value) for number, value in enumerate(inputs)]
    probe = Probe(function, inputs, arrays)
    grad_output = rng.standard_normal(probe.base.shape).astype(probe.base.dtype)
    analytic = _analytic(backward, probe, grad_output)
    if isinstance(analytic, str):
        return refused(analytic, arrays)
    steps = [_step(array, eps) for array in arrays]
    places = [_places(array, samples, rng) for array in arrays]
    slopes = [
        [probe.slope(number, [index], steps[number], grad_output) for index in places[number]]
        for number in range(len(arrays))
    ]
    return judge(probe, grad_output, analytic, steps, places, slopes)


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
    rng = np.random.default_rng(0) if rng is None else rng
    steps = np.logspace(-1, -13, 25) if steps is None else np.asarray(steps, float)
    arrays = [_checked(number, value) for number, value in enumerate(inputs)]
    probe = Probe(function, inputs, arrays)
    grad_output = rng.standard_normal(probe.base.shape).astype(probe.base.dtype)
    directions = [rng.standard_normal(array.shape).astype(array.dtype) for array in arrays]
    exact = sum(
        float(np.vdot(gradient, direction))
        for gradient, direction in zip(_analytic(backward, probe, grad_output), directions, strict=True)
    )
    slopes = [probe.along(directions, step, grad_output, scheme) for step in steps]
    return steps, np.abs(np.array(slopes) - exact) / abs(exact)


def _analytic(backward, probe, grad_output):
    """The gradients of the backward pass as arrays, or the sentence that says why they cannot be used."""
    first, second = (
        backward(like(probe.inputs[0], grad_output), *map(like, probe.inputs, probe.arrays)) for _ in range(2)
    )
    first, second = ([to_numpy(value) for value in _as_tuple(result)] for result in (first, second))
    if len(first) != len(probe.arrays):
        return f"backward must return one gradient an input: {len(first)} came for {len(probe.arrays)}."
    for number, (gradient, array) in enumerate(zip(first, probe.arrays, strict=True)):
        if gradient.shape != array.shape:
            return f"the gradient of input {number} has shape {gradient.shape}; the input has {array.shape}."
    if not all(np.array_equal(a, b, equal_nan=True) for a, b in zip(first, second, strict=True)):
        return "backward gave another answer when it was called again with the same arguments."
    return first


def refused(reason, arrays):
    """A report for gradients that cannot be compared."""
    return GradientReport(False, reason, (), (), np.inf, np.inf, None, tuple(_step(a, None) for a in arrays), ())


def _checked(number, value):
    """The input as a float32 or float64 array of its own."""
    array = to_numpy(value)
    if array.dtype.name not in TOLERANCE:
        raise TypeError(f"inputs must have dtype float32 or float64; got {array.dtype} for input {number}.")
    return array.copy()


def _step(array, eps):
    """ε^(1/3) of the dtype, or the step asked for."""
    return float(np.cbrt(np.finfo(array.dtype).eps)) if eps is None else float(eps)


def _places(array, samples, rng):
    """The elements to try, in row-major order."""
    chosen = np.arange(array.size)
    if samples is not None and samples < array.size:
        chosen = np.sort(rng.choice(array.size, samples, replace=False))
    return [tuple(int(i) for i in np.unravel_index(flat, array.shape)) for flat in chosen]


def _as_tuple(result):
    """One gradient or several, as a tuple."""
    return tuple(result) if isinstance(result, (tuple, list)) else (result,)
