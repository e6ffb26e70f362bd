"""Convolution, forward and backward, as a recipe in which every step is a rule that a mistake can change.

Arrays with groups have the axes (N, groups, channels of the group, ...). In einsum: n samples, g groups, q outputs and
c inputs of a group, r and s rows and columns of windows, u and v rows and columns of the kernel.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import course_lib
from course_lib.exercises.misconceptions.model import Case, Lazily, Operation
from course_lib.exercises.misconceptions.pooling import add, as_laid, in_place, unchanged, without_padding
from course_lib.exercises.misconceptions.windows import Geometry, conv_output_shape, cut, flat_targets, pair, targets


@dataclass(frozen=True)
class Rules:
    """The steps of a convolution.

    Attributes
    ----------
    group : callable
        From an array, an axis of channels and the number of groups to the array with that axis split in two.
    lay, lay_weight, lay_input : callable
        From the geometry to that of the forward, of the weight's and of the input's gradient.
    correlate : callable
        From the windows (n g c r s u v) and the weight (g q c u v) to the sums (n g q r s).
    add_bias : callable
        From the sums (N, outputs, rows, columns), the bias and the input to the output before the activation.
    slope : callable
        From the output before the activation to the derivative of the ReLU.
    bias : callable
        From the upstream gradient (N, outputs, rows, columns) to the bias' gradient.
    weight : callable
        From the windows and the upstream gradient (n g q r s) to the weight's gradient (g q c u v).
    kernel : callable
        From the weight to the one that sends the gradient back.
    send : callable
        From the upstream gradient and that weight, both with groups, to what each tap receives (n g c r s u v).
    place, collect, crop : callable
        As in pooling.
    finish : callable
        From the input's gradient, the recipe's arguments and the geometry to the result.
    scale_input, scale_weight, scale_bias : callable
        From a gradient and the shape of the upstream gradient to the result.
    """

    group: Callable
    lay: Callable
    lay_weight: Callable
    lay_input: Callable
    correlate: Callable
    add_bias: Callable
    slope: Callable
    bias: Callable
    weight: Callable
    kernel: Callable
    send: Callable
    place: Callable
    collect: Callable
    crop: Callable
    finish: Callable
    scale_input: Callable
    scale_weight: Callable
    scale_bias: Callable


@dataclass(frozen=True)
class Given:
    """The arguments of one run, with their geometry."""

    x: np.ndarray
    weight: np.ndarray
    bias: np.ndarray
    grad_output: np.ndarray
    geometry: Geometry
    groups: int
    activation: str | None


def conv_recipe(rules, x, weight, bias, grad_output, stride=1, padding=0, dilation=1, groups=1, activation=None):
    """Both passes by the given rules: ``y``, ``grad_input``, ``grad_weight`` and ``grad_bias``."""
    outputs = conv_output_shape(x.shape, weight.shape, stride, padding, dilation)[2:]
    geometry = Geometry(x.shape, weight.shape[2:], pair(stride), pair(padding), outputs, pair(dilation))
    given = Given(x, weight, bias, grad_output, geometry, groups, activation)
    return Lazily(
        y=lambda: activate(forward(rules, given), activation),
        grad_input=lambda: grad_input(rules, given),
        grad_weight=lambda: grad_weight(rules, given),
        grad_bias=lambda: rules.scale_bias(rules.bias(upstream(rules, given)), given.grad_output.shape),
    )


def forward(rules, given):
    """The output before the activation."""
    sums = rules.correlate(taps(rules, given, rules.lay(given.geometry)), rules.group(given.weight, 0, given.groups))
    return rules.add_bias(joined(sums), given.bias, given.x)


def upstream(rules, given):
    """The gradient of the output before the activation."""
    return given.grad_output if given.activation is None else given.grad_output * rules.slope(forward(rules, given))


def grad_weight(rules, given):
    """The weight's gradient."""
    windows = taps(rules, given, rules.lay_weight(given.geometry))
    gradient = rules.weight(windows, rules.group(upstream(rules, given), 1, given.groups))
    return rules.scale_weight(gradient.reshape(-1, *gradient.shape[2:]), given.grad_output.shape)


def grad_input(rules, given):
    """The input's gradient, cropped."""
    geometry = rules.lay_input(given.geometry)
    kernel = rules.group(rules.kernel(given.weight), 0, given.groups)
    sent = joined(rules.send(rules.group(upstream(rules, given), 1, given.groups), kernel))
    index = np.broadcast_to(flat_targets(rules.place(targets(geometry), geometry), geometry), sent.shape)
    # One element more: what is sent outside the padded input goes there.
    gradient = np.zeros(math.prod(geometry.padded) + 1)
    rules.collect(gradient, index, sent, np.ones(sent.shape))
    cropped = rules.crop(gradient[:-1].reshape(geometry.padded), geometry)
    return rules.scale_input(rules.finish(cropped, given, geometry), given.grad_output.shape)


def taps(rules, given, geometry):
    """What every tap reads, (n g c r s u v)."""
    return rules.group(cut(given.x, given.grad_output, geometry, 0.0, 0.0).values, 1, given.groups)


def joined(array):
    """An array without its groups."""
    return array.reshape(len(array), -1, *array.shape[3:])


def activate(z, activation):
    """The output."""
    return z if activation is None else np.maximum(z, 0)


def one_after_another(array, axis, groups):
    """The channels of a group stand side by side."""
    return array.reshape(*array.shape[:axis], groups, -1, *array.shape[axis + 1 :])


def correlate(windows, weight):
    """Every window times the kernel as it stands, summed over the channels of the group."""
    return np.einsum("ngcrsuv,gqcuv->ngqrs", windows, weight)


def add_bias(sums, bias, x):
    """The bias of each output once."""
    return sums + bias[:, None, None]


def positive(z):
    """The derivative of the ReLU, 0 at 0."""
    return (z > 0).astype(np.float64)


def sum_of_upstream(upstream):
    """The sum over samples and positions."""
    return upstream.sum((0, 2, 3))


def weight_gradient(windows, upstream):
    """The sum over samples and positions of what the weight was multiplied with."""
    return np.einsum("ngcrsuv,ngqrs->gqcuv", windows, upstream)


def send(upstream, weight):
    """Each tap receives the sum over the outputs."""
    return np.einsum("ngqrs,gqcuv->ngcrsuv", upstream, weight)


CONV_RULES = Rules(
    group=one_after_another,
    lay=as_laid,
    lay_weight=as_laid,
    lay_input=as_laid,
    correlate=correlate,
    add_bias=add_bias,
    slope=positive,
    bias=sum_of_upstream,
    weight=weight_gradient,
    kernel=unchanged,
    send=send,
    place=in_place,
    collect=add,
    crop=without_padding,
    finish=unchanged,
    scale_input=unchanged,
    scale_weight=unchanged,
    scale_bias=unchanged,
)


def right_conv(x, weight, bias, grad_output, stride=1, padding=0, dilation=1, groups=1, activation=None):
    """Convolution as course_lib computes it, with a ReLU behind it if asked for."""
    geometry = stride, padding, dilation, groups
    z = course_lib.conv(x, weight, bias, *geometry)
    grad_z = grad_output if activation is None else grad_output * (z > 0)
    names = "grad_input", "grad_weight", "grad_bias"
    gradients = course_lib.conv_backward(grad_z, x, weight, *geometry)
    return {"y": activate(z, activation), **dict(zip(names, gradients, strict=True))}


CONV = Operation("convolution", right_conv, conv_recipe, CONV_RULES)


def plane_case(x, kernel, upstream, bias=0, **geometry):
    """One plane, one kernel, one bias."""
    shown = "".join(f", {name}={value}" for name, value in geometry.items())
    name = f"x = {x}, weight {kernel}, bias {bias}, upstream gradient {upstream}{shown}"
    arrays = {"x": [[x]], "weight": [[kernel]], "bias": [bias], "grad_output": [[upstream]]}
    return Case(name, {**arrays, **geometry})
