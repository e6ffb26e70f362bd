"""Our pooling modules in a training step against the framework's, on the CPU: ratios of times, both in turn.

    python benchmarks/torch_ops.py                       all shapes, one thread and all of them
    python benchmarks/torch_ops.py --shapes S2 S3 --threads 1 --rounds 9

A ratio above 1 means that ours is faster. Each round runs the framework's step and ours one after the other, so that a
busy machine slows both; the median of the rounds' ratios is printed, and how much of the machine others have used.
With ``--clock cpu`` the process's own time is counted and not the wall's, which on a busy machine says more about one
thread, and nothing about several.
"""

import argparse
import os
import statistics
import time

import torch

from course_lib import threads
from course_lib.torch_ops import nn

# Input shape, kernel, stride, padding: stems and stages of well-known networks, one tiny and one of images.
SHAPES = {
    "S1": ((32, 64, 112, 112), 3, 2, 1),
    "S2": ((32, 64, 56, 56), 2, 2, 0),
    "S3": ((16, 192, 28, 28), 3, 1, 1),
    "S4": ((8, 256, 13, 13), 3, 2, 0),
    "S5": ((1, 1, 4, 4), 2, 2, 0),
    "S6": ((64, 3, 224, 224), 2, 2, 0),
}
MEAN_OVER = ("S1", "S2", "S3", "S4", "S6")
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}
PARTS = ("forward", "backward", "step")
# Shapes whose step is so short that one must be repeated to be timed.
REPEATED = {"S4": 10, "S5": 300}


def modules(pool, window):
    """The framework's module and ours."""
    if pool == "max":
        return torch.nn.MaxPool2d(*window), nn.MaxPool(*window)
    return torch.nn.AvgPool2d(*window), nn.AvgPool(*window)


def timed_step(module, x, grad_output, repeat, clock):
    """Seconds of forward, backward and both."""
    forward = backward = 0.0
    for _ in range(repeat):
        x.grad = None
        start = clock()
        y = module(x)
        middle = clock()
        y.backward(grad_output)
        forward, backward = forward + middle - start, backward + clock() - middle
    return forward / repeat, backward / repeat, (forward + backward) / repeat


def busy_ticks():
    """Ticks that all processes and that this one has used; None where the system does not say."""
    try:
        with open("/proc/stat") as file:
            fields = [int(field) for field in file.readline().split()[1:9]]
    except OSError:
        return None
    own = os.times()
    return sum(fields) - fields[3] - fields[4], (own.user + own.system) * os.sysconf("SC_CLK_TCK")


def paired(pair, x, grad_output, rounds, repeat, clock):
    """One list of (framework's seconds, ours) a part; the two take turns, and each starts every other round."""
    times = {part: [] for part in PARTS}
    for module in pair:
        timed_step(module, x, grad_output, 1, clock)
    for number in range(rounds):
        order = pair if number % 2 else pair[::-1]
        found = {id(module): timed_step(module, x, grad_output, repeat, clock) for module in order}
        for position, part in enumerate(PARTS):
            times[part].append(tuple(found[id(module)][position] for module in pair))
    return times


def measure(pool, shape_name, rounds, clock, layout, compiled):
    """Median ratio and the two median times of every part, and the share of the machine that others used."""
    shape, *window = SHAPES[shape_name]
    pair = modules(pool, window)
    if compiled:
        pair = tuple(torch.compile(module) for module in pair)
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(shape, generator=generator).to(memory_format=layout).requires_grad_()
    grad_output = torch.randn(pair[0](x).shape, generator=generator).to(memory_format=layout)
    before, start = busy_ticks(), time.perf_counter()
    times = paired(pair, x, grad_output, rounds, REPEATED.get(shape_name, 1), clock)
    return {part: summary(pairs) for part, pairs in times.items()}, foreign(before, busy_ticks(), start)


def summary(pairs):
    """The median of the ratios, and both medians in milliseconds."""
    medians = [1e3 * statistics.median(seconds) for seconds in zip(*pairs, strict=True)]
    return statistics.median(theirs / ours for theirs, ours in pairs), *medians


def foreign(before, after, start):
    """Processors that others have used on average; NaN where the system does not say."""
    if before is None:
        return float("nan")
    others = (after[0] - before[0]) - (after[1] - before[1])
    return max(0.0, others / os.sysconf("SC_CLK_TCK") / (time.perf_counter() - start))


def use_threads(number):
    """Gives both sides the same number of threads."""
    torch.set_num_threads(number)
    threads.set_threads(number)


def table(title, options, layout=torch.contiguous_format, compiled=False):
    """Prints one line a shape and the geometric means; returns nothing."""
    pools, clock = options.pools, CLOCKS[options.clock]
    print(f"\n{title}, {options.clock} time\n")
    names = [f"{pool} {part}" for pool in pools for part in PARTS]
    print("| shape | " + " | ".join(names) + " | others |")
    print("|---" * (len(names) + 2) + "|")
    ratios = {name: {} for name in names}
    for shape in options.shapes:
        cells, loads = [], []
        for pool in pools:
            found, load = measure(pool, shape, options.rounds, clock, layout, compiled)
            loads.append(load)
            for part, (ratio, theirs, ours) in found.items():
                ratios[f"{pool} {part}"][shape] = ratio
                cells.append(f"**{ratio:.2f}** ({theirs:.3g} / {ours:.3g} ms)")
        print(f"| {shape} | " + " | ".join(cells) + f" | {max(loads):.1f} |", flush=True)
    means = [mean_ratio(ratios[name]) for name in names]
    print("| mean | " + " | ".join(means) + " | |")


def mean_ratio(ratios):
    """The geometric mean over the shapes that count, if all of them were measured."""
    if not set(MEAN_OVER) <= set(ratios):
        return ""
    return f"**{statistics.geometric_mean(ratios[shape] for shape in MEAN_OVER):.2f}**"


def main():
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=list(SHAPES))
    parser.add_argument("--threads", nargs="+", type=int, default=[1, threads.available()])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--pools", nargs="+", choices=["max", "avg"], default=["max", "avg"])
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    parser.add_argument("--extra", action="store_true", help="channels-last memory and compiled modules too")
    options = parser.parse_args()
    print(f"torch {torch.__version__}; ratio = framework's time / ours (framework's / ours in ms);")
    print("mean: geometric, over S1-S4 and S6; others: processors that other work has used meanwhile, at most.")
    for number in dict.fromkeys(options.threads):
        use_threads(number)
        table(f"{number} thread(s), NCHW", options)
        if options.extra:
            table(f"{number} thread(s), channels last", options, layout=torch.channels_last)
            table(f"{number} thread(s), compiled", options, compiled=True)


if __name__ == "__main__":
    main()
