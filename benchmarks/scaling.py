"""What our max and average pooling cost as the input, the kernel, the dilation and the stride grow.

    python benchmarks/scaling.py             tables up to 64 MiB
    python benchmarks/scaling.py --largest 28    up to 2**28 bytes

Nanoseconds for each element of the input, the least of some calls in one thread. Where the cost is linear in the input,
and where it does not depend on the window, the numbers of a column are equal.
"""

import argparse

import measure
import numpy as np

from course_lib import avg_pool, avg_pool_backward, max_pool, max_pool_backward, set_threads

# Seconds after which no further call is made.
SECONDS = 0.3


def operations(x, *window, **options):
    """Our calls on one input, by name."""
    y, indices = max_pool(x, *window, return_indices=True, **options)
    return {
        "max with indices": lambda: max_pool(x, *window, return_indices=True, **options),
        "max, values only": lambda: max_pool(x, *window, **options),
        "max backward": lambda: max_pool_backward(y, indices, x.shape),
        "average": lambda: avg_pool(x, *window, **options),
        "average backward": lambda: avg_pool_backward(y, x.shape, *window, **options),
    }


def row(label, x, *window, **options):
    """Nanoseconds an element of each operation."""
    calls = operations(x, *window, **options).values()
    return [label, *(f"{1e9 * least(call) / x.size:.2f}" for call in calls)]


def least(call):
    """The least seconds of some calls."""
    taken = []
    while len(taken) < 3 or sum(taken) < SECONDS and len(taken) < 100:
        taken.append(measure.seconds_of(call))
    return min(taken)


def images(size, bytes_wanted, rng):
    """A batch of square images of float32 with 16 channels, or fewer, of about so many bytes."""
    channels = max(1, min(16, bytes_wanted // (4 * size * size)))
    samples = max(1, bytes_wanted // (4 * channels * size * size))
    return rng.standard_normal((samples, channels, size, size), dtype=np.float32)


def tables(largest, rng):
    """Markdown lines of all tables."""
    names = ["max with indices", "max, values only", "max backward", "average", "average backward"]
    yield from ["", "## Bytes of the input: windows of 3, stride 2, padding 1", ""]
    rows = (
        row(f"2^{power}", images(2 ** min(power // 2 - 1, 7), 2**power, rng), 3, 2, 1)
        for power in range(10, largest + 1, 2)
    )
    yield from measure.table(["bytes", *names], rows)
    yield from ["", "## One large plane: windows of 3, stride 2, padding 1", ""]
    rows = (
        row(f"{size}²", rng.standard_normal((1, 1, size, size), dtype=np.float32), 3, 2, 1)
        for size in (256, 1024, 4096)
    )
    yield from measure.table(["plane", *names], rows)
    x = images(64, 2**22, rng)
    yield from ["", "## Kernel: stride 1, and the largest padding", ""]
    yield from measure.table(["kernel", *names], (row(k, x, k, 1, k // 2) for k in range(2, 16)))
    yield from ["", "## Kernel: stride 2, and the largest padding", ""]
    yield from measure.table(["kernel", *names], (row(k, x, k, 2, k // 2) for k in range(2, 16)))
    yield from ["", "## Dilation: windows of 3, stride 1", ""]
    yield from measure.table(["dilation", *names], (row(d, x, 3, 1, 1, d) for d in (1, 2, 3, 4, 8, 16)))
    yield from ["", "## Stride: windows of 3", ""]
    yield from measure.table(["stride", *names], (row(s, x, 3, s) for s in (1, 2, 3, 4, 8)))


def main():
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", type=int, default=26, help="power of two of the bytes of the largest input")
    options = parser.parse_args()
    set_threads(1)
    print(
        f"# Cost as inputs and windows grow\n\n{measure.machine()}\n\nNanoseconds an element of the input, one thread."
    )
    for line in tables(options.largest, np.random.default_rng(0)):
        print(line, flush=True)


if __name__ == "__main__":
    main()
