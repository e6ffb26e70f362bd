"""Formulas, prose, links and cells, one by one."""

import pytest

from course_lib.site import cells, formulas, links, prose
from course_lib.workspace import CourseError
from tests.site.conftest import code, shown


def html(text):
    """A text in Markdown as HTML."""
    return prose.render(text, [])


def test_mathml_writes_underscores_plainly():
    assert '<mtext mathvariant="monospace">grad_input</mtext>' in formulas.mathml(r"\texttt{grad\_input}")


def test_mathml_refuses_what_it_does_not_know():
    with pytest.raises(CourseError, match="cannot be turned into MathML"):
        formulas.mathml(r"\nosuchcommand x")


@pytest.mark.parametrize("text", ["`$k$`", "``a ` $k$``", "```\n$k$\n```", r"\$k and \$l", "it costs $5 or $6"])
def test_take_out_leaves_code_and_money_alone(text):
    assert formulas.take_out(text) == (text, [])


@pytest.mark.parametrize("text", ["$k$", "of $k\n\\cdot k$ is", "$$\nk\n$$", "`x` and $k$ and `y`", "| $|k|$ |"])
def test_take_out_finds_a_formula(text):
    marked, found = formulas.take_out(text)
    assert len(found) == 1
    assert "$" not in marked


def test_take_out_does_not_reach_over_an_empty_line():
    assert formulas.take_out("a $b\n\nc$ d")[1] == []


def test_render_keeps_a_formula_in_a_table():
    assert "<td><math" in html("| a |\n|---|\n| $\\left|k\\right|$ |\n")


def test_render_reads_markdown_in_details():
    made = html("<details>\n<summary>Think</summary>\n\n**Four**, $k$.\n\n</details>")
    assert "<summary>Think</summary>" in made
    assert "<p><strong>Four</strong>, <math" in made


def test_render_reads_links_by_reference():
    assert '<a href="a.ipynb">x</a>' in html("[x][y]\n\n[y]: a.ipynb\n")


def test_render_gives_headings_different_ids():
    headings = []
    prose.render("## The rule", headings), prose.render("## The rule", headings)
    assert [name for _, name, _ in headings] == ["the-rule", "the-rule-2"]


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("02_b.ipynb", '<a href="02_b.html">x</a>'),
        ("../exercises/03_c.ipynb#cell-id=check", '<a href="../exercises/03_c.html#check">x</a>'),
        ("../docs/onnx.md#a", '<a href="../onnx.html#a">x</a>'),
        ("#here", '<a href="#here">x</a>'),
        ("https://example.org/a.ipynb", '<a href="https://example.org/a.ipynb">x</a>'),
        ("../solutions/03_c.ipynb", "x"),
        ("../../etc/passwd", "x"),
    ],
)
def test_mend_leads_a_link_to_its_page(href, expected):
    pages = {"notebooks/02_b.ipynb", "exercises/03_c.ipynb", "docs/onnx.md"}
    assert links.mend(f'<a href="{href}">x</a>', "notebooks/01_a.ipynb", pages) == expected


def render(*made):
    """Cells as HTML."""
    return cells.render({"cells": list(made), "metadata": {}}, [])


def test_render_shows_the_best_form_of_an_output():
    data = {"text/plain": "plain", "text/html": "<b>rich</b>"}
    assert '<div class="shown"><b>rich</b></div>' in render(code("x", shown(data)))
    assert '<pre class="output">a &lt; b</pre>' in render(code("x", shown({"text/plain": "a < b"})))


def test_render_shows_the_text_of_a_widget_without_a_state():
    data = {"application/vnd.jupyter.widget-view+json": {"model_id": "lost"}, "text/plain": "Explorer"}
    assert '<pre class="output">Explorer</pre>' in render(code("x", shown(data)))


@pytest.mark.parametrize(
    ("tag", "folded", "gone"),
    [("hide-input", "Code", ""), ("hide-output", "Output", ""), ("remove-input", "", "secret")],
)
def test_render_obeys_the_tags(tag, folded, gone):
    made = render(code("secret", shown({"text/plain": "4"}), tags=[tag]))
    assert (f"<summary>{folded}</summary>" in made) is bool(folded)
    assert not gone or gone not in made
