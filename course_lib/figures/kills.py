"""Which test refuses which wrong implementation."""

import numpy as np

from course_lib.figures import grids, style
from course_lib.figures.picture import finish

LETTERS_A_CELL, LEAN = 0.19, 0.75


def kill_matrix(killed, implementations, tests, title="", *, ax=None):
    """A table of wrong implementations and tests.

    Parameters
    ----------
    killed : ndarray (implementations, tests), bool
        Whether the test fails on the wrong implementation, as it should.
    implementations, tests : sequence of str
        Names of the rows and of the columns. A last row gives the share that each test refuses.
    title : str
        Written above.
    ax : Axes or None
        Where to draw; None makes a `Picture`.

    Returns
    -------
    Picture, or with ``ax`` the list of artists. A dark cell with a cross is refused, a pale cell is let through.
    """
    killed = np.asarray(killed, bool)
    if killed.shape != (len(implementations), len(tests)):
        raise ValueError(
            "killed must have one row for each implementation and one column for each test; "
            f"got shape {killed.shape}, {len(implementations)} implementations, {len(tests)} tests."
        )
    left = LETTERS_A_CELL * max(map(len, [*implementations, "refused"])) + 0.3
    top = (0.9 if title else 0.1) + LETTERS_A_CELL * LEAN * max(map(len, tests)) + 0.25
    lean = LETTERS_A_CELL * LEAN * max(map(len, tests))

    def draw(sheet):
        artists = []
        for (row, column), dead in np.ndenumerate(killed):
            face = style.COUNTS(0.62 if dead else 0.0)
            artists.append(grids.cell(sheet, left + column, top + row, face))
            if dead:
                artists.append(_word(sheet, left + column + 0.5, top + row + 0.5, "×", style.text_on(face[:3]), 12))
        artists += _names(sheet, left, top, implementations, tests, killed)
        return artists + grids.heading(sheet, title, left + len(tests) / 2, 0.6)

    size = (left + len(tests) + lean + 0.2, top + len(killed) + 1.1)
    return finish(draw, kills_text(killed, implementations, tests, title), size, ax)


def _names(sheet, left, top, implementations, tests, killed):
    """Names of rows and columns, and the shares below."""
    artists = []
    for row, name in enumerate([*implementations, "refused"]):
        artists.append(_word(sheet, left - 0.2, top + row + 0.5, name, style.INK, 8.5, ha="right"))
    for column, name in enumerate(tests):
        looks = {"ha": "left", "va": "bottom", "rotation": 45, "rotation_mode": "anchor"}
        artists.append(_word(sheet, left + column + 0.45, top - 0.15, name, style.INK, 8.5, **looks))
    for column, share in enumerate(killed.mean(axis=0)):
        artists.append(_word(sheet, left + column + 0.5, top + len(killed) + 0.5, f"{share:.0%}", style.INK, 8))
    return artists


def _word(sheet, x, y, word, colour, points, **looks):
    """One word on the sheet."""
    looks = {"ha": "center", "va": "center", **looks}
    return sheet.text(x, y, word, color=colour, fontsize=points, zorder=5, **looks)


def kills_text(killed, implementations, tests, title):
    """The text alternative: of each wrong implementation the tests that refuse it, and the share of each test."""
    text = [f"{title or 'Kill matrix'}, {len(implementations)} wrong implementations, {len(tests)} tests:"]
    for row, name in zip(killed, implementations, strict=True):
        by = [test for test, dead in zip(tests, row, strict=True) if dead]
        text.append(f"  {name}: refused by {', '.join(by) or 'no test'}.")
    shares = [f"{test} {share:.0%}" for test, share in zip(tests, killed.mean(axis=0), strict=True)]
    return "\n".join([*text, f"  Refused: {', '.join(shares)}."])
