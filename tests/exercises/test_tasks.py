"""The tasks at the end of chapters: check, hint, reveal and progress take them like exercises."""

from pathlib import Path

import numpy as np
import pytest

import course_lib
from course_lib import avg_pool, max_pool
from course_lib.exercises import check, hint, places, progress, record, registry, reveal
from course_lib.exercises.exercise import Choice

ROOT = Path(course_lib.__file__).parents[1]
TASKS = registry.all_tasks()
RIGHT = {
    "floor_shape": (4, 5),
    "ceil_shape": (3, 4),
    "dilated_size": 4,
    "corner_max": -2,
    "window_mean": 5,
    "kept": "b",
}


def plain(shown):
    """Text without its line breaks."""
    return " ".join(repr(shown).split())


@pytest.fixture(params=TASKS, ids=lambda task: task.name)
def task(request):
    """Each task."""
    return request.param


@pytest.fixture
def course(monkeypatch, tmp_path):
    """A course of its own, without solutions."""
    monkeypatch.setattr(places, "COURSE", tmp_path / "course")
    return tmp_path / "course"


def test_tasks_are_found_by_their_file():
    assert registry.task_names()["01"] == "tasks.ch01_what_does_pooling_keep"


def test_file_number_and_chapter_agree(task):
    assert task.is_task
    assert task.number == task.chapter == task.name[:2]


def test_name_is_that_of_the_chapter(task):
    chapters = [path.stem for path in (ROOT / "sources" / "chapters").glob(f"{task.number}_*.py")]
    # Until the chapter is there, nothing can be said.
    assert chapters in ([], [task.name])


def test_there_are_three_hints_and_one_to_three_stars(task):
    assert len(task.hints) == 3
    assert 1 <= task.stars <= 3


def test_properties_use_answers_that_are_asked_for(task):
    asked = {answer.name for answer in task.answers}
    assert {name for judged in task.properties for name in judged.answers} == asked


def test_wrong_options_are_among_the_misconceptions(task):
    for answer in task.answers:
        if isinstance(answer, Choice):
            wrong = [option.misconception for option in answer.options.values()]
            assert wrong.count(None) == 1
            assert set(wrong) - {None} <= set(task.misconceptions)


def test_source_of_the_chapter_asks_every_question_with_the_same_options(task):
    source = ROOT / "sources" / "chapters" / f"{task.name}.py"
    if not source.exists():
        pytest.skip("the chapter is still being written")
    prose = " ".join(source.read_text(encoding="utf-8").replace("\n# ", " ").split())
    assert f'check("{task.number}"' in prose
    for answer in task.answers:
        for letter, option in getattr(answer, "options", {}).items():
            assert f"**{letter}** {option.text}" in prose


def test_nothing_answered_is_not_started(task):
    result = check(task.number)
    assert {verdict.message for verdict in result.verdicts} == {"not started"}


def test_task_01_right_answers_get_all_points():
    result = check("01", **RIGHT)
    assert result.passed
    assert result.points == result.max_points == 7


def test_task_01_agrees_with_the_library():
    plane = np.zeros((1, 1, 11, 12))
    assert max_pool(plane, 4, 3, 2).shape[2:] == RIGHT["floor_shape"]
    assert avg_pool(plane[:, :, :10], 4, 3, ceil_mode=True).shape[2:] == RIGHT["ceil_shape"]
    assert max_pool(plane[:, :, :, :11], (1, 3), (1, 2), dilation=(1, 2)).shape[3] == RIGHT["dilated_size"]


@pytest.mark.parametrize(
    ("answer", "mistake", "sentence"),
    [
        ({"floor_shape": (5, 5)}, "max_size_rounded_up", "Without ceil_mode the number of windows is rounded down."),
        ({"floor_shape": (4, 4)}, "max_size_padding_once", "counts the padding of one side"),
        ({"floor_shape": (3, 3)}, "max_size_without_padding", "leaves the padding out"),
        ({"floor_shape": (3, 4)}, "max_size_off_by_one", "one window too few"),
        ({"ceil_shape": (3, 3)}, "avg_ceil_ignored", "rounded down although ceil_mode is set"),
        ({"dilated_size": 5}, "size_without_dilation", "and not over k."),
        ({"dilated_size": 3}, "size_dilation_times_k", "and not over d·k"),
        ({"corner_max": 0}, "max_zero_pad", ""),
        ({"window_mean": 15}, "avg_divide_by_k", "by the side k of the window"),
        ({"kept": "a"}, "pool_keeps_place", "the place is in the indices"),
    ],
)
def test_task_01_names_the_mistake(answer, mistake, sentence):
    result = check("01", **answer)
    assert not result.passed
    assert mistake in result.misconceptions
    assert sentence in plain(result)


def test_task_01_does_not_tell_the_rest_of_a_shape():
    assert "expected 4" in plain(check("01", floor_shape=(5, 5)))
    assert "(4, 5)" not in plain(check("01", floor_shape=(5, 5)))


def test_check_keeps_the_points_beside_those_of_the_exercise_with_that_number():
    check("01", **RIGHT)
    check(1, ratio="1/m")
    entries = record.read()[0]
    assert (entries["01"]["passed"], entries["1"]["passed"]) == (True, False)


def test_sentences_type_the_number_as_a_learner_does():
    assert 'hint("01") gives the next of 3 hints.' in check("01").notes
    assert check("01", 5).notes[0].startswith('Give each answer by its name: check("01", floor_shape=...')
    assert check("01", z=1).notes[0].startswith("Task 01 has no answer called z.")


def test_hint_leads_from_a_question_to_nearly_the_answer():
    shown = [plain(hint("01")) for _ in range(3)]
    assert "where does the first window start" in shown[0]
    assert shown[2].endswith('This was the last hint. reveal("01") leads to the solution.')


def test_reveal_works_the_answer_out_where_there_are_solutions(course):
    (course / "solutions").mkdir(parents=True)
    assert "its maximum is −2. The mean is 30 / 6 = 5." in plain(reveal("01"))
    assert record.read()[0]["01"] == {"revealed": True}


def test_reveal_says_whom_to_ask_where_there_are_none(course):
    assert "Ask the person who gave it to you" in plain(reveal("01"))
    assert "−2" not in plain(reveal("01"))
    assert record.read()[0] == {}


def test_progress_lists_the_tasks_with_links_to_their_chapters():
    shown = progress()
    count = f"{len(TASKS)} task{'s' if len(TASKS) > 1 else ''}"
    assert f"exercises and 0 of {count} done" in repr(shown)
    assert 'href="../notebooks/01_what_does_pooling_keep.ipynb">Task 01' in shown._repr_html_()


def test_progress_counts_a_task_that_is_done():
    check("01", **RIGHT)
    assert "and 1 of" in repr(progress())
    assert "(7 of 7 points): done" in plain(progress())
