"""The first process inside the sandbox: it imports NumPy once, and forks for every program that it is sent.

It never reads a submission. Its standard input is the judge's socket; with each message comes the socket of a new
process, and the next message ends that process and all that it started.
"""

import array
import os
import signal
import socket
import struct
import time

from course_lib.classroom.box import confine, worker

ENDED, USED = struct.Struct("<id"), struct.Struct("<d")


def main(alone):
    """Serves the judge until it goes away.

    Parameters
    ----------
    alone : bool
        Whether all other processes that this one can see are in the sandbox too: then they end with each program.
    """
    confine.hide()
    control = socket.socket(fileno=os.dup(0))
    os.close(0)
    os.open("/dev/null", os.O_RDWR)
    control.sendall(b"up")
    while link := _receive(control):
        child = os.fork()
        if child == 0:
            control.close()
            _work(link)
        os.close(link)
        while (asked := control.recv(1)) == b"c":
            control.sendall(USED.pack(_used(child)))
        status, used = _end(child, gone=asked == b"g")
        if alone:
            _end_others()
        control.sendall(ENDED.pack(status, used))


def _receive(control):
    """The socket for a new process; None once the judge has gone."""
    message, extra, _, _ = control.recvmsg(1, socket.CMSG_SPACE(4))
    found = array.array("i")
    for _, _, data in extra:
        found.frombytes(data)
    return found[0] if message and found else None


def _work(link):
    """Runs one program; nothing of this process is undone at its end."""
    try:
        os.setsid()
        worker.main(link)
    finally:
        os._exit(0)


def _used(child):
    """The seconds of the processor that a running process has used."""
    try:
        # The kernel's number for the clock of another process.
        return time.clock_gettime((~child << 3) | 2)
    except OSError:
        return 0.0


def _end(child, gone):
    """Ends a process; how it ended, below 0 by that signal, else its status, and the seconds that it has used.

    One that has gone by itself may still be on its way out.
    """
    for _ in range(100):
        found, status, usage = os.wait4(child, os.WNOHANG)
        if found or not gone:
            break
        time.sleep(0.005)
    if not found:
        os.kill(child, signal.SIGKILL)
        _, _, usage = os.wait4(child, 0)
        status = 0
    return os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime


def _end_others():
    """Ends all other processes of the sandbox; its own first one cannot be ended from within."""
    try:
        os.kill(-1, signal.SIGKILL)
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except (ProcessLookupError, ChildProcessError):
        pass
