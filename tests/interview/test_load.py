"""What the loader takes, and that it refuses the rest in one sentence."""

import re
import tomllib

import pytest

from course_lib.interview.load import BANK, BankError, questions

ENTRY = """
[[question]]
name = "a"
ask = "Why?"
level = 1
chapter = "02"
source = "02 · bet"
answer = "Because."
must = [["one", "x|y"], ["two", "z"]]
good = [["three", "u"]]
excellent = [["four", "v w"]]
follow_ups = [{ about = "must 2", ask = "And?", answer = "So." }, { about = "good 1", ask = "Or?", answer = "No." }]
wrong = [["Thus.", "It is not so."]]
"""


def read(tmp_path, text):
    """What the loader makes of a bank of one file."""
    (tmp_path / "one.toml").write_text(text, encoding="utf-8")
    return questions.__wrapped__(tmp_path)


def test_questions_reads_every_field(tmp_path):
    (question,) = read(tmp_path, 'topic = "T"' + ENTRY)
    assert (question.topic, question.name, question.exercise, question.check) == ("T", "a", None, None)
    assert [point.text for point in question.points] == ["one", "two", "three", "four"]
    assert question.points[0].keys == (("x", "y"),)
    assert [follow.about.text for follow in question.follow_ups] == ["two", "three"]


def test_questions_keeps_the_order_of_files(tmp_path):
    (tmp_path / "b.toml").write_text('topic = "B"' + ENTRY.replace('"a"', '"b"'), encoding="utf-8")
    assert [question.name for question in read(tmp_path.joinpath("."), 'topic = "Z"' + ENTRY)] == ["b", "a"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("level = 1", "level = 4", r"level must be 1, 2 or 3; got 4"),
        ("level = 1", 'level = "1"', r"level must be an integer; got '1'"),
        ("level = 1", "", r"level is missing"),
        ("level = 1", "level = 1\ndegree = 2", r"there is no field degree"),
        ('name = "a"', 'name = "A b"', r"name must be small letters"),
        ('answer = "Because."', 'answer = " "', r"answer is empty"),
        ('chapter = "02"', 'chapter = "2"', r"chapter must be two digits; got '2'"),
        ('"02 · bet"', '"somewhere"', r"source must be 'NN · cell' or 'command: …'; got 'somewhere'"),
        (', ["two", "z"]]', "]", r"must must have at least 2; got 1"),
        ('["three", "u"]', '["three"]', r"good must be rows of at least 2 strings; got \['three'\]"),
        ('"x|y"', '"x||y"', r"must has an empty phrase"),
        ('about = "must 2"', 'about = "must 3"', r"there is no point 'must 3' for a follow-up to be about"),
        ('about = "must 2"', 'about = "two"', r"there is no point 'two'"),
        ('about = "must 2", ', "", r"follow_ups must have about, ask, answer"),
        ('["Thus.", "It is not so."]', '["Thus.", "a", "b"]', r"wrong must be pairs"),
        ("level = 1", "level = 1\ncheck = { expression = 'x' }", r"check must have expression, expected"),
    ],
)
def test_questions_refuses_a_bad_entry_in_one_sentence(tmp_path, old, new, message):
    assert old in ENTRY
    with pytest.raises(BankError, match=message) as refusal:
        read(tmp_path, 'topic = "T"' + ENTRY.replace(old, new))
    assert re.fullmatch(r"one\.toml, question '[aA b]+': [^\n]+\.", str(refusal.value))


def test_questions_refuses_a_name_that_is_taken(tmp_path):
    with pytest.raises(BankError, match=r"one\.toml: the name 'a' is taken"):
        read(tmp_path, 'topic = "T"' + ENTRY + ENTRY)


@pytest.mark.parametrize("text", ["", 'topic = "T"', 'topic = "T"\nmore = 1' + ENTRY])
def test_questions_refuses_a_file_without_topic_or_questions(tmp_path, text):
    with pytest.raises(BankError, match=r"one\.toml must have a topic"):
        read(tmp_path, text)


def test_questions_refuses_what_is_no_toml(tmp_path):
    with pytest.raises(BankError, match=r"one\.toml is not TOML: .*\."):
        read(tmp_path, "topic = ")


def test_questions_reads_every_entry_of_the_bank():
    entries = [tomllib.loads(path.read_text(encoding="utf-8"))["question"] for path in sorted(BANK.glob("*.toml"))]
    assert [question.name for question in questions()] == [entry["name"] for file in entries for entry in file]
