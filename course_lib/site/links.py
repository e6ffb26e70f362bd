"""Links between the pages: those of the notebooks and documents lead to files that the pages replace."""

import html
import posixpath
import re

ATTRIBUTE = re.compile(r'<a href="(?P<to>[^"]*)"(?P<rest>[^>]*)>(?P<text>.*?)</a>', re.DOTALL)
OUTSIDE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
FOLDERS = {"notebooks": "chapters"}


def page_name(name):
    """The page that a file of the course becomes, by its path from the root.

    Examples
    --------
    >>> page_name("notebooks/02_where_does_the_gradient_go.ipynb")
    'chapters/02_where_does_the_gradient_go.html'
    >>> page_name("docs/glossary.md")
    'glossary.html'
    """
    folder, _, file = name.rpartition("/")
    place = {"docs": ""}.get(folder, FOLDERS.get(folder, folder))
    return posixpath.join(place, re.sub(r"\.(ipynb|md)$", ".html", file))


def mend(text, name, pages):
    """The HTML of one page with its links to files of the course led to their pages.

    Parameters
    ----------
    text : str
    name : str
        The file that the page is made of, by its path from the root.
    pages : collection of str
        The files that become pages. The text of a link to any other file stays, the link does not.

    Returns
    -------
    str
    """
    return ATTRIBUTE.sub(lambda match: _link(match, name, pages), text)


def _link(match, name, pages):
    """One link, mended."""
    to = html.unescape(match["to"])
    if OUTSIDE.match(to) or to.startswith("#"):
        return match[0].replace("#cell-id=", "#")
    path, _, place = to.partition("#")
    target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
    if target not in pages:
        return match["text"]
    here = posixpath.dirname(page_name(name)) or "."
    place = f"#{place.removeprefix('cell-id=')}" if place else ""
    address = html.escape(posixpath.relpath(page_name(target), here) + place)
    return f'<a href="{address}"{match["rest"]}>{match["text"]}</a>'
