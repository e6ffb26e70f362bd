"""Everything that a file says, in whatever it is wrapped: archives, notebooks, base64, hex, pages, pictures."""

import base64
import binascii
import bz2
import contextlib
import gzip
import html
import io
import json
import lzma
import re
import tarfile
import zipfile
import zlib

DEEP = 6
LARGEST = 1 << 28
BASE64 = re.compile(r"(?:[A-Za-z0-9+/_-]{4}[\r\n]{0,2}){5,}[A-Za-z0-9+/_-]{0,3}={0,2}")
HEX = re.compile(r"(?:[0-9a-fA-F]{2}){20,}")
ESCAPES = {r"\n": "\n", r"\t": "\t", r"\"": '"', r"\'": "'"}
TAG = re.compile(r"</?\w+(?:\s[^<>]*)?>")
PICTURE = b"\x89PNG\r\n\x1a\n"


def layers(data, where="", depth=0):
    """The bytes of a file and of all that is packed in it.

    Parameters
    ----------
    data : bytes
    where : str
        How it is called in a report.
    depth : int
        How many wrappers were opened.

    Yields
    ------
    where : str
    data : bytes
    text : str
        The same as text.
    """
    texts = written(data)
    for text in texts:
        yield where, data, text
    if depth == DEEP:
        return
    # The last text is the one without escapes.
    for name, inner in [*unwrapped(data), *encoded(texts[-1:])]:
        yield from layers(inner, f"{where}, {name}" if where else name, depth + 1)


def written(data):
    """The texts that bytes may be, the most readable one last."""
    if data.startswith(PICTURE):
        return []
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return readings(data.decode("utf-16", "replace"))
    if data.count(0) > len(data) / 4:
        # UTF-16 without its mark: every other byte of English is zero.
        return [text for form in ("utf-16-le", "utf-16-be") for text in readings(data.decode(form, "replace"))]
    return readings(data.decode("utf-8", "replace"))


def readings(text):
    """A text as it stands, and as it reads without JSON, escapes and tags."""
    plain = text
    with contextlib.suppress(ValueError, RecursionError):
        if text.lstrip()[:1] in ("{", "["):
            plain = "\n".join(strings(json.loads(text)))
    if "<" in plain or "&" in plain:
        plain = html.unescape(TAG.sub("", plain))
    for escape, meant in ESCAPES.items():
        plain = plain.replace(escape, meant)
    return [text] if plain == text else [text, plain]


def strings(value):
    """Every text of a JSON document; a list of lines is one text, as notebooks write it."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [*value, *(text for each in value.values() for text in strings(each))]
    if not isinstance(value, list):
        return []
    if all(isinstance(each, str) for each in value):
        # Lines as notebooks write them; and one by one, for words that were cut into a list.
        return ["".join(value), " ".join(value)]
    return [text for each in value for text in strings(each)]


def encoded(texts):
    """What stands in texts as base64 or hex."""
    runs = {("base64", run) for text in texts for run in BASE64.findall(text)}
    runs |= {("hex", run) for text in texts for run in HEX.findall(text)}
    for name, run in sorted(runs):
        with contextlib.suppress(binascii.Error, ValueError):
            yield name, _decoded(name, run)


def _decoded(name, run):
    """The bytes of one run."""
    if name == "hex":
        return bytes.fromhex(run)
    plain = re.sub(r"[\s=]", "", run).translate(str.maketrans("-_", "+/"))
    return base64.b64decode(plain[: len(plain) - (len(plain) % 4 == 1)] + "=" * (-len(plain) % 4))


def unwrapped(data):
    """What an archive, a compressed file or a picture holds besides its pixels: pairs of a name and bytes."""
    for open_one in (_zipped, _tarred, _compressed, _beside_pixels):
        with contextlib.suppress(Exception):
            if found := list(open_one(data)):
                return found
    return []


def _zipped(data):
    """The members of a zip, which may begin anywhere; their names and comments too."""
    if b"PK\x03\x04" not in data:
        return
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for member in archive.infolist():
            yield member.filename, member.filename.encode() + b"\n" + member.comment
            yield member.filename, archive.read(member)


def _tarred(data):
    """The members of a tar, compressed or not."""
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive:
            yield member.name, member.name.encode()
            if member.isfile():
                yield member.name, archive.extractfile(member).read()


def _compressed(data):
    """The content of one compressed stream."""
    for magic, name, opened in (
        (b"\x1f\x8b", "gzip", gzip.decompress),
        (b"BZh", "bzip2", bz2.decompress),
        (b"\xfd7zXZ", "xz", lzma.decompress),
        (b"x", "zlib", zlib.decompress),
    ):
        if data.startswith(magic):
            yield name, opened(data)


def _beside_pixels(data):
    """What a PNG says in words, and what is hung on behind it."""
    if not data.startswith(PICTURE):
        return
    place = len(PICTURE)
    while place + 8 <= len(data):
        size, kind = int.from_bytes(data[place : place + 4], "big"), data[place + 4 : place + 8]
        content, place = data[place + 8 : place + 8 + size], place + 12 + size
        if kind not in (b"IHDR", b"IDAT", b"PLTE", b"IEND", b"pHYs"):
            yield f"PNG {kind.decode('latin-1')}", content
            for start in range(len(content)):
                with contextlib.suppress(zlib.error):
                    yield f"PNG {kind.decode('latin-1')}", zlib.decompress(content[start:])
                    break
        if kind == b"IEND":
            yield "behind the PNG", data[place:]
            return
