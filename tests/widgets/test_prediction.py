"""Predictions: what they ask, what they keep, and how they read where no widget is shown."""

import json

import numpy as np
import pytest
import traitlets

from course_lib.exercises import progress, record
from course_lib.widgets import bets, fragment, head, predict

GRID = np.array([[1.0, -4.5], [2.0, np.nan], [0.0, 3.0]])


@pytest.fixture(autouse=True)
def work(tmp_path, monkeypatch):
    """An empty work folder."""
    monkeypatch.setenv("COURSE_WORK", str(tmp_path))


def choice(name="03-centre", **changed):
    """A question with four choices."""
    asked = dict(choices=["1", "2", "4", "9"], answer="4", why="Two along each axis, and `2 · 2` is 4.")
    return predict(name, "How many windows hold the centre, if `k = 3`?", **{**asked, **changed})


def number(**changed):
    """A question for a number."""
    return predict("03-sum", "How many?", **{"number": "windows", "answer": 4, **changed})


def place(**changed):
    """A question for an element."""
    return predict("03-who", "Which one?", **{"grid": GRID, "answer": (2, 1), **changed})


def kept():
    """What is recorded about predictions."""
    return record.read(record.PREDICTIONS)[0]


def bundle(widget):
    """What a notebook stores of a widget's display."""
    return widget._repr_mimebundle_()[0]


def test_prediction_is_empty_before_it_is_made():
    assert choice().given == ""
    assert kept() == {}


@pytest.mark.parametrize(("ask", "given"), [(choice, "2"), (number, "7"), (number, "4/9"), (place, "0,1")])
def test_prediction_is_remembered_when_the_cell_runs_again(ask, given):
    ask().given = given
    assert ask().given == given


def test_prediction_is_kept_in_the_file_of_progress():
    choice().given = "2"
    choice().given = "9"
    assert json.loads(record.path().read_bytes()) == {"schema": 1, "predictions": {"03-centre": {"given": "9"}}}


def test_showing_a_prediction_again_writes_nothing():
    choice().given = "2"
    before = record.path().stat().st_mtime_ns
    choice()
    assert record.path().stat().st_mtime_ns == before


def test_predictions_and_exercises_keep_each_other():
    record.update(3, lambda entry: {**entry, "attempts": 1})
    choice().given = "2"
    assert record.read()[0] == {"3": {"attempts": 1}}
    assert kept() == {"03-centre": {"given": "2"}}


def test_progress_counts_the_predictions_of_a_chapter():
    choice().given = "2"
    number().given = "1"
    choice("05-tie").given = "9"
    assert "Predictions made: 2 in chapter 03, 1 in chapter 05." in " ".join(repr(progress()).split())


def test_progress_says_nothing_of_predictions_before_the_first():
    assert "rediction" not in repr(progress())


def test_an_answer_to_another_edition_of_the_question_is_forgotten():
    choice().given = "2"
    assert choice(choices=["one", "four"], answer="four").given == ""


@pytest.mark.parametrize("value", [7, None, ["2"], {"a": 1}])
def test_what_is_no_answer_in_the_file_counts_as_none(value):
    record.update("03-centre", lambda entry: {"given": value}, record.PREDICTIONS)
    assert choice().given == ""


@pytest.mark.parametrize(
    ("ask", "given"), [(choice, "3"), (number, "many"), (number, "1/0"), (place, "3,0"), (place, "-1,0"), (place, "1")]
)
def test_what_does_not_answer_is_refused(ask, given):
    with pytest.raises(traitlets.TraitError, match="given must be an answer to the question"):
        ask().given = given


def test_a_folder_that_cannot_be_written_is_said(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("COURSE_WORK", str(tmp_path / "file"))
    asked = choice()
    asked.given = "2"
    assert asked.note.startswith("Your progress was not saved: ")


@pytest.mark.parametrize("ask", [choice, number, place])
def test_text_form_is_one_short_line(ask):
    text = bundle(ask())["text/plain"]
    assert text.startswith("Prediction 03-")
    assert "\n" not in text
    assert len(text) <= 100


def test_text_form_of_a_long_question_is_cut_between_words():
    asked = predict("03-sum", "Which of these " * 20, number="", answer=4)
    assert repr(asked).endswith((" Which …", " of …", " these …"))
    assert len(repr(asked)) <= 90


@pytest.mark.parametrize("ask", [choice, number, place])
def test_text_forms_are_the_same_in_every_run(ask):
    forms = [{kind: value for kind, value in bundle(ask()).items() if kind.startswith("text/")} for _ in range(2)]
    assert forms[0] == forms[1]


def test_html_has_the_question_and_the_answer_folded():
    html = bundle(choice())["text/html"]
    assert html.startswith("<p><strong>Predict.</strong> How many windows hold the centre, if <code>k = 3</code>?</p>")
    assert "<li>1</li><li>2</li><li>4</li><li>9</li>" in html
    question, answer = html.split("<details>")
    assert "4.</strong> Two along each axis, and <code>2 · 2</code> is 4." in answer


def test_html_of_a_grid_is_a_table():
    html = bundle(place())["text/html"]
    assert "<tr><th>0</th><td>1</td><td>−4.5</td></tr>" in html
    assert "<strong>row 2, column 1.</strong>" in html


def test_html_holds_no_markup_of_the_texts():
    html = bundle(choice(why="<img src=x>", choices=["<b>", "4"]))["text/html"]
    assert "<img" not in html
    assert "<b>" not in html


@pytest.mark.parametrize(
    ("answer", "unit", "text"),
    [(4, "windows", "4 windows"), ("4/9", "", "4/9"), (-0.25, "%", "−0.25 %"), (np.float64(2), "", "2")],
)
def test_number_is_shown_with_its_unit(answer, unit, text):
    assert number(answer=answer, number=unit).table["answer_text"] == text


def test_state_is_what_a_page_needs():
    assert set(choice().state()) == {"table", "given", "note"}


def test_page_has_a_place_of_its_own_for_a_prediction():
    assert fragment(choice().state()).startswith("<div data-predict>")
    assert "KINDS.prediction = { render };" in head()


def test_a_stored_prediction_is_small():
    # A notebook stores the script with each widget: four predictions must not weigh as much as its figures.
    assert len(choice()._esm + choice()._css) < 20_000


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(name="centre"), "name must be a chapter, a hyphen and a word in small letters, as '03-centre'; got"),
        (dict(name=3), "name must be text in quotation marks; got name=3"),
        (dict(choices=None), "one of choices, number and grid must be given; got none of them"),
        (dict(number=""), "one of choices, number and grid must be given; got choices, number"),
        (dict(choices=["4"]), "choices must hold two or more different texts; got choices="),
        (dict(choices=["4", "4"]), "choices must hold two or more different texts; got choices="),
        (dict(choices=[4, 5]), "choices must be text in quotation marks; got choices=4"),
        (dict(answer="3"), "answer must be '1' or '2' or '4' or '9'; got answer='3'"),
    ],
)
def test_predict_refuses_a_choice_with_one_sentence(change, message):
    with pytest.raises((TypeError, ValueError), match=message) as error:
        choice(**change)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(answer="four"), "answer must be a finite number; got answer='four'"),
        (dict(answer=np.inf), "answer must be a finite number; got answer=inf"),
        (dict(answer=[4]), r"answer must be a number; got answer=\[4\]"),
        (dict(tolerance=-1), "tolerance must be finite and at least 0; got tolerance=-1"),
        (dict(number=4), "number must be the unit in quotation marks, or ''; got number=4"),
    ],
)
def test_predict_refuses_a_number_with_one_sentence(change, message):
    with pytest.raises((TypeError, ValueError), match=message):
        number(**change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(answer=(3, 0)), r"answer must lie in the grid of shape \(3, 2\); got answer=\(3, 0\)"),
        (dict(answer=4.5), "answer must be an integer or 2 integers; got answer=4.5"),
        (dict(grid=GRID[0]), r"grid must have shape \(H, W\) with 1 to 16 rows and columns; got shape \(2,\)"),
        (dict(grid=np.zeros((17, 2))), r"got shape \(17, 2\)"),
    ],
)
def test_predict_refuses_a_grid_with_one_sentence(change, message):
    with pytest.raises((TypeError, ValueError), match=message):
        place(**change)


def claims(**changed):
    """Three claims."""
    return bets("12-routes", changed.get("verdicts", {4: "false", 5: "only if", 6: "true"}))


def test_bets_are_remembered():
    claims().given = "true|only if|true"
    assert claims().given == "true|only if|true"


def test_bets_fold_the_verdicts():
    assert "4 false, 5 only if, 6 true" in bundle(claims())["text/html"]


@pytest.mark.parametrize("given", ["true", "true|false|maybe", "true|false|true|true"])
def test_bets_refuse_what_is_no_verdict_on_each_claim(given):
    with pytest.raises(traitlets.TraitError, match="given must be an answer"):
        claims().given = given


@pytest.mark.parametrize("verdicts", [{}, {"1": "true"}, ["true"]])
def test_bets_need_numbered_claims(verdicts):
    with pytest.raises(TypeError, match="verdicts must be a dict"):
        claims(verdicts=verdicts)


def test_bets_know_three_verdicts():
    with pytest.raises(ValueError, match="maybe"):
        claims(verdicts={1: "maybe"})
