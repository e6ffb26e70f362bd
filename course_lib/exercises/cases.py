"""Inputs that an expression writes down, so that a learner can type a failing case and look into it."""

import math

import numpy as np

from course_lib.exercises.misconceptions import Case
from course_lib.exercises.misconceptions.windows import conv_output_shape, output_shape


def scattered(shape, step, offset=0):
    """Distinct whole numbers in an order that is no order, and the expression that gives them.

    Examples
    --------
    >>> scattered((2, 3), 5, offset=2)
    (array([[-2.,  3.,  2.],
           [ 1.,  0., -1.]]), '(np.arange(6.0) * 5 % 6 - 2).reshape(2, 3)')
    """
    size = math.prod(shape)
    if math.gcd(step, size) > 1:
        raise ValueError(f"step must have no divisor in common with the size; got step={step}, size={size}.")
    text = f"np.arange({size}.0) * {step} % {size}" + (f" - {offset}" if offset else "")
    return (np.arange(float(size)) * step % size - offset).reshape(shape), f"({text}).reshape{tuple(shape)}"


def counting(shape):
    """1, 2, 3, ..., and the expression that gives them."""
    size = math.prod(shape)
    return np.arange(1.0, size + 1).reshape(shape), f"np.arange(1.0, {size + 1}).reshape{tuple(shape)}"


def pool_case(shape, step, offset=0, **geometry):
    """Scattered numbers, and an upstream gradient that counts."""
    x, x_text = scattered(shape, step, offset)
    upstream, upstream_text = counting(output_shape(shape, **geometry))
    shown = "".join(f", {name}={value}" for name, value in geometry.items())
    name = f"x = {x_text}, upstream gradient {upstream_text}{shown}"
    return Case(name, {"x": x, "grad_output": upstream, **geometry})


def conv_case(x_shape, weight_shape, steps, **geometry):
    """Scattered numbers for input and weight, a bias and an upstream gradient that count."""
    (x, x_text), (weight, weight_text) = scattered(x_shape, steps[0]), scattered(weight_shape, steps[1], offset=2)
    bias, bias_text = counting((weight_shape[0],))
    outputs = conv_output_shape(x_shape, weight_shape, **geometry)
    upstream, upstream_text = counting(outputs)
    shown = "".join(f", {name}={value}" for name, value in geometry.items())
    name = f"x = {x_text}, weight {weight_text}, bias {bias_text}, upstream gradient {upstream_text}{shown}"
    return Case(name, {"x": x, "weight": weight, "bias": bias, "grad_output": upstream, **geometry})
