"""course html: writes, and loses nothing."""

import pytest

from course_lib import cli
from course_lib.site import command


@pytest.fixture
def html(course, monkeypatch, tmp_path):
    """Runs the command on the small course; what it returned."""
    monkeypatch.setattr(command, "COURSE", course)
    return lambda *words: cli.main(["html", "--to", str(tmp_path / "site"), *words])


def files(folder):
    """The files in a folder, by their names."""
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_html_writes_the_pages_and_says_where_to_begin(html, tmp_path, capsys):
    assert html() == 0
    assert len(files(tmp_path / "site")) == 5
    assert capsys.readouterr().out == (
        f"5 pages are in {tmp_path / 'site'}. Begin with {tmp_path / 'site' / 'index.html'}.\n"
    )


def test_html_takes_an_empty_folder(html, tmp_path):
    (tmp_path / "site").mkdir()
    assert html() == 0


def test_html_refuses_a_folder_that_holds_something(html, tmp_path, capsys):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("mine")
    assert html() == 1
    assert files(tmp_path / "site") == {"index.html": "mine"}
    assert capsys.readouterr().err == (
        f"course: {tmp_path / 'site'} is not empty. Nothing was written. Name another folder, or add --force, which "
        "replaces pages of these names and leaves other files alone.\n"
    )


def test_html_by_force_replaces_its_pages_and_leaves_the_rest(html, tmp_path):
    html()
    (tmp_path / "site" / "index.html").write_text("old")
    (tmp_path / "site" / "notes.txt").write_text("mine")
    assert html("--force") == 0
    written = files(tmp_path / "site")
    assert written["notes.txt"] == "mine"
    assert written["index.html"].startswith("<!doctype html>")


def test_html_refuses_a_file(html, tmp_path, capsys):
    (tmp_path / "site").write_text("mine")
    assert html("--force") == 1
    assert capsys.readouterr().err.startswith(f"course: {tmp_path / 'site'} is a file. Nothing was written")
    assert (tmp_path / "site").read_text() == "mine"


def test_html_gives_the_same_pages_twice(html, tmp_path):
    html()
    first = files(tmp_path / "site")
    html("--force")
    assert files(tmp_path / "site") == first


def test_html_leaves_no_half_of_a_page(tmp_path, monkeypatch):
    monkeypatch.setattr(command.os, "replace", lambda *_: (_ for _ in ()).throw(OSError("stopped")))
    with pytest.raises(OSError, match="stopped"):
        command.write(tmp_path / "page.html", "text")
    assert list(tmp_path.iterdir()) == []


def test_html_needs_a_folder(capsys):
    with pytest.raises(SystemExit):
        cli.main(["html"])
    assert "--to" in capsys.readouterr().err
