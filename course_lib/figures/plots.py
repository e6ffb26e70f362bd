"""A plot on the sheet: paper, ticks and names that read on a white and on a black page."""

from matplotlib.ticker import MaxNLocator, NullLocator

from course_lib.figures import style, words

NOWHERE = NullLocator()
LEFT, TOP, BELOW, RIGHT = 1.35, 0.95, 1.25, 0.35


def size(width, height):
    """The size of a picture that holds one plot of such a size, in cells."""
    return LEFT + width + RIGHT, TOP + height + BELOW


def plot(sheet, width, height, title="", across="", up="", corner=(0, 0)):
    """Axes for a plot whose picture begins at a corner, with title and names.

    The plot itself is ``width`` × ``height`` cells; room for the names is kept on all sides.
    """
    left, top = corner[0] + LEFT, corner[1] + TOP
    axes = sheet.inset_axes((left, top, width, height), transform=sheet.transData)
    axes.set_facecolor(style.PAPER)
    axes.tick_params(colors=style.INK, labelsize=8.5, width=0.8, length=3)
    for spine in axes.spines.values():
        spine.set_color(style.EDGE)
    axes.set_xlabel(across, color=style.INK, fontsize=9)
    axes.set_ylabel(up, color=style.INK, fontsize=9)
    axes.set_title(title, color=style.INK, fontsize=10.5, pad=7)
    return axes


def ticks(axes):
    """Ticks at round numbers inside the plot, and none outside; for when everything is drawn."""
    for axis, limits in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        low, high = sorted(limits)
        places = [place for place in MaxNLocator(5).tick_values(low, high) if low <= place <= high]
        axis.set_ticks(places, [words.number(place) for place in places])
