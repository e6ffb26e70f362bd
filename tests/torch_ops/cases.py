"""One small call of every differentiable operation, for the tests that hold for all of them."""

from typing import NamedTuple

import torch
import torch.nn.functional as F

from course_lib import torch_ops

# torch itself uses torch.jit.script when forward mode is first used, and warns of it.
FORWARD_MODE = "ignore:`torch.jit.script:DeprecationWarning"


class Case(NamedTuple):
    """A call of ours, the framework's call of the same, and the shapes of the tensors that both take."""

    name: str
    ours: callable
    native: callable
    shapes: tuple


def _case(name, ours, native, *shapes):
    return Case(name, ours, native, shapes)


CASES = [
    _case("max_pool 1-D", lambda x: torch_ops.max_pool(x, 3, 2, 1), lambda x: F.max_pool1d(x, 3, 2, 1), (2, 3, 9)),
    _case("max_pool", lambda x: torch_ops.max_pool(x, 3, 2, 1), lambda x: F.max_pool2d(x, 3, 2, 1), (2, 3, 7, 6)),
    _case("max_pool 3-D", lambda x: torch_ops.max_pool(x, 2), lambda x: F.max_pool3d(x, 2), (1, 2, 4, 4, 4)),
    _case(
        "max_pool indices",
        lambda x: torch_ops.max_pool(x, 2, return_indices=True)[0],
        lambda x: F.max_pool2d(x, 2, return_indices=True)[0],
        (2, 2, 4, 6),
    ),
    _case("avg_pool 1-D", lambda x: torch_ops.avg_pool(x, 3, 2, 1), lambda x: F.avg_pool1d(x, 3, 2, 1), (2, 3, 9)),
    _case("avg_pool", lambda x: torch_ops.avg_pool(x, 3, 2, 1), lambda x: F.avg_pool2d(x, 3, 2, 1), (2, 3, 7, 6)),
    _case(
        "avg_pool without padding in the divisor",
        lambda x: torch_ops.avg_pool(x, 3, 2, 1, count_include_pad=False),
        lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
        (1, 2, 5, 5),
    ),
    _case("avg_pool 3-D", lambda x: torch_ops.avg_pool(x, 2), lambda x: F.avg_pool3d(x, 2), (1, 2, 4, 4, 4)),
]


def tensors(case, dtype=torch.float64, seed=0):
    """Distinct values, spaced wider than any difference step, so that no check meets a tie."""
    generator = torch.Generator().manual_seed(seed)
    found = []
    for shape in case.shapes:
        count = torch.Size(shape).numel()
        values = torch.randperm(count, generator=generator).reshape(shape) / count - 0.5
        found.append(values.to(dtype))
    return tuple(found)


def case_id(case):
    return case.name
