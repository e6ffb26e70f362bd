"""The GPU kernels without a GPU: run by Triton's interpreter against NumPy, and compiled ahead of time."""

import importlib.util
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from course_lib import numpy_ops
from course_lib.torch_ops import triton_launch
from course_lib.torch_ops.plain import max_taps
from tests.geometries import GEOMETRIES, batch, geometry_id
from tests.torch_ops.windows_of import SOME_GEOMETRIES, packed

triton = pytest.importorskip("triton", reason="Triton is not installed; it is a large package, tested on Linux only")
every_geometry = pytest.mark.parametrize("geometry", SOME_GEOMETRIES, ids=geometry_id)
LAYOUTS = {
    "contiguous": lambda x: x,
    "channels last": lambda x: x.movedim(1, -1).contiguous().movedim(-1, 1),
    "expanded": lambda x: x[:, :1].expand(x.shape),
}
DIVISORS = {"pads count": (True, None), "pads do not": (False, None), "override": (True, -3)}
COMPILED = {torch.float16: "*fp16", torch.bfloat16: "*bf16", torch.float32: "*fp32", torch.float64: "*fp64"}


@pytest.fixture
def interpreted(monkeypatch):
    """The launcher with kernels that Triton interprets."""
    # Not by reloading: a second copy leaves the compiled kernels of the first as they are.
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    spec = importlib.util.find_spec("course_lib.torch_ops.triton_kernels")
    copy = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(copy)
    monkeypatch.setattr(triton_launch, "kernels", lambda: copy)
    return triton_launch


def _input(geometry, values, rng, layout="contiguous", dtype=np.float32):
    """A small input of one sample and two channels."""
    return LAYOUTS[layout](torch.from_numpy(batch(values, rng, geometry, dtype, 1, 2)))


@pytest.mark.parametrize("values", ["tied", "inf-nan", "all-minus-inf"])
@every_geometry
def test_max_forward_equals_numpy(interpreted, geometry, values, rng):
    x = _input(geometry, values, rng)
    y, taps = interpreted.max_pool_taps(x, *packed(geometry))
    expected, expected_taps = max_taps.max_pool_taps(x, *packed(geometry))
    np.testing.assert_array_equal(y.numpy(), numpy_ops.max_pool(x.numpy(), **geometry.arguments))
    np.testing.assert_array_equal(y.numpy(), expected.numpy())
    np.testing.assert_array_equal(taps.numpy(), expected_taps.numpy())


@every_geometry
def test_max_backward_equals_numpy_bit_for_bit(interpreted, geometry, rng):
    x = _input(geometry, "tied", rng)
    indices = numpy_ops.max_pool(x.numpy(), **geometry.arguments, return_indices=True)[1]
    taps = max_taps.max_pool_taps(x, *packed(geometry))[1]
    grad_output = rng.normal(size=indices.shape).astype(np.float32)
    found = interpreted.max_taps_backward(torch.from_numpy(grad_output), taps, x.shape, *packed(geometry))
    np.testing.assert_array_equal(found.numpy(), numpy_ops.max_pool_backward(grad_output, indices, tuple(x.shape)))


@pytest.mark.parametrize("divisor", DIVISORS)
@every_geometry
def test_average_equals_numpy(interpreted, geometry, divisor, rng):
    x = _input(geometry, "distinct", rng)
    include, override = DIVISORS[divisor]
    options = geometry.arguments | {"count_include_pad": include, "divisor_override": override}
    y = interpreted.avg_pool(x, *packed(geometry), include, override)
    # A few float32 additions against one rounding.
    np.testing.assert_allclose(y.numpy(), numpy_ops.avg_pool(x.numpy(), **options), rtol=1e-6, atol=1e-5)
    grad_output = rng.normal(size=y.shape).astype(np.float32)
    found = interpreted.avg_pool_backward(torch.from_numpy(grad_output), x.shape, *packed(geometry), include, override)
    expected = numpy_ops.avg_pool_backward(grad_output, tuple(x.shape), **options)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_kernels_follow_strides(interpreted, layout, rng):
    geometry = next(g for g in GEOMETRIES if g.name == "padded")
    x = _input(geometry, "tied", rng, layout)
    y, taps = interpreted.max_pool_taps(x, *packed(geometry))
    expected, indices = numpy_ops.max_pool(x.numpy(), **geometry.arguments, return_indices=True)
    np.testing.assert_array_equal(y.numpy(), expected)
    grad_output = LAYOUTS[layout](torch.from_numpy(rng.normal(size=y.shape).astype(np.float32)))
    found = interpreted.max_taps_backward(grad_output, taps, x.shape, *packed(geometry))
    np.testing.assert_array_equal(
        found.numpy(), numpy_ops.max_pool_backward(grad_output.numpy(), indices, tuple(x.shape))
    )
    average = interpreted.avg_pool(x, *packed(geometry), True, None)
    np.testing.assert_allclose(average.numpy(), numpy_ops.avg_pool(x.numpy(), **geometry.arguments), atol=1e-5)
    assert average.stride() == y.stride()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_half_precision_is_summed_in_float32(interpreted, dtype):
    # Added in the type itself, the two ones are lost on the large number.
    large = 1 / torch.finfo(dtype).eps * 2
    values = torch.tensor([[[large, 1, 1, 2]]], dtype=dtype)
    window = ([4], [1], [0], "", [1], False)
    assert interpreted.avg_pool(values, *window, True, None).item() == (large + 4) / 4
    # Element 3 of seven wins all four windows.
    taps = torch.tensor([[[3, 2, 1, 0]]], dtype=torch.uint8)
    assert interpreted.max_taps_backward(values, taps, (1, 1, 7), *window)[0, 0, 3] == large + 4


def test_an_empty_batch_launches_nothing(interpreted):
    y, taps = interpreted.max_pool_taps(torch.zeros(0, 2, 4, 4), [2], [], [0], "", [1], False)
    assert y.shape == taps.shape == (0, 2, 2, 2)


AXES = ((1, 1, 1, 0, 1, 1), (56, 3, 2, 1, 1, 28), (56, 3, 2, 1, 2, 27))
KERNELS = {
    "max_forward": (("x", "y"), {"KEEP": True}),
    "max_backward": (("grad_output", "grad_input"), {}),
    "avg_forward": (("x", "y"), {"DIVISOR": 9}),
    "avg_backward": (("grad_output", "grad_input"), {"DIVISOR": 0}),
}


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("dtype", COMPILED, ids=str)
def test_kernel_compiles_for_a_current_gpu(dtype, name):
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    floats, constants = KERNELS[name]
    kernel = getattr(triton_launch.kernels(), name)
    pointers = dict.fromkeys(floats, COMPILED[dtype]) | {"taps": "*u8", "divisors": "*i32"}
    # One of the four types also stands for the other layout and for long offsets.
    other = dtype == torch.float16
    constants = constants | {
        "CHANNELS": 64, "AXES": AXES, "LAST": other, "WIDE": other, "BLOCK": triton_launch.THREADS,
        "ACC": triton_launch.accumulator(dtype),
    }  # fmt: skip
    signature = {
        argument: "constexpr" if argument in constants else pointers.get(argument, "i32")
        for argument in kernel.arg_names
    }
    compiled = triton.compile(
        ASTSource(fn=kernel, signature=signature, constexprs=constants), target=GPUTarget("cuda", 90, 32)
    )
    assert compiled.asm["cubin"]
    # The promise of the gather: no kernel adds into memory that another program may write.
    assert "atom" not in compiled.asm["ptx"]
    assert "red.global" not in compiled.asm["ptx"]


class Compiling:
    """A kernel that is compiled at each launch, as on a GPU, and then not run."""

    def __init__(self, kernel, compiled):
        self.kernel, self.compiled = kernel, compiled

    def __getitem__(self, grid):
        return lambda *args, **options: self.compiled.append(self.kernel.warmup(*args, grid=grid, **options))


class NoDriver:
    """What Triton asks of a driver before it compiles."""

    def get_current_target(self):
        from triton.backends.compiler import GPUTarget

        return GPUTarget("cuda", 90, 32)

    def get_current_device(self):
        return 0

    def get_current_stream(self, device):
        return 0


@pytest.fixture
def compiled(monkeypatch):
    """The kernels that the launcher's own calls have compiled."""
    from triton.runtime import driver

    found, module = [], triton_launch.kernels()
    kernels = SimpleNamespace(**{name: Compiling(getattr(module, name), found) for name in KERNELS})
    monkeypatch.setattr(triton_launch, "kernels", lambda: kernels)
    monkeypatch.setattr(driver, "_active", NoDriver())
    return found


@pytest.mark.parametrize("layout", LAYOUTS)
def test_launch_compiles_what_it_calls(compiled, layout):
    x = LAYOUTS[layout](torch.zeros(2, 8, 16, 16))
    window = ([3], [2], [1], "", [1], False)
    y, taps = triton_launch.max_pool_taps(x, *window)
    triton_launch.max_taps_backward(y, taps, x.shape, *window)
    triton_launch.avg_pool(x, *window, False, None)
    triton_launch.avg_pool_backward(y, x.shape, *window, False, None)
    assert [kernel.metadata.name for kernel in compiled] == list(KERNELS)
    assert all(kernel.metadata.num_warps == triton_launch.WARPS for kernel in compiled)
