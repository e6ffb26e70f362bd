"""Folders and zips as systems export them: who handed in what, and which attempt counts."""

import io
import os
import zipfile
from types import SimpleNamespace

import pytest

from course_lib.classroom import files, grading
from course_lib.classroom.allowance import Allowance
from course_lib.classroom.files import TooLarge
from course_lib.classroom.stand_ins import Unreadable
from course_lib.classroom.submissions import find
from course_lib.workspace import CourseError
from tests.grading.classes import handed_in, notebook


def zipped(files):
    """The bytes of a zip."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return stream.getvalue()


def names(found):
    return [(one.name, one.identifier, [file.name for file in one.files]) for one in found]


MOODLE = {
    "张 伟_1234_assignsubmission_file_": {"03 一个窗口.ipynb": b"a"},
    "O'Brien, Zoë_77_assignsubmission_file_": {"deep/er/03.ipynb": b"b", "notes.txt": b"", "__MACOSX/03.ipynb": b""},
}
SORTED = [("O'Brien, Zoë", "77", ["03.ipynb"]), ("张 伟", "1234", ["03 一个窗口.ipynb"])]


def test_moodles_folders(tmp_path):
    assert names(find(handed_in(tmp_path, MOODLE))) == SORTED


def test_moodles_zip(tmp_path):
    files = {f"{student}/{name}": data for student, work in MOODLE.items() for name, data in work.items()}
    (tmp_path / "x.zip").write_bytes(zipped(files))
    assert names(find(tmp_path / "x.zip")) == SORTED


def test_a_folder_around_all_others_says_nothing(tmp_path):
    assert names(find(handed_in(tmp_path, {f"week 3/{name}": work for name, work in MOODLE.items()}))) == SORTED


def test_canvas_files(tmp_path):
    files = {"zhangwei_LATE_12_345_05.ipynb": b"a", "zhangwei_12_346_05-1.ipynb": b"b", "bob_7_8_x.ipynb": b""}
    found = find(handed_in(tmp_path, {".": files}))
    assert names(found) == [("bob", "7", ["x.ipynb"]), ("zhangwei", "12", ["05.ipynb", "05-1.ipynb"])]
    assert [file.late for file in found[1].files] == [True, False]


def test_the_later_attempt_is_behind(tmp_path):
    files = {"w_12_345_05-10.ipynb": b"", "w_12_345_05-9.ipynb": b"", "w_12_345_05.ipynb": b""}
    (found,) = find(handed_in(tmp_path, {".": files}))
    assert [file.name for file in found.files] == ["05.ipynb", "05-9.ipynb", "05-10.ipynb"]


def test_blackboards_files(tmp_path):
    files = {"hw_s123_attempt_2026-11-30-10-00-00_05.ipynb": b"", "hw_s123_attempt_2026-11-29-10-00-00_05.ipynb": b""}
    (found,) = find(handed_in(tmp_path, {".": files}))
    assert found.name == "s123"
    assert [file.attempt[1] for file in found.files] == ["2026-11-29-10-00-00", "2026-11-30-10-00-00"]


def test_a_number_that_is_no_utf8_is_written_as_text(tmp_path):
    name = b"hw_s\xe9_attempt_2026-11-30-10-00-00_05.ipynb"
    (found,) = find(handed_in(tmp_path, {".": {os.fsdecode(name): b""}}))
    assert (found.key, found.identifier) == ("s\\xe9#s\\xe9", "s\\xe9")


def test_moodles_files_without_folders(tmp_path):
    files = {"张 伟_1234_assignsubmission_file_03.ipynb": b"a", "Li Na_5_assignsubmission_file_essay.pdf": b""}
    assert names(find(handed_in(tmp_path, {".": files}))) == [("Li Na", "5", []), ("张 伟", "1234", ["03.ipynb"])]


def test_the_system_is_decided_by_all_files_together(tmp_path):
    # Alone, this name would be one of Canvas's.
    folder = handed_in(tmp_path, {"ada": {"pool_12_3_answer.ipynb": b""}, "bob": {"a.ipynb": b"", "b.ipynb": b""}})
    assert [one.name for one in find(folder)] == ["ada", "bob"]


MOODLES = "bob_7_assignsubmission_file_11_work.ipynb"


@pytest.mark.parametrize(("works", "students"), [
    ({".": {f"eve_14_348_{MOODLES}": b"", "ann_12_1_a.ipynb": b"", "ann_12_2_b.ipynb": b""}}, ["ann#12", "eve#14"]),
    ({".": {f"hw_{one}_attempt_2026-11-30-10-00-00_{MOODLES}": b"" for one in "ae"}}, ["a#a", "e#e"]),
    ({"ann": {"05.ipynb": b""}, "eve": {MOODLES: b""}, "zoe": {"05.ipynb": b""}}, ["ann#", "eve#", "zoe#"]),
    ({"ann": {"05.ipynb": b""}, "eve": {f"bob_7_{n}_a.ipynb": b"" for n in "123"}, "zoe": {"05.ipynb": b""}},
     ["ann#", "eve#", "zoe#"]),
])  # fmt: skip
def test_the_names_that_one_student_gives_make_no_other_system(tmp_path, works, students):
    assert [one.key for one in find(handed_in(tmp_path, works))] == students


def test_a_strange_file_makes_no_other_system(tmp_path):
    files = {"zhangwei_12_345_05.ipynb": b"", "bob_7_8_x.ipynb": b"", "05.ipynb": b""}
    assert [one.name for one in find(handed_in(tmp_path, {".": files}))] == ["05", "bob", "zhangwei"]


@pytest.mark.parametrize(("work", "name", "why"), [
    ({"essay.pdf": b""}, "essay.pdf", "no notebook was handed in"),
    ({"work.zip": zipped({"essay.pdf": b""})}, "work.zip", "no notebook was handed in"),
    ({"work.zip": zipped({})}, "work.zip", "no notebook was handed in"),
    ({"work.zip": zipped({"a/": b"", "__MACOSX/05.ipynb": b""})}, "work.zip", "no notebook was handed in"),
    ({n + ".png": b"" for n in "abcde"}, "a.png, b.png, c.png and 2 more", "no notebook was handed in"),
    ({"deep/er/.DS_Store": b""}, "the folder", "nothing is in it"),
])  # fmt: skip
@pytest.mark.parametrize("system", ["{}", "{}_7_assignsubmission_file_"])
def test_a_student_without_a_notebook_is_there_with_the_reason(tmp_path, work, name, why, system):
    folder = handed_in(tmp_path, {system.format("ada"): work, system.format("bob"): {"05.ipynb": b""}})
    ada, bob = find(folder)
    assert (ada.name, ada.files, bob.problems()) == ("ada", (), [])
    assert ada.problems()[0][0] == name
    assert ada.problems()[0][1].startswith(why)


def test_an_empty_folder_in_a_zip_is_a_student(tmp_path):
    (tmp_path / "x.zip").write_bytes(zipped({"week 3/ada/": b"", "week 3/bob/05.ipynb": b"", "week 3/": b""}))
    assert [(one.name, one.problems()) for one in find(tmp_path / "x.zip")] == [
        ("ada", [["the folder", "nothing is in it"]]),
        ("bob", []),
    ]


def test_what_lies_beside_the_students_is_nobodys(tmp_path):
    works = {".": {"grades.csv": b"", "readme.pdf": b""}, "ada": {"05.ipynb": b"", "notes.pdf": b""}}
    assert names(find(handed_in(tmp_path, works))) == [("ada", "", ["05.ipynb"])]


def test_folders_beside_files_of_students_are_nobodys(tmp_path):
    works = {".": {"ada.ipynb": b"", "bob.ipynb": b""}, "pictures": {"a.png": b""}}
    assert [one.name for one in find(handed_in(tmp_path, works))] == ["ada", "bob"]


def test_folders_of_students(tmp_path):
    found = find(handed_in(tmp_path, {"ada": {"ps1/05.ipynb": b""}, "bob": {"ps1/05.ipynb": b""}}))
    assert [one.name for one in found] == ["ada", "bob"]


def test_a_zip_in_a_folder_is_opened(tmp_path):
    (found,) = find(handed_in(tmp_path, {"A B_1_assignsubmission_file_": {"w.zip": zipped({"a/05.ipynb": b"x"})}}))
    assert [(file.name, file.read()) for file in found.files] == [("05.ipynb", b"x")]


def test_a_broken_zip_keeps_its_student(tmp_path):
    (found,) = find(handed_in(tmp_path, {"A B_1_assignsubmission_file_": {"w.zip": b"PK broken"}}))
    assert found.name == "A B"


ODD = zipped({"é.ipynb": b"x", "05.ipynb": b"y"})
# The name says that it is UTF-8, and is none; the offset of what is in it lies before the file begins.
NO_UTF8 = ODD.replace("é".encode(), b"\xe9\xe9")
BEFORE_IT = ODD[:-6] + (1 << 30).to_bytes(4, "little") + ODD[-2:]


@pytest.mark.parametrize("data", [NO_UTF8, BEFORE_IT, ODD[:-30], b""], ids=["odd name", "odd offset", "cut", "nothing"])
def test_a_damaged_zip_is_a_row_with_a_reason(tmp_path, data):
    ada, bob = find(handed_in(tmp_path, {"ada": {"w.zip": data}, "bob": {"05.ipynb": b"x"}}))
    assert bob.files[0].read() == b"x"
    for file in ada.files:
        with pytest.raises(TooLarge, match="the file cannot be read"):
            file.read()
    assert ada.files


def test_a_member_without_a_name_costs_only_itself(tmp_path):
    # A name ends where a zero is.
    data = zipped({"0.ipynb": b"", "05.ipynb": b"x"}).replace(b"0.ipynb", b"\0.ipynb")
    found, _ = find(handed_in(tmp_path, {"ada": {"w.zip": data}, "bob": {"05.ipynb": b"x"}}))
    assert [(file.name, file.read()) for file in found.files] == [("05.ipynb", b"x")]


def test_a_zip_that_lists_too_many_files_is_not_opened(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MOST_LISTED", 2)
    (ada,) = find(handed_in(tmp_path, {"ada": {"w.zip": zipped({f"{n}.ipynb": b"" for n in "123"})}}))
    with pytest.raises(TooLarge, match="the zip lists 3 files, and at most 2 are read"):
        ada.files[0].read()


def test_the_seconds_of_reading_are_the_students(monkeypatch):
    class Slow:
        def read(self):
            monkeypatch.setattr(grading.time, "process_time", lambda: 100.0)
            monkeypatch.setattr(grading.time, "monotonic", lambda: 3.0)
            return b"x"

    monkeypatch.setattr(grading, "time", SimpleNamespace(process_time=lambda: 0.0, monotonic=lambda: 0.0))
    student = Allowance(10.0)
    clock = student.clock
    assert grading._read(Slow(), student) == b"x"
    assert (student.processor, student.clock) == (-90.0, clock - 3.0)
    with pytest.raises(Unreadable, match="used up"):
        grading._read(Slow(), student)


def test_a_damaged_export_is_told_in_a_sentence(tmp_path):
    (tmp_path / "x.zip").write_bytes(NO_UTF8)
    with pytest.raises(CourseError, match="is damaged .UnicodeDecodeError.: export it once more"):
        find(tmp_path / "x.zip")


def test_a_link_is_not_followed(tmp_path):
    secret = tmp_path / "secret.ipynb"
    secret.write_bytes(b"secret")
    folder = handed_in(tmp_path / "class", {"eve": {"05.ipynb": b"x"}})
    (folder / "eve" / "11.ipynb").symlink_to(secret)
    (found,) = find(folder)
    assert [file.name for file in found.files] == ["05.ipynb"]


def test_a_large_file_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "LARGEST", 3 << 20)
    (found,) = find(handed_in(tmp_path, {"ada": {"05.ipynb": b" " * (4 << 20)}}))
    with pytest.raises(TooLarge, match="the file has 4 MB, and at most 3 are read"):
        found.files[0].read()


def test_a_bomb_in_a_zip_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "LARGEST", 1 << 20)
    with zipfile.ZipFile(tmp_path / "x.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ada/05.ipynb", bytes(50 << 20))
    (found,) = find(tmp_path / "x.zip")
    with pytest.raises(TooLarge, match="50 MB"):
        found.files[0].read()


@pytest.mark.parametrize(
    "make", [lambda path: path, lambda path: path / "nothing", lambda path: path / "x.txt", lambda path: path / "empty"]
)
def test_nothing_to_grade_is_an_error(tmp_path, make):
    (tmp_path / "x.txt").write_text("hello")
    (tmp_path / "empty").mkdir()
    with pytest.raises(CourseError, match="holds no notebook|neither a folder nor a zip"):
        find(make(tmp_path))


def test_reading_leaves_nothing_behind(tmp_path):
    folder = handed_in(tmp_path / "class", {"ada": {"w.zip": zipped({"../../evil.ipynb": notebook("x = 1")})}})
    (found,) = find(folder)
    assert found.files[0].read() == notebook("x = 1")
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == ["w.zip"]
