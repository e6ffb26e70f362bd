"""What a learner calls in a notebook: check, hint, reveal and progress. None of them raises for a learner's fault."""

from course_lib.exercises import engine, places, record, registry
from course_lib.exercises.display import Link, Page, Shown
from course_lib.exercises.faults import is_exactly
from course_lib.exercises.overview import overview
from course_lib.exercises.own_numbers import with_numbers
from course_lib.exercises.result import CheckResult

NO_SOLUTION = "This copy of the course has no solutions. Ask {whom}. hint({number}, 1) shows the first hint again."


class Told(Shown):
    """A page that was made once."""

    def __init__(self, page):
        self._page = page

    def page(self):
        """The page."""
        return self._page


def check(number=None, /, *unnamed, own=None, **answers):
    """Judges answers, and notes the points.

    Parameters
    ----------
    number : int or str
        The exercise, or the chapter whose task it is, as "01".
    own : dict, optional
        Numbers of your own, by name, where your notebook has some.
    **answers
        By the names that the exercise gives them. One that is left out, None or ``...`` counts as not started.

    Returns
    -------
    CheckResult
        Also for an exercise or an answer that does not exist: then a note says so.
    """
    exercise = _find(number)
    if exercise is None:
        return CheckResult(title="check", notes=(_no_exercise(number),))
    try:
        judged = exercise if own is None else with_numbers(exercise, own)
    except ValueError as error:
        return CheckResult(title=exercise.heading, notes=(str(error),))
    result = engine.judge(judged, answers)
    notes = list(result.notes)
    if unnamed:
        names = ", ".join(f"{answer.name}=..." for answer in exercise.answers)
        notes.append(f"Give each answer by its name: check({exercise.typed}, {names}).")
    if result.started:
        _, note = record.update(exercise.number, lambda entry: _with_result(entry, result))
        notes += [note] if note else []
    if not result.passed:
        notes.append(f"hint({exercise.typed}) gives the next of {len(exercise.hints)} hints.")
    return result.with_notes(notes)


def _with_result(entry, result):
    """An entry with one attempt more; the best one counts."""
    return {
        **entry,
        "attempts": record.count(entry, "attempts") + 1,
        "points": max(record.count(entry, "points"), result.points),
        "max_points": result.max_points,
        "passed": result.passed or entry.get("passed") is True,
    }


def hint(number=None, which=None):
    """Gives the next hint of an exercise, or one that is asked for.

    Parameters
    ----------
    number : int or str
        The exercise, or the chapter whose task it is, as "01".
    which : int or None
        1, 2, ... for that hint; 0 says how many there are; None means the next one. After the last, the last again.
    """
    exercise = _find(number)
    if exercise is None:
        return Told(Page("hint", paragraphs=(_no_exercise(number),)))
    total = len(exercise.hints)
    if which is not None and not (type(which) is int and 0 <= which <= total):
        return Told(Page(exercise.heading, paragraphs=(f"Its hints are numbered from 1 to {total}.",)))
    if which == 0:
        waiting = f"{total} hints wait, from a question to the line. hint({exercise.typed}) gives the next one."
        return Told(Page(exercise.heading, paragraphs=(waiting,)))
    return Told(_hint_page(exercise, which))


def _hint_page(exercise, which):
    """The page of one hint, which is counted."""
    total = len(exercise.hints)

    def with_hint(entry):
        seen = record.count(entry, "hints")
        return {**entry, "hints": min(max(which or seen + 1, seen), total)}

    entry, note = record.update(exercise.number, with_hint)
    shown = which or entry["hints"]
    after = f"This was the last hint. reveal({exercise.typed}) leads to the solution." if shown == total else ""
    paragraphs = [exercise.hints[shown - 1], after, note]
    return Page(exercise.heading, f"hint {shown} of {total}", paragraphs=tuple(filter(None, paragraphs)))


def reveal(number=None):
    """Leads to the solution of an exercise, where this copy of the course has it. It never prints it.

    The task of a chapter has no notebook of its own: its answer is shown, worked out, in the same copies.

    Parameters
    ----------
    number : int or str
        The exercise, or the chapter whose task it is, as "01".
    """
    exercise = _find(number)
    if exercise is None:
        return Told(Page("reveal", paragraphs=(_no_exercise(number),)))
    solution = _worked(exercise) if exercise.is_task else _linked(exercise)
    if not solution:
        return Told(
            Page(exercise.heading, paragraphs=(NO_SOLUTION.format(whom=places.whom_to_ask(), number=exercise.typed),))
        )
    _, note = record.update(exercise.number, lambda entry: {**entry, "revealed": True})
    return Told(Page(exercise.heading, "solution", paragraphs=tuple(filter(None, (*solution, note)))))


def _linked(exercise):
    """The paragraphs that lead to the solution of an exercise; none where this copy of the course has none."""
    solution = places.solution(exercise)
    if solution is None:
        return ()
    address = places.address(solution)
    return (Link("Open the solution", address) if address else None, f"It is in {solution}.")


def _worked(exercise):
    """The paragraphs that work out the answer of a task; none where this copy of the course has no solutions."""
    if not places.has_solutions():
        return ()
    nearly = f"The last hint is nearly the answer: hint({exercise.typed}, {len(exercise.hints)})."
    return tuple(exercise.worked.split("\n")) if exercise.worked else (nearly,)


def progress():
    """Shows what is done, with links to what is not."""
    entries, note = record.read()
    predictions, _ = record.read(record.PREDICTIONS)
    return Told(overview(registry.all_exercises(), registry.all_tasks(), entries, note, predictions))


def _find(number):
    """The exercise or the task with a number, or None for whatever is no number of one."""
    return registry.find(number) if is_exactly(number, int, str) else None


def _no_exercise(number):
    """One sentence for what is no number of an exercise or of a task."""
    numbers = ", ".join(map(str, registry.module_names()))
    tasks = ", ".join(f'"{chapter}"' for chapter in registry.task_names())
    if type(number) is int:
        # Python refuses to write a number of thousands of digits.
        return f"There is no exercise {number if abs(number) < 10**9 else 'of that number'}; the numbers are {numbers}."
    if type(number) is str and number in map(str, registry.module_names()):
        return f"Write {number} without quotation marks for exercise {number}; with them stand chapters, as {tasks}."
    if type(number) is str:
        return f"No chapter has a task {number!r:.40}; those that have one are {tasks}, and exercises are {numbers}."
    return f"The first argument is the number of an exercise, {numbers}, or of a chapter with a task, {tasks}."
