"""The sandbox: walls around one small process that forks for each program; without them nothing is graded.

What is inside sees NumPy, the standard library and `course_lib.classroom.box`, and can open no other file, reach no
network and no other process of this machine.
"""

import array
import socket
import struct
import subprocess
import tempfile
from pathlib import Path

from course_lib.classroom import runtime
from course_lib.classroom.channel import Channel, Gone, OutOfTime
from course_lib.classroom.walls import WALLS, NoSandbox

__all__ = ["WALLS", "Channel", "Gone", "NoSandbox", "OutOfTime", "Zygote", "why_not"]

SECONDS_TO_START, SECONDS_TO_END = 60, 20
ENDED, USED = struct.Struct("<id"), struct.Struct("<d")
ADVICE = (
    "Install bubblewrap (apt install bubblewrap), or grade in the container that docs/grading.md describes; on Windows "
    "in WSL2, on macOS in the container."
)


def why_not():
    """Why there is no sandbox on this machine, as a sentence; "" where there is one."""
    try:
        with Zygote() as zygote:
            zygote.start()
    except NoSandbox as error:
        return f"{error}. Students' programs run in a sandbox or not at all. {ADVICE}"
    return ""


class Zygote:
    """One sandbox. It is started when it is needed, and again after it has died; one program at a time.

    Parameters
    ----------
    walls : sequence of class
        The ways to make one, the best first. What has worked once is kept.

    Attributes
    ----------
    level : str
        In what programs run, in words; "" before it is known.
    """

    process = control = place = folder = errors = None

    def __init__(self, walls=WALLS):
        self.walls, self.level = walls, ""

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
        reasons = []
        for wall in self.walls:
            try:
                self._start(wall())
            except NoSandbox as error:
                reasons.append(str(error))
            else:
                self.walls, self.level = (wall,), wall.level
                return
        raise NoSandbox("; ".join(dict.fromkeys(reasons)))

    def _start(self, wall):
        """Starts the sandbox in one way."""
        self.stop()
        self.place = tempfile.TemporaryDirectory(prefix="course-box-")
        self.folder = Path(self.place.name)
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115, it lives as long as the process
        try:
            words, environment = wall.command(self.folder), wall.environment(self.folder)
            self.control, theirs = socket.socketpair()
            self.control.settimeout(SECONDS_TO_START)
            with theirs:
                self.process = subprocess.Popen(
                    words, stdin=theirs, stdout=subprocess.DEVNULL, stderr=self.errors, env=environment, cwd="/"
                )
            if self.control.recv(2) != b"up":
                raise NoSandbox(f"{wall.name} does not work here: {self._last_words()}")
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

    def processor(self):
        """The seconds of the processor that the process has used until now."""
        return USED.unpack(self._answer(b"c", USED.size))[0]

    def end(self, gone):
        """Ends the process; how it ended, and the seconds of the processor that it has used."""
        return ENDED.unpack(self._answer(b"g" if gone else b"k", ENDED.size))

    def _answer(self, question, size):
        """The bytes that the sandbox answers."""
        answer = b""
        try:
            self.control.settimeout(SECONDS_TO_END)
            self.control.sendall(question)
            while len(answer) < size:
                part = self.control.recv(size - len(answer))
                if not part:
                    raise OSError("it is gone")
                answer += part
        except (OSError, AttributeError) as error:
            self.stop()
            raise NoSandbox(f"the sandbox does not answer: {error}") from None
        return answer

    def stop(self):
        """Ends the sandbox and all that is in it."""
        if self.control is not None:
            self.control.close()
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        if self.folder is not None:
            self.place.cleanup()
            self.errors.close()
        self.process = self.control = self.place = self.folder = self.errors = None
