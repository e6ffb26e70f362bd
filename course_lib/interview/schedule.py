"""Which question comes next, by the memory model FSRS of the py-fsrs library, or without it by the last asking."""

from datetime import timedelta

from course_lib.interview.question import GRADES

try:
    import fsrs
except ImportError:
    fsrs = None

WITHOUT = (
    "There is no schedule without the fsrs package: new questions come first, then those asked longest ago. "
    "For a schedule: python -m pip install fsrs"
)
RATINGS = {1: "again", 2: "hard", 3: "good", 4: "easy"}
# A question that went wrong is worth asking again on the same evening, and not a minute after its answer was read.
STEPS = (timedelta(minutes=10),)


def due(attempts):
    """When each question that was rated is due.

    Parameters
    ----------
    attempts : iterable of Attempt

    Returns
    -------
    dict of str to datetime
        By the question's name. Without the library, everything is due at the time of its last rating.
    """
    rated = sorted((attempt for attempt in attempts if attempt.rating), key=lambda attempt: attempt.time)
    if fsrs is None:
        return {attempt.question: attempt.time for attempt in rated}
    # Nothing random, so that the same ratings give the same days whenever they are counted again.
    scheduler = fsrs.Scheduler(learning_steps=STEPS, relearning_steps=STEPS, enable_fuzzing=False)
    cards = {}
    for attempt in rated:
        card = cards.get(attempt.question) or fsrs.Card(card_id=len(cards), due=attempt.time)
        cards[attempt.question], _ = scheduler.review_card(card, fsrs.Rating(attempt.rating), attempt.time)
    return {name: card.due for name, card in cards.items()}


def order(questions, attempts, now):
    """The questions to ask: first what is due, the oldest first; then those never rated, easy ones first, topics mixed.

    Parameters
    ----------
    questions : iterable of Question
    attempts : iterable of Attempt
    now : datetime

    Returns
    -------
    list of Question
        Without those that are not due yet. Without the library, new ones come first.
    """
    days = due(attempts)
    known = [question for question in questions if days.get(question.name, now + STEPS[0]) <= now]
    known.sort(key=lambda question: days[question.name])
    new = _mixed(question for question in questions if question.name not in days)
    return known + new if fsrs else new + known


def first(entries, attempts, now):
    """What comes next: the first that `order` gives; where nothing is due and nothing new, what comes soonest."""
    waiting, days = order(entries, attempts, now), due(attempts)
    return waiting[0] if waiting else min(entries, key=lambda entry: days[entry.name])


def _mixed(questions):
    """By level, and in a level one of each topic in turn."""
    seen, places = {}, []
    for question in questions:
        group = question.level, question.topic
        seen[group] = seen.get(group, 0) + 1
        places.append((question.level, seen[group], len(places), question))
    return [question for *_, question in sorted(places, key=lambda place: place[:3])]


def suggested(question, ticked):
    """The rating that the ticks suggest.

    Parameters
    ----------
    question : Question
    ticked : collection of Point

    Returns
    -------
    int
        1 if a point of *must* is missing; 2 if fewer than half of *good* were made; 4 if all of them were, and one of
        *excellent*; else 3.
    """
    must, good, excellent = (question.graded(grade) for grade in GRADES)
    made = sum(point in ticked for point in good)
    if not all(point in ticked for point in must):
        return 1
    if 2 * made < len(good):
        return 2
    return 4 if made == len(good) and any(point in ticked for point in excellent) else 3


def in_words(when, now):
    """How long it is until a time."""
    minutes = round((when - now).total_seconds() / 60)
    if minutes < 1:
        return "now"
    for size, unit in ((24 * 60, "day"), (60, "hour"), (1, "minute")):
        count = minutes // size
        if count:
            return f"in {count} {unit}{'s' * (count > 1)}"
