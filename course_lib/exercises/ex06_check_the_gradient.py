"""Exercise 6: a gradient checker of the learner's own, and the same gradients against PyTorch."""

from dataclasses import dataclass

import numpy as np

from course_lib.exercises import faults, reading, specimens
from course_lib.exercises.checker_moves import judge_samples, judge_two_sides
from course_lib.exercises.checkers import Accepts, Rejects, ReportsErrors, Tell, true_errors
from course_lib.exercises.compare import number_text
from course_lib.exercises.environments import judge_environment
from course_lib.exercises.exercise import Exercise, Function
from course_lib.exercises.faults import Fault
from course_lib.exercises.judged import Judged, Plain, described, wrong

CHECKER, AGAINST_TORCH = "sampled_check", "compare_with_torch"
YOURS = ("conv2d", "conv2d_backward")
KEYS = ("seed", "samples", "numeric", "torch", "environment")
DIVIDED, TURNED, MEAN = (specimens.WRONG[number] for number in (4, 1, 5))
# A checker that makes these mistakes accepts the first backward and refuses the second.
BLIND = Tell("harness_ones", specimens.WRONG[0], DIVIDED), Tell("harness_sum", TURNED, DIVIDED)
SMALL = (Tell("harness_absolute", specimens.SMALL_AND_WRONG[1], DIVIDED),)
KINK = (Tell("harness_at_kink", specimens.HALF_AT_KINK, specimens.RELU),)
COMPARED = tuple((specimens.CONV, one) for one in (specimens.CONV, DIVIDED, TURNED, MEAN))
OTHER_SHAPES = tuple((one, True) for one in specimens.OTHER_SHAPES)
# What float64 sums and differences of this size reach.
BEST = {"numeric": 1e-6, "torch": 1e-12}


def draw(seed):
    """A small convolution in float64, as the notebook draws it."""
    rng = np.random.default_rng(seed)
    x, weight, bias = rng.normal(size=(2, 3, 6, 5)), rng.normal(size=(4, 3, 3, 2)), rng.normal(size=4)
    return x, weight, bias, rng.normal(size=(2, 4, 4, 4))


def against_torch(session, backward, x, weight, bias, grad_output):
    """The learner's errors against PyTorch."""
    errors = session.call(AGAINST_TORCH, backward, x, weight, bias, grad_output, returns=("errors",))
    array = reading.as_array("errors", errors, session.calls)
    if array.shape != (3, 2):
        raise Fault(faults.WRONG_SHAPE, f"errors must have shape (3, 2), one row a gradient; got {array.shape}")
    return array.astype(float)


@dataclass(frozen=True)
class ErrorsAgainstTorch:
    """The judging: the errors of backwards whose mistakes are known.

    Attributes
    ----------
    pairs : tuple of pairs of Specimen
        A right convolution and the one that is tried, with the same numbers.
    """

    pairs: tuple

    def __call__(self, session):
        for right, specimen in self.pairs:
            (x, weight, bias), grad_output = specimen.fresh()
            found = against_torch(session, specimen.backward, x, weight, bias, grad_output)
            expected = true_errors(right.right(), specimen.right())
            for name, mine, true in zip(("x", "weight", "bias"), found, expected, strict=True):
                if not np.allclose(mine, true, rtol=1e-9, atol=1e-12):
                    sentence = f"the errors of the gradient of {name} are {_pair(mine)}, expected {_pair(true)}"
                    raise wrong(f"wrong value: {sentence}", ("case", specimen.name))
        return len(self.pairs)


def _pair(errors):
    """An absolute and a relative error."""
    return f"{number_text(errors[0])} and {number_text(errors[1])}"


@dataclass(frozen=True)
class RefusesShapes:
    """The judging: a gradient of another shape is refused, where it would be broadcast.

    Attributes
    ----------
    trials : tuple of pairs of Specimen and bool
        A convolution, and whether it must be refused.
    """

    trials: tuple

    def __call__(self, session):
        for specimen, is_refused in self.trials:
            (x, weight, bias), grad_output = specimen.fresh()
            try:
                against_torch(session, specimen.backward, x, weight, bias, grad_output)
            except Fault as fault:
                if not is_refused or fault.kind != faults.ERROR:
                    raise
                continue
            if is_refused:
                sentence = f"{AGAINST_TORCH} compared gradients of other shapes: assert them first"
                raise wrong(sentence, ("case", specimen.name))
        return len(self.trials)


def judge_report(session):
    """The report is complete, its errors are small, and a second run gives them again."""
    report = session.answer("report")
    if not isinstance(report, dict) or set(report) != set(KEYS):
        raise wrong(f"report must be a dict with {', '.join(KEYS)}; got {described(report)}")
    for name in ("seed", "samples"):
        if type(report[name]) is not int or not 0 <= report[name] < 2**31:
            raise wrong(f"report[{name!r}] must be a whole number; got {report[name]!r:.40}")
    again = _again(session, report)
    for name, expected in again.items():
        _judge_numbers(session, name, report[name], expected)
    return len(KEYS) - 1


def _again(session, report):
    """The learner's functions, run once more."""
    x, weight, bias, grad_output = draw(report["seed"])
    conv2d, backward = (session.answer(name) for name in YOURS)
    rng = np.random.default_rng(report["seed"])

    def both(grad_output, x, weight, bias):
        return backward(grad_output, x, weight)

    samples = report["samples"]
    arguments = conv2d, both, [x, weight, bias], grad_output, samples, rng
    _, numeric = session.call(CHECKER, *arguments, returns=("accepted", "errors"))
    torch = against_torch(session, both, x, weight, bias, grad_output)
    return {"numeric": reading.as_array("errors", numeric, session.calls), "torch": torch}


def _judge_numbers(session, name, given, expected):
    """One table of errors: three rows of two, small, and the same in a second run."""
    found = reading.as_array(f"report[{name!r}]", given, session.calls)
    if found.shape != (3, 2):
        raise wrong(f"report[{name!r}] must have one row for x, weight and bias, each of two errors; got {found.shape}")
    if not (found[:, 1] <= BEST[name]).all():
        raise wrong(f"a relative error in report[{name!r}] is above {BEST[name]:g}: is your backward right?")
    if not np.allclose(found, expected, rtol=0.01, atol=1e-13):
        raise wrong(
            f"report[{name!r}] is not what your functions give for this seed when they are run again",
            ("yours", f"{np.array2string(found, precision=3)}".replace("\n", "")),
            ("again", f"{np.array2string(expected, precision=3)}".replace("\n", "")),
        )


EXERCISE = Exercise(
    number=6,
    name="06_check_the_gradient",
    title="Check the gradient",
    stars=3,
    chapter="07",
    task="Write a gradient checker, and report how far your convolution's gradients are from differences and from "
    "PyTorch's.",
    lines=35,
    allowed="NumPy; PyTorch in compare_with_torch. Not course_lib.gradcheck: it is what you write here.",
    answers=(Function(CHECKER), Function(AGAINST_TORCH), *map(Function, YOURS), Plain("report")),
    properties=(
        Judged("accepts right backwards", 2, (CHECKER,), Accepts(specimens.SMOOTH)),
        Judged("rejects wrong ones", 2, (CHECKER,), Rejects((specimens.EXP,), specimens.WRONG, tells=BLIND)),
        Judged(
            "rejects small wrong ones",
            1,
            (CHECKER,),
            Rejects((specimens.SMALL_CONV,), specimens.SMALL_AND_WRONG, tells=SMALL),
        ),
        Judged("accepts right ones at kinks", 2, (CHECKER,), Accepts(specimens.KINKED, tells=KINK)),
        Judged("rejects wrong ones at kinks", 2, (CHECKER,), Rejects(specimens.KINKED[:2], specimens.WRONG_AT_KINKS)),
        Judged(
            "refuses other shapes and NaN",
            1,
            (CHECKER,),
            Rejects((specimens.CONV,), specimens.UNUSABLE, by_error=True),
        ),
        Judged(
            "reports the errors",
            2,
            (CHECKER,),
            ReportsErrors(((specimens.CONV, DIVIDED), (specimens.CONV, MEAN), (specimens.EXP, specimens.WRONG[0]))),
        ),
        Judged("moves each element both ways", 1, (CHECKER,), judge_two_sides),
        Judged("samples by the seed", 1, (CHECKER,), judge_samples),
        Judged("errors against PyTorch", 2, (AGAINST_TORCH,), ErrorsAgainstTorch(COMPARED)),
        Judged("dimensions against PyTorch", 1, (AGAINST_TORCH,), RefusesShapes(OTHER_SHAPES)),
        Judged(
            "report",
            2,
            ("report", CHECKER, AGAINST_TORCH, *YOURS),
            judge_report,
            only_beside=("reports the errors", "errors against PyTorch"),
        ),
        Judged("environment", 1, ("report",), lambda session: judge_environment(_environment(session))),
    ),
    hints=(
        "Move one element by a step and back. How much does ⟨grad_output, output⟩ rise on each side, over the step? "
        "For a smooth function both sides agree, and their mean is the central difference. What do the two sides say "
        "at a tie, and which numbers between them could a backward choose?",
        "Take the two one-sided slopes of every output, times its grad_output. Sum the smaller of each pair, and the "
        "larger of each pair. Where the sums agree, compare with their mean. Where they do not, there is a kink, and "
        "any number between them is right. Elements that tie must also add up: move the whole input by one step, and "
        "hold the sum of its gradient to that slope. And what makes an error of 1e-7 large?",
        "right = (function at +step - function at 0) / step * grad_output, and left likewise; low, high = "
        "np.minimum(left, right).sum(), np.maximum(left, right).sum(). The error is abs(analytic - (low + high) / 2) "
        "where high - low is below a thousandth of the slope, else max(low - analytic, analytic - high, 0). Divide the "
        "largest error of an input by its largest slope, and accept if all of these are < 1e-6: with <, so that NaN is "
        "refused. First of all assert that every gradient has its input's shape.",
    ),
    misconceptions=tuple(tell.name for tell in (*BLIND, *SMALL, *KINK)),
    seconds=30.0,
)


def _environment(session):
    """What the report says about where it was made."""
    report = session.answer("report")
    if not isinstance(report, dict) or "environment" not in report:
        raise wrong(f"report must be a dict with {', '.join(KEYS)}; got {described(report)}")
    return report["environment"]
