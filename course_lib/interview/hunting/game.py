"""One hunt, wherever it is played: expose the fault, name it, mend it. Each move answers with sentences."""

import operator
import textwrap

import numpy as np

from course_lib.interview.hunting import mending
from course_lib.interview.hunting.operations import differing, outcome, powers

# More elements tell a hunter nothing, and 2 to the power of so many is still a number.
ELEMENTS, OUTPUTS, LARGEST, GEOMETRY = 400, 500, 1e6, 10
EXPOSED = "Exposed."
NO_MEMORY = "There is not enough memory for this input. A smaller one, please."
RIGHT_IS = "winners(…) gives each window's flat index in its plane, and is right."


class Game:
    """What a hunter has reached.

    Attributes
    ----------
    planted : Planted
    size : int or None
        How many elements the input had that exposed the fault; it is given where a hunt is gone on with, as `named` is.
    named, mended : bool or None
        None before it was tried.
    """

    def __init__(self, planted, size=None, named=None):
        self.planted, self.size, self.named, self.mended = planted, size, named, None

    def opening(self):
        """What is asked; the code is shown by whoever shows it."""
        said = [f"A backward of {self.planted.operation.title} has one wrong line."]
        return said + [RIGHT_IS] * ("winners(" in self.planted.right)

    def reached(self):
        """What was reached before it was broken off."""
        if self.size is None:
            return []
        said = [f"You have exposed it, with {self.size} element{'s' * (self.size > 1)}."]
        return said + ["You have named it."] * (self.named is not None)

    def numbered(self):
        """The lines of the code with their numbers."""
        return [f"{number:>3}  {line}" for number, line in enumerate(self.planted.lines, 1)]

    def case(self, arrays, geometry, grad_output=None):
        """The arguments of a call.

        Parameters
        ----------
        arrays, geometry : dict
        grad_output : ndarray or None
            None means powers of two.

        Raises
        ------
        ValueError, TypeError
            It is no possible call; the message says why.
        """
        shape, geometry = self.shape(arrays, geometry), _whole(geometry)
        given = powers(shape) if grad_output is None else grad_output
        if given.shape != shape:
            raise ValueError(f"The upstream gradient must have shape {shape}; got {given.shape}.")
        return {**arrays, "grad_output": given, **geometry}

    def shape(self, arrays, geometry):
        """The shape that the upstream gradient must have; ValueError or TypeError as of `case`."""
        if sum(array.size for array in arrays.values()) > ELEMENTS:
            raise ValueError(f"The arrays may have at most {ELEMENTS} elements together.")
        shape = self.planted.operation.output_shape({**arrays, **_whole(geometry)})
        if np.prod(shape) > OUTPUTS:
            raise ValueError(f"The output may have at most {OUTPUTS} elements; its shape is {shape}.")
        return shape

    def expose(self, case):
        """Tries an input.

        Returns
        -------
        list of str
            `size` is set if it exposes the fault.
        """
        operation = self.planted.operation
        try:
            found, expected = outcome(operation, self.planted.code, case), operation.right(case)
        except MemoryError:
            return [NO_MEMORY]
        names = differing(operation, found, expected)
        if not names:
            return ["Right and wrong code give the same there. Another input, please."]
        self.size, smallest = sum(case[name].size for name in operation.arrays), self.planted.smallest
        best = "None smaller is known." if self.size <= smallest else f"One of {smallest} would do."
        if isinstance(found, tuple) and len(found) == len(expected):
            said = [_both(operation, name, found, expected) for name in names]
        else:
            said = [f"It gives {_wrong(found)}."]
        return [EXPOSED, *said, f"Your input has {self.size} element{'s' * (self.size > 1)}. {best}"]

    def options(self):
        """The misconceptions to choose from, with their numbers."""
        return [f"{number}  {text}" for number, text in enumerate(self.planted.choices, 1)]

    def name(self, number):
        """Names the misconception; only the first try counts."""
        self.named = number == self.planted.answer
        return ["That is it."] if self.named else [f"No. It is this: {self.planted.hunt.named}"]

    def mend(self, number, text):
        """Puts a text in the place of a line; its indent may be left out."""
        if not text.strip():
            return ["An empty line mends nothing. Write what should stand there."]
        old = self.planted.lines[number - 1]
        indent = old[: len(old) - len(old.lstrip())] if text == text.lstrip() else ""
        wrong = mending.apart(self.planted, number, textwrap.indent(text, indent))
        self.mended = not wrong
        return ["Mended."] if self.mended else [wrong]

    def ending(self):
        """What should stand there, why, and a smallest input."""
        planted = self.planted
        return [f"Line {planted.line} should be:", planted.mended, planted.hunt.why]

    def smallest(self):
        """A smallest input, for whoever has not found one."""
        if self.size is not None and self.size <= self.planted.smallest:
            return []
        operation, case = self.planted.operation, self.planted.case
        arrays = [f"{name} {case[name].tolist()}" for name in operation.arrays]
        return [f"This exposes it: {', '.join(arrays + [f'{name}={case[name]}' for name in operation.geometry])}."]

    def rating(self):
        """From 1, not exposed, to 4: by the smallest input, named and mended."""
        if self.size is None:
            return 1
        if not self.mended:
            return 2
        return 4 if self.size <= self.planted.smallest and self.named else 3


def _both(operation, name, found, expected):
    """A gradient as it is, and as it should be."""
    one, other = (results[operation.results.index(name)].tolist() for results in (found, expected))
    what = f"Its {name} is" if len(operation.results) > 1 else "It gives"
    return f"{what} {one}, and right is {other}."


def _wrong(found):
    """An exception, or results that are too many or too few."""
    return f"{type(found).__name__}: {found}" if isinstance(found, Exception) else f"{len(found)} gradients"


def array(value):
    """Numbers as an array of four axes.

    Raises
    ------
    ValueError
        It is no such array; the message says why.
    """
    try:
        made = np.array(value, float)
    except (ValueError, TypeError, OverflowError):
        raise ValueError("That is no array of numbers.") from None
    if made.ndim != 4 or not made.size:
        raise ValueError(f"An array must have four axes and an element; got shape {made.shape}.")
    return bounded(made)


def bounded(made):
    """An array as it is; ValueError if a number of it is not finite, or too large."""
    if not (np.abs(made) <= LARGEST).all():
        raise ValueError(f"Numbers must be finite, and from {-LARGEST:,.0f} to {LARGEST:,.0f}.")
    return made


def _whole(geometry):
    """A geometry of whole numbers that are not too large.

    Raises
    ------
    TypeError, ValueError
    """
    made = {}
    for name, value in geometry.items():
        try:
            made[name] = operator.index(value)
        except TypeError:
            raise TypeError(f"{name} must be a whole number; got {name}={value!r}.") from None
        if made[name] > GEOMETRY:
            raise ValueError(f"{name} must be at most {GEOMETRY}; got {name}={value}.")
    return made
