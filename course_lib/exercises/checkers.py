"""Whether a learner's gradient checker is one: what it accepts, what it rejects, and what it does on the way."""

from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from course_lib.exercises import faults, reading, specimens
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


def accepts(*right, tells=()):
    """The judging: every right backward is accepted, with errors that are small."""

    def judge(session):
        for specimen in right:
            accepted, errors = checked(session, specimen)
            if not accepted:
                fault = wrong(f"a right backward was refused: {specimen.name}", ("errors", _text(errors)))
                raise told(session, fault, tells)
            if not (errors[:, 1] < RIGHT_ENOUGH).all():
                sentence = f"the relative error of a right backward is too large: {specimen.name}"
                raise wrong(sentence, ("errors", _text(errors)), ("note", NOT_CENTRAL))
        return len(right)

    return judge


NOT_CENTRAL = (
    "A central difference with a step of 1e-6 to 1e-4 is right to about nine digits. Is the step too large or too "
    "small, or is the quotient one-sided?"
)


def rejects(right, *unfit, by_error=False, tells=()):
    """The judging: every wrong backward is refused, and the right ones of the same functions are not.

    Parameters
    ----------
    right : tuple of Specimen
        Without them, who refuses everything would get the points.
    *unfit : Specimen
    by_error : bool
        Whether an exception is a refusal too, as an assertion about dimensions is.
    tells : tuple of Tell
        Mistakes that may be the reason.
    """

    def judge(session):
        accepts(*right)(session)
        for specimen in unfit:
            if _accepted(session, specimen, by_error):
                raise told(session, wrong(f"a wrong backward was accepted: {specimen.name}"), tells)
        return len(unfit)

    return judge


def _accepted(session, specimen, by_error):
    """What the learner's checker says."""
    try:
        return checked(session, specimen)[0]
    except Fault as fault:
        if not by_error or fault.kind != faults.ERROR:
            raise fault.around(("case", specimen.name)) from None
        return False


def _text(errors):
    """Pairs of errors, as a line."""
    return "; ".join(f"{number_text(absolute)}, {number_text(relative)}" for absolute, relative in errors)


def reports_errors(*unfit):
    """The judging: the errors are those that a wrong backward has."""

    def judge(session):
        for right, specimen in unfit:
            _, errors = checked(session, specimen)
            _compare(specimen, errors, true_errors(right.right(), specimen.right()))
        return len(unfit)

    return judge


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


class Recorder:
    """A function that notes at which inputs it is called."""

    def __init__(self, specimen):
        self.function, self.base, self.moves = specimen.function, specimen.fresh()[0], []

    def __call__(self, *inputs):
        for number, (array, base) in enumerate(zip(inputs, self.base, strict=True)):
            moved = np.argwhere(array != base)
            if len(moved) == 1:
                index = tuple(moved[0])
                self.moves.append((number, index, array[index] - base[index]))
        return self.function(*inputs)

    def elements(self):
        """The elements that were moved alone."""
        return {(number, index) for number, index, _ in self.moves}


def watched(session, samples, seed):
    """The moves of the learner's checker with some samples."""
    recorder = Recorder(specimens.CONV)
    checked(session, specimens.CONV, samples, seed, recorder)
    return recorder


def judge_samples(session):
    """No more elements are moved than asked for, and which ones is left to the generator."""
    found = [watched(session, 3, seed).elements() for seed in (0, 0, 1, 2)]
    for number, array in enumerate(specimens.CONV.inputs):
        moved = sum(which == number for which, _ in found[0])
        if moved != min(3, array.size):
            raise wrong(f"with samples=3, {moved} elements of input {number} were moved alone: expected 3")
    if found[0] != found[1]:
        raise wrong("with the same seed other elements were moved: draw them from rng alone")
    if found[0] == found[2] == found[3]:
        raise wrong("with three seeds the same elements were moved: draw them from rng")
    return len(found)


def judge_two_sides(session):
    """Every element is moved by one step in both directions."""
    moves = watched(session, ALL, 0).moves
    sides = {}
    for number, index, step in moves:
        sides.setdefault((number, index), set()).add(float(f"{step:.3e}"))
    for (number, index), steps in sides.items():
        if not any(-step in steps for step in steps):
            where = f"element {index} of input {number}"
            raise wrong(f"{where} was moved to one side only: a central difference needs both, by the same step")
    total = sum(array.size for array in specimens.CONV.inputs)
    if len(sides) != total:
        raise wrong(f"with more samples than elements, {len(sides)} of {total} elements were moved: expected all")
    return len(sides)
