"""The border explorable: its arguments, and borders that are those of the loops."""

import numpy as np
import pytest
from traitlets import TraitError

from course_lib import loops
from course_lib.widgets import BorderExplorer, table
from tests.widgets import decode

X = np.random.default_rng(5).permutation(30).reshape(5, 6) - 25.0
BATCH = X[None, None]


@pytest.fixture(scope="module")
def explorer():
    """A widget with all choices and two strides."""
    return BorderExplorer(X, stride=(2, 1, 3))


def settings(explorer, operation):
    """Every setting of one operation: values, and what the table holds for it."""
    found = list(decode.entries(explorer.table))
    for values, entry in found:
        if values["operation"] == operation and "refusal" not in entry:
            names = set(entry) & {"geometry", "outputs", "received", "maxima", "averages"}
            yield values, {name: explorer.table[name][entry[name]] for name in names}


def window(values):
    """The window of a setting, as the loops take it."""
    return values["kernel_size"], values["stride"], values["padding"], 1, values["ceil_mode"]


def rules(values):
    """How a setting divides, as the loops take it."""
    return {name: values[name] for name in ("count_include_pad", "divisor_override")}


def zero_padded(values):
    """Outputs when zeros are put around the input first; a last window over the edge reads no more than there is."""
    padded = np.pad(X, values["padding"])
    shape = loops.max_pool(BATCH, *window(values)).shape[2:]
    k, s = values["kernel_size"], values["stride"]
    return np.array(
        [padded[row * s : row * s + k, column * s : column * s + k].max() for row, column in np.ndindex(shape)]
    )


def test_padding_of_minus_infinity_gives_the_maximum_of_the_loops(explorer):
    for values, found in settings(explorer, "max"):
        if values["padding_value"] == "-inf":
            y, indices = loops.max_pool(BATCH, *window(values), return_indices=True)
            np.testing.assert_array_equal(decode.floats(found["outputs"]), y.ravel())
            np.testing.assert_array_equal(found["maxima"]["index"], indices.ravel())


def test_padding_of_zero_gives_the_maximum_over_zeros(explorer):
    for values, found in settings(explorer, "max"):
        if values["padding_value"] == "0":
            np.testing.assert_array_equal(decode.floats(found["outputs"]), zero_padded(values))


def test_gradient_of_a_window_that_padding_wins_is_lost(explorer):
    for values, found in settings(explorer, "max"):
        if values["padding_value"] == "0":
            won = np.array(found["maxima"]["index"]) >= 0
            assert decode.packed(found["received"], 30).sum() == won.sum()


def test_taps_lead_from_the_window_to_the_winner(explorer):
    for values, found in settings(explorer, "max"):
        _, s, p, _, _ = window(values)
        shape = found["geometry"]["shape"]
        for output, (tap, winner) in enumerate(zip(found["maxima"]["taps"], found["maxima"]["winners"], strict=True)):
            starts = [position * s - p for position in divmod(output, shape[1])]
            assert [start + offset for start, offset in zip(starts, tap, strict=True)] == winner


def test_forgotten_padding_points_one_padding_down_and_right(explorer):
    for values, found in settings(explorer, "max"):
        for (row, column), wrong in zip(found["maxima"]["winners"], found["maxima"]["wrong"], strict=True):
            flat = (row + values["padding"]) * 6 + column + values["padding"]
            assert wrong == (flat if flat < 30 else -1)


def test_worked_indices_are_right_sums(explorer):
    for _, found in settings(explorer, "max"):
        for worked in [*found["maxima"]["worked"], *found["maxima"]["slipped"]]:
            if "=" in worked:
                terms, result = worked.replace("·", "*").replace("−", "-").split("=")
                assert eval(terms) == int(result)


def test_averages_and_their_gradients_are_those_of_the_loops(explorer):
    for values, found in settings(explorer, "average"):
        y = loops.avg_pool(BATCH, *window(values), **rules(values))
        np.testing.assert_allclose(decode.floats(found["outputs"]), y.ravel(), rtol=1e-5, atol=1e-9)
        expected = loops.avg_pool_backward(np.ones_like(y), BATCH.shape, *window(values), **rules(values))
        np.testing.assert_allclose(decode.packed(found["received"], 30), expected.ravel(), atol=1e-9)


def test_divisors_lead_from_the_sum_to_the_average(explorer):
    for values, found in settings(explorer, "average"):
        sums = loops.avg_pool(BATCH, *window(values), divisor_override=1).ravel()
        expected = loops.avg_pool(BATCH, *window(values), **rules(values)).ravel()
        np.testing.assert_allclose(sums / found["averages"]["divisors"], expected)


def test_what_arrives_is_what_the_loops_pass_back(explorer):
    for _, found in settings(explorer, "average"):
        outputs = len(found["averages"]["divisors"])
        arrives = decode.packed(found["averages"]["arrives"], outputs)
        np.testing.assert_allclose(arrives.sum(), decode.packed(found["received"], 30).sum())
        np.testing.assert_allclose(decode.packed(found["averages"]["lost"], outputs), 1 - arrives, atol=1e-9)


def test_taps_are_real_or_padded_as_the_divisors_of_the_loops_say(explorer):
    for values, found in settings(explorer, "average"):
        if values["divisor_override"] is None:
            counts = found["geometry"]["padded" if values["count_include_pad"] else "real"]
            divisors = found["averages"]["divisors"]
            np.testing.assert_array_equal(decode.packed(counts, len(divisors)), divisors)


@pytest.mark.parametrize(
    ("choices", "kind", "message"),
    [
        ({"divisor_override": 0}, ValueError, r"divisor_override must not be zero, .*; got divisor_override=0"),
        ({"divisor_override": ()}, ValueError, r"divisor_override must offer at least one choice"),
        ({"divisor_override": 1.5}, TypeError, r"divisor_override must be an integer or None; got .*=1.5"),
        ({"padding_value": "1"}, ValueError, r"padding_value must be '-inf' or '0'; got padding_value='1'"),
        ({"count_include_pad": 0}, TypeError, r"count_include_pad must be True or False; got count_include_pad=0"),
        ({"padding": 2}, ValueError, r"padding must be at most half of kernel_size; got padding=2, kernel_size=3"),
    ],
    ids=str,
)  # fmt: skip
def test_explorer_refuses_a_choice_in_one_sentence(choices, kind, message):
    with pytest.raises(kind, match=message):
        BorderExplorer(X, **choices)


def test_explorer_takes_none_and_numbers_as_divisors():
    explorer = BorderExplorer(X)
    explorer.divisor_override = 4
    explorer.divisor_override = None
    with pytest.raises(TraitError, match=r"divisor_override must be None or 4; got divisor_override=5"):
        explorer.divisor_override = 5


def test_explorer_text_form_is_one_short_line(explorer):
    assert repr(explorer) == "BorderExplorer(5 × 6 input)"


def test_table_of_the_largest_input_stays_under_300_kb():
    assert table.size(BorderExplorer(np.random.default_rng(0).random((8, 8)), stride=(2, 1)).table) < 300_000
