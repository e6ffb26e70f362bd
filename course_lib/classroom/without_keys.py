"""The modules of exercises as students get them: keys are sealed, and worked answers stay with the teacher."""

import ast
import hashlib
import re

from course_lib.exercises.fill_in import RightFormula, RightIndices
from course_lib.exercises.registry import find
from course_lib.exercises.sealed import hashed, shut

MODULE = re.compile(r"course_lib/exercises/(?:ex(\d\d)|tasks/ch(\d\d))_\w+\.py")
IMPORT = "\nfrom course_lib.exercises.sealed import named, opened\n"
# As long as the longest key, so that none is told by its length.
ROOM, REFUTATION = 40, 400


def modules(files, options):
    """The modules of a release that differ from the course's own.

    Parameters
    ----------
    files : dict of str to bytes
    options : Options

    Returns
    -------
    dict of str to bytes
    """
    found = {name: MODULE.fullmatch(name) for name in files}
    exercises = {name: find(int(match[1]) if match[1] else match[2]) for name, match in found.items() if match}
    return {name: sealed(files[name].decode(), exercise, options).encode() for name, exercise in exercises.items()}


def sealed(text, exercise, options):
    """The text of one module without its keys.

    Parameters
    ----------
    text : str
    exercise : Exercise
        What the module defines.
    options : Options
    """
    tree = ast.parse(text)
    changes = [] if options.worked else list(worked(tree))
    if exercise.number not in options.solutions:
        changes += [*options_of(tree, exercise), *formulas(tree, exercise)]
    changed = replaced(text, changes)
    return with_import(changed) if "named(" in changed or "opened(" in changed else changed


def worked(tree):
    """The worked answer of a task."""
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "worked":
            yield node.value, '""'


def options_of(tree, exercise):
    """The options of choices: what each wrong one means, and so which is right."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict) and all(map(is_option, node.values)) and node.values:
            for key, call in zip(node.keys, node.values, strict=True):
                yield call, option(exercise, key.value, call)


def is_option(node):
    """Whether a node is an option of a choice."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("Option", "Statement")


def option(exercise, letter, call):
    """One option with its meaning sealed."""
    words, meaning = ast.unparse(call.args[0]), call.args[1].value if len(call.args) > 1 else ""
    salt = salted(exercise, letter, words)
    if call.func.id == "Option":
        return f"Option({words}, named({letter!r}, {salt!r}, {hashed(letter, salt, meaning)!r}))"
    return f"Statement({words}, opened({salt!r}, {shut(salt, meaning, REFUTATION)!r}))"


def formulas(tree, exercise):
    """The right formulas and indices: arguments behind the name of what is judged."""
    rights = {
        judged.name: judged.right for judged in exercise.properties if isinstance(judged, RightFormula | RightIndices)
    }
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args]
    found = {
        constant(call.args[0]): place
        for call in calls
        for place in call.args[1:]
        if constant(place) is not None and constant(place) == rights.get(constant(call.args[0]))
    }
    for name, right in rights.items():
        salt = salted(exercise, name)
        # A key that is not found here is an error, never one that ships.
        yield found[name], f"opened({salt!r}, {shut(salt, right, ROOM)!r})"


def salted(exercise, *words):
    """A salt for one key, the same in every release."""
    return hashlib.sha256("|".join([exercise.name, *words]).encode()).hexdigest()[:8]


def constant(node):
    """The text that a node is; None for another."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def replaced(text, changes):
    """A module with the text of some nodes replaced."""
    lines = text.encode().splitlines(keepends=True)
    starts = [sum(map(len, lines[:number])) for number in range(len(lines) + 1)]
    data = text.encode()
    for node, new in sorted(changes, key=lambda change: (change[0].lineno, change[0].col_offset), reverse=True):
        first, last = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
        data = data[:first] + new.encode() + data[last:]
    return data.decode()


def with_import(text):
    """A module that can open what was sealed; the import stands behind the docstring."""
    first = ast.parse(text).body[0]
    lines = text.splitlines(keepends=True)
    return "".join([*lines[: first.end_lineno], IMPORT, *lines[first.end_lineno :]])
