"""What was handed in: a folder or a zip as learning-management systems export them, sorted by student.

Nothing is unpacked to the disk, and no file is read before its turn.
"""

import contextlib
import io
import os
import re
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from course_lib.workspace import CourseError

ENDINGS = (".ipynb", ".py")
LARGEST, LARGEST_NESTED, MOST_FILES, DEEPEST = 48 << 20, 200 << 20, 200_000, 40
IGNORED = {"__MACOSX", ".ipynb_checkpoints", "__pycache__", ".git"}
MOODLE = re.compile(r"(?P<name>.+?)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)_?$")
CANVAS = re.compile(r"(?P<name>[^_]+)_(?P<late>(?:LATE|late)_)?(?P<id>\d+)_(?P<try>\d+)_(?P<file>.+)$")
BLACKBOARD = re.compile(r".*?_(?P<id>[^_#]+)_attempt_(?P<try>\d{4}(?:-\d\d){5})(?:_(?P<file>.+))?$")
AGAIN = re.compile(r"(?:-|\s?\()(?P<again>\d+)\)?$")
ATTEMPT = re.compile(r"(?:attempt|try|versuch|第)[ _-]?(?P<again>\d+)", re.IGNORECASE)
LATE = re.compile(r"(?:^|[_\W])late(?:$|[_\W])|迟交|逾期", re.IGNORECASE)


class TooLarge(Exception):
    """A file that is not read, with the reason."""


@dataclass(frozen=True)
class File:
    """One file of a student.

    Attributes
    ----------
    name : str
        As the student called it.
    path : str
        Where it lies within what was handed in.
    root : str
        The folder or zip on the disk.
    attempt : tuple
        Later attempts sort behind earlier ones.
    late : bool
    inner : str
        The name inside a zip that lies at `path`; "" for none.
    """

    name: str
    path: str
    root: str
    attempt: tuple
    late: bool = False
    inner: str = ""

    def read(self):
        """The bytes.

        Raises
        ------
        TooLarge
        """
        root = Path(self.root)
        if root.is_dir():
            data = _checked((root / self.path).stat().st_size, self.inner) or (root / self.path).read_bytes()
        else:
            with zipfile.ZipFile(root) as archive:
                data = _member(archive, self.path, self.inner)
        if self.inner:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                data = _member(archive, self.inner, "")
        return data

    def fingerprint(self):
        """What changes when the file does, found without reading it."""
        root = Path(self.root)
        if root.is_dir():
            found = (root / self.path).stat()
            return [found.st_size, found.st_mtime_ns]
        with zipfile.ZipFile(root) as archive:
            info = archive.getinfo(self.path)
        return [info.file_size, info.CRC]


def _checked(size, inner):
    """Nothing, if a size is allowed."""
    most = LARGEST_NESTED if inner else LARGEST
    if size > most:
        raise TooLarge(
            f"the file has {size >> 20} MB, and at most {most >> 20} are read: clear its outputs and hand it in again"
        )


def _member(archive, name, inner):
    """The bytes of a member of a zip, never more than allowed, whatever its head says."""
    info = archive.getinfo(name)
    _checked(info.file_size, inner)
    with archive.open(info) as file:
        data = file.read(info.file_size + 1)
    _checked(len(data), inner)
    return data


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
    """

    key: str
    name: str
    identifier: str
    files: tuple


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
        names = sorted(_on_disk(root))
    elif zipfile.is_zipfile(root):
        with zipfile.ZipFile(root) as archive:
            names = sorted(info.filename for info in archive.infolist() if not info.is_dir())
    else:
        raise CourseError(f"{root} is neither a folder nor a zip: give what your learning-management system exported.")
    if len(names) > MOST_FILES:
        raise CourseError(f"{root} holds more than {MOST_FILES} files: is it the right folder?")
    names = [name for name in names if not IGNORED & set(PurePosixPath(name).parts)]
    groups = {}
    for name in names:
        for student, file in _files(root, name, _common(names)):
            groups.setdefault(student, []).append(file)
    found = [_submission(student, files) for student, files in groups.items()]
    if not found:
        raise CourseError(f"{root} holds no notebook.")
    return sorted(found, key=lambda one: (one.name.casefold(), one.key))


def _on_disk(root):
    """The files in a folder; links are not followed, and nothing is looked for in folders that lie very deep."""
    waiting = [("", 0)]
    while waiting:
        folder, depth = waiting.pop()
        with contextlib.suppress(OSError), os.scandir(root / folder) as entries:
            for entry in entries:
                if entry.is_file(follow_symlinks=False):
                    yield folder + entry.name
                elif entry.is_dir(follow_symlinks=False) and depth < DEEPEST:
                    waiting.append((f"{folder}{entry.name}/", depth + 1))


def _readable(name):
    """A name as text; what is no UTF-8 in it is written as numbers, so that two names stay two."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _submission(student, files):
    """One student's files, in order."""
    name, identifier = student
    ordered = sorted(files, key=lambda file: (file.attempt, file.path, file.inner))
    # With its sign also where there is no number: a folder may be called as another student's key.
    return Submission(f"{name}#{identifier}", name, identifier, tuple(ordered))


def _common(names):
    """How many folders all files lie in, which therefore say nothing about students."""
    parts = [PurePosixPath(name).parts[:-1] for name in names]
    depth = 0
    # A folder of one student alone is a student's, if the system's mark is on it.
    while parts and all(len(one) > depth and one[depth] == parts[0][depth] for one in parts):
        if len(parts[0]) == depth + 1 or MOODLE.match(parts[0][depth]):
            break
        depth += 1
    return depth


def _files(root, path, depth):
    """The student and the file of each notebook at a path; a zip may hold several."""
    lower = path.lower()
    if lower.endswith(ENDINGS):
        yield _of(root, path, depth, "")
    elif lower.endswith(".zip"):
        for inner in _inner(root, path):
            yield _of(root, path, depth, inner)


def _inner(root, path):
    """The notebooks in a zip that lies in what was handed in; a broken one is kept, so that it gets its row."""
    try:
        outer = File(path, path, str(root), (), inner="?")
        if root.is_dir():
            data = _checked((root / path).stat().st_size, "?") or (root / path).read_bytes()
        else:
            with zipfile.ZipFile(root) as archive:
                data = _member(archive, outer.path, "?")
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = [info.filename for info in archive.infolist() if not info.is_dir()]
    except (OSError, zipfile.BadZipFile, TooLarge, RuntimeError, NotImplementedError):
        return ["?"]
    kept = [one for one in names if one.lower().endswith(ENDINGS) and not IGNORED & set(PurePosixPath(one).parts)]
    return kept[:100] or ["?"]


def _of(root, path, depth, inner):
    """The student and the file at a path, by the marks of the systems, else by the first folder."""
    parts = PurePosixPath(path).parts
    shown, folders = parts[-1], parts[depth:-1]
    late = bool(LATE.search("/".join(parts[depth:])))
    name, identifier, attempt = None, "", (0, "", 0)
    for folder in folders:
        if found := MOODLE.match(folder):
            name, identifier = found["name"], found["id"]
            break
    canvas, blackboard = CANVAS.match(shown), BLACKBOARD.match(shown)
    if name is None and blackboard:
        name = identifier = blackboard["id"]
        shown, attempt = blackboard["file"] or shown, (0, blackboard["try"], 0)
    elif name is None and canvas:
        name, identifier, late = canvas["name"], canvas["id"], late or bool(canvas["late"])
        shown, attempt = canvas["file"], (0, canvas["try"].zfill(20), 0)
    if name is None:
        name = folders[0] if folders else PurePosixPath(shown).stem
    again = AGAIN.search(PurePosixPath(shown).stem) or ATTEMPT.search("/".join(folders))
    attempt = (*attempt[:2], int(again["again"][:9])) if again else attempt
    shown = PurePosixPath(inner).name if inner and inner != "?" else shown
    return (_readable(name.strip()), identifier), File(_readable(shown), path, str(root), attempt, late, inner)
