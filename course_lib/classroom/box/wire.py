"""Messages between the judge and the sandbox: a JSON tree and the bytes of plain arrays; nothing is ever unpickled.

A message is two lengths, a tree and the arrays' bytes. Reading is strict: whatever is malformed raises `Malformed`.
"""

import json
import math
import struct
from fractions import Fraction

import numpy as np

HEAD = struct.Struct("<IQ")
DTYPES = {"|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8", "<c8", "<c16"}
LONGEST_TREE, MOST_BYTES = 4 << 20, 64 << 20
# What one message out of the sandbox may hold. What goes into it may be a whole notebook.
MOST_OUTPUT = 8 << 20
DEEPEST, MOST_NODES, LONGEST_TEXT, LARGEST_INT = 12, 20_000, 20_000, 2**63


class Malformed(Exception):
    """What came is no message."""


class Unsendable(Exception):
    """A value that does not cross: too large, too deep, or of a type that is not plain."""


class Encoder:
    """Turns values into a tree and bytes.

    Parameters
    ----------
    special : callable
        From a value of no plain type to a tree; it raises `Unsendable` where there is none.
    most : int
        Bytes of arrays.
    """

    def __init__(self, special, most=MOST_BYTES):
        self.special, self.most, self.parts, self.bytes, self.nodes = special, most, [], 0, 0

    def tree(self, value, depth=0):
        """The tree of a value."""
        self.nodes += 1
        if depth > DEEPEST or self.nodes > MOST_NODES:
            raise Unsendable("it has too many parts")
        kind = type(value)
        if value is None or kind is bool:
            return ["v", value]
        if kind in SIMPLE:
            return SIMPLE[kind](value)
        if kind in SEQUENCES:
            return [SEQUENCES[kind], [self.tree(one, depth + 1) for one in value]]
        if kind is dict and all(type(key) is str and len(key) <= 200 for key in value):
            return ["d", [[key, self.tree(one, depth + 1)] for key, one in value.items()]]
        if isinstance(value, (np.ndarray, np.generic)) and not isinstance(value, np.ma.MaskedArray):
            return self._array(value, depth)
        return self.special(value)

    def _array(self, value, depth):
        """The head of an array, whose bytes go beside the tree."""
        array = np.asarray(value)
        if array.dtype.kind == "O" and array.size <= MOST_NODES:
            return self.tree(array.tolist(), depth + 1)
        dtype = array.dtype.newbyteorder("<").str
        if dtype not in DTYPES:
            return self.special(value)
        if _span(array.shape) > MOST_BYTES:
            raise Unsendable("its shape is too large")
        self.bytes += array.nbytes
        if self.bytes > self.most:
            raise Unsendable(f"its arrays have more than {self.most >> 20} MiB")
        self.parts.append(np.ascontiguousarray(array, dtype=dtype).tobytes())
        kind = "a" if isinstance(value, np.ndarray) else "s"
        return [kind, dtype, list(array.shape), bool(array.flags.writeable)]


def _span(shape):
    """The elements of a shape without its zeros: an empty array can still be a list of a million lists."""
    return math.prod(max(one, 1) for one in shape)


def _int(value):
    if abs(value) >= LARGEST_INT:
        raise Unsendable("a whole number is too large")
    return ["v", value]


def _text(value):
    if len(value) > LONGEST_TEXT:
        raise Unsendable("a text is too long")
    return ["v", value.encode("utf-8", "replace").decode()]


SIMPLE = {
    int: _int,
    float: lambda value: ["f", repr(value)],
    str: _text,
    Fraction: lambda value: ["q", _int(value.numerator)[1], _int(value.denominator)[1]],
    type(...): lambda value: ["e"],
}
SEQUENCES = {list: "l", tuple: "t", set: "x", frozenset: "x"}


class Decoder:
    """Turns a tree and bytes into values.

    Parameters
    ----------
    data : bytes
        Those of the arrays, in the order of the tree.
    special : dict of str to callable
        For each further kind of tree, from its other members to a value.
    """

    def __init__(self, data, special):
        self.data, self.special, self.place, self.nodes = memoryview(data), special, 0, 0

    def value(self, tree, depth=0):
        """The value of a tree."""
        self.nodes += 1
        if depth > DEEPEST + 4 or self.nodes > 2 * MOST_NODES or type(tree) is not list or not tree:
            raise Malformed("no tree")
        kind, members = tree[0], tree[1:]
        if type(kind) is not str:
            raise Malformed("no kind")
        if kind in ("l", "t", "x", "d"):
            return self._several(kind, members, depth)
        if kind in ("a", "s"):
            return self._array(kind, *members)
        readers = READERS if kind in READERS else self.special
        if kind not in readers:
            raise Malformed("an unknown kind")
        return readers[kind](*members)

    def _several(self, kind, members, depth):
        """A list, tuple, set or dict."""
        (members,) = members
        if type(members) is not list:
            raise Malformed("no members")
        if kind == "d":
            return {_key(key): self.value(one, depth + 1) for key, one in members}
        values = [self.value(one, depth + 1) for one in members]
        return values if kind == "l" else tuple(values) if kind == "t" else frozenset(values)

    def _array(self, kind, dtype, shape, writeable):
        """An array of its own; its size is known before anything is allocated."""
        if dtype not in DTYPES or type(shape) is not list or len(shape) > 32 or (kind == "s" and shape):
            raise Malformed("no head of an array")
        if not all(type(one) is int and 0 <= one <= MOST_BYTES for one in shape) or _span(shape) > MOST_BYTES:
            raise Malformed("no shape")
        count = math.prod(shape) * np.dtype(dtype).itemsize
        if count > len(self.data) - self.place:
            raise Malformed("too few bytes")
        array = np.frombuffer(self.data[self.place : self.place + count], dtype).reshape(shape).copy()
        self.place += count
        if kind == "s":
            return array[()]
        array.flags.writeable = writeable is True
        return array


def _key(key):
    if type(key) is not str:
        raise Malformed("no key")
    return key


def _plain(value):
    if not (value is None or type(value) in (bool, int, str)):
        raise Malformed("no plain value")
    return value


def _whole(value):
    # Of a text as "1e999999999" a fraction would compute all digits.
    if type(value) is not int or abs(value) >= LARGEST_INT:
        raise Malformed("no whole number")
    return value


def _float(text):
    if type(text) is not str or len(text) > 40:
        raise Malformed("no number")
    return float(text)


READERS = {
    "v": _plain,
    "f": _float,
    "q": lambda top, bottom: Fraction(_whole(top), _whole(bottom)),
    "e": lambda: ...,
}


def pack(name, special, most=MOST_BYTES, /, **values):
    """The bytes of a message: its name, and values by name."""
    encoder = Encoder(special, most)
    tree = json.dumps([name, [[key, encoder.tree(value)] for key, value in values.items()]]).encode()
    if len(tree) > LONGEST_TREE:
        raise Unsendable("it has too many parts")
    return HEAD.pack(len(tree), encoder.bytes) + tree + b"".join(encoder.parts)


def unpack(tree, data, special):
    """The name and the values of a message."""
    try:
        name, values = json.loads(bytes(tree))
        decoder = Decoder(data, special)
        found = {_key(key): decoder.value(value) for key, value in values}
    except Malformed:
        raise
    # Whatever goes wrong here is the sender's fault.
    except Exception as error:
        raise Malformed(type(error).__name__) from None
    if type(name) is not str or decoder.place != len(data):
        raise Malformed("a message with more than it says")
    return name, found
