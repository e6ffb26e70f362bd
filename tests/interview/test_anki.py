"""The package for Anki, read back from its file, and by Anki itself where that is installed."""

import sqlite3
import sys
import zipfile

import pytest

from course_lib import cli
from course_lib.interview import anki, questions

pytest.importorskip("genanki")


@pytest.fixture
def package(tmp_path, capsys):
    """The file that the command writes."""
    path = tmp_path / "new" / "cards.apkg"
    assert cli.main(["anki", "--to", str(path)]) == 0
    assert capsys.readouterr().out.startswith(f"{len(questions())} cards are in {path}.")
    return path


def rows(path, tmp_path, query):
    """What the package's database holds."""
    with zipfile.ZipFile(path) as file:
        file.extract("collection.anki2", tmp_path)
    with sqlite3.connect(tmp_path / "collection.anki2") as database:
        found = database.execute(query).fetchall()
    database.close()
    return found


def test_package_has_a_card_for_every_question(package, tmp_path):
    notes = rows(package, tmp_path, "select flds from notes")
    assert [note.split("\x1f")[0] for (note,) in notes] == [question.ask for question in questions()]
    assert rows(package, tmp_path, "select count(*) from cards") == [(len(questions()),)]


def test_package_names_the_same_cards_every_time(package, tmp_path):
    first = rows(package, tmp_path, "select guid from notes")
    assert cli.main(["anki", "--to", str(package), "--force"]) == 0
    assert rows(package, tmp_path, "select guid from notes") == first


def test_fields_escape_what_html_would_read():
    (question,) = [question for question in questions() if question.name == "nan-in-window"]
    assert "> hides NaN" not in anki.fields(question)[2]
    assert "&gt; hides NaN" in anki.fields(question)[2]


def test_anki_overwrites_nothing_unasked(package, capsys):
    before = package.read_bytes()
    assert cli.main(["anki", "--to", str(package)]) == 1
    assert capsys.readouterr().err == (
        f"course: {package} exists. Nothing was written: name another file, or add --force.\n"
    )
    assert package.read_bytes() == before
    assert [path.name for path in package.parent.iterdir()] == [package.name]


def test_anki_refuses_another_ending(tmp_path, capsys):
    assert cli.main(["anki", "--to", str(tmp_path / "cards.txt")]) == 1
    assert "ends in .apkg; got cards.txt." in capsys.readouterr().err


def test_anki_without_its_library_says_how_to_get_it(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "genanki", None)
    assert cli.main(["anki", "--to", str(tmp_path / "cards.apkg")]) == 1
    assert capsys.readouterr().err == f"course: {anki.WITHOUT}.\n"
    assert list(tmp_path.iterdir()) == []


def test_package_opens_in_a_fresh_collection(package, tmp_path):
    collection = pytest.importorskip("anki.collection", reason="the anki package is not installed")
    fresh = collection.Collection(str(tmp_path / "fresh.anki2"))
    try:
        fresh.import_anki_package(collection.ImportAnkiPackageRequest(package_path=str(package)))
        assert fresh.card_count() == len(questions())
        assert fresh.decks.id_for_name("Where Does the Gradient Go?") is not None
    finally:
        fresh.close()
