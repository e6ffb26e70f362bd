"""Divides by the size of the kernel, where padding was not to count."""

SEEDS = (9,)
KNOWN = "gather_divides_by_kernel"


def gradient_of(place, grad_output, input_size, kernel_size, stride, padding):
    first = max(-(-(place + padding - kernel_size + 1) // stride), 0)
    last = min((place + padding) // stride, len(grad_output) - 1)
    return sum(grad_output[first : last + 1]) / kernel_size if last >= first else 0.0
