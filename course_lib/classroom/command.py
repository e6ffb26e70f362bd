"""``course grade``: grades a batch of submissions in a sandbox, and writes what a teacher and each student read."""

import sys
from pathlib import Path

from course_lib.classroom import batch, counted, report, roster, sandbox, similar, submissions
from course_lib.classroom.grading import NOT_GRADED
from course_lib.classroom.journal import NAME, Journal
from course_lib.classroom.run_again import RUNS
from course_lib.classroom.settings import Settings
from course_lib.exercises import registry
from course_lib.workspace import CourseError

SHORTEST_SECRET = 16


def add_arguments(parser):
    """The options of the command."""
    parser.add_argument("submissions", metavar="SUBMISSIONS", help="a folder or a zip, as it was exported")
    parser.add_argument("--out", metavar="REPORT", required=True, help="the folder for the report")
    parser.add_argument("--secret", metavar="FILE", help="the class's secret, from which hidden cases are drawn")
    parser.add_argument("--own-cases", action="store_true", help="draw other hidden cases for each student")
    parser.add_argument("--exercises", metavar="3,5", default="", help="their numbers; all if left out")
    parser.add_argument(
        "--runs", metavar="N", type=int, default=RUNS, help=f"runs of each design to repeat, {RUNS} if left out"
    )
    parser.add_argument("--jobs", metavar="N", type=int, default=0, help="how many at a time; as many as processors")
    parser.add_argument("--scheduler", metavar="ADDRESS", default="", help="grade on a dask cluster, as tcp://…:8786")
    parser.add_argument("--options", metavar="FILE", help="the release's options, or its folder: exercises and points")
    parser.add_argument("--similar", action="store_true", help="list answers that are alike, as a hint")
    parser.add_argument("--own-numbers", metavar="ROSTER.csv", help="the list that the release was made with")
    parser.add_argument("--resume", action="store_true", help="go on with a batch that was stopped")


def run(options):
    """Grades, and says where the report is. The status is 1 where the grader failed on something."""
    release = counted.read(options.options)
    settings = Settings(
        numbers(options.exercises) or release.exercises,
        secret(options.secret),
        options.own_cases,
        runs=at_least_one(options.runs),
        roster=students(options.own_numbers, options.secret),
        similar=options.similar,
    )
    if settings.similar:
        similar.rapidfuzz()
    found = submissions.find(options.submissions)
    # On a cluster it is the workers that need a sandbox.
    if not options.scheduler and (why := sandbox.why_not()):
        raise CourseError(why)
    out = Path(options.out)
    (out / "students").mkdir(parents=True, exist_ok=True)
    jobs = options.jobs or batch.processors()
    with Journal(out / NAME, fresh=not options.resume) as book:
        rows = batch.run(found, settings, book, jobs, options.resume, scheduler=options.scheduler)
    report.write(out, counted.rows(rows, release.points), settings)
    failed = sum(any(one["status"] == NOT_GRADED for one in row["exercises"]) for row in rows)
    print(f"{len(rows)} submissions. Open {out / 'report.html'}; the grades are in {out / 'grades.csv'}.")
    if failed:
        words = f"course grade: {failed} of them could not be graded here. Give the same command with --resume."
        print(words, file=sys.stderr)
    return 1 if failed else 0


def numbers(words):
    """The numbers of exercises, in order."""
    try:
        found = tuple(sorted({int(word) for word in words.replace(" ", "").split(",") if word}))
    except ValueError:
        raise CourseError(f"--exercises must be numbers with commas between them; got {words!r}.") from None
    if unknown := [number for number in found if number not in registry.module_names()]:
        raise CourseError(
            f"there is no exercise {unknown[0]}; there are {', '.join(map(str, registry.module_names()))}."
        )
    return found


def students(path, secret):
    """Who has numbers of their own; nobody where no file is named."""
    if path is None:
        return ()
    if secret is None:
        raise CourseError("--own-numbers needs --secret: the numbers of the release were drawn from it.")
    return roster.read(path)


def at_least_one(runs):
    """How many runs of a design are repeated."""
    if runs < 1:
        raise CourseError(f"--runs must be at least 1; got {runs}.")
    return runs


def secret(path):
    """The secret in a file; empty where no file is named."""
    if path is None:
        return b""
    found = Path(path).read_bytes().strip()
    if len(found) < SHORTEST_SECRET:
        advice = 'python3 -c "import secrets; print(secrets.token_hex())" > secret.txt makes one'
        raise CourseError(f"the secret in {path} must have {SHORTEST_SECRET} characters or more: {advice}.")
    return found
