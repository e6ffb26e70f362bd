"""Convolution and its transpose against numbers worked by hand, the loops and PyTorch."""

import numpy as np
import pytest

from course_lib import arguments, conv, conv_backward, conv_transpose, conv_transpose_backward, loops
from course_lib.numpy_ops import correlation, single_taps
from tests.geometries import GEOMETRIES, geometry_id

FEW = [geometry for geometry in GEOMETRIES if not geometry.arguments.get("ceil_mode")]
# Channels in, channels out, groups: one group, two, and one channel a group with twice as many outputs.
GROUPS = [(2, 3, 1), (4, 2, 2), (2, 4, 2)]
NUMBERED = [g for g in FEW if not isinstance(g.arguments.get("padding", 0), str)]


def _windows(geometry):
    """The kernel's shape and the window arguments of a geometry, with a convolution's default stride."""
    arguments = {"stride": 1, "padding": 0, "dilation": 1} | geometry.arguments
    kernel = arguments.pop("kernel_size")
    return (kernel,) * len(geometry.size) if isinstance(kernel, int) else kernel, arguments


def _case(geometry, groups, rng, transpose=False):
    """Input, weight, bias and window arguments: small integers, so that sums are exact in any order."""
    inputs, outputs, count = groups
    kernel, arguments = _windows(geometry)
    channels = (inputs, outputs // count) if transpose else (outputs, inputs // count)
    x = rng.integers(-9, 10, (2, inputs, *geometry.size)).astype(float)
    weight, bias = rng.integers(-9, 10, (*channels, *kernel)).astype(float), rng.integers(-9, 10, outputs).astype(float)
    return x, weight, bias, {**arguments, "groups": count}


@pytest.mark.parametrize("groups", GROUPS, ids=str)
@pytest.mark.parametrize("geometry", FEW, ids=geometry_id)
def test_conv_equals_loops(geometry, groups, rng):
    x, weight, bias, options = _case(geometry, groups, rng)
    y = conv(x, weight, bias, **options)
    np.testing.assert_array_equal(y, loops.conv(x, weight, bias, **options))
    grad_output = rng.integers(-9, 10, y.shape).astype(float)
    found = conv_backward(grad_output, x, weight, **options)
    for ours, theirs in zip(found, loops.conv_backward(grad_output, x, weight, **options), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("groups", GROUPS, ids=str)
@pytest.mark.parametrize("geometry", FEW, ids=geometry_id)
def test_conv_equals_torch(geometry, groups, rng):
    torch = pytest.importorskip("torch")
    x, weight, bias, options = _case(geometry, groups, rng)
    y = conv(x, weight, bias, **options)
    leaves = [torch.tensor(array, requires_grad=True) for array in (x, weight, bias)]
    pads = _pairs(options.pop("padding"), geometry, weight.shape[2:], options)
    padded = torch.nn.functional.pad(leaves[0], [entry for pair in reversed(pads) for entry in pair])
    expected = getattr(torch.nn.functional, f"conv{len(geometry.size)}d")(padded, *leaves[1:], **options)
    np.testing.assert_array_equal(y, expected.detach().numpy())
    grad_output = rng.integers(-9, 10, y.shape).astype(float)
    expected.backward(torch.tensor(grad_output))
    for ours, leaf in zip(conv_backward(grad_output, x, weight, padding=pads, **options), leaves, strict=True):
        np.testing.assert_array_equal(ours, leaf.grad.numpy())


def _pairs(padding, geometry, kernel, options):
    """Padding of any form as (before, after) pairs, worked out here and not by the code under test."""
    if not isinstance(padding, str):
        entries = (padding,) * len(geometry.size) if isinstance(padding, int) else padding
        return [(entry, entry) if isinstance(entry, int) else entry for entry in entries]
    pairs = []
    for axis, (size, k) in enumerate(zip(geometry.size, kernel, strict=True)):
        s, d = (value if isinstance(value, int) else value[axis] for value in (options["stride"], options["dilation"]))
        total = max((-(-size // s) - 1) * s + (k - 1) * d + 1 - size, 0) if padding != "valid" else 0
        pairs.append((total // 2, total - total // 2) if padding != "same_lower" else (total - total // 2, total // 2))
    return pairs


@pytest.mark.parametrize("output_padding", [0, "most"])
@pytest.mark.parametrize("groups", GROUPS, ids=str)
@pytest.mark.parametrize("geometry", [g for g in NUMBERED if g.name != "large-window"], ids=geometry_id)
def test_conv_transpose_equals_loops(geometry, groups, output_padding, rng):
    x, weight, bias, options = _transposed(geometry, groups, output_padding, rng)
    y = conv_transpose(x, weight, bias, **options)
    np.testing.assert_array_equal(y, loops.conv_transpose(x, weight, bias, **options))
    grad_output = rng.integers(-9, 10, y.shape).astype(float)
    found = conv_transpose_backward(grad_output, x, weight, **options)
    for ours, theirs in zip(found, loops.conv_transpose_backward(grad_output, x, weight, **options), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("output_padding", [0, "most"])
@pytest.mark.parametrize("groups", GROUPS, ids=str)
@pytest.mark.parametrize("geometry", [g for g in NUMBERED if g.in_torch], ids=geometry_id)
def test_conv_transpose_equals_torch(geometry, groups, output_padding, rng):
    torch = pytest.importorskip("torch")
    x, weight, bias, options = _transposed(geometry, groups, output_padding, rng)
    y = conv_transpose(x, weight, bias, **options)
    leaves = [torch.tensor(array, requires_grad=True) for array in (x, weight, bias)]
    expected = getattr(torch.nn.functional, f"conv_transpose{len(geometry.size)}d")(*leaves, **options)
    np.testing.assert_array_equal(y, expected.detach().numpy())
    grad_output = rng.integers(-9, 10, y.shape).astype(float)
    expected.backward(torch.tensor(grad_output))
    for ours, leaf in zip(conv_transpose_backward(grad_output, x, weight, **options), leaves, strict=True):
        np.testing.assert_array_equal(ours, leaf.grad.numpy())


def _transposed(geometry, groups, output_padding, rng):
    """A case whose padding leaves an output."""
    x, weight, bias, options = _case(geometry, groups, rng, transpose=True)
    if output_padding == "most":
        largest = (np.maximum(options["stride"], options["dilation"]) - 1) * np.ones(len(geometry.size), int)
        options["output_padding"] = tuple(int(entry) for entry in largest)
    # One window less its padding is nothing: two windows leave an element.
    return x.repeat(2, 2).repeat(2, 3) if geometry.name == "one-element" else x, weight, bias, options


X = np.array([[[[1.0, 2.0, 0.0], [0.0, 3.0, 4.0], [5.0, 0.0, 6.0]]]])
WEIGHT = np.array([[[[1.0, 10.0], [100.0, 1000.0]]]])


def test_conv_does_not_flip_the_kernel():
    np.testing.assert_array_equal(conv(X, WEIGHT), [[[[3021, 4302], [530, 6043]]]])


def test_conv_padding_adds_zeros():
    expected = [[[[1000, 2100, 200, 0], [10, 3021, 4302, 400], [5000, 530, 6043, 604], [50, 5, 60, 6]]]]
    np.testing.assert_array_equal(conv(X, WEIGHT, padding=1), expected)


def test_conv_bias_is_added_to_every_window():
    np.testing.assert_array_equal(conv(X, WEIGHT, np.array([0.5])), [[[[3021.5, 4302.5], [530.5, 6043.5]]]])


def test_conv_backward_by_hand():
    grad_output = np.array([[[[1.0, 2.0], [3.0, 4.0]]]])
    grad_input, grad_weight, grad_bias = conv_backward(grad_output, X, WEIGHT)
    np.testing.assert_array_equal(grad_input, [[[[1, 12, 20], [103, 1234, 2040], [300, 3400, 4000]]]])
    np.testing.assert_array_equal(grad_weight, [[[[1 + 4 + 12, 2 + 9 + 16], [6 + 15, 3 + 8 + 24]]]])
    np.testing.assert_array_equal(grad_bias, [10])


def test_conv_backward_gives_nothing_to_elements_that_no_window_reads():
    grad_input, _, _ = conv_backward(
        np.ones((1, 1, 2)), np.zeros((1, 1, 6)), np.array([[[1.0, 10.0, 100.0]]]), stride=2
    )
    np.testing.assert_array_equal(grad_input, [[[1, 10, 101, 10, 100, 0]]])


def test_conv_groups_see_their_own_channels_only():
    x = np.array([1.0, 10.0, 100.0, 1000.0]).reshape(1, 4, 1)
    np.testing.assert_array_equal(conv(x, np.ones((2, 2, 1)), groups=2).ravel(), [11, 1100])


def test_conv_same_puts_the_odd_zero_at_the_end():
    x, weight = np.array([[[1.0, 2.0, 3.0, 4.0]]]), np.array([[[1.0, 10.0]]])
    np.testing.assert_array_equal(conv(x, weight, padding="same"), [[[21, 32, 43, 4]]])
    np.testing.assert_array_equal(conv(x, weight, padding="same_lower"), [[[10, 21, 32, 43]]])


def test_conv_same_with_a_stride_keeps_one_window_in_stride():
    assert conv(np.zeros((1, 1, 7, 5)), np.ones((1, 1, 3, 3)), stride=2, padding="same").shape == (1, 1, 4, 3)


def test_conv_transpose_adds_where_windows_overlap():
    x, weight = np.array([[[[1.0, 2.0]]]]), np.array([[[[1.0, 10.0, 100.0]]]])
    np.testing.assert_array_equal(conv_transpose(x, weight), [[[[1, 12, 120, 200]]]])


def test_conv_transpose_padding_crops_and_output_padding_adds_at_the_end():
    x, weight = np.array([[[1.0, 2.0, 3.0]]]), np.array([[[1.0, 10.0, 100.0]]])
    y = conv_transpose(x, weight, stride=2, padding=1, output_padding=1)
    np.testing.assert_array_equal(y, [[[10, 102, 20, 203, 30, 300]]])
    y = conv_transpose(x, weight, stride=2, padding=((2, 0),))
    np.testing.assert_array_equal(y, [[[102, 20, 203, 30, 300]]])


def test_conv_transpose_backward_by_hand():
    x, weight = np.array([[[1.0, 2.0]]]), np.array([[[1.0, 10.0]]])
    gradients = conv_transpose_backward(np.array([[[1.0, 3.0, 5.0]]]), x, weight)
    for found, expected in zip(gradients, ([[[31, 53]]], [[[7, 13]]], [9]), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("channel_axis", [0, 2, 3, -1])
@pytest.mark.parametrize("operation", ["conv", "conv_transpose"])
def test_conv_channel_axis_moves_channels_only(operation, channel_axis, rng):
    forward, backward = (conv, conv_backward) if operation == "conv" else (conv_transpose, conv_transpose_backward)
    x, weight = rng.integers(-9, 10, (2, 4, 6, 5)).astype(float), rng.integers(-9, 10, (4, 4, 2, 3)).astype(float)
    y = forward(x, weight, stride=2, padding=1)
    moved = forward(np.moveaxis(x, 1, channel_axis), weight, stride=2, padding=1, channel_axis=channel_axis)
    np.testing.assert_array_equal(np.moveaxis(moved, channel_axis, 1), y)
    grad_output = rng.integers(-9, 10, y.shape).astype(float)
    expected = backward(grad_output, x, weight, stride=2, padding=1)
    found = backward(np.moveaxis(grad_output, 1, channel_axis), np.moveaxis(x, 1, channel_axis), weight, stride=2,
                     padding=1, channel_axis=channel_axis)  # fmt: skip
    np.testing.assert_array_equal(np.moveaxis(found[0], channel_axis, 1), expected[0])
    np.testing.assert_array_equal(found[1], expected[1])
    np.testing.assert_array_equal(found[2], expected[2])


def test_conv_every_layout_equals_its_copy(rng):
    base = rng.integers(-4, 5, (4, 4, 10, 12)).astype(np.float32)
    weight = rng.integers(-4, 5, (4, 3, 3, 4)).astype(np.float32).transpose(1, 0, 3, 2)[:2].transpose(1, 0, 2, 3)
    views = {
        "sliced": base[::2, 1:3, 1:-1, ::2],
        "reversed": base[:, :2, ::-1, ::-1],
        "fortran": np.asfortranarray(base[:, :2]),
        "stride 0": np.broadcast_to(base[:1, :1], (4, 2, 10, 12)),
        "transposed": base[:, :2].transpose(0, 1, 3, 2),
        "big-endian": base[:, :2].astype(">f4"),
    }
    for name, view in views.items():
        view.setflags(write=False)
        copy = view.astype(np.float32, order="C")
        y, expected = conv(view, weight, padding=1), conv(copy, weight.copy(), padding=1)
        np.testing.assert_array_equal(y, expected, err_msg=name)
        gradients = conv_backward(np.broadcast_to(np.float32(1), y.shape), view, weight, padding=1)
        copied = conv_backward(np.ones_like(y), copy, weight.copy(), padding=1)
        for ours, theirs in zip(gradients, copied, strict=True):
            np.testing.assert_array_equal(ours, theirs, err_msg=name)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_conv_keeps_the_dtype(dtype):
    x, weight, bias = np.ones((1, 2, 4, 4), dtype), np.ones((2, 2, 3, 3), dtype), np.ones(2, dtype)
    y = conv(x, weight, bias)
    results = [y, *conv_backward(y, x, weight), conv_transpose(x, weight, bias)]
    assert {result.dtype for result in results} == {np.dtype(dtype)}


def test_conv_sums_half_precision_in_float32():
    # 4,900 ones: float16 alone stops counting at 2048.
    x, weight = np.ones((1, 100, 7, 7), np.float16), np.ones((1, 100, 7, 7), np.float16)
    assert conv(x, weight).item() == np.float16(4900)
    _, grad_weight, grad_bias = conv_backward(np.ones((1, 1, 70, 70), np.float16), np.ones((1, 1, 70, 70), np.float16),
                                              np.ones((1, 1, 1, 1), np.float16))  # fmt: skip
    assert grad_weight.item() == grad_bias.item() == np.float16(4900)


TERMS = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "uniform": lambda rng, shape: rng.random(shape),
    "offset": lambda rng, shape: rng.normal(size=shape) + 100,
    "equal": lambda rng, shape: np.full(shape, 0.1),
    "rectified": lambda rng, shape: np.maximum(rng.normal(size=shape), 0),
    "equal sizes": lambda rng, shape: np.full(shape, 0.1) * np.where(np.arange(shape[1]) % 2, 1, -1)[:, None, None],
    "uneven sizes": lambda rng, shape: rng.lognormal(0, 3, shape) * rng.choice([-1, 1], shape),
}


@pytest.mark.parametrize("weights", TERMS)
@pytest.mark.parametrize("values", TERMS)
@pytest.mark.parametrize("shape", [(2, 16, 12, 12), (8, 64, 14, 14)], ids=["little", "much"])
def test_conv_sum_is_within_two_units_of_its_terms(shape, values, weights, rng):
    x = TERMS[values](rng, shape).astype(np.float32)
    weight = TERMS[weights](rng, (24, shape[1], 3, 3)).astype(np.float32)
    grad_output = TERMS[weights](rng, (shape[0], 24, *shape[2:])).astype(np.float32)
    exact, sizes = (
        [array.astype(float) for array in (x, weight, grad_output)],
        [np.abs(array) for array in (x, weight, grad_output)],
    )
    sizes = [array.astype(float) for array in sizes]
    _within_two_units(conv(x, weight, padding=1), conv(*exact[:2], padding=1), conv(*sizes[:2], padding=1))
    found = conv_backward(grad_output, x, weight, padding=1)
    expected = conv_backward(exact[2], *exact[:2], padding=1)
    for ours, theirs, terms in zip(found, expected, conv_backward(sizes[2], *sizes[:2], padding=1), strict=True):
        _within_two_units(ours, theirs, terms)


def _within_two_units(found, expected, terms):
    """The rule of the course for sums: 2·ε·Σ|terms| around the float64 value."""
    assert (np.abs(found - expected) <= 2 * np.finfo(found.dtype).eps * terms).all()


def test_correlation_adds_long_sums_in_pieces():
    # One after another, 4,799 terms of 2⁻²⁵ vanish beside 1. In pieces only those of its own piece do.
    x, weight, y = (
        np.full((1, 1, 4800, 1), 2**-25, np.float32),
        np.ones((1, 1, 4800, 1), np.float32),
        np.empty((1, 1, 1, 1)),
    )
    x[0, 0, 0] = 1
    axes = arguments.conv_axes((1,), (1, 4800, 1))
    correlation.correlate(x, weight, axes, y, np.float32)
    assert 0 <= 1 + 4799 * 2**-25 - y.item() <= 64 * 2**-25


def test_correlation_adds_long_moments_in_pieces():
    x, partner = np.full((1, 1, 16, 4800), 2**-25, np.float32), np.ones((1, 1, 16, 4800), np.float32)
    x[..., 0] = 1
    axes, weight = arguments.conv_axes((4800,), (16, 16, 1)), np.ones((1, 16, 16, 1), np.float32)
    moments = correlation.correlate(x, weight, axes, np.empty(x.shape), np.float32, partner=partner)
    lost = 1 + 4799 * 2**-25 - moments
    assert (lost >= 0).all()
    assert (lost <= 600 * 2**-25).all()


def test_conv_backward_adds_the_bias_gradient_in_float64_where_terms_are_equal():
    # 784 times this number, added in pairs in float32, is 2.3 units off.
    term = np.float32(0.2001325488090515)
    x, weight = np.zeros((2, 1, 28, 28), np.float32), np.ones((1, 1, 1, 1), np.float32)
    _, _, grad_bias = conv_backward(np.full_like(x, term), x, weight)
    np.testing.assert_array_equal(grad_bias, np.float32(2 * 784 * float(term)))


@pytest.mark.parametrize("geometry", [g for g in FEW if len(g.size) > 1], ids=geometry_id)
def test_conv_blocks_change_nothing(geometry, rng, monkeypatch):
    x, weight, bias, options = _case(geometry, (4, 6, 2), rng)
    y = conv(x, weight, bias, **options)
    grad_output = rng.integers(-9, 10, y.shape).astype(float)
    whole = [y, *conv_backward(grad_output, x, weight, **options)]
    monkeypatch.setattr(correlation, "BLOCK", 40)
    monkeypatch.setattr(correlation, "SMALL", 800)
    monkeypatch.setattr(correlation, "CHAIN", 5)
    monkeypatch.setattr(correlation, "LONG_CHAIN", 7)
    small = [conv(x, weight, bias, **options), *conv_backward(grad_output, x, weight, **options)]
    for ours, theirs in zip(small, whole, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("geometry", FEW, ids=geometry_id)
def test_correlation_equals_single_taps(geometry, rng):
    x, weight, _, options = _case(geometry, (4, 6, 1), rng)
    y = conv(x, weight, **options)
    axes = _axes(geometry, weight, options)
    np.testing.assert_array_equal(single_taps.window_sums(x[:, None], weight[None], axes)[:, 0], y)
    grad_output = rng.integers(-9, 10, y.shape).astype(float)
    grad_input, grad_weight, _ = conv_backward(grad_output, x, weight, **options)
    np.testing.assert_array_equal(single_taps.element_sums(grad_output[:, None], weight[None], axes)[:, 0], grad_input)
    np.testing.assert_array_equal(single_taps.weight_moments(x[:, None], grad_output[:, None], axes)[0], grad_weight)


def _axes(geometry, weight, options):
    names = "stride", "padding", "dilation"
    return arguments.conv_axes(geometry.size, weight.shape, *(options[name] for name in names))


def test_conv_infinite_elements_stay_in_their_windows():
    x = np.array([[[1.0, 2.0, 3.0, 4.0, np.inf]]])
    np.testing.assert_array_equal(conv(x, np.array([[[1.0, 10.0]]])), [[[21, 32, 43, np.inf]]])


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_conv_backward_infinite_elements_reach_only_weights_that_read_them(rank):
    # The first element is read by the first tap alone, and in one window.
    x, grad_output = np.ones((1, 1) + (3,) * rank), np.ones((1, 1) + (2,) * rank)
    x[(0, 0) + (0,) * rank] = np.inf
    _, grad_weight, _ = conv_backward(grad_output, x, np.ones((1, 1) + (2,) * rank))
    expected = np.full((1, 1) + (2,) * rank, 2.0**rank)
    expected[(0, 0) + (0,) * rank] = np.inf
    np.testing.assert_array_equal(grad_weight, expected)


def test_conv_backward_infinite_weights_never_meet_padding():
    weight = np.array([[[np.inf, 1.0]]])
    grad_input, _, _ = conv_backward(np.ones((1, 1, 2)), np.ones((1, 1, 3)), weight)
    np.testing.assert_array_equal(grad_input, [[[np.inf, np.inf, 1]]])
    np.testing.assert_array_equal(conv_transpose(np.ones((1, 1, 2)), weight), [[[np.inf, np.inf, 1]]])
    grad_input, grad_weight, _ = conv_transpose_backward(
        np.ones((1, 1, 2)), np.ones((1, 1, 2)), weight, padding=((1, 0),)
    )
    np.testing.assert_array_equal(grad_input, [[[1, np.inf]]])
    np.testing.assert_array_equal(grad_weight, [[[1, 2]]])


def test_conv_padding_times_infinity_is_not_a_number():
    # As in PyTorch: padding is a zero of the input. That a backward never reads it is no contradiction.
    y = conv(np.ones((1, 1, 2)), np.array([[[np.inf, 1.0]]]), padding=1)
    np.testing.assert_array_equal(y, [[[np.nan, np.inf, np.inf]]])


def test_conv_empty_batch_works():
    x, weight = np.zeros((0, 1, 5, 5)), np.ones((2, 1, 3, 3))
    y = conv(x, weight)
    assert y.shape == (0, 2, 3, 3)
    grad_input, grad_weight, grad_bias = conv_backward(y, x, weight)
    assert grad_input.shape == x.shape
    np.testing.assert_array_equal(grad_weight, np.zeros_like(weight))
    np.testing.assert_array_equal(grad_bias, [0, 0])
    assert conv_transpose(np.zeros((0, 2, 3, 3)), weight).shape == (0, 1, 5, 5)


def test_conv_output_is_never_the_input():
    x, weight = np.ones((1, 1, 3, 3)), np.ones((1, 1, 1, 1))
    y = conv(x, weight)
    for result in (y, *conv_backward(y, x, weight), conv_transpose(x, weight)):
        assert not np.shares_memory(result, x)
        assert not np.shares_memory(result, y) or result is y
        assert not np.shares_memory(result, weight)


X1, W1 = np.zeros((1, 2, 5, 5)), np.zeros((4, 2, 3, 3))
REFUSED = {
    "unbatched": ((np.zeros((2, 5, 5)), W1), {}, ValueError,
                  r"x must have shape \(N, C, H, W\); got shape \(2, 5, 5\)\. Add the missing axis"),
    "vector weight": ((X1, np.zeros((3, 3))), {}, ValueError, r"weight must have shape .*; got shape \(3, 3\)"),
    "other rank": ((X1, np.zeros((4, 2, 3))), {}, ValueError,
                   r"x must have shape \(N, C, L\); got shape \(1, 2, 5, 5\)"),
    "channels": ((X1, np.zeros((4, 3, 3, 3))), {}, ValueError,
                 r"got shape \(4, 3, 3, 3\), x with 2 channels, groups=1"),
    "empty kernel": ((X1, np.zeros((4, 2, 0, 3))), {}, ValueError, r"without empty axes; got shape \(4, 2, 0, 3\)"),
    "empty channels": ((np.zeros((1, 0, 5, 5)), W1), {}, ValueError,
                       r"empty channel or spatial axes; got shape \(1, 0, 5, 5\)"),
    "groups": ((X1, W1), {"groups": 3}, ValueError, r"groups must divide .*; got groups=3, 2 channels"),
    "groups zero": ((X1, W1), {"groups": 0}, ValueError, r"groups must be at least 1 .*; got groups=0"),
    "groups float": ((X1, W1), {"groups": 1.0}, TypeError, r"groups must be an integer; got groups=1\.0"),
    "stride zero": ((X1, W1), {"stride": 0}, ValueError, r"stride must be at least 1 .*; got stride=0"),
    "dilation zero": ((X1, W1), {"dilation": 0}, ValueError, r"dilation must be at least 1 .*; got dilation=0"),
    "padding negative": ((X1, W1), {"padding": -1}, ValueError, r"padding must be at least 0 .*; got padding=-1"),
    "padding huge": ((X1, W1), {"padding": 2**31 - 1}, ValueError,
                     r"at most 2147483647 windows an axis; got padding=2147483647"),
    "padding word": ((X1, W1), {"padding": "full"}, ValueError, r"padding must be 'valid' or .*; got padding='full'"),
    "kernel too large": ((X1, W1), {"dilation": 3}, ValueError,
                         r"got weight of shape \(4, 2, 3, 3\), padding=0, dilation=3, input size \(5, 5\)"),
    "bias length": ((X1, W1, np.zeros(3)), {}, ValueError,
                    r"bias must have shape \(C_out,\) = \(4,\); got shape \(3,\)"),
    "bias dtype": ((X1, W1, np.zeros(4, np.float32)), {}, TypeError,
                   r"bias must have the dtype of x; got bias\.dtype=float32, x\.dtype=float64"),
    "weight dtype": ((X1, W1.astype(np.float32)), {}, TypeError,
                     r"weight must have the dtype of x; got weight\.dtype=float32, x\.dtype=float64"),
    "integers": ((X1.astype(int), W1.astype(int)), {}, TypeError, r"x must have dtype .*; got x\.dtype=int64"),
    "weight list": ((X1, [[1.0]]), {}, TypeError, r"weight must be a NumPy array; got list"),
    "channel axis": ((X1, W1), {"channel_axis": 4}, ValueError,
                     r"channel_axis must be an axis of the input; got channel_axis=4"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_conv_refuses(name):
    operands, options, error, message = REFUSED[name]
    with pytest.raises(error, match=message):
        conv(*operands, **options)


W2 = np.zeros((2, 4, 3, 3))
REFUSED_TRANSPOSED = {
    "same": ({"padding": "same"}, r"padding must be numbers or \"valid\" .*; got padding='same'"),
    "output padding": ({"stride": 2, "output_padding": 2},
                       r"less than stride or dilation; got output_padding=2, stride=2, dilation=1"),
    "output padding negative": ({"output_padding": -1}, r"must be at least 0 .*; got output_padding=-1"),
    "crops all": ({"padding": 4}, r"padding must leave at least one element; got padding=4, stride=1, weight of shape"),
    "huge": ({"stride": 2**31 - 1}, r"at most 2147483647 elements an axis; got stride=2147483647, dilation=1"),
    "channels": ({"groups": 4}, r"groups must divide .*; got groups=4, 2 channels"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED_TRANSPOSED)
def test_conv_transpose_refuses(name):
    options, message = REFUSED_TRANSPOSED[name]
    with pytest.raises(ValueError, match=message):
        conv_transpose(X1, W2, **options)


def test_conv_transpose_refuses_a_weight_of_other_channels():
    with pytest.raises(
        ValueError, match=r"\(C_in, C_out / groups, \*kernel\).*; got shape \(4, 2, 3, 3\), x with 2 channels"
    ):
        conv_transpose(X1, W1)


@pytest.mark.parametrize(("backward", "weight"), [(conv_backward, W1), (conv_transpose_backward, W2)])
def test_conv_backward_refuses_another_shape(backward, weight):
    with pytest.raises(ValueError, match=r"grad_output must have the output's shape .*; got shape \(1, 4, 2, 2\)"):
        backward(np.zeros((1, 4, 2, 2)), X1, weight)


@pytest.mark.parametrize("options", [{}, {"stride": 2}, {"groups": 2}], ids=["plain", "strided", "groups"])
def test_conv_backward_gives_contiguous_gradients(options, rng):
    x, weight = rng.normal(size=(2, 4, 8, 8)), rng.normal(size=(4, 4 // options.get("groups", 1), 3, 3))
    gradients = conv_backward(conv(x, weight, **options), x, weight, **options)
    assert all(gradient.flags.c_contiguous for gradient in gradients)
