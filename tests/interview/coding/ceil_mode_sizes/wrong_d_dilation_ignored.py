"""A dilated window is taken to be as long as its taps are many."""

SEEDS = (8,)
KNOWN = "ceil_dilation"


def output_sizes(input_size, kernel_size, stride, padding, dilation):
    sizes = []
    for size, kernel, step, pad in zip(input_size, kernel_size, stride, padding, strict=True):
        windows = -(-(size + 2 * pad - kernel) // step) + 1
        sizes.append(windows - ((windows - 1) * step >= size + 2 * pad))
    return sizes
