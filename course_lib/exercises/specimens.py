"""Backward passes, right and wrong, on which a gradient checker is tried."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import course_lib
from course_lib import routing
from course_lib.exercises.misconceptions import CATALOGUE, Case


@dataclass(frozen=True)
class Specimen:
    """A function with a backward pass, at one place.

    Attributes
    ----------
    name : str
        What a verdict calls it.
    function : callable
        From the inputs to the output.
    backward : callable
        From the upstream gradient and the inputs to one gradient an input.
    inputs : tuple of nested lists or ndarray
    grad_output : nested list or ndarray
    """

    name: str
    function: Callable
    backward: Callable
    inputs: tuple
    grad_output: object

    def fresh(self):
        """New arrays: the inputs in a list, and the upstream gradient."""
        return [np.array(array, float) for array in self.inputs], np.array(self.grad_output, float)

    def right(self):
        """The gradients that this backward gives."""
        inputs, grad_output = self.fresh()
        return [np.asarray(gradient, float) for gradient in self.backward(grad_output, *inputs)]

    def with_backward(self, name, backward):
        """The same function with another backward."""
        return Specimen(f"{self.name}, {name}", self.function, backward, self.inputs, self.grad_output)


def _numbers(shape, seed):
    """Numbers away from ties and from 0."""
    order = np.random.RandomState(seed).permutation(int(np.prod(shape)))
    return (order.reshape(shape) - 0.4 * order.size + 0.25) / 4


def relu(x):
    """What is above 0."""
    return np.maximum(x, 0)


def conv_backward(grad_output, x, weight, bias):
    """The three gradients of a convolution."""
    return course_lib.conv_backward(grad_output, x, weight)


def max_pool(x):
    """Windows of 2 × 2 that overlap."""
    return course_lib.max_pool(x, 2, stride=1)


def max_backward(ties):
    """The backward of max pooling by a rule for ties."""

    def backward(grad_output, x):
        return (routing.max_routes(x, 2, stride=1, ties=ties).backward(grad_output),)

    return backward


def avg_pool(x):
    """Windows of 2 × 2 that overlap."""
    return course_lib.avg_pool(x, 2, stride=1)


def avg_backward(grad_output, x):
    """The gradient of average pooling."""
    return (course_lib.avg_pool_backward(grad_output, x.shape, 2, stride=1),)


def by_mistake(name):
    """The backward of these windows with a mistake of the catalogue."""

    def backward(grad_output, x):
        case = Case(name, {"x": x, "grad_output": grad_output, "kernel_size": 2, "stride": 1, "padding": 0})
        return (CATALOGUE[name].results(case)["grad_input"],)

    return backward


def kernel_turned(grad_output, x, weight, bias):
    """The kernel the wrong way round in the gradient of the input."""
    _, *rest = course_lib.conv_backward(grad_output, x, weight)
    turned, *_ = course_lib.conv_backward(grad_output, x, np.ascontiguousarray(weight[..., ::-1, ::-1]))
    return turned, *rest


def last_window_only(grad_output, x, weight, bias):
    """= instead of += in the gradient of the input."""
    grad_input, *rest = course_lib.conv_backward(grad_output, x, weight)
    rows, columns = weight.shape[2:]
    for n, r, s in np.ndindex(len(x), *grad_output.shape[2:]):
        part = np.tensordot(grad_output[n, :, r, s], weight, 1)
        grad_input[n, :, r : r + rows, s : s + columns] = part
    return grad_input, *rest


def last_sample_only(grad_output, x, weight, bias):
    """= instead of += over the samples in the gradient of the weight."""
    grad_input, _, grad_bias = course_lib.conv_backward(grad_output, x, weight)
    return grad_input, course_lib.conv_backward(grad_output[-1:], x[-1:], weight)[1], grad_bias


def divided_again(grad_output, x, weight, bias):
    """Divided by the number of samples once more."""
    return tuple(gradient / len(x) for gradient in course_lib.conv_backward(grad_output, x, weight))


def mean_bias(grad_output, x, weight, bias):
    """A mean in the gradient of the bias where a sum belongs."""
    grad_input, grad_weight, _ = course_lib.conv_backward(grad_output, x, weight)
    return grad_input, grad_weight, grad_output.mean(axis=(0, 2, 3))


def not_a_number(grad_output, x, weight, bias):
    """One element is NaN."""
    grad_input, grad_weight, grad_bias = course_lib.conv_backward(grad_output, x, weight)
    grad_weight[0, 0, 0, 0] = np.nan
    return grad_input, grad_weight, grad_bias


def kept_axes(grad_output, x, weight, bias):
    """The gradient of the bias with axes of one: it would be broadcast in silence."""
    grad_input, grad_weight, grad_bias = course_lib.conv_backward(grad_output, x, weight)
    return grad_input, grad_weight, grad_bias[:, None, None]


def one_missing(grad_output, x, weight, bias):
    """No gradient of the bias."""
    return course_lib.conv_backward(grad_output, x, weight)[:2]


CONV = Specimen(
    "a convolution of two samples and channels",
    course_lib.conv,
    conv_backward,
    (_numbers((2, 2, 3, 3), 1), _numbers((3, 2, 2, 2), 2), _numbers((3,), 3)),
    _numbers((2, 3, 2, 2), 4),
)
SMALL_CONV = Specimen(
    "a convolution with an upstream gradient of about 1e-7", CONV.function, conv_backward, CONV.inputs,
    1e-7 * CONV.grad_output,
)  # fmt: skip
EXP = Specimen("an exponential", np.exp, lambda g, x: (g * np.exp(x),), (_numbers((3, 4), 5),), _numbers((3, 4), 6))
RELU = Specimen(
    "a ReLU with inputs at 0", relu, lambda g, x: (g * (x > 0),), ([[0.0, 2.0, -1.0], [-3.0, 0.0, 4.0]],),
    [[2.0, -1.0, 3.0], [4.0, -5.0, 6.0]],
)  # fmt: skip
SHARED_PLANES = [[[[1.0, 5, 2], [6, 9, 3], [4, 8, 7]], [[6.0, 2, 1], [3, 8, 9], [5, 4, 7]]]]
MAX = Specimen("max pooling without ties", max_pool, max_backward("first"), (SHARED_PLANES,), _numbers((1, 2, 2, 2), 8))
TIED_PLANE = [[[[1.0, 3, 3], [3, 3, 0], [2, 2, 2]]]]
TIES = Specimen("max pooling with ties", max_pool, max_backward("first"), (TIED_PLANE,), [[[[2.0, -1], [3, 5]]]])
AVG = Specimen("average pooling", avg_pool, avg_backward, (_numbers((1, 2, 3, 3), 9),), _numbers((1, 2, 2, 2), 10))

# What a central difference gives at the 0 of a ReLU: a slope between both sides, which no framework chooses.
HALF_AT_KINK = RELU.with_backward("half the gradient at 0", lambda g, x: (g * ((x > 0) + 0.5 * (x == 0)),))

SMOOTH = (CONV, SMALL_CONV, EXP, MAX, AVG)
KINKED = (
    RELU,
    TIES,
    TIES.with_backward("where the last of equal elements wins", max_backward("last")),
    TIES.with_backward("where equal elements share", max_backward("split")),
)
WRONG = (
    EXP.with_backward("without the upstream gradient", lambda g, x: (np.exp(x),)),
    CONV.with_backward("the kernel turned round", kernel_turned),
    CONV.with_backward("the last window instead of the sum", last_window_only),
    CONV.with_backward("the last sample instead of the sum", last_sample_only),
    CONV.with_backward("divided by the samples once more", divided_again),
    CONV.with_backward("the mean of the bias gradient", mean_bias),
    MAX.with_backward("the last window instead of the sum", by_mistake("max_overwrite")),
    MAX.with_backward("equal shares", avg_backward),
    AVG.with_backward("the last window instead of the sum", by_mistake("avg_overwrite")),
    AVG.with_backward("divided by the kernel's side", by_mistake("avg_divide_by_k")),
)
SMALL_AND_WRONG = (
    SMALL_CONV.with_backward("the last window instead of the sum", last_window_only),
    SMALL_CONV.with_backward("divided by the samples once more", divided_again),
)
WRONG_AT_KINKS = (
    RELU.with_backward("twice the gradient at 0", lambda g, x: (g * ((x > 0) + 2.0 * (x == 0)),)),
    RELU.with_backward("minus the gradient at 0", lambda g, x: (g * ((x > 0) - 1.0 * (x == 0)),)),
    TIES.with_backward("the whole gradient to each of the equal elements", by_mistake("max_eqmask")),
    TIES.with_backward("nothing to equal elements", by_mistake("max_zero_at_tie")),
)
UNUSABLE = (
    CONV.with_backward("one element that is NaN", not_a_number),
    CONV.with_backward("a bias gradient with two axes too many", kept_axes),
    CONV.with_backward("no bias gradient", one_missing),
)
OTHER_SHAPES = UNUSABLE[1:]
