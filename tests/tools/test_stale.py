import json

import nbformat
import pytest

from course_lib.widgets import prediction
from course_lib.widgets.explorable import modules
from tools.convert import Target, targets
from tools.stale import check, old_widgets, orphans

NAME = "notebooks/01_sample.ipynb"


@pytest.fixture
def edit(built):
    """Changes the stored chapter by a function of its JSON, and returns what the check says."""

    def messages(change):
        path = built / NAME
        stored = json.loads(path.read_text(encoding="utf-8"))
        change(stored)
        path.write_text(json.dumps(stored), encoding="utf-8")
        return check([Target(built, "notebooks", "01_sample")])

    return messages


def code_cell(stored, number):
    """The code cell of a number, counted from 0."""
    return [cell for cell in stored["cells"] if cell["cell_type"] == "code"][number]


CHANGES = {
    "text": (lambda stored: stored["cells"][1].update(source="x = 1"), "another text"),
    "prose": (lambda stored: stored["cells"][0].update(source="# Other"), "another text"),
    "id": (lambda stored: stored["cells"][1].update(id="other"), "another id"),
    "tag": (lambda stored: stored["cells"][1]["metadata"].update(tags=["stub"]), "another metadata"),
    "timing": (lambda stored: stored["cells"][1]["metadata"].update(execution={}), "another metadata"),
    "kind": (lambda stored: stored["cells"][0].update(cell_type="raw"), "another kind"),
    "cell lost": (lambda stored: stored["cells"].pop(), "its source"),
    "cell added": (lambda stored: stored["cells"].append(dict(stored["cells"][0], id="more")), "its source"),
    "version": (lambda stored: stored["metadata"]["language_info"].update(version="3.11"), "its metadata differs"),
    "format": (lambda stored: stored.update(nbformat_minor=4), "is not a notebook"),
    "not executed": (
        lambda stored: code_cell(stored, 2).update(execution_count=None),
        "not executed in its turn: cell",
    ),
    "executed by hand": (lambda stored: code_cell(stored, 2).update(execution_count=9), "not executed in its turn"),
}


@pytest.mark.parametrize(("change", "message"), CHANGES.values(), ids=CHANGES)
def test_check_notices(edit, change, message):
    (found,) = edit(change)
    assert message in found
    assert found.startswith(NAME)
    assert found.endswith(f"Run: python -m tools.build {NAME}")


def test_check_leaves_outputs_to_nbval(edit):
    assert edit(lambda stored: code_cell(stored, 0).update(outputs=[])) == []


def test_check_takes_what_was_built(built_once):
    assert check(targets(built_once)) == []


def test_check_notices_an_edited_source(built):
    source = built / "sources" / "exercises" / "01_sample.py"
    source.write_text(source.read_text(encoding="utf-8").replace("add(1, 2)", "add(1, 3)"), encoding="utf-8")
    assert [message.partition(" ")[0] for message in check(targets(built))] == [
        "exercises/01_sample.ipynb",
        "solutions/01_sample.ipynb",
    ]


def test_check_notices_an_edited_solution_in_solutions_only(built):
    source = built / "sources" / "exercises" / "01_sample.py"
    source.write_text(source.read_text(encoding="utf-8").replace("a + b", "b + a"), encoding="utf-8")
    assert [message.partition(" ")[0] for message in check(targets(built))] == ["solutions/01_sample.ipynb"]


def test_check_notices_a_missing_notebook(built):
    (built / NAME).unlink()
    assert check(targets(built)) == [f"{NAME} is missing. Run: python -m tools.build {NAME}"]


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"cells": 1}'])
def test_check_notices_what_is_no_notebook(built, text):
    (built / NAME).write_text(text, encoding="utf-8")
    (message,) = check(targets(built))
    assert message.startswith(f"{NAME} is not a notebook")


@pytest.mark.parametrize("folder", ["notebooks", "exercises", "solutions"])
def test_orphans_are_notebooks_without_a_source(built, folder):
    (built / folder / "09_old.ipynb").write_text("{}", encoding="utf-8")
    (message,) = orphans(built)
    assert message.startswith(f"{folder}/09_old.ipynb has no source. Delete it")


PRESENT = modules()[0], (prediction.alone(), prediction.style())


@pytest.mark.parametrize(("drawing", "stale"), [("", 0), ("// an older drawing", 1)])
@pytest.mark.parametrize(("esm", "css"), PRESENT, ids=["explorable", "prediction"])
def test_check_notices_a_widget_stored_with_an_older_script(esm, css, drawing, stale):
    state = {"_anywidget_id": "course_lib.widgets.Any", "_esm": esm + drawing, "_css": css}
    stored = nbformat.v4.new_notebook()
    stored.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": {"state": {"id1": {"state": state}}}}
    assert len(list(old_widgets(stored))) == stale
