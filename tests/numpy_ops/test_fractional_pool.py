"""Fractional max pooling against numbers worked by hand, the loops and PyTorch."""

import numpy as np
import pytest

from course_lib import fractional_max_pool, loops, max_pool_backward
from tests.geometries import VALUES, Geometry, batch

# Input size, kernel, output size.
SIZES = [
    ((9,), 2, 4), ((7,), 3, 5), ((5,), 2, 1), ((6,), 1, 6),
    ((9, 9), 2, 4), ((10, 7), (2, 3), (5, 3)), ((6, 8), (1, 2), (3, 7)), ((5, 5), 5, 1), ((4, 4), 2, 3),
    ((6, 7, 8), 2, 3), ((5, 6, 7), (1, 2, 3), (4, 3, 2)),
]  # fmt: skip
PLANAR = [case for case in SIZES if len(case[0]) > 1]


def _id(value):
    return str(value).replace(" ", "")


def _samples(rng, size, dtype=np.float64):
    return rng.random((2, 3, len(size))).astype(dtype)


def _batch(values, rng, size, dtype=np.float64):
    return batch(values, rng, Geometry("fractional", size, {}), dtype)


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize(("size", "kernel_size", "output_size"), SIZES, ids=_id)
def test_fractional_max_pool_equals_loops(size, kernel_size, output_size, values, rng):
    x, samples = _batch(values, rng, size), _samples(rng, size)
    found, expected = (
        ops(x, kernel_size, output_size, samples=samples, return_indices=True)
        for ops in (fractional_max_pool, loops.fractional_max_pool)
    )
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize(("size", "kernel_size", "output_size"), PLANAR, ids=_id)
def test_fractional_max_pool_equals_torch(size, kernel_size, output_size, dtype, rng):
    torch = pytest.importorskip("torch")
    x, samples = _batch("tied", rng, size, dtype), _samples(rng, size, dtype)
    y, indices = fractional_max_pool(x, kernel_size, output_size, samples=samples, return_indices=True)
    # PyTorch's order of two samples is W, H.
    theirs = samples[..., ::-1] if len(size) == 2 else samples
    leaf = torch.tensor(x, requires_grad=True)
    expected, expected_indices = getattr(torch.nn.functional, f"fractional_max_pool{len(size)}d")(
        leaf, kernel_size, output_size, _random_samples=torch.tensor(theirs.copy()), return_indices=True
    )
    np.testing.assert_array_equal(y, expected.detach().numpy())
    np.testing.assert_array_equal(indices, expected_indices.numpy())
    grad_output = rng.integers(-9, 10, y.shape).astype(dtype)
    expected.backward(torch.tensor(grad_output))
    np.testing.assert_array_equal(max_pool_backward(grad_output, indices, x.shape), leaf.grad.numpy())


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_fractional_windows_round_as_torch_does(dtype, rng):
    torch = pytest.importorskip("torch")
    # A ramp shows where each window ends; 200 draws meet many edges, where another rounding gives another start.
    x = np.broadcast_to(np.arange(400, dtype=dtype), (200, 1, 1, 400))
    samples = rng.random((200, 1, 2)).astype(dtype)
    expected = torch.nn.functional.fractional_max_pool2d(
        torch.tensor(x.copy()), (1, 2), (1, 257), _random_samples=torch.tensor(samples[..., ::-1].copy())
    )
    np.testing.assert_array_equal(fractional_max_pool(x, (1, 2), (1, 257), samples=samples), expected.numpy())


def test_fractional_max_pool_by_hand():
    # alpha = (9 - 2) / (4 - 1) = 7 / 3: windows start at 3.5 - 1, 5.8 - 1, … cut to 0, 2, 4, and the last at 7.
    x = np.arange(9.0).reshape(1, 1, 9)
    y, indices = fractional_max_pool(x, 2, 4, samples=np.array([[[0.5]]]), return_indices=True)
    np.testing.assert_array_equal(y, [[[1, 3, 5, 8]]])
    np.testing.assert_array_equal(indices, [[[1, 3, 5, 8]]])


def test_fractional_samples_move_the_windows_of_their_axis_only():
    x = np.arange(64.0).reshape(1, 1, 8, 8)
    first = fractional_max_pool(x, 1, 5, samples=np.array([[[0.0, 0.9]]]))
    swapped = fractional_max_pool(x, 1, 5, samples=np.array([[[0.9, 0.0]]]))
    # alpha = 7 / 4: u = 0 starts at 0, 1, 3, 5, 7 and u = 0.9 at 0, 2, 4, 5, 7.
    np.testing.assert_array_equal(first[0, 0] // 8, np.broadcast_to(np.array([[0], [1], [3], [5], [7]]), (5, 5)))
    np.testing.assert_array_equal(first[0, 0] % 8, np.broadcast_to([0, 2, 4, 5, 7], (5, 5)))
    np.testing.assert_array_equal(swapped[0, 0] // 8, np.broadcast_to(np.array([[0], [2], [4], [5], [7]]), (5, 5)))


def test_fractional_last_window_ends_with_the_axis(rng):
    x = np.broadcast_to(np.arange(10.0), (20, 1, 10))
    y = fractional_max_pool(x, 3, 4, samples=rng.random((20, 1, 1)))
    np.testing.assert_array_equal(y[:, 0, -1], np.full(20, 9))


def test_fractional_planes_are_sampled_apart():
    x = np.broadcast_to(np.arange(8.0), (1, 2, 8))
    y = fractional_max_pool(x, 1, 5, samples=np.array([[[0.0], [0.9]]]))
    np.testing.assert_array_equal(y, [[[0, 1, 3, 5, 7], [0, 2, 4, 5, 7]]])


def test_fractional_output_ratio_is_a_part_of_each_axis():
    x = np.zeros((1, 1, 10, 9))
    assert fractional_max_pool(x, 2, output_ratio=0.5).shape == (1, 1, 5, 4)
    assert fractional_max_pool(x, 2, output_ratio=(0.5, 0.7)).shape == (1, 1, 5, 6)


def test_fractional_draws_repeat_with_the_generator(rng):
    x = rng.normal(size=(2, 3, 20, 20))
    found = [fractional_max_pool(x, 2, 13, rng=np.random.default_rng(seed)) for seed in (7, 7, 8)]
    np.testing.assert_array_equal(found[0], found[1])
    assert (found[0] != found[2]).any()
    np.testing.assert_array_equal(
        found[0], fractional_max_pool(x, 2, 13, samples=np.random.default_rng(7).random((2, 3, 2)))
    )


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_fractional_draws_stay_below_one_in_every_dtype(dtype):
    class AlmostOne(np.random.Generator):
        def random(self, shape):
            return np.full(shape, np.nextafter(1, 0))

    # Rounded to 1 the sample would move every window but the last by alpha.
    x = np.arange(8, dtype=dtype).reshape(1, 1, 8)
    y = fractional_max_pool(x, 1, 5, rng=AlmostOne(np.random.PCG64(0)))
    np.testing.assert_array_equal(y, fractional_max_pool(x, 1, 5, samples=np.nextafter(np.ones((1, 1, 1), dtype), 0)))


def test_fractional_half_precision_never_reads_beyond_the_end():
    # In float16 (i + u) * alpha rounds by up to 2 near 4096.
    x = np.zeros((1, 1, 6000), np.float16)
    y, indices = fractional_max_pool(x, 2, 3001, samples=np.full((1, 1, 1), 0.99, np.float16), return_indices=True)
    assert y.shape == (1, 1, 3001)
    assert indices.max() <= 5998


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64])
def test_fractional_max_pool_keeps_integers(dtype, rng):
    x = rng.integers(0, 5, (2, 3, 7, 8)).astype(dtype)
    samples = _samples(rng, (7, 8))
    y = fractional_max_pool(x, 2, 4, samples=samples)
    assert y.dtype == dtype
    np.testing.assert_array_equal(y, loops.fractional_max_pool(x, 2, 4, samples=samples))


@pytest.mark.parametrize("channel_axis", [0, 2, 3, -1])
def test_fractional_max_pool_channel_axis_moves_channels_only(channel_axis, rng):
    x, samples = rng.integers(-4, 5, (2, 3, 7, 8)).astype(float), _samples(rng, (7, 8))
    y, indices = fractional_max_pool(x, 2, (4, 5), samples=samples, return_indices=True)
    moved, moved_indices = fractional_max_pool(
        np.moveaxis(x, 1, channel_axis), 2, (4, 5), samples=samples, return_indices=True, channel_axis=channel_axis
    )
    np.testing.assert_array_equal(np.moveaxis(moved, channel_axis, 1), y)
    np.testing.assert_array_equal(np.moveaxis(moved_indices, channel_axis, 1), indices)


def test_fractional_max_pool_every_layout_equals_its_copy(rng):
    base, samples = rng.integers(-4, 5, (4, 6, 10, 12)).astype(np.float32), rng.random((4, 6, 2)).astype(np.float32)
    views = {
        "reversed": base[:, :, ::-1, ::-1],
        "fortran": np.asfortranarray(base),
        "stride 0": np.broadcast_to(base[:1], base.shape),
        "transposed": base.transpose(0, 1, 3, 2),
        "big-endian": base.astype(">f4"),
    }
    for name, view in views.items():
        view.setflags(write=False)
        expected = fractional_max_pool(view.astype(np.float32, order="C"), 2, 5, samples=samples)
        np.testing.assert_array_equal(fractional_max_pool(view, 2, 5, samples=samples), expected, err_msg=name)


def test_fractional_max_pool_output_is_never_the_input():
    x = np.zeros((1, 1, 4))
    assert not np.shares_memory(fractional_max_pool(x, 1, 4), x)


def test_fractional_max_pool_empty_batch_works():
    assert fractional_max_pool(np.zeros((0, 2, 7, 7)), 2, 3).shape == (0, 2, 3, 3)


X = np.zeros((1, 2, 6, 6))
REFUSED = {
    "kernel zero": (dict(kernel_size=0, output_size=1), ValueError,
                    r"kernel_size must be at least 1 .*; got kernel_size=0"),
    "no size": (dict(kernel_size=2), ValueError, r"and not both; got output_size=None, output_ratio=None"),
    "both sizes": (dict(kernel_size=2, output_size=2, output_ratio=0.5), ValueError,
                   r"got output_size=2, output_ratio=0\.5"),
    "too large": (dict(kernel_size=3, output_size=5), ValueError,
                  r"got kernel_size=3, output_size=5, input size \(6, 6\)"),
    "ratio too large": (dict(kernel_size=3, output_ratio=0.9), ValueError,
                        r"got kernel_size=3, output_ratio=0\.9, input size \(6, 6\)"),
    "ratio nothing": (dict(kernel_size=2, output_ratio=0.1), ValueError, r"got kernel_size=2, output_ratio=0\.1"),
    "ratio one": (dict(kernel_size=2, output_ratio=1), ValueError, r"between 0 and 1; got output_ratio=1"),
    "ratio nan": (dict(kernel_size=2, output_ratio=float("nan")), ValueError, r"got output_ratio=nan"),
    "ratio word": (dict(kernel_size=2, output_ratio="half"), TypeError, r"must be a number; got output_ratio='half'"),
    "ratio length": (dict(kernel_size=(2, 2), output_ratio=(0.5,)), ValueError,
                     r"one entry for each of the 2 spatial axes; got output_ratio=\(0\.5,\)"),
    "ratio three": (dict(kernel_size=2, output_ratio=(0.5, 0.5, 0.5)), ValueError,
                    r"x must have shape \(N, C, D, H, W\)"),
    "size float": (dict(kernel_size=2, output_size=2.0), TypeError, r"got output_size=2\.0"),
    "samples dtype": (dict(kernel_size=2, output_size=2, samples=np.zeros((1, 2, 2), np.float32)), TypeError,
                      r"samples must have the dtype of x; got samples\.dtype=float32, x\.dtype=float64"),
    "samples shape": (dict(kernel_size=2, output_size=2, samples=np.zeros((1, 2, 3))), ValueError,
                      r"samples must have shape .* = \(1, 2, 2\); got shape \(1, 2, 3\)"),
    "samples one": (dict(kernel_size=2, output_size=2, samples=np.ones((1, 2, 2))), ValueError,
                    r"samples must be at least 0 and less than 1; got 1\.0"),
    "samples nan": (dict(kernel_size=2, output_size=2, samples=np.full((1, 2, 2), np.nan)), ValueError, r"got nan"),
    "rng": (dict(kernel_size=2, output_size=2, rng=7), TypeError, r"rng must be a NumPy Generator; got int"),
    "flag": (dict(kernel_size=2, output_size=2, return_indices=1), TypeError, r"got return_indices=1"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_fractional_max_pool_refuses(name):
    arguments, error, message = REFUSED[name]
    with pytest.raises(error, match=message):
        fractional_max_pool(X, **arguments)
