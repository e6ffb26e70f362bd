"""The tasks of chapters 10 to 13: what is right passes, and each known mistake is refused by name."""

import numpy as np
import pytest

from course_lib.exercises import check


def listing_a(add=True, floats=True):
    """Listing A, mended as far as asked."""

    def backward(x, grad_output, k, s):
        grad_input = np.zeros(x.shape, grad_output.dtype if floats else x.dtype)
        for i, j in np.ndindex(grad_output.shape):
            window = x[i * s : i * s + k, j * s : j * s + k]
            row, column = np.argwhere(window == window.max())[0]
            place = i * s + row, j * s + column
            grad_input[place] = grad_output[i, j] + (grad_input[place] if add else 0)
        return grad_input

    return backward


def listing_c(padding):
    """Listing C with some number as padding."""

    def backward(x, grad_output, k, s, p):
        padded = np.pad(x, p, constant_values=padding)
        grad_padded = np.zeros(padded.shape)
        for i, j in np.ndindex(grad_output.shape):
            window = padded[i * s : i * s + k, j * s : j * s + k]
            row, column = np.unravel_index(window.argmax(), window.shape)
            grad_padded[i * s + row, j * s + column] += grad_output[i, j]
        return grad_padded[p:-p, p:-p]

    return backward


def test_mended_listings_pass():
    result = check("12", mended_a=listing_a(), mended_c=listing_c(-np.inf))
    assert result.passed
    assert result.points == result.max_points


@pytest.mark.parametrize(
    ("answers", "name"),
    [
        ({"mended_a": listing_a(add=False)}, "max_overwrite"),
        ({"mended_a": listing_a(floats=False)}, "max_int_dx"),
        ({"mended_c": listing_c(0)}, "max_zero_pad"),
    ],
)
def test_listing_that_is_not_mended_is_refused_by_name(answers, name):
    result = check("12", **answers)
    assert not result.passed
    assert name in result.misconceptions


def test_right_marks_pass():
    assert check("13", missing="c", move="c", exposing="b").passed


@pytest.mark.parametrize(
    ("answers", "name"),
    [
        ({"missing": "d"}, "point_was_said"),
        ({"exposing": "a"}, "tiles_hide_overwriting"),
        ({"exposing": "c"}, "ties_hide_overwriting"),
    ],
)
def test_wrong_marks_are_refused_by_name(answers, name):
    assert name in check("13", **answers).misconceptions


COUNTED = {
    "conv_parameters": 9248,
    "depthwise_parameters": 320,
    "index_bytes": 102400,
    "adaptive_gradient": [2, 2, 6, 4, 4],
    "uses": "c",
}


def test_counts_of_halving_pass():
    assert check("10", **COUNTED).passed


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ({"conv_parameters": 2312}, "stride_saves_parameters"),
        ({"index_bytes": 8 * 32 * 40 * 40}, "index_for_every_input"),
        ({"adaptive_gradient": [2, 2, 4, 4, 4]}, "avg_overwrite"),
        ({"uses": "b"}, "efficientnet_pools"),
    ],
)
def test_wrong_counts_of_halving_are_refused_by_name(changed, name):
    result = check("10", **COUNTED | changed)
    assert not result.passed
    assert name in result.misconceptions


BRANCHES = {"token_gradient": [0, 6, 0, 0], "clipped": 0.6, "cause": "b", "empty": "b"}


def test_two_branches_by_hand_pass():
    assert check("11", **BRANCHES).passed


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ({"token_gradient": [0, 0, 6, 0]}, "max_tie_last"),
        ({"clipped": 1}, "clip_each"),
        ({"cause": "c"}, "infinity_is_silent"),
        ({"empty": "a"}, "zero_times_nan"),
    ],
)
def test_wrong_two_branches_are_refused_by_name(changed, name):
    result = check("11", **BRANCHES | changed)
    assert not result.passed
    assert name in result.misconceptions
