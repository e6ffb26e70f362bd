"""The oral drill: what it asks, what it holds back, and what it does where there is no interview room."""

import sys

import pytest

from course_lib.exercises import record
from course_lib.interview import journal, questions
from course_lib.interview import oral as room
from course_lib.widgets import fragment, head, oral, oral_drill

ASK = "How does the gradient go back through max pooling, and what must you watch at the borders?"


@pytest.fixture(autouse=True)
def work(tmp_path, monkeypatch):
    """An empty work folder."""
    monkeypatch.setenv("COURSE_WORK", str(tmp_path))


@pytest.fixture
def alone(monkeypatch):
    """An edition without the interview room."""
    monkeypatch.setitem(sys.modules, "course_lib.interview.oral", None)


def say(widget, **message):
    """A message from the page."""
    widget._hear(widget, {"turn": widget.heard + 1, **message}, [])
    return widget.step


def test_oral_holds_nothing_back_but_the_answers():
    widget = oral("max-route", "How?")
    (question,) = [question for question in questions() if question.name == "max-route"]
    assert widget.step["ask"] == question.ask
    hidden = [question.answer, question.points[0].text, question.follow_ups[0].ask, question.wrong[0].text]
    assert not any(text in str(widget._repr_mimebundle_()) + str(widget.get_state()) for text in hidden)


def test_oral_says_which_message_it_acted_on():
    widget = oral("max-route", "How?")
    say(widget, do="draft", text="A", seconds=1.5)
    assert widget.heard == 1
    assert journal.read()[0][0].lines == ["A"]


def test_oral_asks_the_question_of_the_cell_where_there_is_no_room(alone):
    widget = oral("max-route", "How, here?")
    assert widget.step["ask"] == "How, here?"
    assert repr(widget) == "Oral drill max-route"


def test_oral_looks_the_same_with_and_without_the_room(monkeypatch):
    # A notebook that was stored with the room is compared where there is none.
    with_room = oral("max-route", ASK)._repr_mimebundle_()[0]
    monkeypatch.setitem(sys.modules, "course_lib.interview.oral", None)
    without = oral("max-route", ASK)._repr_mimebundle_()[0]
    assert all(with_room[kind] == without[kind] for kind in ("text/plain", "text/html"))


def test_oral_keeps_a_typed_answer_where_there_is_no_room(alone):
    say(oral("max-route", "How?"), do="draft", text="The winner", seconds=9)
    step = oral("max-route", "How?").step
    assert (step["at"], step["text"], step["seconds"]) == ("answer", "The winner", 9)


def test_oral_ends_with_the_answer_where_there_is_no_room(alone):
    widget = oral("max-route", "How?")
    step = say(widget, do="answered", text="The winner", seconds=30)
    assert step["at"] == "alone"
    assert step["note"].startswith("This edition comes without the interview room: mark your answer")
    assert say(widget, do="again")["text"] == ""


def test_oral_leaves_the_rest_of_the_progress_alone(alone):
    record.update("03-x", lambda entry: {"given": "1"}, record.PREDICTIONS)
    say(oral("max-route", "How?"), do="draft", text="The winner", seconds=9)
    assert record.read(record.PREDICTIONS)[0] == {"03-x": {"given": "1"}}


def test_oral_passes_on_what_is_broken_in_the_room(monkeypatch):
    def broken(name):
        raise ModuleNotFoundError("No module named 'x'", name="x")

    monkeypatch.setattr(oral_drill.importlib, "import_module", broken)
    with pytest.raises(ModuleNotFoundError, match="'x'"):
        oral("max-route", "How?")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("Max route", "How?"), ValueError, "name must be small letters, digits and hyphens, .* got name='Max route'"),
        (("max-route", ""), TypeError, "question must be text in quotation marks; got question=''"),
        ((3, "How?"), TypeError, "name must be text in quotation marks; got name=3"),
    ],
)
def test_oral_refuses(arguments, error, message):
    with pytest.raises(error, match=message):
        oral(*arguments)


def test_oral_refuses_a_question_that_the_bank_does_not_have():
    with pytest.raises(room.CourseError, match="There is no question 'no-such'"):
        oral("no-such", "How?")


def test_fragment_has_a_place_for_an_oral_drill():
    assert fragment(oral("max-route", "How?").state()).startswith("<div data-oral>")
    assert oral_drill.script() in head()
