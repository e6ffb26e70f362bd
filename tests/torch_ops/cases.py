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


def _samples(x, reverse):
    """One place an axis; PyTorch wants them for W, H and we for H, W."""
    count = x.shape[0] * x.shape[1] * 2
    places = (torch.arange(count, dtype=x.dtype, device=x.device) / count).reshape(*x.shape[:2], 2)
    return places.flip(-1) if reverse else places


def _places(x):
    """Where unpooling puts each value: every other element of a plane twice as large."""
    rows, columns = torch.arange(x.shape[2], device=x.device), torch.arange(x.shape[3], device=x.device)
    return (rows[:, None] * 2 * 2 * x.shape[3] + columns * 2).expand(x.shape).contiguous()


CASES = [
    _case("max_pool 1-D", lambda x: torch_ops.max_pool(x, 3, 2, 1), lambda x: F.max_pool1d(x, 3, 2, 1), (1, 2, 9)),
    _case("max_pool", lambda x: torch_ops.max_pool(x, 3, 2, 1), lambda x: F.max_pool2d(x, 3, 2, 1), (1, 2, 7, 5)),
    _case("max_pool 3-D", lambda x: torch_ops.max_pool(x, 2), lambda x: F.max_pool3d(x, 2), (1, 1, 4, 4, 4)),
    _case(
        "max_pool indices",
        lambda x: torch_ops.max_pool(x, 2, return_indices=True)[0],
        lambda x: F.max_pool2d(x, 2, return_indices=True)[0],
        (2, 2, 4, 6),
    ),
    _case("avg_pool 1-D", lambda x: torch_ops.avg_pool(x, 3, 2, 1), lambda x: F.avg_pool1d(x, 3, 2, 1), (1, 2, 9)),
    _case("avg_pool", lambda x: torch_ops.avg_pool(x, 3, 2, 1), lambda x: F.avg_pool2d(x, 3, 2, 1), (1, 2, 7, 5)),
    _case(
        "avg_pool without padding in the divisor",
        lambda x: torch_ops.avg_pool(x, 3, 2, 1, count_include_pad=False),
        lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
        (1, 2, 5, 5),
    ),
    _case(
        "adaptive_max_pool",
        lambda x: torch_ops.adaptive_max_pool(x, (3, None)),
        lambda x: F.adaptive_max_pool2d(x, (3, None)),
        (1, 2, 7, 4),
    ),
    _case(
        "adaptive_avg_pool",
        lambda x: torch_ops.adaptive_avg_pool(x, (3, 2)),
        lambda x: F.adaptive_avg_pool2d(x, (3, 2)),
        (1, 2, 7, 4),
    ),
    _case(
        "global_avg_pool",
        lambda x: torch_ops.global_avg_pool(x),
        lambda x: x.mean((2, 3), keepdim=True),
        (1, 2, 4, 5),
    ),
    _case(
        "fractional_max_pool",
        lambda x: torch_ops.fractional_max_pool(x, 2, 3, samples=_samples(x, False)),
        lambda x: F.fractional_max_pool2d(x, 2, 3, _random_samples=_samples(x, True)),
        (1, 2, 7, 5),
    ),
    _case(
        "lp_pool of order 2", lambda x: torch_ops.lp_pool(x, 2, 3, 2), lambda x: F.lp_pool2d(x, 2, 3, 2), (1, 2, 6, 7)
    ),
    _case("lp_pool of order 3", lambda x: torch_ops.lp_pool(x, 3, 2), lambda x: F.lp_pool1d(x.abs(), 3, 2), (2, 2, 6)),
    _case(
        "max_unpool",
        lambda x: torch_ops.max_unpool(x, _places(x), (*x.shape[:2], 6, 6)),
        lambda x: F.max_unpool2d(x, _places(x), 2, output_size=(6, 6)),
        (2, 2, 3, 3),
    ),
    _case(
        "conv",
        lambda x, w, b: torch_ops.conv(x, w, b, 2, 1, 1, 2),
        lambda x, w, b: F.conv2d(x, w, b, 2, 1, 1, 2),
        (1, 4, 4, 3),
        (2, 2, 3, 2),
        (2,),
    ),
    _case(
        "conv 1-D same",
        lambda x, w: torch_ops.conv(x, w, padding="same", dilation=2),
        lambda x, w: F.conv1d(x, w, padding="same", dilation=2),
        (1, 2, 7),
        (3, 2, 4),
    ),
    _case(
        "conv_transpose",
        lambda x, w, b: torch_ops.conv_transpose(x, w, b, 2, 1, 1, groups=2),
        lambda x, w, b: F.conv_transpose2d(x, w, b, 2, 1, 1, groups=2),
        (1, 2, 2, 3),
        (2, 1, 3, 2),
        (2,),
    ),
    _case(
        "conv_transpose with more output padding than stride",
        lambda x, w: torch_ops.conv_transpose(x, w, None, 1, 0, 2, 3),
        lambda x, w: F.conv_transpose1d(x, w, None, 1, 0, 2, 1, 3),
        (1, 2, 4),
        (2, 3, 2),
    ),
    _case("avg_pool 3-D", lambda x: torch_ops.avg_pool(x, 2), lambda x: F.avg_pool3d(x, 2), (1, 1, 4, 4, 4)),
]


def tensors(case, dtype=torch.float64, seed=0):
    """Distinct values, spaced wider than any difference step, so that no check meets a tie."""
    generator = torch.Generator().manual_seed(seed)
    found = []
    for shape in case.shapes:
        count = torch.Size(shape).numel()
        # No element is 0, where a norm has a corner.
        values = (torch.randperm(count, generator=generator).reshape(shape) + 0.3) / count - 0.5
        found.append(values.to(dtype))
    return tuple(found)


def case_id(case):
    return case.name
