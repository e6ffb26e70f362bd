"""Fractional max pooling with plain torch operations, for any device."""

import torch

from course_lib.torch_ops.layout import channels_last, dense
from course_lib.torch_ops.plain.positions import separable_max


def fractional_max_pool(x, samples, kernel, outputs):
    """Values and flat positions of the winners."""
    check_samples(samples)
    # NumPy has no bfloat16: the places are those of the same numbers in float32.
    samples = samples.float() if samples.dtype == torch.bfloat16 else samples
    taps = []
    for axis, (size, k, output) in enumerate(zip(x.shape[2:], kernel, outputs, strict=True)):
        starts = window_starts(samples[..., axis], size, k, output)
        taps.append([starts + tap for tap in range(k)])
    last = channels_last(x)
    return tuple(dense(result, last) for result in separable_max(x, taps))


def check_samples(samples):
    """Refuses samples outside [0, 1)."""
    wrong = samples[~((samples >= 0) & (samples < 1))]
    if wrong.numel():
        raise ValueError(f"samples must be at least 0 and less than 1; got {wrong.flatten()[0].item()}.")


def window_starts(u, size, kernel, output):
    """Where the windows of one axis start in each plane, (N, C, output). Every step rounds to the type of ``u``."""
    starts = torch.full((*u.shape, output), size - kernel, dtype=torch.int64, device=u.device)
    if output > 1:
        alpha = u.new_tensor(size - kernel) / u.new_tensor(output - 1)
        steps = torch.arange(output - 1, device=u.device).to(u.dtype) + u[..., None]
        places = (steps * alpha).long() - (u * alpha).long()[..., None]
        # In half precision a step may round beyond the last place.
        starts[..., :-1] = places.clamp(max=size - kernel)
    return starts
