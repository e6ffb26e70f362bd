"""Markdown as HTML: formulas as MathML, headings that can be linked to, tables that scroll on a narrow screen."""

import html
import re

import mistune

from course_lib.site import formulas


class Renderer(mistune.HTMLRenderer):
    """Markdown's own HTML, with an id for each heading."""

    def __init__(self, headings, taken):
        super().__init__(escape=False)
        self.headings, self.taken = headings, taken

    def heading(self, text, level, **_):
        """A heading, noted as (level, id, text)."""
        name = free_name(slug(text), {*self.taken, *(other for _, other, _ in self.headings)})
        self.headings.append((level, name, text))
        return f'<h{level} id="{name}">{text}</h{level}>\n'

    def table(self, text):
        """A table in a box of its own."""
        return f'<div class="table"><table>\n{text}</table></div>\n'


def slug(text):
    """A heading's text as an id.

    Examples
    --------
    >>> slug("What <em>if</em> windows overlap?")
    'what-if-windows-overlap'
    """
    words = re.findall(r"\w+", html.unescape(re.sub(r"<[^>]+>", "", text)).lower())
    return "-".join(words) or "section"


def free_name(name, taken):
    """The name, or the first of name-2, name-3, … that is not taken."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    return free


def render(text, headings, taken=()):
    """A text in Markdown as HTML.

    Parameters
    ----------
    text : str
    headings : list
        Where headings are noted, each as (level, id, text); those that it holds already keep their ids.
    taken : collection of str
        Other ids of the page.

    Returns
    -------
    str
    """
    marked, found = formulas.take_out(text)
    markdown = mistune.create_markdown(renderer=Renderer(headings, taken), plugins=["table", "strikethrough"])
    return formulas.put_back(markdown(marked), found)
