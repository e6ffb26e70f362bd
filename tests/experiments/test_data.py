"""Photographs and digits as numbers."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_sample_image

from course_lib.experiments import digits, photograph


@pytest.mark.parametrize("name", ["flower", "china"])
def test_photograph_keeps_every_pixel_by_default(name):
    np.testing.assert_array_equal(photograph(name, grey=False) * 255, load_sample_image(f"{name}.jpg"))


def test_photograph_mixes_red_green_and_blue_into_grey():
    red, green, blue = np.moveaxis(photograph(grey=False), -1, 0)
    # The grey is rounded to a whole level.
    np.testing.assert_allclose(photograph(), 0.299 * red + 0.587 * green + 0.114 * blue, rtol=0, atol=0.501 / 255)


def test_photograph_has_whole_levels():
    levels = photograph("china", size=(64, 96)) * 255
    np.testing.assert_allclose(levels, np.round(levels), rtol=1e-14)


@pytest.mark.parametrize("grey", [True, False])
def test_photograph_has_the_wanted_size(grey):
    assert photograph("china", size=(30, 50), grey=grey).shape == (30, 50) + (() if grey else (3,))


def test_photograph_takes_the_mean_of_each_block_around_the_middle():
    full = photograph("flower")
    # 427 // 40 = 10 and 640 // 60 = 10: blocks of 10 × 10, after 13 rows and 20 columns.
    middle = full[13:413, 20:620]
    expected = middle.reshape(40, 10, 60, 10).mean(axis=(1, 3))
    # Both the pixels of the full photograph and the means are rounded to a whole level.
    np.testing.assert_allclose(photograph("flower", size=(40, 60)), expected, rtol=0, atol=1.001 / 255)


def test_photograph_lies_between_black_and_white():
    image = photograph("china", size=(64, 96))
    assert 0 <= image.min() < image.max() <= 1


def test_photograph_is_a_new_array_each_time():
    first = photograph(size=(8, 8))
    first[:] = 0
    assert photograph(size=(8, 8)).max() > 0


def test_photograph_refuses_an_unknown_name():
    with pytest.raises(ValueError, match=r"name must be 'flower' or 'china'; got name='cat'"):
        photograph("cat")


def test_photograph_refuses_a_size_beyond_its_own():
    with pytest.raises(ValueError, match=r"size must be at most the photograph's \(427, 640\); got size=\(428, 10\)"):
        photograph(size=(428, 10))


def test_experiments_load_no_library_before_it_is_needed():
    code = "import sys, course_lib.experiments; print([n for n in ('sklearn', 'torch', 'scipy') if n in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


def test_digits_are_cut_into_two_parts_that_hold_every_image_once():
    images, labels = load_digits(return_X_y=True)
    data = digits()
    found = np.concatenate([data.x_train, data.x_test]).reshape(-1, 64) * 16
    assert (len(data.y_train), len(data.y_test)) == (1200, 597)
    np.testing.assert_array_equal(sorted(map(tuple, found)), sorted(map(tuple, images)))
    np.testing.assert_array_equal(np.bincount(np.concatenate([data.y_train, data.y_test])), np.bincount(labels))


def test_digits_keep_each_image_with_its_label():
    images, labels = load_digits(return_X_y=True)
    names = {tuple(image): label for image, label in zip(images, labels, strict=True)}
    data = digits()
    assert all(names[tuple(image)] == label for image, label in zip(
        (data.x_test * 16).reshape(-1, 64), data.y_test, strict=True))  # fmt: skip


def test_digits_are_always_cut_in_the_same_way():
    np.testing.assert_array_equal(digits().y_test[:12], [6, 1, 6, 0, 6, 4, 0, 1, 8, 2, 2, 3])
