"""One submission: which file is which exercise, what each earns, and what could not be judged and why."""

import re
import time
import zipfile
import zlib
from dataclasses import dataclass

from course_lib.classroom import feedback, hidden, sheets
from course_lib.classroom.allowance import Allowance
from course_lib.classroom.files import TooLarge
from course_lib.classroom.graded import as_graded, to_mark
from course_lib.classroom.libraries import library
from course_lib.classroom.roster import NotInRoster
from course_lib.classroom.sandbox import Gone, NoSandbox, OutOfTime
from course_lib.classroom.stand_ins import Program, Task, Unreadable
from course_lib.exercises import engine, faults, registry
from course_lib.exercises.designs import Table
from course_lib.exercises.fill_in import Text

GRADED, NOTHING, UNREADABLE, NOT_GRADED = "graded", "nothing handed in", "unreadable", "not graded"
TRY_AGAIN = "not graded, try again: {}"
MOST_FILES, TRIES = 60, 2
# Of the processor, for all files and exercises of one student. Who solves all of them honestly needs a few.
SECONDS_A_STUDENT = 240.0
CANNOT_READ = (OSError, EOFError, KeyError, RuntimeError, NotImplementedError, zipfile.BadZipFile, zlib.error)


@dataclass(frozen=True)
class Opened:
    """A file that could be read, and the exercises that it answers."""

    name: str
    data: bytes
    late: bool
    notes: list


def allowance(settings):
    """The seconds of a student, for all that is done with the files."""
    return Allowance(SECONDS_A_STUDENT * settings.pace)


def grade(zygote, submission, settings, student=None):
    """The row of a submission, as plain data.

    Parameters
    ----------
    zygote : Zygote
    submission : Submission
    settings : Settings
    student : Allowance or None
        The seconds; None for all that a student has.

    Returns
    -------
    dict
        With ``exercises``, one dict for each that was asked for.
    """
    try:
        return _graded(zygote, submission, settings, student or allowance(settings))
    except NoSandbox as error:
        return not_graded(submission, settings, str(error))
    except Exception as error:
        return not_graded(submission, settings, f"the grader raised {type(error).__name__}")


def _graded(zygote, submission, settings, student):
    """The row, if nothing fails."""
    chosen, problems = _sorted_by_exercise(zygote, submission, settings, student)
    exercises = []
    for number in settings.exercises:
        if number in chosen:
            exercises.append(_tried(zygote, submission, settings, number, chosen[number], student))
        else:
            reason = next((why for name, numbers, why in problems if number in numbers), "")
            exercises.append(_empty(number, UNREADABLE if reason else NOTHING, reason))
    return _row(submission, exercises, [[name, why] for name, _, why in problems])


def _row(submission, exercises, problems):
    """A row."""
    return {
        "key": submission.key,
        "name": submission.name,
        "identifier": submission.identifier,
        "late": any(file.late for file in submission.files),
        "files": len(submission.files),
        "exercises": exercises,
        "problems": problems,
    }


def not_graded(submission, settings, why):
    """The row of a submission that the grader itself failed on."""
    return _row(submission, [_not_graded(number, why) for number in settings.exercises], [])


def is_done(row):
    """Whether nothing of a row has to be tried again."""
    return all(one["status"] != NOT_GRADED for one in row["exercises"])


def _sorted_by_exercise(zygote, submission, settings, student):
    """The last readable file of each exercise, and the files that give nothing, with the exercises they may be."""
    chosen, problems = {}, []
    for file in submission.files[-MOST_FILES:]:
        try:
            data = _read(file, student)
            with Program(zygote, data, file.name, Task(seconds=10 * settings.pace, above=student)) as program:
                survey = program.survey()
        except (TooLarge, Unreadable) as error:
            problems.append((file.name, _by_name(file.name), str(error)))
            continue
        except CANNOT_READ as error:
            problems.append((file.name, _by_name(file.name), f"the file cannot be read ({type(error).__name__})"))
            continue
        numbers = exercises_of(file.name, survey)
        notes = [faults.clean(note, 200) for note in survey["notes"] if type(note) is str]
        for number in numbers:
            if not _is_of_another(file.name, chosen.get(number), number):
                chosen[number] = Opened(file.name, data, file.late, notes)
        if not numbers:
            problems.append((file.name, (), "it answers no exercise: no check and no answer of one is in it"))
    return chosen, problems


def _read(file, student):
    """The bytes of a file; the seconds that it takes to unpack them are the student's."""
    if student.is_used_up:
        raise Unreadable("the seconds for all files of one student are used up")
    processor, clock = time.process_time(), time.monotonic()
    try:
        return file.read()
    finally:
        student.spend(time.process_time() - processor)
        student.wait(time.monotonic() - clock)


def _is_of_another(name, before, number):
    """Whether a file that also answers an exercise is named for another, and there is one that is named for it."""
    return before is not None and _by_name(before.name) == (number,) and _by_name(name) not in ((number,), ())


def exercises_of(name, survey):
    """The exercises that a file answers: by its checks, by its name, or by the answers in it.

    Parameters
    ----------
    name : str
        The file's.
    survey : dict
        With ``checks`` and ``names``.
    """
    known = registry.module_names()
    if checked := [number for number in survey["checks"] if number in known]:
        return checked
    if named := _by_name(name):
        return list(named)
    names = set(survey["names"])
    shares = {
        number: sum(answer.name in names for answer in exercise.answers) / len(exercise.answers)
        for number, exercise in ((number, registry.find(number)) for number in known)
    }
    best = max(shares.values())
    return [min(number for number, share in shares.items() if share == best)] if best >= 0.25 else []


def _by_name(name):
    """The exercise that a file's name names; a tuple of one or none."""
    for number, module in registry.module_names().items():
        if registry.find(number).name in name or module in name:
            return (number,)
    found = re.search(r"(?:^|[^\d])0?(\d{1,2})_[a-z]", name.lower()) or re.fullmatch(r"\D*0?(\d{1,2})\D*", name)
    return (int(found[1]),) if found and int(found[1]) in registry.module_names() else ()


def _tried(zygote, submission, settings, number, opened, student):
    """One exercise; what the grader fails on is tried once more, and then it is not graded."""
    why = ""
    for _ in range(TRIES):
        try:
            return _exercise(zygote, submission, settings, number, opened, student)
        except (NoSandbox, Gone, OutOfTime) as error:
            why = str(error) or type(error).__name__
            zygote.stop()
        except NotInRoster as error:
            why = str(error)
        except Exception as error:
            why = f"the grader raised {type(error).__name__}"
    return {**_not_graded(number, why), "file": opened.name}


def _exercise(zygote, submission, settings, number, opened, student):
    """What one exercise earns."""
    exercise = sheets.exercise_of(registry.find(number), submission, settings, opened.data)
    wanted = [answer.name for answer in exercise.answers]
    seconds = max(1.0, exercise.seconds * settings.pace)
    task = Task(number, wanted, seconds, library(number), above=student)
    graded = as_graded(exercise, settings.secret, settings.runs)
    with Program(zygote, opened.data, opened.name, task) as program:
        answers = program.answers()
        public = _judged(graded, answers, program)
    behind = None
    # Also where the program has ended: who knows the public cases by heart would stop before the hidden ones.
    if settings.secret and any(verdict.passed for verdict in public.verdicts):
        rng = hidden.generator(settings.secret, number, submission.key if settings.own_cases else "")
        drawn = hidden.with_hidden_cases(graded, rng)
        if drawn.properties:
            with Program(zygote, opened.data, opened.name, task) as again:
                behind = _judged(drawn, again.answers(), again)
    found = feedback.verdicts(graded, public, behind)
    given = {one.name: answers.get(one.name) for one in exercise.answers if isinstance(one, Text)}
    texts = {name: text for name, text in given.items() if type(text) is str and text.strip()}
    return {
        "number": number,
        "title": exercise.heading,
        "status": GRADED,
        "reason": program.ended,
        "file": opened.name,
        "late": opened.late,
        "points": sum(one["points"] for one in found),
        "max_points": sum(one["max_points"] for one in found),
        "to_mark": to_mark(exercise) if texts else 0,
        "texts": {name: text[:4000] for name, text in texts.items()},
        "verdicts": found,
        "misconceptions": feedback.misconceptions(public, behind),
        "notes": _notes(exercise, answers, opened, program, public),
        "flags": program.flags + (["sent something that is no answer"] if program.tampered else []),
    }


def _notes(exercise, answers, opened, program, public):
    """Sentences for the student; what failed in the notebook is told where an answer is missing."""
    asked = [one.name for one in exercise.answers if not isinstance(one, Table)]
    problems = [] if set(asked) <= set(answers) else program.problems
    absent = [f"The code {flag}." for flag in program.flags if "is not there" in flag]
    return list(dict.fromkeys([*opened.notes, *absent, *problems, *public.notes]))


def _judged(exercise, answers, program):
    """The result of a check; what is our fault is no result."""
    result = engine.judge(exercise, answers)
    if program.broken:
        raise NoSandbox(program.broken)
    ours = [verdict for verdict in result.verdicts if verdict.kind == faults.OUR_FAULT]
    if ours:
        raise NoSandbox(f"{ours[0].name}: {ours[0].message}")
    return result


def _empty(number, status, reason):
    """An exercise for which there is nothing to judge."""
    exercise = registry.find(number)
    graded = as_graded(exercise)
    return {
        "number": number,
        "title": exercise.heading,
        "status": status,
        "reason": reason,
        "file": "",
        "late": False,
        "points": 0,
        "max_points": sum(judged.points for judged in graded.properties),
        "to_mark": to_mark(exercise),
        "texts": {},
        "verdicts": [],
        "misconceptions": [],
        "notes": [],
        "flags": [],
    }


def _not_graded(number, why):
    """An exercise that the grader failed on: it has no points, not zero."""
    return {**_empty(number, NOT_GRADED, TRY_AGAIN.format(why)), "points": None}
