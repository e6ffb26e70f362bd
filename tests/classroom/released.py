"""A release for tests, and a Python that has it and nothing of the course around the tests."""

import argparse
import os
import subprocess
import sys

from course_lib.classroom import release

# An editable installation offers what a release leaves out; in a student's environment there is none.
ALONE = "import sys\nsys.meta_path[:] = [finder for finder in sys.meta_path if 'ditable' not in repr(finder)]\n"


def make(folder, *words):
    """Run ``course release`` in this process."""
    parser = argparse.ArgumentParser()
    release.add_arguments(parser)
    return release.run(parser.parse_args(["--to", str(folder), *map(str, words)]))


def environment(folder, scratch):
    """The variables under which Python takes the course from a release."""
    scratch.mkdir(exist_ok=True)
    (scratch / "sitecustomize.py").write_text(ALONE)
    path = os.pathsep.join([str(folder), str(scratch)])
    return {**os.environ, "PYTHONPATH": path, "COURSE_WORK": str(folder / "work"), "COLUMNS": "120"}


def python(folder, scratch, code, *words):
    """What a program prints in a release's folder, as a student's Python runs it."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, *words],
        cwd=folder,
        env=environment(folder, scratch),
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done
