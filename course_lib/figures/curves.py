"""Errors against steps on logarithmic axes: the U-curve of a difference quotient."""

import numpy as np

from course_lib.figures import plots, style, words
from course_lib.figures.picture import finish

WIDTH, HEIGHT = 8.2, 5.4
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
TICKS = 7


def error_curves(steps, errors, title="", *, marks=(), slopes=None, up="relative error", ax=None):
    """How the error of a difference depends on its step, both axes logarithmic.

    Parameters
    ----------
    steps : sequence of float
        Above zero.
    errors : dict of str to sequence of float
        One curve a name, an error for each step; an error of 0 has no place on a logarithmic axis and is left out.
    title : str
        Written above.
    marks : sequence of float
        Steps at which an upright line is drawn.
    slopes : dict of str to (step, error, power), or None
        Lines to compare with, by name: each goes through a point, and along it errors grow as that power of the step.
    up : str
        Name of the upright axis.
    ax : Axes or None
        Where to draw; None makes a `Picture`.

    Returns
    -------
    Picture, or with ``ax`` the list of artists. Each curve has the colour and line style of a route.
    """
    steps = np.asarray(steps, np.float64)
    errors = {name: np.where(np.asarray(curve) > 0, curve, np.nan) for name, curve in errors.items()}

    def draw(sheet):
        axes = plots.plot(sheet, WIDTH, HEIGHT, title, "step h", up)
        axes.set_xscale("log")
        axes.set_yscale("log")
        artists = [axes.axvline(step, color=style.INK, lw=1, zorder=1) for step in marks]
        for number, (name, curve) in enumerate(errors.items()):
            colour, dashes = style.route_style(number)
            artists += axes.plot(steps, curve, color=colour, linestyle=dashes, lw=2, zorder=3, label=name)
        for name, line in (slopes or {}).items():
            artists += _slope(axes, name, *line)
        # Room for the legend, below the curves.
        axes.set_ylim(axes.get_ylim()[0] / 1000)
        _powers(axes)
        return [*artists, axes.legend(loc="lower left", fontsize=8.5, labelcolor=style.DARK, edgecolor=style.EDGE)]

    return finish(draw, curves_text(steps, errors, marks, title, slopes or {}), plots.size(WIDTH, HEIGHT), ax)


def _slope(axes, name, step, error, power):
    """A straight line of a slope, two powers of ten long, and its name at the end that lies further left."""
    ends = step * 10.0 ** np.array([-1, 1])
    errors = error * (ends / step) ** power
    word = axes.text(
        ends[0], errors[0], f" {name} ", color=style.DARK, fontsize=8.5, zorder=4,
        ha="left" if power < 0 else "right", va="bottom" if power < 0 else "center",
    )  # fmt: skip
    return [*axes.plot(ends, errors, color=style.DARK, lw=1.1, linestyle=(0, (2, 2)), zorder=2), word]


def _powers(axes):
    """Ticks at whole powers of ten inside the plot."""
    for axis, limits in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        low, high = np.ceil(np.log10(limits[0])), np.floor(np.log10(limits[1]))
        powers = np.arange(low, high + 1, max(1, np.ceil((high - low + 1) / TICKS)), dtype=int)
        axis.set_minor_locator(plots.NOWHERE)
        axis.set_ticks(10.0**powers, [power(exponent) for exponent in powers])


def power(exponent):
    """A power of ten as text.

    Examples
    --------
    >>> power(-12)
    '10⁻¹²'
    """
    return "10" + str(int(exponent)).translate(RAISED)


def curves_text(steps, errors, marks, title, slopes):
    """The text alternative: of each curve its ends and its least error."""
    text = [f"{title or 'Error against step'}, from step {power(np.log10(steps.min()).round())} to "
            f"{power(np.log10(steps.max()).round())}:"]  # fmt: skip
    for name, curve in errors.items():
        longest, shortest, least = np.argmax(steps), np.argmin(steps), np.nanargmin(curve)
        text.append(
            f"  {name}: {_error(curve[longest])} at the longest step, {_error(curve[shortest])} at the shortest, "
            f"least {_error(curve[least])} at step {steps[least]:.0e}."
        )
    text += [f"  Slopes to compare with: {', '.join(slopes)}."] * bool(slopes)
    return "\n".join(text + [f"  Marked: step {mark:.0e}." for mark in marks]).replace("e-", "e−")


def _error(value):
    """One error, or none."""
    return "no error" if np.isnan(value) else (words.number(value) if value >= 0.01 else f"{value:.0e}")
