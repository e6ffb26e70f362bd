"""PyTorch's own samples replayed on tensors: values, indices, and gradients by autograd."""

import pytest
import torch

import course_lib
from tests import test_opinfo as numpy_replay
from tests.test_opinfo import NAMES


def _call(operation, rank, leaves, given):
    """Our operation on a sample's leaves: the result, and the indices or None."""
    options = {name: numpy_replay._spread(value, rank) for name, value in given.items() if name not in SPECIAL}
    x, *weights = leaves
    if operation in ("conv", "conv_transpose"):
        return getattr(course_lib, operation)(x, *weights, **options), None
    if operation == "max_unpool":
        shape = (*x.shape[:2], *numpy_replay._unpooled_size(rank, x.shape[2:], given))
        return course_lib.max_unpool(x, given["indices"], shape, duplicates="last"), None
    if operation == "fractional_max_pool":
        samples = given["_random_samples"][: len(x)]
        # PyTorch's order of two samples is W, H.
        options["samples"] = samples.flip(-1) if rank == 2 else samples
    if "max" not in operation:
        return getattr(course_lib, operation)(x, **options), None
    return getattr(course_lib, operation)(x, **options, return_indices=True)


MOST = 100
SPECIAL = {"weight", "bias", "indices", "return_indices", "_random_samples"}


def _leaves(x, given):
    """The sample's input, weight and bias as leaves of their own."""
    weights = [given[name] for name in ("weight", "bias") if name in given]
    return [value.detach().clone().requires_grad_() for value in (x, *weights)]


def _replay(info, sample):
    """Compares one sample's values, indices and gradients."""
    operation, rank = numpy_replay._parts(info.name)
    x, given = numpy_replay._batched(sample.input, rank), numpy_replay._named(operation, sample)
    if "indices" in given:
        given["indices"] = numpy_replay._batched(given["indices"], rank)
    if operation == "fractional_max_pool":
        given.setdefault("_random_samples", torch.rand(len(x), x.shape[1], rank, dtype=x.dtype))
        if not ((given["_random_samples"] >= 0) & (given["_random_samples"] < 1)).all():
            with pytest.raises(ValueError, match="samples must be at least 0 and less than 1"):
                _call(operation, rank, _leaves(x, given), given)
            return
    assert not numpy_replay._has_empty_window(operation, rank, x, given), "PyTorch corrupts memory here"
    leaves, expected_leaves = _leaves(x, given), _leaves(x, given)
    y, indices = _call(operation, rank, leaves, given)
    expected, expected_indices = numpy_replay._torch(operation, rank, expected_leaves, given)
    exact = {"rtol": 0, "atol": 0} if "max" in operation else {"rtol": 1e-12, "atol": 1e-11}
    torch.testing.assert_close(y, expected, equal_nan=True, **exact)
    if indices is not None and expected_indices is not None:
        torch.testing.assert_close(indices, expected_indices, rtol=0, atol=0)
    upstream = torch.randint(-9, 10, expected.shape).to(expected.dtype)
    theirs = list(torch.autograd.grad(expected, expected_leaves, upstream))
    if operation == "max_unpool":
        theirs[0] = theirs[0].masked_fill(torch.tensor(numpy_replay._overwritten(given["indices"])), 0)
    for found, wanted in zip(torch.autograd.grad(y, leaves, upstream), theirs, strict=True):
        torch.testing.assert_close(found, wanted, **exact)


@pytest.mark.filterwarnings("ignore:Using padding='same' with even kernel lengths:UserWarning")
@pytest.mark.parametrize("name", NAMES[:-1])
def test_opinfo_samples_agree_on_tensors(name):
    torch.manual_seed(0)
    infos = [info for info in numpy_replay._database() if info.name == name]
    samples = [(info, sample) for info in infos for sample in info.sample_inputs("cpu", torch.float64)]
    assert samples
    # NumPy's replay takes all of them, and the kernel is the same: here some hundreds an operator are enough.
    for info, sample in samples[:: 1 + len(samples) // MOST]:
        _replay(info, sample)
