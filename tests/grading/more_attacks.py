"""Attacks of the project's own: points without work, or the end of the batch. Each is a script for exercise 11."""

NOTHING = """
import numpy as np
def max_pool2d(x, kernel_size, stride, padding):
    evil(x)
def max_pool2d_backward(grad_output, cache):
    evil(grad_output)
"""
# Names that the sandbox's own code has, found by walking up the frames.
WORKER = """
import sys
def worker():
    frame = sys._getframe()
    while frame and "worker" not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals["worker"]
"""


def does(body, more=""):
    """A program that does something and gives nothing."""
    lines = "\n".join("    " + line for line in body.strip().splitlines())
    return f"{more}\ndef evil(x):\n{lines}\n{NOTHING}"


def returns(expression, more="import numpy as np"):
    """A program whose functions give an expression."""
    return (
        f"{more}\ndef max_pool2d(x, kernel_size, stride, padding):\n    return {expression}, x\n"
        f"def max_pool2d_backward(grad_output, cache):\n    return {expression}\n"
    )


LYING = """
import numpy as np
class Lie(np.ndarray):
    def __eq__(self, other): return True
    def __sub__(self, other): return 0
    def __array_finalize__(self, other): pass
    def __array_function__(self, *a, **k): return True
    def __array_ufunc__(self, *a, **k): return True
    shape = property(lambda self: (1, 1, 1, 2))
"""
EQUAL = """
class Equal:
    def __eq__(self, other): return True
    def __array__(self, *a, **k): raise SystemExit(0)
    __class__ = property(lambda self: __import__("numpy").ndarray)
"""
DEEP = "def deep():\n    x = []\n    for _ in range(10**6): x = [x]\n    return x"
ENDLESS_TEXT = "class E(Exception):\n    def __str__(self):\n        while True: pass"
ATTACKS = {
    "lying subclass of an array": returns("np.zeros(2).view(Lie)", LYING),
    "an object that equals everything": returns("Equal()", EQUAL),
    "an empty array": returns("np.empty((0,))"),
    "an array that would be broadcast": returns("np.zeros(())"),
    "a list that holds itself": returns("L", "L = []\nL.append(L)"),
    "a list a million deep": returns(
        "deep()", "def deep():\n    x = []\n    for _ in range(10**6): x = [x]\n    return x"
    ),
    "a dict with odd keys": returns("{1: 2, (3,): 4}"),
    "a number with a million digits": returns("10**1000000"),
    "a text of a gigabyte": returns("'x' * 10**8"),
    "an array of objects that run code": returns("np.array([E()], object)", EQUAL + "import numpy as np\nE = Equal"),
    "a structured array": returns("np.zeros(2, [('a', float), ('b', object)])"),
    "dates": returns("np.zeros(2, 'M8[s]')"),
    "long doubles": returns("np.zeros(2, np.longdouble)"),
    "complex numbers": returns("np.zeros((1, 1, 1, 2), complex)"),
    "infinity": returns("np.full((1, 1, 1, 2), np.inf)"),
    "a generator": returns("(one for one in range(3))"),
    "SystemExit": does("raise SystemExit(0)"),
    "KeyboardInterrupt": does("raise KeyboardInterrupt"),
    "os._exit": does("import os\nos._exit(0)"),
    "abort": does("import os\nos.abort()"),
    "a crash": does("import ctypes\nctypes.string_at(0)"),
    "an error whose text never ends": does(
        "raise E()", "class E(Exception):\n    def __str__(self):\n        while True: pass"
    ),
    "an error with markup": does("raise ValueError('<script>alert(1)</script>')"),
    "an error named as a formula": does("raise type('=1+1', (Exception,), {})('x')"),
    "a fork bomb": does("import os\nfor _ in range(60):\n    if os.fork() == 0:\n        while True: pass"),
    "a full disk": does(
        "import os\nfor place in ('/', '/tmp', '/dev/shm', '/empty', '/srv', '.'):\n    try:\n"
        "        open(os.path.join(place, 'left-by-an-attack'), 'wb').write(b'x' * 10**8)\n    except OSError: pass"
    ),
    "forged message: a result": does(
        "worker().send('result', kind='one', values=[1.0], references=[0], changed=[], lines=0)", WORKER
    ),
    "forged message: right by claim": does("worker().send('result', passed=True, points=24)", WORKER),
    "forged message: a callback": does("worker().ask('callback', number=0, arguments=[])", WORKER),
    "forged message: a function of the judge's": does(
        "worker().ask('library', name='course_lib.cli.main', arguments=[['doctor']], named={})", WORKER
    ),
    "forged message: not even one": does("import os\nos.write(worker().link.number, bytes(100))", WORKER),
    "forged message: a long one": does(
        "import os, struct\nos.write(worker().link.number, struct.pack('<IQ', 10, 2**60))", WORKER
    ),
    "a thousand threads": does(
        "import threading\nfor _ in range(1000):\n    try: threading.Thread(target=print).start()\n"
        "    except RuntimeError: pass"
    ),
    "everything patched": does(
        "import json\njson.dumps = lambda *a, **k: '[]'\nnp.asarray = lambda *a, **k: 1\n"
        "np.ascontiguousarray = lambda *a, **k: b''"
    ),
    "a parameter that lies": returns("np.zeros(1)") + "max_pool2d.__signature__ = 'x'\n",
    "a name that is no function": "max_pool2d = 1\nmax_pool2d_backward = max_pool2d\n",
    "at the top of the notebook": "max_pool2d = max_pool2d_backward = print\nwhile True: max_pool2d = print\n",
    "a parser bomb of attributes": "x = x" + ".x" * 100_000 + returns("x"),
    "a parser bomb of sums": "x = 0" + "+0" * 200_000 + returns("x"),
    "a parser bomb of brackets": "x = " + "(" * 5_000 + ")" * 5_000 + returns("x"),
    "a surrogate": returns("'\\ud800'"),
    "the judge's process": does(
        "import os\nfor number in range(2, 400):\n    try: os.kill(number, 9)\n    except OSError: pass"
    ),
}
