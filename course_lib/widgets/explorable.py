"""What all explorables share: Python computes a table for every setting of the controls, one small script draws it."""

from pathlib import Path

import anywidget
import traitlets

from course_lib.widgets import table as tables

HERE = Path(__file__).parent
# The first opens the module; the rest in the order in which a reader needs them.
DRAWING = ("elements", "numbers", "table", "controls", "cells", "layouts", "grids", "marks", "arrows", "charts", "maps",
           "picture", "pointer_and_keys", "widget", "page")  # fmt: skip


def script(kind="*"):
    """The module that draws explorables: what they share, then one kind, or every kind."""
    return _joined([HERE / "drawing" / f"{name}.js" for name in DRAWING] + sorted((HERE / "kinds").glob(f"{kind}.js")))


def style(kind="*"):
    """The style sheet of explorables: what they share, then one kind, or every kind."""
    return _joined([HERE / "explorable.css", *sorted((HERE / "kinds").glob(f"{kind}.css"))])


def module(kind):
    """Script and style sheet of one kind: a notebook stores them with every widget that it shows."""
    return script(kind), style(kind)


def modules():
    """`module` of every kind."""
    return [module(path.stem) for path in sorted((HERE / "kinds").glob("*.js"))]


def _joined(files):
    """The text of several files."""
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


class Explorable(anywidget.AnyWidget):
    """A widget that shows one setting of a table, and asks no kernel while its controls move.

    Attributes
    ----------
    table : dict
        What there is to show: ``kind`` chooses the drawing, ``controls`` are the choices, ``settings`` maps the values
        of the controls, joined by spaces, to what is drawn.
    """

    # One string on the wire: a stored notebook would otherwise give each number of the table a line of its own.
    table = traitlets.Dict().tag(sync=True, to_json=lambda table, _: tables.text(table))

    def __repr__(self):
        return f"{type(self).__name__}({self._summary()})"

    def state(self):
        """The table and the values of the controls: all that a page without a kernel needs to draw the widget."""
        inherited = anywidget.AnyWidget.class_trait_names()
        return self.get_state([name for name in self.keys if name not in inherited and not name.startswith("_")])

    def _summary(self):
        """What the widget is about, in a few words that never change."""
        return self.table["kind"]

    def _setting(self):
        """What the table says about the present values of the controls; None if they do not go together."""
        values = [getattr(self, control["name"]) for control in self.table["controls"]]
        return self.table["settings"].get(tables.key(values))

    def _option(self, name, value):
        """The value, if it is one of the options of its control."""
        options = next(control["options"] for control in self.table["controls"] if control["name"] == name)
        if value not in options:
            words = " or ".join(repr(option) for option in options)
            raise traitlets.TraitError(f"{name} must be {words}; got {name}={value!r}.")
        return value
