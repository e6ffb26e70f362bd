import io
import json

import matplotlib
import nbformat
import pytest
from matplotlib.figure import Figure
from nbformat.v4 import new_code_cell, new_notebook, new_output

from tools.convert import METADATA, Target
from tools.execute import BuildError
from tools.tidy import STATE, VIEW, keep_ignored, merge_streams, number_widgets, plain_png, sanitize, tidy


@pytest.fixture
def target(tmp_path):
    return Target(tmp_path, "notebooks", "01_sample")


def showing(*outputs, tags=()):
    """A notebook with one cell and these outputs."""
    cell = new_code_cell("x", outputs=list(outputs), metadata={"tags": list(tags)} if tags else {})
    return new_notebook(cells=[cell], metadata=METADATA)


def result(**data):
    """The value of a cell, by kind."""
    return new_output("execute_result", data={kind.replace("_", "/"): text for kind, text in data.items()})


def printed(text, name="stdout"):
    return new_output("stream", name=name, text=text)


def widget(model, repr_="Explorer", **state):
    """A cell that shows a widget, and the state of its model."""
    made = showing(new_output("execute_result", data={"text/plain": repr_, VIEW: {"model_id": model}}))
    made.metadata.widgets = {STATE: {"state": {model: {"model_name": "AnyModel", "state": state}}}}
    return made


def test_tidy_removes_addresses(target):
    notebook = tidy(showing(result(text_plain="<object object at 0x7f3c5a2e1b20>")), target)
    assert notebook.cells[0].outputs[0].data["text/plain"] == "<object object at ADDRESS>"


def test_sanitize_leaves_numbers_alone():
    assert sanitize("looks at 10 windows, 0x10, 3 s") == "looks at 10 windows, 0x10, 3 s"


@pytest.mark.parametrize("path", ["/tmp/ipykernel_123/456.py", r"C:\Users\x\Temp\ipykernel_123\456.py"])
def test_sanitize_replaces_the_file_of_a_cell(path):
    assert sanitize(f"{path}:1: UserWarning") == "CELL:1: UserWarning"


def test_tidy_writes_paths_in_a_traceback_from_the_root(target):
    error = new_output(
        "error", ename="E", evalue="", traceback=[f"\x1b[31mFile {target.root}/course_lib/x.py:3\x1b[0m"]
    )
    notebook = tidy(showing(error, tags=["raises-exception"]), target)
    assert notebook.cells[0].outputs[0].traceback == ["File course_lib/x.py:3"]


def test_tidy_refuses_a_printed_path(target):
    with pytest.raises(BuildError, match=r"notebooks/01_sample.ipynb, cell 1 \(x\) prints a path of this machine"):
        tidy(showing(printed(f"saved to {target.root}/a.npy")), target)


def test_tidy_refuses_standard_error(target):
    with pytest.raises(BuildError, match="writes to standard error: UserWarning: careful"):
        tidy(showing(printed("first line\nUserWarning: careful\n", "stderr")), target)


def test_tidy_takes_standard_error_where_nothing_is_compared(target):
    assert tidy(showing(printed("50 %", "stderr"), tags=["nbval-ignore-output"]), target).cells[0].outputs


@pytest.mark.parametrize("text", ["Explorer(\n3)", "Explorer" * 20], ids=["two lines", "long"])
def test_tidy_refuses_a_long_form_of_a_widget(target, text):
    with pytest.raises(BuildError, match="shows a widget whose repr is not one line"):
        tidy(widget("a" * 32, text), target)


def test_tidy_refuses_a_heavy_widget(target):
    with pytest.raises(BuildError, match="the state of widget Explorer is 400 kB; at most 300 kB are stored"):
        tidy(widget("a" * 32, _anywidget_id="Explorer", table="0" * 400_000), target)


def test_tidy_keeps_the_state_of_widgets(target):
    assert list(tidy(widget("a" * 32, n=3), target).metadata.widgets[STATE]["state"].values())[0]["state"] == {"n": 3}


def test_tidy_forgets_the_version_of_the_kernel(target):
    notebook = showing()
    notebook.metadata.language_info.version = "3.11.7"
    assert tidy(notebook, target).metadata == METADATA


def test_number_widgets_follows_the_order_of_making():
    first, second = "f" * 32, "a" * 32
    notebook = widget(first, layout=f"IPY_MODEL_{second}")
    notebook.metadata.widgets[STATE]["state"][second] = {"model_name": "LayoutModel", "state": {}}
    numbered = number_widgets(notebook)
    assert numbered.cells[0].outputs[0].data[VIEW]["model_id"] == f"{1:032x}"
    assert numbered.metadata.widgets[STATE]["state"][f"{1:032x}"]["state"]["layout"] == f"IPY_MODEL_{2:032x}"
    assert second not in json.dumps(numbered)


def test_merge_streams_joins_what_was_printed_in_one_go():
    assert [output.text for output in merge_streams([printed("a"), printed("b\n")])] == ["ab\n"]


def test_merge_streams_keeps_the_order_of_text_and_pictures():
    outputs = [printed("before"), result(text_plain="x"), printed("after")]
    assert merge_streams(outputs) == outputs


def test_plain_png_has_no_author_and_the_same_picture(rng):
    figure = Figure(figsize=(1, 1))
    figure.subplots().imshow(rng.random((3, 3)))
    stream = io.BytesIO()
    figure.savefig(stream, format="png", metadata={"Author": "me", "Creation Time": "now"})
    plain = plain_png(stream.getvalue())
    assert b"Author" in stream.getvalue()
    assert b"Author" not in plain
    assert b"Software" not in plain
    stream.seek(0)
    before, after = matplotlib.image.imread(stream), matplotlib.image.imread(io.BytesIO(plain))
    assert (before == after).all()


def test_keep_ignored_keeps_the_stored_measurement(built):
    target = Target(built, "notebooks", "01_sample")
    stored = nbformat.read(target.path, as_version=4)
    new = nbformat.read(target.path, as_version=4)
    measured = next(cell for cell in new.cells if "nbval-ignore-output" in cell.metadata.get("tags", []))
    measured.outputs[0].data["text/plain"] = "0.5"
    assert keep_ignored(new, target) == stored


def test_keep_ignored_renews_the_measurement_with_the_numbers(built):
    target = Target(built, "notebooks", "01_sample")
    new = nbformat.read(target.path, as_version=4)
    next(cell for cell in new.cells if cell.id == "numbers").outputs[0].text = "largest 16.0\n"
    assert keep_ignored(new, target) is new
