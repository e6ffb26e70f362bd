import asyncio

import pytest

from tools import execute as execute_module
from tools.convert import Target, notebook
from tools.execute import BuildError, execute


@pytest.fixture
def run(tmp_path):
    """Executes a chapter given as text and returns its notebook."""

    def executed(text):
        target = Target(tmp_path, "notebooks", "01_sample")
        target.source.parent.mkdir(parents=True)
        target.source.write_text(text, encoding="utf-8")
        made = notebook(target)
        asyncio.run(execute(made, target))
        return made

    return executed


def test_execute_names_notebook_cell_and_error(run):
    with pytest.raises(BuildError) as caught:
        run("# %% [markdown]\n# Prose.\n\n# %%\nx = 1\n1 / 0\n")
    assert str(caught.value) == "notebooks/01_sample.ipynb, cell 2 (x = 1) raises ZeroDivisionError: division by zero"


def test_execute_refuses_a_cell_that_should_raise_and_does_not(run):
    with pytest.raises(BuildError, match="is tagged 'raises-exception' and raises nothing"):
        run('# %% tags=["raises-exception"]\nx = 1\n')


def test_execute_ends_a_cell_that_runs_too_long(run, monkeypatch):
    monkeypatch.setattr(execute_module, "CELL_SECONDS", 1)
    with pytest.raises(BuildError, match=r"cell 1 \(import time\) runs longer than 1 s"):
        run("# %%\nimport time\n\ntime.sleep(60)\n")


def test_execute_reports_a_kernel_that_ends(run):
    with pytest.raises(BuildError, match=r"cell 1 \(import os\) ends the kernel"):
        run("# %%\nimport os\n\nos._exit(1)\n")


def test_execute_runs_in_the_folder_of_the_notebook(run):
    cell = run("# %%\nfrom pathlib import Path\n\nPath.cwd().name\n").cells[0]
    assert cell.outputs[0].data["text/plain"] == "'notebooks'"


def test_execute_gives_an_empty_work_folder(run):
    cell = run("# %%\nimport os\n\nos.listdir(os.environ['COURSE_WORK'])\n").cells[0]
    assert cell.outputs[0].data["text/plain"] == "[]"


def test_execute_shows_figures_whatever_the_backend_of_the_caller(run, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    cell = run("# %%\nimport matplotlib.pyplot as plt\n\nline = plt.plot([1, 2])\n").cells[0]
    assert "image/png" in cell.outputs[0].data


def test_execute_survives_output_widgets(run):
    cells = "".join(
        f"# %%\nout = Output()\nwith out:\n    print({number})\n\nout\n\n# %% [markdown]\n# {number}\n\n"
        for number in range(10)
    )
    made = run("# %%\nfrom ipywidgets import Output\n\n# %% [markdown]\n# Ten.\n\n" + cells)
    assert [cell.execution_count for cell in made.cells if cell.cell_type == "code"] == list(range(1, 12))
