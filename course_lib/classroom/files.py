"""One file of what was handed in: it lies in a folder, in a zip, in a zip inside of that, or has come from afar."""

import io
import zipfile
from dataclasses import dataclass
from pathlib import Path

LARGEST, LARGEST_NESTED = 48 << 20, 200 << 20
MOST_LISTED, LISTED = 10_000, b"PK\x01\x02"


class TooLarge(Exception):
    """A file that is not or cannot be read, with the reason."""


@dataclass(frozen=True)
class File:
    """One file of a student.

    Attributes
    ----------
    name : str
        As the student called it.
    path : str
        Where it lies within what was handed in.
    root : str
        The folder or zip on the disk.
    attempt : tuple
        Later attempts sort behind earlier ones.
    late : bool
    inner : str
        The name inside a zip that lies at `path`; "" for none.
    """

    name: str
    path: str
    root: str
    attempt: tuple
    late: bool = False
    inner: str = ""

    def read(self):
        """The bytes.

        Raises
        ------
        TooLarge
        """
        try:
            return self._read()
        except TooLarge:
            raise
        except Exception as error:
            # Of a damaged zip, zipfile raises nearly everything. What lies in a student's file is no fault of ours.
            raise TooLarge(f"the file cannot be read ({type(error).__name__})") from error

    def _read(self):
        """The bytes, or whatever error comes."""
        root = Path(self.root)
        if root.is_dir():
            data = checked((root / self.path).stat().st_size, self.inner) or (root / self.path).read_bytes()
        else:
            with zipfile.ZipFile(root) as archive:
                data = member(archive, self.path, self.inner)
        if self.inner:
            with nested(data) as archive:
                data = member(archive, self.inner, "")
        return data

    def fingerprint(self):
        """What changes when the file does, found without reading it."""
        root = Path(self.root)
        if root.is_dir():
            found = (root / self.path).stat()
            return [found.st_size, found.st_mtime_ns]
        with zipfile.ZipFile(root) as archive:
            info = archive.getinfo(self.path)
        return [info.file_size, info.CRC]


def checked(size, inner):
    """Nothing, if a size is allowed."""
    most = LARGEST_NESTED if inner else LARGEST
    if size > most:
        raise TooLarge(
            f"the file has {size >> 20} MB, and at most {most >> 20} are read: clear its outputs and hand it in again"
        )


def nested(data):
    """A zip inside of what was handed in, opened only where it lists no more than is read."""
    # What its end says of their number may be wrong; what stands before each name is not.
    if (listed := data.count(LISTED)) > MOST_LISTED:
        raise TooLarge(f"the zip lists {listed} files, and at most {MOST_LISTED} are read: hand in the notebooks alone")
    return zipfile.ZipFile(io.BytesIO(data))


def member(archive, name, inner):
    """The bytes of a member of a zip, never more than allowed, whatever its head says."""
    info = archive.getinfo(name)
    checked(info.file_size, inner)
    with archive.open(info) as file:
        data = file.read(info.file_size + 1)
    checked(len(data), inner)
    return data


@dataclass(frozen=True)
class Carried:
    """A file whose bytes were read elsewhere.

    Attributes
    ----------
    name : str
    late : bool
    data : bytes
    why : str
        Why it could not be read; "" where it could.
    """

    name: str
    late: bool
    data: bytes
    why: str = ""

    def read(self):
        """The bytes.

        Raises
        ------
        TooLarge
        """
        if self.why:
            raise TooLarge(self.why)
        return self.data
