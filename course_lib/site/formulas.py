"""Formulas in a text: found before Markdown sees them, and turned into MathML."""

import re

from latex2mathml.converter import convert

from course_lib.workspace import CourseError

# Code keeps its dollar signs. Between two of them there is no empty line, and no space beside a single one.
PATTERN = re.compile(
    r"(?P<code>(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)|\\\$)"
    r"|\$\$(?P<display>.+?)\$\$"
    r"|\$(?P<inline>[^\s$](?:(?:(?!\n\s*\n)[^$])*[^\s$])?)\$(?!\d)",
    re.DOTALL,
)
REPAIRS = {
    ' xmlns=""': "",
    # An underscore is escaped in LaTeX's text, where MathML has nothing to escape.
    "\\_": "_",
    # The sign of a transposed matrix as a letter: browsers lift the other one too high.
    "<mo>&#x022A4;</mo>": '<mi mathvariant="normal">T</mi>',
    # A slash between numbers has no space around it.
    "<mo>&#x0002F;</mo>": '<mo lspace="0" rspace="0">/</mo>',
}
# Letters of Unicode's private area, which no text of the course holds.
OPEN, CLOSE = "\ue000", "\ue001"


def mathml(latex, display=False):
    """A formula as MathML.

    Parameters
    ----------
    latex : str
    display : bool
        Whether it stands on a line of its own.

    Raises
    ------
    CourseError
        If it holds a command that is not known.

    Examples
    --------
    >>> mathml("k^2")
    '<math display="inline"><mrow><msup><mi>k</mi><mn>2</mn></msup></mrow></math>'
    """
    try:
        made = convert(" ".join(latex.split()), xmlns="", display="block" if display else "inline")
    except Exception as error:
        raise CourseError(f"The formula {latex!r} cannot be turned into MathML: {error}.") from error
    for written, better in REPAIRS.items():
        made = made.replace(written, better)
    if "\\" in made:
        raise CourseError(f"The formula {latex!r} holds a command that cannot be turned into MathML.")
    return made


def take_out(text):
    """A text with marks in the place of its formulas, and the formulas as MathML, in order."""
    found = []

    def mark(match):
        if match["code"] is not None:
            return match[0]
        found.append(mathml(match["display"] or match["inline"], match["display"] is not None))
        return f"{OPEN}{len(found) - 1}{CLOSE}"

    return PATTERN.sub(mark, text), found


def put_back(html, found):
    """The HTML of a text with its formulas in the place of the marks."""
    return re.sub(f"{OPEN}(\\d+){CLOSE}", lambda match: found[int(match[1])], html)
