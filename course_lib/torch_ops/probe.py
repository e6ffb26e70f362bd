"""What reaches each layer in a training step: density and norm of the gradient of every layer's input."""

import html
import math
from functools import partial
from typing import NamedTuple

import torch

from course_lib import arguments

HEAD = ("layer", "kind", "input", "shape", "density", "norm", "finite")


class LayerGradient(NamedTuple):
    """The gradient of one input of one layer.

    Attributes
    ----------
    layer, kind : str
        Its name in the model, and its class.
    input : int or str
        Which of the layer's inputs: its place, or its keyword.
    shape : tuple of int
    density, norm : float
        Fraction of elements that are not zero, and Euclidean norm; NaN where no gradient came.
    finite : bool
        Whether a gradient came and all its elements are finite.
    """

    layer: str
    kind: str
    input: int | str
    shape: tuple
    density: float = math.nan
    norm: float = math.nan
    finite: bool = False

    @property
    def came(self):
        """Whether a gradient came at all."""
        return not math.isnan(self.density)

    def cells(self):
        """The columns of a table row."""
        found = (f"{self.density:.3f}", f"{self.norm:.3g}", "yes" if self.finite else "NO") if self.came else ("–",) * 3
        return self.layer, self.kind, str(self.input), " × ".join(map(str, self.shape)), *found


class GradientTable(tuple):
    """Rows of `LayerGradient`, in the order of the forward pass; shows itself as a table."""

    def __repr__(self):
        rows = [HEAD, *(row.cells() for row in self)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)

    def _repr_html_(self):
        rows = [_html_row("th", HEAD), *(_html_row("td", row.cells()) for row in self)]
        return f"<table>{''.join(rows)}</table>"


def _html_row(tag, cells):
    """One row of a table."""
    return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"


class GradientProbe:
    """Records density and norm of the gradient of every layer's input, in the training steps inside a ``with``.

    Parameters
    ----------
    model : torch.nn.Module
        As it was before torch.compile, which would leave the probe out.
    layers : sequence of str or None
        Names as ``model.named_modules()`` gives them. None takes every module that has no parts or has parameters of
        its own.

    Attributes
    ----------
    rows : list of LayerGradient
        One for each floating-point input at each call of a layer, in the order of the forward pass, since the last
        ``with``. One where no gradient came has ``came == False``: the images, or what was detached.

    Notes
    -----
    It measures and changes nothing. The gradient is that of the tensor the layer reads: where others read the same
    tensor, as around a skip connection, what comes from all of them is in it. A loss that is scaled for mixed precision
    scales the norms. NaN counts as not zero. Checkpointing runs a layer twice: its rows stand twice.

    Examples
    --------
    Max pooling gets one upstream gradient a window, and gives one element of each window a gradient.

    >>> import torch
    >>> from course_lib.torch_ops.nn import MaxPool
    >>> model = torch.nn.Sequential(torch.nn.ReLU(), MaxPool(2), torch.nn.Flatten())
    >>> x = torch.arange(16.).reshape(1, 1, 4, 4).requires_grad_()
    >>> with GradientProbe(model) as probe:
    ...     model(x).sum().backward()
    >>> probe.table()
    layer  kind     input  shape          density  norm  finite
    0      ReLU     0      1 × 1 × 4 × 4  0.250    2     yes
    1      MaxPool  0      1 × 1 × 4 × 4  0.250    2     yes
    2      Flatten  0      1 × 1 × 2 × 2  1.000    2     yes
    """

    def __init__(self, model, layers=None):
        self.layers = _layers(_module(model), layers)
        self.rows, self._hooks = [], []

    def __enter__(self):
        self._remove()
        self.rows = []
        self._hooks = [
            layer.register_forward_pre_hook(partial(self._watch, name, self.rows), with_kwargs=True)
            for name, layer in self.layers.items()
        ]
        return self

    def __exit__(self, *_):
        self._remove()

    def table(self):
        """The rows as a table, which shows itself.

        Returns
        -------
        GradientTable
            A tuple of `LayerGradient`.
        """
        return GradientTable(self.rows)

    def _remove(self):
        """Leaves the model as it was."""
        for hook in self._hooks:
            hook.remove()
        self._hooks = []

    @staticmethod
    def _watch(name, rows, layer, args, kwargs):
        """Adds a row for each floating-point input of a layer that is about to run."""
        for label, tensor in _tensors(args, kwargs):
            place = len(rows)
            rows.append(LayerGradient(name or type(layer).__name__, type(layer).__name__, label, tuple(tensor.shape)))
            if tensor.requires_grad:
                tensor.register_hook(partial(_record, rows, place))


def _module(model):
    """The model, if hooks can reach its layers."""
    if not isinstance(model, torch.nn.Module):
        raise TypeError(f"model must be a torch.nn.Module; got {type(model).__name__}.")
    if hasattr(model, "_orig_mod"):
        raise TypeError("model must be one that torch.compile has not compiled. Probe the model that was given to it.")
    return model


def _layers(model, names):
    """The layers to watch, by their names."""
    modules = dict(model.named_modules())
    if names is None:
        return {name: part for name, part in modules.items() if _is_layer(part)}
    if not arguments.is_sequence(names) or any(name not in modules for name in names):
        raise ValueError(f"layers must be a list of names in model.named_modules(); got layers={names!r}.")
    return {name: modules[name] for name in names}


def _is_layer(module):
    """Whether a module computes something itself."""
    return not any(module.children()) or any(True for _ in module.parameters(recurse=False))


def _tensors(args, kwargs):
    """Each floating-point tensor among a layer's inputs, with its place or keyword; in lists and tuples too."""
    for label, value in [*enumerate(args), *kwargs.items()]:
        for tensor in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(tensor, torch.Tensor) and tensor.is_floating_point():
                yield label, tensor


def _record(rows, place, gradient):
    """Measures a gradient; it has come when the backward pass calls this."""
    # float64: the squares of what is finite in a narrower type may not be. Apple's GPUs have no float64.
    wide = torch.float32 if gradient.device.type == "mps" else torch.float64
    rows[place] = rows[place]._replace(
        density=gradient.count_nonzero().item() / max(gradient.numel(), 1),
        norm=torch.linalg.vector_norm(gradient, dtype=wide).item(),
        finite=bool(gradient.isfinite().all()),
    )
