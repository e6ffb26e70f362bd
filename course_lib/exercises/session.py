"""One check: the answers as they were read, and the calls of the learner's functions."""

import inspect
from types import AsyncGeneratorType, CoroutineType, GeneratorType

import numpy as np

from course_lib.exercises import faults, places, reading
from course_lib.exercises.calls import Calls
from course_lib.exercises.compare import first_difference, index_text, number_text
from course_lib.exercises.diagnosis import PATIENCE
from course_lib.exercises.faults import Fault, type_name

WATCHED = 100_000
ASYNC = "is an async function, so that a call gives no result. Write def without async."
NO_RESULT = {
    GeneratorType: "has yield in it, so that a call gives a generator and no result. Write return instead.",
    CoroutineType: ASYNC,
    AsyncGeneratorType: ASYNC,
}


def _is_watched(argument):
    """Whether a change of an argument would be seen: plain arrays are, the learner's own large ones are not."""
    return type(argument) is np.ndarray and argument.size <= WATCHED and argument.dtype.kind in "iuf"


def _change(argument, copy):
    """What has changed in an array since the copy was made; nothing if nothing has."""
    if (argument.shape, argument.dtype) != (copy.shape, copy.dtype):
        return "the shape or the type of {}"
    where = first_difference(argument, copy)
    if where is None:
        return ""
    return f"{index_text(where)} of {{}} from {number_text(copy[where])} to {number_text(argument[where])}"


class Session:
    """What the properties of an exercise ask of one check.

    Attributes
    ----------
    exercise : Exercise
    catalogue : dict of str to Misconception
    calls : Calls
    changed : list of str
        One sentence each time that a function changed an array that it was given.
    notes : list of str
        Sentences about no single property.
    right : list of Witness
        The learner's arrays that were right.
    found : list of tuple of Misconception
        The mistakes that were named, alone or two at once.
    explained : set of str
        The mistakes whose sentence was said.
    patience : int
        How many pairs of mistakes are still tried.
    """

    def __init__(self, exercise, given, catalogue):
        self.exercise, self.given, self.catalogue = exercise, given, catalogue
        self.calls = Calls(exercise.seconds)
        self.changed, self.notes, self.answers = [], [], {}
        self.right, self.found, self.explained, self.patience = [], [], set(), PATIENCE

    def answer(self, name):
        """An answer as its kind reads it, read once.

        Raises
        ------
        Fault
            If it is missing or cannot be used.
        """
        if name not in self.answers:
            self.answers[name] = self._read(name)
        if isinstance(self.answers[name], Fault):
            raise self.answers[name]
        return self.answers[name]

    def _read(self, name):
        """The answer, or the fault that it has."""
        value = self.given.get(name)
        try:
            if reading.is_missing(value):
                raise faults.not_started()
            return self.exercise.answer(name).read(value, self.calls)
        except Fault as fault:
            return fault

    def takes(self, name, parameter):
        """Whether a function of the learner's takes a parameter by its name."""
        function = self.answer(name)
        # A signature may be the learner's code.
        outcome = self.calls.run(lambda: inspect.signature(function).parameters)
        parameters = outcome.value if outcome.error is None else {}
        return any(one.name == parameter or one.kind is one.VAR_KEYWORD for one in parameters.values())

    def call(self, name, *arguments, returns, **named):
        """Calls a function of the learner's within the time of the check.

        Parameters
        ----------
        name : str
            The answer.
        *arguments
            Arrays are copied before, so that a change is seen.
        returns : tuple of str
            What the function must return, by name: one value, or a tuple of several.
        **named
            Arguments by name.

        Returns
        -------
        The value, or the tuple of values.

        Raises
        ------
        Fault
        """
        function = self.answer(name)
        copies = [argument.copy() if _is_watched(argument) else None for argument in arguments]
        value = self.calls.value(name, lambda: function(*arguments, **named))
        self._note_changes(name, arguments, copies)
        if type(value) is CoroutineType:
            # Else Python warns that nobody waited for it.
            value.close()
        for kind, why in NO_RESULT.items():
            if type(value) is kind:
                raise Fault(faults.NOT_USABLE, f"{name} {why}")
        if value is None:
            raise Fault(faults.NOT_USABLE, f"{name} returned None: is its return statement missing?")
        return self._counted(name, value, returns)

    def _note_changes(self, name, arguments, copies):
        """Notes which arrays a call has changed, and where first."""
        for number, (argument, copy) in enumerate(zip(arguments, copies, strict=True), 1):
            if copy is not None and (change := _change(argument, copy)):
                self.changed.append(f"{name} changed {change.format(f'its argument {number}')}: work on a copy of it")

    def _counted(self, name, value, returns):
        """The value, or the tuple of values, if there are as many as asked for."""
        wanted = f"{name} must return {' and '.join(returns)}"
        if len(returns) == 1:
            if issubclass(type(value), tuple):
                raise Fault(faults.NOT_USABLE, f"{wanted} alone; got a tuple of {tuple.__len__(value)} values")
            return value
        if not issubclass(type(value), (tuple, list)):
            raise Fault(faults.NOT_USABLE, f"{wanted}, {len(returns)} values; got one value of type {type_name(value)}")
        values = self.calls.value(f"what {name} returns", lambda: tuple(value))
        if len(values) != len(returns):
            raise Fault(faults.NOT_USABLE, f"{wanted}, {len(returns)} values; got {len(values)}")
        return values

    def array(self, name, value):
        """An array that a function has returned; a list is not one."""
        array = reading.as_array(name, value, self.calls, lists=False)
        note = f"{name} is read-only: whoever gets it cannot add to it. Return an array of your own."
        if not array.flags.writeable and note not in self.notes:
            self.notes.append(note)
        return array

    def known(self, entry, seen="", label="known mistake"):
        """What a verdict says about a misconception, as details; in full only once."""
        where = f" Here {seen}." if seen else ""
        if entry.name in self.explained:
            return [(label, f"{entry.name}, as above.{where}")]
        self.explained.add(entry.name)
        return [(label, f"{entry.name}. {entry.sentence}{where}"), ("explained in", places.chapter(entry.chapter))]
