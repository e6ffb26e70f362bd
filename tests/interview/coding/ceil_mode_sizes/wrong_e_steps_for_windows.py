"""The steps are counted, not the windows."""

SEEDS = (1,)
KNOWN = "ceil_without_first"


def output_sizes(input_size, kernel_size, stride, padding, dilation):
    found = []
    for size, k, s, (before, after), d in zip(input_size, kernel_size, stride, padding, dilation, strict=True):
        span = d * (k - 1) + 1
        windows = -(-(size + before + after - span) // s)
        found.append((windows, max(0, (windows - 1) * s + span - size - before - after)))
    return found
