"""The sandbox: bubblewrap around one small process that forks for each program; without it nothing is graded.

What is inside sees NumPy, the standard library and `course_lib.classroom.box`, no other file, no network, and no other
process of this machine.
"""

import array
import platform
import shutil
import socket
import subprocess
import tempfile
import time

from course_lib.classroom import runtime
from course_lib.classroom.box import confine, wire

LEVEL = "bubblewrap and a filter of system calls"
START = (
    "import sys; sys.path[:0] = ['/srv', '/srv/packages']; from course_lib.classroom.box import zygote; zygote.main()"
)
SECONDS_TO_START, SECONDS_TO_END = 60, 20
ADVICE = (
    "Install bubblewrap (apt install bubblewrap). On Windows grade in WSL2, on macOS in a virtual machine with Linux: "
    "see docs/grading.md."
)


class NoSandbox(Exception):
    """The sandbox failed, and not the program in it: what it was to judge is not judged."""


class Gone(Exception):
    """The process in the sandbox ended: `status` says how, below 0 by that signal."""

    def __init__(self, status):
        super().__init__(status)
        self.status = status


class OutOfTime(Exception):
    """The process in the sandbox was still running when its time was up."""


def why_not():
    """Why there is no sandbox on this machine, as a sentence; "" where there is one."""
    try:
        with Zygote() as zygote:
            zygote.start()
    except NoSandbox as error:
        return f"{error}. Students' programs run in a sandbox or not at all. {ADVICE}"
    return ""


def command(empty):
    """The command line of the sandbox.

    Parameters
    ----------
    empty : str
        An empty folder, which is seen in the place of those that are hidden.
    """
    words = [_bubblewrap()]
    for here, there in runtime.mounts():
        words += ["--ro-bind", here, there]
    for folder in runtime.hidden():
        words += ["--ro-bind", empty, folder]
    words += ["--dev-bind", "/dev/null", "/dev/null", "--dev-bind", "/dev/urandom", "/dev/urandom"]
    words += ["--dir", "/empty", "--remount-ro", "/", "--chdir", "/empty", "--clearenv"]
    words += ["--unshare-user", "--unshare-all", "--disable-userns", "--die-with-parent", "--new-session"]
    words += ["--cap-drop", "ALL"]
    for name, value in runtime.one_thread().items():
        words += ["--setenv", name, value]
    return [*words, str(runtime.interpreter()), "-I", "-S", "-B", "-c", START]


def _bubblewrap():
    """Where bubblewrap is."""
    found = shutil.which("bwrap")
    if platform.system() != "Linux" or platform.machine() not in confine.MACHINES:
        raise NoSandbox(f"the sandbox needs Linux on {' or '.join(confine.MACHINES)}")
    if found is None:
        raise NoSandbox("bubblewrap is not installed")
    return found


class Zygote:
    """One sandbox. It is started when it is needed, and again after it has died; one program at a time."""

    process = control = folder = errors = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        """Starts the sandbox.

        Raises
        ------
        NoSandbox
        """
        if self.process is not None and self.process.poll() is None:
            return
        self.stop()
        self.folder = tempfile.TemporaryDirectory(prefix="course-empty-")
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115, it lives as long as the process
        try:
            words = command(self.folder.name)
            self.control, theirs = socket.socketpair()
            self.control.settimeout(SECONDS_TO_START)
            with theirs:
                self.process = subprocess.Popen(
                    words, stdin=theirs, stdout=subprocess.DEVNULL, stderr=self.errors, env={}, cwd="/"
                )
            if self.control.recv(2) != b"up":
                raise NoSandbox(f"bubblewrap does not work here: {self._last_words()}")
        except (OSError, runtime.NoRuntime, subprocess.SubprocessError) as error:
            self.stop()
            raise NoSandbox(f"the sandbox does not start: {error}") from None
        except NoSandbox:
            self.stop()
            raise

    def _last_words(self):
        """What the sandbox said before it died."""
        self.errors.seek(0)
        lines = self.errors.read(4000).decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it ended without a word"

    def program(self):
        """A new process in the sandbox, as a `Channel`."""
        self.start()
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                rights = array.array("i", [theirs.fileno()])
                self.control.settimeout(SECONDS_TO_END)
                self.control.sendmsg([b"n"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
        except OSError as error:
            ours.close()
            self.stop()
            raise NoSandbox(f"the sandbox does not answer: {error}") from None
        return Channel(self, ours)

    def end(self, gone):
        """Ends the process, and says how it ended."""
        try:
            self.control.sendall(b"g" if gone else b"k")
            status = b""
            while len(status) < 4:
                part = self.control.recv(4 - len(status))
                if not part:
                    raise OSError("it is gone")
                status += part
        except OSError as error:
            self.stop()
            raise NoSandbox(f"the sandbox does not answer: {error}") from None
        return int.from_bytes(status, "little", signed=True)

    def stop(self):
        """Ends the sandbox and all that is in it."""
        if self.control is not None:
            self.control.close()
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        if self.folder is not None:
            self.folder.cleanup()
            self.errors.close()
        self.process = self.control = self.folder = self.errors = None


class Channel:
    """Messages to and from one process in the sandbox, each within what is left of its seconds."""

    def __init__(self, zygote, link):
        self.zygote, self.link, self.closed = zygote, link, False

    def allow(self, seconds):
        """Sets how long the process may still take."""
        self.until = time.monotonic() + seconds

    def send(self, name, special, /, **values):
        """Sends a message."""
        message = wire.pack(name, special, **values)
        try:
            self.link.settimeout(self._left())
            self.link.sendall(message)
        except TimeoutError:
            raise OutOfTime from None
        except OSError:
            raise Gone(self.close(gone=True)) from None

    def receive(self, special):
        """The next message: its name and its values."""
        tree, data = wire.HEAD.unpack(self._read(wire.HEAD.size))
        if tree > wire.LONGEST_TREE or data > wire.MOST_BYTES:
            raise wire.Malformed("a message that is too long")
        return wire.unpack(self._read(tree), self._read(data), special)

    def _read(self, count):
        parts = bytearray()
        while len(parts) < count:
            try:
                self.link.settimeout(self._left())
                part = self.link.recv(min(count - len(parts), 1 << 20))
            except TimeoutError:
                raise OutOfTime from None
            except OSError:
                part = b""
            if not part:
                raise Gone(self.close(gone=True))
            parts += part
        return parts

    def _left(self):
        """The seconds that are left."""
        left = self.until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    def close(self, gone=False):
        """Ends the process; 0, or how it had ended by itself."""
        if self.closed:
            return 0
        self.closed = True
        self.link.close()
        return self.zygote.end(gone)
