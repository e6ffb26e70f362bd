"""Answers that are alike, as a table for spreadsheets and as a part of the teacher's page."""

import csv
import io
from itertools import groupby

from course_lib.classroom.pages import table, text
from course_lib.classroom.table import cell
from course_lib.classroom.teacher_page import where, who

HEADS = ("Exercise", "Group", "Student", "ID", "File", "Most like", "Structure %", "Words %")
MOST_SHOWN, MOST_NAMED = 40, 12
WHAT_IT_IS = (
    "A hint, and no verdict: read before you judge. Structure is the share of words that two answers have in common, "
    "in order, chosen names left out; words is the same with names. A task with few right answers makes answers alike. "
    "similar.csv has them all."
)


def csv_text(lines):
    """A row for each student in a group, and for each function that is the library's; no spreadsheet runs any of it.

    Parameters
    ----------
    lines : list of dict
        As `course_lib.classroom.similar.found` gives them.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(HEADS)
    for one in lines:
        row, shares = one["row"], (percent(one["structure"]), percent(one["words"]))
        texts = map(cell, (row["name"], row["identifier"], one["file"], one["like"]))
        writer.writerow([one["number"], one["group"] or "library", *texts, *shares])
    return "\ufeff" + stream.getvalue()


def section(lines):
    """The part of the teacher's page."""
    students = [_group(list(group)) for _, group in groupby(lines, _place) if _[1]]
    library = [[who(one["row"]), where(one), text(one["like"]), *_shares([one])] for one in lines if not one["group"]]
    parts = ["<h2>Alike</h2>", f"<p class=note>{WHAT_IT_IS}</p>", "<h3>Students and students</h3>"]
    parts.append(_table(["where", "students", "structure", "words"], students, (2, 3)))
    parts.append("<h3>Students and the library</h3>")
    parts.append(_table(["student", "where", "function", "structure", "words"], library, (3, 4)))
    return "\n".join(parts)


def _place(one):
    """Which group a line belongs to."""
    return one["number"], one["group"]


def _group(lines):
    """A group in one row."""
    names = [text(one["row"]["name"]) for one in lines[:MOST_NAMED]]
    more = f" and {len(lines) - MOST_NAMED} more" if len(lines) > MOST_NAMED else ""
    return [where(lines[0]), ", ".join(names) + more, *_shares(lines)]


def _shares(lines):
    """The least and the largest share of structure, and of words."""
    for name in ("structure", "words"):
        least, most = (percent(of(one[name] for one in lines)) for of in (min, max))
        yield f"{least} %" if least == most else f"{least} to {most} %"


def percent(share):
    """A share as a whole number; 100 only where it is all."""
    return int(100 * share)


def _table(heads, rows, numbers):
    """A table of the first rows."""
    if not rows:
        return "<p>None.</p>"
    more = f"<p>{len(rows) - MOST_SHOWN} more are in similar.csv.</p>" if len(rows) > MOST_SHOWN else ""
    return table(heads, rows[:MOST_SHOWN], numbers=numbers) + more
