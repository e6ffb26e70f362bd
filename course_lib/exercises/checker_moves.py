"""What a learner's gradient checker does on the way: which elements it moves, how far and to which sides."""

import numpy as np

from course_lib.exercises import specimens
from course_lib.exercises.checkers import ALL, checked
from course_lib.exercises.judged import wrong


class Recorder:
    """A function that notes at which inputs it is called."""

    def __init__(self, specimen):
        self.function, self.base, self.moves = specimen.function, specimen.fresh()[0], []

    def __call__(self, *inputs):
        for number, (array, base) in enumerate(zip(inputs, self.base, strict=True)):
            moved = np.argwhere(array != base)
            if len(moved) == 1:
                index = tuple(moved[0])
                self.moves.append((number, index, array[index] - base[index]))
        return self.function(*inputs)

    def elements(self):
        """The elements that were moved alone."""
        return {(number, index) for number, index, _ in self.moves}


def watched(session, samples, seed):
    """The moves of the learner's checker with some samples."""
    recorder = Recorder(specimens.CONV)
    checked(session, specimens.CONV, samples, seed, recorder)
    return recorder


def judge_samples(session):
    """No more elements are moved than asked for, and which ones is left to the generator."""
    found = [watched(session, 3, seed).elements() for seed in (0, 0, 1, 2)]
    for number, array in enumerate(specimens.CONV.inputs):
        moved = sum(which == number for which, _ in found[0])
        if moved != min(3, array.size):
            raise wrong(f"with samples=3, {moved} elements of input {number} were moved alone: expected 3")
    if found[0] != found[1]:
        raise wrong("with the same seed other elements were moved: draw them from rng alone")
    if found[0] == found[2] == found[3]:
        raise wrong("with three seeds the same elements were moved: draw them from rng")
    return len(found)


def judge_two_sides(session):
    """Every element is moved by one step in both directions."""
    moves = watched(session, ALL, 0).moves
    sides = {}
    for number, index, step in moves:
        sides.setdefault((number, index), set()).add(float(f"{step:.3e}"))
    for (number, index), steps in sides.items():
        if not any(-step in steps for step in steps):
            where = f"element {index} of input {number}"
            raise wrong(f"{where} was moved to one side only: a central difference needs both, by the same step")
    total = sum(array.size for array in specimens.CONV.inputs)
    if len(sides) != total:
        raise wrong(f"with more samples than elements, {len(sides)} of {total} elements were moved: expected all")
    return len(sides)
