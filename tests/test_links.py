"""No dead link: in the sources of the notebooks, on the pages of the repository, in its documents."""

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from course_lib.site.prose import slug
from course_lib.workspace import COURSE
from tools.convert import read_source, targets

TARGETS = {target.name: target for target in targets(COURSE)}
PAGES = sorted([*COURSE.glob("*.md"), *COURSE.glob("docs/*.md")])
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
INLINE = re.compile(r'(?<!\\)\]\(([^()\s]+(?:\([^()]*\))?)\)|(?:href|src)="([^"]+)"')
DEFINED = re.compile(r"^ {0,3}\[([^\]]+)\]:\s*(\S+)", re.MULTILINE)
REFERENCE = re.compile(r"\[[^\[\]]+\]\[([^\[\]]+)\]")
OUTSIDE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def links(text):
    """Where the links of a text in Markdown lead, and the names of references that lead nowhere."""
    text = CODE.sub("", text)
    defined = dict(DEFINED.findall(text))
    lost = [name for name in REFERENCE.findall(DEFINED.sub("", text)) if name not in defined]
    return [inline or attribute for inline, attribute in INLINE.findall(text)] + list(defined.values()), lost


def cells_of(name):
    """The cells of the notebook with a path from the course's folder."""
    target = TARGETS[name]
    return [
        cell for cell in read_source(target.source) if name.partition("/")[0] != "exercises" or not is_solution(cell)
    ]


def is_solution(cell):
    """Whether a cell is left out of exercises."""
    return "solution" in cell.metadata.get("tags", [])


@cache
def places(name):
    """What can follow a # in a link to a file: the ids of its cells, and its headings."""
    if name in TARGETS:
        cells = cells_of(name)
        prose = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
        return {f"cell-id={cell.id}" for cell in cells} | headings(prose)
    return headings((COURSE / name).read_text(encoding="utf-8"))


def headings(text):
    """The headings of a text, as a code host and as JupyterLab write them in addresses."""
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {slug(title) for title in titles} | {title.replace(" ", "-") for title in titles}


def dead(link, folder, own):
    """Why a link from a folder, and from a file with places of its own, is dead; nothing if it lives."""
    if OUTSIDE.match(link):
        return "" if re.match(r"https://[\w.-]+\.[a-z]+/?\S*$|mailto:", link) else "not an address"
    path, _, place = link.partition("#")
    if not path:
        return "" if place in own else "no such place in the file"
    target = (folder / path).resolve()
    name = target.relative_to(COURSE.resolve()).as_posix() if COURSE.resolve() in target.parents else None
    if name is None or not (name in TARGETS or target.exists()):
        return "no such file"
    return "" if not place or place in places(name) else "no such place in the file"


def complaints(text, folder, own=()):
    """The dead links of a text, each with the reason."""
    found, lost = links(text)
    return [(link, why) for link in found if (why := dead(link, folder, own))] + [
        (name, "not defined") for name in lost
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(COURSE).as_posix())
def test_page_has_no_dead_link(page):
    text = page.read_text(encoding="utf-8")
    assert complaints(text, page.parent, headings(text)) == []


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
def test_notebook_has_no_dead_link(target):
    # Cell by cell: a reference is defined in the cell that uses it, or JupyterLab shows its brackets.
    cells = [cell for cell in cells_of(target.name) if cell.cell_type == "markdown"]
    own = places(target.name)
    assert [found for cell in cells for found in complaints(cell.source, COURSE / target.folder, own)] == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[a](02_nothing.ipynb)", "no such file"),
        ("[a](../docs/onnx.md#nothing)", "no such place in the file"),
        ("[a](02_where_does_the_gradient_go.ipynb#cell-id=nothing)", "no such place in the file"),
        ("[a](#nothing)", "no such place in the file"),
        ("[a][nothing]", "not defined"),
        ("[a]: 02_nothing.ipynb", "no such file"),
        ('<img src="nothing.png">', "no such file"),
        ("[a](../../../etc/passwd)", "no such file"),
        ("[a](http:/x)", "not an address"),
    ],
)
def test_a_dead_link_is_found(text, why):
    assert [found for _, found in complaints(text, COURSE / "notebooks")] == [why]


@pytest.mark.parametrize(
    "text",
    [
        "[a](02_where_does_the_gradient_go.ipynb#cell-id=bet)",
        "[a](../exercises/03_one_window_by_hand.ipynb)",
        "[a][b]\n\n[b]: ../docs/onnx.md",
        "`x[0][1]` and `[a](nothing)`",
        "[a](https://pytorch.org/docs/)",
    ],
)
def test_a_link_that_lives_is_left_alone(text):
    assert complaints(text, COURSE / "notebooks") == []


@pytest.mark.parametrize(("text", "status"), [("the gradient", 0), ("t" + "eh gradient", 65)])
def test_spelling_is_checked_with_our_words(tmp_path, text, status):
    pytest.importorskip("codespell_lib")
    (tmp_path / "page.md").write_text(f"{text}, dout\n", encoding="utf-8")
    command = [sys.executable, "-m", "codespell_lib", "--toml", str(Path(COURSE, "pyproject.toml")), "page.md"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True).returncode == status
