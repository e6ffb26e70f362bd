"""The modules: the operations' arguments, their results, and a model that learns as with the framework's."""

import inspect

import pytest
import torch

from course_lib import torch_ops
from course_lib.torch_ops import nn

OPERATIONS = {
    nn.MaxPool: "max_pool",
    nn.AvgPool: "avg_pool",
    nn.AdaptiveMaxPool: "adaptive_max_pool",
    nn.AdaptiveAvgPool: "adaptive_avg_pool",
    nn.GlobalMaxPool: "global_max_pool",
    nn.GlobalAvgPool: "global_avg_pool",
    nn.FractionalMaxPool: "fractional_max_pool",
    nn.LpPool: "lp_pool",
}


@pytest.mark.parametrize("module", OPERATIONS, ids=lambda module: module.__name__)
def test_module_takes_the_operations_arguments(module):
    theirs = dict(inspect.signature(module).parameters)
    assert theirs.pop("backend").default == "own"
    ours = dict(inspect.signature(getattr(torch_ops, OPERATIONS[module])).parameters)
    del ours["x"]
    assert list(theirs.values()) == list(ours.values())


@pytest.mark.parametrize("backend", ["own", "native"])
def test_max_unpool_undoes_max_pool(backend):
    x = torch.arange(16.0).reshape(1, 1, 4, 4)
    y, indices = nn.MaxPool(2, return_indices=True)(x)
    restored = nn.MaxUnpool(backend=backend)(y, indices, x.shape)
    torch.testing.assert_close(restored, torch.where(torch.isin(x, y), x, 0))


@pytest.mark.parametrize("backend", ["own", "native"])
@pytest.mark.parametrize(("module", "options"), [(nn.MaxPool, {"padding": 1}), (nn.AvgPool, {"padding": 1})])
def test_module_of_either_backend_gives_the_same(module, options, backend):
    x = torch.linspace(-1, 1, 2 * 3 * 6 * 6).reshape(2, 3, 6, 6).sin()
    torch.testing.assert_close(module(3, 2, **options, backend=backend)(x), module(3, 2, **options)(x))


def test_unknown_backend_is_refused():
    with pytest.raises(ValueError, match=r"backend must be 'own' or 'native'; got backend='fast'"):
        nn.MaxPool(2, backend="fast")


def test_native_backend_says_what_it_lacks():
    with pytest.raises(ValueError, match=r"has no avg_pool with dilation=2\. Use backend='own'"):
        nn.AvgPool(2, dilation=2, backend="native")(torch.zeros(1, 1, 5, 5))


def test_conv_starts_like_the_frameworks():
    torch.manual_seed(3)
    ours = nn.Conv(4, 6, 3, groups=2)
    torch.manual_seed(3)
    theirs = torch.nn.Conv2d(4, 6, 3, groups=2)
    torch.testing.assert_close(ours.weight, theirs.weight, rtol=0, atol=0)
    torch.testing.assert_close(ours.bias, theirs.bias, rtol=0, atol=0)


def test_conv_takes_its_rank_from_the_kernel():
    assert nn.Conv(1, 2, (3, 3, 3)).weight.shape == (2, 1, 3, 3, 3)
    assert nn.ConvTranspose(2, 4, 3, groups=2, rank=1).weight.shape == (2, 2, 3)


def test_repr_shows_the_arguments():
    assert "kernel_size=3, stride=2" in repr(nn.MaxPool(3, 2))


def _model(layers, pools):
    """Convolutions, max and average pooling, and a classifier, in float64."""
    conv, transpose = layers
    return torch.nn.Sequential(
        conv(1, 4, 3, padding=1), torch.nn.ReLU(), pools[0], conv(4, 6, 3, stride=2), torch.nn.Tanh(),
        transpose(6, 5, 2, stride=2), pools[1], pools[2], torch.nn.Flatten(), torch.nn.Linear(5 * 4, 3),
    ).double()  # fmt: skip


def _trained(model, steps):
    """The parameters after every step of gradient descent with momentum."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    x = torch.linspace(0, 40, 8 * 14 * 14, dtype=torch.float64).reshape(8, 1, 14, 14).sin()
    labels = torch.arange(8) % 3
    for _ in range(steps):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), labels).backward()
        optimizer.step()
        yield [parameter.detach().clone() for parameter in model.parameters()]


def test_model_learns_step_by_step_as_with_the_frameworks_modules():
    torch.manual_seed(0)
    ours = _model((nn.Conv, nn.ConvTranspose), (nn.MaxPool(2), nn.AvgPool(3, 1, 1), nn.AdaptiveAvgPool(2)))
    theirs = _model(
        (torch.nn.Conv2d, torch.nn.ConvTranspose2d),
        (torch.nn.MaxPool2d(2), torch.nn.AvgPool2d(3, 1, 1), torch.nn.AdaptiveAvgPool2d(2)),
    )
    theirs.load_state_dict(ours.state_dict())
    for found, expected in zip(_trained(ours, 12), _trained(theirs, 12), strict=True):
        # float64 sums in another order, through twelve steps.
        torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-12)
