"""Trying a mended line in a process of its own, which may be stopped: it may hold anything that Python runs."""

import json
import os
import sys
import tempfile
from pathlib import Path

from course_lib.exercises.faults import clean, type_name
from course_lib.interview.coding import runner
from course_lib.interview.hunting.operations import differing, outcome
from course_lib.interview.hunting.planted import hunts

SECONDS = 10
STILL = "It is still wrong about some input."
NO_REPORT = "Your line ended the process that was to try it."


def apart(planted, number, text, seconds=SECONDS):
    """What is wrong with a text in the place of a line.

    Parameters
    ----------
    planted : Planted
    number : int
        From 1.
    text : str
    seconds : float
        After so many the process is stopped.

    Returns
    -------
    str
        A sentence; "" if the code is right with it.
    """
    with tempfile.TemporaryDirectory() as folder:
        line, report = Path(folder) / "line", Path(folder) / "report"
        line.write_bytes(text.encode("utf-8", "replace"))
        words = [planted.hunt.name, str(planted.seed), str(number), str(line), str(report)]
        over = runner._run([sys.executable, "-P", "-m", __name__, *words], seconds)
        try:
            return json.loads(report.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return f"Your line was still running after {seconds:g} s, and was stopped." if over else NO_REPORT


def wrong(planted, number, text):
    """What `apart` gives, in this process."""
    code, operation = planted.with_line(number, text), planted.operation
    try:
        compile(code, "line", "exec")
        for case in planted.cases():
            found = outcome(operation, code, case)
            if isinstance(found, Exception):
                raise found
            if differing(operation, found, operation.right(case)):
                return STILL
    except SyntaxError as error:
        return f"That is no Python: {clean(error.msg)}."
    except BaseException as error:
        return f"It raises {type_name(error)}{f': {said}' if (said := clean(str(error)).rstrip('.')) else ''}."
    return ""


def main(name, seed, number, line, report):
    """Tries, and writes the report."""
    planted = next(hunt for hunt in hunts() if hunt.name == name).variant(int(seed))
    runner._limit(memory=True)
    found = wrong(planted, int(number), Path(line).read_bytes().decode("utf-8"))
    Path(report).write_text(json.dumps(found), encoding="utf-8")
    # Threads that the line has begun do not hold up the end.
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
