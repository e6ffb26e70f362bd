"""A whole class through the grader: how many submissions a second, how much memory, and what a killed batch loses.

python -m benchmarks.grading                  300 submissions: right, unsolved, wrong, damaged and hostile
python -m benchmarks.grading --damaged 2000   so many damaged notebooks: is any of them the grader's fault?
"""

import argparse
import collections
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from course_lib.classroom.journal import NAME, Journal
from tests.grading.classes import ATTACKS, adapted, handed_in, notebook, solution
from tests.grading.more_attacks import ATTACKS as MORE
from tests.grading.mutations import damaged

NUMBERS = (3, 5, 11, 12)
HARMLESS = "import numpy as np\ndef max_pool2d(x, kernel_size, stride, padding):\n    return x, x"


def works(count, rng):
    """Submissions of all kinds, by student, in turn."""
    hostile = [dict([adapted(path)]) for path in sorted(ATTACKS.glob("*.txt"))]
    hostile += [{"11_work.py": source.encode("utf-8", "replace")} for source in MORE.values()]
    kinds = (
        lambda number: {f"{one:02}_work.ipynb": solution(one) for one in NUMBERS},
        lambda number: {f"{one:02}_work.ipynb": solution(one, "exercises") for one in NUMBERS},
        lambda number: {"11_work.ipynb": notebook(HARMLESS)},
        lambda number: {"03_work.ipynb": damaged(solution(3), rng)},
        lambda number: hostile[number // 5 % len(hostile)],
    )
    return {f"student {number:04}": kinds[number % 5](number) for number in range(count)}


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
    start = time.monotonic()
    subprocess.run(command(folder, folder.parent / "whole"), check=True)
    seconds = time.monotonic() - start
    print(f"{count} submissions in {seconds:.0f} s: {count / seconds:.1f} a second")
    print(f"largest process: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:.0f} MiB")
    process = subprocess.Popen(command(folder, folder.parent / "killed"), stdout=subprocess.DEVNULL)
    while process.poll() is None and written(folder.parent / "killed" / NAME) < count // 2:
        time.sleep(0.1)
    process.kill()
    process.wait()
    print(f"killed after {written(folder.parent / 'killed' / NAME)}")
    subprocess.run(command(folder, folder.parent / "killed", "--resume"), check=True)
    print("the same report:", files(folder.parent / "killed") == files(folder.parent / "whole"))


def written(path):
    """How many rows a journal holds."""
    if not path.exists():
        return 0
    with Journal(path, fresh=False) as book:
        return book.base.execute("select count(*) from rows").fetchone()[0]


def measure_damaged(folder, count):
    """Prints what becomes of damaged notebooks; the grader's own failures must be none."""
    done = subprocess.run(command(folder, folder.parent / "damaged"), check=False)
    rows = collections.Counter()
    table = (folder.parent / "damaged" / "grades.csv").read_text(encoding="utf-8-sig")
    for status in ("not graded", "unreadable", "graded", "nothing handed in"):
        rows[status] = sum(f",{status}," in line for line in table.splitlines()[1:])
    print(f"{count} damaged notebooks, status {done.returncode}, rows with: {dict(rows)}")


def main():
    """Makes a class and grades it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--damaged", type=int, default=0)
    options = parser.parse_args()
    rng = np.random.default_rng(2026)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "class"
        (Path(name) / "secret").write_text("the secret of the benchmark")
        if options.damaged:
            bases = [(number, solution(number)) for number in NUMBERS]
            made = (bases[number % 4] for number in range(options.damaged))
            found = {f"s {n:05}": {f"{one:02}_x.ipynb": damaged(base, rng)} for n, (one, base) in enumerate(made)}
            measure_damaged(handed_in(folder, found), options.damaged)
        else:
            measure_class(handed_in(folder, works(options.count, rng)), options.count)


if __name__ == "__main__":
    main()
