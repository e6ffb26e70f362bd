"""Running a learner's code so that it ends: after its time, and whatever it catches.

Python can stop a function only between two of its instructions, and a function may catch what stops it. So it is
interrupted again and again, and once it has caught an interruption, at every line that it reaches, the lines of its own
handlers included. A call into compiled code cannot be stopped; the interruption waits until it returns.
"""

import ctypes
import signal
import sys
import threading
import time
from dataclasses import dataclass

INTERVAL = 0.05


class Interruption(BaseException):
    """Raised inside the learner's code when its time is up."""

    watch = None

    def __del__(self):
        # A trace function that raises is switched off by Python. When the code has caught and dropped the exception,
        # this is the moment to switch it on again.
        if self.watch is not None and self.watch.open:
            self.watch.chase(sys._getframe(1))


@dataclass
class Outcome:
    """What became of a call: its value or its error, its seconds, whether its time was up, whether it caught that."""

    value: object = None
    error: BaseException | None = None
    seconds: float = 0.0
    out_of_time: bool = False
    caught: bool = False


def run_limited(function, seconds):
    """Calls a function without arguments, and interrupts it when its time is up.

    Parameters
    ----------
    function : callable
        Whatever it raises is caught, `SystemExit` and `KeyboardInterrupt` included.
    seconds : float
        Above 0.

    Returns
    -------
    Outcome
    """
    outcome = Outcome()
    watch = (_SignalWatch if _has_signals() else _ThreadWatch)(sys._getframe(), seconds)
    start = time.monotonic()
    # Two layers: an interruption, the learner's too, may arrive just after the function has ended.
    try:
        try:
            watch.arm()
            outcome.value = function()
        except BaseException as error:
            outcome.error = error
        watch.close()
    except BaseException as error:
        watch.close()
        outcome.error = outcome.error or error
    outcome.seconds = time.monotonic() - start
    outcome.out_of_time = watch.count > 0 or issubclass(type(outcome.error), Interruption)
    outcome.caught = watch.caught
    return outcome


def _has_signals():
    """Whether this thread can be interrupted by the system's alarm clock."""
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


class _Watch:
    """What both ways of interrupting share. ``frame`` is the frame that calls the learner's function."""

    def __init__(self, frame, seconds):
        self.frame, self.seconds = frame, seconds
        self.count, self.open, self.caught = 0, False, False
        self.trace = sys.gettrace()
        self.error = type("Interruption", (Interruption,), {"watch": self})

    def holds(self, frame):
        """Whether a frame was called, however deep, by the frame that calls the learner's function."""
        while frame is not None and frame is not self.frame:
            frame = frame.f_back
        return frame is self.frame

    def strike(self, frame):
        """Counts one interruption of a frame; from the second on, no line of the learner's runs any more."""
        self.count += 1
        if self.count > 1:
            self.chase(frame)

    def chase(self, frame):
        """Interrupts at the next line of a frame, and of all that called it."""
        self.caught = True
        while frame is not None and frame is not self.frame:
            frame.f_trace = self._raise_at_line
            frame = frame.f_back
        sys.settrace(self._raise_at_line)

    def _raise_at_line(self, frame, event, argument):
        """A trace function that leaves this module alone."""
        if frame.f_code.co_filename == __file__ or not self.open:
            return None
        if event == "line":
            raise self.error
        return self._raise_at_line


class _SignalWatch(_Watch):
    """Interrupts the main thread through SIGALRM."""

    timer = (0.0, 0.0)

    def arm(self):
        """Sets the alarm; it repeats until the watch is closed."""
        self.open, self.started = True, time.monotonic()
        self.handler = signal.signal(signal.SIGALRM, self._ring)
        self.timer = signal.setitimer(signal.ITIMER_REAL, self.seconds, INTERVAL)

    def _ring(self, number, frame):
        """Interrupts the learner's frames, never those of this module or of anybody else."""
        if self.open and frame.f_code.co_filename != __file__ and self.holds(frame):
            self.strike(frame)
            raise self.error

    def close(self):
        """Puts everything back as it was, somebody else's alarm included. It may be called twice."""
        self.open = False
        sys.settrace(self.trace)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self.handler)
        delay, interval = self.timer
        if delay:
            left = delay - (time.monotonic() - self.started)
            signal.setitimer(signal.ITIMER_REAL, max(left, 1e-3), interval)


class _ThreadWatch(_Watch):
    """Interrupts any thread from a second one, where there is no alarm."""

    ringing = False

    def arm(self):
        """Starts the second thread."""
        self.thread = threading.get_ident()
        # Python makes the exception in the interrupted thread, which is where lines can be traced.
        self.sent = type("Interruption", (self.error,), {"__init__": lambda error: self.strike(sys._getframe(1))})
        self.open = True
        self.bell = threading.Lock()
        self.bell.acquire()
        threading.Thread(target=self._ring, daemon=True).start()
        self.ringing = True

    def _ring(self):
        """Waits for the time to be up, then interrupts again and again."""
        thread, error = ctypes.c_ulong(self.thread), ctypes.py_object(self.sent)
        delay = self.seconds
        while self.open and not self.bell.acquire(timeout=delay):
            delay = INTERVAL
            if self.open and self.holds(sys._current_frames().get(self.thread)):
                ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, error)
        self.ringing = False

    def close(self):
        """Ends the second thread. It may be called twice, and must be if an interruption arrives in it."""
        self.open = False
        sys.settrace(self.trace)
        # Calls into C only: an interruption that arrives here must not find another module's lock half taken.
        if self.ringing and self.bell.locked():
            self.bell.release()
        while self.ringing:
            time.sleep(1e-4)
        # One that is still under way arrives at a jump. To take it back, with SetAsyncExc(thread, None), would leave
        # Python 3.11 with a flag that nobody clears, and any traced function with it waits for ever.
        for _ in range(10):
            pass
