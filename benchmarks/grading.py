"""A whole class through the grader: how many submissions a second, how much memory, and what is lost when it is killed.

python -m benchmarks.grading                  300 submissions: right, unsolved, each known mistake, damaged, hostile;
                                              and once more, killed half way
python -m benchmarks.grading --keep DIR       leaves the class and its reports in a new folder, to be looked at
python -m benchmarks.grading --cluster DIR    grades that class on a dask cluster of two workers; one is killed half way
python -m benchmarks.grading --damaged 2000   so many damaged notebooks: is any of them the grader's fault?
"""

import argparse
import collections
import contextlib
import json
import os
import platform
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.known_mistakes import known_mistakes
from course_lib.classroom import leaks
from course_lib.classroom.journal import NAME, Journal
from course_lib.classroom.settings import Settings
from tests.grading.classes import ATTACKS, adapted, handed_in, solution
from tests.grading.more_attacks import ATTACKS as MORE
from tests.grading.mutations import damaged

NUMBERS = (3, 5, 11, 12)
RIGHT, UNSOLVED, DAMAGED = 40, 20, 38
SECRET = b"the secret of the benchmark"


def works(count, rng):
    """Submissions of all kinds, shuffled: by student, whose name says the kind, the files."""
    made = [("right", _notebooks("solutions"))] * RIGHT + [("unsolved", _notebooks("exercises"))] * UNSOLVED
    made += [(name, {f"{number:02}_work.ipynb": data}) for number, name, data in known_mistakes(NUMBERS)]
    made += [("damaged", {"03_work.ipynb": damaged(solution(3), rng)}) for _ in range(DAMAGED)]
    made += [("hostile", dict([adapted(path)])) for path in sorted(ATTACKS.glob("*.txt"))]
    made += [("hostile", {"11_work.py": source.encode("utf-8", "replace")}) for source in MORE.values()]
    order = rng.permutation(len(made))
    return {f"{n:04} {made[order[n % len(made)]][0]}": made[order[n % len(made)]][1] for n in range(count)}


def _notebooks(folder):
    """The notebooks of one student, from a folder of the course."""
    return {f"{number:02}_work.ipynb": solution(number, folder) for number in NUMBERS}


def command(folder, report, *more):
    """The command line of one batch."""
    numbers = ",".join(map(str, NUMBERS))
    words = [sys.executable, "-m", "course_command", "grade", str(folder), "--out", str(report), "--exercises", numbers]
    return [*words, "--secret", str(folder.parent / "secret"), *more]


def files(report):
    """What a report holds, but for the journal."""
    found = (path for path in report.rglob("*") if path.is_file() and "journal" not in path.name)
    return {path.relative_to(report).as_posix(): path.read_bytes() for path in found}


def measure_class(folder, count):
    """Prints the rate and the memory of a batch, and whether one that is killed half way ends the same."""
    whole, killed = folder.parent / "whole", folder.parent / "killed"
    start = time.monotonic()
    subprocess.run(command(folder, whole), check=True)
    seconds = time.monotonic() - start
    print(f"{count} submissions in {seconds:.0f} s: {count / seconds:.1f} a second", flush=True)
    print(f"largest process: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:.0f} MiB")
    with half_way(command(folder, killed), killed, count) as process:
        process.kill()
    print(f"killed after {written(killed)}", flush=True)
    subprocess.run(command(folder, killed, "--resume"), check=True)
    print(compared(killed, whole), flush=True)


def compared(report, other):
    """Whether two reports are the same, in words. A program that is stopped may be stopped at another place."""
    one, two = files(report), files(other)
    differing = sorted(name for name in one.keys() | two.keys() if one.get(name) != two.get(name))
    stopped = [name for name in differing if b"seconds" in one.get(name, b"") + two.get(name, b"")]
    if not differing:
        return f"the same report: {len(one)} files, byte for byte"
    if differing == stopped and "grades.csv" not in differing:
        return f"the same grades; of {len(one)} files these say of a stopped program where it was: {differing}"
    return f"not the same report: {differing}"


@contextlib.contextmanager
def half_way(words, report, count):
    """A batch of which half is done; behind this it has ended."""
    # What is killed leaves semaphores behind, and Python would warn of that.
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, env=os.environ | {"PYTHONWARNINGS": "ignore"})
    while process.poll() is None and written(report) < count // 2:
        time.sleep(0.1)
    yield process
    process.wait()


def written(report):
    """How many rows the journal of a report holds."""
    if not (report / NAME).exists():
        return 0
    with Journal(report / NAME, fresh=False) as book:
        return book.base.execute("select count(*) from rows").fetchone()[0]


def measure_cluster(folder):
    """Prints the rate on a cluster of two workers, one of which is killed half way, and whether it ends the same."""
    try:
        from distributed import LocalCluster
    except ImportError:
        sys.exit("dask is not installed: python -m pip install -r requirements-classroom.txt")
    report, count, start = folder.parent / "cluster", len(list(folder.iterdir())), time.monotonic()
    with LocalCluster(2, threads_per_worker=1, dashboard_address=":0", silence_logs="CRITICAL") as workers:
        words = command(folder, report, "--scheduler", workers.scheduler_address)
        with half_way(words, report, count):
            os.kill(next(iter(workers.workers.values())).pid, signal.SIGKILL)
            print(f"one of two workers killed after {written(report)}", flush=True)
    seconds = time.monotonic() - start
    print(f"on a dask cluster: {count} submissions in {seconds:.0f} s: {count / seconds:.1f} a second")
    print(compared(report, folder.parent / "whole"), flush=True)


def measure_leaks(folder):
    """Prints what the pages of feedback give away of hidden cases."""
    settings = Settings(NUMBERS, SECRET)
    found = leaks.leaks(folder.parent / "whole", leaks.of_class(settings))
    pages = len(list((folder.parent / "whole" / "students").iterdir()))
    print(f"{pages} pages of feedback, leaks: {len(found)}", *found[:5], sep="\n  ", flush=True)


def measure_grades(folder):
    """Prints what each kind of student got, and whether every known mistake was refused and named."""
    with Journal(folder.parent / "whole" / NAME, fresh=False) as book:
        rows = [json.loads(text) for (text,) in book.base.execute("select row from rows")]
    kinds = collections.Counter()
    for row in rows:
        name = row["name"].split(" ", 1)[1]
        graded = [one for one in row["exercises"] if one["status"] == "graded"]
        full = bool(graded) and all(one["points"] == one["max_points"] for one in graded)
        kind = name if name in ("right", "unsolved", "damaged", "hostile") else "known mistake"
        named = any(name in one["misconceptions"] for one in graded)
        kinds[kind, "all points" if full else "fewer points", "named" if named else ""] += 1
    for key, number in sorted(kinds.items()):
        print(f"{number:4} {', '.join(filter(None, key))}")


def measure_damaged(folder, count):
    """Prints what becomes of damaged notebooks; the grader's own failures must be none."""
    start = time.monotonic()
    done = subprocess.run(command(folder, folder.parent / "damaged"), check=False)
    rows = collections.Counter()
    table = (folder.parent / "damaged" / "grades.csv").read_text(encoding="utf-8-sig")
    for status in ("not graded", "unreadable", "graded", "nothing handed in"):
        rows[status] = sum(f",{status}," in line for line in table.splitlines()[1:])
    seconds = time.monotonic() - start
    print(f"{count} damaged notebooks in {seconds:.0f} s, status {done.returncode}, rows with: {dict(rows)}")


def machine():
    """Where this runs."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    used = len(os.sched_getaffinity(0))
    return f"{used} processors, {memory:.0f} GiB, {platform.machine()}, Python {platform.python_version()}"


def main():
    """Measures what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--damaged", type=int, default=0)
    parser.add_argument("--keep", metavar="DIR")
    parser.add_argument("--cluster", metavar="DIR")
    options = parser.parse_args()
    print(machine(), flush=True)
    if options.cluster:
        return measure_cluster(Path(options.cluster).absolute() / "class")
    with contextlib.nullcontext(options.keep) if options.keep else tempfile.TemporaryDirectory() as name:
        folder = Path(name).absolute() / "class"
        folder.mkdir(parents=True)
        (folder.parent / "secret").write_bytes(SECRET)
        made(folder, options)


def made(folder, options):
    """Makes a class in a folder, and grades it."""
    rng = np.random.default_rng(2026)
    if options.damaged:
        bases = [(number, solution(number)) for number in NUMBERS]
        chosen = (bases[number % 4] for number in range(options.damaged))
        found = {f"s {n:05}": {f"{one:02}_x.ipynb": damaged(base, rng)} for n, (one, base) in enumerate(chosen)}
        measure_damaged(handed_in(folder, found), options.damaged)
    else:
        measure_class(handed_in(folder, works(options.count, rng)), options.count)
        measure_grades(folder)
        measure_leaks(folder)


if __name__ == "__main__":
    main()
