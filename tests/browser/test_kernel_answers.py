"""What needs a kernel, in a real JupyterLab: the answer to a typed number, and how long it takes."""

import re

import nbformat
import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from course_lib.widgets import precision_formats as formats
from tests.browser.lab import errors, execute
from tests.browser.picture import Picture

pytestmark = pytest.mark.browser

# Every explorable that the chapters on convolution, checking, sparsity and precision show.
CELLS = [
    "import numpy as np\nfrom course_lib.widgets import *",
    "KernelGradientExplorer(np.arange(25.0).reshape(5, 5), np.eye(3))",
    "check = GradientCheckExplorer()\ncheck",
    "SparsityExplorer()",
    "precision = PrecisionExplorer()\nprecision",
]
NUMBERS = [round(float(number), 4) for number in np.random.default_rng(2).uniform(0.2, 900, 20)]
TRIES = 3

# From the event that the browser sends for a typed number to the picture that shows the kernel's answer to it.
TYPE = """async ([root, number]) => {
  const input = root.querySelector("[data-control='typed'] input");
  const begun = performance.now();
  input.value = number;
  input.dispatchEvent(new Event("change"));
  const end = begun + 5000;
  while (performance.now() < end) {
    if (Number(root.querySelector("[data-asked]").dataset.asked) === number) return performance.now() - begun;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return null;
}"""


@pytest.fixture(scope="module")
def opened(lab, browser):
    """A notebook with the four explorables, run in JupyterLab."""
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    cells = [new_code_cell(source) for source in CELLS]
    nbformat.write(new_notebook(cells=cells, metadata=kernel), lab.root / "answers.ipynb")
    page = lab.run(browser, "answers.ipynb", viewport={"width": 1280, "height": 3600})
    page.wait_for_function("document.querySelectorAll('.gx[data-drawn]').length === 4")
    yield page
    lab.put_away(page)


def explorable(page, kind):
    """The root of one explorable."""
    return page.locator(f".gx[data-kind='{kind}']").first


def test_notebook_runs_without_an_error(opened):
    assert errors(opened) == []


def test_kernel_answers_a_typed_number(opened):
    root = explorable(opened, "precision")
    assert opened.evaluate(TYPE, [root.element_handle(), 0.3]) is not None
    stated = re.match(r"float16 stores 0\.3 as ([\d.]+)\.", Picture(root).sentence)
    np.testing.assert_allclose(float(stated[1]), formats.stored([0.3], "float16")[0], rtol=1e-6)


def test_kernel_answers_in_time(opened):
    root = explorable(opened, "precision").element_handle()
    # Other work on the machine can hold up a whole series: one quiet series of three is enough.
    for _ in range(TRIES):
        times = [opened.evaluate(TYPE, [root, number]) for number in NUMBERS]
        figures = np.median(times), np.percentile(times, 95), np.max(times)
        print(
            "\nprecision, typed number, kernel's answer: median {:.1f}, p95 {:.1f}, largest {:.1f} ms".format(*figures)
        )
        if figures[0] < 100 and figures[1] < 300:
            return
    raise AssertionError(f"too slow: {figures}")


def test_arrow_keys_move_a_slider_in_command_mode(opened):
    root = explorable(opened, "gradient-check")
    opened.evaluate("window.jupyterapp.commands.execute('notebook:enter-command-mode')")
    root.locator("[data-control='step'] input").focus()
    opened.keyboard.press("ArrowRight")
    opened.wait_for_timeout(300)
    assert execute(opened, "print(check.step, check.h)") == f"21 {10**-5.25:.6g}\n"
