"""The learner's own folder: copies of the notebooks, which the course gives out and never takes back.

Standard library only, and cheap: every check in a notebook asks for the folder.
"""

import contextlib
import hashlib
import json
import os
import time
from pathlib import Path

COURSE = Path(__file__).resolve().parent.parent
MIRRORED = ("notebooks", "exercises")
# Jupyter and Python leave these beside notebooks; a name that begins with a dot is left out too.
NOT_GIVEN = ("__pycache__",)
RECORD = ".course/given.json"
EARLIER = "earlier"
PART = ".part-"


class CourseError(Exception):
    """Something the reader can mend: the message is one sentence that says what is wrong and what to do."""


def work_folder():
    """The learner's folder: ``COURSE_WORK`` where it is set, else ``work`` in the course's folder. Creates nothing.

    Returns
    -------
    pathlib.Path
        Absolute. The folder need not exist.
    """
    named = os.environ.get("COURSE_WORK")
    return Path(os.path.abspath(os.path.expanduser(named))) if named else COURSE / "work"


def outside_work_note(folder=None):
    """One sentence for a notebook that runs outside the learner's folder; None inside it.

    Parameters
    ----------
    folder : path, optional
        Where the notebook runs; None means the current folder, which is where a kernel starts.
    """
    inside = work_folder().resolve()
    here = Path(folder or os.getcwd()).resolve()
    if here == inside or inside in here.parents:
        return None
    return "This notebook is open outside work/: checks and progress work, but an update of the course may replace it."


def fill(course=COURSE, work=None):
    """Give the learner a copy of every notebook, and overwrite nothing that the learner did.

    Parameters
    ----------
    course : Path
        The folder that holds the mirrored folders.
    work : Path, optional
        The learner's folder; None means `work_folder`.

    Returns
    -------
    list of str
        One sentence for each notebook about which the learner should know something. Empty on most starts.

    Raises
    ------
    CourseError
        The learner's folder cannot be written.

    Notes
    -----
    The record ``.course/given.json`` holds two digests of the edition of each file that was given out last: of its
    bytes, and of the sources of its cells. They decide what an update does with the learner's file:

    ======================================  ==================================================================
    the learner's file                      is
    ======================================  ==================================================================
    is missing                              given again
    has the bytes that were given           replaced by the new edition
    was only run: same sources, other bytes  moved to ``earlier/`` and replaced
    has other sources                       left alone; the new edition is put beside it, once
    ======================================  ==================================================================

    A file that the record does not know counts as edited, unless it is the present edition.
    """
    work = work or work_folder()
    try:
        work.mkdir(parents=True, exist_ok=True)
        sweep(work)
        record = read_record(work)
        notes = [give(course, work, name, record) for name in given_names(course)]
        write_record(work, record)
    except OSError as error:
        raise CourseError(_cannot_write(work, error)) from error
    return [note for note in notes if note]


def _cannot_write(work, error):
    """The sentence for a folder that refuses."""
    where, why = error.filename or work, error.strerror or error
    return f"{where} cannot be written ({why}). Set COURSE_WORK to a folder of your own, then start again."


def given_names(course):
    """The files that are given out, by their paths from the course's folder."""
    paths = (path for folder in MIRRORED for path in sorted((course / folder).rglob("*")) if path.is_file())
    names = (path.relative_to(course) for path in paths)
    return [
        name.as_posix() for name in names if not any(part in NOT_GIVEN or part.startswith(".") for part in name.parts)
    ]


def give(course, work, name, record):
    """Give one file out, note the edition in the record, and return a sentence where there is something to say."""
    new, mine, given = (course / name).read_bytes(), work / name, record.get(name)
    edition = record[name] = edition_of(name, new, given)
    if not mine.exists():
        return put(mine, new)
    old = mine.read_bytes()
    if digest(old) in (edition["bytes"], given and given["bytes"]):
        return None if digest(old) == edition["bytes"] else put(mine, new)
    if sources_digest(name, old) == edition["sources"]:
        # Only run: its outputs are newer than ours.
        return None
    if given and sources_digest(name, old) == given["sources"]:
        return replace_run_copy(work, name, new)
    return put_beside(work, name, new, edition, given, record)


def edition_of(name, content, given):
    """The two digests of a file; the second is taken over where the first has not changed, for it is slow."""
    exact = digest(content)
    if given and given["bytes"] == exact:
        return given
    return {"bytes": exact, "sources": sources_digest(name, content)}


def replace_run_copy(work, name, new):
    """Move a copy that was run but not edited out of the way, and put the new edition in its place.

    Its outputs may have taken long to compute, and a widget's answers may stand in them: so it is moved, not lost.
    """
    kept = free_name(work / EARLIER / name)
    kept.parent.mkdir(parents=True, exist_ok=True)
    os.replace(work / name, kept)
    put(work / name, new)
    return f"{name} has a new edition; your copy, with the outputs of your runs, is now {kept.relative_to(work)}."


def put_beside(work, name, new, edition, given, record):
    """Leave an edited copy alone, and put a new edition beside it, once for each edition."""
    beside = (given or {}).get("beside", {})
    if given and given["sources"] == edition["sources"]:
        record[name] = edition | {"beside": beside}
        return None
    path = work / beside["name"] if beside else with_words(work / name, "new edition")
    if path.exists() and digest(path.read_bytes()) not in (beside.get("bytes"), edition["bytes"]):
        # The learner went on in the copy that was put beside: that one is the learner's too.
        path = free_name(with_words(work / name, "new edition"))
    put(path, new)
    record[name] = edition | {"beside": {"name": path.relative_to(work).as_posix(), "bytes": edition["bytes"]}}
    return f"{name} has a new edition; you edited your copy, so it stays and the new one is beside it: {path.name}."


def with_words(path, words):
    """The path with words before its ending: ``02_routing (new edition).ipynb``."""
    return path.with_name(f"{path.stem} ({words}){path.suffix}")


def free_name(path):
    """The path, or the first of ``name (2)``, ``name (3)``, ... that is not taken."""
    number, free = 2, path
    while free.exists():
        number, free = number + 1, with_words(path, number)
    return free


def put(path, content):
    """Write a file in one move, so that a start that is killed leaves the old file, the new one or none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{PART}{os.getpid()}-{path.name}")
    try:
        part.write_bytes(content)
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def sweep(work):
    """Remove the parts that killed starts left; a fresh one may belong to a start that is at work."""
    for part in (path for folder in MIRRORED for path in (work / folder).glob(PART + "*")):
        with contextlib.suppress(OSError):
            if time.time() - part.stat().st_mtime > 60:
                part.unlink()


def digest(content):
    """A short name for the exact bytes."""
    return hashlib.sha256(content).hexdigest()


def sources_digest(name, content):
    """A digest of what a person edits: the cells' kinds, sources and attachments; of the bytes for other files."""
    if name.endswith(".ipynb"):
        with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError):
            cells = json.loads(content)["cells"]
            edited = [[cell["cell_type"], "".join(cell["source"]), cell.get("attachments")] for cell in cells]
            return digest(json.dumps(edited, sort_keys=True).encode())
    return digest(content)


def read_record(work):
    """The editions that were given out; nothing where the record is lost or broken, so that all counts as edited."""
    try:
        record = json.loads((work / RECORD).read_bytes())
        return {name: entry for name, entry in record.items() if {"bytes", "sources"} <= entry.keys()}
    except (OSError, ValueError, AttributeError):
        return {}


def write_record(work, record):
    """Store the record, where it says something new."""
    content = json.dumps(record, indent=1, sort_keys=True).encode()
    path = work / RECORD
    if not path.exists() or path.read_bytes() != content:
        put(path, content)
