"""What holds for every window: equality with the loops, transposes, sums that are kept, and independence."""

from functools import partial

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import course_lib
from course_lib import arguments, geometry, loops

quickly = settings(deadline=None, derandomize=True, max_examples=60, suppress_health_check=list(HealthCheck))


@st.composite
def windows(draw, ceil=True):
    """Spatial sizes, a kernel, and window arguments, unequal padding among them."""
    rank = draw(st.integers(1, 3))
    axis = [st.integers(1, 9 - 2 * rank), st.integers(1, 4), st.integers(1, 3), st.integers(1, 3)]
    sizes, kernel, stride, dilation = (draw(st.tuples(*[numbers] * rank)) for numbers in axis)
    padding = draw(st.tuples(*[st.tuples(st.integers(0, 3), st.integers(0, 3))] * rank))
    options = {"stride": stride, "padding": padding, "dilation": dilation}
    return sizes, kernel, options | ({"ceil_mode": draw(st.booleans())} if ceil else {})


@st.composite
def pools(draw):
    """An input size and the arguments of a pooling call on it."""
    sizes, kernel, options = draw(windows())
    try:
        arguments.pool_axes(sizes, kernel, **options)
    except ValueError:
        assume(False)
    return sizes, {"kernel_size": kernel, **options}


@st.composite
def convolutions(draw, transpose=False):
    """Shapes of input and weight, and the arguments of a convolution or of its transpose."""
    sizes, kernel, options = draw(windows(ceil=False))
    groups, per_group, rows = (draw(st.integers(1, 2)) for _ in range(3))
    channels = (per_group * groups, rows) if transpose else (rows * groups, per_group)
    axes = arguments.conv_transpose_axes if transpose else arguments.conv_axes
    try:
        axes(sizes, (*channels, *kernel), **options)
    except ValueError:
        assume(False)
    return (2, per_group * groups, *sizes), (*channels, *kernel), {**options, "groups": groups}


seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)


def integers(rng, shape):
    """Small whole numbers: their products and sums are exact in any order."""
    return rng.integers(-9, 10, shape).astype(float)


def special(rng, shape):
    """Ties, infinities and NaN among small numbers."""
    return rng.choice([-1.0, 0.0, -0.0, 2.0, -np.inf, np.inf, np.nan], shape, p=[0.3, 0.2, 0.1, 0.2, 0.1, 0.05, 0.05])


@quickly
@given(pools(), seeds)
def test_max_pool_of_any_window_equals_loops(pool, rng):
    sizes, options = pool
    x = special(rng, (2, 2, *sizes))
    y, indices = course_lib.max_pool(x, **options, return_indices=True)
    expected, expected_indices = loops.max_pool(x, **options, return_indices=True)
    np.testing.assert_array_equal(y, expected)
    np.testing.assert_array_equal(indices, expected_indices)
    grad_output = integers(rng, y.shape)
    grad_input = course_lib.max_pool_backward(grad_output, indices, x.shape)
    np.testing.assert_array_equal(grad_input, loops.max_pool_backward(grad_output, indices, x.shape))
    np.testing.assert_array_equal(grad_input.sum(), grad_output[indices >= 0].sum())


@quickly
@given(pools(), seeds, st.booleans(), st.sampled_from([None, 3, -2]))
def test_avg_pool_of_any_window_equals_loops(pool, rng, count_include_pad, divisor_override):
    sizes, options = pool
    options |= {"count_include_pad": count_include_pad, "divisor_override": divisor_override}
    x = integers(rng, (2, 2, *sizes))
    y = course_lib.avg_pool(x, **options)
    # Sums of whole numbers are exact: one division is rounded.
    np.testing.assert_allclose(y, loops.avg_pool(x, **options), rtol=4e-16)
    grad_output = integers(rng, y.shape)
    expected = loops.avg_pool_backward(grad_output, x.shape, **options)
    # Up to 64 shares of at most 9 each cancel.
    found = course_lib.avg_pool_backward(grad_output, x.shape, **options)
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)


@quickly
@given(pools(), seeds, st.sampled_from([0.5, 1, 2, 3.5]))
def test_lp_pool_of_any_window_equals_loops(pool, rng, power):
    sizes, options = pool
    x = integers(rng, (2, 2, *sizes))
    y = course_lib.lp_pool(x, power, **options)
    np.testing.assert_allclose(y, loops.lp_pool(x, power, **options), rtol=1e-14)
    grad_output = integers(rng, y.shape)
    found = course_lib.lp_pool_backward(grad_output, x, power, **options)
    expected = loops.lp_pool_backward(grad_output, x, power, **options)
    # For the order ½ a slope is up to a few hundred; gradients cancel.
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-10)


@quickly
@given(convolutions(), seeds)
def test_conv_of_any_window_equals_loops(case, rng):
    x_shape, weight_shape, options = case
    x, weight = integers(rng, x_shape), integers(rng, weight_shape)
    y = course_lib.conv(x, weight, **options)
    np.testing.assert_array_equal(y, loops.conv(x, weight, **options))
    grad_output = integers(rng, y.shape)
    found = course_lib.conv_backward(grad_output, x, weight, **options)
    for ours, theirs in zip(found, loops.conv_backward(grad_output, x, weight, **options), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@quickly
@given(convolutions(transpose=True), seeds)
def test_conv_transpose_of_any_window_equals_loops(case, rng):
    x_shape, weight_shape, options = case
    x, weight = integers(rng, x_shape), integers(rng, weight_shape)
    y = course_lib.conv_transpose(x, weight, **options)
    np.testing.assert_array_equal(y, loops.conv_transpose(x, weight, **options))
    grad_output = integers(rng, y.shape)
    found = course_lib.conv_transpose_backward(grad_output, x, weight, **options)
    for ours, theirs in zip(found, loops.conv_transpose_backward(grad_output, x, weight, **options), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@st.composite
def binnings(draw):
    """An input size, and a number of bins along each axis, more or fewer than elements."""
    rank = draw(st.integers(1, 3))
    numbers = st.integers(1, 10 - 2 * rank)
    return draw(st.tuples(*[numbers] * rank)), draw(st.tuples(*[numbers] * rank))


@quickly
@given(binnings(), seeds)
def test_adaptive_pools_of_any_size_equal_loops(case, rng):
    sizes, output_size = case
    x = special(rng, (2, 2, *sizes))
    found = course_lib.adaptive_max_pool(x, output_size, return_indices=True)
    for ours, theirs in zip(found, loops.adaptive_max_pool(x, output_size, return_indices=True), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    x = integers(rng, x.shape)
    y = course_lib.adaptive_avg_pool(x, output_size)
    np.testing.assert_allclose(y, loops.adaptive_avg_pool(x, output_size), rtol=4e-16)
    grad_output = integers(rng, y.shape)
    found = course_lib.adaptive_avg_pool_backward(grad_output, x.shape)
    # Up to 64 shares of at most 9 each cancel.
    expected = loops.adaptive_avg_pool_backward(grad_output, x.shape)
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)


@quickly
@given(binnings(), seeds, st.integers(1, 3))
def test_fractional_max_pool_of_any_size_equals_loops(case, rng, kernel_size):
    sizes, outputs = case
    sizes = tuple(max(n, o + kernel_size - 1) for n, o in zip(sizes, outputs, strict=True))
    x, samples = special(rng, (2, 2, *sizes)), rng.random((2, 2, len(sizes)))
    found, expected = (
        ops.fractional_max_pool(x, kernel_size, outputs, samples=samples, return_indices=True)
        for ops in (course_lib, loops)
    )
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])


@quickly
@given(pools(), seeds)
def test_coverage_is_the_gradient_of_sums(pool, rng):
    sizes, options = pool
    axes = arguments.pool_axes(sizes, **options)
    ones = np.ones((1, 1, *(axis.output for axis in axes)))
    taps = int(np.prod(options["kernel_size"]))
    grad_input = course_lib.avg_pool_backward(ones, (1, 1, *sizes), **options, divisor_override=taps)
    np.testing.assert_allclose(grad_input[0, 0] * taps, geometry.coverage(axes), rtol=1e-14)


@quickly
@given(pools(), seeds)
def test_avg_pool_backward_keeps_the_sum_where_padding_does_not_count(pool, rng):
    sizes, options = pool
    axes = arguments.pool_axes(sizes, **options)
    grad_output = integers(rng, (2, 2, *(axis.output for axis in axes)))
    grad_input = course_lib.avg_pool_backward(grad_output, (2, 2, *sizes), **options, count_include_pad=False)
    real = np.ones([axis.output for axis in axes], bool)
    for number, axis in enumerate(axes):
        real &= np.expand_dims(geometry.real_counts(axis) > 0, [k for k in range(len(axes)) if k != number])
    # Up to a few hundred shares of at most 9 each.
    np.testing.assert_allclose(grad_input.sum(), grad_output[..., real].sum(), rtol=1e-12, atol=1e-11)


def transposed(forward, backward, v, grad_shape, rng):
    """Holds ⟨g, J v⟩ = ⟨Jᵀ g, v⟩ for an operation that is linear."""
    grad_output = integers(rng, grad_shape)
    left, right = (grad_output * forward(v)).sum(), (backward(grad_output) * v).sum()
    # A few thousand terms of at most 81, each divided once at most.
    np.testing.assert_allclose(left, right, rtol=1e-12, atol=1e-9)


@quickly
@given(pools(), seeds)
def test_pooling_backwards_are_transposes(pool, rng):
    sizes, options = pool
    shape = (2, 2, *sizes)
    average = partial(course_lib.avg_pool, **options)
    outputs = average(np.zeros(shape)).shape
    transposed(
        average, partial(course_lib.avg_pool_backward, input_shape=shape, **options), integers(rng, shape), outputs, rng
    )
    _, indices = course_lib.max_pool(integers(rng, shape), **options, return_indices=True)
    planes = np.where(indices.reshape(2, 2, -1) < 0, 0, indices.reshape(2, 2, -1))

    def winners(v):
        taken = np.take_along_axis(v.reshape(2, 2, -1), planes, -1).reshape(outputs)
        return np.where(indices < 0, 0, taken)

    transposed(winners, lambda g: course_lib.max_pool_backward(g, indices, shape), integers(rng, shape), outputs, rng)
    unpool = partial(course_lib.max_unpool, indices=indices, output_shape=shape, duplicates="last")
    transposed(unpool, lambda g: course_lib.max_unpool_backward(g, indices), integers(rng, outputs), shape, rng)


@quickly
@given(binnings(), seeds)
def test_adaptive_avg_pool_backward_is_the_transpose(case, rng):
    sizes, output_size = case
    shape = (2, 2, *sizes)
    transposed(
        lambda v: course_lib.adaptive_avg_pool(v, output_size),
        lambda g: course_lib.adaptive_avg_pool_backward(g, shape),
        integers(rng, shape), (2, 2, *output_size), rng,
    )  # fmt: skip


@pytest.mark.parametrize("transpose", [False, True])
@quickly
@given(st.data(), seeds)
def test_conv_backward_is_the_transpose_in_each_argument(transpose, data, rng):
    x_shape, weight_shape, options = data.draw(convolutions(transpose=transpose))
    forward, backward = (
        (course_lib.conv_transpose, course_lib.conv_transpose_backward)
        if transpose
        else (course_lib.conv, course_lib.conv_backward)
    )
    x, weight = integers(rng, x_shape), integers(rng, weight_shape)
    outputs = forward(x, weight, **options).shape
    parts = [
        (lambda v: forward(v, weight, **options), x_shape),
        (lambda v: forward(x, v, **options), weight_shape),
        (lambda v: forward(np.zeros(x_shape), np.zeros(weight_shape), v, **options), outputs[1:2]),
    ]
    for number, (part, shape) in enumerate(parts):
        back = lambda g, number=number: backward(g, x, weight, **options)[number]  # noqa: E731
        transposed(part, back, integers(rng, shape), outputs, rng)


@quickly
@given(convolutions(), seeds)
def test_conv_transpose_is_the_gradient_of_conv(case, rng):
    x_shape, weight_shape, options = case
    weight = integers(rng, weight_shape)
    outputs = course_lib.conv(np.zeros(x_shape), weight, **options).shape
    grad_output = integers(rng, outputs)
    grad_input, _, _ = course_lib.conv_backward(grad_output, np.zeros(x_shape), weight, **options)
    axes = arguments.conv_axes(
        x_shape[2:], weight_shape, *(options[name] for name in ("stride", "padding", "dilation"))
    )
    missing = [axis.size - geometry.transposed_size(axis.output, *axis[1:6]) for axis in axes]
    assume(all(0 <= extra < max(axis.stride, axis.dilation) for extra, axis in zip(missing, axes, strict=True)))
    y = course_lib.conv_transpose(grad_output, weight, output_padding=tuple(missing), **options)
    np.testing.assert_array_equal(y, grad_input)


@quickly
@given(pools(), seeds)
def test_lp_pool_backward_is_the_slope(pool, rng):
    sizes, options = pool
    x, v = rng.uniform(1, 3, (1, 2, *sizes)) * rng.choice([-1, 1], (1, 2, *sizes)), rng.normal(size=(1, 2, *sizes))
    grad_output = integers(rng, course_lib.lp_pool(x, 3, **options).shape)
    step = 1e-5
    above, below = (course_lib.lp_pool(x + change * v, 3, **options) for change in (step, -step))
    slope = (above - below) / (2 * step)
    back = course_lib.lp_pool_backward(grad_output, x, 3, **options)
    # The difference errs by step² times a third derivative of at most a few tens, over at most a hundred windows.
    np.testing.assert_allclose((grad_output * slope).sum(), (back * v).sum(), rtol=1e-6, atol=1e-5)


def one_shift(options, axis):
    """The slice that drops one stride along an axis."""
    return (slice(None),) * (axis + 2) + (slice(options["stride"][axis], None),)


@quickly
@given(windows(ceil=False), seeds, st.data())
def test_moving_the_input_by_a_stride_moves_the_output_by_one(window, rng, data):
    sizes, kernel, options = window
    options.pop("padding")
    axis = data.draw(st.integers(0, len(sizes) - 1))
    # Two windows at least along this axis.
    spans = [geometry.span(k, d) for k, d in zip(kernel, options["dilation"], strict=True)]
    sizes = [max(n, span) for n, span in zip(sizes, spans, strict=True)]
    sizes[axis] = max(sizes[axis], spans[axis] + options["stride"][axis])
    x, weight = integers(rng, (1, 2, *sizes)), integers(rng, (2, 2, *kernel))
    moved = x[one_shift(options, axis)]
    kept = (slice(None),) * (axis + 2) + (slice(1, None),)
    operations = [
        partial(course_lib.max_pool, kernel_size=kernel, **options),
        partial(course_lib.avg_pool, kernel_size=kernel, **options),
        partial(course_lib.lp_pool, norm_type=2, kernel_size=kernel, **options),
        partial(course_lib.conv, weight=weight, **options),
    ]
    for operation in operations:
        # Whole numbers: the sums are exact, and so is all that is done with them.
        np.testing.assert_array_equal(operation(moved), operation(x)[kept])


@quickly
@given(pools(), seeds)
def test_samples_and_channels_are_pooled_apart(pool, rng):
    sizes, options = pool
    x = integers(rng, (3, 2, *sizes))
    operations = [
        partial(course_lib.max_pool, **options),
        partial(course_lib.avg_pool, **options),
        partial(course_lib.lp_pool, norm_type=2, **options),
        partial(course_lib.adaptive_max_pool, output_size=2),
        partial(course_lib.adaptive_avg_pool, output_size=2),
    ]
    for operation in operations:
        y = operation(x)
        np.testing.assert_array_equal(operation(x[1:2]), y[1:2])
        np.testing.assert_array_equal(operation(x[:, 1:]), y[:, 1:])


@pytest.mark.parametrize("transpose", [False, True])
@quickly
@given(st.data(), seeds)
def test_samples_and_groups_are_convolved_apart(transpose, data, rng):
    x_shape, weight_shape, options = data.draw(convolutions(transpose=transpose))
    operation = course_lib.conv_transpose if transpose else course_lib.conv
    x, weight = integers(rng, x_shape), integers(rng, weight_shape)
    y, groups = operation(x, weight, **options), options.pop("groups")
    np.testing.assert_array_equal(operation(x[1:], weight, groups=groups, **options), y[1:])
    parts = zip(np.split(x, groups, 1), np.split(weight, groups, 0), strict=True)
    np.testing.assert_array_equal(np.concatenate([operation(*part, **options) for part in parts], axis=1), y)
