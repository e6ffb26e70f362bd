"""The journal of a batch: one transaction a submission, so that a batch that was killed can go on."""

import contextlib
import hashlib
import json
import sqlite3
from pathlib import Path

from course_lib.workspace import CourseError

NAME = "journal.sqlite"
KEPT = "What was graded is kept: see that the disk has room, and give the same command with --resume."


class Journal:
    """Rows by their keys, each with a mark of what it was made from.

    Parameters
    ----------
    path : path
    fresh : bool
        Whether to begin anew.
    """

    def __init__(self, path, fresh):
        if fresh:
            for ending in ("", "-journal"):
                Path(f"{path}{ending}").unlink(missing_ok=True)
        self.path, self.base = path, sqlite3.connect(path, isolation_level=None)
        self._execute("create table if not exists rows (key text primary key, mark text, row text)")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.base.close()

    def write(self, key, mark, row):
        """Writes one row, whole or not at all."""
        text = json.dumps(row, ensure_ascii=True, sort_keys=True)
        self._execute("insert or replace into rows values (?, ?, ?)", (key, mark, text))

    def read(self, key, mark):
        """A row that was made from what the mark says; None if there is none."""
        found = self._execute("select row from rows where key = ? and mark = ?", (key, mark))
        return json.loads(found[0][0]) if found else None

    def _execute(self, words, values=()):
        """What the database says; a full disk and a file that is no journal are told in a sentence."""
        try:
            return self.base.execute(words, values).fetchall()
        except sqlite3.OperationalError as error:
            raise CourseError(f"the journal {self.path} cannot be written ({error}). {KEPT}") from None
        except sqlite3.DatabaseError as error:
            advice = "without --resume a new one is begun in its place"
            raise CourseError(f"the journal {self.path} cannot be used ({error}): {advice}.") from None


def mark(submission, settings):
    """What tells a submission under some settings from any other: its files' places, sizes and times."""
    words = [settings.mark(), submission.key, *submission.others]
    for file in submission.files:
        with contextlib.suppress(OSError):
            words += [file.path, file.inner, file.fingerprint()]
    return hashlib.sha256(json.dumps(words).encode()).hexdigest()
