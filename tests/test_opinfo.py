"""PyTorch's own samples for its pooling and convolution operators, replayed: values, indices and gradients."""

import re
import warnings
from collections import Counter
from functools import lru_cache
from inspect import Parameter, Signature

import numpy as np
import pytest

import course_lib
from course_lib import arguments, geometry

torch = pytest.importorskip("torch")
pytest.importorskip("expecttest")

POOLS = {
    "max_pool": "kernel_size stride padding dilation ceil_mode return_indices",
    "avg_pool": "kernel_size stride padding ceil_mode count_include_pad divisor_override",
    "adaptive_max_pool": "output_size return_indices",
    "adaptive_avg_pool": "output_size",
    "fractional_max_pool": "kernel_size output_size output_ratio return_indices _random_samples",
    "max_unpool": "indices kernel_size stride padding output_size",
    "conv": "weight bias stride padding dilation groups",
    "conv_transpose": "weight bias stride padding output_padding groups dilation",
}
NAMES = [
    *(
        f"nn.functional.{name}{rank}d"
        for name in POOLS
        for rank in (1, 2, 3)
        if (name, rank) != ("fractional_max_pool", 1)
    ),
    "max_pool2d_with_indices_backward",
]
# Samples and errors that this library answers otherwise on purpose: docs/departures.md says why.
OVERWRITTEN = "the gradient of an overwritten value is 0"
NOT_A_SHARE = "samples outside [0, 1) are refused"
SAME_STRIDE = "same padding with a stride keeps ceil(n / s) windows"

pytestmark = pytest.mark.filterwarnings("ignore:Using padding='same' with even kernel:UserWarning")


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """The samples are tiny: a second thread costs more than it gives."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@lru_cache
def _database():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal.common_methods_invocations import op_db
    return [info for info in op_db if info.name in NAMES]


def _parts(name):
    """The operation and the number of spatial axes of an operator's name."""
    operation, rank = re.fullmatch(r"(?:nn\.functional\.)?(\w+?)(\d)d(?:_with_indices_backward)?", name).groups()
    return operation, int(rank)


def _named(operation, sample):
    """The sample's arguments by name, None and empty tuples left out: both stand for the default."""
    signature = Signature([Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in POOLS[operation].split()])
    given = signature.bind_partial(*sample.args, **sample.kwargs).arguments
    return {
        name: value
        for name, value in given.items()
        if value is not None and not (name != "output_size" and value == ())
    }


def _batched(value, rank):
    """A tensor with the batch axis added, if that is what it lacks."""
    return value[None] if isinstance(value, torch.Tensor) and value.ndim == rank + 1 else value


def _spread(value, rank):
    """A one-element tuple as PyTorch takes it: the same number for every axis."""
    return tuple(value) * rank if isinstance(value, (tuple, list)) and len(value) == 1 else value


def _call(operation, rank, x, given):
    """Our operation on the sample: the result, the indices or None, and the backward."""
    given = {
        name: _spread(value, rank) if name not in ("weight", "bias", "indices") else value
        for name, value in given.items()
    }
    return globals()[f"_{operation}"](rank, _array(x), given)


def _array(value):
    return value.detach().numpy() if isinstance(value, torch.Tensor) else value


def _max_pool(rank, x, given):
    given.pop("return_indices", None)
    y, indices = course_lib.max_pool(x, **given, return_indices=True)
    return y, indices, lambda g: [course_lib.max_pool_backward(g, indices, x.shape)]


def _adaptive_max_pool(rank, x, given):
    y, indices = course_lib.adaptive_max_pool(x, given["output_size"], return_indices=True)
    return y, indices, lambda g: [course_lib.adaptive_max_pool_backward(g, indices, x.shape)]


def _avg_pool(rank, x, given):
    return course_lib.avg_pool(x, **given), None, lambda g: [course_lib.avg_pool_backward(g, x.shape, **given)]


def _adaptive_avg_pool(rank, x, given):
    y = course_lib.adaptive_avg_pool(x, given["output_size"])
    return y, None, lambda g: [course_lib.adaptive_avg_pool_backward(g, x.shape)]


def _fractional_max_pool(rank, x, given):
    samples = _array(given.pop("_random_samples"))[: len(x)]
    given.pop("return_indices", None)
    # PyTorch's order of two samples is W, H.
    samples = samples[..., ::-1] if rank == 2 else samples
    y, indices = course_lib.fractional_max_pool(x, **given, samples=samples, return_indices=True)
    return y, indices, lambda g: [course_lib.max_pool_backward(g, indices, x.shape)]


def _max_unpool(rank, x, given):
    indices, shape = _array(given["indices"]), (*x.shape[:2], *_unpooled_size(rank, x.shape[2:], given))
    y = course_lib.max_unpool(x, indices, shape, duplicates="last")
    return y, None, lambda g: [course_lib.max_unpool_backward(g, indices)]


def _unpooled_size(rank, sizes, given):
    """The output size that PyTorch works out from the window."""
    if "output_size" in given:
        return tuple(given["output_size"])[-rank:]
    kernel, padding = (_axes(given.get(name, 0), rank) for name in ("kernel_size", "padding"))
    stride = _axes(given["stride"], rank) if "stride" in given else kernel
    return tuple((n - 1) * s + k - 2 * p for n, k, s, p in zip(sizes, kernel, stride, padding, strict=True))


def _axes(value, rank):
    return (value,) * rank if isinstance(value, int) else tuple(value)


def _conv(rank, x, given):
    weight, bias = (_array(given.pop(name, None)) for name in ("weight", "bias"))
    y = course_lib.conv(x, weight, bias, **given)
    return y, None, lambda g: _with_bias(course_lib.conv_backward(g, x, weight, **given), bias)


def _conv_transpose(rank, x, given):
    weight, bias = (_array(given.pop(name, None)) for name in ("weight", "bias"))
    y = course_lib.conv_transpose(x, weight, bias, **given)
    return y, None, lambda g: _with_bias(course_lib.conv_transpose_backward(g, x, weight, **given), bias)


def _with_bias(gradients, bias):
    return gradients if bias is not None else gradients[:2]


def _replay(info, sample):
    """Compares one sample; returns how it was listed."""
    operation, rank = _parts(info.name)
    x, given = _batched(sample.input, rank), _named(operation, sample)
    if "indices" in given:
        given["indices"] = _batched(given["indices"], rank)
    if operation == "fractional_max_pool":
        given.setdefault("_random_samples", torch.rand(len(x), x.shape[1], rank, dtype=x.dtype))
    if "_random_samples" in given and not ((given["_random_samples"] >= 0) & (given["_random_samples"] < 1)).all():
        with pytest.raises(ValueError, match="samples must be at least 0 and less than 1"):
            _call(operation, rank, x, dict(given))
        return NOT_A_SHARE
    assert not _has_empty_window(operation, rank, x, given), "PyTorch corrupts memory here: list it, never run it"
    y, indices, backward = _call(operation, rank, x, dict(given))
    leaves = [
        x.detach().requires_grad_(),
        *(given[n].detach().requires_grad_() for n in ("weight", "bias") if n in given),
    ]
    expected, expected_indices = _torch(operation, rank, leaves, given)
    exact = {"rtol": 0, "atol": 0} if "max" in operation else {"rtol": 1e-12, "atol": 1e-11}
    np.testing.assert_allclose(y, expected.detach().numpy(), **exact)
    if indices is not None and expected_indices is not None:
        np.testing.assert_array_equal(indices, expected_indices.numpy())
    return _compare_gradients(operation, x, given, backward, expected, leaves, exact)


def _has_empty_window(operation, rank, x, given):
    """Whether a max window would hold no real tap."""
    if operation != "max_pool":
        return False
    names = "kernel_size", "stride", "padding", "dilation", "ceil_mode"
    axes = arguments.pool_axes(tuple(x.shape[2:]), **{n: _spread(given[n], rank) for n in names if n in given})
    return any((geometry.real_counts(axis) == 0).any() for axis in axes)


def _torch(operation, rank, leaves, given):
    """PyTorch's result, and its indices where it gives them."""
    options = {name: value for name, value in given.items() if name not in ("weight", "bias", "return_indices")}
    if "max_pool" in operation:
        options["return_indices"] = True
    if operation == "conv_transpose" or operation == "conv":
        options |= dict(zip(("weight", "bias"), leaves[1:], strict=False))
    result = getattr(torch.nn.functional, f"{operation}{rank}d")(leaves[0], **options)
    return result if isinstance(result, tuple) else (result, None)


def _compare_gradients(operation, x, given, backward, expected, leaves, exact):
    """Sends small integers back through both; returns how the sample is listed."""
    grad_output = torch.randint(-9, 10, expected.shape).to(expected.dtype)
    theirs = torch.autograd.grad(expected, leaves, grad_output)
    ours, listed = backward(grad_output.numpy()), "equal"
    if operation == "max_unpool" and (overwritten := _overwritten(given["indices"])).any():
        assert not ours[0][overwritten].any()
        theirs, listed = [theirs[0].masked_fill(torch.tensor(overwritten), 0)], OVERWRITTEN
    for our, their in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(our, their.numpy(), **exact)
    return listed


def _overwritten(indices):
    """Where a later value of the same plane has the same index."""
    flat = indices.reshape(*indices.shape[:2], -1)
    later = flat[..., None] == flat[..., None, :]
    return torch.triu(later, diagonal=1).any(-1).reshape(indices.shape).numpy()


@lru_cache
def _counts(name):
    """How the samples of one operator are listed."""
    torch.manual_seed(0)
    counts = Counter()
    for info in _database():
        if info.name == name:
            counts.update(_replay(info, sample) for sample in info.sample_inputs("cpu", torch.float64))
    return counts


@pytest.mark.parametrize("name", NAMES)
def test_opinfo_samples_agree(name):
    assert set(_counts(name)) <= {"equal", OVERWRITTEN, NOT_A_SHARE}
    assert _counts(name)["equal"] > 0


def test_opinfo_samples_are_counted(capsys):
    total = sum((_counts(name) for name in NAMES), Counter())
    again = _counts("max_pool2d_with_indices_backward").total()
    with capsys.disabled():
        print(f"\nPyTorch's samples: {total.total() - again}, and {again} again for a backward. {dict(total)}")
    assert total.total() - again > 3000


def _error_inputs(name):
    infos = [info for info in _database() if info.name == name and info.error_inputs_func]
    return [sample for info in infos for sample in info.error_inputs("cpu")]


@pytest.mark.parametrize("name", NAMES)
def test_opinfo_errors_raise(name):
    for error in _error_inputs(name):
        operation, rank = _parts(name)
        sample, given = error.sample_input, _named(operation, error.sample_input)
        if "strided convolutions" in error.error_regex:
            # Listed: SAME_STRIDE.
            assert _call(operation, rank, sample.input, given)[0].shape[2:] == (5, 1, 5)
            continue
        given = {key: _batched(value, rank) if key == "indices" else value for key, value in given.items()}
        # An int for each axis says how many axes there are: here an int would fit a line as well as a volume.
        if isinstance(given.get("kernel_size"), int):
            given["kernel_size"] = (given["kernel_size"],) * rank
        with pytest.raises((ValueError, TypeError)):
            _call(operation, rank, _batched(sample.input, rank), given)
