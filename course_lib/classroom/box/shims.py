"""Stand-ins for what a notebook imports and the sandbox has not: they can be imported, and fail when they are used.

A few of the course's own functions are asked of the judge, with plain arrays, in exercises that allow them.
"""

import functools
import importlib.abc
import importlib.machinery
import sys

from course_lib.classroom.box import small_torch

FRAMEWORK = "framework.conv2d"
ABSENT = {
    "torch", "torchvision", "matplotlib", "pandas", "scipy", "sklearn", "tqdm", "IPython", "ipywidgets", "PIL",
    "course_lib", "seaborn", "jax", "tensorflow", "keras", "autograd", "cupy", "numba", "pytest",
}  # fmt: skip


class Absent:
    """Stands for a module, or for something in it.

    Parameters
    ----------
    name : str
        The full name.
    present : dict of str to object
        What is there, by its full name.
    """

    def __init__(self, name, present):
        self.__dict__.update(_name=name, _present=present, __path__=[], __name__=name, __spec__=None, __all__=())

    def __getattr__(self, attribute):
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        name = f"{self._name}.{attribute}"
        return self._present[name] if name in self._present else Absent(name, self._present)

    def __call__(self, *arguments, **named):
        raise ImportError(f"{self._name} is not there when answers are graded: NumPy is")

    def __mro_entries__(self, bases):
        return ()


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the stand-ins.

    Parameters
    ----------
    present : dict of str to object
        What is there, by its full name.
    """

    def __init__(self, present):
        self.present = present

    def find_spec(self, name, path, target=None):
        """A place for each module that the sandbox has not."""
        if name.split(".")[0] in ABSENT:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        """Its stand-in."""
        return Absent(spec.name, self.present)

    def exec_module(self, module):
        """Nothing: what is there is found when it is asked for."""


def passed_on(values=(), *_, **__):
    """The values: nobody sees how far a loop is."""
    return values


def counted(*bounds, **_):
    """A range, likewise."""
    return range(*bounds)


def unseen(*_, **__):
    """Nothing: nobody sees what is shown."""


# What only shows something, as tqdm and IPython name it.
SHOWN = {f"{module}.{name}": one for name, one in (("tqdm", passed_on), ("trange", counted))
         for module in ("tqdm", "tqdm.auto", "tqdm.notebook", "tqdm.std")}  # fmt: skip
SHOWN |= {f"IPython.display.{name}": unseen for name in ("display", "clear_output")}


def gives(call, expected, **arguments):
    """A test that a call gives an array, or several arrays by name."""
    return {"call": call, "arguments": arguments, "expected": expected}


def fails(call, **arguments):
    """A test that a call is refused."""
    return {"call": call, "arguments": arguments, "error": True}


def install(worker, library):
    """Makes the stand-ins importable.

    Parameters
    ----------
    worker : Worker
    library : list of str
        Full names of the functions that the judge runs.
    """

    def ask(name, *arguments, **named):
        return worker.ask("library", name=name, arguments=list(arguments), named=named)

    # The sandbox's own modules stand under the course's name; the notebook finds the stand-ins there.
    for name in [one for one in sys.modules if one.split(".")[0] == "course_lib"]:
        del sys.modules[name]
    present = {f"course_lib.exercises.suites.{one.__name__}": one for one in (gives, fails)}
    present |= SHOWN
    worker.space.setdefault("display", unseen)
    present |= {name: functools.partial(ask, name) for name in library}
    if FRAMEWORK in library:
        present |= small_torch.names(ask)
    sys.meta_path.insert(0, Finder(present))
