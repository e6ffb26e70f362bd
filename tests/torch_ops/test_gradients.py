"""Every operation: gradients in both modes, of both orders, and under the framework's transforms."""

import pytest
import torch
from torch.autograd import gradcheck, gradgradcheck
from torch.func import grad, hessian, jacfwd, jacrev, jvp, vmap

from tests.torch_ops.cases import CASES, FORWARD_MODE, case_id, tensors

# The framework has no vmap rule for some of its own.
SLOW_VMAP = "ignore:There is a performance drop:UserWarning"
pytestmark = [pytest.mark.filterwarnings(FORWARD_MODE), pytest.mark.filterwarnings(SLOW_VMAP)]
every_case = pytest.mark.parametrize("case", CASES, ids=case_id)


def _leaves(case):
    return tuple(x.requires_grad_() for x in tensors(case))


@every_case
def test_first_gradients_agree_with_differences(case):
    assert gradcheck(case.ours, _leaves(case), check_forward_ad=True, check_batched_grad=True)


@every_case
def test_second_gradients_agree_with_differences(case):
    # Along random directions: the transforms below compare second gradients element by element.
    assert gradgradcheck(case.ours, _leaves(case), check_fwd_over_rev=True, fast_mode=True)


@every_case
def test_gradient_equals_the_frameworks(case):
    found, expected = _leaves(case), _leaves(case)
    y, wanted = case.ours(*found), case.native(*expected)
    torch.testing.assert_close(y, wanted)
    upstream = torch.linspace(-1, 1, y.numel(), dtype=y.dtype).reshape(y.shape)
    for ours, theirs in zip(
        torch.autograd.grad(y, found, upstream), torch.autograd.grad(wanted, expected, upstream), strict=True
    ):
        torch.testing.assert_close(ours, theirs)


def _cubed(function):
    """A loss whose second derivative is not 0."""
    return lambda *inputs: (function(*inputs) ** 3).sum()


def _along(function, *inputs):
    """The slope of a function along one direction of all its inputs."""
    return jvp(function, inputs, tuple(x.cos() for x in inputs))[1]


TRANSFORMS = {
    "grad": lambda f, *xs: grad(_cubed(f))(*xs),
    "jvp": _along,
    "jacrev": lambda f, *xs: jacrev(f)(*xs),
    "jacfwd": lambda f, *xs: jacfwd(f)(*xs),
    "jvp of jvp": lambda f, *xs: _along(lambda *ys: _along(_cubed(f), *ys), *xs),
    "hessian": lambda f, *xs: hessian(_cubed(f))(*xs),
    "grad of jvp": lambda f, *xs: grad(lambda x: jvp(_cubed(f), (x, *xs[1:]), tuple(v.cos() for v in xs))[1])(xs[0]),
    "grad of grad": lambda f, *xs: grad(lambda x: (grad(_cubed(f))(x, *xs[1:]) ** 2).sum())(xs[0]),
    "vmap": lambda f, *xs: vmap(f)(*(torch.stack([x, x.cos()]) for x in xs)),
    "vmap of the last axis": lambda f, *xs: vmap(f, -1, -1)(*(torch.stack([x, x.cos()], -1) for x in xs)),
    "vmap of vmap": lambda f, *xs: vmap(vmap(f))(*(torch.stack([x, x.cos()])[None] for x in xs)),
    "vmap of grad": lambda f, *xs: vmap(grad(_cubed(f)))(*(torch.stack([x, x.cos()]) for x in xs)),
    "grad of vmap": lambda f, *xs: grad(_cubed(vmap(f)))(*(torch.stack([x, x.cos()]) for x in xs)),
}


@pytest.mark.parametrize("name", TRANSFORMS)
@every_case
def test_transform_equals_the_frameworks(case, name):
    transform, inputs = TRANSFORMS[name], tensors(case)
    torch.testing.assert_close(transform(case.ours, *inputs), transform(case.native, *inputs))


@every_case
def test_gradient_is_the_same_in_every_run(case):
    inputs = _leaves(case)
    runs = [torch.autograd.grad(_cubed(case.ours)(*inputs), inputs) for _ in range(3)]
    assert all(torch.equal(first, other) for run in runs[1:] for first, other in zip(runs[0], run, strict=True))


@every_case
def test_input_gets_no_gradient_nobody_asked_for(case):
    inputs = tensors(case)
    assert not case.ours(*inputs).requires_grad


@every_case
def test_no_grad_records_nothing(case):
    with torch.no_grad():
        assert not case.ours(*_leaves(case)).requires_grad


@every_case
def test_inference_mode_gives_the_same_values(case):
    expected = case.ours(*tensors(case))
    with torch.inference_mode():
        torch.testing.assert_close(case.ours(*tensors(case)), expected, rtol=0, atol=0)
