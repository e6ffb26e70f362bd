"""The gradient-check explorable: its arguments, and a table whose numbers are those of the library."""

import numpy as np
import pytest
from traitlets import TraitError

from course_lib.gradcheck import check_gradient, error_curve
from course_lib.widgets import GradientCheckExplorer, table
from course_lib.widgets.gradient_check_cases import GAP, cases
from course_lib.widgets.gradient_check_explorer import FUNCTIONS
from course_lib.widgets.gradient_check_table import STEPS, measured

SMOOTH = ("exp", "sin", "square", "convolution")


@pytest.fixture(scope="module")
def explorer():
    """A widget with all its choices."""
    return GradientCheckExplorer()


class OneElement(np.random.Generator):
    """A generator that draws what the table takes: an upstream gradient of 1, then the direction of one element."""

    def __init__(self, place):
        super().__init__(np.random.PCG64())
        self.draws = [lambda shape: np.ones(shape), lambda shape: np.eye(1, np.prod(shape), flat(place, shape))]

    def standard_normal(self, size):
        return self.draws.pop(0)(size).reshape(size)


def flat(place, shape):
    """The flat position of an element."""
    return np.ravel_multi_index(place, shape)


def test_cases_are_those_that_are_offered():
    assert tuple(cases()) == FUNCTIONS


@pytest.mark.parametrize("name", SMOOTH)
def test_backward_of_a_case_passes_the_gradient_check(name):
    case = cases()[name]
    assert check_gradient(case.function, case.backward, case.x).passed


@pytest.mark.parametrize("name", FUNCTIONS)
def test_higher_derivatives_of_a_case_are_those_of_its_function(name):
    case, h = cases()[name], 1e-4
    moved = [case.x.copy() for _ in range(5)]
    for number, x in enumerate(moved):
        x[case.place] += (number - 2) * h
    values = [float(case.function(x).sum()) for x in moved]
    second = (values[3] - 2 * values[2] + values[1]) / h**2
    third = (values[4] - 2 * values[3] + 2 * values[1] - values[0]) / (2 * h**3)
    # Rounding of some ε over h² and h³.
    np.testing.assert_allclose([second, third], [case.second, case.third], rtol=1e-3, atol=2e-3)


@pytest.mark.parametrize("scheme", ["central", "forward"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_error_is_that_of_error_curve(name, dtype, scheme):
    case = cases()[name]
    options = {"steps": STEPS, "scheme": scheme, "rng": OneElement(case.place)}
    _, expected = error_curve(case.function, case.backward, case.x.astype(dtype), **options)
    np.testing.assert_array_equal(measured(case, dtype, scheme)["error"], expected)


@pytest.mark.parametrize("scheme", ["central", "forward"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", SMOOTH)
def test_expected_errors_bound_the_measured_one(name, dtype, scheme):
    found = measured(cases()[name], dtype, scheme)
    # Beyond 0.2 the next term of the series counts too.
    near = np.array(STEPS) < 0.2
    assert (found["error"] <= 1.1 * found["truncation"] + 2 * found["rounding"])[near].all()


@pytest.mark.parametrize("scheme", ["central", "forward"])
@pytest.mark.parametrize("name", ["exp", "sin", "convolution"])
def test_truncation_is_the_error_where_rounding_is_small(name, scheme):
    found = measured(cases()[name], "float64", scheme)
    clear = (np.array(STEPS) < 0.1) & (found["rounding"] < 0.01 * found["truncation"])
    assert clear.sum() > 10
    np.testing.assert_allclose(found["error"][clear], found["truncation"][clear], rtol=0.1)


@pytest.mark.parametrize("scheme", ["central", "forward"])
@pytest.mark.parametrize("name", ["exp", "sin", "convolution"])
def test_best_step_has_the_least_expected_error(name, scheme):
    found = measured(cases()[name], "float64", scheme)
    least = np.argmin(found["truncation"] + found["rounding"])
    # Four steps to a power of ten: the nearest is at most an eighth of one away.
    assert abs(np.log10(found["best"] / STEPS[least])) <= 0.126


def test_square_has_no_truncation_in_a_central_difference():
    found = measured(cases()["square"], "float64", "central")
    assert (found["best"], found["truncation"].max()) == (None, 0)
    assert found["error"][0] < 1e-15


def test_pooling_is_wrong_beyond_the_kink_and_right_below_it():
    found = measured(cases()["max pooling"], "float64", "central")
    steps = np.array(STEPS)
    # Beyond the gap the window has another winner on one side, whose slope is 0.
    far = steps > GAP
    np.testing.assert_allclose(found["error"][far], (1 - GAP / steps[far]) / 2, rtol=1e-9)
    near = (steps < GAP) & (steps > 1e-6)
    assert found["error"][near].max() < 1e-9


def test_float32_loses_a_step_that_is_too_small():
    found = measured(cases()["exp"], "float32", "central")
    assert found["numeric"][-1] == 0
    assert found["error"][-1] == 1


def test_table_stays_under_300_kb(explorer):
    assert table.size(explorer.table) < 300_000


def test_table_holds_the_measured_numbers(explorer):
    for curve in explorer.table["curves"]:
        found = measured(cases()[curve["function"]], curve["dtype"], curve["scheme"])
        np.testing.assert_array_equal(curve["numeric"], found["numeric"])
        np.testing.assert_allclose(curve["error"], found["error"], rtol=6e-3)


def test_table_draws_an_error_of_zero_nowhere(explorer):
    for curve in explorer.table["curves"]:
        assert [log is None for log in curve["log_error"]] == [error == 0 for error in curve["error"]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"function": "cos"}, r"function must be 'exp' or 'sin' .*; got function='cos'"),
        ({"dtype": ("float64", "float16")}, r"dtype must be 'float64' or 'float32'; got dtype='float16'"),
        ({"scheme": ()}, r"scheme must offer at least one choice; got scheme=\(\)"),
    ],
)
def test_explorer_refuses_a_choice_in_one_sentence(arguments, message):
    with pytest.raises(ValueError, match=message):
        GradientCheckExplorer(**arguments)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("step", 57, r"step must be from 0 to 56; got step=57"),
        ("step", -1, r"step must be from 0 to 56; got step=-1"),
        ("dtype", "half", r"dtype must be 'float64' or 'float32'; got dtype='half'"),
    ],
)
def test_explorer_refuses_a_value_and_keeps_the_old_one(explorer, name, value, message):
    before = getattr(explorer, name)
    with pytest.raises(TraitError, match=message):
        setattr(explorer, name, value)
    assert getattr(explorer, name) == before


def test_explorer_text_form_is_one_short_line():
    assert repr(GradientCheckExplorer(function=("exp", "sin"))) == "GradientCheckExplorer(exp, sin)"
