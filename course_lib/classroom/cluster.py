"""A batch on a dask cluster: the same task for each submission, on whichever machine has room.

The workers need the course and a sandbox, and no file of the teacher's: a submission crosses as bytes, and its row
comes back as JSON. The journal stays here.
"""

import contextlib
import json
import logging
from concurrent.futures import CancelledError

from course_lib.classroom import grading, task
from course_lib.workspace import CourseError

SECONDS_TO_CONNECT, SECONDS_TO_LOOK, PATIENCE = 15, 5, 60
AHEAD, TRIES = 2, 2
GONE = OSError, TimeoutError, CancelledError
ENDED = "the workers that graded this have ended"
NO_DASK = "--scheduler needs dask. Install it: python -m pip install -r requirements-classroom.txt."
NO_ANSWER = (
    "no dask scheduler answers at {}. Start it with dask scheduler, and workers with dask worker {} --nthreads 1."
)
NO_WORKER = "the dask scheduler at {} has no workers. Start some: dask worker {} --nthreads 1."
LOST = "the dask cluster at {} is gone. What was graded is kept: give the same command with --resume."
OTHER_COURSE = "the workers at {} cannot grade: {}. Each needs this course, in the same version, and a sandbox."


def graded(submissions, settings, address):
    """Pairs of a submission and its row, as they come from the workers.

    Parameters
    ----------
    submissions : list of Submission
    settings : Settings
    address : str
        As ``tcp://10.0.0.1:8786``.

    Raises
    ------
    CourseError
        If dask is missing, nothing answers, or the whole cluster ends.
    """
    with _connected(address) as client:
        _try_workers(client, address)
        yield from _Window(client, settings, address).run(submissions)


@contextlib.contextmanager
def _connected(address):
    """A client of the scheduler."""
    try:
        import dask
        from distributed import Client
    except ImportError as error:
        raise CourseError(NO_DASK) from error
    # What becomes of workers is told in sentences of our own; a file may be large, and is sent once.
    quiet = {"distributed.admin.large-graph-warning-threshold": "1 GB", "distributed.comm.timeouts.connect": "5s"}
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with dask.config.set(quiet):
        try:
            client = Client(address, timeout=SECONDS_TO_CONNECT)
        except (OSError, TimeoutError, ValueError) as error:
            raise CourseError(NO_ANSWER.format(address, address)) from error
        try:
            yield client
        finally:
            with contextlib.suppress(OSError, TimeoutError):
                client.close(timeout=SECONDS_TO_LOOK)


def _try_workers(client, address):
    """Raises where there is no worker, or one that cannot grade."""
    try:
        client.wait_for_workers(1, timeout=SECONDS_TO_CONNECT)
    except TimeoutError as error:
        raise CourseError(NO_WORKER.format(address, address)) from error
    try:
        found = client.submit(task.why_not, task.version(), pure=False).result(timeout=PATIENCE)
    except Exception as error:
        found = f"{type(error).__name__}: {error}"
    if found:
        raise CourseError(OTHER_COURSE.format(address, str(found).strip().rstrip(".")[:200]))


class _Window:
    """The submissions that are under way: a few for each worker, so that neither side waits nor fills up.

    Parameters
    ----------
    client : distributed.Client
    settings : Settings
    address : str
    """

    def __init__(self, client, settings, address):
        self.client, self.settings, self.address = client, settings, address
        self.packed, self.running, self.tries = settings.packed(), {}, {}

    def run(self, submissions):
        """Pairs of a submission and its row, as they come."""
        waiting = list(reversed(submissions))
        while waiting or self.running:
            try:
                while waiting and len(self.running) < AHEAD * max(1, len(self._workers())):
                    self._send(waiting.pop())
                done = self._done()
            except GONE as error:
                raise CourseError(LOST.format(self.address)) from error
            for future in done:
                submission = self.running.pop(future)
                row = self._row(future, submission)
                if row is None:
                    # Behind all others: if it ends workers, the rest is done by then.
                    waiting.insert(0, submission)
                else:
                    yield submission, row

    def _workers(self):
        """The workers that the scheduler has now."""
        return self.client.scheduler_info(n_workers=-1)["workers"]

    def _send(self, submission):
        """Puts a submission under way."""
        future = self.client.submit(task.elsewhere, *task.carried(submission), self.packed, pure=False)
        self.running[future] = submission

    def _done(self):
        """The futures that have ended, at least one."""
        from distributed import wait

        waited = 0
        while waited < PATIENCE:
            with contextlib.suppress(TimeoutError):
                return wait(list(self.running), timeout=SECONDS_TO_LOOK, return_when="FIRST_COMPLETED").done
            # Workers may come back; without any nothing ever ends.
            waited = 0 if self.client.status == "running" and self._workers() else waited + SECONDS_TO_LOOK
        raise CourseError(LOST.format(self.address))

    def _row(self, future, submission):
        """The row; None where it is worth another try, as when a worker ended; who ends many is not graded."""
        with contextlib.suppress(*GONE):
            if future.status == "finished":
                return json.loads(future.result())
        if self.client.status != "running" or future.status == "cancelled":
            raise CourseError(LOST.format(self.address))
        self.tries[submission.key] = self.tries.get(submission.key, 0) + 1
        return None if self.tries[submission.key] < TRIES else grading.not_graded(submission, self.settings, ENDED)
