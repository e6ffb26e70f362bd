"""``course drill``: asks what is due, one question after the other, or holds a mock interview."""

import argparse
import sys

from course_lib.interview import journal, schedule
from course_lib.interview.desk import Desk
from course_lib.interview.drill import SECONDS, ask
from course_lib.interview.hunt import PREFIX, hunts, play
from course_lib.interview.load import questions
from course_lib.interview.mock import MINUTES, interview
from course_lib.workspace import CourseError

KEPT = "What you entered is kept, and course drill goes on from there."


def add_arguments(parser):
    """The options of ``course drill``."""
    parser.add_argument("--count", type=_whole, default=5, metavar="N", help="how many questions (5)")
    parser.add_argument("--topic", metavar="WORDS", help="only topics that hold these words")
    parser.add_argument("--level", type=int, choices=(1, 2, 3), help="only questions of this level")
    parser.add_argument("--question", metavar="NAME", help="this question, due or not")
    parser.add_argument("--seconds", type=_whole, default=SECONDS, metavar="S", help=f"for an answer ({SECONDS})")
    parser.add_argument(
        "--mock", type=_whole, nargs="?", const=MINUTES, metavar="MINUTES",
        help=f"a mock interview of so many minutes ({MINUTES}), due or not, with a report",
    )  # fmt: skip
    parser.add_argument("--hunt", nargs="?", const="", metavar="NAME", help="a bug hunt: this one, or the next")
    parser.add_argument("--seed", type=int, help="another number, another mock interview; else by the time")
    parser.add_argument("--list", action="store_true", help="list the questions and when they are due, and ask none")


def _whole(text):
    """A whole number from 1 on."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 on; got {text}")
    return int(text)


def run(options, desk=None):
    """Asks, or lists; 130 after Ctrl-C."""
    desk = desk or Desk()
    chosen, (attempts, note) = select(options), journal.read()
    for sentence in (note, schedule.WITHOUT if schedule.fsrs is None else ""):
        if sentence:
            print(sentence, file=sys.stderr)
    if options.list:
        return show(desk, chosen, attempts)
    try:
        return session(desk, chosen, attempts, options)
    except EOFError:
        desk.say("")
        desk.say(f"The input has ended. {KEPT}")
        return 0
    except KeyboardInterrupt:
        desk.say("")
        desk.say(f"Stopped. {KEPT}")
        return 130


def select(options):
    """The questions that the options mean."""
    chosen = [question for question in questions() if options.question in (None, question.name)]
    if options.topic:
        chosen = [question for question in chosen if options.topic.lower() in question.topic.lower()]
    chosen = [question for question in chosen if options.level in (None, question.level)]
    if not chosen:
        raise CourseError("There is no such question. course drill --list shows them all.")
    return chosen


def show(desk, chosen, attempts):
    """The list."""
    days, now = schedule.due(attempts), desk.now()
    for question in chosen:
        when = schedule.in_words(days[question.name], now) if question.name in days else "new"
        desk.say(f"{question.name:<26} {question.topic:<28} {question.level}  {when}")
    return 0


def session(desk, chosen, attempts, options):
    """One question after the other: first what was broken off, then what is due, then new ones."""
    if options.hunt is not None:
        play(desk, next_hunt(options.hunt, attempts))
        return 0
    if options.mock:
        seed = int(desk.now().timestamp()) if options.seed is None else options.seed
        interview(desk, chosen, attempts, seed, options.mock)
        return 0
    by_name = {question.name: question for question in chosen}
    asked = 0
    attempt = resumed(desk, attempts, by_name)
    while asked < options.count:
        if attempt is None:
            waiting = schedule.order(chosen, attempts, desk.now())
            if not waiting and not (options.question and not asked):
                break
            attempt = journal.begin((waiting or chosen)[0].name)
        earlier = [other for other in attempts if other.key != attempt.key]
        desk.say("")
        ask(desk, by_name[attempt.question], attempt, earlier, options.seconds)
        attempts, attempt, asked = [*earlier, attempt], None, asked + 1
        if options.question:
            break
    return farewell(desk, chosen, attempts, asked)


def next_hunt(name, attempts):
    """The hunt with a name; without one, the first that was played least often."""
    played = [attempt.question for attempt in attempts if not attempt.open]
    chosen = [hunt for hunt in hunts() if name in ("", hunt.name)]
    if not chosen:
        raise CourseError(f"There is no hunt {name!r}. They are {', '.join(hunt.name for hunt in hunts())}.")
    return min(chosen, key=lambda hunt: played.count(PREFIX + hunt.name))


def resumed(desk, attempts, by_name):
    """The last attempt that was broken off, if the candidate wants to go on with it; else None."""
    broken = [attempt for attempt in attempts if attempt.open and attempt.question in by_name]
    if not broken:
        return None
    attempt = broken[-1]
    desk.say(f'You broke off at "{by_name[attempt.question].ask}"')
    if desk.ask("Go on with it? Enter for yes, n for no: ").strip().lower() not in ("n", "no"):
        return attempt
    journal.write(attempt, "dropped", desk.now())
    return None


def farewell(desk, chosen, attempts, asked):
    """How many were asked, and when the next is due."""
    desk.say("")
    desk.say(f"{asked} question{'s' * (asked != 1)} asked.")
    if not schedule.order(chosen, attempts, desk.now()):
        days = schedule.due(attempts)
        soonest = min(days[question.name] for question in chosen)
        desk.say(f"Nothing more is due; the next comes {schedule.in_words(soonest, desk.now())}.")
    return 0
