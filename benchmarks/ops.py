"""Our pooling and convolution on NumPy arrays against PyTorch's kernels on the CPU: ratios of times, both in turn.

    python benchmarks/ops.py --quick           in under a minute
    python benchmarks/ops.py --full            long runs; writes benchmarks/results.md
    python benchmarks/ops.py --shapes S1 S3 --operations "max with indices" --seconds 5

A ratio above 1 means that ours is faster. Warm is a call right after another on the same data, cold one right after
PyTorch's. PyTorch finds the indices of a maximum also where nobody asks for them. Each number of threads has a process
of its own, for BLAS takes it from the environment. On a busy machine --clock cpu says more about one thread, and
nothing about several.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import cases
import measure

RESULTS = Path(__file__).with_name("results.md")
# What the long runs print beside our own tables.
OTHERS = (["scaling.py", "--largest", "28"], ["alternatives.py"])
# Calls of the tiny shape that are timed together.
REPEAT = 300
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}


def main():
    """Measures in one process for each number of threads, and prints the tables."""
    options = arguments()
    if options.threads:
        measure_here(options)
        return
    allowed = len(os.sched_getaffinity(0))
    runs = {threads: measure_there(threads, options) for threads in sorted({1, allowed})}
    text = "\n".join(report(runs[1], runs[allowed], allowed))
    print(text)
    if options.full:
        others = (run_there(Path(__file__).with_name(name), *rest) for name, *rest in OTHERS)
        RESULTS.write_text("\n\n".join([text, *others]) + "\n", encoding="utf-8")


def arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="short runs of the main table")
    parser.add_argument("--full", action="store_true", help="long runs of everything, written to a file")
    parser.add_argument("--shapes", nargs="+", choices=cases.SHAPES, default=list(cases.SHAPES))
    parser.add_argument("--operations", nargs="+", choices=cases.OPERATIONS, default=list(cases.OPERATIONS))
    parser.add_argument("--seconds", type=float, help="of each comparison")
    parser.add_argument("--clock", choices=CLOCKS, default="wall", help="the wall's time or the process's own")
    parser.add_argument("--threads", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.seconds = options.seconds or (1.2 if options.full else 0.3 if options.quick else 1)
    return options


def measure_there(threads, options):
    """Runs this file in a process with so many threads; the measurements it prints, by table, row and operation."""
    command = [sys.executable, __file__, *sys.argv[1:], "--threads", str(threads)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
    found = {}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            key, numbers = json.loads(line)
            print(f"{threads} threads, {', '.join(key)}: {numbers['ratio']:.2f}", file=sys.stderr, flush=True)
            found[tuple(key)] = numbers
    if process.returncode:
        sys.exit(process.returncode)
    return found


def run_there(script, *options):
    """What another benchmark prints, in a process of its own with one thread."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    print(f"{script.name} {' '.join(options)}", file=sys.stderr, flush=True)
    command = [sys.executable, script, *options]
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def measure_here(options):
    """Prints one line of JSON for each comparison."""
    import torch

    from course_lib import set_threads

    torch.set_num_threads(options.threads)
    set_threads(options.threads)
    for key, case, repeat in comparisons(options):
        clock, pause = CLOCKS[options.clock], measure.PAUSE if options.threads > 1 else 0
        times = measure.in_turn(case.theirs, case.ours, case.moved, options.seconds, repeat, clock, pause)
        print(json.dumps([key, numbers(times, case)]), flush=True)


def comparisons(options):
    """Every comparison: its table, row and operation, the calls, and how many of them are timed together."""
    for name in options.shapes:
        for operation in options.operations:
            yield ("channels first", name, operation), cases.pooling(*cases.SHAPES[name], operation), 1
    for operation in options.operations:
        yield ("tiny", "S5", operation), cases.pooling(*cases.TINY["S5"], operation), REPEAT
    if options.quick:
        return
    for name in options.shapes:
        for operation in options.operations:
            yield ("channels last", name, operation), cases.pooling(*cases.SHAPES[name], operation, last=True), 1
    for name, shape in cases.LARGE_WINDOWS.items():
        for operation in options.operations:
            yield ("large windows", name, operation), cases.pooling(*shape, operation), 1
    for part in ("forward", "backward"):
        yield ("convolution", "(32, 16→32, 28, 28) k3 p1", part), cases.convolution(part), 1


def numbers(times, case):
    """What is kept of one comparison: milliseconds, ratios, and MiB."""
    return {
        "theirs": 1e3 * measure.median(times.theirs),
        "ours": 1e3 * measure.median(times.warm),
        "ratio": times.ratio,
        "spread": times.spread,
        "cold": times.cold_ratio,
        "copy": times.copy_share,
        "quiet": times.quiet,
        "rounds": len(times.warm),
        "memory": measure.extra_memory(case.ours) / 2**20,
    }


def report(one, all_threads, allowed):
    """The tables as Markdown lines."""
    yield from ["# Speed against PyTorch on the CPU", "", measure.machine(), ""]
    yield (
        f"Milliseconds and ratios; above 1 ours is faster. {allowed} threads are compared with as many of PyTorch. "
        "Quartiles: of the rounds' ratios. Copy: the share that a copy of the same bytes takes of our time. Extra: "
        "memory at the peak beyond the results, in MiB, with one thread and with all. Quiet: rounds in which other "
        "processes used less than a quarter of a processor, of all rounds that count."
    )
    for title in dict.fromkeys(table for table, _, _ in one):
        for operation in dict.fromkeys(key[2] for key in one if key[0] == title):
            yield from ["", f"## {operation}, {title}", ""]
            yield from one_table(title, operation, one, all_threads, allowed)


def one_table(title, operation, one, all_threads, allowed):
    """One operation: a line for each shape, and the geometric means."""
    header = ["", "PyTorch", "ours", "ratio", "quartiles", "cold", f"PyTorch, {allowed}", f"ours, {allowed}"]
    header += [f"ratio, {allowed}", "copy", "extra", "quiet"]
    pairs = {key[1]: (one[key], all_threads[key]) for key in one if (key[0], key[2]) == (title, operation)}
    rows = [row(name, *pair) for name, pair in pairs.items()]
    if len(pairs) > 1:
        means = (measure.geometric_mean([pair[k]["ratio"] for pair in pairs.values()]) for k in (0, 1))
        rows.append(["mean", "", "", *(f"**{mean:.2f}**" for mean in means)])
        rows[-1][4:4] = ["", "", "", ""]
    return measure.table(header, rows)


def row(name, single, several):
    """The cells of one line."""
    low, high = single["spread"]
    return [
        name, f"{single['theirs']:.3g}", f"{single['ours']:.3g}", f"**{single['ratio']:.2f}**", f"{low:.2f}–{high:.2f}",
        f"{single['cold']:.2f}", f"{several['theirs']:.3g}", f"{several['ours']:.3g}", f"**{several['ratio']:.2f}**",
        f"{single['copy']:.2f}", f"{single['memory']:.1f}, {several['memory']:.1f}",
        f"{single['quiet']} of {single['rounds']}",
    ]  # fmt: skip


if __name__ == "__main__":
    main()
