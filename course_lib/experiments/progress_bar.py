"""A small progress bar: on a terminal or in a notebook, and nowhere else."""

import sys

CELLS = 30


class ProgressBar:
    """Counts to a total.

    Parameters
    ----------
    total : int
    stream : file or None
        None means standard error.
    """

    def __init__(self, total, stream=None):
        self.total, self.done, self.shown = total, 0, -1
        self.stream = sys.stderr if stream is None else stream
        self.handle = _notebook_handle()
        self.terminal = self.handle is None and getattr(self.stream, "isatty", lambda: False)()

    def __enter__(self):
        self._show()
        return self

    def __exit__(self, *error):
        if self.terminal:
            self.stream.write("\r" + " " * (CELLS + 8) + "\r")
            self.stream.flush()
        elif self.handle is not None:
            self.handle.update(_Text(""))

    def advance(self):
        """Counts one; draws only where a new percent is reached."""
        self.done += 1
        self._show()

    def _show(self):
        """Draws the bar, if it has changed."""
        percent = 100 * self.done // max(self.total, 1)
        if percent == self.shown:
            return
        self.shown = percent
        if self.terminal:
            self.stream.write("\r" + bar(percent))
            self.stream.flush()
        elif self.handle is not None:
            self.handle.update(_Text(bar(percent)))


def bar(percent):
    """The bar as text."""
    full = percent * CELLS // 100
    return f"{'█' * full}{'░' * (CELLS - full)} {percent:3d} %"


class _Text:
    """Shows itself as plain text."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


def _notebook_handle():
    """Where a notebook shows something that changes; None outside of one."""
    # Only if IPython is there already: to import it would take longer than many a run.
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import display

    return display(_Text(bar(0)), display_id=True)
