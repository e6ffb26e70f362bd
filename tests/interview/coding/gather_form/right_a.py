"""A loop over the windows that hold the element, both ends by their formulas; an average over the kernel."""

SEEDS = (0, 7)


def gradient_of(place, grad_output, input_size, kernel_size, stride, padding):
    ends = []
    for position, count in zip(place, grad_output.shape, strict=True):
        first = max(-(-(position + padding - kernel_size + 1) // stride), 0)
        last = min((position + padding) // stride, count - 1)
        ends.append(range(first, last + 1))
    total = 0.0
    for i in ends[0]:
        for j in ends[1]:
            total += grad_output[i, j] / kernel_size**2
    return total
