"""check, hint, reveal and progress, as a learner calls them."""

import subprocess
import sys
from pathlib import Path

import pytest

import course_lib
from course_lib.exercises import check, hint, places, progress, record, reveal
from course_lib.exercises.registry import find, module_names, task_names
from tests.exercises.conftest import RIGHT

ROOT = Path(course_lib.__file__).parents[1]
HINTS = find(3).hints
NUMBERS = ", ".join(map(str, module_names()))
TASKS = ", ".join(f'"{chapter}"' for chapter in task_names())
TOTAL = len(module_names())


def plain(shown):
    """Text without its line breaks."""
    return " ".join(repr(shown).split())


def entry():
    """What is recorded about exercise 3."""
    return record.read()[0].get("3", {})


def test_check_without_answers_is_not_started_and_writes_nothing(work):
    result = check(3)
    assert not result.started
    assert [verdict.message for verdict in result.verdicts] == ["not started"] * 4
    assert not (work / "progress.json").exists()


def test_check_says_that_hints_wait_until_all_passes():
    assert "hint(3) gives the next of 3 hints." in check(3).notes
    assert check(3, **RIGHT).notes == ()


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (77, f"There is no exercise 77; the numbers are {NUMBERS}."),
        (-3, f"There is no exercise -3; the numbers are {NUMBERS}."),
        ("3", f"Write 3 without quotation marks for exercise 3; with them stand chapters, as {TASKS}."),
        ("03", f"No chapter has a task '03'; those that have one are {TASKS}, and exercises are {NUMBERS}."),
        pytest.param(10**5000, f"There is no exercise of that number; the numbers are {NUMBERS}.", id="5000 digits"),
        (None, f"The first argument is the number of an exercise, {NUMBERS}, or of a chapter with a task, {TASKS}."),
        (True, f"The first argument is the number of an exercise, {NUMBERS}, or of a chapter with a task, {TASKS}."),
        (3.0, f"The first argument is the number of an exercise, {NUMBERS}, or of a chapter with a task, {TASKS}."),
    ],
)
@pytest.mark.parametrize("command", [check, hint, reveal])
def test_an_unknown_exercise_gets_one_sentence(command, number, sentence):
    # A long sentence is broken into lines.
    assert repr(command(number)).split() == f"{command.__name__}\n{sentence}".split()


def test_hint_and_reveal_take_their_arguments_by_name():
    assert "hint 2 of 3" in repr(hint(number=3, which=2))
    assert "03_one_window_by_hand" in repr(reveal(number=3))


def test_check_suggests_the_name_of_a_misspelt_answer():
    result = check(3, max_grad=RIGHT["max_gradient"])
    assert result.notes[0] == "Exercise 3 has no answer called max_grad. Did you mean max_gradient?"


def test_check_lists_the_names_where_nothing_is_near():
    names = "max_gradient, average_gradient, tie_gradient, tie_rule"
    assert check(3, z=1).notes[0] == f"Exercise 3 has no answer called z. Its answers are {names}."


def test_check_asks_for_names():
    assert check(3, RIGHT["max_gradient"]).notes[0].startswith("Give each answer by its name: check(3, max_gradient=")


def test_check_is_true_where_all_passes():
    assert check(3, **RIGHT)
    assert not check(3, tie_rule="c")


def test_check_records_the_best_result():
    check(3, **RIGHT)
    check(3, tie_rule="a")
    assert entry() == {"attempts": 2, "points": 8, "max_points": 8, "passed": True}


def test_hint_gives_the_next_of_three_and_then_the_last_again():
    shown = [plain(hint(3)) for _ in range(4)]
    for text, expected in zip(shown, (*HINTS, HINTS[-1]), strict=True):
        assert expected in text
    assert "reveal(3) leads to the solution" in shown[-1]
    assert entry()["hints"] == 3


def test_hint_repeats_the_one_that_is_asked_for():
    hint(3), hint(3)
    assert HINTS[0] in plain(hint(3, 1))
    assert entry()["hints"] == 2


def test_hint_asked_for_ahead_counts_as_seen():
    assert HINTS[1] in plain(hint(3, 2))
    assert entry()["hints"] == 2


def test_hint_zero_gives_nothing_away_and_counts_nothing():
    text = plain(hint(3, 0))
    assert "3 hints wait" in text
    assert not any(part in text for part in HINTS)
    assert entry() == {}


@pytest.mark.parametrize("which", [4, -1, "1", 1.0, True])
def test_hint_says_which_numbers_there_are(which):
    assert "Its hints are numbered from 1 to 3." in plain(hint(3, which))


def test_no_hint_holds_an_answer_as_numbers():
    assert not any("[[" in text or "1.5" in text for text in HINTS)


def test_reveal_says_whom_to_ask_where_there_are_no_solutions(monkeypatch, tmp_path):
    monkeypatch.setattr(places, "COURSE", tmp_path)
    assert "Ask the person who gave it to you" in plain(reveal(3))
    assert "revealed" not in entry()


def test_reveal_links_to_the_solution_and_never_prints_it(monkeypatch, tmp_path):
    monkeypatch.setattr(places, "COURSE", tmp_path)
    solution = tmp_path / "solutions" / "03_one_window_by_hand.ipynb"
    solution.parent.mkdir()
    solution.write_text("the code")
    shown = reveal(3)
    assert '<a href="../../solutions/03_one_window_by_hand.ipynb">' in shown._repr_html_()
    assert str(solution) in repr(shown)
    assert "the code" not in repr(shown)
    assert entry()["revealed"] is True


def test_reveal_finds_the_solutions_of_the_course():
    assert "Open the solution" in plain(reveal(3))


def test_progress_lists_every_exercise_with_links():
    shown = progress()
    assert repr(shown).startswith(f"Your progress: 0 of {TOTAL} exercises and 0 of ")
    assert 'href="../exercises/03_one_window_by_hand.ipynb"' in shown._repr_html_()
    assert 'href="../notebooks/02_where_does_the_gradient_go.ipynb"' in shown._repr_html_()


def test_progress_shows_points_hints_and_an_opened_solution():
    check(3, tie_rule="c")
    hint(3)
    reveal(3)
    assert "(2 of 8 points): begun; 1 hint seen; solution opened" in plain(progress())
    check(3, **RIGHT)
    assert f"1 of {TOTAL} exercises and" in plain(progress())
    assert "(8 of 8 points): done" in plain(progress())


def test_done_stays_done_when_the_points_change():
    record.update(3, lambda entry: {"passed": True, "points": 80, "max_points": 80, "attempts": 1})
    assert "(8 of 8 points): done" in plain(progress())


def test_import_loads_neither_torch_nor_matplotlib_nor_ipython():
    code = (
        "import sys, course_lib.exercises; print({'torch', 'matplotlib', 'IPython', 'ipywidgets'} & set(sys.modules))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "set()"


def test_the_names_of_the_commands_are_not_covered_by_modules():
    import importlib
    import pkgutil

    import course_lib.exercises as package

    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"course_lib.exercises.{module.name}")
    assert all(callable(getattr(package, name)) for name in package.__all__)


def test_a_check_in_a_notebook_shows_html_and_text(tmp_path):
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient")
    cell = "from course_lib.exercises import check\ncheck(3, max_gradient=[[0, 6], [0, 0]])"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell)])
    client.NotebookClient(notebook, timeout=60, resources={"metadata": {"path": tmp_path}}).execute()
    (output,) = notebook.cells[0].outputs
    assert "✓ max_gradient (2 of 2): passed 1 case" in output.data["text/plain"]
    assert "<table" in output.data["text/html"]


ENDLESS = """
from course_lib.exercises.engine import judge
from tests.exercises.test_hostile import HASTY
def max_pool2d(x, kernel_size, stride, padding):
    while True:
        try:
            x = x + 1
        except BaseException:
            continue
judge(HASTY, dict(max_pool2d=max_pool2d, max_pool2d_backward=max_pool2d))
"""


def test_a_kernel_outlives_a_loop_that_never_ends(tmp_path):
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient")
    cells = [nbformat.v4.new_code_cell(source) for source in (ENDLESS, "6 * 7")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    client.NotebookClient(notebook, timeout=60, resources={"metadata": {"path": ROOT}}).execute()
    text = notebook.cells[0].outputs[0].data["text/plain"]
    assert "max_pool2d was still running after 0.5 s, and was stopped" in text
    assert "of max_pool2d: " in text
    assert notebook.cells[1].outputs[0].data["text/plain"] == "42"
