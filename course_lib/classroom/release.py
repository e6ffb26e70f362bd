"""``course release``: writes what students get, and only if a scan of it finds no solution."""

import os
import shutil
import tempfile
import zipfile
from dataclasses import replace
from pathlib import Path

from course_lib.workspace import COURSE, CourseError

SHOWN, SHORTEST_SECRET = 5, 16


def add_arguments(parser):
    """The options of ``course release``."""
    parser.add_argument("--to", required=True, metavar="DIR", help="the folder to write, new or empty")
    parser.add_argument("--zip", action="store_true", help="write DIR.zip, with the same content, as well")
    parser.add_argument("--options", metavar="FILE.toml", help="title, deadline, contact, exercises, points, ...")
    parser.add_argument("--exercises", metavar="1-4,7", help="the exercises to include (default: all)")
    parser.add_argument(
        "--solutions", metavar="1-4", help="solutions to publish; tasks means those of the chapters' tasks"
    )
    parser.add_argument("--secret", metavar="FILE", help="the class secret, which the scan looks for")
    parser.add_argument(
        "--own-numbers", metavar="ROSTER.csv", help="write exercises 2 and 3 with other numbers for each student too"
    )


def run(options):
    """Make the release beside its place, scan it, and only then put it there."""
    from course_lib.classroom import handouts
    from course_lib.classroom.contents import contents
    from course_lib.classroom.options import read

    folder = Path(os.path.abspath(os.path.expanduser(options.to)))
    archive = folder.with_name(folder.name + ".zip") if options.zip else None
    beside = folder.with_name(folder.name + handouts.ENDING) if options.own_numbers else None
    refuse(folder, archive, beside)
    chosen = read(options.options, options.exercises, options.solutions)
    guarded = guard(COURSE, chosen, options.secret)
    given = handouts.chosen(options.own_numbers, chosen, guarded.secrets)
    files = contents(COURSE, replace(chosen, own=given.exercises))
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".release-", dir=folder.parent) as part:
        made, own = Path(part) / "release", Path(part) / "own"
        write(made, files)
        (made / "start.py").chmod(0o755)
        write(own, handouts.files(files, given))
        judge(made, guarded)
        judge(own, guarded)
        if beside is not None:
            put(own, beside)
        put(made, folder, archive)
    print(sentence(folder, archive, chosen, files))
    if beside is not None:
        print(f"The copies with own numbers are in {beside}: {len(given.students)} folders, one for each student.")
    return 0


def refuse(folder, archive, beside=None):
    """Raises where something would be lost, before anything is made."""
    if not (COURSE / "solutions").is_dir():
        raise CourseError(
            "This copy of the course has no solutions to compare with. Release from the course's repository."
        )
    if folder == COURSE or COURSE in folder.parents:
        raise CourseError(f"{folder} lies in the course's own folder. Nothing was written: name a folder outside.")
    if folder.exists() and not folder.is_dir():
        raise CourseError(f"{folder} is a file. Nothing was written: name a folder.")
    if folder.is_dir() and any(folder.iterdir()):
        raise CourseError(f"{folder} is not empty. Nothing was written: name a new folder.")
    if archive is not None and archive.exists():
        raise CourseError(f"{archive} is there already. Nothing was written: name a new folder, or move it away.")
    if beside is not None and beside.exists():
        raise CourseError(f"{beside} is there already. Nothing was written: name a new folder, or move it away.")


def guard(course, options, secret):
    """What the scan looks for.

    Parameters
    ----------
    course : Path
    options : Options
    secret : str or None
        The file of the class secret.
    """
    from course_lib.classroom.scan import Guarded
    from course_lib.exercises.registry import all_exercises

    exercises = all_exercises()
    published = frozenset(exercise.notebook for exercise in exercises if exercise.number in options.solutions)
    found = [*solutions(course, exercises, published), *teachers(course)]
    return Guarded(tuple(found), secrets(secret), published)


def solutions(course, exercises, published):
    """The marks of the solutions that are not published. Hints are for students, whatever they give away."""
    from course_lib.classroom import marks

    paths = {exercise.number: course / "solutions" / exercise.notebook for exercise in exercises}
    hints = [text for exercise in exercises for text in exercise.hints]
    stubs = marks.stub_runs(sorted((course / "sources" / "exercises").glob("*.py")))
    public = marks.open_runs(paths.values()).union(stubs, *map(marks.runs_of, hints))
    kept = [exercise for exercise in exercises if exercise.notebook not in published]
    found = [mark for exercise in kept for mark in marks.of_solution(exercise, paths[exercise.number], public)]
    return [mark for mark in found if not (mark.pattern and any(map(mark.pattern.search, hints)))]


def teachers(course):
    """The marks of the modules that only the teacher has."""
    from course_lib.classroom.contents import KEPT_BACK
    from course_lib.classroom.marks import of_module, runs_of

    paths = {path.relative_to(course).as_posix(): path for path in sorted((course / "course_lib").rglob("*.py"))}
    texts = {name: path.read_text(encoding="utf-8") for name, path in paths.items()}
    kept = {name for name in texts if name.split("/")[1] in KEPT_BACK}
    public = frozenset().union(*(runs_of(text) for name, text in texts.items() if name not in kept))
    return [mark for name in sorted(kept) for mark in of_module(name, texts[name], public)]


def secrets(path):
    """The class secret, as the bytes to look for."""
    if path is None:
        return ()
    secret = Path(path).expanduser().read_bytes().strip()
    if len(secret) < SHORTEST_SECRET:
        raise CourseError(f"{path} is too short for a class secret: {SHORTEST_SECRET} bytes at the least.")
    return (secret,)


def write(folder, files):
    """Put the files there."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def judge(folder, guarded):
    """Raises where the scan finds something."""
    from course_lib.classroom.scan import scan

    found = scan(folder, guarded)
    if found:
        more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        told = "; ".join(map(str, found[:SHOWN]))
        raise CourseError(f"Nothing was written, since the release would give away what it may not: {told}{more}.")


def put(made, folder, archive=None):
    """Move the release to its place, the archive first."""
    if archive is not None:
        zipped = made.with_name("release.zip")
        pack(made, zipped, folder.name)
        os.replace(zipped, archive)
    # An empty folder may be there; a move onto it is no loss.
    if folder.exists():
        folder.rmdir()
    shutil.move(made, folder)


def pack(folder, archive, name):
    """The folder as a zip, the same bytes for the same content."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as target:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(f"{name}/{path.relative_to(folder).as_posix()}", (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (path.stat().st_mode & 0xFFFF) << 16
            target.writestr(entry, path.read_bytes())


def sentence(folder, archive, options, files):
    """What was made."""
    chapters = sum(name.startswith("notebooks/") for name in files)
    solved = ", ".join(map(str, options.solutions)) or "none"
    also = f" and {archive}" if archive else ""
    exercises = ", ".join(map(str, options.exercises)) or "none"
    return (
        f"The release is {folder}{also}: {chapters} chapters; exercises {exercises}; solutions {solved}. "
        "The scan found nothing that students may not have."
    )
