"""The sparsity explorable: its arguments, and a table whose densities are those of the library."""

import numpy as np
import pytest
from traitlets import TraitError

from course_lib import loops, routing
from course_lib.experiments import photograph
from course_lib.widgets import SparsityExplorer, table
from course_lib.widgets.sparsity_table import CODES, codes, measured

# All different, so that no window has a tie; and the small photograph, which has some.
DISTINCT = np.random.default_rng(3).permutation(180).reshape(12, 15) / 180


@pytest.fixture(scope="module")
def explorer():
    """The widget as it is without arguments."""
    return SparsityExplorer()


def levels(text, shape):
    """The numbers behind the letters."""
    return np.array([CODES.index(letter) - len(CODES) // 2 for letter in text]).reshape(shape)


@pytest.mark.parametrize("stride", [1, 2, 3, 4])
@pytest.mark.parametrize("kernel_size", [2, 3])
def test_max_reaches_the_winners_of_the_loops(kernel_size, stride):
    indices = loops.max_pool(DISTINCT[None, None], kernel_size, stride, return_indices=True)[1]
    found = measured(DISTINCT, "max", kernel_size, stride)["pool"]
    np.testing.assert_array_equal(np.flatnonzero(found), np.unique(indices))


@pytest.mark.parametrize("operation", ["average", "strided convolution"])
@pytest.mark.parametrize("stride", [1, 2, 3, 4])
@pytest.mark.parametrize("kernel_size", [2, 3])
def test_others_reach_every_element_that_a_window_holds(operation, kernel_size, stride):
    found = measured(DISTINCT, operation, kernel_size, stride)["pool"]
    np.testing.assert_array_equal(found != 0, routing.coverage(DISTINCT.shape, kernel_size, stride) > 0)


def test_tiles_of_a_maximum_have_one_part_in_k():
    assert routing.density(measured(DISTINCT[:, :12], "max", 3, 3)["pool"]) == 1 / 9


def test_a_convolution_in_front_makes_the_gradient_dense_again():
    found = measured(DISTINCT, "max", 2, 2, convolved=True)
    assert routing.density(found["pool"]) < 0.26
    # A corner is read by four taps only, and none of them may have met a winner.
    assert routing.density(found["photo"]) > 0.9


def test_gradient_of_the_photo_is_that_of_the_loops():
    found = measured(DISTINCT, "average", 2, 2, convolved=True)
    front = np.random.default_rng([0, *b"front", 1, 1, 3, 3]).standard_normal((1, 1, 3, 3))
    expected = loops.conv_backward(found["pool"][None, None], DISTINCT[None, None], front, padding=1)[0]
    np.testing.assert_allclose(found["photo"], expected[0, 0], rtol=1e-12, atol=1e-14)


def test_overlap_gives_more_than_one_part_in_k(explorer):
    entry = explorer.table["settings"]["max 2 1 nothing"]
    assert entry["share"] < entry["density"] <= entry["bound"]


def test_every_maximum_reaches_at_most_one_element_for_each_output(explorer):
    for key, entry in explorer.table["settings"].items():
        if key.startswith("max"):
            assert entry["reached"] <= entry["outputs"]


def test_maps_hold_as_many_elements_as_the_density_says(explorer):
    size = 40 * 60
    for entry in explorer.table["settings"].values():
        pool = levels(explorer.table["maps"][entry["pool"]], (40, 60))
        assert np.count_nonzero(pool) == entry["reached"]
        np.testing.assert_allclose(entry["reached"] / size, entry["density"], rtol=1e-5)


def test_maps_are_the_gradients_in_fifteen_steps(explorer):
    found = measured(photograph("flower", size=(40, 60)), "average", 3, 2)["pool"]
    stored = levels(explorer.table["maps"][explorer.table["settings"]["average 3 2 nothing"]["pool"]], (40, 60))
    np.testing.assert_allclose(stored / 15, found / np.abs(found).max(), atol=1 / 15)
    np.testing.assert_array_equal(np.sign(stored), np.sign(found))


def test_codes_of_zeros_are_dots():
    assert codes(np.zeros((2, 2))) == "...."


def test_table_stays_under_300_kb(explorer):
    assert table.size(explorer.table) < 300_000


def test_table_of_a_large_picture_is_refused():
    with pytest.raises(ValueError, match=r"x must be small enough for a table of 300 kB; got shape \(90, 90\)"):
        SparsityExplorer(np.zeros((90, 90)))


def test_explorer_takes_bytes():
    picture = (DISTINCT * 255).astype(np.uint8)
    assert SparsityExplorer(picture).table["input"] == SparsityExplorer(picture / 255).table["input"]


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"x": np.zeros((2, 3, 4))}, ValueError, r"x must have shape \(H, W\) and not be empty; got shape \(2, 3, 4\)"),
        ({"x": np.full((4, 4), 2.0)}, ValueError, r"x must lie between 0 \(black\) and 1 \(white\); got 2 to 2"),
        ({"x": np.full((4, 4), np.nan)}, ValueError, r"x must lie between 0 .*; got nan to nan"),
        ({"x": np.zeros((4, 4), complex)}, TypeError, r"x must have dtype .*; got x.dtype=complex128"),
        ({"x": DISTINCT, "kernel_size": 13}, ValueError, r"kernel_size must fit into the padded input; got .*=13"),
        ({"x": DISTINCT, "stride": 0}, ValueError, r"stride must be at least 1 .*; got stride=0"),
        ({"x": DISTINCT, "operation": "min"}, ValueError, r"operation must be 'max' or .*; got operation='min'"),
        ({"x": DISTINCT, "front": ()}, ValueError, r"front must offer at least one choice; got front=\(\)"),
    ],
    ids=str,
)
def test_explorer_refuses_an_argument_in_one_sentence(arguments, kind, message):
    with pytest.raises(kind, match=message):
        SparsityExplorer(**arguments)


def test_explorer_refuses_a_value_and_keeps_the_old_one():
    explorer = SparsityExplorer(DISTINCT)
    with pytest.raises(TraitError, match=r"stride must be .*; got stride=7"):
        explorer.stride = 7
    assert explorer.stride == 2


def test_explorer_follows_its_controls():
    explorer = SparsityExplorer(DISTINCT)
    explorer.operation = "average"
    assert explorer.density() == routing.density(measured(DISTINCT, "average", 2, 2)["pool"])


def test_explorer_text_form_is_one_short_line(explorer):
    assert repr(explorer) == "SparsityExplorer(40 × 60 picture)"
