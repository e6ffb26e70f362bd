"""Answers that are alike: found whatever was renamed or moved, never points, and none of what everybody was given."""

import ast
import csv
import io
import json
import re
import sys

import pytest

from course_lib import cli
from course_lib.classroom import similar, similar_code, similar_report
from course_lib.classroom.allowance import Allowance
from course_lib.classroom.box.pieces import pieces
from course_lib.classroom.files import Carried
from course_lib.classroom.runtime import BOX
from course_lib.workspace import COURSE
from tests.grading.classes import SECRET, handed_in, notebook, solution

pytest.importorskip("rapidfuzz")
LIBRARY = (COURSE / "course_lib" / "numpy_ops" / "conv.py").read_text(encoding="utf-8")
ADAPTER = "def conv2d(x, weight, bias):\n    return conv(x, weight, bias)\nconv2d_backward = conv_backward"
OTHER = """import numpy as np

def conv2d(x, weight, bias):
    n, _, height, width = x.shape
    out, _, rows, columns = weight.shape
    y = np.zeros((n, out, height - rows + 1, width - columns + 1))
    for i in range(rows):
        for j in range(columns):
            part = x[:, :, i : i + y.shape[2], j : j + y.shape[3]]
            y += np.einsum("ncij,oc->noij", part, weight[:, :, i, j])
    return y + bias[:, None, None]

def conv2d_backward(grad_output, x, weight):
    grad_x, grad_weight = np.zeros_like(x), np.zeros_like(weight)
    for i in range(weight.shape[2]):
        for j in range(weight.shape[3]):
            place = np.s_[:, :, i : i + grad_output.shape[2], j : j + grad_output.shape[3]]
            grad_x[place] += np.einsum("noij,oc->ncij", grad_output, weight[:, :, i, j])
            grad_weight[:, :, i, j] = np.einsum("noij,ncij->oc", grad_output, x[place])
    return grad_x, grad_weight, grad_output.sum((0, 2, 3))
"""


def disguised(data):
    """A notebook with other names and comments, and its functions in another order."""
    found = json.loads(data)
    code = [cell for cell in found["cells"] if cell["cell_type"] == "code"]
    for cell in code:
        text = re.sub(r"\b(windows|grad_output|padded)\b", r"my_\1", "".join(cell["source"]))
        parts = re.split(r"(?m)^(?=def )", text)
        cell["source"] = parts[0] + "# mine\n" + "\n".join(reversed(parts[1:]))
    return json.dumps(found).encode()


@pytest.fixture(scope="module")
def report(zygote, tmp_path_factory):
    """The report of a class in which some have copied."""
    works = {
        "ada": {"05.ipynb": solution(5)},
        "bob": {"05.ipynb": disguised(solution(5))},
        "other": {"05.py": OTHER.encode()},
        "=eve": {"05.ipynb": notebook(LIBRARY, ADAPTER)},
        "open 1": {"05.ipynb": solution(5, "exercises")},
        "open 2": {"05.ipynb": solution(5, "exercises")},
    }
    root = tmp_path_factory.mktemp("alike")
    (root / "secret").write_bytes(SECRET)
    words = ["grade", str(handed_in(root / "class", works)), "--exercises", "5", "--secret", str(root / "secret")]
    for name, more in (("with", ["--similar", "--jobs", "2"]), ("without", ["--jobs", "1"])):
        assert cli.main([*words, "--out", str(root / name), *more]) == 0
    return root


@pytest.fixture
def lines(report):
    """The rows of the table by student."""
    text = (report / "with" / "similar.csv").read_text(encoding="utf-8-sig")
    return {row["Student"]: row for row in reversed(list(csv.DictReader(io.StringIO(text))))}


def test_a_copy_is_found_whatever_was_renamed_and_moved(lines):
    assert lines["ada"]["Most like"] == "bob"
    assert lines["bob"]["Most like"] == "ada"
    assert lines["ada"]["Group"] == lines["bob"]["Group"] == "1"
    assert int(lines["ada"]["Structure %"]) >= 95


def test_who_has_written_something_else_is_not_listed(lines):
    assert "other" not in lines


def test_what_everybody_was_given_makes_nobody_alike(lines):
    assert not {"open 1", "open 2"} & set(lines)


def test_a_copy_of_the_library_is_listed(lines):
    assert lines["'=eve"]["Group"] == "library"
    assert lines["'=eve"]["Most like"] == "course_lib.numpy_ops.conv.conv (as conv)"


def test_likeness_is_a_hint_and_changes_no_grade(report):
    assert (report / "with" / "grades.csv").read_bytes() == (report / "without" / "grades.csv").read_bytes()
    for page in (report / "with" / "students").iterdir():
        assert page.read_bytes() == (report / "without" / "students" / page.name).read_bytes()


def test_the_teachers_page_lists_groups(report):
    text = (report / "with" / "report.html").read_text(encoding="utf-8")
    assert "ada, bob" in text
    assert "A hint, and no verdict" in text


def test_it_is_off_by_default(report):
    assert not (report / "without" / "similar.csv").exists()
    assert "Alike" not in (report / "without" / "report.html").read_text(encoding="utf-8")


def test_no_solution_is_taken_for_a_copy_of_the_library():
    rows = []
    for number in (5, 6, 8, 9, 10, 11, 12):
        cells = json.loads(solution(number))["cells"]
        texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        code = [piece for text in texts for piece in pieces(ast.parse(text).body)]
        rows.append({"key": str(number), "exercises": [{"number": number, "file": "", "code": code}]})
    assert [one["like"] for one in similar.found(rows, range(1, 13))] == []


def test_a_chain_of_likeness_is_one_group():
    near = {"a": ["b"], "b": ["a", "c"], "c": ["b"], "d": []}
    assert [sorted(group) for group in similar._joined(near) if group] == [["a", "b", "c"], ["d"]]


def test_the_readers_parts_have_no_name_in_common():
    """They are sent as one program: a name in two of them would be the last one's."""
    trees = [ast.parse((BOX / f"{name}.py").read_text(encoding="utf-8")) for name in similar_code.PARTS]
    names = [
        name for tree in trees for one in tree.body if not isinstance(one, (ast.Import, ast.ImportFrom))
        for name in ([one.name] if hasattr(one, "name") else [ast.unparse(t) for t in getattr(one, "targets", ())])
    ]  # fmt: skip
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize(
    "data",
    [b"broken", b"\0", notebook("def conv2d(" * 3000), notebook("def conv2d(x):\n    return " + "+".join("x" * 900))],
)
def test_what_cannot_be_read_is_left_alone(zygote, data):
    assert similar_code.code(zygote, Carried("05.ipynb", False, data), 5) == []


def test_a_very_long_answer_is_cut(zygote):
    long = "".join(f"def f{n}(x):\n" + "    x = x + 1\n" * 200 + "    return x\n" for n in range(40))
    data = notebook(long, "def conv2d(x, weight, bias):\n    return " + "+".join(f"f{n}(x)" for n in range(40)))
    words = sum(len(one[1].split()) for one in similar_code.code(zygote, Carried("05.ipynb", False, data), 5))
    assert 4000 < words <= 6000


def test_to_read_the_code_takes_of_the_students_seconds(zygote):
    student = Allowance(5.0)
    similar_code.code(zygote, Carried("05.ipynb", False, notebook("def conv2d(x):\n    return x")), 5, student)
    assert 0 < student.processor < 5


def test_without_the_library_one_sentence_says_how_to_get_it(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "rapidfuzz", None)
    assert cli.main(["grade", str(tmp_path), "--out", str(tmp_path / "report"), "--similar"]) == 1
    assert "--similar needs RapidFuzz. Install it: python -m pip install" in capsys.readouterr().err


def test_a_large_group_is_shown_by_some_names():
    row = {"identifier": ""}
    same = {"number": 5, "group": 1, "file": "", "like": "", "structure": 1.0, "words": 0.996}
    text = similar_report.section([{**same, "row": {**row, "name": f"s{n}"}} for n in range(20)])
    assert "s11 and 8 more" in text
    assert "<td class=number>100 %</td><td class=number>99 %</td>" in text
