"""A function at a corner, and the lines that claim to be its slope there."""

import numpy as np

from course_lib.figures import plots, style, words
from course_lib.figures.picture import finish

WIDTH, HEIGHT = 5.4, 4.2


def kink(nudges, values, slopes, title="", *, across="nudge", up="maximum", ax=None):
    """A function of one nudge, and lines through its value at nudge 0.

    Parameters
    ----------
    nudges, values : sequence of float
        The function, drawn black and wide. The nudges rise and hold 0.
    slopes : dict of str to float
        Lines to draw through the value at 0, by name. A line that never lies above a maximum is a fair slope of it.
    title : str
        Written above.
    across, up : str
        Names of the axes.
    ax : Axes or None
        Where to draw; None makes a `Picture`.

    Returns
    -------
    Picture, or with ``ax`` the list of artists. Each line has the colour and line style of a route.
    """
    nudges, values = np.asarray(nudges, np.float64), np.asarray(values, np.float64)
    lines = {name: values[nudges == 0][0] + slope * nudges for name, slope in slopes.items()}

    def draw(sheet):
        axes = plots.plot(sheet, WIDTH, HEIGHT, title, across, up)
        artists = axes.plot(nudges, values, color=style.DARK, lw=3.4, solid_capstyle="round", zorder=3)
        for number, (name, line) in enumerate(lines.items()):
            colour, dashes = style.route_style(number)
            artists += axes.plot(nudges, line, color=colour, linestyle=dashes, lw=1.8, zorder=4, label=name)
        artists += axes.plot([0], values[nudges == 0], "o", color=style.DARK, ms=7, zorder=5)
        plots.ticks(axes)
        looks = {"fontsize": 8.5, "labelcolor": style.DARK, "framealpha": 0.9, "edgecolor": style.EDGE}
        return [*artists, axes.legend(loc="upper left", **looks)]

    return finish(draw, kink_text(nudges, values, lines, slopes, title), plots.size(WIDTH, HEIGHT), ax)


def kink_text(nudges, values, lines, slopes, title):
    """The text alternative: the function's ends, and of each line whether it lies above the function."""
    points = ((nudges[0], values[0]), (0, values[nudges == 0][0]), (nudges[-1], values[-1]))
    text = [f"{title or 'A corner'}: " + ", ".join(f"{words.number(y)} at {words.number(x)}" for x, y in points) + "."]
    for name, line in lines.items():
        above = "lies above the function somewhere" if (line > values + 1e-9).any() else "lies nowhere above"
        text.append(f"  {name}: slope {words.number(slopes[name])}, {above}.")
    return "\n".join(text)
