"""Every refusal of the torch backend is one clear sentence."""

import subprocess
import sys

import numpy as np
import pytest
import torch

import course_lib
from course_lib import (
    avg_pool,
    avg_pool_backward,
    conv,
    conv_backward,
    lp_pool_backward,
    max_pool,
    max_pool_backward,
    max_unpool,
)
from tests.test_arguments import REFUSED

X = torch.zeros(1, 1, 5, 5)
ONE = torch.ones(1, 1, 1, 1)
INDEX = torch.zeros(1, 1, 1, 1, dtype=torch.int64)
META = torch.device("meta")
NESTED = torch.nested.nested_tensor([X[0], X[0]], layout=torch.jagged)
CALLS = {
    "array after tensor": (
        lambda: max_pool_backward(ONE, INDEX.numpy(), (1, 1, 2, 2)),
        TypeError,
        r"indices must be an int64 tensor; got ndarray",
    ),
    "tensor after array": (
        lambda: max_pool_backward(ONE.numpy(), INDEX, (1, 1, 2, 2)),
        TypeError,
        r"max_pool_backward takes NumPy arrays or torch tensors, not both; got grad_output of type ndarray and",
    ),
    "weight as array": (
        lambda: conv(X, np.ones((1, 1, 2, 2), np.float32)),
        TypeError,
        r"weight must be a torch tensor, as the other arguments are; got ndarray",
    ),
    "two devices": (
        lambda: max_pool_backward(ONE, INDEX.to(META), (1, 1, 2, 2)),
        ValueError,
        r"got indices on meta, grad_output on cpu\. Move it with indices\.to\(grad_output\.device\)",
    ),
    "weight on another device": (
        lambda: conv(X, torch.ones(1, 1, 2, 2, device=META)),
        ValueError,
        r"weight must lie on the device of x; got weight on meta, x on cpu",
    ),
    "x on another device": (lambda: lp_pool_backward(ONE, X.to(META), 2, 5), ValueError, r"got x on meta"),
    "bool": (lambda: max_pool(X.bool(), 2), TypeError, r"x must have dtype .*integer type; got x\.dtype=torch\.bool"),
    "complex": (lambda: max_pool(X + 1j, 2), TypeError, r"got x\.dtype=torch\.complex64"),
    "integer average": (lambda: avg_pool(X.int(), 2), TypeError, r"float64; got x\.dtype=torch\.int32"),
    "integer gradient": (lambda: avg_pool_backward(X.int(), (1, 1, 5, 5), 1), TypeError, r"grad_output\.dtype="),
    "eight bits": (lambda: max_pool(X.to(torch.float8_e5m2), 2), TypeError, r"got x\.dtype=torch\.float8_e5m2"),
    "two dtypes": (lambda: conv(X, torch.ones(1, 1, 2, 2).double()), TypeError, r"weight must have the dtype of x"),
    "sparse": (
        lambda: max_pool(X.to_sparse(), 2),
        TypeError,
        r"must be a dense tensor; got x\.layout=torch\.sparse_coo",
    ),
    "another library's": (lambda: avg_pool(X.to_mkldnn(), 2), TypeError, r"got x\.layout=torch\._mkldnn"),
    "nested": (lambda: max_pool(NESTED, 2), TypeError, r"x must be a dense tensor; got a nested one"),
    "sparse indices": (
        lambda: max_pool_backward(ONE, INDEX.to_sparse(), (1, 1, 2, 2)),
        TypeError,
        r"indices must be a d",
    ),
    "unbatched": (lambda: max_pool(X[0, 0], 2), ValueError, r"got shape \(5, 5\)\. Add the missing axes with x\[None"),
    "int32 indices": (lambda: max_pool_backward(ONE, INDEX.int(), (1, 1, 2, 2)), TypeError, r"int64 tensor; got torch"),
    "shape of indices": (
        lambda: max_pool_backward(ONE, INDEX.repeat(1, 1, 1, 2), (1, 1, 2, 2)),
        ValueError,
        r"indices must have the shape of grad_output, \(1, 1, 1, 1\); got shape \(1, 1, 1, 2\)",
    ),
    "another batch": (lambda: max_pool_backward(ONE, INDEX, (2, 1, 2, 2)), ValueError, r"samples and channels"),
    "outside the plane": (lambda: max_pool_backward(ONE, INDEX + 4, (1, 1, 2, 2)), ValueError, r"between -1 and 3"),
    "duplicates": (
        lambda: max_unpool(torch.ones(1, 1, 1, 2), INDEX.repeat(1, 1, 1, 2), (1, 1, 2, 2)),
        ValueError,
        r"indices must not hold an element of a plane twice",
    ),
    "shape of the gradient": (
        lambda: avg_pool_backward(ONE, (1, 1, 5, 5), 2),
        ValueError,
        r"grad_output must have the output's shape \(1, 1, 2, 2\); got shape \(1, 1, 1, 1\)",
    ),
    "samples": (
        lambda: course_lib.fractional_max_pool(X, 2, 2, samples=torch.ones(1, 1, 2)),
        ValueError,
        r"samples must be at least 0 and less than 1; got 1\.0",
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_tensor_call_is_refused(name):
    call, error, message = CALLS[name]
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("pool", [max_pool, avg_pool])
@pytest.mark.parametrize("name", REFUSED)
def test_pooling_refuses_arguments_as_with_arrays(pool, name):
    arguments, error, message = REFUSED[name]
    with pytest.raises(error, match=message):
        pool(X, **arguments)


def test_gradient_of_autocast_is_refused_for_an_input_in_another_type():
    weight = torch.ones(1, 1, 2, 2)
    with torch.autocast("cpu", torch.bfloat16):
        grad_output = conv(X, weight)
        with pytest.raises(TypeError, match="grad_output must have the dtype of x; got grad_output.dtype=torch.bfloat"):
            conv_backward(grad_output, X, weight)


@pytest.mark.parametrize("wide", ["x", "weight"])
def test_float64_under_autocast_is_refused_beside_another_type(wide):
    tensors = {"x": X, "weight": torch.ones(1, 1, 2, 2)}
    tensors[wide] = tensors[wide].double()
    with torch.autocast("cpu", torch.bfloat16), pytest.raises(TypeError, match="weight must have the dtype of x"):
        conv(**tensors)


def test_integers_never_ask_for_a_gradient():
    with pytest.raises(RuntimeError, match="only Tensors of floating point dtype can require gradients"):
        X.int().requires_grad_()


def test_missing_torch_is_said_in_one_sentence():
    code = "import sys; sys.modules['torch'] = None; import course_lib.torch_ops"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    last = run.stderr.strip().splitlines()[-1]
    assert last == "ImportError: course_lib.torch_ops needs PyTorch, which is not installed. Run pip install torch."


def test_arrays_need_no_torch():
    code = "import sys; sys.modules['torch'] = None; import numpy as np; from course_lib import max_pool; "
    code += "print(max_pool(np.zeros((1, 1, 2, 2)), 2).shape)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "(1, 1, 1, 1)"
