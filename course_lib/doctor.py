"""``course doctor``: what works here, in one screen, and the sentence that mends what does not."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from course_lib.workspace import COURSE, work_folder

OLDEST = (3, 11)
MODULES = {"scikit-learn": "sklearn", "Pygments": "pygments"}
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
CHROMIUM_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
LAB_EXTENSIONS = ("anywidget", "@jupyter-widgets/jupyterlab-manager")
# The modules are imported in another process, so that one that crashes does not take the doctor along.
PROBE = """
import importlib, json, sys, warnings
warnings.simplefilter("ignore")
for name in sys.argv[1:]:
    print(json.dumps([name, "crashes when it is imported"]), flush=True)
    try:
        importlib.import_module(name)
        print(json.dumps([name, ""]), flush=True)
    except BaseException as error:
        print(json.dumps([name, f"{type(error).__name__}: {error}".splitlines()[0]]), flush=True)
"""
DEVICES = """
import torch
names = [f"cpu ({torch.get_num_threads()} threads)"]
names += [torch.cuda.get_device_name(number) for number in range(torch.cuda.device_count())]
names += ["mps"] * torch.backends.mps.is_available()
print(", ".join(names))
"""


class Finding(NamedTuple):
    """One line: ``ok``, ``note`` or ``fails``; of what; what was found; and the sentence that mends it."""

    state: str
    subject: str
    found: str
    mend: str = ""


def add_arguments(parser):
    """``course doctor`` has no options."""


def run(options):
    """Print what works; the status is 1 where something that every chapter needs does not."""
    findings = [python(), *packages(), jupyterlab(), work(), browser()]
    width = max(len(finding.subject) for finding in findings)
    for finding in findings:
        print(f"{finding.state:<5}  {finding.subject:<{width}}  {finding.found}".rstrip())
        if finding.mend:
            print(" " * 7 + finding.mend)
    failures = sum(finding.state == "fails" for finding in findings)
    print(f"\n{failures} of these fail." if failures else "\nEverything that the course needs works.")
    return int(failures > 0)


def python():
    """The Python that runs this."""
    found = f"{sys.version.split()[0]}, {sys.executable}"
    if sys.version_info < OLDEST:
        return Finding("fails", "Python", found, "The course needs Python 3.11 or newer.")
    return Finding("ok", "Python", found)


def pins():
    """The packages of requirements.txt with their versions."""
    path = COURSE / "requirements.txt"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    found = (re.match(r"([A-Za-z0-9._-]+)==(\S+)", line) for line in lines)
    return {match[1]: match[2] for match in found if match}


def packages():
    """One finding a package: installed, of the pinned version, and able to be imported."""
    pinned = pins()
    versions = {name: installed(name) for name in pinned}
    failed = import_errors([MODULES.get(name, name) for name in pinned if versions[name]])
    return [package(name, pin, versions[name], failed.get(MODULES.get(name, name), "")) for name, pin in pinned.items()]


def installed(name):
    """The version of a distribution; None where there is none, or where what is left of it has no version."""
    try:
        return metadata.version(name)
    except (metadata.PackageNotFoundError, KeyError, OSError, ValueError):
        return None


def import_errors(modules):
    """The modules that cannot be imported, each with the reason."""
    reasons = {}
    while left := [module for module in modules if module not in reasons]:
        lines = output_of([sys.executable, "-P", "-c", PROBE, *left]).splitlines()
        found = dict(json.loads(line) for line in lines if line.startswith('["'))
        # After a crash the rest is tried again; where not even the first is reached, no other attempt will do better.
        reasons |= found or dict.fromkeys(left, "Python does not run")
    return {module: reason for module, reason in reasons.items() if reason}


def output_of(command):
    """What a Python process prints within two minutes."""
    try:
        done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", timeout=120)
    except subprocess.TimeoutExpired as error:
        return (error.stdout or b"").decode("utf-8", "replace")
    return done.stdout


def package(name, pinned, version, error):
    """The finding for one package."""
    if not version and name == "torch":
        mend = "Chapters on NumPy work without it. To add it: python3 start.py --torch"
        return Finding("note", name, "not installed", mend)
    if not version:
        return Finding("fails", name, "not installed", mend_packages())
    if error:
        return Finding("fails", name, f"{version}, but {error}", mend_packages("--force-reinstall "))
    found = f"{version}, {devices()}" if name == "torch" else version
    if version.split("+")[0] != pinned:
        return Finding("note", name, found, f"The course was tested with {pinned}: {mend_packages()}")
    return Finding("ok", name, found)


def mend_packages(option=""):
    """How to install the packages again, in the course's own environment or in another."""
    if Path(sys.prefix).resolve() == (COURSE / ".venv").resolve():
        return "Delete the folder .venv, then run: python3 start.py"
    return f"In {COURSE} run: {Path(sys.executable).name} -m pip install {option}-r requirements.txt"


def devices():
    """The devices that torch can use."""
    return output_of([sys.executable, "-P", "-c", DEVICES]).strip() or "no device answers"


def jupyterlab():
    """The kernel and the parts that draw widgets."""
    try:
        from jupyter_client.kernelspec import find_kernel_specs
        from jupyter_core.paths import jupyter_path
    except Exception as error:
        return Finding("fails", "notebooks", f"Jupyter is not usable ({error})", mend_packages())
    missing = [] if "python3" in find_kernel_specs() else ["kernel python3"]
    places = [Path(folder) for folder in jupyter_path("labextensions")]
    missing += [f"extension {name}" for name in LAB_EXTENSIONS if not any((place / name).exists() for place in places)]
    if missing:
        return Finding("fails", "notebooks", f"JupyterLab lacks {', '.join(missing)}", mend_packages())
    return Finding("ok", "notebooks", "kernel and widgets are there")


def work():
    """Whether the learner's folder can be written, found without making it."""
    folder = work_folder()
    there = next(path for path in (folder, *folder.parents) if path.exists())
    try:
        if folder == there:
            with tempfile.TemporaryFile(dir=folder):
                pass
        elif not os.access(there, os.W_OK):
            raise PermissionError(13, "Permission denied")
    except OSError as error:
        mend = "Set COURSE_WORK to a folder of your own, then start again."
        return Finding("fails", "work folder", f"{folder} cannot be written ({error.strerror})", mend)
    return Finding("ok", "work folder", f"{folder} can be written")


def browser():
    """A browser for the notebooks; only Chromium's family runs the browser tests."""
    chromium = find_chromium()
    if chromium:
        return Finding("ok", "browser", chromium)
    import webbrowser

    try:
        found = f"{webbrowser.get().name}; no Chromium"
        return Finding("note", "browser", found, "Only the browser tests need Chromium (apt install chromium).")
    except webbrowser.Error:
        mend = "python3 start.py --no-browser prints the address for a browser elsewhere."
        return Finding("note", "browser", "none found here", mend)


def find_chromium():
    """The path of a browser of Chromium's family; None where there is none."""
    found = (shutil.which(name) for name in CHROMIUM)
    places = (place for place in CHROMIUM_PLACES if os.path.exists(place))
    return next((path for path in (*found, *places) if path), None)
