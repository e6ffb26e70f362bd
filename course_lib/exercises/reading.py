"""Turning what the learner gave into arrays, letters and functions, with a sentence for everything that is neither."""

import types

import numpy as np

from course_lib.exercises import faults
from course_lib.exercises.compare import index_text
from course_lib.exercises.faults import Fault, type_name

NUMBERS = "iuf"
ADVICE = {
    types.GeneratorType: "Its elements exist only while it runs: collect them in an array.",
    types.FunctionType: "Call the function, and give what it returns.",
    types.BuiltinFunctionType: "Call the function, and give what it returns.",
    str: "Give the numbers themselves, without quotation marks.",
    dict: "Give its values as an array.",
    set: "A set has no order: give an array.",
    map: "Its elements exist only while it runs: collect them in an array.",
    zip: "Its elements exist only while it runs: collect them in an array.",
    np.ma.MaskedArray: "Its mask would be lost: give an array without one.",
}
MISSING = (None, Ellipsis, NotImplemented)


def is_missing(value):
    """Whether a value says that nothing was done yet."""
    return any(value is nothing for nothing in MISSING)


def as_array(name, value, calls, lists=True):
    """The array that a value is, without a copy where it is one already.

    Parameters
    ----------
    name : str
        What the sentences call it.
    value : object
    calls : Calls
        A value of an unknown type is asked for its array within the learner's time.
    lists : bool
        Whether nested lists and other things that NumPy converts are taken too.

    Returns
    -------
    ndarray of numbers
    """
    for kind, advice in ADVICE.items():
        if type(value) is kind:
            raise _unusable(name, value, advice)
    if not lists and not issubclass(type(value), (np.ndarray, np.generic)):
        raise _unusable(name, value, f"Convert it with np.asarray({name}).")
    array = _converted(name, value, calls)
    if array.dtype.kind == "O":
        array = _of_objects(name, array, value, calls)
    if array.dtype.kind not in NUMBERS:
        raise Fault(faults.NOT_USABLE, f"{name} must hold real numbers; got dtype {array.dtype}")
    return array


def _converted(name, value, calls):
    """What NumPy makes of a value."""
    try:
        return calls.value(f"making an array of {name}", lambda: np.asarray(value), seconds=2)
    except Fault as fault:
        if faults.is_exactly(value, list, tuple) and "inhomogeneous" in fault.message:
            advice = "Give every row the same number of elements."
            raise Fault(faults.NOT_USABLE, f"{name} has rows of different lengths. {advice}") from None
        raise


def _unusable(name, value, advice):
    """The verdict for a value of the wrong type."""
    kind = type_name(value)
    article = "an" if kind[:1].lower() in set("aeiou") else "a"
    return Fault(faults.NOT_USABLE, f"{name} must be an array; got {article} {kind}. {advice}")


def _of_objects(name, array, value, calls):
    """Numbers that NumPy keeps as objects, as fractions are; gaps that were left in a list are named."""
    if array.shape == () and array[()] is value:
        raise _unusable(name, value, "Give an array or nested lists of numbers.")
    subject = f"reading the numbers of {name}"
    gap = calls.value(subject, lambda: _first_missing(array), seconds=2)
    if gap is not None:
        left = "..." if array[gap] is Ellipsis else array[gap]
        message = f"{index_text(gap)} of {name} is still {left}: write a number there"
        raise Fault(faults.NOT_USABLE, message)
    return calls.value(subject, lambda: array.astype(np.float64), seconds=2)


def _first_missing(array):
    """Where a gap was left."""
    return next((index for index in np.ndindex(array.shape) if is_missing(array[index])), None)


def as_letter(name, value, letters):
    """One of the letters of a multiple choice, small or large, with a bracket or without."""
    allowed = ", ".join(repr(letter) for letter in letters)
    if not issubclass(type(value), str):
        raise Fault(faults.NOT_USABLE, f"{name} must be one of {allowed}; got a value of type {type_name(value)}")
    text = str.__str__(value)
    letter = text.strip(" ().").lower()
    if letter not in letters:
        raise Fault(faults.NOT_USABLE, f"{name} must be one of {allowed}; got {faults.clean(text, 40)!r}")
    return letter


def as_function(name, value):
    """A function, or anything else that can be called."""
    if not callable(value):
        advice = "Give the function itself, without brackets after its name."
        raise Fault(faults.NOT_USABLE, f"{name} must be a function; got a value of type {type_name(value)}. {advice}")
    return value
