"""What reaches each layer: against gradients that the framework gives, and numbers worked by hand."""

import math

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from course_lib.routing import GradientProbe, density
from course_lib.torch_ops import max_pool
from course_lib.torch_ops.nn import AvgPool, MaxPool


class Keeping(nn.Sequential):
    """A chain that keeps the gradient of every layer's input by the framework's own means."""

    def forward(self, x):
        self.inputs = []
        for layer in self:
            if x.requires_grad:
                x.retain_grad()
            self.inputs.append(x)
            x = layer(x)
        return x


def _network():
    torch.manual_seed(0)
    return Keeping(nn.Conv2d(1, 3, 3), nn.ReLU(), MaxPool(2), AvgPool(2), nn.Flatten(), nn.Linear(27, 2))


def _images(*, leaf=True):
    x = torch.rand(2, 1, 14, 14, generator=torch.Generator().manual_seed(1))
    return x.requires_grad_() if leaf else x


def _step(model, x):
    with GradientProbe(model) as probe:
        model(x).square().sum().backward()
    return probe


def test_gradient_probe_measures_the_gradient_of_every_input():
    model = _network()
    rows = _step(model, _images()).rows
    expected = [(density(x.grad), x.grad.double().norm().item()) for x in model.inputs]
    np.testing.assert_allclose([(row.density, row.norm) for row in rows], expected, rtol=1e-12)


def test_gradient_probe_names_the_layers_in_their_order():
    rows = _step(_network(), _images()).rows
    assert [(row.layer, row.kind, row.shape) for row in rows][1:3] == [
        ("1", "ReLU", (2, 3, 12, 12)),
        ("2", "MaxPool", (2, 3, 12, 12)),
    ]


def test_gradient_probe_finds_one_in_four_before_tiles_of_two():
    x = torch.arange(32.0).reshape(1, 2, 4, 4).requires_grad_()
    (row,) = _step(MaxPool(2), x).rows
    assert (row.layer, row.density) == ("MaxPool", 0.25)


def test_gradient_probe_leaves_parameters_gradients_as_they_are():
    watched, alone = _network(), _network()
    _step(watched, _images())
    alone(_images()).square().sum().backward()
    for left, right in zip(watched.parameters(), alone.parameters(), strict=True):
        np.testing.assert_array_equal(left.grad.numpy(), right.grad.numpy())


def test_gradient_probe_leaves_no_hook_behind():
    model = _network()
    probe = _step(model, _images())
    model(_images()).sum().backward()
    assert len(probe.rows) == len(model)


def test_gradient_probe_leaves_no_hook_behind_after_an_error():
    model = _network()
    with pytest.raises(RuntimeError), GradientProbe(model):
        model(torch.zeros(1, 5, 14, 14))
    assert not any(layer._forward_pre_hooks for layer in model)


def test_gradient_probe_starts_anew_at_each_with():
    model = _network()
    probe = _step(model, _images())
    with probe:
        model(_images()).sum().backward()
    assert len(probe.rows) == len(model)


def test_gradient_probe_records_a_backward_that_comes_later():
    model = _network()
    with GradientProbe(model) as probe:
        y = model(_images())
    y.sum().backward()
    assert all(row.came for row in probe.rows)


def test_gradient_probe_says_where_no_gradient_came():
    first, *others = _step(_network(), _images(leaf=False)).rows
    assert (first.came, first.finite, math.isnan(first.norm)) == (False, False, True)
    assert all(row.came for row in others)


def test_gradient_probe_shows_a_detached_branch():
    class Cut(nn.Module):
        def forward(self, x):
            return x.detach()

    rows = _step(nn.Sequential(nn.Conv2d(1, 1, 1), nn.Sigmoid(), Cut(), nn.Conv2d(1, 1, 1)), _images()).rows
    assert [row.came for row in rows] == [False] * 4


@pytest.mark.parametrize("value", [math.inf, math.nan])
def test_gradient_probe_sees_what_is_not_finite(value):
    x = _images()
    model = nn.Sequential(nn.Identity(), nn.Identity())
    with GradientProbe(model) as probe:
        (model(x) * torch.tensor([value] + [1.0] * 13)).sum().backward()
    assert [row.finite for row in probe.rows] == [False, False]


def test_gradient_probe_takes_the_norm_of_half_precision_without_overflow():
    x = torch.ones(1, 1, 100, 100, dtype=torch.float16, requires_grad=True)
    with GradientProbe(nn.Identity()) as probe:
        (probe.layers[""](x) * 1000).sum().backward()
    assert probe.rows[0].norm == 100_000


def test_gradient_probe_reads_in_place_layers():
    x = torch.tensor([[1.0, -2.0, 3.0, -4.0]], requires_grad=True)
    row = _step(nn.Sequential(nn.Identity(), nn.Hardtanh(-9, 9), nn.ReLU(inplace=True)), x).rows[-1]
    # The gradient of y² is 2y: 2 and 6 where the layer lets it through.
    assert (row.density, row.norm) == (0.5, math.hypot(2, 6))


def test_gradient_probe_adds_what_comes_around_a_skip_connection():
    class Skip(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Hardtanh()

        def forward(self, x):
            return x + self.inner(x)

    x = torch.zeros(1, 4, requires_grad=True)
    with GradientProbe(Skip()) as probe:
        (probe.layers["inner"](x) + x).sum().backward()
    assert probe.rows[0].norm == 4.0


def test_gradient_probe_watches_named_parts_with_several_inputs():
    class Fusion(nn.Module):
        def forward(self, image, *, text):
            return image * 2 + text * 3

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.image, self.text, self.fusion = nn.Linear(3, 2), nn.Embedding(5, 2), Fusion()

        def forward(self, image, words):
            return self.fusion(self.image(image), text=self.text(words))

    model = Model()
    with GradientProbe(model, ["fusion"]) as probe:
        model(torch.ones(1, 3), torch.tensor([1])).sum().backward()
    assert [(row.layer, row.input, row.norm) for row in probe.rows] == [
        ("fusion", 0, math.sqrt(8)),
        ("fusion", "text", math.sqrt(18)),
    ]


def test_gradient_probe_measures_under_checkpointing():
    class Checkpointed(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = _network()

        def forward(self, x):
            return checkpoint(self.inner, x, use_reentrant=False)

    rows = _step(Checkpointed(), _images(leaf=False)).rows
    assert [row.layer for row in rows if row.came] == [f"inner.{number}" for number in range(1, 6)]


def test_gradient_probe_agrees_with_a_functional_call():
    x = _images()
    max_pool(x, 3, 2).square().sum().backward()
    row = _step(MaxPool(3, 2), _images()).rows[0]
    assert row.density == density(x.grad)


def test_gradient_probe_prints_a_row_a_layer():
    lines = repr(_step(_network(), _images(leaf=False)).table()).splitlines()
    assert (lines[0].split(), len(lines)) == (["layer", "kind", "input", "shape", "density", "norm", "finite"], 7)
    assert lines[1].split()[-3:] == ["–"] * 3


def test_gradient_probe_shows_a_row_a_layer_in_a_notebook():
    assert _step(_network(), _images()).table()._repr_html_().count("<tr>") == 7


def test_gradient_probe_says_that_what_is_no_model_is_none():
    with pytest.raises(TypeError, match="model must be a torch.nn.Module; got function"):
        GradientProbe(max_pool)


def test_gradient_probe_says_that_a_compiled_model_hides_its_layers():
    with pytest.raises(TypeError, match="has not compiled"):
        GradientProbe(torch.compile(_network(), backend="eager"))


@pytest.mark.parametrize("layers", ["conv", ["conv"], 3])
def test_gradient_probe_says_that_a_layer_is_not_there(layers):
    with pytest.raises(ValueError, match="layers must be a list of names"):
        GradientProbe(_network(), layers)
