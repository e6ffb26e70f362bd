"""Keys that cannot be read at a glance: what a copy for students has in the place of right answers.

`course release` writes them. Whoever runs the code can open them, and whoever checks often enough finds the answer
anyway: they keep a reader who looks into a file from seeing it by accident. Points are given by cases that no copy has.
"""

import hashlib

from course_lib.exercises.misconceptions import CATALOGUE

LENGTH = 16


def named(letter, salt, digest):
    """The misconception that an option expresses, found again from a salted hash; None for the right option.

    Parameters
    ----------
    letter, salt : str
    digest : str

    Raises
    ------
    ValueError
        If the catalogue has no such name.
    """
    for name in ("", *CATALOGUE):
        if hashed(letter, salt, name) == digest:
            return name or None
    raise ValueError(f"digest must be that of a misconception; got {digest!r}.")


def hashed(letter, salt, name):
    """The salted hash of a name; "" stands for the right option."""
    return hashlib.sha256(f"{salt}:{letter}:{name}".encode()).hexdigest()[:LENGTH]


def shut(salt, text, room=0):
    """A text as hex, which `opened` reads; ``room`` hides how long it is."""
    data = text.ljust(room).encode()
    return bytes(a ^ b for a, b in zip(data, _stream(salt, len(data)), strict=True)).hex()


def opened(salt, sealed):
    """The text that was shut."""
    data = bytes.fromhex(sealed)
    return bytes(a ^ b for a, b in zip(data, _stream(salt, len(data)), strict=True)).decode().rstrip()


def _stream(salt, length):
    """As many bytes as wanted, the same for the same salt."""
    return hashlib.shake_256(salt.encode()).digest(length)
