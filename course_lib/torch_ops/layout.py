"""How tensors lie in memory: channels last or not, lent to NumPy without a copy, and bfloat16 widened in blocks."""

import math

import numpy as np
import torch

BLOCK = 2**20
LARGE = 2**23


def channels_last(x):
    """Whether the channels are the innermost axis in memory, as far as a dense result should follow it."""
    if x.is_contiguous() or x.stride(1) != 1:
        return False
    strides = [x.stride(0), *x.stride()[2:]]
    return all(outer >= inner for outer, inner in zip(strides, strides[1:], strict=False)) and strides[-1] >= x.shape[1]


def empty(shape, like, last, dtype=None):
    """An empty tensor (N, C, *spatial), dense, with the channels innermost in memory if ``last``."""
    if not last:
        return like.new_empty(shape, dtype=dtype)
    return like.new_empty((shape[0], *shape[2:], shape[1]), dtype=dtype).movedim(-1, 1)


def zeros(shape, dtype):
    """A tensor of zeros on the CPU, in float32 or float64."""
    if math.prod(shape) < LARGE:
        return torch.zeros(shape, dtype=dtype)
    # So much memory is fresh from the system at every call. NumPy asks for large pages, which are faster to get.
    return torch.from_numpy(np.zeros(shape, np.float64 if dtype == torch.float64 else np.float32))


def dense(x, last):
    """The same elements in dense memory, the channels innermost if ``last``."""
    return x.movedim(1, -1).contiguous().movedim(-1, 1) if last else x.contiguous()


def channels_second(x, axis):
    """The same elements as (N, C, *spatial), without a copy."""
    return x if axis == 1 else x.movedim(axis, 1)


def channels_back(y, axis):
    """Puts the channel axis back where the caller has it."""
    return y if axis == 1 else y.movedim(1, axis)


def lend(x, last):
    """A NumPy view of a CPU tensor's memory, with the channels where they lie in memory."""
    array = x.detach().resolve_conj().resolve_neg().numpy()
    return np.moveaxis(array, 1, -1) if last else array


def take_back(array, last):
    """A tensor on a NumPy result's memory, (N, C, *spatial)."""
    # Strides are part of what the fake kernels promise, and NumPy may return any.
    tensor = torch.from_numpy(np.ascontiguousarray(array))
    return tensor.movedim(-1, 1) if last else tensor


def widened(kernel, fake, shape_at=None):
    """The kernel, able to take bfloat16, which NumPy lacks: blocks of samples are widened to float32 and cut back.

    Parameters
    ----------
    kernel, fake : function
        The operator's kernel on the CPU, and its empty results.
    shape_at : int or None
        Which argument is a full shape, whose first entry is the number of samples.
    """

    def cpu(x, *rest):
        if x.dtype != torch.bfloat16:
            return kernel(x, *rest)
        results = fake(x, *rest)
        for samples in sample_blocks(x):
            block = [in_block(value, samples) for value in (x, *rest)]
            if shape_at is not None:
                block[shape_at] = [samples.stop - samples.start, *block[shape_at][1:]]
            copy_block(results, kernel(*block), samples)
        return results

    return cpu


def sample_blocks(x):
    """Slices of samples of about BLOCK elements."""
    step = max(1, BLOCK * len(x) // max(1, x.numel()))
    return [slice(first, min(first + step, len(x))) for first in range(0, len(x), step)]


def in_block(value, samples):
    """The samples of one block in a type that NumPy knows; what is not a tensor stays."""
    if not isinstance(value, torch.Tensor):
        return value
    block = value[samples]
    return block.float() if block.dtype == torch.bfloat16 else block


def copy_block(results, parts, samples):
    """Writes the results of one block into the whole."""
    if isinstance(results, torch.Tensor):
        results, parts = (results,), (parts,)
    for result, part in zip(results, parts, strict=True):
        result[samples] = part
