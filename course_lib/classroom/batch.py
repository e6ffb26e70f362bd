"""All submissions, several at a time, each written to the journal as it comes."""

import multiprocessing
import os
import sys
import time
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool

from course_lib.classroom import cluster, grading, journal, task
from course_lib.classroom.sandbox import Zygote

AHEAD = 2
ENDED = "a process of the grader's ended while it graded this"


def run(submissions, settings, book, jobs=1, resume=False, stream=None, scheduler=""):
    """Grades what the journal does not hold, and gives all rows in order.

    Parameters
    ----------
    submissions : list of Submission
    settings : Settings
    book : Journal
    jobs : int
        How many are graded at the same time, each in a process and a sandbox of its own.
    resume : bool
        Whether rows of the journal are taken as they are; those that were not graded are tried again.
    stream : file
        Where progress is shown, if it is a terminal.
    scheduler : str
        The address of a dask scheduler, whose workers grade; "" for this machine.

    Returns
    -------
    list of dict
    """
    marks = {one.key: journal.mark(one, settings) for one in submissions}
    rows = {one.key: book.read(one.key, marks[one.key]) if resume else None for one in submissions}
    rows = {key: row for key, row in rows.items() if row and grading.is_done(row)}
    left = [one for one in submissions if one.key not in rows]
    with Progress(len(submissions), len(rows), stream or sys.stderr) as progress:
        for submission, row in _graded(left, settings, jobs, scheduler):
            book.write(submission.key, marks[submission.key], row)
            rows[submission.key] = row
            progress.advance()
    return [rows[one.key] for one in submissions]


def _graded(submissions, settings, jobs, scheduler):
    """Pairs of a submission and its row, as they come."""
    if scheduler:
        return cluster.graded(submissions, settings, scheduler)
    return (_alone if jobs == 1 else _together)(submissions, settings, jobs)


def _alone(submissions, settings, jobs):
    """Pairs of a submission and its row, one after another."""
    with Zygote() as zygote:
        for submission in submissions:
            yield submission, task.grade(zygote, submission, settings)


def _together(submissions, settings, jobs):
    """Pairs of a submission and its row as they come; who ends a process of the pool is tried alone once more."""
    waiting = list(reversed(submissions))
    while waiting:
        lost = []
        yield from _one_pool(waiting, settings, jobs, lost)
        for submission in lost:
            again = []
            yield from _one_pool([submission], settings, 1, again)
            yield from ((one, grading.not_graded(one, settings, ENDED)) for one in again)


def _one_pool(waiting, settings, jobs, lost):
    """Pairs of a submission and its row, until there are no more or the pool breaks; what is under way then is lost."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=spawn, initializer=task.begin) as pool:
        running = {}
        while waiting or running:
            try:
                while waiting and len(running) < AHEAD * jobs:
                    # Taken away only when it runs: a pool that has just broken takes none.
                    running[pool.submit(task.in_pool, waiting[-1], settings)] = waiting[-1]
                    waiting.pop()
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    submission = running[future]
                    row = future.result()
                    del running[future]
                    yield submission, row
            except BrokenProcessPool:
                lost += running.values()
                return


def processors():
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Progress:
    """One line on a terminal: how many are done, how fast, and how long the rest takes."""

    def __init__(self, total, done, stream):
        self.total, self.done, self.first, self.stream = total, done, done, stream
        self.shown = getattr(stream, "isatty", lambda: False)()
        self.start = time.monotonic()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.shown:
            self.stream.write("\n")

    def advance(self):
        """Counts one more."""
        self.done += 1
        if self.shown:
            rate = (self.done - self.first) / max(time.monotonic() - self.start, 1e-3)
            left = (self.total - self.done) / rate
            self.stream.write(f"\r{self.done} of {self.total}, {rate:.1f} a second, {left:.0f} s left   ")
            self.stream.flush()
