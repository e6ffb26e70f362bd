"""A candidate who is not there: what is typed is given beforehand, and the clock is set by hand."""

from datetime import UTC, datetime, timedelta

import pytest

from course_lib.interview import questions


class Candidate:
    """A desk. An answer that is an exception is raised, a pair is a line and the seconds that it took."""

    def __init__(self, *answers, unfinished=""):
        self.answers, self.line, self.said, self.prompts, self.left = list(answers), unfinished, [], [], []
        self.seconds, self.today = 0.0, datetime(2026, 1, 1, tzinfo=UTC)

    def say(self, text):
        self.said.append(text)

    show = say

    def ask(self, prompt, seconds=None, over=None):
        self.prompts.append(prompt)
        self.left.append(seconds)
        answer = self.answers.pop(0) if self.answers else EOFError()
        line, taken = answer if isinstance(answer, tuple) else (answer, 0)
        self.seconds += taken
        if isinstance(line, BaseException):
            raise line
        return line

    def unfinished(self):
        return self.line

    def clock(self):
        return self.seconds

    def now(self):
        return self.today

    def wait(self, **time):
        self.today += timedelta(**time)

    def heard(self):
        """All that was said to the candidate."""
        return "\n".join(self.said)


@pytest.fixture
def candidate():
    """The class, to be given its answers."""
    return Candidate


@pytest.fixture
def work(tmp_path, monkeypatch):
    """A work folder of the test's own."""
    monkeypatch.setenv("COURSE_WORK", str(tmp_path))
    return tmp_path


@pytest.fixture
def question():
    """The question that most tests ask: ten points, four of them *must*."""
    return next(question for question in questions() if question.name == "max-route")
