"""Fractional max pooling: windows that stand at pseudo-random places, so that the size shrinks by any factor."""

import numpy as np
import torch

from course_lib import arguments, numpy_ops
from course_lib.torch_ops import checks
from course_lib.torch_ops.adaptive_pool import fake_max
from course_lib.torch_ops.layout import channels_back, channels_last, lend, take_back, widened
from course_lib.torch_ops.max_pool import Choosing
from course_lib.torch_ops.plain import fractional_pool as plain
from course_lib.torch_ops.register import operator, vmapped


def fractional_max_pool(x, kernel_size, output_size=None, output_ratio=None, *, samples=None, rng=None,
                        return_indices=False, channel_axis=1):  # fmt: skip
    """The largest element of windows that stand at random, in order, the last one at the end; differentiable.

    Parameters
    ----------
    x : Tensor (N, C, *spatial)
        One to three spatial axes; float16, bfloat16, float32, float64 or an integer type, on any device.
    kernel_size, output_size, output_ratio, return_indices, channel_axis
        As in `course_lib.numpy_ops.fractional_max_pool`.
    samples : Tensor (N, C, spatial axes) or None
        Where the windows stand, one number in [0, 1) for each plane and axis, in the dtype of ``x`` (float64 for
        integers), axes in their order. None draws them; inside torch.compile they must be given.
    rng : numpy.random.Generator or None
        Draws the samples, the same ones as for an array. None makes a fresh one.

    Returns
    -------
    y : Tensor (N, C, *output)
        In the dtype of ``x``.
    indices : Tensor (N, C, *output), int64
        Only with ``return_indices``: for `max_pool_backward`, which is the backward of this operation too.

    Raises
    ------
    ValueError, TypeError
        As `course_lib.numpy_ops.fractional_max_pool`.

    See Also
    --------
    max_pool_backward

    Examples
    --------
    >>> import torch
    >>> x = torch.tensor([[[1., 5., 2., 4., 3.]]])
    >>> fractional_max_pool(x, 2, 3, samples=torch.tensor([[[0.5]]]))
    tensor([[[5., 4., 4.]]])
    """
    x, axis = checks.batch("x", x, checks.NUMBERS, channel_axis, kernel_size, output_size, output_ratio)
    kernel, outputs = arguments.fractional_sizes(x.shape[2:], kernel_size, output_size, output_ratio)
    samples = drawn(x, rng) if samples is None else given(samples, x)
    y, indices = FRACTIONAL(x, samples, kernel, outputs)
    if arguments.flag("return_indices", return_indices):
        return channels_back(y, axis), channels_back(indices, axis)
    return channels_back(y, axis)


def sample_dtype(x):
    """The type of the samples."""
    return x.dtype if x.is_floating_point() else torch.float64


def drawn(x, rng):
    """Samples from a NumPy generator: the same as for an array of the same shape and type."""
    wide = torch.float32 if x.dtype == torch.bfloat16 else sample_dtype(x)
    dtype = np.dtype(str(wide).removeprefix("torch."))
    samples = torch.from_numpy(arguments.fractional_samples(None, rng, tuple(x.shape), dtype))
    if x.dtype == torch.bfloat16:
        # Below 1 still after rounding.
        samples = samples.clamp(max=1 - torch.finfo(x.dtype).eps)
    return samples.to(x.device, sample_dtype(x))


def given(samples, x):
    """Checked samples; their values are checked where they are read."""
    checks.tensor("samples", samples, checks.FLOATS)
    arguments.same_dtype("samples", samples.dtype, sample_dtype(x), "x")
    checks.same_device("samples", samples, "x", x)
    shape = (*x.shape[:2], x.dim() - 2)
    if tuple(samples.shape) != shape:
        raise ValueError(f"samples must have shape (N, C, spatial axes) = {shape}; got shape {tuple(samples.shape)}.")
    return samples


def fake_fractional(x, samples, kernel, outputs):
    """Values and indices without content."""
    return fake_max(x, outputs)


def cpu_fractional(x, samples, kernel, outputs):
    """NumPy's kernel on the tensors' memory."""
    last = channels_last(x)
    results = numpy_ops.fractional_max_pool(
        lend(x, last), tuple(kernel), tuple(outputs), samples=lend(samples, False), return_indices=True,
        channel_axis=-1 if last else 1,
    )  # fmt: skip
    return tuple(take_back(result, last) for result in results)


FRACTIONAL = operator(
    "fractional(Tensor x, Tensor samples, int[] kernel, SymInt[] outputs) -> (Tensor, Tensor)",
    rule=Choosing,
    cpu=widened(cpu_fractional, fake_fractional),
    plain=plain.fractional_max_pool,
    fake=fake_fractional,
    vmap=vmapped(),
)
