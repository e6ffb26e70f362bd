"""A lock between processes, on a file that stays empty. The system gives it back when its holder dies."""

import contextlib
import os
import time

PAUSES = [0.01] * 100 + [0.1] * 90


@contextlib.contextmanager
def locked(file):
    """Holds the lock; raises `OSError` if it cannot be had within ten seconds."""
    with open(file, "ab") as stream:
        for pause in PAUSES:
            if _try_lock(stream):
                break
            time.sleep(pause)
        else:
            raise TimeoutError(0, "another notebook holds it")
        try:
            yield
        finally:
            _unlock(stream)


if os.name == "nt":
    import msvcrt

    def _try_lock(stream):
        """Whether the lock could be taken."""
        try:
            stream.seek(0)
            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

    def _unlock(stream):
        """Gives the lock back."""
        stream.seek(0)
        msvcrt.locking(stream.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(stream):
        """Whether the lock could be taken."""
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            # A file system without locks: the file is still replaced in one move.
            return True
        return True

    def _unlock(stream):
        """Gives the lock back."""
        with contextlib.suppress(OSError):
            fcntl.flock(stream, fcntl.LOCK_UN)
