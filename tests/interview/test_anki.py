"""The package for Anki, read back from its file, and by Anki itself where that is installed."""

import json
import re
import sqlite3
import sys
import zipfile

import pytest

from course_lib import cli
from course_lib.interview import anki, questions
from course_lib.interview.pictures import PICTURES, picture

pytest.importorskip("genanki")


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The file that the command writes."""
    path = tmp_path_factory.mktemp("anki") / "new" / "cards.apkg"
    assert cli.main(["anki", "--to", str(path)]) == 0
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


def test_package_names_the_same_cards_every_time(package, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("course_lib.interview.pictures.PICTURES", {"coverage": PICTURES["coverage"]})
    again = tmp_path / "again.apkg"
    again.write_bytes(b"old")
    assert cli.main(["anki", "--to", str(again), "--force"]) == 0
    assert (
        capsys.readouterr().out == f"{len(questions())} cards with 1 figures are in {again}. In Anki: File, Import.\n"
    )
    query = "select guid from notes"
    assert rows(again, tmp_path, query) == rows(package, tmp_path, query)


def test_package_holds_the_figures_that_its_cards_show(package, tmp_path):
    notes = "".join(text for (text,) in rows(package, tmp_path, "select flds from notes"))
    with zipfile.ZipFile(package) as file:
        media = json.loads(file.read("media"))
        assert all(file.read(number).startswith(b"\x89PNG") for number in media)
    assert set(re.findall('<img src="([^"]+)"', notes)) == set(media.values())
    assert notes.count("<img ") == len(PICTURES)


def test_package_stays_small(package):
    assert package.stat().st_size < 1_000_000


def test_every_figure_belongs_to_a_question_and_says_its_numbers():
    assert set(PICTURES) <= {question.name for question in questions()}
    assert "grad_output (0, 0) → grad_input (0, 1)" in picture("max-route").text
    assert picture("no-such") is None


def test_figure_stands_behind_the_answer_with_its_text(tmp_path):
    (question,) = [question for question in questions() if question.name == "coverage"]
    answer = anki.fields(question, anki.shown(question, tmp_path))[3]
    assert answer.startswith(question.answer[:20])
    assert 'alt="coverage, k = 3, s = 2' in answer


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
        assert fresh.media.have("where-does-the-gradient-go-coverage.png")
        assert fresh.decks.id_for_name("Where Does the Gradient Go?") is not None
    finally:
        fresh.close()
