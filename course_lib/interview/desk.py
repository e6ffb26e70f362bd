"""Who is asked: a person at a terminal, or whoever writes to standard input."""

import contextlib
import os
import shutil
import signal
import sys
import textwrap
import threading
import time
from datetime import UTC, datetime

try:
    import readline
except ImportError:
    # Windows has none: there a line that was not entered is lost with Ctrl-C.
    readline = None

WIDTH = 88
# Signals that end a drill.
ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
OVER = "The time is over. Finish your sentence."


class Desk:
    """Asks on standard output and reads standard input."""

    def __init__(self):
        self._unfinished = ""
        for stream in (sys.stdin, sys.stdout):
            # A console without − and ∞ shows a question mark, and a byte that is no text does not end the drill.
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")

    def say(self, text):
        """Prints a text, broken into lines of a readable width."""
        indent = " " * (len(text) - len(text.lstrip()))
        width = min(WIDTH, shutil.get_terminal_size().columns)
        print(textwrap.fill(text, width, subsequent_indent=indent + "    " * bool(indent)), flush=True)

    def show(self, line):
        """Prints a line as it is."""
        print(line, flush=True)

    def ask(self, prompt, seconds=None, over=OVER):
        """One line. When the seconds are over, the sentence ``over`` is said, and the line goes on.

        Raises
        ------
        EOFError
            The input has ended.
        KeyboardInterrupt
            Ctrl-C, or the terminal was closed; `unfinished` has what stood in the line.
        """
        self._unfinished = ""
        with self._alarm(prompt, seconds, over), _interrupts(self._stop):
            return input(prompt)

    def unfinished(self):
        """What stood in the line that was broken off."""
        return self._unfinished

    def clock(self):
        """Seconds, from any beginning."""
        return time.monotonic()

    def now(self):
        """The time of day."""
        return datetime.now(UTC)

    def _stop(self, *_):
        """Keeps the line, and stops."""
        self._unfinished = _line()
        raise KeyboardInterrupt

    @contextlib.contextmanager
    def _alarm(self, prompt, seconds, over):
        """Says when the time is over; on a terminal only."""
        if seconds is None or seconds <= 0 or not sys.stdin.isatty():
            yield
            return
        timer = threading.Timer(seconds, self._over, (prompt, over))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _over(self, prompt, sentence):
        """The sentence, and below it the line again."""
        sys.stdout.write(f"\r\x1b[K{sentence}\n{prompt}{_line()}")
        sys.stdout.flush()


def _line():
    """What stands in the line that is being typed."""
    return readline.get_line_buffer() if readline and sys.stdin.isatty() else ""


@contextlib.contextmanager
def _interrupts(stop):
    """The first signal that ends a drill calls ``stop`` while a line is typed; those behind it do nothing more."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    over = threading.Event()

    def handle(*_):
        if not over.is_set():
            over.set()
            stop()

    before = {number: signal.signal(number, handle) for number in ENDING}
    try:
        with _insisting(over):
            yield
    finally:
        over.set()
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _insisting(over):
    """Sends a signal again and again until it is heard, which ``over`` says.

    Python's readline waits for a key, and looks at signals when one interrupts the wait. One that comes after a key,
    before the wait has begun again, would be heard at the next key only.
    """
    if not hasattr(signal, "pthread_kill"):
        yield
        return
    heard, rings = os.pipe()
    os.set_blocking(rings, False)
    before = signal.set_wakeup_fd(rings, warn_on_full_buffer=False)
    bell = threading.Thread(target=_ring, args=(heard, over, threading.get_ident()), daemon=True)
    bell.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        over.set()
        os.close(rings)
        bell.join()
        os.close(heard)


def _ring(heard, over, thread):
    """Waits for the number of a signal, and sends it to the thread until it is heard."""
    for number in iter(lambda: os.read(heard, 1), b""):
        while number[0] in ENDING and not over.wait(0.05):
            signal.pthread_kill(thread, number[0])
