"""Whether a learner's gradient checker is one: what it accepts, what it rejects, and which errors it reports."""

from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from course_lib.exercises import faults, reading
from course_lib.exercises.compare import number_text
from course_lib.exercises.faults import Fault, type_name
from course_lib.exercises.judged import wrong

NAME = "sampled_check"
RETURNS = ("accepted", "errors")
ALL = 1000
# Differences of float64 values are right to about 1e-9 of the slope.
CLOSE = 1e-5
RIGHT_ENOUGH = 1e-6


def checked(session, specimen, samples=ALL, seed=0, function=None):
    """What the learner's checker says of a backward: whether it accepts, and its errors."""
    inputs, grad_output = specimen.fresh()
    rng = np.random.default_rng(seed)
    arguments = function or specimen.function, specimen.backward, inputs, grad_output, samples, rng
    with np.errstate(all="ignore"):
        accepted, errors = session.call(NAME, *arguments, returns=RETURNS)
    for before, after in zip(specimen.fresh()[0], inputs, strict=True):
        if not np.array_equal(before, after):
            raise wrong(f"{NAME} left an input changed: put an element back after it was moved, or move a copy")
    return _as_bool(accepted), _as_errors(session, errors, len(inputs))


def _as_bool(accepted):
    """Yes or no."""
    if not faults.is_exactly(accepted, bool, np.bool_):
        raise Fault(faults.NOT_USABLE, f"accepted must be True or False; got a value of type {type_name(accepted)}")
    return bool(accepted)


def _as_errors(session, errors, count):
    """The errors as an array (count, 2)."""
    array = reading.as_array("errors", errors, session.calls)
    if array.shape != (count, 2):
        what = "one row an input: its largest absolute and its largest relative error"
        raise Fault(faults.WRONG_SHAPE, f"errors must have shape ({count}, 2), {what}; got {array.shape}")
    return array.astype(float)


@dataclass(frozen=True)
class Tell:
    """By what a known mistake is recognised: it accepts one backward and refuses another.

    Attributes
    ----------
    name : str
        Of the catalogue.
    accepted, refused : Specimen
    """

    name: str
    accepted: object
    refused: object

    def fits(self, session):
        """Whether the learner's checker does both."""
        with suppress(Fault):
            return checked(session, self.accepted)[0] and not checked(session, self.refused)[0]
        return False


def told(session, fault, tells):
    """The fault, with the known mistakes that fit."""
    names = [tell.name for tell in tells if tell.fits(session)]
    details = [detail for name in names for detail in session.known(session.catalogue[name])]
    return Fault(fault.kind, fault.message, (*fault.details, *details), names)


@dataclass(frozen=True)
class Accepts:
    """The judging: every right backward is accepted, with errors that are small.

    Attributes
    ----------
    right : tuple of Specimen
    tells : tuple of Tell
        Mistakes that may be the reason where one is not.
    """

    right: tuple
    tells: tuple = ()

    def __call__(self, session):
        for specimen in self.right:
            accepted, errors = checked(session, specimen)
            if not accepted:
                fault = wrong(f"a right backward was refused: {specimen.name}", ("errors", _text(errors)))
                raise told(session, fault, self.tells)
            if not (errors[:, 1] < RIGHT_ENOUGH).all():
                sentence = f"the relative error of a right backward is too large: {specimen.name}"
                raise wrong(sentence, ("errors", _text(errors)), ("note", NOT_CENTRAL))
        return len(self.right)


NOT_CENTRAL = (
    "A central difference with a step of 1e-6 to 1e-4 is right to about nine digits. Is the step too large or too "
    "small, or is the quotient one-sided?"
)


@dataclass(frozen=True)
class Rejects:
    """The judging: every wrong backward is refused, and the right ones of the same functions are not.

    Attributes
    ----------
    right : tuple of Specimen
        Without them, who refuses everything would get the points.
    unfit : tuple of Specimen
    by_error : bool
        Whether an exception is a refusal too, as an assertion about dimensions is.
    tells : tuple of Tell
        Mistakes that may be the reason.
    """

    right: tuple
    unfit: tuple
    by_error: bool = False
    tells: tuple = ()

    def __call__(self, session):
        Accepts(self.right)(session)
        for specimen in self.unfit:
            if accepts_unfit(session, specimen, self.by_error):
                raise told(session, wrong(f"a wrong backward was accepted: {specimen.name}"), self.tells)
        return len(self.unfit)


def accepts_unfit(session, specimen, by_error):
    """What the learner's checker says of a wrong backward."""
    try:
        return checked(session, specimen)[0]
    except Fault as fault:
        if not by_error or fault.kind != faults.ERROR:
            raise fault.around(("case", specimen.name)) from None
        return False


def _text(errors):
    """Pairs of errors, as a line."""
    return "; ".join(f"{number_text(absolute)}, {number_text(relative)}" for absolute, relative in errors)


@dataclass(frozen=True)
class ReportsErrors:
    """The judging: the errors are those that a wrong backward has.

    Attributes
    ----------
    pairs : tuple of pairs of Specimen
        The right one and the wrong one, with the same numbers.
    """

    pairs: tuple

    def __call__(self, session):
        for right, specimen in self.pairs:
            _, errors = checked(session, specimen)
            _compare(specimen, errors, true_errors(right.right(), specimen.right()))
        return len(self.pairs)


def true_errors(right, found):
    """The largest absolute error of each gradient, and the same over the largest element of the right one."""
    absolute = np.array([np.abs(a - b).max() for a, b in zip(right, found, strict=True)])
    largest = np.array([np.abs(array).max() for array in right])
    return np.stack([absolute, absolute / largest], axis=1)


def _compare(specimen, errors, expected):
    """Compares errors, up to what a difference cannot know."""
    for number, (yours, right) in enumerate(zip(errors, expected, strict=True)):
        for which, mine, true in zip(("absolute", "relative"), yours, right, strict=True):
            if not abs(mine - true) <= CLOSE * max(true, 1):
                where = f"the {which} error of input {number} is {number_text(mine)}, expected {number_text(true)}"
                raise wrong(f"wrong value: {where}", ("case", specimen.name))
