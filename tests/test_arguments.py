"""Every refusal says which argument, which rule and which value."""

import re

import numpy as np
import pytest

from course_lib import (
    avg_pool,
    fractional_max_pool,
    lp_pool,
    max_pool,
    max_pool_backward,
    max_unpool,
    max_unpool_backward,
)

X = np.zeros((1, 1, 5, 5))
REFUSED = {
    "kernel zero": (dict(kernel_size=0), ValueError, r"kernel_size must be at least 1 .*; got kernel_size=0\."),
    "kernel negative": (dict(kernel_size=-2), ValueError, r"got kernel_size=-2\."),
    "kernel float": (dict(kernel_size=2.0), TypeError, r"kernel_size must be an integer or 2 integers; .*=2\.0\."),
    "kernel bool": (dict(kernel_size=True), TypeError, r"got kernel_size=True\."),
    "kernel none": (dict(kernel_size=None), TypeError, r"got kernel_size=None\."),
    "kernel string": (dict(kernel_size="2"), TypeError, r"got kernel_size='2'\."),
    "kernel three": (dict(kernel_size=(2, 2, 2)), ValueError, r"x must have shape \(N, C, D, H, W\)"),
    "kernel array of no axes": (
        dict(kernel_size=np.array(2.5)),
        TypeError,
        r"2 integers; got kernel_size=array\(2\.5\)",
    ),
    "kernel set": (dict(kernel_size={2, 3}), TypeError, r"got kernel_size=\{2, 3\}"),
    "kernel mapping": (dict(kernel_size={2: 0, 3: 0}), TypeError, r"got kernel_size=\{2: 0, 3: 0\}"),
    "kernel bytes": (dict(kernel_size=b"22"), TypeError, r"got kernel_size=b'22'"),
    "kernel empty": (dict(kernel_size=()), ValueError, r"each of the 2 spatial axes; got kernel_size=\(\)"),
    "kernel holds float": (dict(kernel_size=(2, 2.5)), TypeError, r"hold integers; got kernel_size=\(2, 2\.5\)"),
    "kernel large": (dict(kernel_size=6), ValueError, r"fit into the padded input; got kernel_size=6, padding=0"),
    "kernel huge": (dict(kernel_size=2**70), ValueError, r"at most 2147483647; got kernel_size=1180591620717411303424"),
    "span large": (dict(kernel_size=3, dilation=3), ValueError, r"dilation=3, input size \(5, 5\)"),
    "stride zero": (dict(kernel_size=2, stride=0), ValueError, r"stride must be at least 1 .*; got stride=0"),
    "stride bool": (dict(kernel_size=2, stride=False), TypeError, r"got stride=False"),
    "dilation zero": (dict(kernel_size=2, dilation=0), ValueError, r"dilation must be at least 1 .*; got dilation=0"),
    "padding negative": (dict(kernel_size=2, padding=-1), ValueError, r"padding must be at least 0 .*; got padding=-1"),
    "padding over half": (
        dict(kernel_size=3, padding=2),
        ValueError,
        r"padding must be at most half of kernel_size; got padding=2, kernel_size=3\.",
    ),
    "padding equal pairs over half": (
        dict(kernel_size=2, padding=((2, 2), (0, 0))),
        ValueError,
        r"at most half of kernel_size; got padding=\(\(2, 2\), \(0, 0\)\), kernel_size=2",
    ),
    "padding dilation widens nothing": (dict(kernel_size=2, dilation=3, padding=2), ValueError, r"at most half"),
    "padding word": (dict(kernel_size=2, padding="full"), ValueError, r"'valid' or 'same' or 'same_lower'; .*='full'"),
    "padding triple": (dict(kernel_size=2, padding=((1, 0, 0), (0, 0))), ValueError, r"one \(before, after\) pair"),
    "padding pair set": (dict(kernel_size=2, padding=({0, 1}, (0, 0))), ValueError, r"one \(before, after\) pair"),
    "padding array": (dict(kernel_size=2, padding=np.array(0.5)), TypeError, r"got padding=array\(0\.5\)"),
    "padding half pairs": (dict(kernel_size=2, padding=((1, 0), 1)), ValueError, r"one \(before, after\) pair"),
    "padding pair negative": (dict(kernel_size=2, padding=((-1, 0), (0, 0))), ValueError, r"at least 0"),
    "padding pair float": (dict(kernel_size=2, padding=((1.0, 0), (0, 0))), TypeError, r"padding must hold integers"),
    "ceil integer": (dict(kernel_size=2, ceil_mode=1), TypeError, r"ceil_mode must be True or False; got ceil_mode=1"),
    "channel axis": (dict(kernel_size=2, channel_axis=4), ValueError, r"got channel_axis=4, shape \(1, 1, 5, 5\)"),
    "channel axis array": (
        dict(kernel_size=2, channel_axis=np.array(1.5)),
        TypeError,
        r"got channel_axis=array\(1\.5\)",
    ),
    "channel axis float": (dict(kernel_size=2, channel_axis=1.0), TypeError, r"got channel_axis=1\.0"),
}
INPUTS = {
    "unbatched": (np.zeros((5, 5)), ValueError, r"got shape \(5, 5\)\. Add the missing axes with x\[None, None\]\."),
    "vector": (np.zeros(5), ValueError, r"one to three spatial axes; got shape \(5,\)"),
    "scalar": (np.array(5.0), ValueError, r"got shape \(\)"),
    "six axes": (np.zeros((1,) * 6), ValueError, r"one to three spatial axes"),
    "empty channels": (np.zeros((1, 0, 4, 4)), ValueError, r"empty channel or spatial axes; got shape \(1, 0, 4, 4\)"),
    "empty height": (np.zeros((1, 1, 0, 4)), ValueError, r"empty channel or spatial axes"),
    "bool": (np.zeros((1, 1, 4, 4), bool), TypeError, r"got x\.dtype=bool"),
    "complex": (np.zeros((1, 1, 4, 4), complex), TypeError, r"got x\.dtype=complex128"),
    "object": (np.zeros((1, 1, 4, 4), object), TypeError, r"got x\.dtype=object"),
    "list": ([[[[1.0, 2.0], [3.0, 4.0]]]], TypeError, r"got list\. Convert it with np\.asarray\(x\)"),
    "none": (None, TypeError, r"got NoneType"),
}


@pytest.mark.parametrize("pool", [max_pool, avg_pool])
@pytest.mark.parametrize("name", REFUSED)
def test_pooling_refuses_arguments(pool, name):
    arguments, error, message = REFUSED[name]
    with pytest.raises(error, match=message):
        pool(X, **arguments)


@pytest.mark.parametrize("pool", [max_pool, avg_pool])
@pytest.mark.parametrize("name", INPUTS)
def test_pooling_refuses_inputs(pool, name):
    x, error, message = INPUTS[name]
    with pytest.raises(error, match=message):
        pool(x, 2)


def test_pooling_says_which_axis_a_batch_of_grey_images_lacks():
    with pytest.raises(ValueError, match=r"x\[None\] for one sample, or x\[:, None\] for one channel"):
        max_pool(np.zeros((3, 5, 5)), (2, 2))


@pytest.mark.parametrize("value", [np.int64(2), np.uint8(2), np.array(2), [2, 2], np.array([2, 2]), (np.int8(2), 2)])
def test_pooling_takes_every_kind_of_integer(value):
    np.testing.assert_array_equal(max_pool(X, value), max_pool(X, 2))


@pytest.mark.parametrize("padding", [0, np.array(0), np.array([0, 0]), np.array([[0, 0], [0, 0]]), "valid"])
def test_pooling_takes_padding_of_every_form_with_ceil_mode(padding):
    assert max_pool(X, 2, padding=padding, ceil_mode=True).shape == (1, 1, 3, 3)


@pytest.mark.parametrize("value", [0, 1.5, True, np.array(1.5), np.array([2, 3])])
def test_avg_pool_refuses_a_divisor(value):
    with pytest.raises((TypeError, ValueError), match=f"got divisor_override={re.escape(repr(value))}"):
        avg_pool(X, 2, divisor_override=value)


def test_avg_pool_says_how_large_a_divisor_may_be():
    with pytest.raises(ValueError, match="at most 2147483647 in size; got divisor_override=2147483648"):
        avg_pool(X, 2, divisor_override=2**31)


@pytest.mark.parametrize("norm_type", [10**400, -(10**400)], ids=["large", "negative"])
def test_lp_pool_refuses_an_order_that_no_float_holds(norm_type):
    with pytest.raises(ValueError, match="norm_type must be a number that a float can hold"):
        lp_pool(X, norm_type, 2)


def test_fractional_max_pool_takes_a_ratio_from_an_array():
    ratio = np.array(0.5)
    assert fractional_max_pool(X, 2, output_ratio=ratio[()]).shape == (1, 1, 2, 2)
    with pytest.raises(TypeError, match=r"output_ratio must be a number; got output_ratio=array\(0\.5\)"):
        fractional_max_pool(X, 2, output_ratio=ratio)


def test_max_pool_backward_takes_indices_of_the_other_byte_order():
    grad_output, indices = np.ones((1, 1, 1)), np.array([[[2]]], ">i8")
    np.testing.assert_array_equal(max_pool_backward(grad_output, indices, (1, 1, 3)), [[[0, 0, 1]]])


def test_max_unpool_backward_takes_indices_of_the_other_byte_order():
    np.testing.assert_array_equal(max_unpool_backward(np.array([[[1.0, 2.0]]]), np.array([[[1]]], ">i8")), [[[2]]])


@pytest.mark.parametrize("shape", [np.array(3), {1, 3}, 3, "123"])
def test_max_pool_backward_refuses_what_is_no_shape(shape):
    with pytest.raises(TypeError, match="input_shape must be a shape; got input_shape="):
        max_pool_backward(np.ones((1, 1, 1)), np.zeros((1, 1, 1), np.int64), shape)


@pytest.mark.parametrize("side", [2**30, 2**31 - 1])
def test_max_unpool_refuses_a_shape_that_no_array_can_have(side):
    x = np.ones((1, 1, 1, 1, 1))
    with pytest.raises(ValueError, match="output_shape must not have more elements than an array can hold"):
        max_unpool(x, np.zeros(x.shape, np.int64), (1, 1, side, side, side))


@pytest.mark.parametrize("duplicates", [np.array(["raise", "last"]), None, 1])
def test_max_unpool_refuses_what_is_no_word(duplicates):
    with pytest.raises(ValueError, match="duplicates must be 'raise' or 'last'; got duplicates="):
        max_unpool(np.ones((1, 1, 1)), np.zeros((1, 1, 1), np.int64), (1, 1, 3), duplicates=duplicates)


def test_pooling_with_equal_values_of_other_types_is_not_taken_from_a_cache():
    max_pool(X, 2)
    with pytest.raises(TypeError, match=r"got kernel_size=2\.0"):
        max_pool(X, 2.0)


def test_array_refuses_a_masked_array():
    x = np.ma.masked_array(np.ones((1, 1, 2, 2)), mask=[[[[0, 1], [0, 0]]]])
    with pytest.raises(TypeError, match=r"x must not be a masked array.*x\.filled"):
        max_pool(x, 2)


def test_array_takes_a_file_in_memory(tmp_path):
    x = np.memmap(tmp_path / "x", float, "w+", shape=(1, 1, 2, 2))
    x[:] = [[[[1, 4], [3, 2]]]]
    assert type(max_pool(x, 2)) is np.ndarray
    np.testing.assert_array_equal(max_pool(x, 2), [[[[4]]]])
