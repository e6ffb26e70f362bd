"""The page of a student, and what all pages are made of. Everything that comes from outside is escaped."""

import hashlib
import re
from html import escape
from pathlib import Path

from course_lib.classroom.grading import GRADED, NOT_GRADED
from course_lib.classroom.table import totals
from course_lib.exercises.display import OPEN, PASSED, WRONG
from course_lib.exercises.faults import NOT_STARTED

POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def page(title, body):
    """A whole page. It runs nothing and asks for nothing."""
    style = (Path(__file__).parent / "style.css").read_text(encoding="utf-8")
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{text(title)}</title>\n'
        f"<style>\n{style}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


def text(value):
    """Anything as text of a page."""
    return escape("".join(one if one.isprintable() or one == "\n" else " " for one in str(value)))


def table(heads, rows, numbers=(), kind=""):
    """A table.

    Parameters
    ----------
    heads : list of str
    rows : list of list of str
        Cells that are HTML already.
    numbers : tuple of int
        The columns that are aligned as numbers.
    kind : str
        Its class, for the style.
    """

    def line(kind, cells):
        marked = (f"<{kind}{' class=number' if n in numbers else ''}>{one}</{kind}>" for n, one in enumerate(cells))
        return f"<tr>{''.join(marked)}</tr>"

    body = "\n".join(line("td", row) for row in rows)
    start = f"<table class={kind}>" if kind else "<table>"
    return f"{start}\n<thead>{line('th', heads)}</thead>\n<tbody>\n{body}\n</tbody></table>"


def file_name(row):
    """The name of a student's page: what can be read of the name, and what makes it the only one."""
    slug = re.sub(r"[^\w]+", "-", row["name"])[:40].strip("-") or "student"
    return f"{slug}-{hashlib.sha256(row['key'].encode()).hexdigest()[:8]}.html"


def points(one):
    """The points of an exercise as text."""
    if one["status"] == NOT_GRADED:
        return "not graded"
    return f"{one['points']} of {one['max_points']}"


def student_page(row):
    """The page of one student."""
    total, most = totals(row)
    said = "not all is graded yet" if total is None else f"{total} of {most} points"
    parts = [f"<h1>{text(row['name'])}</h1>", f"<p>{said}{', handed in late' if row['late'] else ''}.</p>"]
    parts += [f"<p class=note>{text(name)}: {text(why)}.</p>" for name, why in row["problems"]]
    parts += [_exercise(one) for one in row["exercises"]]
    return page(row["name"], "\n".join(parts))


def _exercise(one):
    """One exercise of a student."""
    parts = [f"<h2>{text(one['title'])}: {points(one)}</h2>"]
    if one["status"] != GRADED:
        said = (one["reason"],) if one["status"] == NOT_GRADED else (one["status"], one["reason"])
        said = ": ".join(filter(None, said))
        parts.append(f"<p>{text(said[:1].upper() + said[1:])}.</p>")
        return "\n".join(parts)
    if one["to_mark"]:
        parts.append(f"<p class=note>{one['to_mark']} points more are given by your teacher, for your own words.</p>")
    if "counts" in one:
        counts, whole = one["counts"]
        parts.append(f"<p class=note>All {whole} points of this exercise count {counts:g} in this class.</p>")
    if one["reason"]:
        parts.append(f"<p class=note>Not everything was checked: {text(one['reason'])}.</p>")
    parts += [f"<p class=note>{text(note)}</p>" for note in one["notes"]]
    rows = [[_mark(v), text(v["name"]) + (" ★" if v["star"] else ""), f"{v['points']} of {v['max_points']}", _said(v)]
            for v in one["verdicts"]]  # fmt: skip
    parts.append(table(["", "what is asked", "points", "what was found"], rows, numbers=(2,)))
    return "\n".join(parts)


def _mark(verdict):
    """The sign of a verdict, with a word for those who cannot see it."""
    if verdict["passed"]:
        return f'<span class="mark good" title="passed">{PASSED}</span>'
    sign, word = (OPEN, "not started") if verdict["kind"] == NOT_STARTED else (WRONG, "not passed")
    return f'<span class="mark bad" title="{word}">{sign}</span>'


def _said(verdict):
    """The sentence of a verdict and its details."""
    details = "".join(
        f"<dt>{text(label)}</dt><dd><pre>{text(str(said).strip())}</pre></dd>" for label, said in verdict["details"]
    )
    return text(verdict["message"]) + (f"<dl>{details}</dl>" if details else "")
