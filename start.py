"""Set the course up in .venv and open it: ``python3 start.py``.

Only the standard library is used, and the grammar stays that of Python 3.6, so that an older Python prints a sentence
and no syntax error. All that is made stands in ``.venv`` beside this file: the packages, ``install.log``, and
``course.json``, which says what the environment was made from.
"""

import contextlib
import errno
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time

OLDEST = (3, 11)
ROOT = os.path.dirname(os.path.realpath(__file__))
VENV = os.path.join(ROOT, ".venv")
STAMP = os.path.join(VENV, "course.json")
LOG = os.path.join(VENV, "install.log")
LOCK = os.path.join(VENV, "course.lock")
OWN = (STAMP, STAMP + ".new", LOG, LOCK)
WINDOWS = os.name == "nt"
PYTHON = os.path.join(VENV, "Scripts" if WINDOWS else "bin", "python.exe" if WINDOWS else "python")
# Settings that send an installation elsewhere, or let packages from elsewhere pass for installed ones.
MISLEADING = ("PIP_TARGET", "PIP_PREFIX", "PIP_USER", "PYTHONHOME", "PYTHONPATH")

USAGE = """usage: python3 start.py [--no-torch | --torch] [command] [options]

Sets the course up in .venv, beside start.py, and opens it in JupyterLab. Later starts install nothing.

  --no-browser   print the address and open no browser
  --no-torch     install without PyTorch; the choice holds until --torch
  test           set up, with what the tests need, and run every check
  doctor         say what works here

Other words go to the `course` command: python3 start.py test --help"""


def main(words):
    """Make the environment where it is missing or out of date, then become the `course` command."""
    check_python()
    words, torch = read_arguments(words)
    stamp, test = read_stamp(), words[0] == "test"
    torch = stamp.get("torch", True) if torch is None else torch
    if test and not os.path.exists(os.path.join(ROOT, "requirements-test.txt")):
        fail("the tests are not part of this edition; they are in the course's repository.")
    ready = is_ready(stamp, test, torch)
    if {"-h", "--help"} & set(words) and (words[0] == "lab" or not ready):
        print(USAGE)
        return 0
    if not ready:
        install(test, torch)
    return hand_over(words)


def check_python():
    """Refuse a Python that is too old."""
    if sys.version_info < OLDEST:
        needed, found = (".".join(map(str, version)) for version in (OLDEST, sys.version_info[:3]))
        fail(f"the course needs Python {needed} or newer; this is Python {found}. Start it with a newer one.")


def fail(sentence):
    """End with one sentence on stderr and status 1."""
    raise SystemExit("start.py: " + sentence)


def read_arguments(words):
    """The words for `course`, and whether torch is wanted: None where nothing is said."""
    torch = None
    for word in words:
        torch = {"--torch": True, "--no-torch": False}.get(word, torch)
    words = [word for word in words if word not in ("--torch", "--no-torch")]
    return (words if words and not words[0].startswith("-") else ["lab"] + words), torch


def read_stamp():
    """What course.json says; nothing where it is missing or broken."""
    try:
        with open(STAMP, encoding="utf-8") as file:
            stamp = json.load(file)
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def write_stamp(stamp):
    """Put course.json in place whole: a killed start leaves the old one or the new one."""
    with open(STAMP + ".new", "w", encoding="utf-8") as file:
        json.dump(stamp, file)
    os.replace(STAMP + ".new", STAMP)


def identity():
    """What an environment is tied to: the Python that made it, and its own place."""
    return [sys.implementation.cache_tag, VENV]


def fingerprint(test, torch):
    """A digest of all that decides what is installed."""
    digest = hashlib.sha256(repr((identity(), test, torch)).encode())
    for name in ["pyproject.toml"] + requirements(test):
        with open(os.path.join(ROOT, name), "rb") as file:
            digest.update(hashlib.sha256(file.read()).digest())
    return digest.hexdigest()


def requirements(test):
    """The files that name the packages."""
    return ["requirements.txt"] + ["requirements-test.txt"] * test


def contained(test, torch):
    """The fingerprints that an environment answers to: its own, and those that ask for less."""
    return [fingerprint(t, p) for t in {False, test} for p in {False, torch}]


def is_ready(stamp, test, torch):
    """Whether the environment holds what is asked for."""
    return os.path.exists(PYTHON) and fingerprint(test, torch) in stamp.get("ready", [])


def install(test, torch):
    """Make or mend the environment, one start at a time."""
    check_venv()
    try:
        os.makedirs(VENV, exist_ok=True)
        with locked() as lock:
            stamp = read_stamp()
            # Another start may have done the work while this one waited.
            if not is_ready(stamp, test, torch):
                build(stamp, test, torch, lock)
    except OSError as error:
        fail(describe(error))


def check_venv():
    """Refuse where Python comes without the parts that make an environment, as Debian's does."""
    from importlib.util import find_spec

    if not (find_spec("venv") and find_spec("ensurepip")):
        fail(
            "this Python comes without venv or ensurepip. On Debian and Ubuntu install python3-venv "
            "(sudo apt install python3-venv), then start again."
        )


def describe(error):
    """The sentence for what the operating system refused."""
    if error.errno == errno.ENOSPC:
        return "the disk is full. Make room, then start again."
    place, why = error.filename or VENV, error.strerror or error
    return f"{place} cannot be written ({why}). Put the course into a folder of your own and start it there."


@contextlib.contextmanager
def locked():
    """Hold the lock, as do the installer's processes: a killed start keeps it until they too have ended."""
    with open(LOCK, "a") as file:
        if not try_lock(file):
            say("Another start is setting the course up; this one waits for it.")
            while not try_lock(file):
                time.sleep(0.2)
        yield file


def try_lock(file):
    """Whether the lock was free and is now held."""
    try:
        if WINDOWS:
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        # Some network drives have no locks: better to go on without one than to refuse.
        return True
    return True


def build(stamp, test, torch, lock):
    """Install into the environment that is there, or into a new one where that cannot be trusted."""
    if not os.path.exists(STAMP) and not {os.path.join(VENV, name) for name in os.listdir(VENV)} <= set(OWN):
        fail(f"{VENV} was not made by start.py. Rename or delete it, then start again.")
    # pip takes a package whose copying was cut short for an installed one, so an unfinished environment is made anew.
    fresh = stamp.get("made_by") != identity() or not os.path.exists(PYTHON)
    write_stamp({"torch": torch})
    try:
        with open(LOG, "w", encoding="utf-8", errors="replace") as log:
            if fresh:
                make_venv(log, lock)
            run(pip_command(test, torch), "Installing the packages", log, lock)
    except BaseException:
        undo(stamp, fresh)
        raise
    write_stamp({"made_by": identity(), "torch": torch, "ready": contained(test, torch)})


def undo(stamp, fresh):
    """After a failure: keep an environment that pip had not begun to change, leave nothing of any other."""
    if fresh or "Installing collected packages" in read_log():
        clear()
    else:
        write_stamp(stamp)


def clear():
    """Empty .venv, but for what belongs to this script."""
    for name in os.listdir(VENV):
        path = os.path.join(VENV, name)
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path, ignore_errors=True)
        elif path not in OWN:
            os.remove(path)


def make_venv(log, lock):
    """A new environment, from the Python outside any environment that runs this script."""
    clear()
    python = getattr(sys, "_base_executable", None) or sys.executable
    run([python, "-m", "venv", VENV], "Making .venv", log, lock)


def pip_command(test, torch):
    """The command that installs the packages; it runs in the course's folder, which ``-e .`` means."""
    command = [PYTHON, "-P", "-m", "pip", "install", "--no-input", "--progress-bar", "off"]
    for name in requirements(test):
        command += ["-r", name if torch else without_torch(name)]
    return command


def without_torch(name):
    """A copy of a requirements file that leaves the torch line out."""
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        lines = [line for line in file if not re.match(r"torch\b(?!-)", line)]
    copy = os.path.join(VENV, name)
    with open(copy, "w", encoding="utf-8") as file:
        file.writelines(lines)
    return copy


def run(command, title, log, lock):
    """Run one step of the installation; all it prints goes to the log, and a line of it to the terminal."""
    environment = {name: value for name, value in os.environ.items() if name not in MISLEADING}
    environment.update(PYTHONIOENCODING="utf-8", PIP_DISABLE_PIP_VERSION_CHECK="1")
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    inherited = {} if WINDOWS else {"pass_fds": (lock.fileno(),)}
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, encoding="utf-8", errors="replace", **pipes, **inherited
    )
    try:
        with progress(title) as show:
            for line in process.stdout:
                log.write(line)
                log.flush()
                show(line)
        status = process.wait()
    finally:
        process.kill()
        process.wait()
    if status:
        fail(reason(title))


def reason(title):
    """Why a step of the installation failed, in a sentence, from its log."""
    text = read_log()
    if re.search("No space left on device|not enough space on the disk", text):
        return f"the disk is full. Make room, then start again; the log is {LOG}."
    if re.search("Max retries exceeded|establish a new connection|NameResolutionError|ReadTimeoutError", text):
        return f"pip could not reach its package index. Check the network, then start again; the log is {LOG}."
    lines = [line.strip() for line in text.splitlines() if line.strip()] or ["no word"]
    # That name says less than the error before it.
    errors = re.findall("^ERROR: (?!ResolutionImpossible)(.+)$", text, re.MULTILINE) or lines
    hint = " Without PyTorch: python3 start.py --no-torch." if "torch" in errors[-1] else ""
    return f"{title} failed: {errors[-1].rstrip('.')} (the log is {LOG}).{hint}"


def read_log():
    """The log of the last installation; empty where there is none."""
    try:
        with open(LOG, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def say(line):
    """One line for the person who waits."""
    print(line, file=sys.stderr, flush=True)


def in_short(line):
    """What a line of pip says to the person who waits; empty where that is nothing."""
    if line.startswith("Installing collected packages:"):
        return f"Copying {line.count(',') + 1} packages"
    found = re.match(r"\s*(Collecting|Downloading|Using cached) (?:\S*/)?(\S+)(?: .*(\(.*B\)))?", line)
    return " ".join(filter(None, found.groups())) if found else ""


@contextlib.contextmanager
def progress(title):
    """Say what goes on: one line that is kept up to date on a terminal, the title alone elsewhere."""
    if not sys.stderr.isatty():
        say(title + " ...")
        yield lambda line: None
        return
    now, begun, done = [title], time.monotonic(), threading.Event()

    def show(line):
        now[0] = in_short(line) or now[0]

    def redraw():
        while True:
            width = shutil.get_terminal_size().columns - 1
            line = f"{time.monotonic() - begun:4.0f} s  {now[0]}"[:width]
            print("\r" + line.ljust(width), end="", file=sys.stderr, flush=True)
            if done.wait(0.5):
                return

    drawer = threading.Thread(target=redraw, daemon=True)
    drawer.start()
    try:
        yield show
    finally:
        now[0] = title
        done.set()
        drawer.join()
        say("")


def hand_over(words):
    """Become the `course` command of the environment."""
    command = [PYTHON, "-P", "-m", "course_command"] + words
    if not WINDOWS:
        os.execv(PYTHON, command)
    # On Windows exec gives the console back at once; so this process waits, and Ctrl-C is the command's to answer.
    process = subprocess.Popen(command)
    while True:
        with contextlib.suppress(KeyboardInterrupt):
            return process.wait()


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        fail("interrupted. Start again to go on.")
