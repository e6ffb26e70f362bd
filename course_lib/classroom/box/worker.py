"""One process for one program: it is confined, reads the notebook, runs what the answers need, and is then called."""

import ast
import inspect
import linecache
import os
import sys
import traceback
from pathlib import Path

import numpy as np

from course_lib.classroom.box import confine, notebook, shims, slicing, suspicions, wire

PASSES, LINES_SHOWN = 3, 4
LIBRARIES = (f"{Path(__file__).parents[3]}/", os.path.dirname(os.__file__), "<frozen", "<__array_function__")


class Link:
    """Messages over a socket."""

    def __init__(self, number):
        self.number = number

    def send(self, message):
        """Writes all bytes."""
        rest = memoryview(message)
        while rest:
            rest = rest[os.write(self.number, rest) :]

    def receive(self, special):
        """The next message: its name and its values. The process ends where there is none."""
        tree, data = wire.HEAD.unpack(self._read(wire.HEAD.size))
        return wire.unpack(self._read(tree), self._read(data), special)

    def _read(self, count):
        parts = bytearray()
        while len(parts) < count:
            part = os.read(self.number, min(count - len(parts), 1 << 20))
            if not part:
                os._exit(0)
            parts += part
        return parts


class Quiet:
    """Takes whatever is printed, and keeps nothing."""

    encoding, errors = "utf-8", "replace"
    write = staticmethod(len)
    flush = close = staticmethod(lambda: None)
    writable = staticmethod(lambda: True)
    isatty = readable = staticmethod(lambda: False)
    writelines = staticmethod(lambda lines: None)


class Worker:
    """The program's namespace, and the objects of it that the judge has names for."""

    def __init__(self, link):
        self.link, self.kept = link, []
        self.space = {"__name__": "__main__", "__builtins__": __builtins__}

    def reference(self, value):
        """The tree of a value that stays here."""
        kind = type.__dict__["__name__"].__get__(value.kind if type(value) is Opaque else type(value))[:30]
        self.kept.append(value)
        words = f"{kind} that is too large to be read" if type(value) is Opaque else kind
        return ["r", len(self.kept) - 1, words, callable(value)]

    def special(self):
        """Readers for trees of the judge's own kinds."""
        return {"r": self.kept.__getitem__, "c": self._callback, "g": _generator}

    def _callback(self, number):
        """A function of the judge's."""

        def function(*arguments):
            return self.ask("callback", number=number, arguments=list(arguments))

        return function

    def send(self, name, /, **values):
        """Sends a message; a value that cannot cross is said to be one."""
        try:
            message = wire.pack(name, self.reference, wire.MOST_OUTPUT, **values)
        except wire.Unsendable as error:
            message = wire.pack("unsendable", self.reference, why=str(error))
        self.link.send(message)

    def ask(self, name, /, **values):
        """What the judge answers; while it thinks, it may call functions here."""
        self.send(name, **values)
        while True:
            kind, answer = self.link.receive(self.special())
            if kind == "call":
                self.call(**answer)
            elif kind == "raised":
                raise type(answer["kind"], (Exception,), {})(answer["text"])
            else:
                return answer["value"]

    def call(self, function, arguments, named, count):
        """Calls a function, and sends what it gives and which of its arguments it has changed."""
        # As they are now: the function may put others into a list.
        given = list(_arrays(arguments))
        before = [one.copy() for one in given]
        lines = Lines() if count else None
        try:
            run = self.kept[function]
            value = lines.watch(run, arguments, named) if count else run(*arguments, **named)
        except BaseException as error:
            return self.send("raised", **_described(error))
        pairs = list(zip(given, before, strict=True))
        if any((one.shape, one.dtype) != (copy.shape, copy.dtype) for one, copy in pairs):
            return self.send("reshaped")
        changed = [[number, one] for number, (one, copy) in enumerate(pairs) if one.tobytes() != copy.tobytes()]
        parts = list(value) if type(value) in (tuple, list) and len(value) <= 8 else [value]
        kind = type(value).__name__ if type(value) in (tuple, list) and len(value) <= 8 else "one"
        references = [self.reference(part)[1] for part in parts]
        values = [self._crossing(part) for part in parts]
        count = lines.count if count else 0
        return self.send("result", kind=kind, values=values, references=references, changed=changed, lines=count)

    def _crossing(self, value):
        """A value, or where it cannot cross a stand-in for it."""
        try:
            wire.pack("trial", self.reference, wire.MOST_OUTPUT, value=value)
        except wire.Unsendable:
            return Opaque(value)
        return value


class Opaque:
    """Stands for what is too large to cross; the reference to the real value goes beside it."""

    def __init__(self, value):
        self.kind = type(value)


class Lines:
    """How many lines of the notebook a call runs."""

    count = 0

    def watch(self, function, arguments, named):
        """Calls a function, and counts."""
        sys.settrace(self._trace)
        try:
            return function(*arguments, **named)
        finally:
            # Who has taken the trace off has hidden lines.
            hidden = sys.gettrace() != self._trace
            sys.settrace(None)
            self.count = 10**9 if hidden else self.count

    def _trace(self, frame, event, argument):
        # Also of code that is made while it runs, which stands in no cell.
        if frame.f_code.co_filename.startswith(LIBRARIES):
            return None
        self.count += event == "line"
        return self._trace


def _generator(state, increment):
    """A random generator in a state."""
    rng = np.random.Generator(np.random.PCG64())
    rng.bit_generator.state = {
        "bit_generator": "PCG64",
        "state": {"state": int(state), "inc": int(increment)},
        "has_uint32": 0,
        "uinteger": 0,
    }
    return rng


def _arrays(arguments):
    """The arrays among arguments, those in lists included, in order."""
    for one in arguments:
        if type(one) is np.ndarray:
            yield one
        elif type(one) is list:
            yield from _arrays(one)


def _described(error):
    """An error in plain words: its type, its text and the lines of the notebook through which it came."""
    try:
        text = str(error)[:400]
    except BaseException:
        text = "(its text cannot be shown)"
    steps = [(frame.f_code, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    places = [(code, line) for code, line in steps if code.co_filename.startswith("cell ")]
    places = places if len(places) <= LINES_SHOWN else places[:1] + places[1 - LINES_SHOWN :]
    lines = [
        f"line {line} of {code.co_name} in {code.co_filename}: {linecache.getline(code.co_filename, line).strip()}"[
            :300
        ]
        for code, line in places
    ]
    kind = type.__dict__["__name__"].__get__(type(error))[:80]
    return {"kind": kind, "text": text, "lines": lines}


def _signature(function):
    """The parameters of a function: name, kind, whether there is a default; None where nobody can say."""
    try:
        found = inspect.signature(function).parameters.values()
        return [[one.name, int(one.kind), one.default is not one.empty] for one in found]
    except BaseException:
        return None


def main(number):
    """Serves one program."""
    link = Link(number)
    worker = Worker(link)
    _, first = link.receive({})
    confine.limit(first["cpu"], first["memory"])
    confine.refuse_calls()
    # A judge that does not read this word knows that the sandbox failed, and not the program.
    worker.send("ready")
    cells, program = _read(worker, first)
    _, task = link.receive({})
    statements = slicing.sliced(_with_text_cells(cells, program, task["wanted"]), task["wanted"], task["number"])
    worker.send("sliced", flags=suspicions.of(statements, task["library"]))
    _, _ = link.receive({})
    sys.stdout = sys.stderr = Quiet()
    shims.install(worker, task["library"])
    problems = run_all(statements, worker.space)
    worker.send("loaded", problems=problems, **_answers(worker, task["wanted"]))
    while True:
        _, values = link.receive(worker.special())
        worker.call(**values)


def _read(worker, first):
    """The cells and the program of the file; the process ends where there are none."""
    try:
        cells = notebook.cells_of(bytes(first["data"]), first["name"])
        program = notebook.program_of(cells)
        checks = sorted(number for number in slicing.checks(program.statements) if 0 < number < 100)
        names = sorted(name for name in slicing.names_bound(program.statements) if len(name) < 60)[:2000]
        worker.send("survey", checks=checks, names=names, notes=program.notes[:20])
    except (notebook.Unreadable, RecursionError, MemoryError) as error:
        worker.send("unreadable", why=str(error) or f"its code is too deep or too long ({type(error).__name__})")
        os._exit(0)
    return cells, program


def _with_text_cells(cells, program, wanted):
    """The statements; where answers are missing also those of cells that have become text."""
    missing = set(wanted) - slicing.names_bound(program.statements)
    statements = list(program.statements)
    for cell in cells:
        parsed = notebook.parsed_cell(cell.text) if missing and cell.kind != "code" else None
        if type(parsed) is list and missing & slicing.names_bound(parsed):
            statements += notebook.placed(parsed, cell.number, cell.text)
    return statements


def run_all(statements, space):
    """Runs statements in order, and tries again those for which a name came later; what fails costs nothing else."""
    waiting = list(statements)
    for _ in range(PASSES):
        waiting, before = [one for one in waiting if _run(one, space) is not None], len(waiting)
        if not waiting or len(waiting) == before:
            break
    return [problem for problem in (_run(one, space) for one in waiting) if problem is not None][:20]


def _run(statement, space):
    """Runs one statement; what it raised, or None."""
    place, text = getattr(statement, "place", ("answers", ""))
    linecache.cache[place] = len(text), None, [line + "\n" for line in text.splitlines()], place
    try:
        exec(compile(ast.Module([statement], []), place, "exec"), space)
    except BaseException as error:
        found = _described(error)
        return " ".join(f"{place}: {found['kind']}: {found['text']}".split())[:300]
    return None


def _answers(worker, wanted):
    """The values of the answers, functions as references, and the signatures of these."""
    values, functions = {}, []
    for name in wanted:
        if slicing.ANSWER + name in worker.space:
            value = worker.space[slicing.ANSWER + name]
            values[name] = worker._crossing(value)
            if callable(value):
                functions.append([name, _signature(value)])
    return {"values": values, "functions": functions}
