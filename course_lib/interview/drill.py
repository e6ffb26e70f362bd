"""One question, asked as in an interview: the answer, the rubric, a follow-up, the model answer, the rating.

Each step writes to the journal before the next begins, and passes over what the journal has already. So an attempt that
was broken off goes on where it was.
"""

import re

from course_lib.interview import journal
from course_lib.interview.matching import said
from course_lib.interview.question import GRADES, FollowUp
from course_lib.interview.schedule import RATINGS, due, fsrs, in_words, suggested

SECONDS = 60
FOLLOW_UP_SECONDS = 30
# What is asked where the bank has no follow-up about what was missed.
PLAIN = {
    "must": "One point that must be said is missing. What would you add?",
    "good": "One point of a good answer is missing. What would you add?",
    "excellent": "What would make your answer an excellent one?",
}


def ask(desk, question, attempt, earlier=(), seconds=SECONDS):
    """Asks one question, or goes on with it.

    Parameters
    ----------
    desk : Desk
        Whom to ask, and a clock.
    question : Question
    attempt : Attempt
        From `journal.begin`, or one that is open.
    earlier : iterable of Attempt
        All attempts before this one: a follow-up that was asked there is left for later, and they decide the schedule.
    seconds : float
        What the clock allows.
    """
    _answer(desk, question, attempt, seconds)
    _tick(desk, question, attempt)
    _follow_up(desk, question, attempt, earlier)
    _show(desk, question)
    rate(desk, attempt, suggested(question, ticked_points(question, attempt)), earlier)


def _answer(desk, question, attempt, seconds):
    """The answer, line by line."""
    desk.say(f"{question.topic} · level {question.level}")
    desk.say(question.ask)
    if attempt.answered:
        return
    for line in attempt.lines:
        desk.say(f"  > {line}")
    left = max(seconds - attempt.seconds, 0)
    desk.say(f"You have {left:.0f} seconds. Speak, or type. An empty line ends your answer.")
    taken = _lines(desk, attempt, "line", left, attempt.seconds)
    journal.write(attempt, "answered", desk.now(), seconds=taken)
    late = "" if taken <= seconds else f" An interviewer would have stopped you at {seconds:.0f}."
    desk.say(f"That took {taken:.0f} seconds.{late}")


def _lines(desk, attempt, what, left, before=0.0):
    """Takes lines until one is empty, and writes down each; the seconds that it took, with those before."""
    start = desk.clock()
    while True:
        try:
            line = desk.ask("  > ", left - (desk.clock() - start))
        except (KeyboardInterrupt, EOFError):
            unfinished = desk.unfinished()
            if unfinished.strip():
                journal.write(attempt, what, desk.now(), text=unfinished, seconds=before + desk.clock() - start)
            raise
        taken = before + desk.clock() - start
        if not line.strip():
            return taken
        journal.write(attempt, what, desk.now(), text=line, seconds=taken)


def _tick(desk, question, attempt):
    """The rubric, with marks where the typed answer seems to make a point; the candidate decides."""
    if attempt.ticked is not None:
        return
    heard = said("\n".join(attempt.lines), question.points)
    desk.say("")
    desk.say("The rubric." + " A cross is a guess from your words; you decide." * bool(attempt.lines))
    for grade in GRADES:
        desk.say(f"  {grade}")
        for number, point in enumerate(question.points, 1):
            if point.grade == grade:
                reason = f"  (heard: {heard[point]})" if point in heard else ""
                desk.say(f"  {number:>3} [{'x' if point in heard else ' '}] {point.text}{reason}")
    marked = [number for number, point in enumerate(question.points, 1) if point in heard]
    ticked = _numbers(desk, len(question.points), marked)
    journal.write(attempt, "ticked", desk.now(), points=ticked)


def _numbers(desk, most, marked):
    """The numbers of the points that were said."""
    keep = f"Enter keeps {' '.join(map(str, marked))}" if marked else "Enter for none"
    while True:
        words = re.findall(r"[^\s,;]+", desk.ask(f"Which did you say? Numbers; {keep}; 0 for none: "))
        if not words:
            return marked
        if words == ["0"]:
            return []
        if all(word.isdecimal() and 1 <= int(word) <= most for word in words):
            return sorted({int(word) for word in words})
        desk.say(f"Numbers from 1 to {most}, with spaces between, please.")


def ticked_points(question, attempt):
    """The points that the candidate ticked. Numbers that the rubric no longer has are left out."""
    return {question.points[number - 1] for number in attempt.ticked or () if 0 < number <= len(question.points)}


def choose(question, ticked, asked=()):
    """The follow-up that an interviewer would ask now.

    Parameters
    ----------
    question : Question
    ticked : collection of Point
        What was said.
    asked : collection of str
        Follow-ups of earlier attempts.

    Returns
    -------
    FollowUp
        The first about a point that was missed; if there is none, a plain question for a point that was missed; if
        nothing was, the first of all. One that was not asked before, if there is one.
    """
    pool = [follow for follow in question.follow_ups if follow.about not in ticked]
    pool = pool or _plain(question, ticked) or question.follow_ups
    return next((follow for follow in pool if follow.ask not in asked), pool[0])


def _plain(question, ticked):
    """A question for the first point that was missed, which does not give it away; none if nothing was missed."""
    missed = [point for grade in GRADES for point in question.graded(grade) if point not in ticked]
    return [FollowUp(point, PLAIN[point.grade], f"This was missing: {point.text}.") for point in missed[:1]]


def short_answer(question, attempt):
    """What should have been said to the follow-up of an attempt; "" if the bank no longer has it."""
    known = (*question.follow_ups, *_plain(question, ticked_points(question, attempt)))
    return next((follow.answer for follow in known if follow.ask == attempt.follow_up), "")


def _follow_up(desk, question, attempt, earlier):
    """The follow-up, its answer, and what should have been said."""
    if attempt.followed:
        return
    if attempt.follow_up is None:
        asked = {other.follow_up for other in earlier if other.question == question.name}
        chosen = choose(question, ticked_points(question, attempt), asked)
        journal.write(attempt, "follow-up", desk.now(), text=chosen.ask)
    desk.say("")
    desk.say("The interviewer goes on:")
    desk.say(attempt.follow_up)
    for line in attempt.follow_up_lines:
        desk.say(f"  > {line}")
    _lines(desk, attempt, "follow-up line", FOLLOW_UP_SECONDS)
    journal.write(attempt, "followed", desk.now())
    if short_answer(question, attempt):
        desk.say(f"Short answer: {short_answer(question, attempt)}")


def _show(desk, question):
    """The model answer, what is often said wrongly, and where to read."""
    desk.say("")
    desk.say("A model answer:")
    desk.say(question.answer)
    desk.say("")
    for wrong in question.wrong:
        desk.say(f'Often heard: "{wrong.text}" {wrong.why}')
    for sentence in reading(question):
        desk.say(sentence)
    desk.say("")


def reading(question):
    """Sentences on where to read, and for which frameworks it was measured."""
    exercise = f", and do exercise {question.exercise}" if question.exercise else ""
    chapter, _, cell = question.source.partition(" · ")
    run = f"Cell {cell} of chapter {chapter} runs it." if cell else f"To run it: {chapter.removeprefix('command: ')}"
    measured = [f"Measured with {', '.join(question.holds_for())}."] if question.holds_for() else []
    return [f"Read chapter {question.chapter}{exercise}. {run}", *measured]


def rate(desk, attempt, default, earlier=()):
    """Asks for the rating, and says when it comes again.

    Parameters
    ----------
    desk : Desk
    attempt : Attempt
    default : int
        What Enter means.
    earlier : iterable of Attempt
        All attempts before this one.
    """
    names = ", ".join(f"{number} {name}" for number, name in RATINGS.items())
    while True:
        word = desk.ask(f"How was it? {names}; Enter for {default}: ").strip() or str(default)
        if word in map(str, RATINGS):
            break
        desk.say("One number from 1 to 4, please.")
    journal.write(attempt, "rated", desk.now(), rating=int(word))
    if fsrs:
        when = due([*earlier, attempt])[attempt.question]
        desk.say(f"It comes again {in_words(when, attempt.time)}.")
