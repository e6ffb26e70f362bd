"""The report of a batch: tables, the teacher's page, and a page for each student."""

from course_lib.classroom import pages, similar, similar_report, table, teacher_page
from course_lib.classroom.journal import KEPT
from course_lib.workspace import CourseError

NO_SECRET = "There was no secret, so there were no hidden cases: everybody knows what was asked."


def write(out, rows, settings):
    """Writes the report: the same rows give the same files, byte for byte."""
    head = [
        f"{len(rows)} submissions, exercises {', '.join(map(str, settings.exercises))}.",
        f"Students' programs ran in: {_levels(rows)}.",
        _about_hidden_cases(settings),
    ]
    more = ""
    if settings.similar:
        alike = similar.found(rows, settings.exercises)
        more = similar_report.section(alike)
        _write(out / "similar.csv", similar_report.csv_text(alike))
    _write(out / "report.html", teacher_page.teacher_page(rows, settings.exercises, head, more))
    _write(out / "grades.csv", table.csv_text(rows, settings.exercises))
    names = {pages.file_name(row): row for row in rows}
    for name, row in names.items():
        _write(out / "students" / name, pages.student_page(row))
    # Of a student who is not in this batch any more.
    for path in (out / "students").glob(f"*-{'[0-9a-f]' * 8}.html"):
        if path.name not in names:
            path.unlink()


def _write(path, text):
    """Writes a file as it is, on every system."""
    try:
        path.write_bytes(text.encode("utf-8", "replace"))
    except OSError as error:
        raise CourseError(f"{path} cannot be written ({error.strerror}). {KEPT}") from error


def _levels(rows):
    """In what programs ran, in words; on a cluster it may be more than one thing."""
    return ", ".join(sorted({row.get("level", "") for row in rows} - {""})) or "no sandbox, so that none did"


def _about_hidden_cases(settings):
    """A sentence."""
    if not settings.secret:
        return NO_SECRET
    return (
        f"Hidden cases were drawn from the class's secret{', others for each student' if settings.own_cases else ''}."
    )
