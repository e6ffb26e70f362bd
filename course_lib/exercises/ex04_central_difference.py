"""Exercise 4: the error of the central difference, derived term by term."""

from course_lib.exercises.exercise import Choice, Exercise, Option
from course_lib.exercises.fill_in import RightFormula, Text, Ticked, Ticks
from course_lib.exercises.formulas import Formula
from course_lib.exercises.properties import RightChoice

SIZES = {"h": (0.001, 0.5), "f1": (0.1, 9.0), "f2": (0.1, 9.0), "f3": (0.1, 9.0)}
ROUNDED = {"eps": (1e-16, 1e-7), "F": (0.1, 9.0), "h": (1e-9, 0.1)}
BEST = {"eps": (1e-16, 1e-7), "F": (0.1, 9.0), "f3": (0.1, 9.0)}
RUBRIC = {
    "a": "truncation grows with h, because the terms of the Taylor series that were left out grow with it",
    "b": "rounding grows as h shrinks, because the rounded difference is divided by h",
    "c": "the error is smallest between the two, where both are about as large",
}


def formula(name, points, right, ranges, wrong):
    """Points for a formula."""
    return RightFormula(name, points, (name,), right, wrong, ranges)


def number(name, points, right, wrong, tolerance=1e-9):
    """Points for a number."""
    return RightFormula(name, points, (name,), right, wrong, tolerance=tolerance)


def marked(letter):
    """One point for what the learner's text says."""
    return Ticked(f"own words, {letter}", 1, ("own_words", "ticked"), letter, RUBRIC[letter])


EXERCISE = Exercise(
    number=4,
    name="04_central_difference",
    title="How wrong is a central difference?",
    stars=2,
    chapter="07",
    task="Derive the two errors of a central difference, and say why their sum has the shape of a U.",
    lines=13,
    allowed="Pencil and paper; NumPy for the numbers.",
    answers=(
        Formula("third_term", tuple(SIZES)),
        Formula("difference", tuple(SIZES)),
        Formula("truncation", tuple(SIZES)),
        Formula("truncation_order"),
        Formula("one_sided_order"),
        Formula("rounding", tuple(ROUNDED)),
        Formula("best_step", tuple(BEST)),
        Formula("best_step_float32"),
        Formula("slope_left"),
        Formula("slope_right"),
        Choice(
            "curve",
            {
                "a": Option("The curve a: both branches, the right one steeper."),
                "b": Option("The curve b: the smaller h, the smaller the error.", "curve_without_left"),
                "c": Option("The curve c: both branches, one as steep as the other.", "curve_symmetric"),
                "d": Option("The curve d: the larger h, the smaller the error.", "curve_without_right"),
            },
        ),
        Choice(
            "linear",
            {
                "a": Option(
                    "A U as well, since the central difference has a truncation error of second order.",
                    "linear_has_u",
                ),
                "b": Option(
                    "Only its left branch: there is no truncation, and what is left is rounding, which a large h "
                    "makes small."
                ),
                "c": Option(
                    "Only its right branch: for a linear function a small h is exact.",
                    "linear_needs_small_h",
                ),
                "d": Option("None at all: for a linear function the difference has no error.", "linear_is_exact"),
            },
        ),
        Text("own_words"),
        Ticks("ticked", "abc"),
    ),
    properties=(
        formula(
            "third_term",
            1,
            "h**3 / 6 * f3",
            SIZES,
            {"taylor_factorial": ("h**3 / 3 * f3", "h**3 * f3", "h**3 / 2 * f3", "h**3 / 9 * f3")},
        ),
        formula(
            "difference",
            2,
            "2 * h * f1 + h**3 / 3 * f3",
            SIZES,
            {
                "even_terms_stay": ("2*h*f1 + h**2*f2 + h**3/3*f3", "2*h*f1 + h**2*f2"),
                "odd_terms_single": ("2*h*f1 + h**3/6*f3", "h*f1 + h**3/6*f3"),
                "taylor_factorial": ("2*h*f1 + 2*h**3/3*f3", "2*h*f1 + 2*h**3*f3"),
            },
        ),
        formula(
            "truncation",
            2,
            "h**2 / 6 * f3",
            SIZES,
            {
                "one_sided": ("h/2 * f2", "h * f2"),
                "not_divided_by_2h": ("h**3/3 * f3", "h**3/6 * f3"),
                "odd_terms_single": ("h**2/12 * f3",),
                "taylor_factorial": ("h**2/3 * f3", "h**2 * f3"),
                "even_terms_stay": ("h/2*f2 + h**2/6*f3",),
            },
        ),
        number("truncation_order", 1, "2", {"one_sided": ("1",), "not_divided_by_2h": ("3",)}),
        number("one_sided_order", 1, "1", {"even_terms_stay": ("2",)}),
        formula(
            "rounding",
            2,
            "eps * F / h",
            ROUNDED,
            {
                "rounding_grows_with_h": ("eps * F * h", "2 * eps * F * h"),
                "rounding_without_h": ("eps * F", "2 * eps * F"),
                "rounding_not_halved": ("2 * eps * F / h",),
                "rounding_of_one_value": ("eps * F / (2*h)",),
            },
        ),
        formula(
            "best_step",
            2,
            "(3 * eps * F / f3) ** (1/3)",
            BEST,
            {
                "best_step_one_sided": ("(eps * F / f3) ** (1/2)", "eps ** (1/2)", "(3 * eps * F / f3) ** (1/2)"),
                "best_step_is_eps": ("eps", "eps * F / f3", "eps * F"),
                "best_step_constant": (
                    "(eps * F / f3) ** (1/3)",
                    "eps ** (1/3)",
                    "(6 * eps * F / f3) ** (1/3)",
                    "(eps * F / (3*f3)) ** (1/3)",
                ),
            },
        ),
        number(
            "best_step_float32",
            1,
            "(3 * 2**-23) ** (1/3)",
            {
                "best_step_of_float64": ("(3 * 2**-52) ** (1/3)",),
                "best_step_one_sided": ("(2**-23) ** (1/2)", "(3 * 2**-23) ** (1/2)"),
                "best_step_is_eps": ("2**-23",),
                "best_step_constant": ("(2**-23) ** (1/3)",),
            },
            tolerance=0.05,
        ),
        number("slope_left", 1, "-1", {"slope_sign": ("1",)}),
        number("slope_right", 1, "2", {"slope_sign": ("-2",), "one_sided": ("1",)}),
        RightChoice("curve", 1, ("curve",)),
        RightChoice("linear", 2, ("linear",)),
        *map(marked, RUBRIC),
    ),
    hints=(
        "Write the Taylor series of f(x + h) and of f(x - h) under each other, up to the third power of h. Which terms "
        "are equal in both, and which differ in their sign? What remains when you subtract?",
        "After the subtraction divide by 2h: the first term is the derivative, the rest is the truncation. For "
        "rounding, let each of the two values be wrong by up to eps · F, in the worst direction, and divide by 2h "
        "too. The sum of both errors is a function of h: where is its derivative zero?",
        "f(x + h) - f(x - h) = 2·h·f1 + 2 · (h³/6)·f3. The sum of the errors is h²/6 · f3 + eps · F / h, and its "
        "derivative h/3 · f3 - eps · F / h². A power h^p is a straight line of slope p where both axes are "
        "logarithmic. For the last question put f3 = 0.",
    ),
    misconceptions=(
        "taylor_factorial",
        "even_terms_stay",
        "odd_terms_single",
        "not_divided_by_2h",
        "one_sided",
        "rounding_grows_with_h",
        "rounding_without_h",
        "rounding_not_halved",
        "rounding_of_one_value",
        "best_step_one_sided",
        "best_step_is_eps",
        "best_step_constant",
        "best_step_of_float64",
        "slope_sign",
        "curve_without_left",
        "curve_without_right",
        "curve_symmetric",
        "linear_needs_small_h",
        "linear_has_u",
        "linear_is_exact",
    ),
)
