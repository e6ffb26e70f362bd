# %% [markdown]
# # Exercise 6 ★★★ Check the gradient
#
# **Task.** Write a gradient checker, and report how far your convolution's gradients are from differences and from
# PyTorch's.
#
# | give | takes | gives |
# |---|---|---|
# | `sampled_check` | `function, backward, inputs, grad_output, samples, rng` | `accepted, errors` |
# | `compare_with_torch` | `backward, x, weight, bias, grad_output` | `errors` |
# | `report` | | a dict, see below |
#
# `function(*inputs)` gives one array; `backward(grad_output, *inputs)` gives one gradient an input, in a tuple. The
# inputs are float64 arrays in a list. Draw `samples` different elements of each input from `rng`, or take all where
# there are fewer. `accepted` is True or False. `errors` has one row an input: the largest absolute error of the
# elements you took, and the largest relative one, which is that over the largest slope among them.
#
# `compare_with_torch` computes all three gradients of a convolution with PyTorch too, and gives one such row for `x`,
# `weight` and `bias`; here relative means over the largest element of PyTorch's gradient.
#
# Your checker must accept right backwards and reject wrong ones, also where a ReLU sits at 0 and where elements tie.
# At such a kink every choice between the slopes on both sides is right, as long as elements that tie add up.
#
# **Allowed:** NumPy; PyTorch in `compare_with_torch`. Not `course_lib.gradcheck`: it is what you write here.
# **Length:** about 35 lines. **Needed:** [chapter 07](../notebooks/07_how_do_i_know_it_is_right.ipynb).

# %% name="given"
import numpy as np

import course_lib
from course_lib.exercises import check, hint, reveal
from course_lib.experiments import environment


def draw(seed):
    """A small convolution in float64."""
    rng = np.random.default_rng(seed)
    x, weight, bias = rng.normal(size=(2, 3, 6, 5)), rng.normal(size=(4, 3, 3, 2)), rng.normal(size=4)
    return x, weight, bias, rng.normal(size=(2, 4, 4, 4))


# %% [markdown] name="whose"
# Which convolution is checked? Put your own functions of exercise 5 here. Until they are there, the course's are
# checked. `conv2d` takes `x, weight, bias`, and `conv2d_backward` takes `grad_output, x, weight`.

# %% name="convolution"
conv2d = course_lib.conv
conv2d_backward = course_lib.conv_backward

# %% [markdown] name="your-turn" tags=["stub"]
# Two functions, then the report: a dict with `seed`, `samples`, `numeric` (the errors by your checker), `torch` (the
# errors against PyTorch) and `environment`. `environment()` gives the last. The others come from `draw(seed)`, with
# `np.random.default_rng(seed)` for your checker.


# %% name="stub" tags=["stub"]
def sampled_check(function, backward, inputs, grad_output, samples, rng):
    """Whether a backward is right, and the largest absolute and relative error of each gradient."""
    raise NotImplementedError("Your turn.")


def compare_with_torch(backward, x, weight, bias, grad_output):
    """The largest absolute and relative error of the three gradients of a convolution."""
    raise NotImplementedError("Your turn.")


report = ...

# %% [markdown] name="slopes" tags=["solution"]
# First the slope along a direction. One-sided slopes of each output are paired: their smaller and their larger numbers
# are the ends of an interval. Where the function is smooth the interval is a point, and its middle is the central
# difference.


# %% name="solution-slope" tags=["solution"]
def slope(function, inputs, number, direction, grad_output, step=1e-5):
    """The interval of the loss's slope when one input moves along a direction."""

    def output(distance):
        return function(*(a + distance * direction if i == number else a for i, a in enumerate(inputs)))

    left = (output(0) - output(-step)) / step * grad_output
    right = (output(step) - output(0)) / step * grad_output
    return np.minimum(left, right).sum(), np.maximum(left, right).sum()


def distance(value, low, high):
    """How far a gradient is from its slope; at a kink, from the interval between both sides."""
    if high - low < 1e-3 * max(abs(low), abs(high)):
        return abs(value - (low + high) / 2)
    return max(low - value, value - high, 0)


# %% [markdown] name="directions" tags=["solution"]
# Then the directions: single elements, drawn from the generator, and all elements at once. The last one is what finds a
# gradient that pays every tied element in full: each of them alone lies inside its interval, and their sum does not.


# %% name="solution-directions" tags=["solution"]
def directions(array, samples, rng):
    """One array an element that is taken, with a single 1; at the end one of all ones."""
    chosen = rng.choice(array.size, min(samples, array.size), replace=False)
    return [*np.eye(array.size)[chosen].reshape(-1, *array.shape), np.ones(array.shape)]


# %% [markdown] name="acceptance" tags=["solution"]
# Errors count relative to the largest slope of their input: an absolute limit would let everything pass where the
# upstream gradient is small. `<` and not `>=` decides, since a comparison with NaN is false and NaN must be refused.


# %% name="solution-check" tags=["solution"]
def sampled_check(function, backward, inputs, grad_output, samples, rng):
    """Whether a backward is right, and the largest absolute and relative error of each gradient."""
    gradients = backward(grad_output, *inputs)
    assert [np.shape(g) for g in gradients] == [a.shape for a in inputs], "one gradient an input, of its shape"
    accepted, errors = True, []
    for number, (array, gradient) in enumerate(zip(inputs, gradients, strict=True)):
        moves = directions(array, samples, rng)
        slopes = [slope(function, inputs, number, move, grad_output) for move in moves]
        pairs = zip(moves, slopes, strict=True)
        off = np.array([distance(np.vdot(gradient, move), *ends) for move, ends in pairs])
        size = np.abs(slopes).max(axis=1)
        errors.append([off[:-1].max(), off[:-1].max() / size[:-1].max()])
        accepted = accepted and bool(errors[-1][1] < 1e-6 and off[-1] <= 1e-6 * size.max())
    return accepted, np.array(errors)


# %% [markdown] name="framework" tags=["solution"]
# PyTorch gives all elements of the gradients at once, by other means. It needs a scalar: the same
# ⟨grad_output, output⟩.


# %% name="solution-torch" tags=["solution"]
def compare_with_torch(backward, x, weight, bias, grad_output):
    """The largest absolute and relative error of the three gradients of a convolution."""
    import torch

    tensors = [torch.from_numpy(array).requires_grad_() for array in (x, weight, bias)]
    loss = (torch.nn.functional.conv2d(*tensors) * torch.from_numpy(grad_output)).sum()
    rights = [gradient.numpy() for gradient in torch.autograd.grad(loss, tensors)]
    found = backward(grad_output, x, weight, bias)
    assert [np.shape(g) for g in found] == [g.shape for g in rights], "one gradient an input, of its shape"
    absolute = [np.abs(a - b).max() for a, b in zip(found, rights, strict=True)]
    return np.array([[a, a / np.abs(right).max()] for a, right in zip(absolute, rights, strict=True)])


# %% name="solution-report" tags=["solution", "nbval-ignore-output"]
seed, samples = 6, 8
x, weight, bias, grad_output = draw(seed)


def backward(grad_output, x, weight, bias):
    return conv2d_backward(grad_output, x, weight)


rng = np.random.default_rng(seed)
accepted, numeric = sampled_check(conv2d, backward, [x, weight, bias], grad_output, samples, rng)
against_torch = compare_with_torch(backward, x, weight, bias, grad_output)
report = {"seed": seed, "samples": samples, "numeric": numeric, "torch": against_torch, "environment": environment()}
assert accepted and numeric[:, 1].max() < 1e-8 and against_torch[:, 1].max() < 1e-14
report

# %% [markdown] name="read" tags=["solution"]
# The differences agree to about ten digits, which is all that a difference in float64 can give. PyTorch agrees to about
# fifteen: it computes the same sums in another order. So a comparison with a second implementation is the sharper test
# where there is one, and the difference is the one that needs no second implementation.

# %% name="check"
check(
    6,
    sampled_check=sampled_check,
    compare_with_torch=compare_with_torch,
    conv2d=conv2d,
    conv2d_backward=conv2d_backward,
    report=report,
)

# %% [markdown] name="hints"
# **Stuck?** Take the zero out of the next cell and run it. Each run gives the next hint, from a question to the line.
# `reveal(6)` leads to the solution.

# %% name="hint"
hint(6, 0)
