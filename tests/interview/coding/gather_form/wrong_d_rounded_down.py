"""Rounds the first window down, and asks one that ends before the element."""

SEEDS = (0, 7)
KNOWN = "gather_one_too_many"


def gradient_of(place, grad_output, input_size, kernel_size, stride, padding):
    total = 0.0
    rows, columns = (
        range(max((at + padding - kernel_size + 1) // stride, 0), min((at + padding) // stride, count - 1) + 1)
        for at, count in zip(place, grad_output.shape, strict=True)
    )
    for i in rows:
        for j in columns:
            total += grad_output[i, j] / kernel_size**2
    return total
