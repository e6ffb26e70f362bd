"""``course drill``: asks what is due, one question after the other, or holds a mock interview."""

import argparse
import re
import sys

from course_lib.interview import coding, hunt, journal, mixing, schedule
from course_lib.interview.desk import Desk
from course_lib.interview.drill import SECONDS
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
    parser.add_argument(
        "--code", nargs="?", const="", metavar="NAME", help="a coding task: this one, or what is due, or the next"
    )
    parser.add_argument("--minutes", type=_whole, metavar="M", help="for a coding task; else what it allows")
    parser.add_argument(
        "--seed", type=_seed, metavar="N",
        help="another number, another mock interview or variant of a hunt or a task; else by the time, or the next",
    )  # fmt: skip
    parser.add_argument(
        "--list",
        action="store_true",
        help="list the questions, with --code the tasks or with --hunt the hunts, and when they are due",
    )


def _whole(text):
    """A whole number from 1 on, and not so large that no clock can show it."""
    if not re.fullmatch(r"[0-9]{1,6}", text) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 to 999999; got {text}")
    return int(text)


def _seed(text):
    """A whole number from 0 on, of at most 18 digits."""
    if not re.fullmatch(r"[0-9]{1,18}", text):
        raise argparse.ArgumentTypeError(f"must be a whole number from 0 on, of at most 18 digits; got {text}")
    return int(text)


def run(options, desk=None):
    """Asks, or lists; 130 after Ctrl-C."""
    desk = desk or Desk()
    chosen, (attempts, note) = select(options), journal.read()
    for sentence in (note, schedule.WITHOUT if schedule.fsrs is None else ""):
        if sentence:
            print(sentence, file=sys.stderr)
    if options.list:
        if options.hunt is not None:
            return show_hunts(desk, options.hunt, attempts)
        return show(desk, chosen if options.code is None else tasks(options), attempts)
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


def tasks(options):
    """The coding tasks that the options mean, the short ones first."""
    found = [coding.find(options.code)] if options.code else coding.tasks()
    found = [task for task in found if options.level in (None, task.level)]
    if options.topic:
        found = [task for task in found if options.topic.lower() in task.topic.lower()]
    if not found:
        raise CourseError("There is no such coding task. course drill --code --list shows them all.")
    return found


def show(desk, chosen, attempts):
    """The list."""
    days, now = schedule.due(attempts), desk.now()
    for one in chosen:
        key = mixing.key(one)
        when = schedule.in_words(days[key], now) if key in days else "new"
        minutes = f"{one.minutes:>2} min  " if hasattr(one, "minutes") else ""
        desk.say(f"{one.name:<26} {one.topic:<28} {one.level}  {minutes}{when}")
    return 0


def show_hunts(desk, name, attempts):
    """The list of hunts, and when they are due."""
    days, now = schedule.due(attempts), desk.now()
    for entry in named_hunts(name):
        key = hunt.PREFIX + entry.name
        when = schedule.in_words(days[key], now) if key in days else "new"
        desk.say(f"{entry.name:<26} {entry.operation:<28} {when}")
    return 0


def session(desk, chosen, attempts, options):
    """One question after the other: first what was broken off, then what is due, then new ones."""
    if options.hunt is not None:
        return hunting(desk, attempts, options)
    if options.mock:
        seed = int(desk.now().timestamp()) if options.seed is None else options.seed
        practical = [] if options.question else _fitting(mixing.practical(desk, seed, options.mock), options)
        interview(desk, chosen, attempts, seed, options.mock, practical)
        return 0
    if options.code is not None:
        return code(desk, attempts, options)
    drills = [mixing.of_question(desk, question, options.seconds) for question in chosen]
    begun = [] if options.question else _fitting(mixing.begun(desk, attempts), options)
    by_name = {drill.name: drill for drill in [*drills, *begun]}
    # One that was never rated is begun by its option, not in the middle of questions.
    drills += [drill for drill in begun if drill.name in schedule.due(attempts)]
    asked = 0
    attempt = resumed(desk, attempts, by_name)
    while asked < options.count:
        if attempt is None:
            waiting = schedule.order(drills, attempts, desk.now())
            if not waiting and not (options.question and not asked):
                break
            attempt = journal.begin((waiting or drills)[0].name)
        earlier = [other for other in attempts if other.key != attempt.key]
        desk.say("")
        by_name[attempt.question].play(attempt, earlier)
        attempts, attempt, asked = [*earlier, attempt], None, asked + 1
        if options.question:
            break
    return farewell(desk, drills, attempts, asked)


def _fitting(drills, options):
    """Those of a topic and of a level; a hunt has neither."""
    topic = (options.topic or "").lower()
    return [drill for drill in drills if options.level in (None, drill.level) and topic in drill.topic.lower()]


def code(desk, attempts, options):
    """One coding task: what was broken off, else what is due, else one that was never tried, else the next."""
    chosen = [task for task in tasks(options) if options.code or not coding.missing(task)]
    drills = [mixing.of_task(desk, task, options.seed, options.minutes) for task in chosen]
    by_name = {drill.name: drill for drill in drills}
    attempt = None if options.seed is not None else resumed(desk, attempts, by_name)
    if attempt is None:
        attempt = journal.begin(schedule.first(drills, attempts, desk.now()).name)
    by_name[attempt.question].play(attempt, [other for other in attempts if other.key != attempt.key])
    return 0


def hunting(desk, attempts, options):
    """One hunt: what was broken off, else the one with a name, else the first that was played least often."""
    chosen = [entry for entry in hunt.hunts() if options.hunt in ("", entry.name)]
    by_name = {hunt.PREFIX + entry.name: mixing.of_hunt(desk, entry) for entry in chosen}
    attempt = None if options.seed is not None else resumed(desk, attempts, by_name)
    if attempt is None:
        hunt.play(desk, next_hunt(options.hunt, attempts), seed=options.seed)
    else:
        by_name[attempt.question].play(attempt, attempts)
    return 0


def next_hunt(name, attempts):
    """The hunt with a name; without one, the first that was played least often."""
    played = [attempt.question for attempt in attempts if not attempt.open]
    return min(named_hunts(name), key=lambda entry: played.count(hunt.PREFIX + entry.name))


def named_hunts(name):
    """The hunt with a name; without one, all."""
    chosen = [entry for entry in hunt.hunts() if name in ("", entry.name)]
    if not chosen:
        raise CourseError(f"There is no hunt {name!r}. They are {', '.join(entry.name for entry in hunt.hunts())}.")
    return chosen


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
        soonest = min(days[one.name] for one in chosen if one.name in days)
        desk.say(f"Nothing more is due; the next comes {schedule.in_words(soonest, desk.now())}.")
    return 0
