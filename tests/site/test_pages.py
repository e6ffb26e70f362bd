"""The static pages: what they hold, where their links lead, and what they leave out."""

import re
from html.parser import HTMLParser
from pathlib import Path
from posixpath import dirname, join, normpath

import pytest

from course_lib.site.pages import everything
from course_lib.workspace import COURSE, CourseError


class Reader(HTMLParser):
    """The tags of a page, with their attributes."""

    def __init__(self, page):
        super().__init__()
        self.tags = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        """Notes a tag."""
        self.tags.append((tag, dict(attributes)))

    def all(self, tag):
        """The attributes of every tag of a kind."""
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture
def pages(course):
    """The pages of the small course."""
    return everything(course)


@pytest.fixture(scope="module")
def real():
    """The pages of this course."""
    return everything(COURSE)


def test_every_notebook_and_document_has_a_page(pages):
    assert set(pages) == {
        "index.html", "glossary.html", "chapters/00_start.html", "chapters/01_next.html", "exercises/01_try.html",
    }  # fmt: skip


def test_no_solution_becomes_a_page_or_is_linked_to(pages):
    text = "".join(pages.values())
    assert "secret" not in text
    assert "solutions/" not in text
    assert "solution <a" in pages["exercises/01_try.html"] or ">solution <" in pages["exercises/01_try.html"]


def test_link_to_a_notebook_leads_to_its_page_and_cell(pages):
    assert '<a href="01_next.html#there">next</a>' in pages["chapters/00_start.html"]
    assert '<a href="../chapters/01_next.html">chapter</a>' in pages["exercises/01_try.html"]
    assert '<a href="chapters/01_next.html#there">next</a>' in pages["glossary.html"]
    assert 'id="there"' in pages["chapters/01_next.html"]


def test_pages_of_one_kind_lead_to_each_other(pages):
    assert '<a rel="next" href="../chapters/01_next.html">01 · What next? →</a>' in pages["chapters/00_start.html"]
    assert '<a rel="prev" href="../chapters/00_start.html">← 00 · How to begin?</a>' in pages["chapters/01_next.html"]
    assert "<a rel=" not in pages["exercises/01_try.html"]


def test_index_names_everything(pages):
    assert '<a href="chapters/01_next.html"><span class="number">01</span> What next?</a>' in pages["index.html"]
    assert '<a href="exercises/01_try.html">Exercise 1 ★ Try</a>' in pages["index.html"]
    assert '<a href="glossary.html">Glossary</a>' in pages["index.html"]


def test_formulas_are_mathml(pages):
    page = pages["chapters/01_next.html"]
    assert '<math display="inline"><mrow><msup><mi>k</mi><mn>2</mn></msup></mrow></math>' in page
    assert '<math display="block">' in page
    assert "$" not in re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)


def test_code_that_holds_the_answer_is_left_out(pages):
    assert "predict()" not in pages["chapters/01_next.html"].partition("<script")[0]
    assert "predict</span>" not in pages["chapters/01_next.html"]


def test_widgets_and_predictions_have_their_state(pages):
    page = pages["chapters/01_next.html"]
    assert page.count("<div data-predict>") == page.count("<div data-explorable>") == 1
    assert "_esm" not in page.partition("<main")[2]


def test_only_a_page_with_widgets_has_the_script(pages):
    assert [name for name, page in pages.items() if "mountAll" in page] == ["chapters/01_next.html"]


def test_a_picture_has_its_size_and_its_text(pages):
    (picture,) = Reader(pages["chapters/01_next.html"]).all("img")
    assert (picture["width"], picture["alt"]) == ("40", "1 < 2")


def test_sections_are_listed_where_there_are_three(pages):
    assert '<nav class="contents"' in pages["chapters/01_next.html"]
    assert '<li><a href="#two">Two</a></li>' in pages["chapters/01_next.html"]
    assert '<nav class="contents"' not in pages["chapters/00_start.html"]


def test_exercise_says_where_it_can_be_done(pages):
    assert '</h1>\n<p class="note">Here you can read the exercise.' in pages["exercises/01_try.html"]


def test_a_course_without_notebooks_is_refused(tmp_path):
    with pytest.raises(CourseError, match="There are no notebooks in"):
        everything(tmp_path)


def test_a_file_that_is_no_notebook_is_refused(course):
    (course / "notebooks" / "02_broken.ipynb").write_text("{")
    with pytest.raises(CourseError, match="notebooks/02_broken.ipynb is not a notebook"):
        everything(course)


def test_real_pages_lead_nowhere_but_to_each_other_and_outside(real):
    read = {name: Reader(page) for name, page in real.items()}
    ids = {name: {a["id"] for _, a in reader.tags if "id" in a} for name, reader in read.items()}
    for name, reader in read.items():
        for link in reader.all("a"):
            path, _, place = link["href"].partition("#")
            if re.match("[a-z]+:", path):
                continue
            target = normpath(join(dirname(name), path)) if path else name
            assert target in real, (name, link)
            assert not place or place in ids[target], (name, link)


def test_real_pages_load_nothing(real):
    for name, page in real.items():
        loaded = [
            a.get("src") or a.get("href") for tag in ("img", "script", "link", "iframe") for a in Reader(page).all(tag)
        ]
        assert all(address is None or address.startswith("data:") for address in loaded), name
        assert "default-src 'none'" in page


def test_real_pages_have_ids_once(real):
    for name, page in real.items():
        ids = [attributes["id"] for _, attributes in Reader(page).tags if "id" in attributes]
        assert len(ids) == len(set(ids)), name


def test_real_pictures_have_an_alternative_text(real):
    pictures = [picture for page in real.values() for picture in Reader(page).all("img")]
    assert pictures
    assert all(picture["alt"].strip() for picture in pictures)


def test_real_pages_hold_no_line_of_a_solution_that_an_exercise_leaves_out(real):
    import json

    for path in sorted((COURSE / "solutions").glob("*.ipynb")):
        solved, unsolved = (json.loads(Path(file).read_text()) for file in (path, COURSE / "exercises" / path.name))
        own = {"".join(cell["source"]) for cell in solved["cells"]} - {
            "".join(cell["source"]) for cell in unsolved["cells"]
        }
        lines = {line.strip() for source in own for line in source.splitlines() if len(line.strip()) > 40}
        shown = {line.strip() for cell in unsolved["cells"] for line in "".join(cell["source"]).splitlines()}
        page = re.sub(r"<[^>]+>", "", real[f"exercises/{path.stem}.html"])
        assert not [line for line in lines - shown if line in page]
