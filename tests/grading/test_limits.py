"""Limits of each call and of all calls together: what exceeds one fails alone, and nobody gets seconds twice."""

import time

import numpy as np
import pytest

from course_lib.classroom import allowance, grading, stand_ins, submissions
from course_lib.classroom.allowance import Allowance
from course_lib.classroom.box import wire
from course_lib.classroom.stand_ins import Program, Task
from course_lib.exercises import faults
from course_lib.exercises.faults import Fault
from tests.grading.classes import exercise_of, handed_in, settings, solution
from tests.grading.limit_attacks import ATTACKS

SOURCE = b"""
import os, time
import numpy as np
KEPT = []
def f(what):
    if what == "loops":
        while True: pass
    if what == "sleeps":
        time.sleep(60)
    if what == "keeps":
        while True: KEPT.append(np.empty(1 << 25))
    if what == "gives back too much":
        return np.ones((1 << 20) + 1)
    if what == "gives back a lot":
        return np.ones(1 << 20)
    if what == "burns":
        end = time.process_time() + 0.2
        while time.process_time() < end: pass
        os._exit(0)
    return 1
def g(x, how):
    if how == "resizes": x.resize(9, refcheck=False)
    if how == "reshapes": x.shape = (-1,)
    if how == "writes": x[0, 0] = 7
    return 1
def h(arrays):
    arrays[0] = np.zeros(5)
    arrays.append(1)
    return 1
"""


@pytest.fixture(scope="module", autouse=True)
def impatient():
    """Less time by the clock for who waits."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(allowance, "SLACK", 0.3)
        yield


def opened(zygote, seconds=2.0, above=None):
    return Program(zygote, SOURCE, "work.py", Task(11, ["f", "g", "h"], seconds, above=above))


def fault_of(function, *arguments):
    with pytest.raises(Fault) as found:
        function(*arguments)
    return found.value


@pytest.mark.parametrize(
    ("what", "kind", "sentence"),
    [
        ("loops", faults.OUT_OF_TIME, "f was still running after 0.5 s, which is the most for one call, and was"),
        ("sleeps", faults.OUT_OF_TIME, "f was still running after 0.5 s, which is the most for one call, and was"),
        ("keeps", faults.ERROR, "f needs more memory than the 1024 MiB of a call"),
    ],
)
def test_a_call_that_exceeds_a_limit_fails_alone(zygote, what, kind, sentence):
    with opened(zygote) as program:
        f = program.answers()["f"]
        found = fault_of(f, what)
        assert (found.kind, found.message[: len(sentence)]) == (kind, sentence)
        assert f("") == 1


def test_a_new_process_has_no_new_seconds(zygote):
    start = time.monotonic()
    with opened(zygote, seconds=1.0) as program:
        f = program.answers()["f"]
        messages = [fault_of(f, "burns").message for _ in range(12)]
    assert "f used up the seconds of this exercise, and was stopped" in messages[3:6]
    assert messages[-1] == "not checked: the seconds of this exercise are used up"
    assert program.allowance.processor > -0.3
    assert time.monotonic() - start < 5


def test_the_exercises_of_a_student_share_their_seconds(zygote):
    student = Allowance(1.0)
    with opened(zygote, above=student) as program:
        fault_of(program.answers()["f"], "loops")
    first = student.processor
    with opened(zygote, above=student) as program:
        fault_of(program.answers()["f"], "loops")
    assert first < 0.6
    assert student.is_used_up
    with opened(zygote, above=student) as program:
        assert program.answers() == {}
    assert program.ended == stand_ins.SPENT


def test_who_has_used_up_the_seconds_is_graded_and_told_so(zygote, tmp_path, monkeypatch):
    monkeypatch.setattr(grading, "SECONDS_A_STUDENT", 0.0)
    (one,) = submissions.find(handed_in(tmp_path, {"Eve": {"11_work.ipynb": solution(11)}}))
    row = grading.grade(zygote, one, settings(11))
    found = exercise_of(row, 11)
    assert (found["status"], found["points"]) == ("unreadable", 0)
    assert found["reason"] == "the seconds for all files of one student are used up"


def test_what_is_too_large_stays_where_it_is(zygote):
    with opened(zygote) as program:
        found = program.answers()["f"]("gives back too much")
    assert type(found).__name__ == "ndarray that is too large to be read"


def test_what_calls_give_back_is_limited_in_all(zygote):
    with opened(zygote) as program:
        f = program.answers()["f"]
        given = [f("gives back a lot").nbytes for _ in range(8)]
        found = fault_of(f, "gives back a lot")
    assert sum(given) == stand_ins.MOST_GIVEN_BACK
    assert found.message == "not checked: its calls have given back more than 64 MiB in all"


def test_a_change_of_an_array_is_seen(zygote):
    x = np.zeros((2, 3))
    with opened(zygote) as program:
        program.answers()["g"](x, "writes")
    assert x[0, 0] == 7


@pytest.mark.parametrize("how", ["resizes", "reshapes"])
def test_who_changes_a_shape_is_told_so_and_is_no_forger(zygote, how):
    x = np.zeros((2, 3))
    with opened(zygote) as program:
        g = program.answers()["g"]
        found = fault_of(g, x, how)
        assert g(x, "") == 1
    assert found.message == "g changed the shape or the type of an array that it was given: work on a copy of it"
    assert (x.shape, program.tampered) == ((2, 3), False)


def test_who_puts_others_into_a_list_has_changed_no_array(zygote):
    x = np.ones(3)
    with opened(zygote) as program:
        assert program.answers()["h"]([x]) == 1
    np.testing.assert_array_equal(x, np.ones(3))


@pytest.mark.parametrize(
    ("number", "changed"),
    [
        pytest.param(0, np.zeros((3, 2)), id="another shape"),
        pytest.param(0, np.zeros(600), id="larger"),
        pytest.param(0, np.zeros((2, 3), np.float32), id="another type"),
        pytest.param(0, np.float64(1), id="a number"),
        pytest.param(0, None, id="nothing"),
        pytest.param(-1, np.zeros((2, 3)), id="from the end"),
        pytest.param(1, np.zeros((2, 3)), id="one that is not there"),
        pytest.param(True, np.zeros((2, 3)), id="no number"),
    ],
)
def test_a_change_that_is_none_is_malformed(number, changed):
    array = np.ones((2, 3))
    with pytest.raises(wire.Malformed):
        stand_ins._overwrite([array], number, changed)
    np.testing.assert_array_equal(array, np.ones((2, 3)))


@pytest.fixture(scope="module")
def rows(zygote, tmp_path_factory):
    """Each attack, and after it an honest student, with the seconds that each has taken."""
    works = {name: {f"{name[:2]}_work.py": source.encode()} for name, source in ATTACKS.items()}
    works |= {f"{name} and then": {"03_work.ipynb": solution(3)} for name in ATTACKS}
    folder, found = handed_in(tmp_path_factory.mktemp("limits"), works), {}
    for one in submissions.find(folder):
        start = time.monotonic()
        row = grading.grade(zygote, one, settings(3 if one.name.endswith("and then") else int(one.name[:2])))
        found[one.name] = row["exercises"][0] | {"taken": time.monotonic() - start}
    return found


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_on_the_limits_gains_nothing(rows, name):
    assert (rows[name]["status"], rows[name]["points"]) == ("graded", 0)


@pytest.mark.parametrize("name", ATTACKS)
def test_who_comes_after_it_is_paid(rows, name):
    after = rows[f"{name} and then"]
    assert (after["status"], after["points"]) == ("graded", after["max_points"])


def test_seconds_that_are_used_before_the_first_call_count_too(rows):
    assert rows["11 uses its seconds before anything is called"]["taken"] > 0.6


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_takes_no_longer_than_is_allowed(rows, name):
    # 1 s of the processor, 1.5 s in exercise 6, and by the clock twice that and 0.3 s more.
    assert rows[name]["taken"] < 5


@pytest.mark.parametrize("name", [name for name in ATTACKS if "larger" in name or "type" in name or "end" in name[-4:]])
def test_a_forged_change_is_told_to_the_teacher(rows, name):
    flags = rows[name]["flags"]
    assert ("sent something that is no answer" in flags) == ("without end" not in name)
