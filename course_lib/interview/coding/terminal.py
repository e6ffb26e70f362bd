"""A coding task at the desk: the candidate writes in an editor, and hands in with Enter.

Until it is over only the names of failing properties are said. Then come the diagnosis, the reason and a solution.
"""

import re

from course_lib.interview import journal
from course_lib.interview.coding import files
from course_lib.interview.coding.judging import missing
from course_lib.interview.coding.outcome import suggested
from course_lib.interview.coding.runner import apart
from course_lib.interview.coding.sitting import Sitting, counted
from course_lib.interview.drill import rate

PROMPT = "Enter hands in, t time, h hint, q gives up: "
ADDRESS = re.compile(r" \(\.\./\S*\.ipynb\)")
OVER = "The time is over. Save, and hand in what you have."


def play(desk, task, attempt, earlier=(), seed=0, minutes=None):
    """One coding task, or the rest of one that was broken off.

    Parameters
    ----------
    desk : Desk
    task : Task
    attempt : Attempt
        A new one, or one that is open.
    earlier : iterable of Attempt
        All attempts before this one.
    seed : int
        Which variant, where the attempt is new.
    minutes : float, optional
        None means what the task allows.
    """
    if missing(task):
        desk.say(missing(task))
        return
    if not attempt.file:
        # One that was begun in a notebook has a seed already, and no file.
        seed = seed if attempt.seed is None else attempt.seed
        minutes = attempt.minutes or minutes or task.minutes
        file = files.lay(task, seed, minutes)
        journal.write(attempt, "began", desk.now(), seed=seed, minutes=minutes, file=file)
    sitting = Sitting(desk, task, attempt)
    _open(sitting)
    with counted(sitting):
        passed = attempt.passed or _work(sitting)
    _close(sitting, passed)
    rate(desk, attempt, suggested(attempt, passed), earlier)


def _open(sitting):
    """What is asked, and where to write it."""
    desk, task, attempt = sitting.desk, sitting.task, sitting.attempt
    desk.say(f"{task.topic} · level {task.level} · {files.counted(attempt.minutes)} · seed {attempt.seed}")
    desk.say(task.title)
    for paragraph in files.plain(task.variant(attempt.seed).statement):
        desk.say(paragraph)
    desk.say("")
    desk.say("Write it in this file, with any editor:")
    desk.show(f"  {sitting.path}")
    desk.say(f"{in_words(sitting.left())}")


def in_words(left):
    """How much time there is."""
    if left <= 0:
        return "The time is over."
    minutes, seconds = divmod(round(left), 60)
    return f"{minutes} min {seconds} s are left." if minutes else f"{seconds} s are left."


def _work(sitting):
    """Takes what is handed in until it passes, the time is over, or the candidate gives up; whether it passes."""
    desk = sitting.desk
    while True:
        word = desk.ask(PROMPT, sitting.left(), OVER).strip().lower()
        sitting.write("time", seconds=sitting.seconds())
        if word == "q":
            return False
        elif word == "t":
            desk.say(in_words(sitting.left()))
        elif word == "h":
            _hint(sitting)
        elif word:
            desk.say("Enter, t, h or q, please. The function itself goes into the file.")
        else:
            last = sitting.left() <= 0
            if _hand_in(sitting):
                return True
            if last:
                return False


def _hint(sitting):
    """The next hint."""
    hints, taken = sitting.task.hints, sitting.attempt.hints
    if taken < len(hints):
        sitting.write("hint")
        sitting.desk.say(hints[taken])
    else:
        sitting.desk.say("There are no more hints.")


def _hand_in(sitting):
    """Judges the file, and says no more than which properties fail."""
    desk, attempt, source = sitting.desk, sitting.attempt, sitting.source()
    if source is None:
        desk.say(f"{sitting.gone()} Save it there.")
        return False
    if sitting.is_blank(source):
        desk.say("The function is still blank. Is the file saved?")
        return False
    known = attempt.sources[-1:] == [source]
    if known and attempt.judged:
        desk.say("The file has not changed since. Is it saved?")
        return attempt.passed
    # What a stop kept from being judged is in the journal already.
    if not known:
        sitting.write("handed in", text=source, seconds=sitting.seconds())
    found = apart(sitting.task, attempt.seed, sitting.path, diagnosis=False)
    sitting.write("judged", passed=found["passed"], failing=found["failing"])
    if found["problem"]:
        desk.say(found["problem"])
    elif found["passed"]:
        desk.say(f"Passes, after {sitting.seconds() / 60:.0f} min.")
    else:
        desk.say(f"Does not pass yet: {', '.join(found['failing'])}.")
        if found["trouble"]:
            desk.say(found["trouble"])
    return found["passed"]


def _close(sitting, passed):
    """What was wrong, what counts, a solution, and where to read."""
    desk, task, attempt, source = sitting.desk, sitting.task, sitting.attempt, sitting.source()
    if not passed and source is None:
        desk.say(sitting.gone())
    elif not passed and sitting.is_blank(source):
        desk.say("The function is still blank.")
    elif not passed:
        sitting.write("handed in", text=source, seconds=sitting.seconds())
        found = apart(task, attempt.seed, sitting.path, diagnosis=True)
        desk.say("")
        # An address from a notebook leads nowhere from here.
        for line in ADDRESS.sub("", found["problem"] or found["text"]).splitlines():
            desk.show(line)
    desk.say("")
    desk.say(task.why)
    _show_solution(desk, files.solution(task, attempt.seed), attempt.seed)
    desk.say(f"Read chapter {task.chapter}. Your file stays where it is.")
    desk.say("")


def _show_solution(desk, solution, seed):
    """A right solution, where this copy of the course has one."""
    if solution is None:
        return
    other = "" if seed in solution.seeds else f" of another variant, seed {solution.seeds[0]}"
    desk.say("")
    desk.say(f"A right solution{other}:")
    for line in solution.text.splitlines():
        desk.show(f"  {line}")
    desk.say("")
