"""Messages between judge and sandbox: what goes in comes out, and what is malformed is nothing else than malformed."""

from fractions import Fraction

import numpy as np
import pytest

from course_lib.classroom.box import wire

PIECES = [b"[", b"]", b'"', b"9", b"-", b"null", b"\xff", b""]


def refuse(value):
    raise wire.Unsendable(type(value).__name__)


def there_and_back(value):
    message = wire.pack("name", refuse, value=value)
    tree, data = wire.HEAD.unpack_from(message)
    rest = message[wire.HEAD.size :]
    assert len(rest) == tree + data
    return wire.unpack(rest[:tree], rest[tree:], {})[1]["value"]


@pytest.mark.parametrize(
    "value",
    [None, True, 3, -1.5, float("inf"), "张", [1, (2, "x")], {"a": [None]}, Fraction(1, 3), ..., frozenset("ab")],
)
def test_a_plain_value_comes_back(value):
    assert there_and_back(value) == value


@pytest.mark.parametrize("dtype", sorted(wire.DTYPES))
def test_an_array_comes_back(dtype, rng):
    array = rng.integers(0, 2, (2, 3)).astype(dtype)
    found = there_and_back(array)
    assert found.dtype == array.dtype
    np.testing.assert_array_equal(found, array)


def test_an_array_that_lies_otherwise_in_memory_comes_back(rng):
    array = rng.normal(size=(4, 5)).T[::2]
    np.testing.assert_array_equal(there_and_back(array), array)


def test_a_read_only_array_comes_back_as_one():
    array = np.zeros(3)
    array.flags.writeable = False
    assert not there_and_back(array).flags.writeable


def test_an_array_of_numpys_scalars_stays_a_scalar():
    assert type(there_and_back(np.float32(2))) is np.float32


@pytest.mark.parametrize(
    "value", [object(), {1: 2}, 10**30, "x" * 10**5, np.broadcast_to(0.0, (10**5, 10**5)), np.zeros(2, "M8[s]"), 1j]
)
def test_what_is_not_plain_does_not_cross(value):
    with pytest.raises(wire.Unsendable):
        there_and_back(value)


def test_what_holds_itself_does_not_cross():
    value = []
    value.append(value)
    with pytest.raises(wire.Unsendable):
        there_and_back(value)


@pytest.mark.parametrize(
    "tree",
    [
        b"", b"{}", b"[]", b'["x"]', b'["x", [["a", ["v", {}]]]]', b'["x", [["a", ["zz"]]]]',
        b'["x", [[1, ["v", 1]]]]',
        b'["x", [["a", ["a", "<f8", [1099511627776, 1099511627776], true]]]]',
        b'["x", [["a", ["a", "|O", [1], true]]]]',
        b'["x", [["a", ["a", "<f8", [-1], true]]]]', b'["x", [["a", ["q", 1, 0]]]]', b'["x", [["a", ["f", "1e"]]]]',
        b'["x", [["a", ["v", NaN]]]]', b"[" * 100_000, b'["x", [["a", ["d", [[1, ["v", 1]]]]]]]',
    ],
)  # fmt: skip
def test_a_malformed_message_is_refused(tree):
    with pytest.raises(wire.Malformed):
        wire.unpack(tree, b"", {})


def test_bytes_that_nobody_asked_for_are_refused():
    with pytest.raises(wire.Malformed, match="more than it says"):
        wire.unpack(b'["x", []]', b"extra", {})


def test_changed_messages_are_read_or_refused_and_nothing_else(rng):
    message = wire.pack("name", refuse, value=[np.arange(6.0).reshape(2, 3), {"a": 1.5}, ("x", None)], other=3)
    tree, data = wire.HEAD.unpack_from(message)
    text, rest = message[wire.HEAD.size :][:tree], message[wire.HEAD.size + tree :]
    refused = 0
    for _ in range(3000):
        changed = bytearray(text)
        for _ in range(rng.integers(1, 4)):
            place = rng.integers(len(changed))
            changed[place : place + rng.integers(0, 3)] = rng.choice(
                [b"[", b"]", b'"', b"9", b"-", b"null", b"\xff", b""]
            )
        try:
            wire.unpack(changed, rest, {})
        except wire.Malformed:
            refused += 1
    assert 1000 < refused < 3000
