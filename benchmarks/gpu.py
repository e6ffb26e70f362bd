"""The GPU kernels of course_lib: right first, then fast. Finishes in under four minutes.

    python benchmarks/gpu.py              on a machine with a CUDA device and Triton
    python benchmarks/gpu.py --dry-run    the same program on the CPU, with tiny shapes, to see that it runs

It prints correctness against float64 on the CPU, ratios against the framework's eager and compiled kernels (above 1:
ours is faster), the share of a device copy's bandwidth, the framework's bytes over ours, determinism over a hundred
runs, and peak memory.

No GPU was at hand when the kernels were written. They have been run by Triton's interpreter and compiled ahead of time
for compute capability 9.0; what this program prints on a GPU has still to be seen.
"""

import argparse
import datetime
import statistics
import sys
import time
from functools import partial

import torch
import torch.nn.functional as F

import course_lib
from course_lib.torch_ops import nn

# Input shape, kernel, stride, padding.
SHAPES = {
    "S1": ((32, 64, 112, 112), 3, 2, 1),
    "S2": ((32, 64, 56, 56), 2, 2, 0),
    "S3": ((16, 192, 28, 28), 3, 1, 1),
    "S4": ((8, 256, 13, 13), 3, 2, 0),
    "S5": ((1, 1, 4, 4), 2, 2, 0),
    "S6": ((64, 3, 224, 224), 2, 2, 0),
}
DTYPES = (torch.float32, torch.float16, torch.bfloat16)
# Small windows of every kind: overlapping, padded, dilated, overhanging, with pairs, and without a real tap.
WINDOWS = {
    "tiles": ((2, 3, 8, 6), {"kernel_size": 2}),
    "overlapping": ((2, 3, 9, 7), {"kernel_size": 3, "stride": 1}),
    "padded": ((2, 3, 7, 8), {"kernel_size": 3, "stride": 2, "padding": 1}),
    "dilated": ((2, 3, 9, 9), {"kernel_size": 3, "stride": 2, "padding": 1, "dilation": 2}),
    "overhanging": ((2, 3, 7, 8), {"kernel_size": 3, "stride": 2, "ceil_mode": True}),
    "pairs": ((2, 3, 6, 7), {"kernel_size": 3, "stride": 2, "padding": ((0, 2), (1, 0))}),
    "same": ((2, 3, 6, 7), {"kernel_size": 4, "stride": 2, "padding": "same"}),
    "no real tap": ((1, 1, 1, 1), {"kernel_size": 2, "stride": 1, "padding": 1, "dilation": 2}),
    "line": ((2, 3, 11), {"kernel_size": 3, "stride": 2, "padding": 1}),
    "volume": ((1, 2, 5, 6, 7), {"kernel_size": (2, 1, 3), "stride": (2, 1, 2), "padding": (1, 0, 1)}),
    "large": ((1, 2, 20, 20), {"kernel_size": 17, "stride": 1}),
}
OTHERS = {
    "adaptive_max_pool": lambda x: course_lib.adaptive_max_pool(x, 3),
    "adaptive_avg_pool": lambda x: course_lib.adaptive_avg_pool(x, (3, 2)),
    "lp_pool": lambda x: course_lib.lp_pool(x, 3, 2),
    "conv": lambda x: course_lib.conv(x, weight(x, 4, 3, 3, 3), stride=2, padding=1),
    "conv_transpose": lambda x: course_lib.conv_transpose(x, weight(x, 3, 2, 3, 3), stride=2, output_padding=1),
}


def say(line=""):
    """Prints at once, so that a run that is cut short has shown what it found."""
    print(line, flush=True)


def weight(x, *shape):
    """Weights that are the same on every device: small whole numbers over 8, exact in every type."""
    return torch.arange(torch.Size(shape).numel()).remainder(5).sub(2).reshape(shape).to(x) / 8


def gradient(function, x, upstream):
    """The output, and the gradient of the input."""
    leaf = x.detach().requires_grad_()
    y = function(leaf)
    return y.detach(), torch.autograd.grad(y, leaf, upstream(y))[0]


def wave(y):
    """An upstream gradient that is the same on every device: whole numbers, exact in every type."""
    return torch.arange(y.numel()).remainder(7).sub(3).reshape(y.shape).to(y)


def tolerance(dtype, exact):
    """Rounding once for a maximum, and a few additions for sums."""
    return 0 if exact else 4 * torch.finfo(dtype).eps


def agree(found, expected, dtype, exact):
    """Whether all results lie as close to the float64 ones as their type allows."""
    limit = tolerance(dtype, exact)
    for ours, theirs in zip(found, expected, strict=True):
        # A sum of whole numbers in half precision is rounded once at the end, also for a maximum's gradient.
        rounded = theirs.to(dtype).double()
        if not torch.allclose(ours.double().cpu(), rounded, rtol=limit, atol=limit * 4, equal_nan=True):
            return False
    return True


def check(device):
    """Every operation on the device against float64 on the CPU; returns the names of what differs."""
    wrong, count = [], 0
    for name, function, shape, exact in calls():
        values = torch.arange(torch.Size(shape).numel()).mul(37).remainder(101).sub(50).reshape(shape).double() / 8
        expected = gradient(function, values, wave)
        for dtype in (*DTYPES, torch.float64):
            for layout in layouts(values):
                found = gradient(function, layout(values.to(device, dtype)), wave)
                count += 1
                if not agree(found, expected, dtype, exact):
                    wrong.append(f"{name} {dtype}")
    say(f"correctness: {count} calls, forward and backward, {len(wrong)} differ from float64 on the CPU")
    return wrong


def layouts(x):
    """The memory layouts that a tensor of this rank is tried in."""
    if x.dim() != 4:
        return [lambda value: value]
    return [lambda value: value, lambda value: value.to(memory_format=torch.channels_last)]


def calls():
    """Name, function of x, shape, and whether values are only copied."""
    for name, (shape, window) in WINDOWS.items():
        yield f"max_pool {name}", partial(course_lib.max_pool, **window), shape, True
        yield f"avg_pool {name}", partial(course_lib.avg_pool, **window), shape, False
    for name, function in OTHERS.items():
        yield name, function, (2, 3, 7, 6), name == "adaptive_max_pool"


def scaled(shape, elements):
    """The shape with so many samples that it has about this many elements."""
    per_sample = torch.Size(shape[1:]).numel()
    return (max(shape[0], elements // per_sample), *shape[1:])


class Clock:
    """Times calls on a device: events on CUDA, a wall clock elsewhere."""

    def __init__(self, device, seconds):
        self.cuda, self.seconds = device == "cuda", seconds

    def once(self, call):
        """Seconds of one call."""
        if not self.cuda:
            start = time.perf_counter()
            call()
            return time.perf_counter() - start
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        call()
        end.record()
        torch.cuda.synchronize()
        return start.elapsed_time(end) / 1e3

    def medians(self, *functions):
        """The median seconds of several functions that take turns, after a warm-up."""
        for call in functions:
            call(), call()
        rounds = max(5, min(50, int(self.seconds / max(1e-6, sum(map(self.once, functions))))))
        times = [[self.once(call) for call in functions] for _ in range(rounds)]
        return [statistics.median(column) for column in zip(*times, strict=True)]


def bytes_moved(pool, x, y):
    """Bytes that forward and backward must read and write: ours, and the framework's with its 8-byte indices."""
    values = x.numel() * x.element_size() + y.numel() * y.element_size()
    if pool == "avg":
        return (values, values), (values, values)
    return (values + y.numel(), values + y.numel()), (values + 8 * y.numel(), values + 8 * y.numel())


def pools(pool, kernel, stride, padding):
    """Ours and the framework's."""
    window = {"kernel_size": kernel, "stride": stride, "padding": padding}
    if pool == "max":
        return nn.MaxPool(**window), partial(F.max_pool2d, **window)
    return nn.AvgPool(**window), partial(F.avg_pool2d, **window)


def rows(options, clock, deadline):
    """Measures every shape, type and pool; yields the cells of one line each."""
    for name in options.shapes:
        shape, *window = SHAPES[name]
        shape = shape if name == "S5" else scaled(options.shrink(shape), options.elements)
        for dtype in DTYPES:
            x = torch.randn(shape, device=options.device).to(dtype).requires_grad_()
            copy = clock.medians(partial(torch.Tensor.copy_, torch.empty_like(x.detach()), x.detach()))[0]
            bandwidth = 2 * x.numel() * x.element_size() / copy
            for pool in ("max", "avg"):
                compiled = dtype == torch.float32 and time.monotonic() < deadline
                yield name, tuple(shape), dtype, pool, *line(pool, window, x, bandwidth, clock, compiled)


def line(pool, window, x, bandwidth, clock, compiled):
    """Ratios and bandwidths of one configuration, forward and backward."""
    functions = list(pools(pool, *window))
    if compiled:
        torch._dynamo.reset()
        functions.append(torch.compile(functions[1], dynamic=False))
    outputs = [function(x) for function in functions]
    upstream = torch.ones_like(outputs[0])
    forward = clock.medians(*(partial(function, x) for function in functions))
    backward = clock.medians(*(partial(torch.autograd.grad, y, x, upstream, retain_graph=True) for y in outputs))
    cells = []
    for seconds, moved, theirs in zip((forward, backward), *bytes_moved(pool, x, outputs[0]), strict=True):
        ratios = [f"{other / seconds[0]:.2f}" for other in seconds[1:]] + ["–"] * (3 - len(seconds))
        cells += [f"{seconds[0] * 1e6:.0f}", *ratios, f"{moved / seconds[0] / bandwidth:.0%}", f"{theirs / moved:.2f}"]
    return cells


def print_table(options, clock, deadline):
    """Prints a line a configuration."""
    part = "× eager | × compiled | of copy | × bytes"
    say(f"\n| shape | type | pool | forward µs | {part} | backward µs | {part} |")
    say("|---" * 13 + "|")
    for name, shape, dtype, pool, *cells in rows(options, clock, deadline):
        short = str(dtype).removeprefix("torch.")
        say(f"| {name} {'×'.join(map(str, shape))} | {short} | {pool} | " + " | ".join(cells) + " |")


def determinism(device, runs):
    """Whether every run gives the same bits, forward and backward."""
    x = torch.randn(4, 8, 57, 57, device=device)
    for pool in (nn.MaxPool(3, 2, 1), nn.AvgPool(3, 2, 1)):
        first = gradient(pool, x, torch.ones_like)
        same = all(all(map(torch.equal, first, gradient(pool, x, torch.ones_like))) for _ in range(runs))
        say(f"{type(pool).__name__}: {runs} runs, {'all the same bits' if same else 'NOT THE SAME'}")


def peak_memory(device):
    """Bytes that a training step needs beyond its input, ours and the framework's."""
    if device != "cuda":
        say("peak memory: only a CUDA device counts it")
        return
    x = torch.randn(scaled((32, 64, 56, 56), 2**26), device=device, requires_grad=True)
    for label, pool in zip(("ours", "framework"), pools("max", 2, 2, 0), strict=True):
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        pool(x).sum().backward()
        x.grad = None
        torch.cuda.synchronize()
        peak = (torch.cuda.max_memory_allocated() - before) / 2**20
        say(f"peak memory of a max-pooling step, {label}: {peak:.0f} MiB")


def parsed():
    """The options, and what they mean for the shapes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dry-run", action="store_true", help="on the CPU, with tiny shapes")
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=list(SHAPES))
    parser.add_argument("--seconds", type=float, default=210, help="after so many nothing more is compiled")
    parser.add_argument("--runs", type=int, default=100)
    options = parser.parse_args()
    options.device = "cpu" if options.dry_run else "cuda"
    options.elements = 2**10 if options.dry_run else 2**26
    options.shrink = (lambda shape: (1, 2, 8, 8)) if options.dry_run else (lambda shape: shape)
    return options


def main():
    """Runs all parts; exit status 1 if a result is wrong."""
    options = parsed()
    start = time.monotonic()
    if options.device == "cuda" and not torch.cuda.is_available():
        sys.exit("No CUDA device is visible to PyTorch. Try --dry-run.")
    machine = torch.cuda.get_device_name() if options.device == "cuda" else "CPU, dry run: the times mean nothing"
    say(f"{datetime.date.today()}, {machine}, torch {torch.__version__}")
    wrong = check(options.device)
    for name in wrong:
        say(f"  differs: {name}")
    determinism(options.device, options.runs if options.device == "cuda" else 3)
    peak_memory(options.device)
    clock = Clock(options.device, 0.15 if options.device == "cuda" else 0.005)
    print_table(options, clock, start + options.seconds - 60)
    say(f"\n{time.monotonic() - start:.0f} s")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
