"""How numbers are packed into a widget's table."""

import numpy as np
import pytest

from course_lib import routing
from course_lib.widgets import table
from tests.widgets import decode


@pytest.mark.parametrize(
    ("value", "expected"),
    [(1 / 3, 0.333333), (2.0, 2), (-1234567.0, -1234570), (np.nan, "NaN"), (np.inf, "∞"), (-np.inf, "−∞"), (-0.0, 0)],
)
def test_number_is_rounded_for_the_screen(value, expected):
    found = table.number(value)
    assert found == expected
    assert type(found) is type(expected)


def test_distinct_gives_back_the_array():
    array = np.array([[0.5, 1.0, 0.5], [0.25, 1.0, 0.5]])
    np.testing.assert_array_equal(decode.packed(table.distinct(array), 6), array.ravel())


def test_distinct_makes_one_number_of_sums_in_another_order():
    assert table.distinct(np.array([0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1]))["codes"] == [0, 0]


def test_routes_of_a_maximum_take_one_count_and_one_weight():
    paths = routing.max_routes(np.arange(16.0).reshape(1, 1, 4, 4), 2)
    assert table.routes(paths) == {"counts": 1, "inputs": [5, 7, 13, 15], "weights": 1}


def test_routes_of_unlike_windows_give_back_the_jacobian():
    x = np.array([[[[4.0, 4.0, 1.0], [0.0, 2.0, 1.0]]]])
    paths = routing.max_routes(x, 2, stride=1, ties="split")
    found = decode.jacobian(table.routes(paths), paths.shape_out, paths.shape_in)
    np.testing.assert_array_equal(found, paths.jacobian().toarray())


def test_routes_in_another_order_give_back_the_jacobian():
    places = np.array([1, 0, 1]), np.array([0, 1, 2])
    paths = routing.Routes(*places, np.array([0.25, 1.0, 0.75]), (1, 1, 3), (1, 1, 2))
    found = decode.jacobian(table.routes(paths), paths.shape_out, paths.shape_in)
    np.testing.assert_array_equal(found, [[0, 1, 0], [0.25, 0, 0.75]])


def test_pool_keeps_equal_entries_once():
    pool = table.Pool()
    assert [pool.add([1, 2]), pool.add([3]), pool.add([1, 2])] == [0, 1, 0]
    assert pool.entries == [[1, 2], [3]]


def test_text_refuses_what_is_not_json():
    with pytest.raises(ValueError, match="JSON"):
        table.text({"value": np.nan})
