"""Windows are laid one by one; taps lie apart, and the overhang is asked for."""

SEEDS = (1,)


def output_sizes(input_size, kernel_size, stride, padding, dilation):
    found = []
    for size, k, s, (before, after), d in zip(input_size, kernel_size, stride, padding, dilation, strict=True):
        start, windows = -before, 1
        while start + d * (k - 1) < size + after - 1 and start + s < size:
            start, windows = start + s, windows + 1
        found.append((windows, max(0, start + d * (k - 1) + 1 - size - after)))
    return found
