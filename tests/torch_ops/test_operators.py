"""Every operator as the framework sees it: schema, fake kernels, compilation, layouts, autocast."""

import shutil

import pytest
import torch
from torch._dynamo.testing import CompileCounter
from torch.testing._internal.optests.generate_tests import DEFAULT_TEST_UTILS

from course_lib.torch_ops import nn
from course_lib.torch_ops.adaptive_pool import ADAPTIVE_AVG, ADAPTIVE_MAX, ADAPTIVE_SPREAD
from course_lib.torch_ops.avg_pool import AVG_POOL, AVG_SPREAD
from course_lib.torch_ops.conv_operators import CONV, CONV_BACKWARD, MOMENTS, TRANSPOSE, TRANSPOSE_BACKWARD
from course_lib.torch_ops.fractional_pool import FRACTIONAL
from course_lib.torch_ops.lp_pool import LP_BACKWARD, LP_POOL
from course_lib.torch_ops.max_pool import MAX_POOL, MAX_POOL_VALUES, MAX_SCATTER, MAX_TAKE
from course_lib.torch_ops.max_taps import MAX_TAPS, TAPS_SCATTER, TAPS_TAKE
from course_lib.torch_ops.register import LIBRARY, NAMESPACE
from course_lib.torch_ops.unpool import UNPOOL, UNPOOL_READ
from tests.torch_ops.cases import CASES, case_id, tensors

every_case = pytest.mark.parametrize("case", CASES, ids=case_id)
WINDOW = ([3], [2], [1], "", [1], False)
X = torch.linspace(-1, 1, 2 * 3 * 7 * 6, dtype=torch.float64).reshape(2, 3, 7, 6).sin()
GRAD = torch.linspace(-1, 1, 2 * 3 * 4 * 3, dtype=torch.float64).reshape(2, 3, 4, 3).cos()
INDICES = MAX_POOL(X, *WINDOW)[1]
WEIGHT = torch.linspace(-1, 1, 4 * 3 * 3 * 2, dtype=torch.float64).reshape(4, 3, 3, 2).sin()
BIAS = torch.linspace(-1, 1, 4, dtype=torch.float64)
Y = torch.linspace(-1, 1, 2 * 4 * 4 * 3, dtype=torch.float64).reshape(2, 4, 4, 3).cos()
TAPS = MAX_TAPS(X, *WINDOW)[1]
CALLS = {
    "max_pool": (MAX_POOL, (X, *WINDOW)),
    "max_pool_values": (MAX_POOL_VALUES, (X, *WINDOW)),
    "max_scatter": (MAX_SCATTER, (GRAD, INDICES, list(X.shape), True)),
    "max_take": (MAX_TAKE, (X, INDICES)),
    "max_taps": (MAX_TAPS, (X, *WINDOW)),
    "taps_scatter": (TAPS_SCATTER, (GRAD, TAPS, list(X.shape), *WINDOW)),
    "taps_take": (TAPS_TAKE, (X, TAPS, *WINDOW)),
    "avg_pool": (AVG_POOL, (X, *WINDOW, True, None)),
    "avg_spread": (AVG_SPREAD, (GRAD, list(X.shape), *WINDOW, False, None)),
    "adaptive_max": (ADAPTIVE_MAX, (X, [3, 2])),
    "adaptive_avg": (ADAPTIVE_AVG, (X, [3, 2])),
    "adaptive_spread": (ADAPTIVE_SPREAD, (GRAD, list(X.shape))),
    "fractional": (FRACTIONAL, (X, X[:, :, 0, :2].abs(), [2, 2], [4, 3])),
    "lp_pool": (LP_POOL, (X, 3.0, *WINDOW)),
    "lp_backward": (LP_BACKWARD, (GRAD, X, 3.0, *WINDOW)),
    "unpool": (UNPOOL, (GRAD, INDICES, list(X.shape), "last")),
    "unpool_read": (UNPOOL_READ, (X, INDICES)),
    "conv": (CONV, (X, WEIGHT, BIAS, [2, 2], [1, 1, 1, 0], [1, 1], 1)),
    "conv_backward": (CONV_BACKWARD, (Y, X, WEIGHT, [2, 2], [1, 1, 1, 0], [1, 1], 1)),
    "conv_transpose": (TRANSPOSE, (Y, WEIGHT, BIAS[:3], [2, 2], [1, 1, 1, 0], [0, 1], [1, 1], 1)),
    "conv_transpose_backward": (TRANSPOSE_BACKWARD, (X, Y, WEIGHT, [2, 2], [1, 1, 1, 0], [0, 1], [1, 1], 1)),
    "conv_moments": (MOMENTS, (Y, X, [4, 3, 3, 2], [2, 2], [1, 1, 1, 0], [1, 1], 1)),
}
LAYOUTS = {
    "contiguous": lambda x: x,
    "channels last": lambda x: x.movedim(1, -1).contiguous().movedim(-1, 1),
    "expanded": lambda x: x[:1].expand(x.shape),
    "transposed": lambda x: x.transpose(-1, -2).contiguous().transpose(-1, -2),
}
# What opcheck itself does, with the operators' inputs and with the gradients it asks for.
IN_OPCHECK = "ignore:.*(jit.script|.grad attribute of a Tensor).*"


def test_every_operator_is_called_here():
    defined = {name.split("::")[1] for name in torch._C._dispatch_get_all_op_names() if name.startswith(NAMESPACE)}
    assert LIBRARY.ns == NAMESPACE
    assert {name.split(".")[0] for name in defined} == set(CALLS)


@pytest.mark.filterwarnings(IN_OPCHECK)
@pytest.mark.parametrize("layout", ["contiguous", "channels last"])
@pytest.mark.parametrize("name", CALLS)
def test_opcheck_finds_nothing(name, layout):
    operator, args = CALLS[name]
    tensors = [_laid_out(layout, value) for value in args]
    leaves = [value.clone().requires_grad_() if _is_float(value) else value for value in tensors]
    # Tracing sees a layout only through the fake kernels, so that one layout is traced.
    checks = DEFAULT_TEST_UTILS if layout == "contiguous" else ["test_schema", "test_faketensor"]
    found = torch.library.opcheck(operator, leaves, test_utils=checks)
    assert found == dict.fromkeys(checks, "SUCCESS")


def _laid_out(layout, value):
    """An operator's argument in a layout; a bias has only one."""
    return LAYOUTS[layout](value) if isinstance(value, torch.Tensor) and value.dim() > 2 else value


def _is_float(value):
    return isinstance(value, torch.Tensor) and value.is_floating_point()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", CALLS)
def test_fake_kernel_gives_the_real_strides(name, layout):
    operator, args = CALLS[name]
    real = [_laid_out(layout, value) for value in args]
    meta = [value.to("meta") if isinstance(value, torch.Tensor) else value for value in real]
    for found, expected in zip(_results(operator(*meta)), _results(operator(*real)), strict=True):
        assert (found.shape, found.stride(), found.dtype) == (expected.shape, expected.stride(), expected.dtype)


def _results(value):
    return (value,) if isinstance(value, torch.Tensor) else value


@every_case
def test_shapes_are_known_without_values(case):
    real = tensors(case)
    found, expected = case.ours(*(x.to("meta").requires_grad_() for x in real)), case.ours(*real)
    assert (found.shape, found.stride(), found.dtype) == (expected.shape, expected.stride(), expected.dtype)
    found.sum().backward()


@every_case
def test_compiled_without_graph_break(case):
    inputs = tuple(x.requires_grad_() for x in tensors(case))
    compiled = torch.compile(case.ours, fullgraph=True, backend="aot_eager")
    y = compiled(*inputs)
    expected = case.ours(*inputs)
    torch.testing.assert_close(y, expected, rtol=0, atol=0)
    for found, wanted in zip(
        torch.autograd.grad(y.sum(), inputs), torch.autograd.grad(expected.sum(), inputs), strict=True
    ):
        torch.testing.assert_close(found, wanted, rtol=0, atol=0)


@every_case
def test_compiled_once_for_any_size(case):
    # Traced without gradients: `opcheck` traces those of every operator, for any size too.
    counter = CompileCounter()
    compiled = torch.compile(case.ours, fullgraph=True, dynamic=True, backend=counter)
    x, *others = tensors(case)
    # Sizes that no other axis has: equal ones are taken for one symbol.
    for samples in (10, 11):
        inputs = tuple(value.requires_grad_() for value in (torch.cat([x] * samples), *others))
        torch.testing.assert_close(compiled(*inputs), case.ours(*inputs), rtol=0, atol=0)
    assert counter.frame_count == 1


class Small(torch.nn.Module):
    """Our operations among the framework's."""

    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(
            nn.Conv(2, 4, 3, padding=1), torch.nn.ReLU(), nn.MaxPool(3, 2, 1), nn.AvgPool(2), nn.GlobalAvgPool()
        )

    def forward(self, x):
        return self.layers(x).flatten(1).tanh()


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("g++"), reason="the default compiler needs a C++ compiler")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("layout", [torch.contiguous_format, torch.channels_last], ids=str)
def test_default_compiler_trains_the_same(layout):
    torch.manual_seed(0)
    x, model = torch.randn(2, 2, 12, 12).to(memory_format=layout), Small()
    compiled = torch.compile(model, fullgraph=True)
    expected = torch.autograd.grad(model(x).sum(), model.parameters())
    for found, wanted in zip(torch.autograd.grad(compiled(x).sum(), model.parameters()), expected, strict=True):
        torch.testing.assert_close(found, wanted)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_export_keeps_the_operators():
    x = torch.randn(2, 2, 12, 12)
    exported = torch.export.export(Small().eval(), (x,))
    names = {str(node.target) for node in exported.graph.nodes}
    assert {"course_lib.conv.default", "course_lib.avg_pool.default", "course_lib.adaptive_avg.default"} <= names
    assert exported.module()(x).shape == (2, 4)
