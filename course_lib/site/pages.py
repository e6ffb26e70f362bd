"""Whole pages: what stands around the cells of a notebook, the first page, and the documents."""

import base64
import html
import json
import re
from functools import cache
from pathlib import Path

from course_lib.site import cells, links, prose
from course_lib.widgets import head as widget_head
from course_lib.workspace import CourseError

HERE = Path(__file__).parent
NAME = "Where Does the Gradient Go?"
# What students may not have is not among them: no solution becomes a page.
FOLDERS = ("notebooks", "exercises")
DOCUMENTS = ("glossary", "topics", "departures", "onnx")
READ_ONLY = (
    '<p class="note">Here you can read the exercise. To work on it, with <code>check</code> and <code>hint</code>, '
    "open it in the course: <code>python3 start.py</code>.</p>\n"
)
# Nothing may be loaded from anywhere: not by us, and not by what a notebook shows.
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
{style}</style>
{head}
</head>
<body class="{kind}">
<a class="skip" href="#main">To the text</a>
{top}
{contents}<main id="main">
{body}
</main>
{bottom}
</body>
</html>
"""


class Source:
    """A notebook or a document that becomes a page.

    Attributes
    ----------
    name : str
        Its path from the course's folder.
    title : str
        The text of its first heading.
    """

    def __init__(self, course, name):
        self.course, self.name = course, name
        self.text = (course / name).read_text(encoding="utf-8")
        found = re.search(r"^# (.+)$", self.prose(), re.MULTILINE)
        self.title = found[1].strip() if found else Path(name).stem

    @property
    def cells(self):
        """The notebook; an error in one sentence where the file is none."""
        try:
            return json.loads(self.text)
        except ValueError:
            raise CourseError(f"{self.name} is not a notebook. Make it again: python -m tools.build") from None

    def prose(self):
        """Its Markdown."""
        if self.name.endswith(".md"):
            return self.text
        written = [cell["source"] for cell in self.cells["cells"] if cell["cell_type"] == "markdown"]
        return "\n\n".join(map("".join, written))

    def body(self, headings):
        """Its content as HTML."""
        if self.name.endswith(".md"):
            return f'<div class="prose">\n{prose.render(self.text, headings)}</div>'
        made = cells.render(self.cells, headings)
        return made.replace("</h1>\n", f"</h1>\n{READ_ONLY}", 1) if self.name.startswith("exercises/") else made


def sources(course):
    """What becomes a page, in reading order.

    Raises
    ------
    CourseError
        If there are no notebooks.
    """
    notebooks = [f"{folder}/{path.name}" for folder in FOLDERS for path in sorted((course / folder).glob("*.ipynb"))]
    if not notebooks:
        raise CourseError(f"There are no notebooks in {course}. Make them: python -m tools.build")
    documents = [f"docs/{name}.md" for name in DOCUMENTS if (course / "docs" / f"{name}.md").exists()]
    return [Source(course, name) for name in [*notebooks, *documents]]


def everything(course):
    """Every page of the course: its HTML by its path from the folder that is written."""
    made = sources(course)
    names = [source.name for source in made]
    return {
        "index.html": index(made, course),
        **{links.page_name(source.name): page(source, made, names) for source in made},
    }


def page(source, made, names):
    """The page of one notebook or document."""
    headings = []
    body = links.mend(source.body(headings), source.name, names)
    group = [other for other in made if other.name.partition("/")[0] == source.name.partition("/")[0]]
    number = group.index(source)
    before = group[number - 1] if number else None
    after = group[number + 1] if number + 1 < len(group) else None
    around = [_around(source, before, "←", "prev"), _around(source, after, "→", "next")]
    return shell(
        title=f"{plain(source.title)} · {NAME}",
        top=_top(_relative(source.name, "index.html"), around),
        contents=_contents(headings),
        body=body,
        bottom=_bottom(around),
    )


def shell(title, top, body, contents="", bottom="", kind="text"):
    """A whole page around its content."""
    head = widget_head() if "data-explorable" in body or "data-predict" in body else ""
    return PAGE.format(
        policy=POLICY, title=html.escape(title), style=style(), head=head, kind=kind, top=top, contents=contents,
        body=body, bottom=bottom,
    )  # fmt: skip


@cache
def style():
    """The style sheet of all pages."""
    return (HERE / "style.css").read_text(encoding="utf-8")


def plain(title):
    """A title without Markdown's signs.

    Examples
    --------
    >>> plain("The `indices` of *max* pooling")
    'The indices of max pooling'
    """
    return re.sub(r"[`*]", "", title)


def _relative(name, target):
    """The way from the page of a file to another page."""
    return "../" * links.page_name(name).count("/") + target


def _around(source, other, arrow, relation):
    """The link to the page before or after."""
    if other is None:
        return ""
    href, title = _relative(source.name, links.page_name(other.name)), html.escape(plain(other.title))
    words = f"{arrow} {title}" if relation == "prev" else f"{title} {arrow}"
    return f'<a rel="{relation}" href="{href}">{words}</a>'


def _top(home, around):
    """The line above a page."""
    return f'<header class="top"><a class="home" href="{home}">{NAME}</a></header>'


def _bottom(around):
    """The line below a page, with the pages before and after."""
    return f'<footer class="bottom"><nav aria-label="Pages before and after">{"".join(around)}</nav></footer>'


def _contents(headings):
    """The list of a page's sections; nothing for a page with few."""
    sections = [(name, text) for level, name, text in headings if level == 2]
    if len(sections) < 3:
        return ""
    items = "".join(f'<li><a href="#{name}">{re.sub("<a[^>]*>|</a>", "", text)}</a></li>' for name, text in sections)
    return f'<nav class="contents" aria-label="On this page"><ol>{items}</ol></nav>\n'


def index(made, course):
    """The first page: what the course is, and the way to everything else."""
    picture = course / "docs" / "routing.png"
    hero = _hero(picture) if picture.exists() else ""
    groups = {"notebooks": "Chapters", "exercises": "Exercises", "docs": "To look up"}
    lists = [_list(title, [source for source in made if source.name.startswith(f"{folder}/")])
             for folder, title in groups.items()]  # fmt: skip
    return shell(NAME, "", f"{WELCOME}{hero}{''.join(lists)}{LAST}", kind="index")


WELCOME = f"""<h1>{NAME}</h1>
<p class="lead">A pooling layer turns many numbers into few. In training the gradient comes back the other way. Which
inputs get something, and how much? This course answers that for pooling and for convolution: by hand on a 4 × 4 grid,
as plain loops, in NumPy, and on photographs.</p>
<p>Every chapter lets you predict before it shows. The pictures that you can play with work right here, with the mouse,
with a finger or with the arrow keys.</p>
"""
ALT = (
    "Above, a 4 × 4 input and four upstream gradients. Max pooling sends each to the one input element that won its "
    "window; average pooling shares each equally among the four elements of the window. Below, the same on a photo."
)
LAST = """<p class="note">These pages are for reading and playing. In the course itself the code runs, exercises check
your answers, and your predictions are remembered: <code>python3 start.py</code>.</p>
"""


def _hero(picture):
    """The picture of the first page."""
    data = base64.b64encode(picture.read_bytes()).decode()
    return f'<p class="figure"><img src="data:image/png;base64,{data}" width="680" alt="{ALT}"></p>\n'


def _list(title, made):
    """The links to the pages of one kind."""
    if not made:
        return ""
    items = "".join(_item(source) for source in made)
    return f'<h2>{title}</h2>\n<ul class="pages">{items}</ul>\n'


def _item(source):
    """The link to one page: its number, its title, and its stars where it has some."""
    title = html.escape(plain(source.title))
    number, _, rest = title.partition(" · ")
    shown = f'<span class="number">{number}</span> {rest}' if rest and number.isdigit() else title
    return f'<li><a href="{links.page_name(source.name)}">{shown}</a></li>'
