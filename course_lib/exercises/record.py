"""What the learner has done, in one file of the work folder.

The file survives a crash in mid-write, two kernels at once, and an update of the course: it is replaced in one move,
under a lock, and whatever it holds that this version does not know is kept.
"""

import contextlib
import itertools
import json
import os
import time

from course_lib.exercises.lock import locked
from course_lib.workspace import work_folder

FILE = "progress.json"
LOCK = ".progress.lock"
PART = ".progress-"
SCHEMA = 1
EXERCISES, PREDICTIONS = "exercises", "predictions"


def path():
    """Where the file is, or will be."""
    return work_folder() / FILE


def read(table=EXERCISES):
    """What is recorded.

    Parameters
    ----------
    table : str
        `EXERCISES`, where the tasks of chapters are too, or `PREDICTIONS`.

    Returns
    -------
    entries : dict of str to dict
        By the number of the exercise, or by the name of the prediction.
    note : str
        One sentence if something is wrong with the file, else "".
    """
    try:
        return _entries(_load(path()), table), ""
    except _Newer as newer:
        return {}, str(newer)
    except ValueError:
        return {}, f"{FILE} is damaged: the next check sets it aside and begins a new one."
    except OSError as error:
        return {}, f"Your progress cannot be read: {_why(error)}."


def update(number, change, table=EXERCISES):
    """Changes what is recorded about one exercise, or one prediction.

    Parameters
    ----------
    number : int or str
        The number of the exercise, or the name of the prediction.
    change : callable
        From the entry, a dict, to the new one. What it does not name stays.
    table : str
        `EXERCISES` or `PREDICTIONS`.

    Returns
    -------
    entry : dict
        The new one, even where it could not be stored.
    note : str
        One sentence if something went wrong, else "".
    """
    folder = work_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder / LOCK):
            return _update(str(number), change, table)
    except (_Newer, OSError) as error:
        entries, note = read(table)
        note = str(error) if isinstance(error, _Newer) else f"Your progress was not saved: {_why(error)}."
        return change(entries.get(str(number), {})), note


class _Newer(Exception):
    """The file was written by a course that lays it out in another way."""


def _load(file):
    """The content of the file, as this version lays it out; ValueError if it is no such thing."""
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        return {"schema": SCHEMA}
    try:
        data = json.loads(content)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if isinstance(data, dict) and all(isinstance(data.get(table, {}), dict) for table in (EXERCISES, PREDICTIONS)):
        return data
    if isinstance(data, dict) and count(data, "schema") > SCHEMA:
        raise _Newer(f"{FILE} was written by a newer version of the course: it stays as it is, and nothing is added.")
    raise ValueError("not progress")


def _entries(data, table):
    """The entries of a table that can be read."""
    return {key: entry for key, entry in data.get(table, {}).items() if isinstance(entry, dict)}


def _update(key, change, table):
    """Reads, changes and replaces the file; a damaged one is set aside first."""
    file, note = path(), ""
    try:
        data = _load(file)
    except ValueError:
        kept = _free_name(file)
        os.replace(file, kept)
        data, note = _load(file), f"{FILE} was damaged: it is kept as {kept.name}, and a new one is begun."
    entry = change(_entries(data, table).get(key, {}))
    data.setdefault(table, {})[key] = entry
    data["schema"] = max(count(data, "schema"), SCHEMA)
    _replace(file, json.dumps(data, indent=1, sort_keys=True).encode())
    return entry, note


def count(entry, name):
    """A number that is at least 0; 0 where there is none, or something else."""
    value = entry.get(name)
    return value if type(value) is int and value > 0 else 0


def _free_name(file):
    """The first name for a damaged file that is not taken."""
    names = (file.with_name(f"{file.stem} (damaged {number}).json") for number in itertools.count(1))
    return next(name for name in names if not name.exists())


def _replace(file, content):
    """Puts a new content in the place of the old one, in one move."""
    for part in file.parent.glob(PART + "*.part"):
        # Nobody else writes under the lock: this is what a killed kernel left.
        part.unlink(missing_ok=True)
    part = file.with_name(f"{PART}{os.getpid()}.part")
    try:
        with open(part, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        _move(part, file)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise


def _move(part, file):
    """Replaces a file; on Windows a reader may hold it for a moment."""
    for pause in (0.01, 0.05, 0.2, None):
        try:
            return os.replace(part, file)
        except PermissionError:
            if pause is None:
                raise
            time.sleep(pause)


def _why(error):
    """What an operating system's error says."""
    where = f" ({error.filename})" if error.filename else ""
    return f"{error.strerror or error}{where}"
