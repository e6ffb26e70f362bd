"""Whose a file is: by the marks of the system that a whole export comes from, else by folders.

The system is decided once, by all files together: one file alone may look like anything.
"""

import re
from pathlib import PurePosixPath
from typing import NamedTuple

ENDINGS = (".ipynb", ".py")
IGNORED = {"__MACOSX", ".ipynb_checkpoints", "__pycache__", ".git", ".DS_Store", "Thumbs.db", "desktop.ini"}
MOODLE = re.compile(r"(?P<name>.+?)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)_?(?P<file>.*)$")
CANVAS = re.compile(r"(?P<name>[^_]+)_(?P<late>(?:LATE|late)_)?(?P<id>\d+)_(?P<try>\d+)_(?P<file>.+)$")
BLACKBOARD = re.compile(r".*?_(?P<id>[^_#]+)_attempt_(?P<try>\d{4}(?:-\d\d){5})(?:_(?P<file>.+))?$")
AGAIN = re.compile(r"(?:-|\s?\()(?P<again>\d+)\)?$")
ATTEMPT = re.compile(r"(?:attempt|try|versuch|第)[ _-]?(?P<again>\d+)", re.IGNORECASE)
LATE = re.compile(r"(?:^|[_\W])late(?:$|[_\W])|迟交|逾期", re.IGNORECASE)


class Export(NamedTuple):
    """What is known of an export as a whole.

    Attributes
    ----------
    system : str
        ``moodle``, ``canvas``, ``blackboard`` or ``folders``.
    depth : int
        How many folders lie around everything, which therefore say nothing about students.
    by_folder : bool
        Whether a student's files lie in a folder of their own.
    """

    system: str
    depth: int
    by_folder: bool


class Owner(NamedTuple):
    """Whose a file is, and what its place says about it.

    Attributes
    ----------
    name, identifier : str
    shown : str
        The file as the student called it.
    attempt : tuple
        Later attempts sort behind earlier ones.
    late : bool
    marked : bool
        Whether the system's mark says so, and not the place alone.
    """

    name: str
    identifier: str
    shown: str
    attempt: tuple
    late: bool
    marked: bool


def is_work(path):
    """Whether a file may hold answers."""
    return path.lower().endswith((*ENDINGS, ".zip"))


def kept(paths):
    """The paths that count, in order: files, and folders in which nothing lies, which end in a slash."""
    paths = sorted(path for path in paths if not IGNORED & set(PurePosixPath(path).parts))
    # What lies in a folder comes right behind it. There may be no path at all.
    behind = [*paths[1:], ""]
    return [
        path for path, after in zip(paths, behind, strict=False) if not (path[-1:] == "/" and after.startswith(path))
    ]


def parts(path):
    """The folders of a path, and its last name: "" for a folder in which nothing lies."""
    *folders, shown = path.split("/")
    return tuple(part for part in folders if part), shown


def of(paths):
    """What all paths together say."""
    works = [path for path in paths if is_work(path)]
    depth = _common(paths)
    deep = sum(len(parts(path)[0]) > depth for path in works)
    return Export(_system(paths, depth), depth, 2 * deep >= max(1, len(works)))


def _system(paths, depth):
    """The system whose marks most students' folders and files have: one student's names decide nothing."""
    places = [parts(path) for path in paths]
    marked, units = _units(paths, depth, lambda folders, shown: any(map(_is_moodles, (*folders, shown))))
    if 2 * len(marked) > len(units):
        return "moodle"
    files = [shown for _, shown in places if shown]
    for system, mark in (("blackboard", BLACKBOARD), ("canvas", CANVAS)):
        marked, units = _units(paths, depth, lambda _, shown, mark=mark: mark.match(shown) is not None)
        enough = files and 2 * sum(mark.match(shown) is not None for shown in files) >= len(files)
        if enough and 2 * len(marked) >= len(units):
            return system
    return "folders"


def _units(paths, depth, is_marked):
    """The outermost folders and files in which most has a mark, and all that have one or hold work."""
    found = {}
    for path in paths:
        folders, shown = parts(path)
        unit = (*folders, shown)[min(depth, len(folders))]
        found.setdefault(unit, []).append((is_marked(folders, shown), is_work(path)))
    marked = {unit for unit, votes in found.items() if 2 * sum(mark for mark, _ in votes) > len(votes)}
    return marked, marked | {unit for unit, votes in found.items() if any(work for _, work in votes)}


def _is_moodles(name):
    """Whether Moodle's mark is in a name, and no other system's before it: students choose what comes behind."""
    found = MOODLE.match(name)
    others = [one for one in (CANVAS.match(name), BLACKBOARD.match(name)) if one]
    return found is not None and all(found.start("id") < one.start("try") for one in others)


def _common(paths):
    """How many folders all files lie in."""
    found = [parts(path)[0] for path in paths]
    depth = 0
    # A folder of one student alone is a student's, if the system's mark is on it.
    while found and all(len(one) > depth and one[depth] == found[0][depth] for one in found):
        if len(found[0]) == depth + 1 or MOODLE.match(found[0][depth]):
            break
        depth += 1
    return depth


def owner(export, path):
    """Whose a file is; None where it is nobody's, as a list of grades that lies beside what was handed in."""
    folders, shown = parts(path)
    folders = folders[export.depth :]
    late = bool(LATE.search("/".join((*folders, shown))))
    found = _by_mark(export.system, folders, shown, late)
    if found is None:
        if not is_work(path) and (export.system != "folders" or not folders or not export.by_folder):
            return None
        name = folders[0] if folders else PurePosixPath(shown).stem
        found = Owner(name.strip(), "", shown, (0, "", 0), late, False)
    again = AGAIN.search(PurePosixPath(shown).stem) or ATTEMPT.search("/".join(folders))
    return found._replace(attempt=(*found.attempt[:2], int(again["again"][:9]))) if again else found


def _by_mark(system, folders, shown, late):
    """Whose a file is by the mark of the system; None where there is no such mark."""
    if system == "moodle":
        marked = [found for found in map(MOODLE.match, folders) if found]
        if marked:
            return Owner(marked[0]["name"].strip(), marked[0]["id"], shown, (0, "", 0), late, True)
        if found := MOODLE.match(shown):
            return Owner(found["name"].strip(), found["id"], found["file"] or shown, (0, "", 0), late, True)
    if system == "blackboard" and (found := BLACKBOARD.match(shown)):
        return Owner(found["id"], found["id"], found["file"] or shown, (0, found["try"], 0), late, True)
    if system == "canvas" and (found := CANVAS.match(shown)):
        attempt = 0, found["try"].zfill(20), 0
        return Owner(found["name"].strip(), found["id"], found["file"], attempt, late or bool(found["late"]), True)
    return None
