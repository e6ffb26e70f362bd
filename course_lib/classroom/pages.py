"""The pages: one for the teacher, one for each student. Everything that comes from outside is escaped."""

import hashlib
import re
from collections import Counter
from html import escape
from pathlib import Path

from course_lib.classroom.grading import GRADED, NOT_GRADED
from course_lib.classroom.table import totals
from course_lib.exercises.display import OPEN, PASSED, WRONG
from course_lib.exercises.faults import NOT_STARTED
from course_lib.exercises.misconceptions import CATALOGUE

MOST_SHOWN, BAR = 15, 12
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


def table(heads, rows, numbers=()):
    """A table.

    Parameters
    ----------
    heads : list of str
    rows : list of list of str
        Cells that are HTML already.
    numbers : tuple of int
        The columns that are aligned as numbers.
    """

    def line(kind, cells):
        marked = (f"<{kind}{' class=number' if n in numbers else ''}>{one}</{kind}>" for n, one in enumerate(cells))
        return f"<tr>{''.join(marked)}</tr>"

    body = "\n".join(line("td", row) for row in rows)
    return f"<table>\n<thead>{line('th', heads)}</thead>\n<tbody>\n{body}\n</tbody></table>"


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
        parts.append(f"<p>{text(': '.join(filter(None, said)))}.</p>")
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


def teacher_page(rows, exercises, head, more=""):
    """The page of the teacher.

    Parameters
    ----------
    rows : list of dict
    exercises : tuple of int
    head : list of str
        Sentences about how this was graded.
    more : str
        HTML that stands at the end.
    """
    parts = ["<h1>Grades</h1>", *(f"<p class=note>{text(one)}</p>" for one in head)]
    parts += ["<h2>What to teach tomorrow</h2>", _misconceptions(rows)]
    parts += ["<h2>The hardest properties</h2>", _hardest(rows)]
    parts += ["<h2>How the points lie</h2>", *(_distribution(rows, number) for number in exercises)]
    parts += ["<h2>Students</h2>", _students(rows, exercises)]
    parts += ["<h2>To look at</h2>", _to_look_at(rows), "<h2>To mark</h2>", _to_mark(rows)]
    return page("Grades", "\n".join([*parts, more]))


def _all(rows):
    """Every exercise of every student that was graded, with the student."""
    return [(row, one) for row in rows for one in row["exercises"] if one["status"] == GRADED]


def _misconceptions(rows):
    """The commonest mistakes: by how many students, in which exercises."""
    students, where = Counter(), {}
    for row in rows:
        found = {name for one in row["exercises"] for name in one["misconceptions"]}
        students.update(found)
        for one in row["exercises"]:
            for name in one["misconceptions"]:
                where.setdefault(name, set()).add(one["number"])
    common = sorted(students.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_SHOWN]
    if not common:
        return "<p>No known mistake was found.</p>"
    lines = [
        [
            str(n),
            f"<span class=name>{text(name)}</span>",
            text(CATALOGUE[name].sentence),
            text(CATALOGUE[name].chapter),
            _list(where[name]),
        ]
        for name, n in common
    ]
    return table(["students", "mistake", "what it does", "chapter", "exercises"], lines, numbers=(0,))


def _list(numbers):
    """Numbers, in order."""
    return ", ".join(map(str, sorted(numbers)))


def _hardest(rows):
    """The properties that the fewest pass, of those who have begun with them."""
    tried, passed = Counter(), Counter()
    for _, one in _all(rows):
        for verdict in one["verdicts"]:
            if verdict["kind"] != NOT_STARTED:
                key = one["number"], verdict["name"]
                tried[key] += 1
                passed[key] += verdict["passed"]
    share = {key: passed[key] / tried[key] for key in tried if passed[key] < tried[key]}
    hardest = sorted(share, key=lambda key: (share[key], -tried[key], key))[:MOST_SHOWN]
    if not hardest:
        return "<p>Everything that was begun is right.</p>"
    lines = [[str(key[0]), text(key[1]), f"{passed[key]} of {tried[key]}"] for key in hardest]
    return table(["exercise", "property", "right"], lines, numbers=(2,))


def _distribution(rows, number):
    """How many students have how large a share of an exercise's points."""
    found = [one for _, one in _all(rows) if one["number"] == number]
    if not found:
        return f"<p>Exercise {number}: nothing graded.</p>"
    counts = Counter(min(4, 5 * one["points"] // (one["max_points"] or 1)) for one in found)
    lines = [
        [f"{20 * step} to {20 * step + 20} %", str(counts[step]), _bar(counts[step] / len(found))] for step in range(5)
    ]
    title = f"<p><b>{text(found[0]['title'])}</b>, {len(found)} graded</p>"
    return title + table(["of the points", "students", ""], lines, numbers=(1,))


def _bar(share):
    """A bar as long as a share; the number stands beside it."""
    return f'<span class=bar style="width:{BAR * share:.2f}rem" aria-hidden=true></span>'


def _students(rows, exercises):
    """A line for each student, which leads to the page."""
    lines = []
    for row in rows:
        total, most = totals(row)
        link = f'<a href="students/{text(file_name(row))}">{text(row["name"])}</a>'
        cells = [
            points(one) if one["status"] in (GRADED, NOT_GRADED) else text(one["status"]) for one in row["exercises"]
        ]
        lines.append([link, text(row["identifier"]), *cells, "" if total is None else f"{total} of {most}"])
    heads = ["student", "ID", *(f"exercise {number}" for number in exercises), "all"]
    return table(heads, lines, numbers=tuple(range(2, len(heads))))


def _to_look_at(rows):
    """What a person should see: failures of the grader, files without answers, odd code."""
    lines = []
    for row in rows:
        lines += [[text(row["name"]), text(name), text(why)] for name, why in row["problems"]]
        for one in row["exercises"]:
            if one["status"] == NOT_GRADED:
                lines.append([text(row["name"]), f"exercise {one['number']}", text(one["reason"])])
            said = [*one["flags"], *([one["reason"]] if one["status"] == GRADED and one["reason"] else [])]
            if said:
                lines.append([text(row["name"]), f"exercise {one['number']}", text("; ".join(said))])
    return table(["student", "where", "what"], lines) if lines else "<p>Nothing.</p>"


def _to_mark(rows):
    """Text in students' own words."""
    lines = [
        [text(row["name"]), f"exercise {one['number']}", f"{one['to_mark']}", f"<pre>{text(said)}</pre>"]
        for row, one in _all(rows)
        for said in one["texts"].values()
        if one["to_mark"]
    ]
    return table(["student", "where", "points", "text"], lines, numbers=(2,)) if lines else "<p>Nothing.</p>"
