"""The page of the teacher: what to teach tomorrow, how the points lie, whom and what to look at."""

from collections import Counter

from course_lib.classroom.grading import GRADED, NOT_GRADED, NOTHING
from course_lib.classroom.pages import file_name, page, table, text
from course_lib.classroom.table import totals
from course_lib.exercises.faults import NOT_STARTED
from course_lib.exercises.misconceptions import CATALOGUE

MOST_SHOWN, BAR = 15, 12


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
    return title + table(["of the points", "students", ""], lines, numbers=(1,), kind="shares")


def _bar(share):
    """A bar as long as a share; the number stands beside it."""
    if not share:
        return ""
    return f'<span class=bar style="width:{BAR * share:.2f}rem" aria-hidden=true></span>'


def _students(rows, exercises):
    """A line for each student, which leads to the page."""
    if not rows:
        return "<p>None.</p>"
    lines = []
    for row in rows:
        total, _ = totals(row)
        link = f'<a href="students/{text(file_name(row))}">{text(row["name"])}</a>'
        cells = [_cell(one) for one in row["exercises"]]
        lines.append([link, text(row["identifier"]), *cells, "" if total is None else f"{total}"])
    most = [*(one["max_points"] for one in rows[0]["exercises"]), totals(rows[0])[1]]
    names = [*map(str, exercises), "all"]
    heads = [
        "student",
        "ID",
        *(f"{name}<br><small>of {points}</small>" for name, points in zip(names, most, strict=True)),
    ]
    words = "<p class=note>Points by the numbers of the exercises. A dash: nothing was handed in.</p>"
    return words + f"<div class=wide>{table(heads, lines, numbers=tuple(range(2, len(heads))))}</div>"


def _cell(one):
    """The points of an exercise, or why there are none."""
    if one["status"] == NOTHING:
        return '<span title="nothing handed in">–</span>'
    return str(one["points"]) if one["status"] == GRADED else text(one["status"])


def who(row):
    """The name of a student, in a column that is not too narrow."""
    return f"<div class=who>{text(row['name'])}</div>"


def where(one):
    """The exercise, in one line."""
    return f"<span class=name>exercise {one['number']}</span>"


def _to_look_at(rows):
    """What a person should see: failures of the grader, files without answers, odd code."""
    lines = []
    for row in rows:
        lines += [[who(row), f"<div class=who>{text(name)}</div>", text(why)] for name, why in row["problems"]]
        for one in row["exercises"]:
            if one["status"] == NOT_GRADED:
                lines.append([who(row), where(one), text(one["reason"])])
            said = [*one["flags"], *([one["reason"]] if one["status"] == GRADED and one["reason"] else [])]
            if said:
                lines.append([who(row), where(one), text("; ".join(said))])
    return table(["student", "where", "what"], lines) if lines else "<p>Nothing.</p>"


def _to_mark(rows):
    """Text in students' own words."""
    lines = [
        [who(row), where(one), f"{one['to_mark']}", f"<pre>{text(said)}</pre>"]
        for row, one in _all(rows)
        for said in one["texts"].values()
        if one["to_mark"]
    ]
    return table(["student", "where", "points", "text"], lines, numbers=(2,)) if lines else "<p>Nothing.</p>"
