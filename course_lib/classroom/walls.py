"""The two ways to wall in a process that students' programs run in: bubblewrap, and where it is refused Landlock.

Each says what its level is, and gives the command line of the sandbox, or raises `NoSandbox`.
"""

import os
import platform
import shutil
import sys
from pathlib import Path

from course_lib.classroom import runtime
from course_lib.classroom.box import confine, landlock


class NoSandbox(Exception):
    """The sandbox failed, and not the program in it: what it was to judge is not judged."""


class Bubblewrap:
    """A view of its own of files, processes and the network, made by bubblewrap."""

    level = "bubblewrap and a filter of system calls"
    name = "bubblewrap"
    start = (
        "import sys; sys.path[:0] = ['/srv', '/srv/packages']; "
        "from course_lib.classroom.box import zygote; zygote.main(alone=True)"
    )

    def command(self, folder):
        """The command line of the sandbox.

        Parameters
        ----------
        folder : Path
            An empty folder, which is seen in the place of those that are hidden.
        """
        _check_machine()
        if (found := shutil.which("bwrap")) is None:
            raise NoSandbox("bubblewrap is not installed")
        words = [found]
        for here, there in runtime.mounts():
            words += ["--ro-bind", here, there]
        for hidden in runtime.hidden():
            words += ["--ro-bind", str(folder), hidden]
        words += ["--dev-bind", "/dev/null", "/dev/null", "--dev-bind", "/dev/urandom", "/dev/urandom"]
        words += ["--dir", "/empty", "--remount-ro", "/", "--chdir", "/empty", "--clearenv"]
        words += ["--unshare-user", "--unshare-all", "--disable-userns", "--die-with-parent", "--new-session"]
        words += ["--cap-drop", "ALL"]
        for name, value in runtime.one_thread().items():
            words += ["--setenv", name, value]
        return [*words, str(runtime.interpreter()), "-I", "-S", "-B", "-c", self.start]

    def environment(self, folder):
        """Nothing: bubblewrap sets what is inside."""
        return {}


class Landlock:
    """The files of this machine, of which Landlock lets the process read only what it runs on."""

    level = "Landlock and a filter of system calls"
    name = "Landlock"
    start = (
        "import sys; sys.path[:0] = [sys.argv[1], sys.argv[1] + '/packages']; "
        "from course_lib.classroom.box import landlock; landlock.confine(sys.argv[2:]); "
        "from course_lib.classroom.box import zygote; zygote.main(alone=False)"
    )

    def command(self, folder):
        """The command line of the sandbox.

        Parameters
        ----------
        folder : Path
            An empty folder, which is filled with links to what the process may read.
        """
        _check_machine()
        if landlock.version() < 1:
            raise NoSandbox("this system's kernel has no Landlock, or it is switched off")
        for here, there in runtime.mounts():
            if (inside := Path(there)).is_relative_to(runtime.ROOT):
                link = folder / inside.relative_to(runtime.ROOT)
                link.parent.mkdir(parents=True, exist_ok=True)
                link.symlink_to(here)
        readable = [path for here, _ in runtime.mounts() for path in _without_hidden(here)]
        words = [str(runtime.interpreter()), "-I", "-S", "-B", "-c", self.start, str(folder)]
        return [*words, str(folder), *readable]

    def environment(self, folder):
        """Libraries are found through the links."""
        return runtime.one_thread() | {"LD_LIBRARY_PATH": str(folder / Path(runtime.LIBRARIES).name)}


def _without_hidden(path):
    """A path, or what is in it where not all of that may be read. Landlock can allow, and take nothing back."""
    hidden = [one for one in runtime.hidden() if Path(one).is_relative_to(path)]
    if not hidden:
        return [path]
    # The folder itself may be listed, which an import needs, and not read.
    found = (entry.path for entry in os.scandir(path) if entry.path not in hidden)
    return [landlock.LISTED + path, *filter(os.path.exists, found)]


def _check_machine():
    """Refuses other systems than those whose calls are known."""
    if sys.platform != "linux" or platform.machine() not in confine.MACHINES:
        raise NoSandbox(f"the sandbox needs Linux on {' or '.join(confine.MACHINES)}")


WALLS = Bubblewrap, Landlock
