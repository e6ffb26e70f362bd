"""The first process inside the sandbox: it imports NumPy once, and forks for every program that it is sent.

It never reads a submission. Its standard input is the judge's socket; with each message comes the socket of a new
process, and the next message ends that process and all that it started.
"""

import array
import os
import signal
import socket
import time

from course_lib.classroom.box import confine, worker


def main():
    """Serves the judge until it goes away."""
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
        status = _end(child, gone=control.recv(1) == b"g")
        control.sendall(status.to_bytes(4, "little", signed=True))


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


def _end(child, gone):
    """Ends a process and whatever else runs here, and says how it ended: below 0 by that signal, else its status.

    One that has gone by itself may still be on its way out.
    """
    for _ in range(100):
        found, status = os.waitpid(child, os.WNOHANG)
        if found or not gone:
            break
        time.sleep(0.005)
    if not found:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        status = 0
    _end_others()
    return os.waitstatus_to_exitcode(status)


def _end_others():
    """Ends all other processes of the sandbox; its own first one cannot be ended from within."""
    try:
        os.kill(-1, signal.SIGKILL)
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except (ProcessLookupError, ChildProcessError):
        pass


if __name__ == "__main__":
    main()
