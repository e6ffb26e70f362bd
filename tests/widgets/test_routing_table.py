"""The table of the routing explorable says what the library says, for every setting."""

import numpy as np
import pytest

from course_lib import avg_pool, avg_pool_backward, loops, max_pool, max_pool_backward, routing
from course_lib.widgets import RoutingExplorer, table
from tests.widgets import decode

GRIDS = {
    "distinct": np.random.default_rng(1).permutation(48).reshape(6, 8) / 7,
    "tied": np.random.default_rng(2).integers(0, 3, (7, 5)),
    "bytes": np.random.default_rng(3).integers(0, 256, (9, 9)).astype(np.uint8),
    "not a number": np.where(np.random.default_rng(4).random((5, 6)) < 0.2, np.nan, np.arange(30.0).reshape(5, 6)),
    "infinite": np.where(np.eye(5) > 0, -np.inf, np.arange(25.0).reshape(5, 5)),
    "one element": np.array([[3.0]]),
}


@pytest.fixture(params=GRIDS, scope="module")
def case(request):
    """A grid, as floats with batch and channel axes, and the table of its explorable."""
    x = GRIDS[request.param]
    sizes = (1, 2) if x.size == 1 else (1, 2, 3)
    widget = RoutingExplorer(x, kernel_size=sizes, stride=(1, 2, 3), padding=(0, 1))
    return x.astype(np.float64)[None, None], widget.table


def window(values):
    """The arguments of a pooling function."""
    return values["kernel_size"], values["stride"], values["padding"]


def each(case):
    """The batch, and one setting after another."""
    batch, content = case
    found = list(decode.settings(content))
    assert found
    return [(batch, values, entry) for values, entry in found]


def test_table_routes_are_those_of_the_library(case):
    for batch, values, entry in each(case):
        if values["operation"] == "max":
            expected = routing.max_routes(batch, *window(values), ties=values["ties"])
        else:
            expected = routing.avg_routes(batch, *window(values))
        found = decode.jacobian(entry["routes"], entry["geometry"]["shape"], batch.shape)
        np.testing.assert_allclose(found, expected.jacobian().toarray(), atol=1e-11)


def test_table_received_is_what_the_backward_pass_gives(case):
    for batch, values, entry in each(case):
        if values["ties"] != "first":
            continue
        ones = np.ones((1, 1, *entry["geometry"]["shape"]))
        if values["operation"] == "max":
            indices = max_pool(batch, *window(values), return_indices=True)[1]
            expected = max_pool_backward(ones, indices, batch.shape)
        else:
            expected = avg_pool_backward(ones, batch.shape, *window(values))
        np.testing.assert_allclose(decode.packed(entry["received"], batch.size), expected.ravel(), atol=1e-11)


def test_table_counts_the_inputs_that_are_reached(case):
    for batch, _, entry in each(case):
        assert entry["received"]["reached"] == np.count_nonzero(decode.packed(entry["received"], batch.size))


def test_table_outputs_are_those_of_the_library(case):
    for batch, values, entry in each(case):
        pool = max_pool if values["operation"] == "max" else avg_pool
        found = [float(str(number).replace("−", "-").replace("∞", "inf")) for number in entry["outputs"]]
        np.testing.assert_allclose(found, pool(batch, *window(values)).ravel(), rtol=1e-5)


def test_table_coverage_counts_the_windows_of_the_loops(case):
    for batch, values, entry in each(case):
        kernel_size, stride, padding = window(values)
        shares = loops.avg_pool_backward(
            np.ones((1, 1, *entry["geometry"]["shape"])), batch.shape, kernel_size, stride, padding
        )
        counts = decode.packed(entry["geometry"]["coverage"], batch.size)
        np.testing.assert_allclose(counts, shares.ravel() * kernel_size**2)


def test_table_windows_start_where_the_stride_says(case):
    for _, values, entry in each(case):
        kernel_size, stride, padding = window(values)
        for axis, name in enumerate(("rows", "columns")):
            expected = np.arange(entry["geometry"]["shape"][axis])[:, None] * stride - padding + np.arange(kernel_size)
            np.testing.assert_array_equal(entry["geometry"][name], expected)


def test_table_weights_of_a_maximum_sum_to_one(case):
    for batch, values, entry in each(case):
        if values["operation"] == "max":
            found = decode.jacobian(entry["routes"], entry["geometry"]["shape"], batch.shape)
            np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-9)


def test_table_has_every_setting_that_max_pooling_takes():
    content = RoutingExplorer(np.eye(4), kernel_size=(1, 2, 4), stride=(1, 2), padding=(0, 1, 2)).table
    # One element takes no padding, two take one, four take two: 1 + 2 + 3, twice for strides, six for the words.
    assert len(content["settings"]) == (1 + 2 + 3) * 2 * 6


@pytest.mark.parametrize("shape", [(14, 14), (16, 16)])
def test_table_stays_under_300_kb(shape):
    x = np.random.default_rng(0).integers(0, 4, shape).astype(np.uint8)
    assert table.size(RoutingExplorer(x).table) < 300_000


def test_table_of_a_large_input_with_many_choices_is_refused():
    with pytest.raises(ValueError, match=r"x must be small enough for a table of 300 kB; got shape \(16, 16\)"):
        RoutingExplorer(np.eye(16), kernel_size=(2, 3, 4, 5, 6, 7, 8), stride=(1, 2, 3), padding=(0, 1))
