"""Exercise 7: tests as data, judged by the wrong implementations that they refuse."""

from course_lib.exercises.environments import judge_environment
from course_lib.exercises.exercise import Exercise
from course_lib.exercises.implementations import AVG_CALL, CONV_CALL, MAX_CALL
from course_lib.exercises.judged import Judged, Plain
from course_lib.exercises.mutants import AVG_MUTANTS, CONV_MUTANTS, MAX_MUTANTS
from course_lib.exercises.suites import Kills, Suite, ValidTests

NAME = ("tests",)
EXERCISE = Exercise(
    number=7,
    name="07_design_the_tests",
    title="Design the tests",
    stars=3,
    chapter="07",
    task="Write tests that every right backward passes and as many wrong ones as possible do not.",
    lines=40,
    allowed="NumPy, your own functions, pencil and paper; course_lib, if you trust it.",
    answers=(Suite("tests"), Plain("environment")),
    properties=(
        ValidTests("right implementations pass", 4, NAME),
        Kills("convolution", NAME, CONV_MUTANTS, CONV_CALL),
        Kills("max pooling", NAME, MAX_MUTANTS, MAX_CALL),
        Kills("average pooling", NAME, AVG_MUTANTS, AVG_CALL),
        Judged("environment", 1, ("environment",), lambda session: judge_environment(session.answer("environment"))),
    ),
    hints=(
        "Think of a mistake, and ask which is the smallest input that shows it. Would the mistake show if the windows "
        "did not overlap? If there were one sample, one channel, a square kernel, an upstream gradient of ones?",
        "One test for each thing that can go wrong: an all-ones kernel whose input gradient counts the windows; a "
        "kernel without symmetry and a single 1 upstream; two samples and channels with different numbers; a stride of "
        "2; padding, with negative numbers for the maximum; ties; rectangular windows; an upstream gradient of zeros; "
        "and calls that must be refused. Then one larger test of everything at once, from random numbers with a seed.",
        "rng.integers(-3, 2, (2, 3, 6, 7)).astype(float) with kernel_size=(3, 2), stride=(2, 1), padding=(1, 0) and an "
        "upstream gradient rng.normal(size=...) finds most pooling mistakes at once; the same with a weight of shape "
        "(4, 3, 3, 2) finds most of the convolution's. fails('conv2d_backward', ...) with one column too few upstream, "
        "with one channel too many in the weight, with a kernel larger than the input.",
    ),
    misconceptions=(),
    seconds=10.0,
)
