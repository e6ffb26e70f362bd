"""Judging a candidate's file in a process of its own, which may be stopped: it may hold anything that Python runs."""

import ast
import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from types import ModuleType

from course_lib.exercises.faults import clean, type_name
from course_lib.interview.coding.bank import find
from course_lib.interview.coding.judging import failing, judged, trouble
from course_lib.workspace import COURSE

SECONDS = 60
MEMORY = 4 * 2**30
FILE_SIZE = 2**26
# Each thread of NumPy's reserves memory, and on a machine of many cores the limit would be theirs.
ALONE = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
NO_REPORT = "Your file ended the process that was to judge it."


def apart(task, seed, path, diagnosis, seconds=SECONDS):
    """What is said of a file.

    Parameters
    ----------
    task : Task
    seed : int
    path : path
    diagnosis : bool
    seconds : float
        After so many the process is stopped.

    Returns
    -------
    dict
        ``problem``, why nothing could be judged, in a sentence, else ""; ``passed``; ``failing``, names of properties;
        ``trouble``, why the function gave no value, in a sentence, else ""; ``text``, all that the checks say.
    """
    with tempfile.TemporaryDirectory() as folder:
        # A name that the file to be judged finds neither among the arguments nor on the disk.
        report = Path(folder) / secrets.token_hex(16)
        words = [task.name, str(seed), str(path), "diagnosis" if diagnosis else ""]
        over = _run([sys.executable, "-P", "-m", __name__, *words], f"{report}\n", seconds)
        found = _read(report)
    return found or _problem(
        f"Your file was still running after {seconds:g} s, and was stopped." if over else NO_REPORT
    )


def _read(report):
    """A report; None if there is none, or something else in its place."""
    try:
        found = json.loads(report.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    kinds = {name: type(value) for name, value in _problem("").items()}
    fits = isinstance(found, dict) and {name: type(value) for name, value in found.items()} == kinds
    return found if fits and all(isinstance(name, str) for name in found["failing"]) else None


def _run(command, text, seconds):
    """Runs a command whose input is a text, and ends all that it started; whether its time was over."""
    paths = [str(COURSE), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | ALONE | {"PYTHONPATH": os.pathsep.join(paths)}
    nothing = subprocess.DEVNULL
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=nothing, stderr=nothing, env=environment,
                               start_new_session=True)  # fmt: skip
    try:
        process.communicate(text.encode(), seconds)
    except subprocess.TimeoutExpired:
        return True
    finally:
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()
        process.wait()
    return False


def _problem(sentence):
    """The report of a file that could not be judged."""
    return {"problem": sentence, "passed": False, "failing": [], "trouble": "", "text": ""}


def main(name, seed, path, diagnosis):
    """Judges, and writes the report into the file whose name is the input."""
    report = sys.stdin.buffer.readline().decode().rstrip("\n")
    task = find(name)
    _limit(memory=not task.needs)
    found = report_of(task, int(seed), Path(path), bool(diagnosis))
    Path(report).write_text(json.dumps(found), encoding="utf-8")
    # Threads of the candidate's do not hold up the end.
    os._exit(0)


def report_of(task, seed, path, diagnosis):
    """What `apart` gives, in this process."""
    wanted = task.variant(seed).function
    try:
        module = loaded(path, task)
    except Refused as refusal:
        return _problem(str(refusal))
    if not hasattr(module, wanted):
        return _problem(f"{path.name} has no function {wanted}.")
    result = judged(task, seed, getattr(module, wanted), diagnosis)
    found = {"problem": "", "passed": result.passed, "failing": failing(result)}
    return found | {"trouble": trouble(result), "text": repr(result)}


class Refused(Exception):
    """A file that cannot be judged; the message says why."""


def loaded(path, task):
    """A candidate's file as a module.

    Raises
    ------
    Refused
    """
    module = sys.modules["candidate"] = ModuleType("candidate")
    module.__file__ = str(path)
    try:
        source = path.read_bytes()
        _check_imports(ast.parse(source), task)
        exec(compile(source, str(path), "exec"), module.__dict__)
    except Refused:
        raise
    except SyntaxError as error:
        raise Refused(f"{path.name}, line {error.lineno}: {error.msg}.") from None
    except BaseException as error:
        raise Refused(f"Running {path.name} raised {type_name(error)}: {clean(str(error))}.") from None
    return module


def _check_imports(tree, task):
    """Refuses other libraries."""
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        for name in names:
            root = name.split(".")[0]
            if root not in {"numpy", task.needs} | sys.stdlib_module_names:
                raise Refused(f"Your file imports {root or 'a file beside it'}, which is not allowed here.")


def _limit(memory):
    """Bounds what the candidate's code may take from the machine, where the system can."""
    try:
        import resource
    except ImportError:
        return
    limits = [(resource.RLIMIT_CPU, SECONDS), (resource.RLIMIT_FSIZE, FILE_SIZE)]
    for kind, most in limits + [(resource.RLIMIT_AS, MEMORY)] * memory:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (most, resource.getrlimit(kind)[1]))


if __name__ == "__main__":
    main(*sys.argv[1:])
