"""Make the notebooks from their sources: ``python -m tools.build``.

===============================  ============================================  ==========================
source                           written                                       cells left out
===============================  ============================================  ==========================
``sources/chapters/NN_name.py``  ``notebooks/NN_name.ipynb``                   none
``sources/exercises/NN_name.py`` ``exercises/NN_name.ipynb``                   those tagged ``solution``
the same                         ``solutions/NN_name.ipynb``                   those tagged ``stub``
===============================  ============================================  ==========================

``python -m tools.build 02 exercises/03`` makes only what is named, ``--no-execute`` leaves the outputs out, and
``--check`` writes nothing and says what is stale and what breaks a rule.

Writing a source
----------------
A source is a script in percent format. The first line opens the first cell, and each cell opens with a header::

    # %% [markdown]
    # # A heading, then prose.

    # %%
    x = np.arange(16.0).reshape(1, 1, 4, 4)

    # %% tags=["stub"] name="max-pool"
    def max_pool2d(x, kernel_size): ...

    # %% [markdown] tags=["solution"]
    # Why this is the answer.

A header may hold

``name="max-pool"``
    The cell's id: letters, digits, ``-`` and ``_``, once in a source. A cell without a name has an id made from its
    text, so give a name to whatever is linked to or graded. Solution and stub cannot share one.
``tags=["…"]``
    ``solution``, ``stub``: see the table above; only in exercises, for code and for prose.
    ``hide-input``, ``hide-output``, ``remove-input``: how a page shows the cell.
    ``lesson``: a function, or a cell, of more than 15 lines that *is* the lesson.
    ``nbval-ignore-output``: the output depends on the machine (device, environment, time, memory, training). It is
    not compared when the notebook is run again, so the same cell must ``assert`` bounds.
    ``raises-exception``: the cell is meant to raise; its error's name and message are compared.
``nbgrader={…}``
    Kept exactly.

Rules, each with a message of its own: no magics (``%``, ``!``, ``?``), no semicolon at the end of a line, no empty
cell, no tag but those above, at most 15 lines of code to a cell and to a function. Blank lines, comments and
docstrings do not count, and a question, ``predict(…)``, counts as one line. A chapter has at most 40 cells, never three
code cells in a row, and a median of at most 6 lines to a code cell.

What a cell prints is compared when the notebook is run again. So: sums rounded to four digits at most, no addresses,
no paths, no times. A cell that shows a widget needs a short one-line ``repr`` of it.

A cell that ends in ``predict(...)`` or ``bets(...)`` is stored with its code folded, since the code holds the answer.

Where the cells run
-------------------
In the folder of the generated notebook, with the course installed, ``COURSE_WORK`` an empty folder, and no colours.
"""

import argparse
import asyncio
import os
import sys
import time
from pathlib import Path

import nbformat

from tools import convert, stale
from tools.execute import BuildError, execute
from tools.lint import lint_source
from tools.tidy import keep_ignored, tidy

ROOT = Path(__file__).parents[1]
AT_ONCE = 2


def main(arguments=None, root=ROOT):
    """Builds or checks; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        chosen = choose(convert.targets(root), options.names)
        problems = lint(chosen)
        if options.check:
            problems += stale.check(chosen) + ([] if options.names else stale.orphans(root))
        elif not problems:
            problems = build(chosen, options.execute)
    except BuildError as error:
        problems = [str(error)]
    print("\n".join(problems), file=sys.stderr, end="\n" if problems else "")
    return 1 if problems else 0


def _parser():
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.build", description="Make the notebooks from sources/.")
    parser.add_argument("names", nargs="*", help="what to make, as 02 or exercises/03; everything if left out")
    parser.add_argument("--check", action="store_true", help="write nothing; say what is stale or breaks a rule")
    parser.add_argument("--no-execute", dest="execute", action="store_false", help="leave the outputs out")
    return parser


def choose(targets, names):
    """The targets that are named, by number, folder and number, or path; all of them without a name."""
    for name in names:
        if not any(is_named(target, name) for target in targets):
            raise BuildError(
                f"No source is named {name}; give a number as 02, or a folder and a number as exercises/03."
            )
    return [target for target in targets if not names or any(is_named(target, name) for name in names)]


def is_named(target, name):
    """Whether a name on the command line means a target."""
    plain = name.replace(os.sep, "/").removesuffix(".ipynb")
    return any(form.startswith(plain) for form in (target.stem, f"{target.folder}/{target.stem}", target.source_name))


def lint(targets):
    """What breaks a rule in the sources of the targets; each source is read once."""
    sources = {target.source: target for target in targets}
    return [message for target in sources.values() for message in lint_source(target)]


def build(targets, with_outputs=True):
    """Makes the notebooks of the targets, all or none; returns what went wrong."""
    results = asyncio.run(_make_all(targets, with_outputs))
    problems = [str(result) for result in results if isinstance(result, BuildError)]
    if not problems:
        for target, result in zip(targets, results, strict=True):
            write(target, result)
    return problems


async def _make_all(targets, with_outputs):
    """One notebook or one BuildError a target; two notebooks run at a time."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def make_one(target):
        async with gate:
            try:
                return await make(target, with_outputs)
            except BuildError as error:
                return error

    return await asyncio.gather(*map(make_one, targets))


async def make(target, with_outputs=True):
    """The finished notebook of a target."""
    notebook = convert.notebook(target)
    if not with_outputs:
        return notebook
    begin = time.monotonic()
    await execute(notebook, target)
    print(f"{target.name}: {time.monotonic() - begin:.1f} s", flush=True)
    return keep_ignored(tidy(notebook, target), target)


def write(target, notebook):
    """Stores a notebook in one move, so that an interrupted build leaves no half of a file."""
    target.path.parent.mkdir(exist_ok=True)
    part = target.path.with_suffix(".part")
    part.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8", newline="\n")
    os.replace(part, target.path)


if __name__ == "__main__":
    sys.exit(main())
