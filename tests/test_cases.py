"""Calls from public bug reports, each with what PyTorch 2.13 gives: ours is equal, or a departure with its reason."""

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import course_lib

DATA = Path(__file__).parent / "data" / "pooling_cases.json"
CASES = {case["id"]: case for case in json.loads(DATA.read_text("utf-8"))}
NUMBERS = {"nan": np.nan, "inf": np.inf, "-inf": -np.inf}


class Departure(NamedTuple):
    """Why an answer differs from PyTorch's, and what it is: results by name, or a part of an error's message."""

    reason: str
    ours: dict | str


NO_BFLOAT16 = "NumPy has no bfloat16: the case is replayed in the type named here"
NO_REAL_TAP = "A window without a real tap has index -1: PyTorch's index lies outside the plane"
INTEGER_MEAN = "Averages of integers are refused: PyTorch cuts them off toward zero"
NO_ABSOLUTE = "The norm takes absolute values, as ONNX does: PyTorch does not"
OVERHANG = "What hangs over the end adds nothing to a norm: PyTorch scales it up to a full window"
ANY_TYPE = "Half precision works in three dimensions too, and is summed in float32"
DEPARTURES = {
    "D07": Departure(NO_REAL_TAP, {"out": [["-inf"]], "indices": [[-1]]}),
    "D10": Departure(NO_REAL_TAP, {"out": [[[-(2**63)]]], "indices": [[[-1]]]}),
    "E06": Departure(INTEGER_MEAN, "x must have dtype float16, float32 or float64; got x.dtype=int64"),
    "E07": Departure(INTEGER_MEAN, "x must have dtype float16, float32 or float64; got x.dtype=int64"),
    "E13": Departure(NO_BFLOAT16, {"float16": {"out": [[[[1.0]]]]}}),
    "E15": Departure(ANY_TYPE, {"out": np.ones((1, 1, 2, 2, 2))}),
    "E16": Departure(NO_BFLOAT16, {"float16": {"out": np.ones((1, 1, 2, 2, 2))}}),
    "E19": Departure(ANY_TYPE, {"out": [[[[[1.0]]]]]}),
    "E23": Departure(NO_BFLOAT16, {"float16": {"out": [[[1.0009765625]]], "indices": [[[1]]]}}),
    "F14": Departure(
        "The 3-D average has no size rule of its own: in 1-D and 2-D PyTorch takes the same geometry",
        {"out": np.full((1, 1, 2, 2, 2), 351 / 64)},
    ),
    "F20": Departure(
        "Empty channels are refused by every operation", "empty channel or spatial axes; got shape (2, 0, 4, 4)"
    ),
    "F29": Departure(
        "One number an axis, or one for all: a tuple of one is a kernel for lines", "must have shape (N, C, L)"
    ),
    "H10": Departure("A window has at least one element", "kernel_size must be at least 1 and at most 2147483647; got"),
    "J03": Departure(NO_ABSOLUTE, {"out": [[[2.0]]], "grad_input": [[[1.0, -1.0]]]}),
    "J09": Departure(
        "The order of a norm is finite and positive",
        "norm_type must be finite and greater than 0; got norm_type=-inf",
    ),
    "J10": Departure(OVERHANG, {"out": [[[5.0, 5.0]]], "grad_input": [[[0.6, 0.8, 1.0]]]}),
    "J11": Departure(OVERHANG, {"out": [[[[2, 2, 2**0.5], [2, 2, 2**0.5], [2**0.5, 2**0.5, 1]]]]}),
    "M30": Departure(
        '"same" with a stride keeps ceil(n / s) windows, as in TensorFlow and ONNX',
        {"out": [[[[4.0, 6, 4], [6, 9, 6], [4, 6, 4]]]]},
    ),
}


def array(spec, dtype=None):
    """The array that a case describes."""
    dtype = dtype or spec["dtype"]
    if "data" in spec:
        shape = spec.get("shape", np.shape(spec["data"]))
        values = np.array(spec["data"], dtype=object)
        flat = [NUMBERS.get(entry, entry) if isinstance(entry, str) else entry for entry in values.ravel()]
        return np.array(flat).astype(dtype).reshape(shape)
    size = int(np.prod(spec["shape"]))
    if "lcg" in spec:
        a, b, m = spec["lcg"]
        values = (a * np.arange(size) + b) % m
    elif "linspace" in spec:
        values = np.linspace(*spec["linspace"], size)
    elif "arange" in spec:
        values = np.arange(spec["arange"], spec["arange"] + size)
    else:
        values = np.full(
            size, NUMBERS.get(spec["fill"], spec["fill"]) if isinstance(spec["fill"], str) else spec["fill"]
        )
    y = values.astype(dtype).reshape(spec["shape"])
    return np.moveaxis(np.moveaxis(y, 1, -1).copy(), -1, 1) if spec.get("memory_format") == "channels_last" else y


def arguments(case):
    """A case's arguments: tensors as arrays, lists as tuples, −inf as a number."""
    given = {name: array(value) if isinstance(value, dict) else value for name, value in case["kwargs"].items()}
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    return {name: NUMBERS.get(value, value) if isinstance(value, str) else value for name, value in given.items()}


def replay(case, dtype=None):
    """Our results by name, of the shapes that PyTorch has: a missing batch axis is added, and taken away again."""
    operation, rank = case["op"].rstrip("123d"), case["op"][-2]
    x, given = array(case["input"], dtype), arguments(case)
    if case["op"] == "fold":
        return {"out": fold(x, **given)}
    unbatched = x.ndim == int(rank) + 1
    given |= {"indices": given["indices"][None]} if unbatched and "indices" in given else {}
    results = globals()[f"replay_{operation}"](x[None] if unbatched else x, given, case)
    return {
        name: result[0] if unbatched and name in ("out", "indices", "grad_input") else result
        for name, result in results.items()
    }


def upstream(case, y):
    """The upstream gradient of a case, or None."""
    gradient = case["upstream_grad"]
    return np.ones_like(y) if gradient == "ones" else None if gradient is None else array(gradient).reshape(y.shape)


def replay_max_pool(x, given, case):
    y, indices = course_lib.max_pool(x, **{**given, "return_indices": True})
    return with_winners(x, y, indices, case)


def replay_adaptive_max_pool(x, given, case):
    y, indices = course_lib.adaptive_max_pool(x, **{**given, "return_indices": True})
    return with_winners(x, y, indices, case)


def replay_fractional_max_pool(x, given, case):
    # PyTorch's samples are in the order W, H.
    given["samples"] = given.pop("_random_samples")[..., ::-1]
    y, indices = course_lib.fractional_max_pool(x, **{**given, "return_indices": True})
    return with_winners(x, y, indices, case)


def with_winners(x, y, indices, case):
    results, gradient = {"out": y, "indices": indices}, upstream(case, y)
    if gradient is not None:
        results["grad_input"] = course_lib.max_pool_backward(gradient, indices, x.shape)
    return results


def replay_avg_pool(x, given, case):
    y = course_lib.avg_pool(x, **given)
    gradient = upstream(case, y)
    back = {} if gradient is None else {"grad_input": course_lib.avg_pool_backward(gradient, x.shape, **given)}
    return {"out": y, **back}


def replay_adaptive_avg_pool(x, given, case):
    y = course_lib.adaptive_avg_pool(x, **given)
    gradient = upstream(case, y)
    back = {} if gradient is None else {"grad_input": course_lib.adaptive_avg_pool_backward(gradient, x.shape)}
    return {"out": y, **back}


def replay_lp_pool(x, given, case):
    y = course_lib.lp_pool(x, **given)
    gradient = upstream(case, y)
    return {"out": y, **({} if gradient is None else {"grad_input": course_lib.lp_pool_backward(gradient, x, **given)})}


def replay_max_unpool(x, given, case):
    kernel, padding = given.pop("kernel_size"), given.pop("padding", 0)
    stride = given.pop("stride", kernel)
    size = given.pop("output_size", tuple((n - 1) * stride + kernel - 2 * padding for n in x.shape[2:]))
    return {"out": course_lib.max_unpool(x, given["indices"], (*x.shape[:2], *size))}


def replay_conv(x, given, case):
    return with_weight(course_lib.conv, course_lib.conv_backward, x, given, case)


def replay_conv_transpose(x, given, case):
    return with_weight(course_lib.conv_transpose, course_lib.conv_transpose_backward, x, given, case)


def with_weight(forward, backward, x, given, case):
    y = forward(x, **given)
    results, gradient = {"out": y}, upstream(case, y)
    if gradient is not None:
        given.pop("bias", None)
        gradients = backward(gradient, x, **given)
        results |= zip(("grad_input", "grad_weight", "grad_bias"), gradients, strict=True)
    return results


def fold(x, output_size, kernel_size):
    """PyTorch's fold as a transposed convolution: each row of ``x`` is one tap of the windows."""
    weight = np.eye(kernel_size**2, dtype=x.dtype).reshape(-1, 1, kernel_size, kernel_size)
    windows = tuple(n - kernel_size + 1 for n in output_size)
    return course_lib.conv_transpose(x.reshape(len(x), -1, *windows), weight)


def compare(found, expected):
    """Every expected result: copies exactly, sums within float32's rounding."""
    for name, value in expected.items():
        value = array(value) if isinstance(value, dict) else array({"dtype": found[name].dtype, "data": value})
        assert found[name].shape == value.shape
        close = {"rtol": 1e-6, "atol": 1e-6} if value.dtype.kind == "f" else {"rtol": 0, "atol": 0}
        np.testing.assert_allclose(found[name], value, **close)
        # Equal zeros may differ in sign.
        zero = (value == 0) & (found[name] == 0) & (name == "out")
        np.testing.assert_array_equal(np.signbit(found[name][zero]), np.signbit(value[zero]))


@pytest.mark.parametrize("name", [name for name in CASES if name not in DEPARTURES])
def test_case_equals_torch(name):
    expected = CASES[name]["expected"]
    if "error" in expected:
        with pytest.raises((ValueError, TypeError)):
            replay(CASES[name])
        return
    compare(replay(CASES[name]), expected)


@pytest.mark.parametrize("name", DEPARTURES)
def test_case_departs_as_listed(name):
    reason, ours = DEPARTURES[name]
    if isinstance(ours, str):
        with pytest.raises((ValueError, TypeError)) as refusal:
            replay(CASES[name])
        assert ours in str(refusal.value), reason
        assert "error" not in CASES[name]["expected"], "no departure: PyTorch refuses too"
    elif reason == NO_BFLOAT16:
        ((dtype, expected),) = ours.items()
        compare(replay(CASES[name], dtype), {key: np.array(value).tolist() for key, value in expected.items()})
    else:
        found = replay(CASES[name])
        compare(found, {key: np.array(value, dtype=object).tolist() for key, value in ours.items()})
        if "error" not in CASES[name]["expected"]:
            with pytest.raises(AssertionError):
                compare(found, CASES[name]["expected"])


def test_every_case_is_replayed():
    assert len(CASES) == 122
    assert set(DEPARTURES) <= set(CASES)
    # PyTorch corrupts memory there.
    assert "D08" not in CASES


def test_every_departing_case_is_in_the_documents():
    text = (Path(__file__).parents[1] / "docs" / "departures.md").read_text("utf-8")
    assert [name for name in DEPARTURES if name not in text] == []
