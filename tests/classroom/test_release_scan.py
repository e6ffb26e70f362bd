"""The scan finds what is planted, however it is wrapped, and leaves alone what may be there."""

import base64
import gzip
import html
import io
import json
import struct
import tarfile
import zipfile
import zlib

import pytest

from course_lib.classroom import marks, release
from course_lib.classroom.options import Options
from course_lib.classroom.scan import BORROWED, KINDS, scan, scan_file
from course_lib.workspace import COURSE

SECRET = b"a class secret of thirty bytes"


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """What the scan of a whole release looks for."""
    path = tmp_path_factory.mktemp("secret") / "key"
    path.write_bytes(SECRET)
    return release.guard(COURSE, Options(), str(path))


def solution(number, cell_id):
    """The source of one solution cell."""
    (path,) = (COURSE / "solutions").glob(f"{number:02}_*.ipynb")
    return next("".join(cell["source"]) for cell in marks.cells_of(path) if cell["id"] == cell_id)


CODE = solution(5, "solution-backward")
PROSE = solution(3, "why")
SHORT = 'tie_rule = "c"'
HARMLESS = '"""Nothing."""\n' + "\n".join(f"x{n} = np.zeros(({n}, 3)) + {n}" for n in range(20))


def notebook(*cells, **metadata):
    """A notebook as bytes."""
    return json.dumps({"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}).encode()


def cell(source="1 + 1", outputs=(), **metadata):
    """A code cell."""
    lines = source.splitlines(keepends=True)
    return {"cell_type": "code", "id": "a", "source": lines, "outputs": list(outputs), "metadata": metadata}


def output(kind, data):
    """An output that shows something."""
    return {"output_type": "display_data", "data": {kind: data.splitlines(keepends=True)}, "metadata": {}}


def highlighted(code):
    """Code as pages show it, each word in a tag."""
    return "<pre>" + " ".join(f'<span class="n">{html.escape(word)}</span>' for word in code.split(" ")) + "</pre>"


def zipped(data, name="notes.txt"):
    """A zip with one file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return buffer.getvalue()


def tarred(data):
    """A compressed tar with one file."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        entry = tarfile.TarInfo("notes.txt")
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()


def chunk(kind, data):
    """One chunk of a PNG."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def picture(*chunks, behind=b""):
    """A PNG of one pixel."""
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    pixel = chunk(b"IDAT", zlib.compress(b"\0\0"))
    return b"\x89PNG\r\n\x1a\n" + head + b"".join(chunks) + pixel + chunk(b"IEND", b"") + behind


def b64(data):
    """Base64 as text."""
    return base64.b64encode(data).decode()


def mime(data):
    """Base64 in lines, as in mail and notebooks."""
    return base64.encodebytes(data).decode()


# A name, and how it hides a text in a file.
WRAPPINGS = {
    "a cell of an exercise": ("exercises/a.ipynb", lambda text: notebook(cell(text))),
    "an output": ("notebooks/a.ipynb", lambda text: notebook(cell("f", [output("text/plain", text)]))),
    "a printed output": (
        "notebooks/a.ipynb",
        lambda text: notebook(cell("f", [{"output_type": "stream", "name": "stdout", "text": text}])),
    ),
    "an output with its escapes": (
        "notebooks/a.ipynb",
        lambda text: notebook(cell("f", [output("text/plain", repr(text))])),
    ),
    "a highlighted output": (
        "notebooks/a.ipynb",
        lambda text: notebook(cell("f", [output("text/html", highlighted(text))])),
    ),
    "a cell's metadata": ("exercises/a.ipynb", lambda text: notebook(cell(was=text))),
    "a notebook's metadata": ("exercises/a.ipynb", lambda text: notebook(cell(), widgets={"state": [text]})),
    "JSON in metadata": ("exercises/a.ipynb", lambda text: notebook(cell(was=json.dumps({"was": text})))),
    "an attachment": (
        "notebooks/a.ipynb",
        lambda text: notebook({**cell(), "attachments": {"a.txt": {"text/plain": b64(text.encode())}}}),
    ),
    "a module": ("course_lib/a.py", lambda text: text.encode()),
    "a comment": ("course_lib/a.py", lambda text: text.replace("\n", "\n# ").encode()),
    "other layout": ("course_lib/a.py", lambda text: text.replace(" ", "   ").replace("(", "( ").encode()),
    "base64": ("course_lib/a.js", lambda text: f'const a = "{b64(text.encode())}";'.encode()),
    "base64 in lines": ("docs/a.md", lambda text: mime(text.encode()).encode()),
    "base64 for addresses": (
        "docs/a.md",
        # The question marks and tildes give it both of the letters that differ.
        lambda text: b"data:;base64," + base64.urlsafe_b64encode(f"???~~~>>>{text}".encode()) + b")",
    ),
    "base64 twice": ("docs/a.md", lambda text: b64(b64(text.encode()).encode()).encode()),
    "hex": ("course_lib/a.json", lambda text: json.dumps(text.encode().hex()).encode()),
    "UTF-16": ("docs/a.md", lambda text: text.encode("utf-16")),
    "UTF-16 without its mark": ("docs/a.md", lambda text: text.encode("utf-16-le")),
    "a zip": ("docs/a.txt", lambda text: zipped(text.encode())),
    "a zip in a zip": ("docs/a.txt", lambda text: zipped(zipped(text.encode()), "b.zip")),
    "a zip behind something": ("docs/a.txt", lambda text: b"#!/bin/sh\nexit\n" + zipped(text.encode())),
    "a tar": ("docs/a.txt", lambda text: tarred(text.encode())),
    "gzip as base64": ("course_lib/a.json", lambda text: json.dumps(b64(gzip.compress(text.encode()))).encode()),
    "zlib as hex": ("course_lib/a.json", lambda text: json.dumps(zlib.compress(text.encode()).hex()).encode()),
    "words in a picture": (
        "notebooks/a.ipynb",
        lambda text: notebook(
            cell("f", [output("image/png", mime(picture(chunk(b"tEXt", b"Comment\0" + text.encode()))))])
        ),
    ),
    "packed words in a picture": (
        "notebooks/a.ipynb",
        lambda text: notebook(
            cell("f", [output("image/png", mime(picture(chunk(b"zTXt", b"a\0\0" + zlib.compress(text.encode())))))])
        ),
    ),
    "what hangs behind a picture": (
        "notebooks/a.ipynb",
        lambda text: notebook(cell("f", [output("image/png", mime(picture(behind=zipped(text.encode()))))])),
    ),
}


def found(tmp_path, name, data, guarded):
    """What the scan says of one file."""
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return [finding.what for finding in scan_file(path, name, guarded)]


@pytest.mark.parametrize("wrapping", WRAPPINGS)
@pytest.mark.parametrize(("text", "owner"), [(CODE, "exercise 5"), (PROSE, "exercise 3")], ids=["code", "prose"])
def test_scan_finds_a_solution_in(wrapping, text, owner, tmp_path, guarded):
    name, wrap = WRAPPINGS[wrapping]
    assert any(f"it holds {owner}" in what for what in found(tmp_path, name, wrap(text), guarded))


@pytest.mark.parametrize("wrapping", WRAPPINGS)
def test_scan_leaves_what_is_harmless_in(wrapping, tmp_path, guarded):
    name, wrap = WRAPPINGS[wrapping]
    assert found(tmp_path, name, wrap(HARMLESS), guarded) == []


@pytest.mark.parametrize("wrapping", sorted(set(WRAPPINGS) - {"a highlighted output"}))
def test_scan_finds_the_class_secret_in(wrapping, tmp_path, guarded):
    name, wrap = WRAPPINGS[wrapping]
    text = f"key = {SECRET.decode()}\n" + HARMLESS
    # A comment or another layout changes the spaces of the secret, and so the secret.
    text = text if wrapping != "other layout" else text.replace(SECRET.decode(), SECRET.hex())
    assert any("it holds the class secret" in what for what in found(tmp_path, name, wrap(text), guarded))


@pytest.mark.parametrize(
    "line",
    [SHORT, "tie_rule='c'", "the answers: {'tie_rule': 'c'}", '{\\"tie_rule\\": \\"c\\"}', "tie_rule :  c"],
)
def test_scan_finds_a_short_answer(line, tmp_path, guarded):
    (what,) = found(tmp_path, "README.md", f"Some words. {line}, and more".encode(), guarded)
    assert "tie_rule" in what


@pytest.mark.parametrize("line", ["tie_rule=tie_rule", "tie_rule = ...", 'tie_rule = "a"', 'tie_rule = "count"'])
def test_scan_leaves_another_answer_alone(line, tmp_path, guarded):
    assert found(tmp_path, "README.md", line.encode(), guarded) == []


def test_scan_finds_a_formula_however_it_is_spaced(tmp_path, guarded):
    assert found(tmp_path, "docs/a.md", b'{"best_step": "(3*eps*F/f3)**(1/3)"}', guarded)


def test_scan_finds_the_half_of_a_function(tmp_path, guarded):
    lines = CODE.splitlines()
    assert found(tmp_path, "docs/a.md", "\n".join(lines[len(lines) // 2 :]).encode(), guarded)


def test_scan_finds_a_part_of_the_grader(tmp_path, guarded):
    text = (COURSE / "course_lib/classroom/scan.py").read_bytes()
    assert any("classroom/scan.py" in what for what in found(tmp_path, "course_lib/a.py", text, guarded))


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("solutions/05_convolution_by_hand.ipynb", "solutions/ is the teacher's"),
        ("exercises/solutions/a.ipynb", "solutions/ is the teacher's"),
        ("sources/exercises/05_convolution_by_hand.py", "sources/ is the teacher's"),
        ("tests/test_arguments.py", "tests/ is the teacher's"),
        ("course_lib/classroom/judge.py", "classroom/ is the teacher's"),
        ("course_lib/interview/bank/overlap.toml", "interview/ is the teacher's"),
        ("class_secret.txt", "its name says that it is the teacher's"),
        ("docs/gradebook.json", "its name says that it is the teacher's"),
        ("grades.csv", "a release has no files of the kind .csv"),
        ("course_lib/a.pkl", "a release has no files of the kind .pkl"),
        ("course_lib/__pycache__/a.cpython-311.pyc", "a release has no files of the kind .pyc"),
    ],
)
def test_scan_refuses_a_file_by_its_name(name, sentence, tmp_path, guarded):
    data = notebook() if name.endswith(".ipynb") else b""
    assert sentence in found(tmp_path, name, data, guarded)


def test_scan_refuses_a_cell_with_the_tag_of_solutions(tmp_path, guarded):
    data = notebook(cell("...", tags=["solution"]))
    assert found(tmp_path, "exercises/a.ipynb", data, guarded) == ["cell a is a solution"]


@pytest.mark.parametrize("mark", ["### BEGIN SOLUTION", "### BEGIN HIDDEN TESTS"])
def test_scan_refuses_the_marks_of_nbgrader(mark, tmp_path, guarded):
    assert found(tmp_path, "exercises/a.ipynb", notebook(cell(mark)), guarded)


def test_scan_refuses_a_notebook_that_cannot_be_read(tmp_path, guarded):
    assert found(tmp_path, "exercises/a.ipynb", b"{", guarded) == ["it is no notebook"]


@pytest.mark.parametrize("target", ["README.md", "docs"])
def test_scan_refuses_a_link_to_elsewhere(target, tmp_path, guarded):
    (tmp_path / "docs").symlink_to(COURSE / target)
    assert [str(one) for one in scan(tmp_path, guarded)] == ["docs: it is no plain file"]


def test_scan_refuses_every_solution_in_the_place_of_an_exercise(tmp_path, guarded):
    for path in (COURSE / "solutions").glob("*.ipynb"):
        untagged = path.read_text(encoding="utf-8").replace('"solution"', '"stub"')
        what = found(tmp_path, f"exercises/{path.name}", untagged.encode(), guarded)
        cells = {one["id"] for one in marks.cells_of(path) if marks.is_solution(one) and one["cell_type"] == "code"}
        assert any(f"exercise {int(path.name[:2])}:" in one for one in what), path.name
        assert sum(any(f"cell {name} of" in one for one in what) for name in cells) > len(cells) / 2, path.name


def test_every_solution_has_marks_that_the_scan_knows(guarded):
    assert {mark.owner for mark in guarded.marks if isinstance(mark.owner, int)} == set(range(1, 13))


def test_solutions_that_are_published_are_let_through(tmp_path):
    guarded = release.guard(COURSE, Options(exercises=(3, 5), solutions=(3,)), None)
    name = "solutions/03_one_window_by_hand.ipynb"
    assert found(tmp_path, name, (COURSE / name).read_bytes(), guarded) == []
    assert found(tmp_path, "docs/a.md", CODE.encode(), guarded)


def test_kinds_of_a_release_hold_no_archive_and_no_pickle():
    assert not KINDS & {".zip", ".gz", ".tar", ".pkl", ".npy", ".npz", ".pyc", ".pt", ".db", ".csv"}


@pytest.mark.parametrize(("name", "owner"), sorted(BORROWED))
def test_what_is_borrowed_would_be_found_elsewhere(name, owner, tmp_path, guarded):
    data = (COURSE / name).read_bytes()
    assert found(tmp_path, name, data, guarded) == []
    assert any(f"exercise {owner}" in what for what in found(tmp_path, "course_lib/a.py", data, guarded))
