"""A small course with one chapter and one exercise, not built and built."""

import shutil

import pytest

from tools.build import main

CHAPTER = '''\
# %% [markdown]
# # Which element gets the gradient?

# %% name="numbers"
import numpy as np

from course_lib import max_pool

y = max_pool(np.arange(16.0).reshape(1, 1, 4, 4), 2)
print("largest", y.max())
y

# %% [markdown]
# A figure, and an object without a form of its own.

# %%
import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(3, 2))
image = ax.imshow(y[0, 0])

# %%
object()

# %% [markdown]
# A widget.

# %%
import anywidget
import traitlets


class Dot(anywidget.AnyWidget):
    """A number on a page."""

    _esm = "export default { render({ model, el }) { el.innerText = model.get('n') } }"
    n = traitlets.Int(3).tag(sync=True)

    def __repr__(self):
        return "Dot"


Dot()

# %% [markdown]
# A measured time.

# %% tags=["nbval-ignore-output"]
import time

seconds = time.perf_counter()
assert seconds > 0
seconds

# %% [markdown]
# What goes wrong.

# %% tags=["raises-exception"]
max_pool(np.ones((2, 2)), 2)
'''
EXERCISE = '''\
# %% [markdown]
# # Add two numbers ★

# %% tags=["stub"]
def add(a, b):
    """Their sum."""
    raise NotImplementedError("Your turn.")


# %% [markdown] tags=["solution"]
# The secret is the plus sign.

# %% tags=["solution"]
def add(a, b):
    """Their sum."""
    return a + b


# %% nbgrader={"grade": true, "grade_id": "add-test", "points": 2}
try:
    print(add(1, 2))
except NotImplementedError:
    print("not started")
'''


@pytest.fixture
def course(tmp_path):
    """The sources alone."""
    return write_sources(tmp_path)


@pytest.fixture(scope="session")
def built_once(tmp_path_factory):
    """The built course, to be read only."""
    root = write_sources(tmp_path_factory.mktemp("built"))
    assert main([], root) == 0
    return root


@pytest.fixture
def built(built_once, tmp_path):
    """A copy of the built course, to be changed."""
    return shutil.copytree(built_once, tmp_path, dirs_exist_ok=True)


def write_sources(root):
    """Puts the two sources into an empty folder."""
    for kind, text in (("chapters", CHAPTER), ("exercises", EXERCISE)):
        folder = root / "sources" / kind
        folder.mkdir(parents=True)
        (folder / "01_sample.py").write_text(text, encoding="utf-8")
    return root
