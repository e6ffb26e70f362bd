"""What the judge holds in the place of a student's values and functions: copies of plain values, and stand-ins.

A stand-in is called like the function itself. The call happens in the sandbox; arrays go there and come back.
"""

import math
from contextlib import contextmanager

import numpy as np

from course_lib.classroom.allowance import Allowance, patience
from course_lib.classroom.box import wire
from course_lib.classroom.endings import MEMORY, ending, raised, sentences
from course_lib.classroom.references import Reference, StandIn
from course_lib.classroom.sandbox import Gone, NoSandbox, OutOfTime
from course_lib.classroom.sizes import check_sizes
from course_lib.exercises import faults
from course_lib.exercises.faults import Fault

RESTARTS = 10
# Until the process has walled itself in; nothing of the student's runs before.
SECONDS_TO_COME_UP = 20.0
# What all calls of a program may give back together: the judge keeps it.
MOST_GIVEN_BACK = 64 << 20
SPENT = "the seconds of this exercise are used up"


class Unreadable(Exception):
    """Why a file gives no answers, as a sentence for the student."""


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
    above : Allowance or None
        The seconds of all exercises of a student.
    """

    def __init__(self, number=0, wanted=(), seconds=10.0, library=None, memory=1 << 30, above=None):
        self.number, self.wanted, self.seconds = number, list(wanted), seconds
        self.library, self.memory, self.above = library or {}, memory, above


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
    allowance : Allowance
        The seconds that are left, however often the process is begun again.
    """

    def __init__(self, zygote, data, name, task):
        self.zygote, self.data, self.name, self.task = zygote, data, name, task
        self.channel, self.generation, self.restarts = None, 0, RESTARTS
        self.flags, self.problems, self.ended, self.broken, self.tampered = [], [], "", "", False
        self.references, self.known, self.callbacks = {}, {}, []
        self.counting, self.lines = False, 0
        self.allowance, self.late, self.given_back = Allowance(task.seconds, task.above), False, 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends the process, if there is one, and notes what it has used."""
        if self.channel is not None:
            channel, self.channel = self.channel, None
            channel.close()
            self.allowance.spend(channel.processor)

    @contextmanager
    def _within(self, seconds):
        """Lets the process use the processor for some seconds, and the clock for as long as patience lasts."""
        channel = self.channel
        channel.allow(min(patience(seconds), self.allowance.clock), seconds)
        try:
            yield
        finally:
            self.allowance.wait(channel.rest())

    def survey(self):
        """What the file holds, before anything of it runs: its checks, the names that it gives values, notes.

        Raises
        ------
        Unreadable, NoSandbox
        """
        if self.allowance.is_used_up:
            raise Unreadable("the seconds for all files of one student are used up")
        channel = self.channel = self.zygote.program()
        channel.allow(SECONDS_TO_COME_UP)
        bound = math.ceil(self.allowance.processor) + 1
        data = np.frombuffer(self.data, np.uint8)
        try:
            channel.send("open", self._special, data=data, name=self.name, cpu=bound, memory=self.task.memory)
            self._expect("ready")
        except (Gone, OutOfTime, wire.Malformed) as error:
            raise NoSandbox(f"the sandbox does not come up ({type(error).__name__})") from None
        channel.rest()
        try:
            with self._within(self.allowance.processor):
                kind, found = channel.receive(self._readers())
        except (Gone, OutOfTime, wire.Malformed):
            raise Unreadable("reading its code ends the reader: it is no ordinary notebook") from None
        if kind == "unreadable":
            raise Unreadable(faults.clean(str(found.get("why")), 200))
        return found

    def answers(self):
        """The answers by name: plain values, and stand-ins for functions."""
        if self.allowance.is_used_up:
            self._end(SPENT, late=True)
            return {}
        try:
            self.survey()
        except Unreadable:
            self.close()
            if not self.allowance.is_used_up:
                raise
            self._end(SPENT, late=True)
            return {}
        try:
            with self._within(self.allowance.processor):
                values, functions = self._load()
        except OutOfTime:
            self._end("the notebook itself was still running when its time was up", late=True)
            return {}
        except Gone as gone:
            self._end(f"the notebook itself {ending(gone.status)}", late=gone.status == -24)
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
        self.flags = sentences(self._expect("sliced")["flags"])
        self.channel.send("go", self._special)
        loaded = self._until("loaded")
        self.problems = sentences(loaded["problems"])
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
            check_sizes([*arguments, *named.values()])
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
        self._check_open()
        try:
            self._revive()
            self._check_open()
            if name not in self.references:
                raise Fault(faults.ERROR, f"{name} is not there when the notebook runs once more")
            with self._within(self.allowance.a_call):
                return self._call(name, arguments, named)
        except OutOfTime:
            raise self._late(name) from None
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

    def _check_open(self):
        """Refuses to ask what cannot be asked any more."""
        if self.broken:
            raise Fault(faults.OUR_FAULT, self.broken)
        if self.ended:
            raise Fault(faults.OUT_OF_TIME if self.late else faults.ERROR, f"not checked: {self.ended}")

    def _late(self, name):
        """The fault of a call that took too long: others go on in a new process, while there are seconds left."""
        most = self.allowance.a_call
        self._stop(name)
        if self.late:
            return Fault(faults.OUT_OF_TIME, f"{name} used up the seconds of this exercise, and was stopped")
        message = f"{name} was still running after {most:.2g} s, which is the most for one call, and was stopped"
        return Fault(faults.OUT_OF_TIME, message)

    def _gone(self, name, gone):
        """The fault of a function whose process has ended."""
        self._stop(name)
        if self.late:
            return Fault(faults.OUT_OF_TIME, f"{name} used up the seconds of this exercise, and was stopped")
        return Fault(faults.ERROR, f"{name} {ending(gone.status)}")

    def _stop(self, name):
        """Ends the process; the next call has a new one, if there are seconds for it."""
        self.close()
        if self.allowance.is_used_up:
            self._end(SPENT, late=True)
        elif self.restarts == 0:
            self._end(f"{name} has ended the process again and again")

    def _revive(self):
        """Starts the program once more where its process has ended."""
        if self.channel is None or self.channel.closed:
            self.close()
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
        before = self.channel.received
        self.channel.send("call", self._special, **given)
        values = self._until("result", "raised", "reshaped", "unsendable")
        self.given_back += self.channel.received - before
        if values["message"] != "result":
            raise self._no_result(name, values)
        if self.given_back > MOST_GIVEN_BACK:
            self._end(f"its calls have given back more than {MOST_GIVEN_BACK >> 20} MiB in all")
            self._check_open()
        try:
            return self._result(arguments, values)
        except (KeyError, IndexError, TypeError, ValueError):
            raise wire.Malformed("no result") from None

    def _no_result(self, name, values):
        """The fault of a call that gave nothing."""
        if values["message"] == "unsendable":
            return Fault(faults.NOT_USABLE, f"what {name} returns cannot be read: {faults.clean(str(values['why']))}")
        if values["message"] == "reshaped":
            message = f"{name} changed the shape or the type of an array that it was given: work on a copy of it"
            return Fault(faults.WRONG_VALUE, message)
        if values.get("kind") not in MEMORY:
            return raised(name, values)
        # What it holds on to would be missing in the calls after it.
        self._stop(name)
        lines = [("your line", one) for one in sentences(values.get("lines"))]
        return Fault(faults.ERROR, f"{name} needs more memory than the {self.task.memory >> 20} MiB of a call", lines)

    def _result(self, arguments, values):
        """The value of a call; arrays that it changed are changed here too."""
        arrays = list(_arrays(arguments))
        for number, changed in values["changed"]:
            _overwrite(arrays, number, changed)
        parts = values["values"]
        for part, number in zip(parts, values["references"], strict=True):
            if isinstance(part, (np.ndarray, dict, list, tuple, Reference)):
                # What is handed back later is the value itself and not a copy of it: a cache may hold anything.
                self.known[id(part)] = part, Reference(number, self.generation)
        self.lines += values["lines"]
        kind = values["kind"]
        return parts[0] if kind == "one" else tuple(parts) if kind == "tuple" else parts

    def _end(self, why, late=False):
        """Asks nothing more of the program."""
        self.ended, self.late = why, late
        self.close()

    def _tamper(self):
        """Notes that what came is no answer, and asks nothing more."""
        self.tampered = True
        self._end("something else than an answer has come from it")


def _arrays(arguments):
    """The arrays among arguments, those in lists included, in order."""
    for one in arguments:
        if type(one) is np.ndarray:
            yield one
        elif type(one) is list:
            yield from _arrays(one)


def _overwrite(arrays, number, changed):
    """Does to an array what was done to its copy in the sandbox. Its memory stays where it is."""
    if type(number) is not int or not 0 <= number < len(arrays) or type(changed) is not np.ndarray:
        raise wire.Malformed("a change of no array")
    array = arrays[number]
    if (array.shape, array.dtype) != (changed.shape, changed.dtype):
        raise wire.Malformed("a change that makes another array")
    array[...] = changed
