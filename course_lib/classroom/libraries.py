"""What a program in the sandbox may ask the judge to compute, exercise by exercise: public operations, plain arrays."""

from course_lib import loops, numpy_ops

CONVOLUTION = ("conv", "conv_backward")
# Exercise 7 may use the whole course to find what to expect.
WHOLE_COURSE, CONVOLUTION_ONLY = (7,), (6,)


def library(number):
    """The functions by their full names.

    Parameters
    ----------
    number : int
        Of the exercise.
    """
    found = {"course_lib.experiments.environment": _environment}
    names = numpy_ops.__all__ if number in WHOLE_COURSE else CONVOLUTION if number in CONVOLUTION_ONLY else ()
    for name in names:
        found[f"course_lib.{name}"] = getattr(numpy_ops, name)
        found[f"course_lib.loops.{name}"] = getattr(loops, name)
        found[f"course_lib.numpy_ops.{name}"] = getattr(numpy_ops, name)
    if number in (8, 9, 10):
        found["course_lib.experiments.run"] = _not_run
    return found


def _environment():
    """The versions here."""
    from course_lib.experiments import environment

    return environment()


def _not_run(*_, **__):
    """Nothing: the grader runs the design itself, later."""
