"""Where the bins of adaptive pooling begin and end."""

import numpy as np

from course_lib.interview.coding.asked import Asked, operation
from course_lib.interview.coding.draw import case, one_of
from course_lib.interview.coding.task import Task, Variant, skeleton
from course_lib.loops.adaptive_pool import bin_elements

NAME = "bin_bounds"
RULES = {
    "long first": "Every element lies in one bin and in no other. Of two lengths the longer bins come first; there are "
    "not more bins than elements",
    "long last": "Every element lies in one bin and in no other. Of two lengths the longer bins come last; there are "
    "not more bins than elements",
    "floor and ceil": "Bin i begins at floor(i · size / bins) and ends before ceil((i + 1) · size / bins). Bins may "
    "overlap, and there may be more bins than elements",
}
ENDS = {
    "ends": "the position behind its last element",
    "last": "the position of its last element",
    "lengths": "how many elements it has",
}
MORE_BINS = "floor and ceil"


def elements(rule, size, bins):
    """The elements of every bin."""
    if rule == MORE_BINS:
        return [[place for (place,) in bin_elements((size,), (bins,), (number,))] for number in range(bins)]
    if rule == "long first":
        return np.array_split(np.arange(size), bins)
    return [size - 1 - part[::-1] for part in np.array_split(np.arange(size), bins)[::-1]]


def by(starts_and_ends, asks):
    """The results of a function from size and number of bins to where bins begin and end."""

    def compute(size, bins):
        starts, ends = starts_and_ends(size, bins)
        second = {"ends": ends, "last": ends - 1, "lengths": ends - starts}[asks]
        return {"starts": starts, asks: second}

    return compute


def right(rule):
    """Where the bins begin and end."""

    def bounds(size, bins):
        parts = elements(rule, size, bins)
        return np.array([part[0] for part in parts]), np.array([part[-1] + 1 for part in parts])

    return bounds


def one_stride(size, bins):
    """Windows of one length, side by side."""
    starts = np.arange(bins) * (size // bins)
    return starts, starts + size // bins


def rounded_up(size, bins):
    """Windows of the length that is rounded up; the last ones are cut."""
    starts = np.minimum(np.arange(bins) * -(-size // bins), size)
    return starts, np.minimum(starts + -(-size // bins), size)


def floors(size, bins):
    """A bin ends where the next one begins."""
    at = np.arange(bins + 1) * size // bins
    return at[:-1], at[1:]


def rounds(size, bins):
    """Bounds are rounded to the nearest position."""
    at = np.round(np.arange(bins + 1) * size / bins).astype(int)
    return at[:-1], at[1:]


def rest_in_the_last(size, bins):
    """The last bin takes what is left over."""
    starts, ends = one_stride(size, bins)
    return starts, np.append(ends[:-1], size)


def pooled_sizes(size, bins):
    """A stride of floor(size / bins), and the kernel that then reaches the end: adaptive pooling by plain pooling."""
    stride = size // bins
    starts = np.arange(bins) * stride
    return starts, starts + size - (bins - 1) * stride


def mistakes(asked, rule, asks):
    """The mistakes: other bins, and another second answer."""

    def mistake(name, sentence, *bounds):
        return asked.mistake(f"bins_{name}", "10", sentence, *(by(one, asks) for one in bounds))

    def instead(other):
        return lambda size, bins: {
            "starts": right(rule)(size, bins)[0],
            asks: by(right(rule), other)(size, bins)[other],
        }

    other = "long first" if rule == "long last" else "long last"
    said = RULES[rule].split(". ")[0] + "."
    confused = [instead(other) for other in ENDS if other != asks]
    return (
        mistake("of_one_length", "All bins have one length, and what is left over lies in none. The bins differ where "
                "the size is no multiple.", one_stride, pooled_sizes),
        mistake("cut_at_the_end", "All bins have the length that is rounded up, so that the last ones are cut or "
                "empty.", rounded_up),
        mistake("rest_in_the_last", "The last bin takes all that is left over.", rest_in_the_last),
        mistake("end_at_next_start", f"A bin ends where the next one begins, at the floor. {said}", floors),
        mistake("rounded", f"Bounds are rounded to the nearest position. {said}", rounds),
        mistake(other.replace(" ", "_"), f"The longer bins come {other.split()[1]}. {said}", right(other)),
        asked.mistake("bins_other_end", "10", f"The second answer is not what is asked for: {ENDS[asks]}.", *confused),
    )  # fmt: skip


def variant(seed):
    """The rule for the bins and the second answer are drawn."""
    rng = np.random.default_rng(seed)
    rule, asks = one_of(rng, *RULES), one_of(rng, *ENDS)
    asked = Asked(NAME, operation("bins", by(right(rule), asks)), ("starts", asks))
    signature = f"def {NAME}(size, bins):"
    statement = (
        f"An axis of `size` elements is divided into `bins` bins, as for adaptive pooling. {RULES[rule]}. Return two "
        f"arrays of ints of shape (bins,): for each bin the position of its first element, and {ENDS[asks]}."
    )

    def both(name, *pairs):
        return asked.gives_each(name, *(case(size=size, bins=bins) for size, bins in pairs))

    few = int(rng.integers(3, 5))
    properties = (
        *both("a multiple", (2, 2), (6, 3), (12, 4)),
        *both("something left over", (3, 2), (5, 3), (7, 4), (10, few), (11, 7)),
        *both("one bin", (1, 1), (7, 1)),
        *(both("more bins than elements", (1, 2), (3, 5), (4, 7)) if rule == MORE_BINS else []),
    )
    blank = skeleton(signature, f"For each bin where it begins, and {ENDS[asks]}.")
    return Variant(statement, signature, properties, blank, mistakes(asked, rule, asks))


TASK = Task(
    name="adaptive-bounds",
    title="The bins of adaptive pooling",
    minutes=5,
    topic="Architecture choices",
    level=1,
    variant=variant,
    why="Whole numbers do it, without a loop and without rounding floats: a floor is a // b, and a ceiling -(-a // b). "
    "Whoever asks what happens to a remainder, and whether bins may overlap, has seen what libraries differ in.",
    hints=(
        "How long are the bins of 5 elements in 3 bins? Which of them is longer, and may two of them share an element?",
        "Compute where all bins begin at once, from np.arange(bins).",
        "i = np.arange(bins); i * size // bins and -(-(i + 1) * size // bins), or i * (size // bins) plus the number "
        "of longer bins before i.",
    ),
    chapter="10",
)
