"""The expressions of the bank's checks and facts, and the few functions that they may call besides course_lib's."""

import itertools
import math
import re

import numpy as np
import pytest

import course_lib
from course_lib import gradcheck, routing
from course_lib.exercises.misconceptions import CATALOGUE, MAX_POOL, Case
from course_lib.workspace import COURSE

CHAPTER = COURSE / "sources" / "chapters" / "07_how_do_i_know_it_is_right.py"


def run(expression):
    """What an expression gives; what is about PyTorch is skipped where there is none."""
    names = dict(NAMES)
    if "torch." in expression:
        names["torch"] = pytest.importorskip("torch", reason="the claim is about PyTorch")
    return eval(expression, names)


def winners(x, *geometry):
    """The places of the winners of max pooling, one after the other."""
    return course_lib.max_pool(np.asarray(x, float), *geometry, return_indices=True)[1].ravel().tolist()


def routed(x, *geometry, sent=None):
    """The gradient of max pooling, for an upstream gradient of ones or for another."""
    y, indices = course_lib.max_pool(np.asarray(x, float), *geometry, return_indices=True)
    return course_lib.max_pool_backward(np.ones_like(y) if sent is None else sent, indices, np.shape(x))


def overwritten(x, *geometry, sent):
    """The same by a backward that assigns where it should add."""
    grad_input = np.zeros(np.size(x))
    for place, value in zip(winners(x, *geometry), np.ravel(sent), strict=True):
        grad_input[place] = value
    return grad_input.reshape(np.shape(x))


def central(function, x, step):
    """A central difference."""
    return (function(x + step) - function(x - step)) / (2 * step)


def bfloat16(numbers):
    """Numbers rounded to bfloat16: the upper half of a float32, to the nearest, to even at the middle."""
    bits = np.asarray(numbers, np.float32).view(np.uint32).astype(np.uint64)
    bits += 0x7FFF + (bits >> 16 & 1)
    return (bits & 0xFFFF0000).astype(np.uint32).view(np.float32)[()]


def refusal(function, *arguments, **options):
    """What an error says that a call raises; else nothing."""
    try:
        function(*arguments, **options)
    except (ValueError, RuntimeError) as error:
        return str(error)
    return ""


def stops(rounded):
    """Where a sum of ones stops, if it begins at a power of two and each sum is rounded by a function."""
    return next(2**power for power in range(30) if rounded(2.0**power + 1) == 2**power)


def least_left(additions):
    """The least that two threads can leave of so many additions of 1 by each, without a lock."""
    turns = 2 * additions
    orders = itertools.combinations(range(2 * turns), turns)
    return min(_left([turn in chosen for turn in range(2 * turns)]) for chosen in orders)


def _left(order):
    """What is left if two threads read and write in this order."""
    number, seen = 0, {}
    for thread in order:
        if thread in seen:
            number = seen.pop(thread) + 1
        else:
            seen[thread] = number
    return number


def bins(n, o):
    """The windows of adaptive pooling, from n elements to o: first element, and the one behind the last."""
    return [[i * n // o, -(-(i + 1) * n // o)] for i in range(o)]


def tower(kernel_size, full=False):
    """Density in front of each of three pools with convolutions between, from the first; ``full``: of those instead."""
    rng, x, steps = np.random.default_rng(0), np.random.default_rng(1).normal(size=(1, 4, 32, 32)), []
    for _ in range(3):
        weight = rng.normal(size=(4, 4, kernel_size, kernel_size))
        z = course_lib.conv(x, weight, padding=kernel_size // 2)
        y, indices = course_lib.max_pool(z, 2, return_indices=True)
        steps.append((x, weight, z.shape, indices))
        x = y
    gradient, found = np.ones_like(x), []
    for x, weight, shape, indices in reversed(steps):
        at_pool = course_lib.max_pool_backward(gradient, indices, shape)
        gradient = course_lib.conv_backward(at_pool, x, weight, padding=kernel_size // 2)[0]
        found.append(routing.density(gradient if full else at_pool))
    return found[::-1]


def moved(optimiser, **options):
    """How far an optimiser of PyTorch moves a weight in a step with the gradient 0, after one with the gradient 1."""
    import torch

    weight = torch.nn.Parameter(torch.ones(()))
    steps = optimiser([weight], lr=0.1, **options)
    for gradient in (1.0, 0.0):
        before, weight.grad = weight.item(), torch.tensor(gradient)
        steps.step()
    return round(weight.item() - before, 4) + 0.0


def alive_on_tiles():
    """How many wrong backwards chapter 07 tries, and how many of them its test on tiles lets pass."""
    names = set(re.findall(r'"(max_\w+)"', CHAPTER.read_text(encoding="utf-8"))) & set(CATALOGUE)
    x, sent = np.random.default_rng(0).permutation(16).reshape(1, 1, 4, 4) * 1.0, np.array([[[[1.0, -2], [4, 8]]]])
    case = Case("", {"x": x, "grad_output": sent, "kernel_size": 2})
    right = MAX_POOL.results(case)["grad_input"]
    found = (np.asarray(CATALOGUE[name].results(case)["grad_input"]) for name in sorted(names))
    return [len(names), sum(wrong.shape == right.shape and np.allclose(wrong, right) for wrong in found)]


HELPERS = (
    winners,
    routed,
    overwritten,
    central,
    bfloat16,
    refusal,
    stops,
    least_left,
    bins,
    tower,
    moved,
    alive_on_tiles,
)
NAMES = (
    {name: getattr(course_lib, name) for name in course_lib.__all__}
    | {function.__name__: function for function in HELPERS}
    | {"np": np, "math": math, "routing": routing, "gradcheck": gradcheck}
)
