"""What was handed in: a folder or a zip as learning-management systems export them, sorted by student.

Nothing is unpacked to the disk, and no file is read before its turn.
"""

import contextlib
import os
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from course_lib.classroom import exports
from course_lib.classroom.files import File, checked, member, nested
from course_lib.workspace import CourseError

MOST_FILES, DEEPEST, MOST_NAMED = 200_000, 40, 3


@dataclass(frozen=True)
class Submission:
    """What one student has handed in.

    Attributes
    ----------
    key : str
        What tells the student from others: the number of the system where there is one, else the name.
    name : str
    identifier : str
        The system's number for the student; "" where there is none.
    files : tuple of File
    others : tuple of str
        Where there is no such file, the names of what there is instead.
    """

    key: str
    name: str
    identifier: str
    files: tuple
    others: tuple = ()

    def problems(self):
        """Why there is nothing to grade, as pairs of a name and a reason; empty where there is something."""
        if self.files:
            return []
        if not self.others:
            return [["the folder", "nothing is in it"]]
        more = f" and {len(self.others) - MOST_NAMED} more" if len(self.others) > MOST_NAMED else ""
        why = "no notebook was handed in: .ipynb and .py are graded, and zips of them, but no zip inside a zip"
        return [[", ".join(self.others[:MOST_NAMED]) + more, why]]


def find(root):
    """The submissions, by name.

    Parameters
    ----------
    root : path
        A folder or a zip.

    Raises
    ------
    CourseError
    """
    root = Path(root)
    if root.is_dir():
        names = list(_on_disk(root))
    elif zipfile.is_zipfile(root):
        names = _in_zip(root)
    else:
        raise CourseError(f"{root} is neither a folder nor a zip: give what your learning-management system exported.")
    if len(names) > MOST_FILES:
        raise CourseError(f"{root} holds more than {MOST_FILES} files: is it the right folder?")
    names = exports.kept(set(names))
    export = exports.of(names)
    files, others = {}, {}
    for name in names:
        _sort_in(root, name, export, files, others)
    if not files:
        raise CourseError(f"{root} holds no notebook.")
    found = [_submission(one, files.get(one, ()), others.get(one, ())) for one in files | others]
    return sorted(found, key=lambda one: (one.name.casefold(), one.key))


def _in_zip(root):
    """The names in an exported zip."""
    try:
        with zipfile.ZipFile(root) as archive:
            return archive.namelist()
    except OSError:
        raise
    except Exception as error:
        raise CourseError(f"{root} is damaged ({type(error).__name__}): export it once more.") from error


def _on_disk(root):
    """Files and folders; links are not followed, and nothing is looked for in folders that lie very deep."""
    waiting = [("", 0)]
    while waiting:
        folder, depth = waiting.pop()
        with contextlib.suppress(OSError), os.scandir(root / folder) as entries:
            for entry in entries:
                if entry.is_file(follow_symlinks=False):
                    yield folder + entry.name
                elif entry.is_dir(follow_symlinks=False) and depth < DEEPEST:
                    yield f"{folder}{entry.name}/"
                    waiting.append((f"{folder}{entry.name}/", depth + 1))


def _readable(name):
    """A name as text; what is no UTF-8 in it is written as numbers, so that two names stay two."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _sort_in(root, path, export, files, others):
    """Puts what lies at a path to its student: a notebook, each of those in a zip, or the name of anything else."""
    owner = exports.owner(export, path)
    if owner is None:
        return
    student = _readable(owner.name), _readable(owner.identifier)
    inside = _inside(root, path)
    if not inside:
        others.setdefault(student, []).extend([_readable(owner.shown)] if owner.shown else [])
    for name in inside:
        shown = PurePosixPath(name).name if name and name != "?" else owner.shown
        file = File(_readable(shown), path, str(root), owner.attempt, owner.late, name)
        files.setdefault(student, []).append(file)


def _submission(student, files, others):
    """One student's files, in order."""
    name, identifier = student
    ordered = sorted(files, key=lambda file: (file.attempt, file.path, file.inner))
    # With its sign also where there is no number: a folder may be called as another student's key.
    return Submission(f"{name}#{identifier}", name, identifier, tuple(ordered), () if files else tuple(others))


def _inside(root, path):
    """What is to be read at a path: "" for the file itself, else names inside of it; nothing where it is no work."""
    if not path.lower().endswith(".zip"):
        return [""] if exports.is_work(path) else []
    return _inner(root, path)


def _inner(root, path):
    """The notebooks in a zip that lies in what was handed in; a broken one is kept, so that it gets its row."""
    try:
        if root.is_dir():
            data = checked((root / path).stat().st_size, "?") or (root / path).read_bytes()
        else:
            with zipfile.ZipFile(root) as archive:
                data = member(archive, path, "?")
        with nested(data) as archive:
            names = exports.kept({name for name in archive.namelist() if name[-1:] != "/"})
    except Exception:
        # Of a damaged zip, zipfile raises nearly everything, and one student's zip stops no batch.
        return ["?"]
    return [one for one in names if one.lower().endswith(exports.ENDINGS)][:100]
