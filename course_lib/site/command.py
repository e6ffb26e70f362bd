"""``course html``: writes the whole course as static pages."""

import os
from pathlib import Path

from course_lib.workspace import COURSE, CourseError


def add_arguments(parser):
    """The options of ``course html``."""
    parser.add_argument("--to", required=True, metavar="DIR", help="the folder to write, new or empty")
    parser.add_argument("--force", action="store_true", help="replace the pages of an earlier run; other files stay")


def run(options):
    """Write the pages and say where to begin."""
    from course_lib.site.pages import everything

    folder = Path(options.to).expanduser()
    refuse(folder, options.force)
    pages = everything(COURSE)
    for name, text in pages.items():
        write(folder / name, text)
    print(f"{len(pages)} pages are in {folder}. Begin with {folder / 'index.html'}.")
    return 0


def refuse(folder, force):
    """Raises where something would be lost, before anything is made.

    Parameters
    ----------
    folder : Path
    force : bool
        Whether pages that are there may be replaced.

    Raises
    ------
    CourseError
    """
    if folder.exists() and not folder.is_dir():
        raise CourseError(f"{folder} is a file. Nothing was written: name a folder.")
    if folder.is_dir() and any(folder.iterdir()) and not force:
        advice = "Name another folder, or add --force, which replaces pages of these names and leaves other files alone"
        raise CourseError(f"{folder} is not empty. Nothing was written. {advice}.")


def write(path, text):
    """Writes one page in one move, so that a run that is stopped leaves no half of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".part-{os.getpid()}-{path.name}")
    try:
        part.write_text(text, encoding="utf-8", newline="\n")
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
