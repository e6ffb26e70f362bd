"""The framework's own kernels under this project's names and arguments, for comparison."""

import torch
import torch.nn.functional as F

from course_lib import arguments
from course_lib.torch_ops.layout import channels_back, channels_second


def max_pool(x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, *, return_indices=False,
             channel_axis=1):  # fmt: skip
    """The framework's max pooling."""
    rank = x.dim() - 2
    pads = equal_padding("max_pool", padding, rank)
    pool = getattr(F, f"max_pool{rank}d")
    # With indices always: without them it is another kernel, and this one is the other's reference.
    y, indices = pool(channels_second(x, channel_axis), kernel_size, stride, pads, dilation, ceil_mode, True)
    y, indices = channels_back(y, channel_axis % x.dim()), channels_back(indices, channel_axis % x.dim())
    return (y, indices) if return_indices else y


def avg_pool(x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, *, count_include_pad=True,
             divisor_override=None, channel_axis=1):  # fmt: skip
    """The framework's average pooling, which has no dilation."""
    rank = x.dim() - 2
    not_dilated("avg_pool", dilation, rank)
    # In one dimension it takes no divisor.
    options = [] if rank == 1 and divisor_override is None else [divisor_override]
    refuse(rank == 1 and options, "avg_pool", f"divisor_override={divisor_override!r} on one spatial axis")
    pool, pads = getattr(F, f"avg_pool{rank}d"), equal_padding("avg_pool", padding, rank)
    return moved(lambda x: pool(x, kernel_size, stride, pads, ceil_mode, count_include_pad, *options), x, channel_axis)


def adaptive_max_pool(x, output_size, *, return_indices=False, channel_axis=1):
    """The framework's adaptive max pooling."""
    pool = getattr(F, f"adaptive_max_pool{x.dim() - 2}d")
    y, indices = pool(channels_second(x, channel_axis), output_size, True)
    y, indices = channels_back(y, channel_axis % x.dim()), channels_back(indices, channel_axis % x.dim())
    return (y, indices) if return_indices else y


def adaptive_avg_pool(x, output_size, *, channel_axis=1):
    """The framework's adaptive average pooling."""
    pool = getattr(F, f"adaptive_avg_pool{x.dim() - 2}d")
    return moved(lambda x: pool(x, output_size), x, channel_axis)


def global_max_pool(x, *, return_indices=False, channel_axis=1):
    """The framework's max pooling to one bin."""
    return adaptive_max_pool(x, 1, return_indices=return_indices, channel_axis=channel_axis)


def global_avg_pool(x, *, channel_axis=1):
    """The framework's average pooling to one bin."""
    return adaptive_avg_pool(x, 1, channel_axis=channel_axis)


def fractional_max_pool(x, kernel_size, output_size=None, output_ratio=None, *, samples=None, rng=None,
                        return_indices=False, channel_axis=1):  # fmt: skip
    """The framework's fractional max pooling, whose windows need the samples to be ours."""
    rank = x.dim() - 2
    refuse(rank == 1, "fractional_max_pool", "one spatial axis")
    refuse(samples is None, "fractional_max_pool", "our generator; pass samples")
    ratios = output_ratio if output_ratio is None or arguments.is_sequence(output_ratio) else (output_ratio,) * rank
    # In two dimensions its samples stand for W, H.
    places = samples.flip(-1) if rank == 2 else samples
    pool = getattr(F, f"fractional_max_pool{rank}d")
    y, indices = pool(channels_second(x, channel_axis), kernel_size, output_size, ratios, True, places)
    y, indices = channels_back(y, channel_axis % x.dim()), channels_back(indices, channel_axis % x.dim())
    return (y, indices) if return_indices else y


def lp_pool(x, norm_type, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, *, channel_axis=1):
    """The framework's power-average pooling, which has neither padding nor dilation."""
    rank = x.dim() - 2
    not_dilated("lp_pool", dilation, rank)
    refuse(any(equal_padding("lp_pool", padding, rank)), "lp_pool", f"padding={padding!r}")
    pool = getattr(F, f"lp_pool{rank}d")
    return moved(lambda x: pool(x, norm_type, kernel_size, stride, ceil_mode), x, channel_axis)


def max_unpool(x, indices, output_shape, *, duplicates="raise", channel_axis=1):
    """The framework's max unpooling; ``duplicates`` says nothing to it, since it lets any of them stand."""
    axis = channel_axis % x.dim()
    sizes = [size for place, size in enumerate(output_shape) if place not in (0, axis)]
    x, indices = channels_second(x, axis), channels_second(indices, axis)
    return channels_back(unpooled(x, indices, sizes), axis)


def unpooled(x, indices, sizes):
    """The framework's operator, which takes sizes; its public function takes the window that they came from."""
    if x.dim() == 3:
        return unpooled(x[:, :, None], indices[:, :, None], [1, *sizes])[:, :, 0]
    if x.dim() == 4:
        return torch.ops.aten.max_unpool2d(x, indices, sizes)
    return torch.ops.aten.max_unpool3d(x, indices, sizes, (1, 1, 1), (0, 0, 0))


def conv(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, *, channel_axis=1):
    """The framework's convolution."""
    function = getattr(F, f"conv{x.dim() - 2}d")
    # Its "same" is ours where the stride is 1; with a stride it refuses in its own words.
    pads = padding if padding == "same" else equal_padding("conv", padding, x.dim() - 2)
    return moved(lambda x: function(x, weight, bias, stride, pads, dilation, groups), x, channel_axis)


def conv_transpose(x, weight, bias=None, stride=1, padding=0, output_padding=0, dilation=1, groups=1, *,
                   channel_axis=1):  # fmt: skip
    """The framework's transposed convolution."""
    function = getattr(F, f"conv_transpose{x.dim() - 2}d")
    pads = equal_padding("conv_transpose", padding, x.dim() - 2)
    return moved(lambda x: function(x, weight, bias, stride, pads, output_padding, groups, dilation), x, channel_axis)


def moved(function, x, channel_axis):
    """Calls a function that wants the channels second."""
    return channels_back(function(channels_second(x, channel_axis % x.dim())), channel_axis % x.dim())


def equal_padding(name, padding, rank):
    """One integer an axis; what the framework cannot say is refused."""
    if padding == "valid":
        return (0,) * rank
    refuse(isinstance(padding, str), name, f"padding={padding!r}")
    pairs = arguments.padding_pairs(padding, (1,) * rank, (1,) * rank, (1,) * rank, (1,) * rank)
    refuse(any(before != after for before, after in pairs), name, f"padding={padding!r}")
    return tuple(before for before, _ in pairs)


def not_dilated(name, dilation, rank):
    """Refuses a dilation where the framework has none."""
    gaps = arguments.per_axis("dilation", dilation, rank, 1)
    refuse(any(gap != 1 for gap in gaps), name, f"dilation={dilation!r}")


def refuse(wrong, name, what):
    """Says what the framework's own operation lacks."""
    if wrong:
        raise ValueError(f"PyTorch {torch.__version__} has no {name} with {what}. Use backend='own'.")
