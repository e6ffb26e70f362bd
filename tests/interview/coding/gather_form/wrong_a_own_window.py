"""Asks one window, although several may hold the element."""

SEEDS = (0, 7)
KNOWN = "gather_own_window"


def gradient_of(place, grad_output, input_size, kernel_size, stride, padding):
    i, j = ((position + padding) // stride for position in place)
    if i >= grad_output.shape[0] or j >= grad_output.shape[1]:
        return 0.0
    inside = all(position + padding - w * stride < kernel_size for position, w in zip(place, (i, j), strict=True))
    return grad_output[i, j] / kernel_size**2 if inside else 0.0
