"""What a teacher may want to look at in the code that answers need. It is a hint; the walls do not depend on it."""

import ast

ELSEWHERE = {"torch", "tensorflow", "jax", "course_lib", "autograd", "scipy", "keras", "cupy", "numba", "solutions"}
NAMES = {"exec", "eval", "compile", "__import__", "globals", "locals", "vars", "open", "breakpoint", "memoryview"}
ATTRIBUTES = {
    "__dict__", "__globals__", "__subclasses__", "__bases__", "__mro__", "__class__", "__code__", "__builtins__",
    "__loader__", "__spec__", "__reduce__", "f_back", "f_locals", "f_globals", "_getframe", "tb_frame", "gi_frame",
    "settrace", "setprofile", "setrecursionlimit",
}  # fmt: skip
PLAIN = {
    "numpy", "math", "itertools", "functools", "collections", "typing", "dataclasses", "copy", "random", "time", "abc",
    "enum", "operator", "warnings", "__future__", "fractions", "statistics", "string", "contextlib", "matplotlib",
    "IPython", "ipywidgets", "tqdm", "pandas", "seaborn", "platform",
}  # fmt: skip
MOST = 30


def of(statements, library):
    """Sentences about the statements, each once.

    Parameters
    ----------
    statements : list of ast.stmt
    library : list of str
        What of the course may be used here.
    """
    allowed = {"torch" if name.startswith("framework.") else "course_lib" for name in library}
    modules = {name: module for one in statements for name, module in _imported(one)}
    found = [f"imports {module}" for module in modules.values() if _is_odd(module)]
    for statement in statements:
        if not isinstance(statement, (ast.Import, ast.ImportFrom)):
            found += _of_statement(statement, modules, ELSEWHERE - allowed)
    return [one[:120] for one in dict.fromkeys(found)][:MOST]


def _is_odd(module):
    """Whether a module is neither a plain one nor one that a notebook of the course imports."""
    return module.split(".")[0] not in PLAIN | ELSEWHERE


def _imported(statement):
    """The names that imports anywhere in a statement give to modules."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Import):
            yield from ((one.asname or one.name.split(".")[0], one.name) for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((one.asname or one.name, node.module or ".") for one in node.names)


def _of_statement(statement, modules, elsewhere):
    """Sentences about what a statement uses."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and node.id in NAMES:
            yield f"uses {node.id}"
        elif isinstance(node, ast.Name) and modules.get(node.id, "").split(".")[0] in elsewhere:
            yield f"uses {modules[node.id].split('.')[0]}, which is not there when answers are graded"
        elif isinstance(node, ast.Attribute) and node.attr in ATTRIBUTES:
            yield f"uses .{node.attr}"
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for _, module in _imported(node):
                if module.split(".")[0] in elsewhere:
                    yield f"uses {module.split('.')[0]}, which is not there when answers are graded"
