"""Attacks on the limits: fresh seconds by a new process, the judge's memory, and changes that no call has made.

Each is a script for the exercise that its name begins with, and each has its own idea.
"""

from tests.grading.more_attacks import WORKER, does

BURNS = """
import time
def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end: pass
"""
CHANGED = """
import json, os, struct
import numpy as np
def forged(changed):
    given = {{"kind": ["v", "one"], "values": ["l", [["v", 1]]], "references": ["l", [["v", 0]]],
             "changed": changed, "lines": ["v", 0]}}
    tree = json.dumps(["result", [list(pair) for pair in given.items()]]).encode()
    os.write(worker().link.number, struct.pack("<IQ", len(tree), {size}) + tree + bytes({size}))
"""


def changes(number, head, size):
    """A program that says that a call has changed an array into another."""
    return does(f"forged(['l', [['l', [{number}, {head}]]]])", WORKER + CHANGED.format(size=size))


def checker(body, against="raise AssertionError"):
    """A program for exercise 6."""
    lines = "\n".join("    " + line for line in body.strip().splitlines())
    head = "def sampled_check(function, backward, inputs, grad_output, samples, rng):"
    return f"import numpy as np\nCALLS = [0]\n{head}\n{lines}\ndef compare_with_torch(*arguments):\n    {against}\n"


ATTACKS = {
    "11 uses its seconds, ends, and wants them again": does("burn(0.2)\nimport os\nos._exit(0)", BURNS),
    "11 waits, ends, and wants the time again": does("import time, os\ntime.sleep(0.5)\nos._exit(0)"),
    "11 uses its seconds before anything is called": does(
        "import os\nos._exit(0 if BURNT is None else 1)", BURNS + "BURNT = burn(0.3)\n"
    ),
    "11 puts the limit of the processor off": does(
        "signal.signal(signal.SIGXCPU, signal.SIG_IGN)\n"
        "_, most = resource.getrlimit(resource.RLIMIT_CPU)\nresource.setrlimit(resource.RLIMIT_CPU, (most, most))\n"
        "while True: pass",
        "import resource, signal",
    ),
    "11 says that its memory is used up, each time": does("raise MemoryError"),
    "11 gives back as much as may cross, each time": (
        "import numpy as np\ndef max_pool2d(x, kernel_size, stride, padding):\n    return np.zeros(2**20 - 64), x\n"
        "def max_pool2d_backward(grad_output, cache):\n    return np.zeros(2**20 - 64)\n"
    ),
    "11 keeps what it makes": does("KEPT.append(np.ones(3 << 24))", "import numpy as np\nKEPT = []"),
    "11 makes an input larger": changes(["v", 0], ["a", "<f8", [10_000], True], 80_000),
    "11 makes an input another type": changes(["v", 0], ["a", "<i8", [1, 1, 1, 1], True], 8),
    "11 changes an array from the end": changes(["v", -1], ["a", "<f8", [1], True], 8),
    "11 changes a shape in place": does("x.shape = (-1,)\nx.resize(10**6, refcheck=False)"),
    "06 asks the judge without end": checker("while True:\n    function(*inputs)"),
    "06 says yes and no in turn": checker("CALLS[0] += 1\nreturn CALLS[0] % 2 == 1, np.zeros((len(inputs), 2))"),
    "06 says yes, and refuses what follows": checker(
        "CALLS[0] += 1\nassert CALLS[0] < 6\nreturn True, np.zeros((len(inputs), 2))"
    ),
}
