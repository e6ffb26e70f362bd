"""Notebooks as students hand them in: whatever became of the cells, the answers in them are found."""

import ast
import json

import pytest

from course_lib.classroom.box.slicing import sliced
from course_lib.classroom.stand_ins import Program, Task, Unreadable
from tests.grading.classes import notebook

DOUBLE = "def double(x):\n    return factor * x"
FACTOR = "factor = 2"
STUB = 'def double(x):\n    """Twice."""\n    raise NotImplementedError("Your turn.")'


def cells(*found, **changed):
    """A notebook of cells that are given as pairs of type and text, or as text."""
    made = [one if isinstance(one, tuple) else ("code", one) for one in found]
    made = [{"cell_type": kind, "source": text, "metadata": {}} for kind, text in made]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **changed}).encode()


TAKE = "for one in [2, 3]:\n    take(one)"
# Ways to fill a list whose first number is the factor: no statement but a call says that the list changes.
FILLED = {
    "a function": ("def take(one):\n    numbers.append(one)", TAKE),
    "a function of a function": ("def put(one):\n    numbers.append(one)", "def take(one):\n    put(one)", TAKE),
    "a function without arguments": ("def take():\n    numbers.extend([2, 3])", "take()"),
    "a function with a global": ("def take():\n    global numbers\n    numbers = [2, 3]", "take()"),
    "a function that changes its argument": ("def take(to):\n    to += [2]\n    return to", "done = take(numbers)"),
    "a function that has another name": ("take = numbers.append", TAKE),
    "a lambda": ("take = lambda one: numbers.append(one)", TAKE),
    "a default": ("def take(one, to=numbers):\n    to.append(one)\n    return one", "done = take(2)"),
    "a function made by one": (
        "def taking(to):\n    def put(one):\n        to.append(one)\n    return put", "take = taking(numbers)", TAKE,
    ),
    "a list of functions": ("def put(one):\n    numbers.append(one)", "for take in [put]:\n    take(2)"),
    "a decorator": ("def take(f):\n    numbers.append(f())\n    return f", "@take\ndef two():\n    return 2"),
    "a decorator with arguments": (
        "def take(one):\n    def put(f):\n        numbers.append(one)\n        return f\n    return put",
        "@take(2)\ndef two():\n    pass",
    ),
    "an object": ("class All:\n    def take(self, one):\n        numbers.append(one)", "done = All().take(2)"),
    "an object that holds it": (
        "class All:\n    def __init__(self, to):\n        self.to = to\n"
        "    def take(self, one):\n        self.to.append(one)\n        return one",
        "all = All(numbers)", "done = all.take(2)",
    ),
    "a class for each": ("class One:\n    def __init__(self):\n        numbers.append(2)", "one = One()"),
    "a comprehension": ("[numbers.append(one) for one in (2, 3)]",),
    "a comprehension for nobody": ("_ = [numbers.append(one) for one in (2, 3)]",),
    "a method that is mapped": ("list(map(numbers.append, (2, 3)))",),
    "a condition": ("numbers or numbers.append(2)",),
    "a loop over lists": ("for one in [numbers]:\n    one += [2]",),
    "a print": ("def take():\n    numbers.append(2)\n    return 2", "print(take())"),
}  # fmt: skip
LEFT_OUT = {
    "a plot": "import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nax.plot(factor)\nplt.imshow(factor)",
    "plots in a loop": "for ax, one in zip(axes, [factor]):\n    ax.imshow(one)\n    ax.set_title('x')",
    "a function that plots": "def show():\n    plt.plot(factor)\n    plt.show()\nshow()",
    "a print": "print(double(factor))",
    "a check": "check(1, double=double)",
    "an assertion": "assert double(factor) == 4",
    "training": (
        "import torch\nnet = torch.nn.Linear(1, 1)\nfor step in range(9):\n    loss = net(factor).sum()\n"
        "    loss.backward()\n    losses.append(loss)"
    ),
    "training with its own functions": (
        "def step(w, x):\n    out = np.zeros(3)\n    out[0] = double(x)\n    return out\n"
        "for one in range(9):\n    w = step(w, factor)"
    ),
}


OLD = {"worksheets": [{"cells": [{"cell_type": "code", "input": [f"{FACTOR}\n", DOUBLE]}]}], "nbformat": 3}
ODD = {"cells": [{"source": "x"}, 3, None, *json.loads(notebook(FACTOR, DOUBLE))["cells"]]}
CHINESE = json.dumps(json.loads(notebook("# 两倍", FACTOR, DOUBLE)), ensure_ascii=False)
FOUND = {
    "as it should be": notebook(FACTOR, DOUBLE),
    "in another order": notebook(DOUBLE, FACTOR),
    "values in another order": notebook("two = one + 1", "one = 1", "factor = two", DOUBLE),
    "a cell twice": notebook(FACTOR, DOUBLE, DOUBLE),
    "the stub after the answer": notebook(FACTOR, DOUBLE, STUB),
    "a function in two cells": notebook(FACTOR, "def double(x):\n    y = x", "    return factor * y"),
    "a function cut after its head": notebook(FACTOR, "def double(x):", "    return factor * x"),
    "a cell that has become text": cells(FACTOR, ("markdown", DOUBLE)),
    "a cell that has become raw": cells(("raw", DOUBLE), FACTOR),
    "a broken cell beside it": notebook("def broken(:", FACTOR, DOUBLE),
    "an error at the top": notebook("1 / 0", FACTOR, DOUBLE),
    "an endless loop at the top": notebook(FACTOR, DOUBLE, "while True:\n    pass"),
    "magics": notebook("%matplotlib inline\n" + FACTOR, "%%time\n" + DOUBLE, "!pip install x\n%%bash", "double?"),
    "a question in a comment": notebook("%matplotlib inline\nfactor = 2  # is it two?", DOUBLE),
    "a question in a docstring": notebook('%precision 3\ndef double(x):\n    """Two?\n"""\n    return 2 * x'),
    "help before a name": notebook("?np.add\n" + FACTOR, "??np.add\n" + DOUBLE),
    "a bar": notebook("from tqdm.auto import tqdm", "factor = sum(1 for _ in tqdm(range(2), desc='x'))", DOUBLE),
    "a display": notebook(FACTOR, "def double(x):\n    display(x)\n    return factor * x"),
    "a check with another name": notebook(
        "from course_lib.exercises import check as pruefe", FACTOR, DOUBLE.replace("double", "mine"),
        "pruefe(1, double=mine)",
    ),
    "a check of its module": notebook(FACTOR, DOUBLE.replace("double", "mine"), "exercises.check(1, double=mine)"),
    "a shell cell": notebook(FACTOR, "%%bash\nrm -rf /", DOUBLE),
    "an assignment from a shell": notebook("files = !ls\n" + FACTOR, DOUBLE),
    "plots and prints": notebook("import matplotlib.pyplot as plt", FACTOR, DOUBLE, "plt.plot([1])", "print(1)"),
    "torch in a cell of one's own": notebook("import torch", FACTOR, DOUBLE, "t = torch.ones(3)"),
    "under another name, by the check": notebook(FACTOR, DOUBLE.replace("double", "mine"), "check(1, double=mine)"),
    "built step by step": notebook("numbers = []", "numbers.append(2)", "factor = numbers[0]", DOUBLE),
    "set by an index": notebook("table = {}\ntable['f'] = 2\nfactor = table['f']", DOUBLE),
    "a helper function": notebook("def help(x):\n    return 2 * x", "def double(x):\n    return help(x)"),
    "a decorator": notebook("import functools", FACTOR, "@functools.cache\n" + DOUBLE),
    "with a mark for UTF-8": b"\xef\xbb\xbf" + notebook(FACTOR, DOUBLE),
    "in UTF-16": notebook(FACTOR, DOUBLE).decode().encode("utf-16"),
    "Chinese in GB18030": CHINESE.encode("gb18030"),
    "of format 3": json.dumps(OLD).encode(),
    "cells without types": json.dumps(ODD).encode(),
}  # fmt: skip
NOT_READ = {
    "empty": (b"", "the file is empty"),
    "cut off": (notebook(FACTOR, DOUBLE)[:60], "broken or cut off"),
    "no JSON": (b"hello", "broken or cut off"),
    "no cells": (b"{}", "holds no cells"),
    "a list": (b"[1, 2]", "holds no cells"),
    "cells that are none": (b'{"cells": 3}', "holds no cells"),
    "deep": (b"[" * 200_000, "broken or cut off"),
    "NUL": (b"\0\0\0", "NUL characters"),
    "too much code": (notebook("x = 1\n" * 300_000), "too much code"),
    "too many cells": (notebook(*["x = 1"] * 6000), "too much code"),
}


@pytest.mark.parametrize("name", FOUND)
def test_the_answer_is_found(zygote, name):
    with Program(zygote, FOUND[name], "x.ipynb", Task(1, ["double"], 2.0)) as program:
        assert program.answers()["double"](21) == 42


@pytest.mark.parametrize("name", FILLED)
def test_what_a_call_changes_is_kept(zygote, name):
    data = notebook("numbers = []", *FILLED[name], "factor = numbers[0]", DOUBLE)
    with Program(zygote, data, "x.ipynb", Task(1, ["double"], 2.0)) as program:
        assert program.answers()["double"](21) == 42


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_no_answer_needs_is_left_out(name):
    needed = ast.parse(f"import numpy as np\n{FACTOR}\n{DOUBLE}").body
    found = sliced([*needed, *ast.parse(LEFT_OUT[name]).body], ["double"], 1)
    assert [one for one in found[:-1] if not isinstance(one, (ast.Import, ast.ImportFrom))] == needed[1:]


@pytest.mark.parametrize("name", NOT_READ)
def test_what_cannot_be_read_says_why(zygote, name):
    data, why = NOT_READ[name]
    with Program(zygote, data, "x.ipynb", Task(1, ["double"], 2.0)) as program, pytest.raises(Unreadable, match=why):
        program.answers()


def test_a_broken_cell_is_named(zygote):
    data = notebook(FACTOR, "def broken(:", DOUBLE)
    with Program(zygote, data, "x.ipynb", Task(1, ["double"])) as program:
        assert program.survey()["notes"] == ["cell 2 is no Python: invalid syntax in line 1"]


def test_an_error_has_its_line_and_cell(zygote):
    data = notebook(FACTOR, "def double(x):\n    return x + wrong")
    with Program(zygote, data, "x.ipynb", Task(1, ["double"])) as program:
        try:
            program.answers()["double"](1)
        except Exception as fault:
            assert fault.details == (("your line", "line 2 of double in cell 2: return x + wrong"),)


def test_the_signature_is_the_functions_own(zygote):
    import inspect

    data = notebook("def double(x, *, stride=1):\n    return x")
    with Program(zygote, data, "x.ipynb", Task(1, ["double"])) as program:
        assert list(inspect.signature(program.answers()["double"]).parameters) == ["x", "stride"]
