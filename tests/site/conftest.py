"""A small course of its own: two chapters, an exercise with its solution, a document."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from course_lib.widgets import RoutingExplorer, predict

PNG = "iVBORw0KGgo="
VIEW = "application/vnd.jupyter.widget-view+json"


def markdown(source, name="text", **metadata):
    """A cell of prose."""
    return new_markdown_cell(source, id=name, metadata=metadata)


def code(source, *outputs, name="code", **metadata):
    """A cell of code with its outputs."""
    return new_code_cell(source, id=name, outputs=list(outputs), execution_count=1, metadata=metadata)


def shown(data, **metadata):
    """What a cell shows as its last value."""
    return new_output("execute_result", data=data, metadata=metadata, execution_count=1)


def notebook(*cells, widgets=()):
    """A notebook with the states of widgets, named w0, w1, …"""
    made = new_notebook(cells=list(cells))
    state = {f"w{number}": {"state": widget.get_state()} for number, widget in enumerate(widgets)}
    made.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": {"state": state}}
    return made


@pytest.fixture
def course(tmp_path, monkeypatch):
    """The folder of the course."""
    monkeypatch.setenv("COURSE_WORK", str(tmp_path / "work"))
    asked = predict("01-a", "How many?", choices=["1", "2"], answer="2")
    widgets = [asked, RoutingExplorer([[1.0, 2.0], [3.0, 4.0]], kernel_size=2, stride=1, padding=0, operation="max")]
    files = {
        "notebooks/00_start.ipynb": notebook(markdown("# 00 · How to begin?\n\n[next](01_next.ipynb#cell-id=there)")),
        "notebooks/01_next.ipynb": notebook(
            markdown("# 01 · What next?\n\n$k^2$ and $$\\sum_i x_i$$\n\n## One\n\n## Two\n\n## Three"),
            code(
                "predict()",
                shown({VIEW: {"model_id": "w0"}, "text/plain": "?"}),
                name="ask",
                jupyter={"source_hidden": True},
            ),
            code("explorer", shown({VIEW: {"model_id": "w1"}, "text/plain": "?"}), name="there"),
            code(
                "picture",
                shown({"image/png": PNG, "text/plain": "1 2"}, **{"image/png": {"width": 40, "alt": "1 < 2"}}),
            ),
            widgets=widgets,
        ),
        "exercises/01_try.ipynb": notebook(
            markdown(
                "# Exercise 1 ★ Try\n\n[solution](../solutions/01_try.ipynb) [chapter](../notebooks/01_next.ipynb)"
            )
        ),
        "solutions/01_try.ipynb": notebook(markdown("# The secret\n\nIt is the plus sign.")),
    }
    for name, made in files.items():
        path = tmp_path / "course" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(made, path)
    (tmp_path / "course" / "docs").mkdir()
    (tmp_path / "course" / "docs" / "glossary.md").write_text(
        "# Glossary\n\n[next](../notebooks/01_next.ipynb#cell-id=there)\n"
    )
    return tmp_path / "course"
