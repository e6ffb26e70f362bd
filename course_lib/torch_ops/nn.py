"""Modules with the arguments of the operations; ``backend="native"`` runs the framework's kernels.

Every module takes ``backend``. On the CPU, threads follow `course_lib.set_threads` with "own", and
``torch.set_num_threads`` with "native". The native kernels refuse what they lack, such as a dilated average.
"""

import math

import torch

from course_lib import arguments, torch_ops
from course_lib.torch_ops import native

BACKENDS = {"own": torch_ops, "native": native}


class Operation(torch.nn.Module):
    """A module that calls one operation with fixed arguments.

    Parameters
    ----------
    operation : str
        The operation's name.
    backend : "own" or "native"
        This project's kernels or the framework's.
    **options
        The operation's arguments but for the tensors.
    """

    def __init__(self, operation, backend, **options):
        super().__init__()
        arguments.choice("backend", backend, tuple(BACKENDS))
        self.operation, self.backend, self.options = operation, backend, options

    def forward(self, *tensors):
        """The operation on the tensors."""
        return getattr(BACKENDS[self.backend], self.operation)(*tensors, **self.options)

    def extra_repr(self):
        """The arguments, as they were given."""
        shown = self.options | ({} if self.backend == "own" else {"backend": self.backend})
        return ", ".join(f"{name}={value!r}" for name, value in shown.items())


class MaxPool(Operation):
    """The largest element of each window: `course_lib.max_pool`.

    Examples
    --------
    >>> MaxPool(2)(torch.tensor([[[1., 4., 3., 2.]]]))
    tensor([[[4., 3.]]])
    """

    def __init__(self, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, *, return_indices=False,
                 channel_axis=1, backend="own"):  # fmt: skip
        super().__init__(
            "max_pool", backend, kernel_size=kernel_size, stride=stride, padding=padding, dilation=dilation,
            ceil_mode=ceil_mode, return_indices=return_indices, channel_axis=channel_axis,
        )  # fmt: skip


class AvgPool(Operation):
    """The mean of each window: `course_lib.avg_pool`."""

    def __init__(self, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, *, count_include_pad=True,
                 divisor_override=None, channel_axis=1, backend="own"):  # fmt: skip
        super().__init__(
            "avg_pool", backend, kernel_size=kernel_size, stride=stride, padding=padding, dilation=dilation,
            ceil_mode=ceil_mode, count_include_pad=count_include_pad, divisor_override=divisor_override,
            channel_axis=channel_axis,
        )  # fmt: skip


class AdaptiveMaxPool(Operation):
    """The largest element of each bin: `course_lib.adaptive_max_pool`."""

    def __init__(self, output_size, *, return_indices=False, channel_axis=1, backend="own"):
        super().__init__(
            "adaptive_max_pool",
            backend,
            output_size=output_size,
            return_indices=return_indices,
            channel_axis=channel_axis,
        )


class AdaptiveAvgPool(Operation):
    """The mean of each bin: `course_lib.adaptive_avg_pool`."""

    def __init__(self, output_size, *, channel_axis=1, backend="own"):
        super().__init__("adaptive_avg_pool", backend, output_size=output_size, channel_axis=channel_axis)


class GlobalMaxPool(Operation):
    """The largest element of each plane: `course_lib.global_max_pool`."""

    def __init__(self, *, return_indices=False, channel_axis=1, backend="own"):
        super().__init__("global_max_pool", backend, return_indices=return_indices, channel_axis=channel_axis)


class GlobalAvgPool(Operation):
    """The mean of each plane: `course_lib.global_avg_pool`."""

    def __init__(self, *, channel_axis=1, backend="own"):
        super().__init__("global_avg_pool", backend, channel_axis=channel_axis)


class FractionalMaxPool(Operation):
    """The largest element of windows at random places: `course_lib.fractional_max_pool`."""

    def __init__(self, kernel_size, output_size=None, output_ratio=None, *, samples=None, rng=None,
                 return_indices=False, channel_axis=1, backend="own"):  # fmt: skip
        super().__init__(
            "fractional_max_pool", backend, kernel_size=kernel_size, output_size=output_size, samples=samples, rng=rng,
            output_ratio=output_ratio, return_indices=return_indices, channel_axis=channel_axis,
        )  # fmt: skip


class LpPool(Operation):
    """The p-norm of each window: `course_lib.lp_pool`."""

    def __init__(self, norm_type, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, *, channel_axis=1,
                 backend="own"):  # fmt: skip
        super().__init__(
            "lp_pool", backend, norm_type=norm_type, kernel_size=kernel_size, stride=stride, padding=padding,
            dilation=dilation, ceil_mode=ceil_mode, channel_axis=channel_axis,
        )  # fmt: skip


class MaxUnpool(Operation):
    """Puts values back where their indices say: `course_lib.max_unpool`, called with values, indices and a shape."""

    def __init__(self, *, duplicates="raise", channel_axis=1, backend="own"):
        super().__init__("max_unpool", backend, duplicates=duplicates, channel_axis=channel_axis)


class Weighted(Operation):
    """An operation with a weight and a bias, drawn as the framework draws them."""

    def __init__(self, operation, backend, shape, outputs, bias, factory, **options):
        super().__init__(operation, backend, **options)
        self.weight = torch.nn.Parameter(torch.empty(shape, **factory))
        self.bias = torch.nn.Parameter(torch.empty(outputs, **factory)) if bias else None
        torch.nn.init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if bias:
            bound = 1 / math.sqrt(math.prod(shape[1:]))
            torch.nn.init.uniform_(self.bias, -bound, bound)

    def forward(self, x):
        """The operation on the input."""
        return super().forward(x, self.weight, self.bias)

    def extra_repr(self):
        """The weight's shape and the arguments."""
        return f"weight={tuple(self.weight.shape)}, bias={self.bias is not None}, {super().extra_repr()}"


class Conv(Weighted):
    """Every window times the weights: `course_lib.conv`.

    Parameters
    ----------
    in_channels, out_channels : int
    kernel_size : int or one int an axis
        An int stands for ``rank`` of them.
    bias : bool
        Whether to add a bias.
    rank : int
        Spatial axes; taken from ``kernel_size`` where that has one entry an axis.
    stride, padding, dilation, groups, channel_axis, backend, device, dtype
        As in `course_lib.conv` and as everywhere.
    """

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, *,
                 rank=2, channel_axis=1, backend="own", device=None, dtype=None):  # fmt: skip
        kernel = arguments.per_axis("kernel_size", kernel_size, arguments.rank_of(kernel_size) or rank, 1)
        arguments.group_count(groups, in_channels, out_channels)
        super().__init__(
            "conv", backend, (out_channels, in_channels // groups, *kernel), out_channels, bias,
            {"device": device, "dtype": dtype}, stride=stride, padding=padding, dilation=dilation, groups=groups,
            channel_axis=channel_axis,
        )  # fmt: skip


class ConvTranspose(Weighted):
    """The transpose of `Conv`, with its parameters and ``output_padding``: `course_lib.conv_transpose`."""

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, dilation=1,
                 groups=1, bias=True, *, rank=2, channel_axis=1, backend="own", device=None, dtype=None):  # fmt: skip
        kernel = arguments.per_axis("kernel_size", kernel_size, arguments.rank_of(kernel_size) or rank, 1)
        arguments.group_count(groups, in_channels, out_channels)
        super().__init__(
            "conv_transpose", backend, (in_channels, out_channels // groups, *kernel), out_channels, bias,
            {"device": device, "dtype": dtype}, stride=stride, padding=padding, output_padding=output_padding,
            dilation=dilation, groups=groups, channel_axis=channel_axis,
        )  # fmt: skip
