"""The backward stepper: its arguments, and steps that add up to the gradients of the loops."""

import numpy as np
import pytest
from traitlets import TraitError

from course_lib import loops
from course_lib.widgets import BackwardStepper, table
from tests.widgets import decode

X = np.random.default_rng(3).integers(0, 9, (5, 6)).astype(float)


@pytest.fixture(scope="module")
def stepper():
    """A widget with all choices."""
    return BackwardStepper(X, padding=(0, 1))


def settings(stepper):
    """Every setting: values, the entry, its routes in the order of the outputs, its scatter."""
    for values, entry in decode.entries(stepper.table):
        routes = stepper.table["routes"][entry["routes"]]
        yield values, entry, routes, stepper.table["scatter"][entry["scatter"]]


def gradient(x, values, upstream):
    """grad_input by the plain loops."""
    window = values["kernel_size"], values["stride"], values["padding"]
    batch = x[None, None]
    if values["operation"] == "max":
        indices = loops.max_pool(batch, *window, return_indices=True)[1]
        return loops.max_pool_backward(upstream, indices, batch.shape).ravel()
    return loops.avg_pool_backward(upstream, batch.shape, *window).ravel()


def upstream(stepper, entry):
    """The upstream gradient of a setting."""
    shape = stepper.table["geometry"][entry["geometry"]]["shape"]
    numbers = stepper.table["forward"][entry["forward"]]["upstream"]
    return decode.floats(numbers).reshape(1, 1, *shape)


def last_after(routes, scatter, size):
    """What stands in each element after the last route that ends there; 0 where none does."""
    found = np.zeros(size)
    for element, value in zip(routes["inputs"], decode.packed(scatter["after"], len(routes["inputs"])), strict=True):
        found[element] = value
    return found


def test_adding_ends_at_the_gradient_of_the_loops(stepper):
    for values, entry, routes, scatter in settings(stepper):
        if values["write"] == "+=":
            expected = gradient(X, values, upstream(stepper, entry))
            np.testing.assert_allclose(last_after(routes, scatter, X.size), expected, atol=1e-9)


def test_writing_keeps_only_the_last_amount(stepper):
    for values, _, routes, scatter in settings(stepper):
        if values["write"] == "=":
            amounts = decode.packed(scatter["amounts"], len(routes["inputs"]))
            np.testing.assert_array_equal(decode.packed(scatter["after"], len(amounts)), amounts)


def test_amounts_of_an_element_add_up_to_what_it_gathers(stepper):
    for values, entry, routes, scatter in settings(stepper):
        if values["form"] == "gather":
            amounts = decode.packed(scatter["amounts"], len(routes["inputs"]))
            found = np.bincount(routes["inputs"], amounts, minlength=X.size)
            np.testing.assert_allclose(found, gradient(X, values, upstream(stepper, entry)), atol=1e-9)


def test_given_gradient_is_sent_back():
    given = np.array([[2.0, -1.0], [0.5, 3.0]])
    stepper = BackwardStepper(np.arange(9.0).reshape(3, 3), given, kernel_size=2, stride=1)
    for values, _, routes, scatter in settings(stepper):
        if values["write"] == "+=":
            expected = gradient(np.arange(9.0).reshape(3, 3), values, given[None, None])
            np.testing.assert_allclose(last_after(routes, scatter, 9), expected)


def test_steps_are_one_for_each_output_and_each_output_or_input(stepper):
    for values, entry, _, _ in settings(stepper):
        outputs = len(stepper.table["forward"][entry["forward"]]["y"])
        assert entry["last"] == outputs + (X.size if values["form"] == "gather" else outputs)


def test_what_writing_loses_is_stated():
    stepper = BackwardStepper(np.array([[0, 0, 0], [0, 9.0, 0], [0, 0, 0]]), kernel_size=2, stride=1, write="=")
    notes = dict(stepper.table["scatter"][0]["notes"])
    assert notes == {"sum of grad_output": "4", "sum of grad_input": "1", "lost by =": "3 of 4"}


def test_what_falls_on_padding_is_stated():
    stepper = BackwardStepper(np.eye(2), kernel_size=2, stride=2, padding=1, operation="average")
    assert dict(stepper.table["scatter"][0]["notes"])["falls on padding"] == "3"


def test_stepper_refuses_a_gradient_that_does_not_fit_all_choices():
    with pytest.raises(ValueError, match=r"grad_output must have the output's shape \(4, 5\); got shape \(3, 3\)"):
        BackwardStepper(X, np.ones((3, 3)), kernel_size=(2, 3), stride=1)


def test_stepper_refuses_a_step_beyond_the_last():
    stepper = BackwardStepper(np.eye(3), kernel_size=2, stride=1)
    with pytest.raises(TraitError, match=r"step must be 0 to 8; got step=9"):
        stepper.step = 9


def test_stepper_goes_back_to_the_last_step_of_a_shorter_pass():
    stepper = BackwardStepper(np.eye(3), kernel_size=2, stride=1)
    stepper.form = "gather"
    stepper.step = 13
    stepper.form = "scatter"
    assert stepper.step == 8


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"form": "push"}, r"form must be 'scatter' or 'gather'; got form='push'"),
        ({"write": "-="}, r"write must be '\+=' or '='; got write='-='"),
        ({"kernel_size": 7}, r"kernel_size must fit into the padded input; got kernel_size=7"),
    ],
    ids=str,
)
def test_stepper_refuses_a_choice_in_one_sentence(choices, message):
    with pytest.raises(ValueError, match=message):
        BackwardStepper(X, **choices)


def test_stepper_text_form_is_one_short_line(stepper):
    assert repr(stepper) == "BackwardStepper(5 × 6 input)"


def test_table_of_the_largest_input_stays_under_300_kb():
    stepper = BackwardStepper(np.arange(36.0).reshape(6, 6), kernel_size=(2, 3), stride=(1, 2, 3), padding=(0, 1))
    assert table.size(stepper.table) < 300_000
