"""Trying a mended line in a process of its own, which may be stopped: it may hold anything that Python runs."""

import json
import os
import secrets
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
        # A name that the line to be tried finds neither among the arguments nor on the disk.
        report = Path(folder) / secrets.token_hex(16)
        told = json.dumps([planted.hunt.name, planted.seed, number, text, str(report)])
        over = runner._run([sys.executable, "-P", "-m", __name__], told, seconds)
        try:
            return str(json.loads(report.read_text(encoding="utf-8")))
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


def main():
    """Tries what the input tells, and writes the report."""
    name, seed, number, text, report = json.load(sys.stdin)
    planted = next(hunt for hunt in hunts() if hunt.name == name).variant(seed)
    runner._limit(memory=True)
    Path(report).write_text(json.dumps(wrong(planted, number, text)), encoding="utf-8")
    # Threads that the line has begun do not hold up the end.
    os._exit(0)


if __name__ == "__main__":
    main()
