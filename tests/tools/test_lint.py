import pytest

from tools.convert import targets
from tools.lint import lint_source

PROSE = "# %% [markdown]\n# Some prose.\n\n"
LONG_BODY = "".join(f"    x{n} = {n}\n" for n in range(15))
WRONG_CELLS = {
    "magic": ("# %%\n%matplotlib inline\n", "no magics"),
    "cell magic": ("# %%\n%%time\nx = 1\n", "no magics"),
    "shell": ("# %%\nx = 1\n!pip list\n", "no magics"),
    "shell assigned": ("# %%\nfiles = !ls\n", "no magics"),
    "help": ("# %%\nprint?\n", "no magics"),
    "syntax": ("# %%\nx = (1\n", "is not Python"),
    "trailing semicolon": ("# %%\nprint(1);\n", "no semicolons"),
    "empty": ("# %%\n\n", "must not be empty"),
    "only comments": ("# %%\n# nothing here\n", "only comments"),
    "long cell": ("# %%\n" + "".join(f"x{n} = {n}\n" for n in range(16)), "at most 15 lines of code to a cell"),
    "long function": (f"# %%\ndef f():\n{LONG_BODY}", "at most 15 lines to a function; f has 16"),
    "unknown tag": ('# %% tags=["hide"]\nx = 1\n', "tag 'hide' is unknown"),
    "unknown key": ('# %% tag="stub"\nx = 1\n', "it holds tag='stub'"),
    "title": ("# %% Numbers\nx = 1\n", "it holds title='Numbers'"),
    "uncompared and unbounded": ('# %% tags=["nbval-ignore-output"]\nprint(1)\n', "needs an assert"),
    "nbval comment": ("# %%\n# NBVAL_IGNORE_OUTPUT\nprint(1)\n", "use tags"),
    "name with blank": ('# %% name="two words"\nx = 1\n', "name 'two words' must be"),
    "name twice": ('# %% name="x"\nx = 1\n\n# %% [markdown] name="x"\n# Prose.\n', "name 'x' must stand once"),
    "both tags": ('# %% tags=["stub", "solution"]\nx = 1\n', "leave the cell out everywhere"),
    "no header": ("x = 1\n", "the first line must open a cell"),
}
WRONG_CHAPTERS = {
    "solution": ('# %% tags=["solution"]\nx = 1\n', "belongs in exercises"),
    "stub": ('# %% tags=["stub"]\nx = 1\n', "belongs in exercises"),
    "three in a row": (PROSE + "# %%\nx = 1\n\n# %%\ny = 1\n\n# %%\nz = 1\n", "put prose between cells 2 and 4"),
    "many cells": (PROSE * 41, "at most 40 cells to a chapter; it has 41"),
    "long on the whole": ("# %%\n" + "".join(f"x{n} = {n}\n" for n in range(7)), "here it has 7"),
}
RIGHT = {
    "remainder over two lines": "# %%\nprint(\n    'a %d'\n    % 1\n)\n",
    "docstring and comments": f'# %%\ndef f():\n    """Long.\n{LONG_BODY}    """\n    # Why.\n\n    return 1\n',
    "lesson": f'# %% tags=["lesson"]\ndef f():\n{LONG_BODY}',
    "long question": "# %%\npredict(\n" + "    'a',\n" * 20 + ")\n",
    "semicolon in a string": "# %%\nprint('a;')\n",
    "bounded time": '# %% tags=["nbval-ignore-output"]\nassert 1 < 2\n',
    "two in a row": PROSE + "# %%\nx = 1\n\n# %%\ny = 1\n\n" + PROSE + "# %%\nx = 1\n",
}


@pytest.fixture
def lint_of(tmp_path):
    """The messages for a source given as text."""

    def messages(text, kind):
        source = tmp_path / "sources" / kind / "01_sample.py"
        source.parent.mkdir(parents=True)
        source.write_text(text, encoding="utf-8")
        return lint_source(targets(tmp_path)[0])

    return messages


@pytest.mark.parametrize(("text", "message"), WRONG_CELLS.values(), ids=WRONG_CELLS)
def test_lint_source_refuses_a_wrong_cell(lint_of, text, message):
    (found,) = lint_of(text, "exercises")
    assert message in found
    assert found.startswith("sources/exercises/01_sample.py: ")


@pytest.mark.parametrize(("text", "message"), WRONG_CHAPTERS.values(), ids=WRONG_CHAPTERS)
def test_lint_source_refuses_a_wrong_chapter(lint_of, text, message):
    (found,) = lint_of(text, "chapters")
    assert message in found


@pytest.mark.parametrize("text", RIGHT.values(), ids=RIGHT)
def test_lint_source_takes(lint_of, text):
    assert [message for message in lint_of(text, "chapters") if "median" not in message] == []


def test_lint_source_takes_the_sample(course):
    assert [message for target in targets(course) for message in lint_source(target)] == []


def test_lint_source_names_the_cell(lint_of):
    (found,) = lint_of(PROSE + "# %%\nx = 1\nprint(x);\n", "exercises")
    assert "cell 2 (x = 1): " in found
