"""What a program in the sandbox may ask the judge to compute, exercise by exercise: public operations, plain arrays."""

from course_lib import loops, numpy_ops
from course_lib.experiments import environment
from course_lib.experiments.framework import conv2d, conv2d_gradients

CONVOLUTION = ("conv", "conv_backward")
# Exercise 7 may use the whole course to find what to expect.
WHOLE_COURSE, COMPARED, REPORTED, EXPERIMENTS = (7,), (6,), (6, 7), (8, 9, 10)


def library(number):
    """The functions by their full names.

    Parameters
    ----------
    number : int
        Of the exercise.
    """
    found = {}
    names = numpy_ops.__all__ if number in WHOLE_COURSE else CONVOLUTION if number in COMPARED else ()
    for name in names:
        found[f"course_lib.{name}"] = getattr(numpy_ops, name)
        found[f"course_lib.loops.{name}"] = getattr(loops, name)
        found[f"course_lib.numpy_ops.{name}"] = getattr(numpy_ops, name)
    if number in REPORTED:
        found["course_lib.experiments.environment"] = environment
    if number in COMPARED:
        found |= {f"framework.{one.__name__}": one for one in (conv2d, conv2d_gradients)}
    if number in EXPERIMENTS:
        found["course_lib.experiments.run"] = _not_run
    return found


def _not_run(*_, **__):
    """Nothing: the grader runs the design itself, later."""
