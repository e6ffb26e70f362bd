"""The page that shows what is done."""

from collections import Counter

from course_lib.exercises import places
from course_lib.exercises.display import OPEN, PASSED, Link, Page, Row
from course_lib.exercises.record import count


def overview(exercises, tasks, entries, note="", predictions=()):
    """The page.

    Parameters
    ----------
    exercises, tasks : list of Exercise
    entries : dict of str to dict
        What is recorded, by the number of the exercise.
    note : str
        One sentence about the record itself, or "".
    predictions : iterable of str
        The names of those that were made.
    """
    groups = {
        word: [_row(exercise, entries.get(str(exercise.number), {})) for exercise in some]
        for word, some in (("exercise", exercises), ("task", tasks))
        if some
    }
    rows = tuple(row for group in groups.values() for row in group)
    return Page(
        heading="Your progress",
        figure=f"{' and '.join(_done(word, group) for word, group in groups.items())} done",
        mark=PASSED if all(row.mark == PASSED for row in rows) else OPEN,
        rows=rows,
        paragraphs=tuple(filter(None, (_predicted(predictions), note))),
    )


def _done(word, rows):
    """How many rows are done, of how many."""
    return f"{sum(row.mark == PASSED for row in rows)} of {len(rows)} {word}{'s' if len(rows) > 1 else ''}"


def _predicted(names):
    """How many predictions were made in each chapter; whether they hold is nobody's business."""
    counts = sorted(Counter(name.partition("-")[0] for name in names).items())
    return (
        f"Predictions made: {', '.join(f'{count} in chapter {chapter}' for chapter, count in counts)}."
        if counts
        else ""
    )


def _row(exercise, entry):
    """One exercise."""
    best = sum(judged.points for judged in exercise.properties)
    passed, points = entry.get("passed") is True, min(count(entry, "points"), best)
    started = count(entry, "attempts") > 0
    return Row(
        mark=PASSED if passed else OPEN,
        name=Link(exercise.heading, places.sibling(_folder(exercise), exercise.notebook)),
        figure=f"{points} of {best} points",
        message="; ".join(_words(entry, passed, started)),
        details=() if exercise.is_task else (("after", places.chapter(exercise.chapter)),),
    )


def _folder(exercise):
    """The folder of its notebook: a task stands at the end of its chapter."""
    return places.CHAPTERS if exercise.is_task else places.EXERCISES


def _words(entry, passed, started):
    """What was done about it."""
    yield "done" if passed else "begun" if started else "not started"
    if hints := count(entry, "hints"):
        yield f"{hints} hint{'s' if hints > 1 else ''} seen"
    if entry.get("revealed") is True:
        yield "solution opened"
