"""The code of answers as words that two answers have in common, whatever was renamed, re-ordered or laid out anew.

It reads what students wrote, so it runs in the sandbox, as a program of ours: `similar_code` sends it there.
"""

import ast
import builtins
import contextlib
import io
import keyword
import tokenize

DEFINED = ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef
MOST_WORDS = 6000
KEPT = set(keyword.kwlist) | set(dir(builtins)) | {"np", "numpy", "self"}
LEFT_OUT = tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT, tokenize.ENDMARKER


def pieces(statements):
    """For each function and class: its name, and its words twice, as they are and without chosen names.

    Parameters
    ----------
    statements : list of ast.stmt

    Returns
    -------
    list of list of str
    """
    kept, left = [], MOST_WORDS
    for statement in statements:
        # What is too deep to be written out is left alone.
        with contextlib.suppress(RecursionError):
            name, written, plain = _piece(statement) if isinstance(statement, DEFINED) else ("", "", "")
            left -= len(written.split())
            kept += [[name, written, plain]] if name and left >= 0 else []
    return kept


def _piece(statement):
    """The name and the words of a statement."""
    text = ast.unparse(_without_docstrings(statement))
    words = [one for one in tokenize.generate_tokens(io.StringIO(text).readline) if one.type not in LEFT_OUT]
    written = " ".join("".join(one.string.split())[:40] for one in words)
    return statement.name, written, " ".join(_plain(words))


def _plain(words):
    """The words without chosen names and texts. What follows a dot was not chosen: it is a function of a library's."""
    before = ""
    for one in words:
        if one.type == tokenize.NAME and one.string not in KEPT and before != ".":
            yield "_"
        elif one.type == tokenize.STRING:
            yield "'"
        else:
            yield one.string[:40]
        before = one.string


def _without_docstrings(statement):
    """The statement; functions and classes in it lose their docstrings and hints of types."""
    for node in ast.walk(statement):
        if isinstance(node, DEFINED) and len(node.body) > 1 and ast.get_docstring(node, False) is not None:
            del node.body[0]
        if isinstance(node, ast.arg):
            node.annotation = None
        if isinstance(node, DEFINED[:2]):
            node.returns = None
    return statement
