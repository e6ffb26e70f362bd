"""The formula, and a look at where the last window begins."""

SEEDS = (11,)


def output_sizes(input_size, kernel_size, stride, padding):
    sizes = []
    for size, kernel, step, (before, after) in zip(input_size, kernel_size, stride, padding, strict=True):
        windows = -(-(size + before + after - kernel) // step) + 1
        if (windows - 1) * step - before >= size:
            windows -= 1
        sizes.append(windows)
    return sizes
