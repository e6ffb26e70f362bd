"""Solutions as people bring them, right and wrong, as data for tests.

The layout, the names and the abbreviations are those of courses and repositories, not this course's. The wrong ones
were written from one-line descriptions, before the catalogue could say them in code. The right ones are unusual: other
loops, other layouts, other types.
"""

from dataclasses import dataclass

ANSWERS = {
    5: ("conv2d", "conv2d_backward"),
    11: ("max_pool2d", "max_pool2d_backward"),
    12: ("avg_pool2d", "avg_pool2d_backward"),
}


@dataclass(frozen=True)
class Wrong:
    """A wrong solution: its exercise, the line from which it was written, and the names that the verdict must hold."""

    exercise: int
    described: str
    names: tuple
    functions: dict


@dataclass(frozen=True)
class Right:
    """A right solution, and whether it has the stars of its exercise too."""

    exercise: int
    described: str
    stars: bool
    functions: dict


WRONG, RIGHT = [], []


def wrong(exercise, described, *names):
    """Takes a function that returns the learner's functions in the order of the exercise's answers."""

    def take(make):
        WRONG.append(Wrong(exercise, described, names, dict(zip(ANSWERS[exercise], make(), strict=True))))
        return make

    return take


def right(exercise, described, stars=False):
    """Takes a function that returns the learner's functions in the order of the exercise's answers."""

    def take(make):
        RIGHT.append(Right(exercise, described, stars, dict(zip(ANSWERS[exercise], make(), strict=True))))
        return make

    return take


def two(v):
    return v if isinstance(v, tuple) else (v, v)


def args(kernel_size, stride, padding):
    return (*two(kernel_size), *two(stride), *two(padding))
