"""Which statements of a notebook the answers need: imports, definitions, and what makes or changes their values.

Plots, prints, assertions and training loops that no answer needs are left out.
"""

import ast
import symtable

from course_lib.classroom.box.effects import Effects
from course_lib.classroom.box.names import DEFINITIONS, IMPORTS, imported

ANSWER = "answer "
# The dict that notebooks of many small answers keep them in.
SEVERAL = "answers"


def checks(statements):
    """The last call ``check(number, name=value)`` for each number: the values by name, as expressions.

    Under "**" stands a dict of answers that the call takes, if it takes one.
    """
    found, names = {}, {"check"}
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.ImportFrom):
                names |= {one.asname for one in node.names if one.name == "check" and one.asname}
            elif isinstance(node, ast.Call) and _last_name(node.func) in names:
                number = node.args[0] if node.args else None
                if isinstance(number, ast.Constant) and type(number.value) is int:
                    found[number.value] = {one.arg or "**": one.value for one in node.keywords}
    return found


def _last_name(node):
    """The name of a function, that of its module left out."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def names_bound(statements):
    """Every name that a statement gives a value, those that are still open left out, and the keys of its dicts."""
    done = [one for one in without_stubs(statements) if not _is_stub(one)]
    keys = {
        key.value
        for one in done
        for node in (ast.walk(one) if isinstance(one, ast.Assign) else ())
        for key in (node.keys if isinstance(node, ast.Dict) else ())
        if isinstance(key, ast.Constant) and type(key.value) is str
    }
    return {name for one in done for name in _bound(one)} | keys


def sliced(statements, wanted, number):
    """The statements that the answers need, in order, and at their end one for each answer.

    Parameters
    ----------
    statements : list of ast.stmt
    wanted : list of str
        The names of the answers.
    number : int
        Of the exercise: a call of its check says which value is which answer.

    Returns
    -------
    list of ast.stmt
    """
    statements = without_stubs(statements)
    given = checks(statements).get(number, {})
    bound = {name for statement in statements for name in _bound(statement)}
    answers = []
    several = given.get("**") or (ast.Name(SEVERAL, ast.Load()) if SEVERAL in bound and not given else None)
    for name in wanted:
        value = given.get(name) or (ast.Name(name, ast.Load()) if name in bound else None)
        if value is None and several is not None:
            value = ast.Subscript(several, ast.Constant(name), ast.Load())
        if value is not None:
            # No identifier has a blank in it: the notebook cannot mean this name.
            target = ast.Name(ANSWER + name, ast.Store())
            answers.append(ast.fix_missing_locations(ast.Assign([target], value, lineno=1, col_offset=0)))
    needed = _needed(statements, {free for answer in answers for free in _free(answer.value)})
    return [one for number, one in enumerate(statements) if number in needed] + answers


def _needed(statements, names):
    """The numbers of the statements that some names need."""
    makers, effects = {}, Effects(statements)
    for number, statement in enumerate(statements):
        for name in _bound(statement) | effects.of(statement):
            makers.setdefault(name, []).append(number)
    needed, seen, waiting = set(), set(), list(names)
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for number in makers.get(name, ()):
            if number not in needed:
                needed.add(number)
                waiting += _free(statements[number])
    imports = {n for n, one in enumerate(statements) if isinstance(one, IMPORTS)}
    return needed | imports


def without_stubs(statements):
    """The statements without those stubs beside which there is an answer too, as in a cell that was kept twice."""
    real = {name for statement in statements if not _is_stub(statement) for name in _bound(statement)}
    return [one for one in statements if not (_is_stub(one) and _bound(one) <= real)]


def _is_stub(statement):
    """Whether a statement is what the notebook came with: a function that raises, or dots for a value."""
    if isinstance(statement, DEFINITIONS[:2]):
        body = [one for one in statement.body if not _is_constant(one)]
        return not body or (len(body) == 1 and isinstance(body[0], ast.Raise) and "NotImpl" in ast.dump(body[0]))
    return (
        isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant) and statement.value.value is ...
    )


def _is_constant(statement):
    """A docstring, dots or pass."""
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def _bound(statement):
    """The names of the module that a statement gives a value."""
    shared = {name for node in ast.walk(statement) if isinstance(node, ast.Global) for name in node.names}
    if isinstance(statement, DEFINITIONS):
        return {statement.name} | shared
    if isinstance(statement, IMPORTS):
        return imported(statement)
    if isinstance(statement, ast.Expr):
        return {node.target.id for node in ast.walk(statement) if isinstance(node, ast.NamedExpr)}
    found = shared
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, DEFINITIONS):
            found.add(node.name)
    return found


def _free(node):
    """The names that a statement or an expression takes from the module."""
    try:
        table = symtable.symtable(ast.unparse(node), "<cell>", "exec")
    except (SyntaxError, RecursionError, ValueError):
        return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    found = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_referenced()}
    waiting = list(table.get_children())
    while waiting:
        inner = waiting.pop()
        found |= {one.get_name() for one in inner.get_symbols() if one.is_global() and one.is_referenced()}
        waiting += inner.get_children()
    return found
