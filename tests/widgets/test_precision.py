"""The precision explorable: formats against NumPy and torch, its arguments, and its table."""

import numpy as np
import pytest
from traitlets import TraitError

from course_lib.widgets import PrecisionExplorer, table
from course_lib.widgets import precision_formats as formats
from course_lib.widgets import precision_table as tables

NAMES = tuple(formats.FORMATS)
GRADIENTS = np.array([0.0, 1e-9, -1e-6, 1e-3, -2.0])
# Over all exponents, at ties between two neighbours, and at the ends of the ranges.
NUMBERS = np.concatenate([
    10.0 ** np.random.default_rng(0).uniform(-46, 39, 4000),
    [257.0, 259.0, 2049.0, 2051.0, 65519.0, 65520.0, 65519.99, 2.0**-25, 2.0**-24 * 1.5],
    [3.38e38, 3.39e38, 3.4028235e38, 1e39],
])  # fmt: skip


@pytest.fixture(scope="module")
def explorer():
    """A widget on a few gradients."""
    return PrecisionExplorer(gradients=GRADIENTS)


@pytest.mark.parametrize("name", ["float16", "float32"])
def test_stored_is_what_numpy_stores(name):
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(formats.stored(NUMBERS, name), NUMBERS.astype(name).astype(float))


def test_stored_bfloat16_is_what_torch_stores():
    torch = pytest.importorskip("torch")
    numbers = np.concatenate([NUMBERS, -NUMBERS, [0.0, -0.0, np.inf, -np.inf, np.nan]])
    expected = torch.from_numpy(numbers).float().bfloat16().double().numpy()
    np.testing.assert_array_equal(formats.stored(numbers, "bfloat16"), expected)


def test_stored_bfloat16_rounds_ties_to_even():
    np.testing.assert_array_equal(formats.stored([257.0, 259.0, 2.0**-134], "bfloat16"), [256.0, 260.0, 0.0])


@pytest.mark.parametrize("name", NAMES)
def test_limits_of_a_format_are_its_limits(name):
    form = formats.FORMATS[name]
    ends = np.array([form.largest, form.smallest_normal, form.smallest, 1 + form.eps])
    np.testing.assert_array_equal(formats.stored(ends, name), ends)
    beyond = formats.stored([form.largest * (1 + form.eps), form.smallest / 2, 1 + form.eps / 2], name)
    np.testing.assert_array_equal(beyond, [np.inf, 0, 1])


@pytest.mark.parametrize("name", ["float16", "float32"])
def test_limits_are_those_of_numpy(name):
    info, form = np.finfo(name), formats.FORMATS[name]
    found = [form.largest, form.smallest_normal, form.smallest, form.eps]
    np.testing.assert_array_equal(found, [info.max, info.tiny, info.smallest_subnormal, info.eps])


@pytest.mark.parametrize("name", ["float16", "float32"])
def test_neighbours_are_the_next_numbers_of_numpy(name):
    near = formats.neighbours(0.3, name, 2)
    one = np.dtype(name).type(0.3)
    expected = [np.nextafter(one, one.dtype.type(0)), one, np.nextafter(one, one.dtype.type(1))]
    np.testing.assert_array_equal(near[1:4], np.array(expected, float))


def test_neighbours_end_at_the_largest_number():
    np.testing.assert_array_equal(formats.neighbours(1e6, "float16", 2), [65440, 65472, 65504])


def test_neighbours_begin_at_zero():
    np.testing.assert_array_equal(formats.neighbours(1e-9, "float16", 2), np.array([0, 1, 2]) * 2.0**-24)


@pytest.mark.parametrize(("name", "expected"), [("float16", 2048), ("bfloat16", 256), ("float32", 2**24)])
def test_stall_is_where_one_is_lost(name, expected):
    assert formats.stall(name) == expected


def test_sum_of_ones_in_float16_is_that_of_numpy():
    np.testing.assert_array_equal(formats.sums_of_ones(3000, "float16")[1:], np.ones(3000, np.float16).cumsum())


def test_sum_of_ones_in_bfloat16_stops_at_256():
    sums = formats.sums_of_ones(1000, "bfloat16")
    np.testing.assert_array_equal(sums[[255, 256, 257, 1000]], [255, 256, 256, 256])


@pytest.mark.parametrize("name", NAMES)
def test_table_stores_what_the_format_stores(explorer, name):
    found = explorer.table["formats"][name]["stored"]
    values = np.array(explorer.table["values"])
    stored = np.array([np.inf if entry["stored"] == "∞" else entry["stored"] for entry in found])
    np.testing.assert_allclose(stored, formats.stored(values, name), rtol=1e-11)


def test_shares_count_what_float16_makes_of_the_gradients():
    sizes = np.random.default_rng(1).lognormal(-12, 4, 2000)
    for power in (-8, 0, 16):
        with np.errstate(over="ignore"):
            kept = (sizes * 2.0**power).astype(np.float16)
        found = tables.shares(sizes, 2.0**power, "float16")
        subnormal = (kept > 0) & (kept < 2.0**-14)
        expected = [np.mean(kept == 0), np.mean(np.isinf(kept)), np.mean(subnormal)]
        np.testing.assert_allclose([found["zero"], found["infinite"], found["subnormal"]], expected, rtol=1e-3)


def test_shares_leave_zeros_out():
    assert tables.shares(np.array([0.0, 0.0, 1e-9]), 1.0, "float16")["zero"] == 1


def test_histogram_counts_powers_of_two():
    assert tables.histogram(np.array([0.0, 0.5, -0.75, 1.0, 4.0])) == {"first": -1, "counts": [2, 1, 0, 1], "total": 4}


def test_gradients_of_the_network_span_many_powers_of_two():
    found = tables.histogram(tables.gradients_of_a_network())
    # 16 and 8 channels before two poolings, of which a quarter at most is a winner's.
    assert found["total"] <= 32 * (8 * 8 * 8 + 16 * 4 * 4) // 4
    assert len(found["counts"]) > 12


def test_slider_offers_further_values():
    explorer = PrecisionExplorer(values=[0.7], gradients=GRADIENTS)
    assert explorer.table["values"][explorer.value] == 0.7


def test_use_moves_a_slider_to_the_nearest_stop(explorer):
    explorer.use(value=2049, count=2048, scale=1024)
    assert explorer.table["values"][explorer.value] == 2049
    assert explorer.table["counts"][explorer.count] == 2048
    assert explorer.table["scales"][explorer.scale] == 10


def test_table_stays_under_300_kb(explorer):
    assert table.size(explorer.table) < 300_000


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"dtype": "float8"}, ValueError, r"dtype must be 'float16' or .*; got dtype='float8'"),
        ({"show": ()}, ValueError, r"show must offer at least one choice; got show=\(\)"),
        ({"values": [-1.0]}, ValueError, r"values must be finite and above 0; got values=-1.0"),
        ({"values": ["1"]}, TypeError, r"values must be a number; got values='1'"),
        ({"gradients": np.zeros(3)}, ValueError, r"gradients must be finite and not all zero; got shape \(3,\)"),
        ({"gradients": np.array([np.nan])}, ValueError, r"gradients must be finite and not all zero"),
        ({"gradients": np.array([1])}, TypeError, r"gradients must have dtype .*; got gradients.dtype=int64"),
    ],
    ids=str,
)
def test_explorer_refuses_an_argument_in_one_sentence(arguments, kind, message):
    with pytest.raises(kind, match=message):
        PrecisionExplorer(**{"gradients": GRADIENTS, **arguments})


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("scale", 37, r"scale must be from 0 to 36; got scale=37"),
        ("value", -1, r"value must be from 0 to \d+; got value=-1"),
        ("dtype", "float64", r"dtype must be 'float16' or .*; got dtype='float64'"),
    ],
)
def test_explorer_refuses_a_value_and_keeps_the_old_one(explorer, name, value, message):
    before = getattr(explorer, name)
    with pytest.raises(TraitError, match=message):
        setattr(explorer, name, value)
    assert getattr(explorer, name) == before


def test_explorer_text_form_is_one_short_line(explorer):
    assert repr(explorer) == "PrecisionExplorer(float16, bfloat16, float32)"


def test_typed_number_is_answered_for_every_format():
    explorer = PrecisionExplorer(gradients=GRADIENTS)
    explorer.typed = 0.3
    found = {name: entry["stored"] for name, entry in explorer.answer["stored"].items()}
    expected = {name: formats.stored([0.3], name)[0] for name in NAMES}
    assert explorer.answer["value"] == 0.3
    assert found == pytest.approx(expected, rel=1e-11)
