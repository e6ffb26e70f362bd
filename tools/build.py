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
docstrings do not count. A chapter has at most 40 cells, never three code cells in a row, and a median of at most 6
lines to a code cell.

What a cell prints is compared when the notebook is run again. So: sums rounded to four digits at most, no addresses,
no paths, no times. A cell that shows a widget needs a short one-line ``repr`` of it.

Where the cells run
-------------------
In the folder of the generated notebook, with the course installed, ``COURSE_WORK`` an empty folder, and no colours.
"""
