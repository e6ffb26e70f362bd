"""Backward passes that a suite of tests is tried on: three right ones of each, written in different ways.

All take arrays (N, C, H, W) and refuse arguments that make no sense, by a `ValueError`.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

import course_lib
from course_lib import loops, routing
from course_lib.exercises.misconceptions.windows import pair
from course_lib.geometry import output_size

POOL_ARGUMENTS = ("grad_output", "x", "kernel_size", "stride", "padding")
CONV_RESULTS = ("grad_input", "grad_weight", "grad_bias")


@dataclass(frozen=True)
class Call:
    """What can be tested.

    Attributes
    ----------
    name : str
    arguments : tuple of str
        In order; those with a default may be left out.
    defaults : dict of str to int
    results : tuple of str
        What it gives, by name.
    check : callable
        Takes the arguments by name, raises `ValueError` if they make no sense.
    right : dict of str to callable
        Right implementations by how they work: from the arguments, by name, to the results, in order.
    """

    name: str
    arguments: tuple
    defaults: dict
    results: tuple
    check: Callable
    right: dict

    def run(self, compute, arguments):
        """The named results of an implementation that checks its arguments first."""
        self.check(**arguments)
        return dict(zip(self.results, compute(**arguments), strict=True))


def _check_planes(**arrays):
    """Four axes each, none of them empty."""
    for name, array in arrays.items():
        if array.ndim != 4 or 0 in array.shape:
            raise ValueError(f"{name} must have four axes, none of them empty; got shape {array.shape}.")


def _check_windows(grad_output, samples, channels, sizes, kernel, stride, padding):
    """The kernel fits, and the upstream gradient has the output's shape."""
    axes = list(zip(sizes, kernel, pair(stride), pair(padding), strict=True))
    if any(k < 1 or s < 1 or p < 0 or k > size + 2 * p for size, k, s, p in axes):
        raise ValueError(f"the kernel {kernel} must fit into the padded input {tuple(sizes)}.")
    expected = samples, channels, *(output_size(size, k, s, p, p) for size, k, s, p in axes)
    if grad_output.shape != expected:
        raise ValueError(f"grad_output must have shape {expected}; got {grad_output.shape}.")


def check_conv(grad_output, x, weight, stride, padding):
    """Channels agree, the kernel fits, and the upstream gradient has the output's shape."""
    _check_planes(grad_output=grad_output, x=x, weight=weight)
    if x.shape[1] != weight.shape[1]:
        raise ValueError(f"x and weight must have the same input channels; got {x.shape[1]} and {weight.shape[1]}.")
    _check_windows(grad_output, len(x), len(weight), x.shape[2:], weight.shape[2:], stride, padding)


def check_pool(grad_output, x, kernel_size, stride, padding):
    """The kernel fits, padding is at most half of it, and the upstream gradient has the output's shape."""
    _check_planes(grad_output=grad_output, x=x)
    kernel = pair(kernel_size)
    if any(2 * p > k for p, k in zip(pair(padding), kernel, strict=True)):
        raise ValueError(f"padding must be at most half of the kernel {kernel}; got {padding}.")
    _check_windows(grad_output, *x.shape[:2], x.shape[2:], kernel, stride, padding)


def _conv(library):
    """Convolution backward by one of the course's own."""
    return lambda grad_output, x, weight, stride, padding: library.conv_backward(
        grad_output, x, weight, stride, padding
    )


def conv_by_gathering(grad_output, x, weight, stride, padding):
    """Every gradient looks for what it depends on: windows by a view, the input by a transposed convolution."""
    (sh, sw), (ph, pw) = pair(stride), pair(padding)
    wide = np.pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw)))
    windows = sliding_window_view(wide, weight.shape[2:], (2, 3))[:, :, ::sh, ::sw]
    grad_weight = np.einsum("nqrs,ncrsuv->qcuv", grad_output, windows)
    grad_wide = np.zeros(wide.shape)
    back = course_lib.conv_transpose(grad_output, weight, stride=pair(stride))
    grad_wide[:, :, : back.shape[2], : back.shape[3]] = back
    grad_input = grad_wide[:, :, ph : ph + x.shape[2], pw : pw + x.shape[3]]
    return grad_input, grad_weight, np.einsum("nqrs->q", grad_output)


def _max(library):
    """Max pooling backward by one of the course's own."""

    def compute(grad_output, x, kernel_size, stride, padding):
        _, indices = library.max_pool(x, kernel_size, stride, padding, return_indices=True)
        return (library.max_pool_backward(grad_output, indices, x.shape),)

    return compute


def _avg(library):
    """Average pooling backward by one of the course's own."""

    def compute(grad_output, x, kernel_size, stride, padding):
        return (library.avg_pool_backward(grad_output, x.shape, kernel_size, stride, padding),)

    return compute


def max_by_routes(grad_output, x, kernel_size, stride, padding):
    """A sparse matrix times the upstream gradient."""
    return (routing.max_routes(x, kernel_size, stride, padding).backward(grad_output),)


def avg_by_routes(grad_output, x, kernel_size, stride, padding):
    """A sparse matrix times the upstream gradient."""
    return (routing.avg_routes(x, kernel_size, stride, padding).backward(grad_output),)


CONV_CALL = Call(
    "conv2d_backward",
    ("grad_output", "x", "weight", "stride", "padding"),
    {"stride": 1, "padding": 0},
    CONV_RESULTS,
    check_conv,
    {"vectorised": _conv(course_lib), "loops": _conv(loops), "gathering": conv_by_gathering},
)
MAX_CALL = Call(
    "max_pool2d_backward",
    POOL_ARGUMENTS,
    {"padding": 0},
    ("grad_input",),
    check_pool,
    {"vectorised": _max(course_lib), "loops": _max(loops), "routes": max_by_routes},
)
AVG_CALL = Call(
    "avg_pool2d_backward",
    POOL_ARGUMENTS,
    {"padding": 0},
    ("grad_input",),
    check_pool,
    {"vectorised": _avg(course_lib), "loops": _avg(loops), "routes": avg_by_routes},
)
CALLS = {call.name: call for call in (CONV_CALL, MAX_CALL, AVG_CALL)}
