"""What the judge holds in the place of a student's values and functions: copies of plain values, and stand-ins.

A stand-in is called like the function itself. The call happens in the sandbox; arrays go there and come back.
"""

import inspect
import math

import numpy as np

from course_lib.classroom.box import wire
from course_lib.classroom.sandbox import Gone, NoSandbox, OutOfTime
from course_lib.exercises import faults
from course_lib.exercises.calls import YOUR_TURN
from course_lib.exercises.faults import Fault

RESTARTS = 4
# A process that waits for others uses the clock and not the processor.
PATIENCE, SLACK = 2.0, 2.0
# What the judge computes for a program: small arrays, and numbers that make nothing large of them.
MOST_ELEMENTS, LARGEST, LONGEST_AXIS, MOST_IN_SHAPE = 2000, 20, 500, 1e5
MOST_AXES = 6
CONTAINERS = list, tuple, dict, frozenset
ENDINGS = {-24: "used more than its seconds", -9: "was ended by the system", -11: "crashed"}


class Unreadable(Exception):
    """Why a file gives no answers, as a sentence for the student."""


class Reference:
    """A value that stays in the sandbox: only its number is here, and the name of its type."""

    def __init__(self, number, generation):
        self.number, self.generation = number, generation


class Task:
    """What is asked of a program.

    Attributes
    ----------
    number : int
        Of the exercise.
    wanted : list of str
        The names of its answers.
    seconds : float
        Of the processor, for the whole of it.
    library : dict of str to callable
        Functions that the judge runs for the program, by their full names.
    memory : int
        Bytes.
    """

    def __init__(self, number=0, wanted=(), seconds=10.0, library=None, memory=1 << 30):
        self.number, self.wanted, self.seconds = number, list(wanted), seconds
        self.library, self.memory = library or {}, memory


class Program:
    """A student's file in the sandbox, opened for one exercise.

    Attributes
    ----------
    flags, problems : list of str
        Sentences about what the code uses, and about statements that failed.
    ended : str
        Why nothing more is asked of it; "" while it may be asked.
    broken : str
        Why the sandbox itself failed; then nothing of this may be counted.
    tampered : bool
        Whether something else than an answer has come.
    counting : bool
        Whether the lines that calls run are counted, in `lines`.
    """

    def __init__(self, zygote, data, name, task):
        self.zygote, self.data, self.name, self.task = zygote, data, name, task
        self.channel, self.generation, self.restarts = None, 0, RESTARTS
        self.flags, self.problems, self.ended, self.broken, self.tampered = [], [], "", "", False
        self.references, self.known, self.callbacks = {}, {}, []
        self.counting, self.lines = False, 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends the process, if there is one."""
        if self.channel is not None:
            channel, self.channel = self.channel, None
            channel.close()

    def survey(self):
        """What the file holds, before anything of it runs: its checks, the names that it gives values, notes.

        Raises
        ------
        Unreadable, NoSandbox
        """
        channel = self.zygote.program()
        channel.allow(PATIENCE * self.task.seconds + SLACK)
        self.channel = channel
        bound = math.ceil(self.task.seconds) + 1
        data = np.frombuffer(self.data, np.uint8)
        try:
            channel.send("open", self._special, data=data, name=self.name, cpu=bound, memory=self.task.memory)
            self._expect("ready")
        except (Gone, OutOfTime, wire.Malformed) as error:
            raise NoSandbox(f"the sandbox does not come up ({type(error).__name__})") from None
        try:
            kind, found = channel.receive(self._readers())
        except (Gone, OutOfTime, wire.Malformed):
            raise Unreadable("reading its code ends the reader: it is no ordinary notebook") from None
        if kind == "unreadable":
            raise Unreadable(faults.clean(str(found.get("why")), 200))
        return found

    def answers(self):
        """The answers by name: plain values, and stand-ins for functions."""
        self.survey()
        try:
            values, functions = self._load()
        except OutOfTime:
            self._end("the notebook itself was still running when its time was up")
            return {}
        except Gone as gone:
            self.ended = f"the notebook itself {_ending(gone.status)}"
            return {}
        except (wire.Malformed, KeyError, TypeError, ValueError):
            self._tamper()
            return {}
        found = dict(values)
        for name, signature in functions:
            if isinstance(found.get(name), Reference):
                self.references[name] = found[name]
                found[name] = StandIn(self, name, signature)
        return found

    def _load(self):
        """Lets the program run, and gives its values and its functions' names with their signatures."""
        task = self.task
        self.channel.send("load", self._special, wanted=task.wanted, number=task.number, library=list(task.library))
        self.flags = _sentences(self._expect("sliced")["flags"])
        self.channel.send("go", self._special)
        loaded = self._until("loaded")
        self.problems = _sentences(loaded["problems"])
        values = loaded["values"]
        functions = [(name, signature) for name, signature in loaded["functions"] if name in task.wanted]
        return {name: values[name] for name in task.wanted if name in values}, functions

    def _expect(self, kind):
        """The values of the next message."""
        found, values = self.channel.receive(self._readers())
        if found != kind:
            raise wire.Malformed(f"{kind} was expected")
        return values

    def _until(self, *kinds):
        """The values of a message, after the judge's own functions were called as often as asked."""
        while True:
            found, values = self.channel.receive(self._readers())
            if found in kinds:
                values["message"] = found
                return values
            self._serve(found, values)

    def _serve(self, kind, values):
        """Runs a function of the judge's for the program."""
        try:
            if kind == "callback":
                function, named = self.callbacks[values["number"]], {}
            elif kind == "library":
                function, named = self.task.library[values["name"]], values["named"]
            else:
                raise wire.Malformed("an unknown message")
            arguments = values["arguments"]
        except (KeyError, IndexError, TypeError):
            raise wire.Malformed("a call of nothing") from None
        try:
            _check_sizes([*arguments, *named.values()])
            with np.errstate(all="ignore"):
                value = function(*arguments, **named)
            self.channel.send("given", self._special, value=value)
        except (Gone, OutOfTime, NoSandbox, wire.Malformed):
            raise
        except ImportError as error:
            raise NoSandbox(f"the grader's own Python lacks something: {error}") from None
        except Exception as error:
            self.channel.send("raised", self._special, kind=type(error).__name__, text=str(error)[:300])

    def _readers(self):
        """Readers for the sandbox's own kinds of values."""
        return {"r": self._reference}

    def _reference(self, number, kind, is_callable):
        """What stands for a value of the sandbox's."""
        if type(number) is not int or type(kind) is not str:
            raise wire.Malformed("no reference")
        if kind == "generator":
            return (one for one in ())
        members = {"__call__": None} if is_callable is True else {}
        return type(faults.clean(kind, 60) or "object", (Reference,), members)(number, self.generation)

    def _special(self, value):
        """The tree of a value that is not plain: what stays in the sandbox, a function, a generator of numbers."""
        if isinstance(value, StandIn):
            return ["r", self.references[value.name].number]
        if isinstance(value, Reference):
            if value.generation != self.generation:
                raise wire.Unsendable("it belongs to a process that has ended")
            return ["r", value.number]
        if isinstance(value, np.random.Generator):
            state = value.bit_generator.state["state"]
            return ["g", str(state["state"]), str(state["inc"])]
        if callable(value):
            self.callbacks.append(value)
            return ["c", len(self.callbacks) - 1]
        raise wire.Unsendable(f"a value of type {type(value).__name__}")

    def call(self, name, arguments, named):
        """What a student's function gives; a `Fault` where it gives nothing."""
        if self.broken:
            raise Fault(faults.OUR_FAULT, self.broken)
        if self.ended:
            raise Fault(faults.OUT_OF_TIME if "time" in self.ended else faults.ERROR, f"not checked: {self.ended}")
        try:
            self._revive()
            if name not in self.references:
                raise Fault(faults.ERROR, f"{name} is not there when the notebook runs once more")
            return self._call(name, arguments, named)
        except OutOfTime:
            self._end(f"{name} was still running when its time was up")
            raise Fault(faults.OUT_OF_TIME, f"{name} was still running when its time was up, and was stopped") from None
        except Gone as gone:
            raise self._gone(name, gone) from None
        except wire.Malformed:
            self._tamper()
            raise Fault(faults.ERROR, f"{name} sent something else than a value") from None
        except wire.Unsendable as error:
            raise Fault(faults.ERROR, f"{name} was not called: {error}") from None
        except NoSandbox as error:
            self.broken = str(error)
            raise Fault(faults.OUR_FAULT, self.broken) from None

    def _gone(self, name, gone):
        """The fault of a function whose process has ended."""
        if gone.status in (-24, -9):
            self.ended = f"{name} used up its time"
            return Fault(faults.OUT_OF_TIME, f"{name} used up the seconds of this exercise, and was stopped")
        if self.restarts == 0:
            self.ended = f"{name} has ended the process again and again"
        return Fault(faults.ERROR, f"{name} {_ending(gone.status)}")

    def _revive(self):
        """Starts the program once more where its process has ended."""
        if self.channel is None or self.channel.closed:
            self.restarts -= 1
            self.generation += 1
            self.callbacks, self.known = [], {}
            try:
                self.answers()
            except Unreadable as error:
                raise NoSandbox(f"a file that could be read before cannot be read again: {error}") from None

    def _call(self, name, arguments, named):
        """One call, with all that it brings about."""
        sent = [self.known.get(id(one), (one, one))[1] for one in arguments]
        function = self.references[name].number
        given = {"function": function, "arguments": sent, "named": named, "count": self.counting}
        self.channel.send("call", self._special, **given)
        values = self._until("result", "raised", "unsendable")
        if values["message"] == "raised":
            raise _raised(name, values)
        if values["message"] == "unsendable":
            raise Fault(faults.NOT_USABLE, f"what {name} returns cannot be read: {faults.clean(str(values['why']))}")
        try:
            return self._result(arguments, values)
        except (KeyError, IndexError, TypeError, ValueError):
            raise wire.Malformed("no result") from None

    def _result(self, arguments, values):
        """The value of a call; arrays that it changed are changed here too."""
        arrays = list(_arrays(arguments))
        for number, changed in values["changed"]:
            _overwrite(arrays[number], changed)
        parts = values["values"]
        for part, number in zip(parts, values["references"], strict=True):
            if isinstance(part, (np.ndarray, dict, list, tuple, Reference)):
                # What is handed back later is the value itself and not a copy of it: a cache may hold anything.
                self.known[id(part)] = part, Reference(number, self.generation)
        self.lines += values["lines"]
        kind = values["kind"]
        return parts[0] if kind == "one" else tuple(parts) if kind == "tuple" else parts

    def _end(self, why):
        """Asks nothing more of the program."""
        self.ended = why
        self.close()

    def _tamper(self):
        """Notes that what came is no answer, and asks nothing more."""
        self.tampered = True
        self._end("something else than an answer has come from it")


class StandIn:
    """A student's function."""

    def __init__(self, program, name, signature):
        self.program, self.name = program, name
        self.__name__ = name
        if (found := _signature(signature)) is not None:
            self.__signature__ = found

    def __call__(self, *arguments, **named):
        return self.program.call(self.name, list(arguments), named)


def _signature(parameters):
    """A signature from names, kinds and whether there are defaults; None where there is none."""
    try:
        kinds = list(inspect._ParameterKind)
        return inspect.Signature(
            [
                inspect.Parameter(name, kinds[kind], **({"default": None} if default else {}))
                for name, kind, default in parameters
            ]
        )
    except (TypeError, ValueError, IndexError):
        return None


def _raised(name, values):
    """The fault of a function that raised an error."""
    kind, text = faults.clean(str(values.get("kind")), 80), faults.clean(str(values.get("text")))
    if kind == "NotImplementedError" and text == YOUR_TURN:
        return faults.not_started()
    lines = _sentences(values.get("lines"))
    return Fault(
        faults.ERROR, f"{name} raised {kind}" + (f": {text}" if text else ""), [("your line", one) for one in lines]
    )


def _ending(status):
    """How a process ended, as the end of a sentence."""
    return ENDINGS.get(status, f"ended the process (exit status {status})")


def _sentences(found):
    """A few lines of text, whatever came."""
    return [faults.clean(one, 300) for one in found if type(one) is str][:20] if type(found) is list else []


def _arrays(arguments):
    """The arrays among arguments, those in lists included, in order."""
    for one in arguments:
        if type(one) is np.ndarray:
            yield one
        elif type(one) is list:
            yield from _arrays(one)


def _overwrite(array, changed):
    """Does to an array what was done to its copy in the sandbox."""
    if array.shape != changed.shape:
        array.resize(changed.shape, refcheck=False)
    array[...] = changed.astype(array.dtype)


def _check_sizes(arguments):
    """Refuses to compute what is large for a student's program."""
    if _elements(arguments) > MOST_ELEMENTS:
        raise ValueError(f"the arrays are too large: at most {MOST_ELEMENTS} elements")
    for one in arguments:
        _check_numbers(one)


def _elements(value):
    """How many elements all arrays in a value have together."""
    if isinstance(value, dict):
        value = list(value.values())
    return sum(map(_elements, value)) if isinstance(value, (list, tuple, frozenset)) else np.size(value)


def _check_numbers(value):
    """Refuses a number that makes something large, alone or with others in a shape."""
    members = list(value.values() if isinstance(value, dict) else value) if isinstance(value, CONTAINERS) else [value]
    # Three sizes or more are a shape, two or one a kernel, a stride or a padding.
    most = LONGEST_AXIS if len(members) > 2 else LARGEST
    numbers = [one for one in members if isinstance(one, (int, float, np.number))]
    volume = math.prod(max(abs(one), 1) for one in numbers) if len(numbers) <= MOST_AXES else 0
    if any(abs(one) > most for one in numbers) or volume > MOST_IN_SHAPE:
        raise ValueError(f"a number is too large: at most {most}, and {MOST_IN_SHAPE:g} in a shape")
    for one in members:
        if isinstance(one, CONTAINERS):
            _check_numbers(one)
