"""The hunts as data, and one of them with a fault planted by a seed."""

import re
import tomllib
import zlib
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from course_lib.interview.hunting.operations import OPERATIONS
from course_lib.interview.hunting.search import exposing

FILE = Path(__file__).parents[1] / "hunts.toml"
CHOICES = 5


@dataclass(frozen=True)
class Fault:
    """One line that may be planted, and how many elements expose it."""

    line: int
    wrong: str
    smallest: int


@dataclass(frozen=True)
class Hunt:
    """A right backward, the faults that belong to one misconception, and that misconception in a sentence."""

    name: str
    operation: str
    named: str
    why: str
    code: str
    faults: tuple

    def variant(self, seed):
        """The hunt with one fault, other names of variables and other misconceptions to choose from.

        Parameters
        ----------
        seed : int
            Each of so many seeds in a row as there are faults plants another one.

        Returns
        -------
        Planted
        """
        rng = np.random.default_rng([zlib.crc32(self.name.encode()), seed])
        names = {old: str(rng.choice(new)) for old, new in _content()["names"].items()}
        fault = self.faults[seed % len(self.faults)]
        code, wrong = (_renamed(text, names) for text in (self.code.strip("\n"), fault.wrong))
        others = [text for text in misconceptions(OPERATIONS[self.operation].kind) if text != self.named]
        choices = [self.named, *map(str, rng.choice(others, CHOICES - 1, replace=False))]
        return Planted(self, seed, fault.line, wrong, code, fault.smallest, tuple(map(str, rng.permutation(choices))))


@dataclass(frozen=True)
class Planted:
    """A backward with one wrong line.

    Attributes
    ----------
    hunt : Hunt
    seed, line : int
        The wrong line is counted from 1.
    wrong, right : str
        What stands there, and the code as it should be.
    smallest : int
        How many elements the smallest known input has.
    choices : tuple of str
        Misconceptions, of which one is that of the hunt.
    """

    hunt: Hunt
    seed: int
    line: int
    wrong: str
    right: str
    smallest: int
    choices: tuple

    @property
    def operation(self):
        """What it is a backward of."""
        return OPERATIONS[self.hunt.operation]

    @property
    def lines(self):
        """The lines of the code with the fault."""
        return self._with(self.right, self.line, self.wrong)

    @property
    def code(self):
        """The code with the fault."""
        return "\n".join(self.lines)

    @property
    def mended(self):
        """The line as it should be."""
        return self.right.split("\n")[self.line - 1]

    @property
    def answer(self):
        """The number of the right choice, from 1."""
        return self.choices.index(self.hunt.named) + 1

    @cached_property
    def case(self):
        """A smallest input that exposes it."""
        return exposing(self.operation, self.code, self.smallest)

    def with_line(self, number, text):
        """The code with another line."""
        return "\n".join(self._with(self.code, number, text))

    def cases(self):
        """All that mended code is tried on."""
        return (self.case, *self.operation.cases(self.seed))

    @staticmethod
    def _with(code, number, text):
        lines = code.split("\n")
        lines[number - 1] = text
        return lines


@cache
def hunts():
    """Every hunt, in the order of the file."""
    entries = _content()["hunt"]
    return tuple(Hunt(**{**one, "faults": tuple(Fault(**fault) for fault in one["faults"])}) for one in entries)


def misconceptions(kind):
    """All sentences to choose from, of one kind of operation."""
    named = [hunt.named for hunt in hunts() if OPERATIONS[hunt.operation].kind == kind]
    return named + _content()["decoys"][kind]


@cache
def _content():
    """The file."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def _renamed(code, names):
    """Code with other names of variables; what stands behind a dot or in quotation marks is no variable."""
    return re.sub(r'"[^"]*"|(?<![.\w])[a-z]\w*', lambda match: names.get(match[0], match[0]), code)
