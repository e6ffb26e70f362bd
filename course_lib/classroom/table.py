"""The grades as a table that spreadsheets and learning-management systems read."""

import csv
import io

from course_lib.classroom.grading import GRADED, NOT_GRADED

# A cell that begins with one of these is a formula to a spreadsheet.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%", "＝", "＋", "－", "＠")


def cell(text):
    """Text as a cell that no spreadsheet runs.

    Examples
    --------
    >>> cell('=HYPERLINK("http://example.org")')
    '\\'=HYPERLINK("http://example.org")'
    >>> cell("Zhang Wei")
    'Zhang Wei'
    """
    text = "".join(letter if letter.isprintable() else " " for letter in text)
    return f"'{text}" if text.lstrip().startswith(FORMULA) or text[:1] in FORMULA else text


def csv_text(rows, exercises):
    """The table.

    Parameters
    ----------
    rows : list of dict
        As `course_lib.classroom.grading.grade` gives them.
    exercises : tuple of int
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(_heads(exercises))
    for row in rows:
        writer.writerow(_cells(row))
    # With a mark for UTF-8: without it spreadsheets show Chinese names as noise.
    return "\ufeff" + stream.getvalue()


def _heads(exercises):
    """The names of the columns."""
    heads = ["Student", "ID", "Identifier", "Full name", "Late"]
    for number in exercises:
        heads += [
            f"Exercise {number}",
            f"Exercise {number} of",
            f"Exercise {number} to mark",
            f"Exercise {number} status",
        ]
    return [*heads, "Grade", "Maximum Grade", "To mark", "Feedback comments"]


def _cells(row):
    """One student's cells; a cell of points is empty where the grader failed, which is not zero."""
    identifier = row["identifier"]
    participant = f"Participant {identifier}" if identifier else ""
    cells = [cell(row["name"]), cell(identifier), cell(participant), cell(row["name"]), "late" if row["late"] else ""]
    for one in row["exercises"]:
        points = "" if one["points"] is None else one["points"]
        marked = one["to_mark"] if one["status"] == GRADED else 0
        cells += [points, one["max_points"], marked, one["status"]]
    total, most = totals(row)
    marked = tidy(sum(one["to_mark"] for one in row["exercises"] if one["status"] == GRADED))
    return [*cells, "" if total is None else total, most, marked, cell(_comment(row))]


def totals(row):
    """The points of a row and the most that there are; None for points where any exercise is not graded."""
    points = [one["points"] for one in row["exercises"]]
    most = sum(one["max_points"] for one in row["exercises"])
    return None if None in points else tidy(sum(points)), tidy(most)


def tidy(points):
    """Points with two places at the most, as learning-management systems show them.

    Examples
    --------
    >>> tidy(0.1 + 0.2), tidy(24 * 0.5)
    (0.3, 12)
    """
    found = round(points, 2)
    return int(found) if found == int(found) else found


def _comment(row):
    """What a teacher sees at a glance."""
    failed = [str(one["number"]) for one in row["exercises"] if one["status"] == NOT_GRADED]
    words = [f"not graded, try again: {', '.join(failed)}"] if failed else []
    words += [f"{name}: {why}" for name, why in row["problems"]]
    return "; ".join(words)[:500]
