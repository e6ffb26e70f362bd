"""Files and names that want to end the batch: by student, the files that are handed in."""

import io
import os
import zipfile

from tests.grading.classes import notebook

WORK = notebook("import numpy as np\ndef max_pool2d(x, *a):\n    raise ValueError\nmax_pool2d_backward = max_pool2d\n")


def zipped(members, bomb=0):
    """The bytes of a zip."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data, mode in members:
            info = zipfile.ZipInfo(name)
            info.external_attr, info.compress_type = mode << 16, zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
        if bomb:
            archive.writestr("11_bomb.ipynb", bytes(bomb))
    return stream.getvalue()


def encrypted():
    """A zip that says that its members need a password."""
    data = bytearray(zipped([("11_work.ipynb", WORK, 0o600)]))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


def lying():
    """A zip whose member says that it is short."""
    data = zipped([("11_work.ipynb", bytes(1 << 20), 0o600)])
    return data.replace((1 << 20).to_bytes(4, "little"), (10).to_bytes(4, "little"))


LINK, FILE = 0o120777, 0o100600
FILES = {
    "deep JSON": {"11_work.ipynb": b'{"cells": ' + b"[" * 300_000},
    "deep JSON that is closed": {"11_work.ipynb": b'{"cells": ' + b"[" * 90_000 + b"]" * 90_000 + b"}"},
    "UTF-16 without its mark": {"11_work.ipynb": WORK.decode().encode("utf-16-le")},
    "NUL": {"11_work.ipynb": WORK.replace(b"import", b"\\u0000import")},
    "NUL bytes": {"11_work.ipynb": WORK + bytes(100)},
    "invalid nbformat": {"11_work.ipynb": b'{"cells": {"a": 1}, "nbformat": 1e400}'},
    "cells that are none": {"11_work.ipynb": b'{"cells": [1, null, {"cell_type": ["code"], "source": {"a": 1}}]}'},
    "a number for a notebook": {"11_work.ipynb": b"1" * 100_000},
    "half a notebook": {"11_work.ipynb": WORK[:-30]},
    "a cell of 8 MB": {"11_work.ipynb": notebook("x = 1 #" + "x" * (8 << 20))},
    "100 MB": {"11_work.ipynb": b'{"cells": []' + b" " * (100 << 20) + b"}"},
    "lone surrogates": {"11_work.ipynb": b'{"cells": [{"cell_type": "code", "source": "x = 1 # \\ud800"}]}'},
    "a zip bomb": {"11_work.zip": zipped([], bomb=60 << 20)},
    "a zip that lies": {"11_work.zip": lying()},
    "a zip that is encrypted": {"11_work.zip": encrypted()},
    "a zip that climbs": {"work.zip": zipped([("../../../tmp/left-by-an-attack/11_work.ipynb", WORK, FILE)])},
    "a zip with a link": {"work.zip": zipped([("11_work.ipynb", "/etc/passwd", LINK)])},
    "a zip in a zip": {"work.zip": zipped([("11_more.zip", zipped([("11_work.ipynb", WORK, FILE)]), FILE)])},
    "a zip that is cut off": {"11_work.zip": zipped([("11_work.ipynb", WORK, FILE)])[:-40]},
    "=HYPERLINK(\"http:x\",\"1\")\n<script>": {"11_work.ipynb": WORK},
    "张伟 ‮ reversed": {"11_作业.ipynb": WORK},
    "its own journal": {"journal.sqlite": b"x", "grades.csv": b"x", "11_work.ipynb": WORK, "report.html": b"<script>"},
    "two files": {"11_work.ipynb": WORK, "11_work (2).ipynb": b"", "11_work-9.py": b"\xff\xfe\x00"},
}  # fmt: skip


def on_disk_only(folder):
    """What no dict can hold: a name that is no text, links, a pipe, and folders in folders."""
    strange = os.fsencode(folder) + b"/\xd5\xc5\xce\xb0"
    os.mkdir(strange)
    with open(strange + b"/11_\xd7\xf7.ipynb", "wb") as file:
        file.write(WORK)
    links = folder / "links"
    links.mkdir()
    (links / "11_work.ipynb").write_bytes(WORK)
    (links / "up").symlink_to("..")
    (links / "11_passwords.py").symlink_to("/etc/passwd")
    os.mkfifo(links / "11_pipe.ipynb")
    place = os.open(links, os.O_RDONLY)
    for _ in range(1200):
        os.mkdir("a", dir_fd=place)
        below = os.open("a", os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = below
    os.close(place)
