"""The ``course`` command: one table of subcommands, each loaded when it is called."""

import argparse
import importlib
import sys
from typing import NamedTuple

from course_lib.workspace import COURSE, CourseError


class Command(NamedTuple):
    """A subcommand: the module with its ``add_arguments(parser)`` and its ``run(options) -> int``, and what it does."""

    module: str
    summary: str


class Parser(argparse.ArgumentParser):
    """A parser whose refusal is one sentence."""

    def error(self, message):
        """End with status 2."""
        self.exit(2, f"{self.prog}: {message}. See {self.prog} --help.\n")


COMMANDS = {
    "lab": Command("course_lib.lab", "open the course in JupyterLab"),
    "doctor": Command("course_lib.doctor", "say what works here, and how to mend what does not"),
    "html": Command("course_lib.site.command", "write the course as static pages, which need no kernel"),
    "grade": Command("course_lib.classroom.command", "grade what students handed in, in a sandbox"),
    "drill": Command("course_lib.interview.command", "practise for an interview, with what is due today"),
    "anki": Command("course_lib.interview.anki", "write the interview questions as a package for Anki"),
    "test": Command("tools.run_tests", "run every check of the course"),
    "release": Command("course_lib.classroom.release", "write the edition for students, without solutions"),
}


# The rooms that an edition for students comes without.
KEPT_BACK = ("course_lib.classroom.", "course_lib.interview.")


def main(words=None):
    """Run one subcommand; what goes wrong is one sentence on stderr.

    Parameters
    ----------
    words : list of str, optional
        The words after ``course``; None means those of the command line.

    Returns
    -------
    int
        The exit status: 0, or 1 where something went wrong, or 130 after Ctrl-C.
    """
    words = sys.argv[1:] if words is None else words
    name = _overview().parse_args(words[:1]).command
    try:
        command = _load(COMMANDS[name])
        parser = Parser(prog=f"course {name}", description=_sentence(COMMANDS[name].summary))
        command.add_arguments(parser)
        return command.run(parser.parse_args(words[1:]))
    except CourseError as error:
        print(f"course: {error}", file=sys.stderr)
    except ImportError as error:
        print(f"course: {error}. What is wrong: course doctor", file=sys.stderr)
    except BrokenPipeError:
        # The reader of a pipe has gone, as `course doctor | head` does; Python would complain once more at its end.
        sys.stdout = None
    except OSError as error:
        print(f"course: {error.strerror or error}: {error.filename}", file=sys.stderr)
    except KeyboardInterrupt:
        return 130
    return 1


def _overview():
    """The parser of the first word."""
    width = max(map(len, COMMANDS))
    table = "\n".join(f"  {name:<{width}}  {command.summary}" for name, command in COMMANDS.items())
    parser = Parser(
        prog="course",
        usage="course command [options]",
        description="Where Does the Gradient Go?",
        epilog=f"commands:\n{table}\n\nEach has a --help of its own.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", choices=COMMANDS, metavar="command", help=argparse.SUPPRESS)
    return parser


def _sentence(words):
    """A summary as a sentence."""
    return words[0].upper() + words[1:] + "."


def _load(command):
    """The module of a subcommand. A student's edition comes without the tools that make and test the course."""
    if command.module.startswith("tools."):
        if not (COURSE / (command.module.replace(".", "/") + ".py")).exists():
            raise CourseError("The tests are not part of this edition; they are in the course's repository.")
        sys.path.insert(0, str(COURSE))
    elif command.module.startswith(KEPT_BACK) and not (COURSE / "/".join(command.module.split(".")[:2])).is_dir():
        raise CourseError("This command is not part of this edition; it is in the course's repository.")
    return importlib.import_module(command.module)
