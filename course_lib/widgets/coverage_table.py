"""The table of the coverage explorable: how many windows hold each element, and each line along an axis."""

from course_lib import geometry
from course_lib.widgets import table as tables
from course_lib.widgets import window_table


def build(size, choices):
    """The table of one input size.

    Parameters
    ----------
    size : tuple of int
        Rows and columns of the input.
    choices : dict of list
        The options of each control, in the order of the controls.

    Returns
    -------
    dict, ready for JSON
    """
    places = tables.Pool()
    every = window_table.every_setting(choices, lambda values: {"geometry": places.add(_entry(size, values))})
    table = {
        "kind": "coverage",
        "controls": [window_table.control(name, options) for name, options in choices.items()],
        "input": {"shape": list(size)},
        "geometry": places.entries,
        **every,
    }
    return tables.small(table, "size", size)


def _entry(size, values):
    """The windows of one setting and how many hold each element; the counts along both axes, whose product they are."""
    axes = window_table.axes_of(size, values)
    profiles = [geometry.axis_coverage(axis) for axis in axes]
    counts = geometry.coverage(axes)
    rows, columns = (int(profile.sum()) for profile in profiles)
    return {
        **window_table.windows(axes),
        "coverage": tables.distinct(counts),
        "profiles": [profile.tolist() for profile in profiles],
        "free": window_table.not_held(axes),
        "notes": [
            ["rows · columns", "an element's count is the count of its row times the count of its column"],
            ["sum of the counts", f"{rows} · {columns} = {int(counts.sum())}"],
        ],
    }
