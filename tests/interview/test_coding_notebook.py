"""A coding drill in a notebook: what it says before and after the end, and what is kept."""

import re
from datetime import timedelta

import pytest

from course_lib.interview import coding, journal
from course_lib.interview.coding import files, notebook
from course_lib.interview.coding.task import Task
from course_lib.workspace import CourseError
from tests.interview.test_coding import RIGHT, TASK, WRONG


def function(source, name="max_pool_backward"):
    """The function of a source, whose lines Python knows as it knows those of a cell."""
    import linecache

    names, file = {}, f"<cell {hash(source)}>"
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    exec(compile(source, file, "exec"), names)
    return names[name]


@pytest.fixture
def later(monkeypatch):
    """Lets time pass."""
    passed, now = [timedelta()], notebook._now
    monkeypatch.setattr(notebook, "_now", lambda: now() + passed[0])

    def wait(**time):
        passed[0] += timedelta(**time)

    return wait


def start():
    return coding.start(TASK.name, seed=11)


def test_task_shows_statement_blank_function_and_time(work):
    shown = repr(start())
    assert " ".join(files.plain(TASK.variant(11).statement)[0].split()[:9]) in shown
    assert "def max_pool_backward(x, grad_output, kernel_size, stride):" in shown
    assert "15 minutes are left, until " in shown


def test_page_has_a_clock_that_counts_to_the_end(work):
    drill = start()
    end = 1000 * (drill.attempt.begun.timestamp() + 15 * 60)
    page = drill._repr_html_()
    assert f"{end:.0f} - Date.now()" in page and 'role="timer"' in page
    assert "<code>kernel_size</code>" in page


@pytest.mark.parametrize("end", ["give_up", "hand_in"])
def test_end_stops_the_clock(work, end):
    drill = start()
    (stop,) = re.findall(r'querySelector\("\.(drill-over-\w+)"\)', drill._repr_html_())
    ended = drill.give_up() if end == "give_up" else drill.hand_in(function(RIGHT))
    assert f'class="{stop}"' in ended._repr_html_()
    assert stop not in start()._repr_html_()


@pytest.mark.parametrize("wrong", [{"seed": -1}, {"minutes": 0}, {"minutes": float("inf")}])
def test_start_refuses_what_no_clock_can_show(work, wrong):
    with pytest.raises(CourseError, match=next(iter(wrong))):
        coding.start(TASK.name, **wrong)
    assert journal.read() == ([], "")


def test_wrong_function_learns_only_names(work):
    said = repr(start().hand_in(function(WRONG)))
    assert "does not pass yet" in said and "ties" in said
    assert "max_eqmask" not in said and "expected" not in said


NO_VALUE = [
    ("raise ValueError('no')", "max_pool_backward raised ValueError: no."),
    ("raise SystemExit", "max_pool_backward raised SystemExit."),
    ("raise KeyboardInterrupt", "max_pool_backward was stopped by KeyboardInterrupt."),
    ("while True: pass", "max_pool_backward was still running after 0.3 s, and was stopped."),
]


@pytest.mark.parametrize(("body", "sentence"), NO_VALUE)
def test_function_without_a_value_learns_why(work, monkeypatch, body, sentence):
    exercise = Task.exercise
    monkeypatch.setattr(Task, "exercise", lambda task, variant: exercise(task, variant, 0.3))
    said = repr(start().hand_in(function(f"def max_pool_backward(*given):\n    {body}\n")))
    assert sentence in " ".join(said.split()) and "your line" not in said


def test_right_function_ends_it_with_a_solution_and_a_rating(work):
    drill = start()
    said = repr(drill.hand_in(function(RIGHT)))
    assert "passes" in said and TASK.why.split(":")[0].split()[0] in said and "A right solution" in said
    assert journal.read()[0][0].rating == 4
    drill.rate(2)
    assert journal.read()[0][0].rating == 2


@pytest.mark.parametrize("end", ["give_up", "late"])
def test_diagnosis_comes_at_the_end(work, later, end):
    drill = start()
    if end == "late":
        later(minutes=16)
    said = repr(drill.hand_in(function(WRONG)) if end == "late" else drill.give_up(function(WRONG)))
    assert "max_eqmask" in said
    assert journal.read()[0][0].rating == 1


def test_give_up_without_a_function_tells_the_solution(work):
    assert "A right solution" in repr(start().give_up())


def test_what_was_handed_in_is_kept_when_the_kernel_dies_and_the_drill_goes_on(work, later):
    start().hand_in(function(WRONG))
    later(minutes=5)
    drill = start()
    assert drill.attempt.sources == [WRONG]
    assert "10 minutes are left, until " in repr(drill)


def test_drill_whose_time_is_over_is_not_gone_on_with(work, later):
    start()
    later(minutes=16)
    assert "15 minutes are left, until " in repr(start())


def test_start_takes_another_variant_each_time(work):
    first = coding.start(TASK.name)
    first.give_up()
    assert [first.attempt.seed, coding.start(TASK.name).attempt.seed] == [0, 1]


def test_start_without_a_name_takes_what_is_due(work, later):
    pytest.importorskip("fsrs")
    start().give_up()
    later(days=2)
    assert coding.start().task is TASK


def test_hints_come_one_after_the_other(work):
    drill = start()
    assert [hint in repr(drill.hint()).replace("\n", " ") for hint in TASK.hints] == [True] * 3
    assert "there are no more hints" in repr(drill.hint())
    drill.hand_in(function(RIGHT))
    assert journal.read()[0][0].rating == 2


def test_start_refuses_what_is_not_installed(work, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(CourseError, match="needs torch, which is not installed here"):
        coding.start("autograd-function")


def test_answer_that_is_no_function_is_refused_in_a_sentence(work):
    drill = start()
    drill.hand_in(None)
    assert "must be a function" in repr(drill.give_up(7))
