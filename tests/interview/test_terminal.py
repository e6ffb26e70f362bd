"""The drill in a real terminal, and what is left when its process dies."""

import os
import select
import signal
import subprocess
import sys
import time

import pytest

from course_lib.interview import journal
from course_lib.workspace import COURSE

pty = pytest.importorskip("pty", reason="there are no pseudo-terminals on Windows")
pytest.importorskip("readline", reason="without readline a line that was not entered cannot be kept")


class Terminal:
    """``course drill`` in a terminal of its own."""

    def __init__(self, work, *words):
        self.outside, inside = pty.openpty()
        command = [sys.executable, "-P", str(COURSE / "course_command.py"), "drill", "--question", "max-route", *words]
        environment = os.environ | {"COURSE_WORK": str(work), "TERM": "xterm", "COLUMNS": "80"}
        self.process = subprocess.Popen(
            command, stdin=inside, stdout=inside, stderr=inside, cwd=COURSE, env=environment, start_new_session=True,
            preexec_fn=lambda: _controls(0),
        )  # fmt: skip
        os.close(inside)
        self.text = ""

    def wait(self, words, seconds=30):
        """Reads until the words are there."""
        end = time.monotonic() + seconds
        start = len(self.text)
        while words not in self.text[start:]:
            assert time.monotonic() < end, self.text
            if select.select([self.outside], [], [], 0.1)[0]:
                self.text += os.read(self.outside, 4096).decode(errors="replace")

    def type(self, text):
        """Presses keys."""
        os.write(self.outside, text.encode())

    def end(self):
        """The exit status; what is still printed is read, so that nothing waits for a reader."""
        end = time.monotonic() + 30
        while self.process.poll() is None and time.monotonic() < end:
            if select.select([self.outside], [], [], 0.1)[0]:
                try:
                    self.text += os.read(self.outside, 4096).decode(errors="replace")
                except OSError:
                    break
        return self.process.wait(30)


def _controls(descriptor):
    """Makes the terminal the one whose keys send signals."""
    import fcntl
    import termios

    fcntl.ioctl(descriptor, termios.TIOCSCTTY, 0)
    # Who starts the tests in the background of a shell has switched Ctrl-C off, and a child inherits that.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def terminal(work):
    """Opens terminals, and closes them."""
    opened = []

    def make(*words):
        opened.append(Terminal(work, *words))
        opened[-1].wait("empty line ends your answer.\r\n  > ")
        return opened[-1]

    yield make
    for one in opened:
        if one.process.poll() is None:
            one.process.kill()
        one.process.wait(30)
        os.close(one.outside)


def typed(terminal):
    """A drill with one line entered and one begun."""
    one = terminal()
    one.type("the first line\n")
    one.wait("  > ")
    one.type("half a li")
    one.wait("half a li")
    return one


def test_ctrl_c_keeps_the_line_that_was_begun(terminal):
    one = typed(terminal)
    one.type("\x03")
    assert one.end() == 130
    assert "What you entered is kept" in one.text
    assert journal.read()[0][0].lines == ["the first line", "half a li"]


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_ends_the_drill_keeps_the_line_that_was_begun(terminal, sent):
    one = typed(terminal)
    one.process.send_signal(sent)
    one.end()
    assert journal.read()[0][0].lines == ["the first line", "half a li"]


def test_a_kill_keeps_every_line_that_was_entered(terminal):
    one = typed(terminal)
    one.process.kill()
    one.process.wait(30)
    assert journal.read() == ([journal.read()[0][0]], "")
    assert journal.read()[0][0].lines == ["the first line"]


def test_ctrl_d_ends_and_keeps(terminal):
    one = terminal()
    one.type("a line\n")
    one.wait("  > ")
    one.type("\x04")
    assert one.end() == 0
    assert journal.read()[0][0].lines == ["a line"]


def test_clock_speaks_when_the_time_is_over_and_the_line_goes_on(terminal):
    one = terminal("--seconds", "1")
    one.type("padding is ")
    one.wait("The time is over. Finish your sentence.")
    one.type("minus infinity\n\n")
    one.wait("The rubric.")
    one.wait("Which did you say?")
    assert journal.read()[0][0].lines == ["padding is minus infinity"]
    assert "An interviewer would have stopped you at 1." in one.text
