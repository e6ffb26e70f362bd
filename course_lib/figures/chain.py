"""A chain of layers: the values above, going right, and under each its gradient, going left."""

from matplotlib.patches import FancyArrowPatch

from course_lib.figures import grids, style
from course_lib.figures.picture import finish

BETWEEN, STACK = 1.5, 1.5


def chain(values, gradients, names, steps, *, winners=(), ax=None):
    """Several layers, one after another, forward and backward.

    Parameters
    ----------
    values : sequence of ndarray
        The input of the first layer, then what each layer makes; one plane each.
    gradients : sequence of ndarray
        The gradient of the loss with respect to each of them. Blue is below zero, red above, palest at zero; each grid
        has a scale of its own.
    names : sequence of str
        What the values are called; the gradients are called dL/d and the name.
    steps : sequence of str
        One name for each layer, written on its arrow.
    winners : sequence of lists of (row, column)
        For each grid, the places to ring in the values and in the gradient; missing means none.
    ax : Axes or None
        Where to draw; None makes a `Picture`.

    Returns
    -------
    Picture, or with ``ax`` the list of artists
    """
    if not len(values) == len(gradients) == len(names) == len(steps) + 1:
        raise ValueError(
            "chain must get one gradient and one name for each of the values, and one step fewer; "
            f"got {len(values)} values, {len(gradients)} gradients, {len(names)} names, {len(steps)} steps."
        )
    values, gradients = [[grids.plane(each) for each in row] for row in (values, gradients)]
    ringed = [*winners, *([()] * (len(values) - len(winners)))]
    backs = [f"dL/d{name}" for name in names]
    corners, size = _layout(values, names)

    def draw(sheet):
        artists = []
        for each, name, (left, top), rings in zip(values, names, corners[0], ringed, strict=True):
            artists += grids.draw_grid(sheet, each, name, (left, top), style.faces(each, "values"), rings)
        for each, name, (left, top), rings in zip(gradients, backs, corners[1], ringed, strict=True):
            artists += grids.draw_grid(sheet, each, name, (left, top), style.faces(each, "gradients"), rings)
        return artists + _arrows(sheet, values, corners, steps)

    return finish(draw, chain_text(values, gradients, names, backs, steps, ringed), size, ax)


def _layout(values, names):
    """The corner of every grid, above and below, and the size of the picture."""
    tallest = max(len(each) for each in values)
    left, above, below = grids.MARGIN, [], []
    for each, name in zip(values, names, strict=True):
        width = max(each.shape[1], grids.LETTER * (len(name) + 4))
        middle = left + (width - each.shape[1]) / 2
        top = grids.TITLE + (tallest - len(each)) / 2
        above.append((middle, top))
        below.append((middle, top + tallest + STACK))
        left += width + BETWEEN
    return (above, below), (left - BETWEEN + grids.MARGIN, 2 * tallest + grids.TITLE + STACK + grids.MARGIN)


def _arrows(sheet, values, corners, steps):
    """An arrow between each two grids: to the right above, to the left below."""
    artists = []
    for row, backward in zip(corners, (False, True), strict=True):
        for number, step in enumerate(steps):
            (left, top), (right, _) = row[number], row[number + 1]
            start, middle = left + values[number].shape[1] + 0.2, top + len(values[number]) / 2
            artists.append(_arrow(sheet, start, right - 0.2, middle, backward))
            word = f"{step}\nbackward" if backward else step
            artists.append(
                sheet.text((start + right - 0.2) / 2, middle - 0.2, word, ha="center", va="bottom", fontsize=8)
            )
    return artists


def _arrow(sheet, start, end, height, backward):
    """One straight arrow."""
    ends = ((end, height), (start, height))
    ends = ends if backward else ends[::-1]
    return sheet.add_artist(
        FancyArrowPatch(*ends, arrowstyle="-|>", mutation_scale=12, shrinkA=0, shrinkB=0, color=style.INK, lw=1.6)
    )


def chain_text(values, gradients, names, backs, steps, ringed):
    """The text alternative: every grid, in the order of the arrows."""
    parts = [f"{names[0]} → " + " → ".join(f"{step} → {name}" for step, name in zip(steps, names[1:], strict=True))]
    parts += [
        grids.grid_text(each, name, "values", (), rings)
        for each, name, rings in zip(values, names, ringed, strict=True)
    ]
    reverse = list(zip(gradients, backs, strict=True))[::-1]
    parts += [grids.grid_text(each, name, "gradients", (), ()) for each, name in reverse]
    return "\n".join(parts)
