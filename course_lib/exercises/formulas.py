"""Formulas that a learner types: read without running them, and compared by their values."""

import ast
import math
import operator
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from course_lib.exercises import faults
from course_lib.exercises.faults import Fault, type_name

LONGEST = 200
WRITTEN = {"·": "*", "×": "*", "−": "-", "–": "-", "²": "**2", "³": "**3", "ε": "eps"}
OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}
FUNCTIONS = {"sqrt": math.sqrt, "cbrt": math.cbrt, "abs": abs}
ALLOWED = f"numbers, variables, + - * / ** and brackets, and {', '.join(FUNCTIONS)} of one number"
NO_SIGN = "write * between factors"


@dataclass(frozen=True)
class Formula:
    """An answer that is a formula in some variables: text, or a number.

    Attributes
    ----------
    name : str
    variables : tuple of str
    """

    name: str
    variables: tuple = ()

    def read(self, value, calls):
        """The formula as a tree."""
        if faults.is_instance(value, np.number):
            value = value.item()
        if faults.is_exactly(value, int, float, Fraction):
            value = self._number(value)
        if not issubclass(type(value), str):
            kind = type_name(value)
            message = f"{self.name} must be a formula in quotation marks, or a number; got a value of type {kind}"
            raise Fault(faults.NOT_USABLE, message)
        return self.parsed(str.__str__(value))

    def _number(self, value):
        """The text of a number."""
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise self._unusable("must be a formula, or a finite number that a float can hold")
        return repr(number)

    def parsed(self, text):
        """The tree of a formula's text.

        Raises
        ------
        Fault
            With a sentence for everything that is not a formula in the variables.
        """
        if not text.strip(" ._?"):
            raise faults.not_started()
        for sign, ascii_sign in WRITTEN.items():
            text = text.replace(sign, ascii_sign)
        if len(text) > LONGEST:
            raise self._unusable(f"is longer than {LONGEST} characters")
        if "^" in text:
            raise self._unusable("holds a ^: write ** for a power")
        try:
            with warnings.catch_warnings(action="ignore"):
                tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError):
            missing = re.search(r"\d\s*[A-Za-z(]|\)\s*[\w(]|[A-Za-z]\s+\w", text)
            advice = NO_SIGN if missing else "is a bracket or a sign missing?"
            raise self._unusable(f"is no formula: {advice}") from None
        self._check(tree)
        return tree

    def _check(self, tree):
        """Refuses everything in a tree but numbers, variables, signs and a few functions."""
        if isinstance(tree, ast.Name) and tree.id not in self.variables:
            known = f"its variables are {', '.join(self.variables)}" if self.variables else "it has no variables"
            raise self._unusable(f"holds {faults.clean(tree.id, 20)}, but {known}")
        if isinstance(tree, ast.Constant) and type(tree.value) not in (int, float):
            raise self._unusable("holds something else than numbers")
        parts = _parts(tree)
        if not parts and not isinstance(tree, ast.Name | ast.Constant):
            raise self._unusable(f"is no formula: {NO_SIGN}" if isinstance(tree, ast.Call) else f"may hold {ALLOWED}")
        for part in parts:
            self._check(part)

    def _unusable(self, sentence):
        """The fault, with the answer's name in front."""
        return Fault(faults.NOT_USABLE, f"{self.name} {sentence}")


def _parts(tree):
    """The parts of a tree that are formulas themselves; none for a leaf and for what is no formula."""
    if isinstance(tree, ast.BinOp) and type(tree.op) in OPERATORS:
        return tree.left, tree.right
    if isinstance(tree, ast.UnaryOp) and type(tree.op) in OPERATORS:
        return (tree.operand,)
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id in FUNCTIONS:
        return tuple(tree.args) if len(tree.args) == 1 and not tree.keywords else ()
    return ()


def variables(tree):
    """The variables that a formula holds."""
    return {part.id for part in ast.walk(tree) if isinstance(part, ast.Name)} - set(FUNCTIONS)


def evaluate(tree, values):
    """The value of a formula, a float; NaN where it has none.

    Parameters
    ----------
    tree : ast.AST
        What `Formula.read` gives.
    values : mapping of str to float

    Examples
    --------
    >>> evaluate(Formula("row", ("r", "u")).parsed("r + 2·u"), {"r": 3, "u": 5})
    13.0
    """
    try:
        value = _value(tree, values)
    except (ArithmeticError, ValueError):
        return math.nan
    return math.nan if isinstance(value, complex) else float(value)


def _value(tree, values: Mapping):
    """The value of one part; all numbers are floats, so that no power grows without end."""
    if isinstance(tree, ast.Constant):
        return float(tree.value)
    if isinstance(tree, ast.Name):
        return float(values[tree.id])
    parts = [_value(part, values) for part in _parts(tree)]
    function = FUNCTIONS[tree.func.id] if isinstance(tree, ast.Call) else OPERATORS[type(tree.op)]
    return function(*parts)
