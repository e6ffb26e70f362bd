"""One sitting at a coding task: the candidate's file, and a clock whose time is written down."""

import contextlib
import threading

from course_lib.interview import journal
from course_lib.interview.coding import files
from course_lib.workspace import work_folder

# So much of the time may be given back by a kill, in seconds.
EVERY = 5


class Sitting:
    """One attempt: its task, its file and its clock."""

    def __init__(self, desk, task, attempt):
        self.desk, self.task, self.attempt = desk, task, attempt
        self.path = work_folder() / attempt.file
        self.before, self.start = attempt.seconds, desk.clock()

    def seconds(self):
        """What it has taken so far, all sittings together."""
        return self.before + self.desk.clock() - self.start

    def left(self):
        """Seconds; none if the time is over."""
        return 60 * self.attempt.minutes - self.seconds()

    def write(self, what, **values):
        """An event of the journal."""
        journal.write(self.attempt, what, self.desk.now(), **values)

    def source(self):
        """The candidate's file, what is not UTF-8 replaced; None if it cannot be read."""
        try:
            return self.path.read_bytes().decode("utf-8", "replace")
        except OSError:
            return None

    def gone(self):
        """That it cannot be read, in a sentence."""
        return f"There is no file {self.path.name} that can be read in {self.path.parent}."

    def is_blank(self, source):
        """Whether nothing was written."""
        return source == files.blank(self.task, self.attempt.seed, self.attempt.minutes)


@contextlib.contextmanager
def counted(sitting):
    """Writes down the time every few seconds and at a stop, so that whatever ends the drill gives none of it back."""
    over = threading.Event()

    def count():
        while not over.wait(EVERY):
            # A full disk is said by the next line that the candidate enters.
            with contextlib.suppress(OSError):
                sitting.write("time", seconds=sitting.seconds())

    counter = threading.Thread(target=count, daemon=True)
    counter.start()
    try:
        yield
    except (KeyboardInterrupt, EOFError):
        sitting.write("time", seconds=sitting.seconds())
        raise
    finally:
        over.set()
        counter.join()
