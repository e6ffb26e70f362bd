"""Which names of a notebook a statement may change: by itself, or by the functions that it calls.

A name too many costs a little time, since one more statement is run. A name too few costs an answer.
"""

import ast
import contextlib

from course_lib.classroom.box.names import (
    BODIES,
    CHANGING,
    DEFINITIONS,
    DRAWN_ON,
    IMPORTS,
    KEEPING,
    SHOWING,
    arguments,
    given,
    imported,
    kept,
    own,
    reached,
    root,
    stored,
    untaken,
)

# Stand beside names for "one of its arguments" and "what the method belongs to": no identifier has a blank.
ARGUMENT, OWNER = "an argument", "the owner"
MARKS = {ARGUMENT, OWNER}
MOST_ROUNDS = 30


class Effects:
    """What the functions of a notebook change, and which names may stand for the same object.

    Parameters
    ----------
    statements : list of ast.stmt
    """

    def __init__(self, statements):
        self.definitions, self.held, self.effects = {}, {}, {}
        nodes = list(own(statements))
        self.modules = {name for node in nodes if isinstance(node, IMPORTS) for name in imported(node)}
        found = [node for node in nodes if isinstance(node, DEFINITIONS)]
        self.keeping = KEEPING | {one.name for one in found if _makes_functions(one)}
        for node in found:
            self._define(node.name, node)
        for node in nodes:
            self._note(node)
        for _ in range(MOST_ROUNDS):
            before = self._size()
            self._spread()
            if self._size() == before:
                break

    def of(self, statement):
        """The names whose values a statement may change.

        Parameters
        ----------
        statement : ast.stmt

        Returns
        -------
        set of str
        """
        if isinstance(statement, (*IMPORTS, ast.Assert)):
            return set()
        try:
            region = Region([statement], self)
        except RecursionError:
            return set()
        changed = region.changed | self._by_calls(region.calls)
        for name in region.used:
            changed |= self.effects.get(name, set())
        # What a module keeps, as its random numbers, counts only where a plain statement changes it.
        return reached(changed - MARKS, self.held) - self.modules | (_plainly(statement) & self.modules)

    def _size(self):
        return sum(map(len, self.effects.values()))

    def _define(self, name, node):
        """Notes what a function, or a class with its methods, does to names outside."""
        with contextlib.suppress(RecursionError):
            self.definitions.setdefault(name, []).append(Inside(node, self))
            self.effects.setdefault(name, set())

    def _note(self, node):
        """Notes which names may stand for an object of other names, or hold it."""
        for targets, value in given(node):
            for name in stored(targets):
                self.held.setdefault(name, set()).update(kept(value, self.keeping) - self.modules)
                if isinstance(value, ast.Lambda):
                    self._define(name, value)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGING:
            self.held.setdefault(root(node.func), set()).update(arguments(node) - self.modules)

    def _spread(self):
        """Gives each name the effects of what it calls or stands for."""
        for name, several in self.definitions.items():
            for one in several:
                self.effects[name] |= one.changed | self._by_calls(one.calls)
                for used in one.used:
                    self.effects[name] |= self.effects.get(used, set()) - MARKS
        for name, objects in self.held.items():
            if found := set().union(*(self.effects.get(one, ()) for one in objects)):
                self.effects.setdefault(name, set()).update(found)

    def _by_calls(self, calls):
        """What calls change of their arguments, and of what their methods belong to."""
        found = set()
        for function, owners, values in calls:
            effects = self.effects.get(function, ())
            found |= values if ARGUMENT in effects else set()
            found |= owners if OWNER in effects else set()
        return found


class Region:
    """What a piece of code does to the names in it, as far as can be read.

    Attributes
    ----------
    changed, used, bound, shared : set of str
        Names whose objects it changes, whose values it takes, to which it gives values, and of those the global ones.
    calls : list of tuple
        Of each call its function, what the method belongs to, and its arguments: a name and two sets of names.
    held : dict of str to set of str
        For a name those whose objects it may be, or may hold.
    marks : set of str
        What functions in it do to what they are given.
    """

    def __init__(self, nodes, notebook, inside=False):
        self.changed, self.used, self.bound, self.shared, self.marks = set(), set(), set(), set(), set()
        self.calls, self.held, self.notebook = [], {}, notebook
        for node in own(nodes):
            self._read(node)
            if isinstance(node, BODIES if inside else ast.Lambda):
                self._take(Inside(node, notebook))
        self.changed -= {None}

    def _read(self, node):
        """Notes what one node does."""
        if isinstance(node, ast.Name):
            (self.used if isinstance(node.ctx, ast.Load) else self.bound).add(node.id)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            self.shared |= set(node.names)
            self.changed |= set(node.names)
        elif isinstance(node, IMPORTS):
            self.bound |= imported(node)
        elif isinstance(node, ast.AugAssign):
            self.changed.add(root(node.target))
        elif isinstance(node, (ast.Subscript, ast.Attribute)):
            if not isinstance(node.ctx, ast.Load) or getattr(node, "attr", "") in CHANGING:
                self.changed.add(root(node))
        elif isinstance(node, ast.Call):
            self._read_call(node)
        elif isinstance(node, DEFINITIONS):
            self.bound.add(node.name)
            self._decorate(node.decorator_list)
        for call in untaken(node):
            if root(call.func) not in SHOWING | DRAWN_ON:
                self.changed |= {root(call.func)} | arguments(call)
        for targets, value in given(node):
            for name in stored(targets):
                self.held.setdefault(name, set()).update(kept(value, self.notebook.keeping))

    def _read_call(self, call):
        """Notes a call whose value somebody may take."""
        self.changed |= {root(one.value) for one in call.keywords if one.arg == "out"}
        owners = {root(call.func)} - {None} if isinstance(call.func, ast.Attribute) else set()
        self.calls.append((root(call.func), owners, arguments(call)))

    def _decorate(self, decorators):
        """Notes decorators: they may keep what they decorate."""
        for one in decorators:
            self.changed |= {root(one.func)} | arguments(one) if isinstance(one, ast.Call) else {root(one)}

    def _take(self, inner):
        """Adds what a function does that is defined here: it may be called here."""
        self.changed |= inner.changed - MARKS
        self.used |= inner.used
        self.calls += inner.calls
        self.marks |= inner.changed & MARKS


class Inside:
    """What a function, or a class with its methods, does to names outside of it.

    Attributes
    ----------
    changed, used, calls
        As of a `Region`; MARKS stand for what it is given.
    """

    def __init__(self, node, notebook):
        region = Region(node.body if isinstance(node.body, list) else [node.body], notebook, inside=True)
        self.region, self.modules = region, notebook.modules
        if isinstance(node, ast.ClassDef):
            # Its methods do not see its own names. What they do to their arguments, it may do.
            self.parameters, self.local = set(), set()
        else:
            self.parameters = {one.arg for one in ast.walk(node.args) if isinstance(one, ast.arg)}
            self.local = (region.bound | self.parameters) - region.shared
            for name, default in _defaults(node.args):
                region.held.setdefault(name, set()).update(kept(default, notebook.keeping))
        self.changed = self._outside(region.changed)
        self.changed |= region.marks if isinstance(node, ast.ClassDef) else set()
        self.used = region.used - self.local
        self.calls = [(name, self._outside(owners), self._outside(values)) for name, owners, values in region.calls]

    def _outside(self, names):
        """The names outside of it for which some names may stand."""
        found = reached(names, self.region.held)
        marks = {OWNER if one in ("self", "cls") else ARGUMENT for one in found & self.parameters}
        return (found - self.local - self.modules) | marks


def _makes_functions(definition):
    """Whether what it gives may hold what it was given: an object of a class, or a function made inside."""
    return isinstance(definition, ast.ClassDef) or any(
        isinstance(node, BODIES) and node is not definition for node in ast.walk(definition)
    )


def _defaults(parameters):
    """The names of parameters with the expressions of their defaults."""
    several = [*parameters.posonlyargs, *parameters.args][::-1]
    pairs = [*zip(several, parameters.defaults[::-1], strict=False)]
    pairs += zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True)
    return [(one.arg, value) for one, value in pairs if value is not None]


def _plainly(statement):
    """What the calls belong to that are statements."""
    calls = [node.value for node in own([statement]) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)]
    return {root(call.func) for call in calls}
