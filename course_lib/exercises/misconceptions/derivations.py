"""What goes wrong in derivations: wrong indices, sums and powers, each with an input that refutes it."""

from course_lib.exercises.misconceptions.convolution import plane_case
from course_lib.exercises.misconceptions.model import Case, Misconception

ROW = plane_case([[1, 2, 3]], [[4, 5]], [[1, 10]])
PLANE = plane_case([[1, 2], [3, 4]], [[0, -1], [1, 2]], [[4]])
SAMPLES = Case("two samples", {"x": [[[[2]]], [[[3]]]], "weight": [[[[5]]]], "bias": [1],
                               "grad_output": [[[[4]]], [[[7]]]]})  # fmt: skip
OUTPUTS = Case("two outputs", {"x": [[[[2]]]], "weight": [[[[5]]], [[[3]]]], "bias": [1, 6],
                               "grad_output": [[[[4]], [[7]]]]})  # fmt: skip
CUBE = Case("f(x) = x³ at x = 1, h = 0.1", {"x": 1.0, "h": 0.1})
LINE = Case("f(x) = x at x = 1, h = 1e-12", {"x": 1.0, "h": 1e-12})


def _words(name, chapter, smallest, sentence):
    """A mistake that is no step of a program."""
    return Misconception(name=name, sentence=sentence, chapter=chapter, smallest=smallest)


INDICES = [
    _words("weight_used_once", "06", ROW, "A kernel moves: the same weight is used in every window of every sample."),
    _words("weight_feeds_all_outputs", "06", OUTPUTS,
           "Each output channel has a kernel of its own. W[q, …] stands in the outputs of channel q and in no others."),
    _words("index_minus", "06", ROW,
           "With a minus the kernel would run against the input: a convolution in the strict sense. In Z the tap u of "
           "window r reads row r + u."),
    _words("index_plus", "06", ROW,
           "With a plus the tap would lie beyond the window. Row a is read by the tap u of window r where r + u = a."),
    _words("index_from_one", "06", ROW, "That is right where indices begin at 1. Here they begin at 0."),
    _words("index_without_window", "06", ROW, "Where the window starts is missing: tap u means another row in each."),
    _words("index_without_tap", "06", ROW, "Which tap is meant is missing: a window holds as many rows as the kernel."),
    _words("index_turned", "06", ROW, "The two indices are exchanged in their difference, so that it is negative."),
    _words("index_axes_swapped", "06", PLANE, "Rows and columns are exchanged: r and u count rows, s and v columns."),
    _words("off_by_one", "06", ROW,
           "One too far. A window that starts at r ends at r + k − 1, with its last tap u = k − 1."),
]  # fmt: skip
SUMS = [
    _words("sum_without_samples", "06", SAMPLES, "All samples use the same kernel and the same bias: add over them."),
    _words("sum_without_positions", "06", ROW, "All positions use the same kernel and the same bias: add over them."),
    _words("sum_over_outputs", "06", OUTPUTS, "Another output channel has another kernel and another bias."),
    _words("sum_over_samples", "06", SAMPLES, "An element belongs to one sample and feeds no output of another one."),
    _words("sum_without_outputs", "06", OUTPUTS, "An element of the input feeds every output channel: add over q."),
    _words("sum_over_inputs", "06", OUTPUTS, "The channel c is given on the left, so that no sum can run over it."),
    _words("sum_is_mean", "06", ROW,
           "A mean is another number: the loss rises by all the routes together. No learning rate knows how many there "
           "are."),
    _words("sum_is_convention", "06", ROW,
           "Nobody chose it: the total derivative of a variable that is used many times is the sum over its uses."),
    _words("division_harmless", "06", SAMPLES,
           "The gradient becomes smaller by the number of samples, and the steps with it."),
    _words("ratio_turned", "06", SAMPLES, "The ratio is turned over: another division makes the gradient smaller."),
    _words("ratio_squared", "06", SAMPLES,
           "One of the two divisions is right, and in the upstream gradient of both. The ratio holds the other alone."),
]  # fmt: skip
DIFFERENCES = [
    _words("taylor_factorial", "07", CUBE, "The term of third order is divided by 3! = 6, and not by 3."),
    _words("even_terms_stay", "07", CUBE,
           "Terms with even powers are the same on both sides, and the subtraction takes them away."),
    _words("odd_terms_single", "07", CUBE,
           "Terms with odd powers change their sign with h, so that the subtraction doubles them."),
    _words("not_divided_by_2h", "07", CUBE, "The difference must still be divided by 2h."),
    _words("one_sided", "07", CUBE,
           "That is the one-sided difference, in which the term of second order stays. The central one is better by an "
           "order."),
    _words("rounding_grows_with_h", "07", LINE,
           "A small h makes it worse: two nearly equal values are subtracted, and what is left is divided by h."),
    _words("rounding_without_h", "07", LINE,
           "The error of the values is divided by 2h, as their difference is: it grows as h shrinks."),
    _words("rounding_not_halved", "07", LINE,
           "Two values of error eps·F each, over 2h: the 2 above and the 2 below cancel."),
    _words("rounding_of_one_value", "07", LINE, "Both values are rounded, and their errors may add up."),
    _words("best_step_one_sided", "07", CUBE,
           "The square root is the rule of the one-sided difference, whose truncation is of first order."),
    _words("best_step_is_eps", "07", LINE,
           "At h = eps the rounding is as large as the derivative itself. Smaller is not better."),
    _words("best_step_constant", "07", CUBE,
           "The power is right, the factor is not: set the derivative of the sum with respect to h to zero."),
    _words("best_step_of_float64", "07", CUBE, "That is the best step in float64. In float32 eps is 2⁻²³."),
    _words("slope_sign", "07", CUBE,
           "The sign is turned. To the right, truncation grows with h; to the left, rounding falls with it."),
    _words("curve_without_left", "07", LINE,
           "The error does not fall for ever as h shrinks: at some h rounding takes over."),
    _words("curve_without_right", "07", CUBE,
           "A large h is not good: the terms of the Taylor series that were left out grow with it."),
    _words("curve_symmetric", "07", CUBE,
           "The branches differ: rounding goes with the power −1 of h, truncation with the power 2."),
    _words("linear_needs_small_h", "07", LINE,
           "A linear function has no truncation error at any h. A smaller h only makes rounding worse."),
    _words("linear_has_u", "07", LINE,
           "Truncation comes from the third derivative. Where it is 0 there is nothing to the right of the minimum."),
    _words("linear_is_exact", "07", LINE, "Rounding remains: the two values are rounded before they are subtracted."),
]  # fmt: skip

DERIVATION_MISCONCEPTIONS = [*INDICES, *SUMS, *DIFFERENCES]
