"""Messages to and from one process in the sandbox, each within the seconds that the judge allows."""

import time

from course_lib.classroom.box import wire

# How soon the processor's clock is read again, where a process waits for others to leave it.
SOONEST = 0.02


class Gone(Exception):
    """The process in the sandbox ended: `status` says how, below 0 by that signal."""

    def __init__(self, status):
        super().__init__(status)
        self.status = status


class OutOfTime(Exception):
    """The process in the sandbox was still running when its time was up."""


class Channel:
    """One process in the sandbox.

    Attributes
    ----------
    waited : float
        The seconds of the clock for which the judge has waited in all.
    processor : float
        The seconds of the processor that the process has used, once it is closed.
    received : int
        The bytes of arrays that have come.
    """

    def __init__(self, zygote, link):
        self.zygote, self.link, self.closed = zygote, link, False
        self.waited, self.processor, self.received = 0.0, 0.0, 0

    def allow(self, clock, processor=float("inf")):
        """Sets how long the process may take from now on, by the clock and by the processor."""
        self.begun = time.monotonic()
        self.until, self.most = self.begun + clock, processor
        # It has one thread: it has used the processor for no longer than the judge has waited.
        self.before = self.waited
        self.look = self.begun + processor

    def rest(self):
        """Notes that the judge waits no longer; what it has waited since `allow`."""
        waited = time.monotonic() - self.begun
        self.waited += waited
        return waited

    def send(self, name, special, /, **values):
        """Sends a message."""
        message = memoryview(wire.pack(name, special, **values))
        while message:
            try:
                self.link.settimeout(self._patience())
                message = message[self.link.send(message) :]
            except TimeoutError:
                continue
            except OSError:
                raise Gone(self.close(gone=True)) from None

    def receive(self, special):
        """The next message: its name and its values."""
        tree, data = wire.HEAD.unpack(self._read(wire.HEAD.size))
        if tree > wire.LONGEST_TREE or data > wire.MOST_OUTPUT:
            raise wire.Malformed("a message that is too long")
        self.received += data
        return wire.unpack(self._read(tree), self._read(data), special)

    def _read(self, count):
        parts = bytearray()
        while len(parts) < count:
            try:
                self.link.settimeout(self._patience())
                part = self.link.recv(min(count - len(parts), 1 << 20))
            except TimeoutError:
                continue
            except OSError:
                part = b""
            if not part:
                raise Gone(self.close(gone=True))
            parts += part
        return parts

    def _patience(self):
        """How long to wait until a clock has to be read again; `OutOfTime` where one of them says that it is over."""
        now = time.monotonic()
        if now >= self.until:
            raise OutOfTime
        if now >= self.look:
            left = self.most - (self.zygote.processor() - self.before)
            if left <= 0:
                raise OutOfTime
            self.look = now + max(left, SOONEST)
        return min(self.until, self.look) - now

    def close(self, gone=False):
        """Ends the process; 0, or how it had ended by itself."""
        if self.closed:
            return 0
        self.closed = True
        self.link.close()
        status, self.processor = self.zygote.end(gone)
        return status
