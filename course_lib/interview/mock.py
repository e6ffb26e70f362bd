"""A mock interview: half an hour of mixed questions, a coding task and a hunt between them, and a report."""

import random

from course_lib.interview import journal
from course_lib.interview.drill import ask, ticked_points
from course_lib.interview.question import GRADES

MINUTES = 30


def mixed(chosen, seed):
    """The questions in an order that differs by seed: topics take turns, and each turn is harder or as hard.

    Parameters
    ----------
    chosen : iterable of Question
    seed : int

    Returns
    -------
    list of Question
    """
    rng = random.Random(seed)
    topics = {}
    for question in sorted(chosen, key=lambda question: (question.level, rng.random())):
        topics.setdefault(question.topic, []).append(question)
    names = sorted(topics)
    rng.shuffle(names)
    turns = range(max(map(len, topics.values()), default=0))
    return [topics[name][turn] for turn in turns for name in names if turn < len(topics[name])]


def interview(desk, chosen, attempts, seed, minutes=MINUTES, practical=()):
    """Asks until the time is over, and reports; what is broken off is reported as far as it went.

    Parameters
    ----------
    desk : Desk
    chosen : iterable of Question
    attempts : list of Attempt
        The earlier ones.
    seed : int
    minutes : float
    practical : iterable of Drill
        What comes between the questions, at equal distances, if there is time left for it.
    """
    start, done, played = desk.clock(), [], []
    waiting, asked = list(practical), iter(mixed(chosen, seed))
    share = 1 / (len(waiting) + 1)

    def left():
        return minutes - (desk.clock() - start) / 60

    def earlier():
        return [*attempts, *(attempt for _, attempt in [*done, *played])]

    try:
        while left() > 0:
            if waiting and left() <= minutes * len(waiting) * share:
                _play(desk, waiting.pop(0), left(), earlier(), played)
                continue
            question = next(asked, None)
            if question is None:
                break
            _announce(desk, left())
            before, attempt = earlier(), journal.begin(question.name)
            done.append((question, attempt))
            ask(desk, question, attempt, before)
    finally:
        desk.say("")
        for line in report(done, played):
            desk.say(line)


def _announce(desk, left):
    """How much time there is."""
    desk.say("")
    desk.say(f"{left:.0f} minutes are left.")


def _play(desk, drill, left, earlier, played):
    """Something other than a question, if there is time for it."""
    if drill.minutes <= left:
        _announce(desk, left)
        attempt = journal.begin(drill.name)
        played.append((drill, attempt))
        drill.play(attempt, earlier)


def report(done, played=()):
    """What was strong, what was weak, and what to read.

    Parameters
    ----------
    done : list of (Question, Attempt)
        The last may have been broken off. It counts once its rubric was ticked.
    played : list of (Drill, Attempt)

    Returns
    -------
    list of str
    """
    broken = [_broken(question, attempt) for question, attempt in done if attempt.ticked is None]
    done = [(question, attempt) for question, attempt in done if attempt.ticked is not None]
    if not done and not played:
        return ["No question was answered, so there is nothing to report.", *broken]
    lines = [f"{len(done)} question{'s' * (len(done) != 1)} answered.", *map(_row, GRADES, _shares(done)), *broken]
    lines += [f"{drill.ask}: {'broken off' if attempt.open else drill.ended(attempt)}." for drill, attempt in played]
    complete = [question for question, attempt in done if not missed(question, attempt)]
    weak = [(question, missed(question, attempt)) for question, attempt in done if missed(question, attempt)]
    if complete:
        lines.append("Strong, every point of must was said: " + "; ".join(question.ask for question in complete))
    for question, points in weak:
        lines.append(f"Weak: {question.ask}")
        lines.append("  not said: " + "; ".join(point.text for point in points))
    late = sum(attempt.seconds > 60 for _, attempt in done)
    return [*lines, *_to_do(weak, played), f"{late} of {len(done)} answers took more than a minute."]


def _broken(question, attempt):
    """A question that was broken off before its rubric, and how far its answer went."""
    if attempt.answered:
        return f"Answered, not ticked: {question.ask}"
    return f"Broken off after {len(attempt.lines)} line{'s' * (len(attempt.lines) != 1)}: {question.ask}"


def _to_do(weak, played):
    """What to read and to do about what was weak."""
    chapters = {question.chapter for question, _ in weak}
    chapters |= {drill.chapter for drill, attempt in played if attempt.rating in (1, 2) and drill.chapter}
    exercises = sorted({question.exercise for question, _ in weak if question.exercise})
    read = [f"Read chapter {', '.join(sorted(chapters))}."] if chapters else []
    return read + ["Do exercise " + ", ".join(map(str, exercises)) + "."] * bool(exercises)


def missed(question, attempt):
    """The points of *must* that were not said."""
    ticked = ticked_points(question, attempt)
    return [point for point in question.graded("must") if point not in ticked]


def _shares(done):
    """How many points of each row were made, and of how many."""
    for grade in GRADES:
        points = [(point in ticked_points(question, attempt)) for question, attempt in done
                  for point in question.graded(grade)]  # fmt: skip
        yield sum(points), len(points)


def _row(grade, share):
    """One row of the report."""
    return f"  {grade:<10} {share[0]:>3} of {share[1]} points"
