"""How the benchmarks take times: in turn, in one process, and mostly when nobody else uses the machine."""

import os
import platform
import statistics
import time
import tracemalloc
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

import numpy as np

# Processors that others may use on average in a round that counts, and how many such rounds are enough to use no other.
QUIET, ENOUGH = 0.25, 5
# Rounds of each comparison, however long they last.
FEWEST = 3
# Seconds that a round lasts at least: the system counts the time of others in hundredths.
ROUND = 0.08
# Seconds before a call of theirs when there are several threads: those of BLAS look for more work for so long.
PAUSE = 0.05


class Times(NamedTuple):
    """Seconds of every round that counts."""

    theirs: list
    cold: list  # ours right after theirs
    warm: list  # ours once more, on the same data
    copy: list  # of as many bytes as the operation reads and writes
    quiet: int  # rounds in which others did little; if they were too few, all rounds count

    def ratios(self, ours):
        """How many times as fast as theirs, round by round."""
        return [a / b for a, b in zip(self.theirs, ours, strict=True)]

    @property
    def ratio(self):
        """The median ratio of the warm calls."""
        return statistics.median(self.ratios(self.warm))

    @property
    def cold_ratio(self):
        """The median ratio of the calls right after theirs."""
        return statistics.median(self.ratios(self.cold))

    @property
    def spread(self):
        """The quartiles of the warm ratios."""
        ordered = sorted(self.ratios(self.warm))
        return ordered[len(ordered) // 4], ordered[-1 - len(ordered) // 4]

    @property
    def copy_share(self):
        """The time of a copy of the same bytes, as a share of ours."""
        return statistics.median(a / b for a, b in zip(self.copy, self.warm, strict=True))


def in_turn(theirs, ours, moved, seconds, repeat=1, clock=time.perf_counter, pause=0):
    """Calls theirs, ours, ours again and a copy in turn, for so many seconds; ``moved`` is in bytes."""
    calls = (theirs, ours, ours, copier(moved))
    for call in calls:
        call()
    rounds, start = [], time.perf_counter()
    while time.perf_counter() - start < seconds or len(rounds) < FEWEST:
        before, begin = used_by_others(), time.perf_counter()
        taken = []
        while not taken or time.perf_counter() - begin < ROUND:
            time.sleep(pause)
            taken.append([seconds_of(call, repeat, clock) for call in calls])
        others = (used_by_others() - before) / (time.perf_counter() - begin)
        rounds += [(others, *one) for one in taken]
    quiet = [one for one in rounds if one[0] < QUIET]
    counting = quiet if len(quiet) >= ENOUGH else rounds
    return Times(*map(list, list(zip(*counting, strict=True))[1:]), quiet=len(quiet))


def copier(moved):
    """A copy that reads and writes so many bytes in all."""
    source, target = (np.ones(max(1, moved // 8), np.float32) for _ in range(2))
    return lambda: np.copyto(target, source)


def seconds_of(call, repeat=1, clock=time.perf_counter):
    """Seconds of one call; its result is freed outside of them."""
    start = clock()
    for _ in range(repeat):
        result = call()
    taken = clock() - start
    del result
    return taken / repeat


def used_by_others():
    """Seconds of processor time that other processes have used; 0 where the system does not say."""
    try:
        with open("/proc/stat") as file:
            user, nice, system, _, _, irq, softirq, steal = (int(field) for field in file.readline().split()[1:9])
    except OSError:
        return 0.0
    busy = (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
    return busy - time.process_time()


def extra_memory(operation):
    """Bytes that a call needs at its peak beyond what it returns."""
    operation()
    tracemalloc.start()
    result = operation()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    arrays = result if isinstance(result, tuple) else (result,)
    return peak - sum(array.nbytes for array in arrays)


median, geometric_mean = statistics.median, statistics.geometric_mean


def machine():
    """One line on the machine, one on the versions."""
    packages = ", ".join(f"{name} {found}" for name in ("numpy", "torch", "scipy") if (found := installed(name)))
    return f"{processor()}, {len(os.sched_getaffinity(0))} processors. Python {platform.python_version()}, {packages}."


def installed(name):
    """The version of a package, or None."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def processor():
    """The name of the processor, as far as the system tells it."""
    try:
        with open("/proc/cpuinfo") as file:
            names = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()


def table(header, rows):
    """Markdown lines."""
    lines = [header, ["---"] * len(header), *rows]
    return ["| " + " | ".join(str(cell) for cell in line) + " |" for line in lines]
