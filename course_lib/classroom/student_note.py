"""What a release says to students: its README, and the line with points and deadline in each exercise."""

import json

from course_lib.classroom import held_back

OWN = " **Numbers:** you have numbers of your own, in a copy of this notebook that your teacher gave you."


def most(exercise):
    """The points that the check of an exercise gives at most, stars included."""
    return sum(judged.points for judged in exercise.properties)


def more(exercise, options):
    """The points that the grading gives beyond the check; nbgrader has the check alone."""
    return 0 if options.nbgrader else sum(judged.points for judged in held_back.properties(exercise))


def worth(exercise, options):
    """What an exercise counts in this class."""
    return options.points.get(exercise.number, most(exercise) + more(exercise, options))


def terms(exercise, options):
    """The line under the title of an exercise."""
    counted, checked, beyond = worth(exercise, options), most(exercise), more(exercise, options)
    parts = [f"the check gives up to {checked}, and the grading {beyond} more"] * bool(beyond)
    if counted != checked + beyond:
        parts.append(f"all {checked + beyond} {'' if beyond else 'of the check '}count {counted:g}")
    scaled = f" ({'; '.join(parts)})" if parts else ""
    deadline = f" **Hand in by:** {options.deadline}." if options.deadline else ""
    own = OWN if exercise.number in options.own else ""
    return f"**Points:** {counted:g}{scaled}.{deadline}{own}"


def edition(options):
    """What the course itself knows of the release, in TOML, and what `course grade --options` reads."""
    lines = {name: getattr(options, name) for name in ("title", "deadline", "contact") if getattr(options, name)}
    lines["exercises"] = list(options.exercises)
    # A text in JSON is one in TOML.
    texts = [f"{name} = {json.dumps(text)}\n" for name, text in lines.items()]
    points = ["\n[points]\n", *(f"{number} = {value}\n" for number, value in options.points.items())]
    return "".join(texts + (points if options.points else []))


def note(chapters, exercises, options):
    """The README of a release."""
    title = f"# Where Does the Gradient Go? {options.title}".rstrip()
    parts = [
        title,
        START,
        *told(options),
        chapter_table(chapters),
        exercise_table(exercises, options),
        own_numbers(options),
        HAND_IN,
        LICENCE,
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


START = """This folder holds a course on back-propagation through pooling and convolution: chapters to read and to run,
and exercises.

You need Python 3.11 or newer. In this folder run

    python3 start.py

The first start makes an environment in `.venv` and needs the network. Then the first chapter opens in JupyterLab. You
work on copies of your own in `work/`, and nothing there is overwritten. `python3 start.py doctor` says what works on
your machine. PyTorch is large; `python3 start.py --no-torch` leaves it out, and most chapters do without.

Read a chapter, then do its exercise. `check` judges your answers as often as you like, and names the mistake where it
is a known one. `hint` helps in three steps."""
HAND_IN = """## Hand in

Hand in the notebooks from `work/exercises/`. Save them first. Keep the names of the functions and variables that the
task asks for; cells may be added. The grading runs your code by itself, so an answer may use only what the notebook
defines. It tries further cases, so points may differ from those of `check`."""
COPIES = """In {} you have numbers of your own. Your teacher gives you copies of these exercises. Start the course once,
put the copies into `work/exercises/`, in the place of those there, and work in them."""
LICENCE = "The licence is [BSD-3-Clause](LICENSE)."


def told(options):
    """Until when, and whom to ask; empty where neither is said."""
    lines = [f"**Hand in by:** {options.deadline}."] * bool(options.deadline)
    return lines + [f"**Questions:** ask {options.contact}."] * bool(options.contact)


def chapter_table(chapters):
    """The chapters, with links."""
    rows = [f"* [{title}]({name})" for name, title in chapters.items()]
    return "\n".join(["## Chapters", "", *rows])


def own_numbers(options):
    """What to do with numbers of one's own; empty where nobody has some."""
    return COPIES.format(" and ".join(map(str, options.own))) if options.own else ""


def exercise_table(exercises, options):
    """The exercises with what they count."""
    if not exercises:
        return ""
    rows = [
        f"| {each.number} | [{each.title}](exercises/{each.notebook}) | {each.chapter} | {worth(each, options):g} |"
        for each in exercises
    ]
    return "\n".join(["## Exercises", "", "| | exercise | after chapter | points |", "|---|---|---|---|", *rows])


def graded(cells, exercise, options):
    """The cells of an exercise with nbgrader's metadata, and a last one that gives the points.

    Notes
    -----
    A cell that ends in a number gives that many points, which is how nbgrader counts parts of a score. The check itself
    never raises, so as a test cell it would give all points to everybody.
    """
    locked = [
        cell if is_stub(cell) else {**cell, "metadata": {**cell["metadata"], "nbgrader": lock(cell)}} for cell in cells
    ]
    return [*locked, points_cell(cells, exercise, options)]


def is_stub(cell):
    """Whether a cell is the student's. Such a cell has no mark: nbgrader would put a stub of its own in its place."""
    return "stub" in cell["metadata"].get("tags", [])


def lock(cell, points=None):
    """The marks of a cell that nbgrader restores before it grades; where it has points, its value is a score."""
    kind = {"grade": points is not None, "solution": False, "locked": True, "task": False}
    return {"schema_version": 3, "grade_id": cell["id"], **kind, **({} if points is None else {"points": points})}


def points_cell(cells, exercise, options):
    """A locked cell whose value is the score."""
    (call,) = ("".join(cell["source"]) for cell in cells if cell["id"] == "check")
    counted = worth(exercise, options)
    source = (
        f"from course_lib.exercises import check\n\nresult = {call}\nresult.points * {counted:g} / result.max_points"
    )
    cell = {"cell_type": "code", "id": "points", "execution_count": None, "outputs": []}
    return {**cell, "metadata": {"nbgrader": lock(cell, counted)}, "source": source.splitlines(keepends=True)}
