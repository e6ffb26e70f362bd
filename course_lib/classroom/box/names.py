"""The names in a piece of code: which it stores, which it calls, and whose objects it passes on. Nothing is run."""

import ast

DEFINITIONS = ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef
BODIES = *DEFINITIONS, ast.Lambda
IMPORTS = ast.Import, ast.ImportFrom
LOOPS = ast.For, ast.AsyncFor, ast.comprehension
# Calls of the course that a notebook makes for the reader.
ASIDE = {"check", "hint", "reveal", "progress", "predict", "run_cell", "exit", "quit"}
SHOWING = ASIDE | {"print", "display", "input"}
# What figures are drawn on: to draw a value does not change it.
DRAWN_ON = {"plt", "ax", "axes", "axs", "fig"}
# Methods that change what they belong to, also where somebody takes their value.
CHANGING = {
    "append", "extend", "insert", "add", "update", "setdefault", "pop", "popitem", "popleft", "appendleft", "remove",
    "discard", "clear", "sort", "reverse", "fill", "put", "extendleft", "__setitem__", "__setattr__",
}  # fmt: skip
# What gives back objects that it was given.
KEEPING = {"partial", "dict", "list", "tuple", "zip", "enumerate", "iter", "reversed", "sorted", "map", "filter"}
VIEWS = {"items", "values", "get", "pop", "setdefault", "T", "reshape", "view", "ravel"}
NUMBERS = {"shape", "size", "ndim", "dtype"}
# What takes the values of calls, and is called for what these do.
TAKING = {"list", "tuple", "set", "any", "all", "sum", "len", "deque", "max", "min", "next"}


def own(nodes):
    """The nodes of a piece of code, without those inside of its functions, and without asides to the reader.

    Parameters
    ----------
    nodes : list of ast.AST

    Yields
    ------
    ast.AST
    """
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Call) and root(node.func) in ASIDE:
            continue
        yield node
        for field, value in ast.iter_fields(node):
            if field != "body" or not isinstance(node, BODIES):
                several = value if isinstance(value, list) else [value]
                waiting += [one for one in several if isinstance(one, ast.AST)]


def root(node):
    """The name at the left end of an expression."""
    while isinstance(node, (ast.Subscript, ast.Attribute, ast.Starred)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def imported(node):
    """The names that an import gives."""
    return {(alias.asname or alias.name).split(".")[0] for alias in node.names}


def reached(names, edges):
    """The names, and those that are reached from them."""
    found, waiting = set(), list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += edges.get(name, ())
    return found


def given(node):
    """The targets and the value, where a node gives names a value; a loop gives them parts of one."""
    if isinstance(node, ast.Assign):
        yield node.targets, node.value
    elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
        yield [node.target], node.value
    elif isinstance(node, LOOPS):
        yield [node.target], node.iter
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield [node.optional_vars], node.context_expr


def stored(targets):
    """The names that targets store to, or into what they store."""
    nodes = [node for target in targets for node in ast.walk(target)]
    return {root(node) for node in nodes if isinstance(getattr(node, "ctx", None), ast.Store)} - {None}


def arguments(call):
    """The names whose objects a call is given."""
    found = set()
    for one in [*call.args, *(one.value for one in call.keywords)]:
        found |= kept(one, ())
    return found


def kept(value, keeping):
    """The names for whose objects a value may stand, or which it may hold.

    Parameters
    ----------
    value : ast.expr
    keeping : set of str
        Functions that give back what they were given.

    Returns
    -------
    set of str
    """
    found, waiting = set(), [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Lambda):
            found |= {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
        elif isinstance(node, ast.Call):
            if root(node.func) in keeping or (isinstance(node.func, ast.Attribute) and node.func.attr in VIEWS):
                waiting += [node.func, *node.args, *(one.value for one in node.keywords)]
        elif getattr(node, "attr", "") not in NUMBERS:
            waiting += _parts(node)
    return found


def _parts(node):
    """The expressions that give an expression its value, or stand in it."""
    if isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred, ast.NamedExpr, ast.Await, ast.DictComp)):
        return [node.value]
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return node.elts
    if isinstance(node, (ast.Dict, ast.BoolOp)):
        return node.values
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    return [node.elt] if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)) else []


def untaken(node):
    """The calls in a node whose values nobody takes: who makes one wants it to change something.

    Parameters
    ----------
    node : ast.AST

    Yields
    ------
    ast.Call
    """
    waiting = [node.context_expr] if isinstance(node, ast.withitem) else []
    if isinstance(node, ast.Expr) or (isinstance(node, ast.Assign) and _is_dropped(node.targets)):
        waiting = [node.value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, ast.Call):
            yield one
            waiting += one.args if root(one.func) in TAKING else []
        elif isinstance(one, ast.UnaryOp):
            waiting.append(one.operand)
        elif not isinstance(one, (ast.Attribute, ast.Subscript)):
            waiting += _parts(one)


def _is_dropped(targets):
    """Whether what is given to targets is wanted by nobody: they are `_`."""
    return all(isinstance(one, ast.Name) and not one.id.strip("_") for one in targets)
