"""What a release is made of: each file by its path, taken from the course or written for this class."""

import json
import posixpath
import re

from course_lib.classroom import student_note, without_keys
from course_lib.exercises.registry import find, module_names
from course_lib.workspace import CourseError

# What belongs to the teacher alone.
KEPT_BACK = ("classroom", "interview")
KINDS = (".py", ".js", ".css", ".json", ".toml")
ROOT = ("start.py", "course_command.py", "pyproject.toml", "requirements.txt", "LICENSE")
DOCUMENTS = ("departures.md", "glossary.md", "onnx.md", "topics.md")
LINK = re.compile(r"\[([^\]\n]*)\]\(([^()\s]+)\)")


def contents(course, options):
    """Every file of a release.

    Parameters
    ----------
    course : Path
        The course's folder.
    options : Options

    Returns
    -------
    dict of str to bytes
        By the path from the release's folder.
    """
    chosen = [find(number) for number in options.exercises]
    files = {name: (course / name).read_bytes() for name in ROOT}
    files |= library(course, options)
    files |= {name: data for name, data in documents(course).items() if name not in files}
    for exercise in chosen:
        name = f"exercises/{exercise.notebook}"
        files[name] = exercise_notebook(notebook(course, name), exercise, options)
        if exercise.number in options.solutions:
            files[f"solutions/{exercise.notebook}"] = (course / "solutions" / exercise.notebook).read_bytes()
    files["README.md"] = student_note.note(chapters(files), chosen, options).encode()
    files["edition.toml"] = student_note.edition(options).encode()
    return {name: without_dead_links(name, data, files) for name, data in files.items()}


def library(course, options):
    """The package, without what is the teacher's and without the keys of exercises."""
    left_out = {
        f"course_lib/exercises/{name}.py" for number, name in module_names().items() if number not in options.exercises
    }
    found = {}
    for path in sorted((course / "course_lib").rglob("*")):
        name = path.relative_to(course).as_posix()
        if path.suffix in KINDS and path.relative_to(course).parts[1] not in KEPT_BACK and name not in left_out:
            found[name] = path.read_bytes()
    return found | without_keys.modules(found, options)


def documents(course):
    """The chapters, and the documents that they lead to."""
    paths = [course / "docs" / name for name in DOCUMENTS]
    paths = sorted((course / "notebooks").glob("[0-9][0-9]_*.ipynb")) + [path for path in paths if path.exists()]
    return {path.relative_to(course).as_posix(): path.read_bytes() for path in paths}


def chapters(files):
    """The paths and titles of the chapters in a release."""
    found = {}
    for name in sorted(files):
        if name.startswith("notebooks/"):
            first = "".join(json.loads(files[name])["cells"][0]["source"])
            found[name] = first.splitlines()[0].removeprefix("# ")
    return found


def notebook(course, name):
    """A notebook of the course."""
    try:
        return json.loads((course / name).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CourseError(f"{name} cannot be read. Make it again: python -m tools.build") from error


def exercise_notebook(made, exercise, options):
    """An exercise as students get it: with its points and the deadline under its title, and nbgrader's marks."""
    first = made["cells"][0]
    title, _, rest = "".join(first["source"]).partition("\n")
    line = student_note.terms(exercise, options)
    first["source"] = f"{title}\n\n{line}\n{rest}".splitlines(keepends=True)
    if options.nbgrader:
        made["cells"] = student_note.graded(made["cells"], exercise, options)
    return written(made)


def written(made):
    """A notebook as a file."""
    return (json.dumps(made, indent=1, ensure_ascii=False, sort_keys=True) + "\n").encode()


def without_dead_links(name, data, files):
    """A page whose links to what is not in the release are words."""

    def live(match):
        path = match[2].partition("#")[0]
        target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
        outside = ":" in match[2] or not path
        return match[0] if outside or target in files else f"{match[1]} (not in this edition)"

    if name.endswith(".md"):
        return LINK.sub(live, data.decode()).encode()
    if not name.endswith(".ipynb"):
        return data
    made = json.loads(data)
    prose = [cell for cell in made["cells"] if cell["cell_type"] == "markdown"]
    changed = {id(cell): LINK.sub(live, "".join(cell["source"])) for cell in prose}
    if all(changed[id(cell)] == "".join(cell["source"]) for cell in prose):
        return data
    for cell in prose:
        cell["source"] = changed[id(cell)].splitlines(keepends=True)
    return written(made)
