"""Every check of the course, one named step after another: ``course test``."""

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

from course_lib.doctor import find_chromium, installed
from course_lib.workspace import COURSE, CourseError

# Two at a time: the tests of one file, and so the cells of one notebook, stay together.
PARALLEL = ("-n", "2", "--dist", "loadfile")
NOTEBOOKS = ("notebooks", "exercises", "solutions")
NBVAL = (
    "--nbval",
    "--nbval-current-env",
    "--nbval-sanitize-with=tests/nbval_sanitize.cfg",
    "--nbval-cell-timeout=120",
)


class Step(NamedTuple):
    """A check: what it holds, the commands after ``python -m``, and a function that says why it must be skipped."""

    summary: str
    commands: tuple
    obstacle: object = lambda: ""


class Result(NamedTuple):
    """What became of a step: ``passed``, ``failed`` or ``skipped``, in how many seconds, and why."""

    name: str
    outcome: str
    seconds: float
    reason: str = ""


def no_notebooks():
    """Why the notebooks cannot be run."""
    return "" if notebooks() else "there are no notebooks yet"


def notebooks():
    """The folders that hold notebooks."""
    return tuple(folder for folder in NOTEBOOKS if any((COURSE / folder).glob("*.ipynb")))


def no_browser():
    """Why the browser tests cannot be run."""
    if not (COURSE / "tests" / "browser").exists():
        return "there are no browser tests yet"
    return "" if find_chromium() else "Chromium is not installed (apt install chromium)"


def steps():
    """The steps by name, in the order in which they fail soonest."""
    return {
        "style": Step(
            "ruff's rules and layout, and the spelling",
            (("ruff", "check", "."), ("ruff", "format", "--check", "."), ("codespell_lib",)),
        ),
        "build": Step("the notebooks are those of the sources", (("tools.build", "--check"),)),
        "units": Step(
            "the package and the tools",
            (("pytest", "-q", "--durations=10", "-m", "not browser", *PARALLEL, "tests", "course_lib"),),
        ),
        "notebooks": Step(
            "every notebook runs and prints what it stores",
            (("pytest", "-q", "-p", "no:cacheprovider", *NBVAL, *PARALLEL, *notebooks()),),
            no_notebooks,
        ),
        "browser": Step(
            "the course in a real browser",
            (("pytest", "-q", "-m", "browser", "tests/browser"),),
            no_browser,
        ),
    }


def add_arguments(parser):
    """The options of ``course test``."""
    parser.add_argument("--only", nargs="+", choices=steps(), metavar="STEP", help="run these: " + ", ".join(steps()))
    parser.add_argument("--list", action="store_true", help="say what each step holds, and run nothing")


def run(options):
    """Run the steps, all of them whatever fails, and print where the time went."""
    chosen = {name: step for name, step in steps().items() if not options.only or name in options.only}
    if options.list:
        print("\n".join(f"{name:<10}  {step.summary}" for name, step in chosen.items()))
        return 0
    refuse_half_an_environment()
    results = [run_step(name, step) for name, step in chosen.items()]
    print_table(results)
    return int(any(result.outcome == "failed" for result in results))


def refuse_half_an_environment():
    """The tests compare with torch, and need what requirements-test.txt adds."""
    if not installed("torch"):
        raise CourseError("The tests compare with PyTorch, which is not installed. Run: python3 start.py --torch test")
    if not installed("pytest-xdist") or not installed("ruff"):
        raise CourseError("What the tests need is not installed. Run: python3 start.py test")


def run_step(name, step):
    """Run one step, with an empty work folder."""
    obstacle = step.obstacle()
    if obstacle:
        print(f"\n== {name}: skipped, {obstacle}", flush=True)
        return Result(name, "skipped", 0.0, obstacle)
    print(f"\n== {name}: {step.summary}", flush=True)
    begin = time.monotonic()
    with scratch_folder() as scratch:
        environment = os.environ | {"COURSE_WORK": scratch}
        codes = [run_command(command, environment) for command in step.commands]
    outcome = "failed" if any(codes) else "passed"
    return Result(name, outcome, time.monotonic() - begin)


@contextlib.contextmanager
def scratch_folder():
    """A folder that is gone afterwards, also where a stray kernel still writes into it."""
    with tempfile.TemporaryDirectory(prefix="course-test-", ignore_cleanup_errors=True) as folder:
        yield folder


def run_command(words, environment):
    """Run a Python module from the course's folder; its output is shown as it comes."""
    return subprocess.run([sys.executable, "-m", *words], cwd=COURSE, env=environment).returncode


def print_table(results):
    """Where the time went, and a plain closing line."""
    print("\nwhere the time went")
    for result in results:
        print(f"  {result.name:<10}  {result.outcome:<7}  {result.seconds:7.1f} s  {result.reason}".rstrip())
    print(f"  {'together':<10}  {'':<7}  {sum(result.seconds for result in results):7.1f} s")
    counts = {word: sum(result.outcome == word for result in results) for word in ("passed", "failed", "skipped")}
    print("\nsteps: " + ", ".join(f"{count} {word}" for word, count in counts.items()), flush=True)
