"""Answers that are functions: right ones pass, wrong ones get their sentence and the name of the mistake."""

from dataclasses import replace

import numpy as np
import pytest

import course_lib
from course_lib.exercises import faults
from course_lib.exercises.engine import judge
from course_lib.exercises.properties import KeepsInputs
from tests.exercises import learners
from tests.exercises.practice import OVERLAP, PRACTICE

RIGHT = {"max_pool2d": learners.max_pool2d, "max_pool2d_backward": learners.max_pool2d_backward}


def check(**functions):
    """The result for the right functions, some of them replaced."""
    return judge(PRACTICE, RIGHT | functions)


def verdicts(result):
    """The verdicts by their property."""
    return {verdict.name: verdict for verdict in result.verdicts}


def first(**functions):
    """The verdict on the forward."""
    return check(**functions).verdicts[0]


def test_right_functions_get_all_points():
    result = check()
    assert result.passed, result
    assert (result.points, result.max_points) == (5, 5)


def test_passing_says_how_many_cases():
    assert [verdict.message for verdict in check().verdicts] == [
        "passed 3 cases", "passed 1 case", "passed 1 case", "passed 2 cases", "passed 1 case"
    ]  # fmt: skip


def test_stubs_are_not_started():
    def max_pool2d(x, kernel_size, stride, padding):
        raise NotImplementedError("Your turn.")

    result = check(max_pool2d=max_pool2d, max_pool2d_backward=max_pool2d)
    assert {verdict.kind for verdict in result.verdicts} == {faults.NOT_STARTED}
    assert not result.started


def test_an_own_not_implemented_error_is_shown():
    def max_pool2d(x, kernel_size, stride, padding):
        raise NotImplementedError("padding")

    assert first(max_pool2d=max_pool2d).message == "max_pool2d raised NotImplementedError: padding"


def test_overwriting_is_named_at_the_element_where_it_shows():
    result = check(max_pool2d_backward=learners.overwriting)
    verdict = verdicts(result)["overlap"]
    assert result.misconceptions == ("max_overwrite",)
    assert verdict.message == "wrong value: element (0, 0, 0, 1) is 7, expected 10"
    assert "Here it wins 2 windows" in dict(verdict.details)["known mistake"]


def test_partial_credit_is_given_for_what_is_right():
    result = check(max_pool2d_backward=learners.overwriting)
    assert (result.points, verdicts(result)["without overlap"].points) == (3, 1)


def test_zero_padding_is_named():
    result = check(max_pool2d=learners.zero_padded)
    assert result.misconceptions == ("max_zero_pad",)
    assert not verdicts(result)["forward"].passed


def test_two_mistakes_at_once_are_both_named():
    result = check(max_pool2d=learners.zero_padded, max_pool2d_backward=learners.overwriting)
    labels = [label for label, _ in verdicts(result)["borders"].details]
    assert labels.count("two known mistakes at once") == 1
    assert set(result.misconceptions) == {"max_overwrite", "max_zero_pad"}


def test_a_wrong_value_shows_yours_expected_and_difference():
    details = dict(verdicts(check(max_pool2d_backward=learners.overwriting))["overlap"].details)
    assert details["yours"] == "[[[[0, 7, 0], [0, 0, 0]]]]"
    assert details["expected"] == "[[[[0, 10, 0], [0, 0, 0]]]]"
    assert details["difference"] == "[[[[0, -3, 0], [0, 0, 0]]]]"


def test_an_unknown_mistake_says_so():
    result = check(max_pool2d_backward=lambda g, cache: learners.max_pool2d_backward(g, cache) + 1)
    assert result.misconceptions == ()
    assert dict(verdicts(result)["overlap"].details)["known mistake"] == "none in the catalogue gives this answer"


def test_a_wrong_shape_shows_both():
    verdict = first(max_pool2d=lambda x, *geometry: (np.zeros((1, 1, 4)), None))
    assert verdict.message == "wrong shape: yours (1, 1, 4), expected (1, 1, 1, 2)"


def test_an_error_is_shown_at_the_learners_own_line():
    def max_pool2d(x, kernel_size, stride, padding):
        return x[100], None

    verdict = first(max_pool2d=max_pool2d)
    assert verdict.message.startswith("max_pool2d raised IndexError: index 100 is out of bounds")
    assert ": return x[100], None" in dict(verdict.details)["your line"]


def test_the_learners_line_is_found_below_numpys_own():
    def max_pool2d(x, kernel_size, stride, padding):
        return np.broadcast_to(x, (3, 7)), None

    lines = [text for label, text in first(max_pool2d=max_pool2d).details if label == "your line"]
    assert len(lines) == 1
    assert lines[0].endswith("return np.broadcast_to(x, (3, 7)), None")


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (None, "max_pool2d returned None: is its return statement missing?"),
        (np.zeros(3), "max_pool2d must return y and cache, 2 values; got one value of type ndarray"),
        ((1, 2, 3), "max_pool2d must return y and cache, 2 values; got 3"),
        (([[1.0]], None), "y must be an array; got a list. Convert it with np.asarray(y)."),
        ((None, None), "y must be an array; got a NoneType. Convert it with np.asarray(y)."),
        ((np.array(["a"]), None), "y must hold real numbers; got dtype <U1"),
        ((np.zeros(2, complex), None), "y must hold real numbers; got dtype complex128"),
    ],
    ids=["none", "one value", "three values", "list", "no array", "text", "complex"],
)
def test_what_a_function_returns_has_its_sentence(value, sentence):
    assert first(max_pool2d=lambda *given: value).message == sentence


def test_a_tuple_where_one_value_is_asked_for_has_its_sentence():
    result = check(max_pool2d_backward=lambda g, cache: (g, cache))
    assert result.verdicts[1].message == "max_pool2d_backward must return grad_input alone; got a tuple of 2 values"


def test_a_generator_function_has_its_sentence():
    def max_pool2d(x, kernel_size, stride, padding):
        yield x

    assert first(max_pool2d=max_pool2d).message.startswith("max_pool2d has yield in it")


@pytest.mark.filterwarnings("ignore:coroutine")
def test_an_async_function_has_its_sentence():
    async def max_pool2d(x, kernel_size, stride, padding):
        return x

    assert first(max_pool2d=max_pool2d).message.startswith("max_pool2d is an async function")


def test_an_array_in_the_place_of_a_function_has_its_sentence():
    sentence = first(max_pool2d=np.zeros(2)).message
    assert sentence.startswith("max_pool2d must be a function; got a value of type ndarray.")


def test_a_wrong_number_of_parameters_has_pythons_sentence():
    assert "takes 1 positional argument but 4 were given" in first(max_pool2d=lambda x: x).message


def test_changing_an_input_costs_its_own_point_only():
    def max_pool2d(x, kernel_size, stride, padding):
        result = learners.max_pool2d(x, kernel_size, stride, padding)
        x[0, 0, 0, 1] = 0
        return result

    result = check(max_pool2d=max_pool2d)
    assert result.points == 4
    assert verdicts(result)["inputs stay"].message == (
        "max_pool2d changed element (0, 0, 0, 1) of its argument 1 from 9 to 0: work on a copy of it"
    )


def test_a_changed_input_is_noted_beside_a_wrong_value():
    def backward(grad_output, cache):
        grad_output[...] = 0
        return learners.max_pool2d_backward(grad_output, cache)

    notes = [
        text for label, text in verdicts(check(max_pool2d_backward=backward))["overlap"].details if label == "note"
    ]
    assert any(note.startswith("max_pool2d_backward changed element") for note in notes)


def test_a_read_only_result_is_judged_and_noted():
    def backward(grad_output, cache):
        gradient = learners.max_pool2d_backward(grad_output, cache)
        gradient.setflags(write=False)
        return gradient

    result = check(max_pool2d_backward=backward)
    assert result.passed
    assert result.notes[0].startswith("grad_input is read-only")


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_another_float_type_passes_within_its_own_rounding(dtype):
    result = check(max_pool2d_backward=lambda g, cache: learners.max_pool2d_backward(g, cache).astype(dtype))
    assert result.passed, result


def test_what_the_code_prints_is_shown_and_cut(capsys):
    def max_pool2d(x, kernel_size, stride, padding):
        print("here", "x" * 10_000)
        return learners.max_pool2d(x, kernel_size, stride, padding)

    result = check(max_pool2d=max_pool2d)
    assert result.passed
    assert result.printed.startswith("here xxx")
    assert len(result.printed) < 2100
    assert "characters more" in repr(result)
    assert capsys.readouterr().out == ""


def test_a_function_may_put_its_own_stream_in_the_place_of_stdout(capsys):
    import sys

    before = sys.stdout

    def max_pool2d(x, kernel_size, stride, padding):
        sys.stdout = None
        return learners.max_pool2d(x, kernel_size, stride, padding)

    assert check(max_pool2d=max_pool2d).passed
    assert sys.stdout is before


def test_a_repeated_error_shows_its_details_once():
    verdicts_ = check(max_pool2d=lambda *given: given[9]).verdicts
    first, *rest = [verdict.message for verdict in verdicts_]
    assert first == "max_pool2d raised IndexError: tuple index out of range"
    assert set(rest) == {f"the same as under {verdicts_[0].name}"}
    assert [bool(verdict.details) for verdict in verdicts_] == [True, False, False, False, False]


def test_an_error_inside_the_course_is_shown_at_the_line_that_called_it():
    def max_pool2d(x, kernel_size, stride, padding):
        return course_lib.max_pool(x, -1), None

    lines = [text for label, text in first(max_pool2d=max_pool2d).details if label == "your line"]
    assert len(lines) == 1
    assert lines[0].endswith("return course_lib.max_pool(x, -1), None")


def test_changing_the_shape_of_an_input_is_seen():
    def max_pool2d(x, kernel_size, stride, padding):
        result = learners.max_pool2d(x, kernel_size, stride, padding)
        x.resize(x.size)
        return result

    assert verdicts(check(max_pool2d=max_pool2d))["inputs stay"].message == (
        "max_pool2d changed the shape or the type of its argument 1: work on a copy of it"
    )


def test_a_fault_of_the_course_is_a_verdict_too():
    broken = replace(PRACTICE, properties=(KeepsInputs("broken", 1, ("max_pool2d",), (OVERLAP,), run=None),))
    (verdict,) = judge(broken, RIGHT).verdicts
    assert (verdict.kind, verdict.passed) == (faults.OUR_FAULT, False)
    assert verdict.message == "not judged: the course itself raised TypeError. Please report it"
