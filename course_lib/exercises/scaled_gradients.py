"""Whether a learner takes a loss scale back out of the gradients without losing them."""

import numpy as np

from course_lib.exercises import faults, reading
from course_lib.exercises.compare import array_text, number_text
from course_lib.exercises.faults import Fault, type_name
from course_lib.exercises.judged import wrong

NAME, RETURNS = "unscale", ("gradients", "finite")
SCALE = 2.0**16


def half(*numbers):
    """Gradients as a backward in float16 gives them."""
    return np.array(numbers, np.float16)


def single(*numbers):
    """Gradients in float32."""
    return np.array(numbers, np.float32)


PLAIN = ((single(2.0, -6.0), single(4.0)), 2.0)
# Over the scale these are below 2⁻²⁴, the smallest number of float16.
SMALL = ((half(1.0, -0.25, 2.0**-10), half(3.0)), SCALE)
DOUBLE = ((np.array([1.0 + 2.0**-40]), np.zeros((2, 2))), 8.0)
BROKEN = (
    ((single(1.0, np.inf), single(2.0)), SCALE),
    ((single(1.0), single(-np.inf)), SCALE),
    ((single(np.nan, 1.0), single(2.0)), SCALE),
    ((half(1.0), half(np.inf)), SCALE),
)
# Their sum overflows and their elements do not.
LARGE = ((np.full(4, 3e38, np.float32), single(1.0)), SCALE)


def called(session, case):
    """The learner's arrays and verdict."""
    gradients, scale = case
    with np.errstate(all="ignore"):
        found, finite = session.call(NAME, [array.copy() for array in gradients], scale, returns=RETURNS)
    if not faults.is_exactly(finite, bool, np.bool_):
        raise Fault(faults.NOT_USABLE, f"finite must be True or False; got a value of type {type_name(finite)}")
    arrays = session.calls.value("reading the gradients", lambda: list(found))
    if len(arrays) != len(gradients):
        raise wrong(f"{NAME} must give one array a gradient, {len(gradients)}; got {len(arrays)}")
    return [reading.as_array("a gradient", array, session.calls) for array in arrays], bool(finite)


def judge_values(*cases):
    """The judging of the arrays: each gradient over the scale, with nothing lost."""

    def judge(session):
        for case in cases:
            found, _ = called(session, case)
            for array, given in zip(found, case[0], strict=True):
                _judge_array(array, given, case[1])
        return len(cases)

    return judge


def _judge_array(found, given, scale):
    """One gradient."""
    right = given.astype(float) / scale
    where = ("case", f"a gradient {array_text(given)} of {given.dtype}, scale {number_text(scale)}")
    if found.shape != given.shape:
        raise Fault(faults.WRONG_SHAPE, f"wrong shape: yours {found.shape}, expected {given.shape}", [where])
    if given.dtype == np.float64 and found.dtype != np.float64:
        raise wrong(f"a gradient of float64 came back as {found.dtype}", where)
    # Powers of two: the division is exact wherever the type can hold the result.
    if not np.array_equal(found.astype(float), right):
        note = () if found.dtype != np.float16 else (("note", "float16 cannot hold it: widen before you divide."),)
        raise wrong(f"wrong value: yours {array_text(found)}, expected {array_text(right)}", where, *note)


def judge_finite(session):
    """The verdict, over all gradients."""
    for case in BROKEN:
        if called(session, case)[1]:
            texts = " and ".join(array_text(array) for array in case[0])
            raise wrong("finite must be False where any element of any gradient is not", ("case", texts))
    for case in (PLAIN, SMALL, LARGE):
        if not called(session, case)[1]:
            texts = " and ".join(array_text(array) for array in case[0])
            raise wrong("finite must be True where every element is", ("case", texts))
    return len(BROKEN) + 3


def judge_inputs(session):
    """The arrays that were given stay as they were."""
    gradients, scale = [single(2.0, -6.0), half(4.0)], 2.0
    copies = [array.copy() for array in gradients]
    session.call(NAME, gradients, scale, returns=RETURNS)
    for number, (array, copy) in enumerate(zip(gradients, copies, strict=True)):
        if not np.array_equal(array, copy):
            raise wrong(f"{NAME} changed gradient {number} in place: give new arrays")
    return 1
