"""What of this machine's Python the sandbox sees: the interpreter, the standard library, NumPy, and what they load."""

import os
import re
import subprocess
import sys
import sysconfig
from functools import cache
from pathlib import Path

import numpy as np

BOX = Path(__file__).parent / "box"
# What is under it is put there; everything else stands in the sandbox where it stands here.
ROOT = "/srv"
PACKAGES, LIBRARIES, OURS = f"{ROOT}/packages", f"{ROOT}/libraries", f"{ROOT}/course_lib/classroom/box"
# What a program here may import is what this finds; the libraries under them come along.
PROBE = '''
import importlib, sys
sys.path.insert(0, sys.argv[1])
names = """numpy numpy.linalg numpy.fft numpy.random ctypes decimal hashlib zlib bz2 lzma socket select resource
           unicodedata json statistics multiprocessing"""
for name in names.split():
    try:
        importlib.import_module(name)
    except ImportError:
        pass
print("".join(open("/proc/self/maps")))
'''


class NoRuntime(Exception):
    """Why no sandbox can be furnished."""


@cache
def mounts():
    """Pairs of what is here and where the sandbox sees it, all of them to read only."""
    executable = interpreter()
    standard = Path(sysconfig.get_paths()["stdlib"]).resolve()
    package = Path(np.__file__).parent
    pairs = [(executable, executable), (standard, standard), (BOX, OURS), (package, f"{PACKAGES}/numpy")]
    pairs += [(path, f"{PACKAGES}/{path.name}") for path in package.parent.glob("numpy.libs")]
    pairs += [(path, f"{LIBRARIES}/{name}") for path in _loaded(standard, package) for name in _names(path)]
    return [(str(here), str(there)) for here, there in [*pairs, *_loader(executable)]]


def hidden():
    """Folders inside the standard library that hold other packages; the sandbox sees them empty."""
    standard = Path(sysconfig.get_paths()["stdlib"]).resolve()
    return [str(path) for path in (standard / "site-packages", standard / "dist-packages") if path.is_dir()]


def interpreter():
    """The interpreter itself, behind every virtual environment and link."""
    return Path(getattr(sys, "_base_executable", None) or sys.executable).resolve()


@cache
def _loaded(standard, package):
    """The shared libraries outside the standard library and NumPy that these load."""
    words = [str(interpreter()), "-I", "-S", "-B", "-c", PROBE, str(package.parent)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, env=one_thread())
    if done.returncode:
        raise NoRuntime(f"{words[0]} cannot import NumPy by itself")
    paths = {line.split(maxsplit=5)[5] for line in done.stdout.splitlines() if len(line.split(maxsplit=5)) == 6}
    found = (Path(path) for path in sorted(paths) if ".so" in Path(path).name and os.path.isfile(path))
    inside = standard, package.parent / "numpy", package.parent / "numpy.libs"
    return [path for path in found if not any(folder in path.parents for folder in inside)]


def _names(path):
    """The names of a library: that of the file, and those of the links to it beside it."""
    stem = path.name.partition(".so")[0]
    links = (one.name for one in path.parent.glob(f"{stem}.so*") if one.resolve() == path.resolve())
    return sorted({path.name, *links})


def _loader(executable):
    """The program that loads shared libraries, where the interpreter looks for it."""
    with open(executable, "rb") as file:
        found = re.search(rb"/lib[\w./-]*/ld[\w.-]*\.so[.\d]*", file.read(1 << 16))
    return [(os.path.realpath(found[0].decode()), found[0].decode())] if found else []


def one_thread():
    """An environment with nothing of this one in it, and one thread for matrix products."""
    return {
        "PATH": "/nonexistent",
        "LANG": "C.UTF-8",
        "HOME": "/nonexistent",
        "LD_LIBRARY_PATH": LIBRARIES,
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
    }
