"""Looking for what students may not have in a folder that is about to be handed out."""

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from course_lib.classroom import marks
from course_lib.classroom.unpack import layers

# What a release is made of. Anything else has no business in it.
KINDS = {".ipynb", ".py", ".js", ".css", ".json", ".toml", ".md", ".txt", ""}
FORBIDDEN = {"sources", "tests", "solutions", "classroom", "interview", "submissions", "feedback", ".git"}

# What the library needs itself, although an exercise asks for it: training unscales gradients. The file, the exercise.
BORROWED = {("course_lib/experiments/scaling.py", 10)}


class Finding(NamedTuple):
    """One leak: the file, and what is wrong."""

    file: str
    what: str

    def __str__(self):
        return f"{self.file}: {self.what}"


class Guarded(NamedTuple):
    """What may not be found.

    Attributes
    ----------
    marks : tuple of Mark
    secrets : tuple of bytes
        The class secret, if there is one.
    published : frozenset of str
        The names of the notebooks in ``solutions/`` that students may have.
    """

    marks: tuple
    secrets: tuple = ()
    published: frozenset = frozenset()


def scan(folder, guarded):
    """The leaks in a folder, each once.

    Parameters
    ----------
    folder : Path
    guarded : Guarded

    Returns
    -------
    list of Finding
    """
    files = sorted(path for path in Path(folder).rglob("*") if path.is_symlink() or not path.is_dir())
    return [found for path in files for found in scan_file(path, path.relative_to(folder).as_posix(), guarded)]


def scan_file(path, name, guarded):
    """The leaks in one file."""
    if path.is_symlink() or not path.is_file():
        return [Finding(name, "it is no plain file")]
    data = path.read_bytes()
    found = [*misplaced(name, guarded), *tagged(name, data, guarded), *said(name, data, guarded)]
    return [Finding(name, what) for what in dict.fromkeys(found)]


def misplaced(name, guarded):
    """What is wrong with the name of a file."""
    path = Path(name)
    if name.removeprefix("solutions/") not in guarded.published or not name.startswith("solutions/"):
        yield from (f"{part}/ is the teacher's" for part in path.parts[:-1] if part in FORBIDDEN)
    if path.suffix not in KINDS:
        yield f"a release has no files of the kind {path.suffix}"
    if re.search(r"secret|gradebook|grades\b", path.name, re.IGNORECASE):
        yield "its name says that it is the teacher's"


def tagged(name, data, guarded):
    """The solution cells of a notebook, by their tags and by nbgrader's marks."""
    if not name.endswith(".ipynb") or name.removeprefix("solutions/") in guarded.published:
        return
    try:
        cells = json.loads(data)["cells"]
    except (ValueError, KeyError, TypeError):
        yield "it is no notebook"
        return
    for cell in cells:
        if marks.is_solution(cell):
            yield f"cell {cell.get('id', '')} is a solution"
        if re.search("BEGIN (SOLUTION|HIDDEN TESTS)", marks.source(cell)):
            yield f"cell {cell.get('id', '')} holds nbgrader's mark of a solution or of a hidden test"


def said(name, data, guarded):
    """What a file says, in whatever wrapping, that it may not."""
    watched = [mark for mark in guarded.marks if (name, mark.owner) not in BORROWED]
    by_text, known = [mark for mark in watched if not _by_runs(mark)], _known(guarded.marks)
    for where, content, text in layers(data):
        behind = f" (in {where})" if where else ""
        # Runs that no mark has tell nothing, and most texts have no others.
        runs = marks.runs_of(text) & known
        yield from (_sentence(mark) + behind for mark in (watched if runs else by_text) if mark.is_in(text, runs))
        yield from (
            f"it holds the class secret{behind}"
            for secret in guarded.secrets
            if secret in content or secret in text.encode()
        )


@lru_cache(maxsize=4)
def _known(watched):
    """The runs of all marks that are found by them."""
    return frozenset().union(*(mark.runs for mark in watched if _by_runs(mark)))


def _by_runs(mark):
    """Whether a mark is looked for among the runs of a text, and not in the text itself."""
    return isinstance(mark, marks.Mark) and mark.pattern is None


def _sentence(mark):
    """What a mark that was found means."""
    owner = f"exercise {mark.owner}: " if isinstance(mark.owner, int) else ""
    return f"it holds {owner}{mark.what}"
