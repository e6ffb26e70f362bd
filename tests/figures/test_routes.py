"""Arrows, Jacobians and chains show what the numbers say."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch, Polygon
from matplotlib.text import Text

from course_lib import figures, max_pool, routing
from tests.figures.samples import AVG, GRAD_OUTPUT, MAX, WINDOWS, X


@pytest.fixture
def ax():
    """Axes to draw on."""
    return Figure().add_subplot()


def of_kind(artists, kind):
    """The artists of one kind."""
    return [artist for artist in artists if isinstance(artist, kind)]


@pytest.mark.parametrize(("routes", "number"), [(MAX, 4), (AVG, 16)])
def test_routes_draw_one_arrow_a_route(ax, routes, number):
    assert len(of_kind(figures.routes(routes, X, ax=ax), FancyArrowPatch)) == number


@pytest.mark.parametrize(("options", "style"), [({"x": X}, "-|>"), ({"grad_output": GRAD_OUTPUT}, "<|-")])
def test_routes_point_up_forward_and_down_backward(ax, options, style):
    arrows = of_kind(figures.routes(MAX, **options, ax=ax), FancyArrowPatch)
    assert {arrow.get_arrowstyle().arrow for arrow in arrows} == {style}


def test_routes_begin_each_arrow_at_the_input_of_its_route(ax):
    artists = figures.routes(MAX, X, ax=ax)
    places = {text.get_text(): text.get_position() for text in of_kind(artists, Text)[:16]}
    starts = [arrow._posA_posB[0] for arrow in of_kind(artists, FancyArrowPatch)]
    np.testing.assert_allclose(starts, [places[value] for value in ("7", "8", "9", "6")])


def test_routes_ring_the_winners_of_a_maximum(ax):
    assert len(of_kind(figures.routes(MAX, X, ax=ax), Circle)) == 4


def test_routes_ring_nothing_in_an_average(ax):
    assert not of_kind(figures.routes(AVG, X, ax=ax), Circle)


def test_routes_show_the_output_that_pooling_gives(ax):
    words = [text.get_text() for text in of_kind(figures.routes(MAX, X, ax=ax), Text)]
    assert words[16:20] == [f"{value:g}" for value in max_pool(X, 2).ravel()]


def test_routes_name_only_reached_inputs_when_asked(ax):
    artists = figures.routes(MAX, grad_output=GRAD_OUTPUT, reached_only=True, ax=ax)
    words = [text.get_text() for text in of_kind(artists, Text)]
    arrived = MAX.backward(GRAD_OUTPUT).ravel()
    assert words[:4] == [f"{value:g}".replace("-", "−") for value in arrived if value]


def test_routes_show_the_gradient_that_arrives(ax):
    words = [text.get_text() for text in of_kind(figures.routes(AVG, grad_output=GRAD_OUTPUT, ax=ax), Text)]
    expected = [f"{value:g}".replace("-", "−") for value in AVG.backward(GRAD_OUTPUT).ravel()]
    assert words[:16] == expected


def test_routes_float_every_output_clear_of_the_input(ax):
    figures.routes(MAX, X, windows=WINDOWS, ax=ax)
    edges = [patch.get_path().vertices[:, 1] for patch in of_kind(ax.patches, Polygon)]
    tiles = [edge for edge in edges if np.ptp(edge) < 0.7]
    # After the sixteen inputs, all small shapes are outputs and their frames.
    assert max(edge.max() for edge in tiles[16:]) < min(edge.min() for edge in tiles[:16])


def test_routes_text_names_every_route():
    text = figures.routes(MAX, grad_output=GRAD_OUTPUT).text
    assert "  grad_output (1, 0) → grad_input (2, 0)" in text
    assert text.count("→") == 4


def test_routes_text_names_the_share_of_an_average():
    assert "  x (0, 1) → y (0, 0), times 0.25" in figures.routes(AVG, X).text


def test_routes_take_one_spatial_axis():
    x = np.array([[[1.0, 5, 2]]])
    assert "x (0, 1) → y (0, 0)" in figures.routes(routing.max_routes(x, 2, stride=1), x).text


@pytest.mark.parametrize("options", [{}, {"x": X, "grad_output": GRAD_OUTPUT}])
def test_routes_refuse_both_directions_or_none(options):
    with pytest.raises(ValueError, match="either x or grad_output; got both or neither"):
        figures.routes(MAX, **options)


def test_jacobian_text_lists_the_entries_that_are_not_zero():
    lines = figures.jacobian(MAX.jacobian(), MAX.shape_in, MAX.shape_out, "max").text.splitlines()
    assert lines == [
        "max, 4 × 16; entries that are not zero:", "  y (0, 0): 1 for x (0, 1)", "  y (0, 1): 1 for x (1, 3)",
        "  y (1, 0): 1 for x (2, 0)", "  y (1, 1): 1 for x (2, 2)",
    ]  # fmt: skip


def test_jacobian_names_rows_and_columns(ax):
    words = [text.get_text() for text in of_kind(figures.jacobian(np.eye(4), (2, 2), (4, 1), ax=ax), Text)]
    assert words[16:20] == ["y (0, 0)", "y (1, 0)", "y (2, 0)", "y (3, 0)"]
    assert words[20:] == ["x (0, 0)", "x (0, 1)", "x (1, 0)", "x (1, 1)"]


def test_jacobian_refuses_a_matrix_of_another_size():
    with pytest.raises(ValueError, match=r"one row for each output.*got shape \(4, 4\), shape_in=\(2, 3\)"):
        figures.jacobian(np.eye(4), (2, 3), (2, 2))


CHAIN = ([X, GRAD_OUTPUT], [-X, GRAD_OUTPUT], "xy", ["max pool"])


def test_chain_draws_each_step_forward_and_backward(ax):
    forward, backward = of_kind(figures.chain(*CHAIN, ax=ax), FancyArrowPatch)
    assert forward._posA_posB[0][0] < forward._posA_posB[1][0]
    assert backward._posA_posB[0][0] > backward._posA_posB[1][0]


def test_chain_text_goes_through_the_values_and_back_through_the_gradients():
    text = figures.chain(*CHAIN, winners=[[(0, 1)]]).text
    order = [text.index(word) for word in ("x → max pool → y", "x, 4 × 4", "y, 2 × 2", "dL/dy, 2 × 2", "dL/dx, 4 × 4")]
    assert order == sorted(order)
    assert "Ringed (row, column): (0, 1)." in text


def test_chain_refuses_lists_that_do_not_go_together():
    with pytest.raises(ValueError, match="got 2 values, 2 gradients, 2 names, 2 steps"):
        figures.chain(*CHAIN[:3], ["conv", "max pool"])
