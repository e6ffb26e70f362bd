"""Exercise 10: float64, float32 and mixed precision with loss scaling, and where the scaling matters."""

from dataclasses import replace

from course_lib.exercises.conclusions import Conclusion, RightConclusion, Statement
from course_lib.exercises.designs import Comparison, exactly
from course_lib.exercises.exercise import Exercise, Function
from course_lib.exercises.judged import Judged
from course_lib.exercises.scaled_gradients import (
    DOUBLE,
    NAME,
    PLAIN,
    SMALL,
    judge_finite,
    judge_inputs,
    judge_values,
)

PRECISIONS = Comparison(
    factor="precision",
    levels=exactly("float64", "float32", "float16"),
    fixed={"network": "two blocks", "backend": "framework", "loss_scale": "dynamic"},
    fields=(
        "accuracy",
        "finite gradients",
        "gradient difference",
        "training time",
        "prediction time",
        "parameters",
        "peak memory",
    ),
    shapes=("x", "conv1", "pool1", "conv2", "pool2", "logits"),
)
SCALING = replace(
    PRECISIONS,
    factor="loss_scale",
    levels={"1": lambda value: value == 1, "above 1": lambda value: value == "dynamic" or value > 1},
    fixed={"network": "two blocks", "backend": "framework", "precision": "float16"},
    swept="loss_factor",
    sweep=3,
    seeds=1,
    fields=("accuracy", "vanished gradients", "finite gradients"),
    design="scaling_design",
    report="scaling_report",
)
STATEMENTS = {
    "a": Statement(
        "A scaled loss makes larger steps, so that the network learns faster.",
        "The gradients are divided by the scale before the step. Compare the two variants with the loss factor 1.",
    ),
    "b": Statement(
        "Mixed precision needs loss scaling whatever the task: without it float16 loses the gradients.",
        "Look at the vanished gradients with the loss factor 1: hardly any are lost without a scale.",
    ),
    "c": Statement(
        "Where gradients are small, float16 loses them, and a scale brings them back. Where they are not small, the "
        "scale changes nothing that matters.",
    ),
    "d": Statement(
        "Loss scaling makes the gradients of float16 as exact as those of float32.",
        "Look at the gradient difference. A scale moves numbers into the range of float16; it gives them no more "
        "digits.",
    ),
}
EXERCISE = Exercise(
    number=10,
    name="10_change_the_precision",
    title="Change the precision",
    stars=3,
    chapter="09",
    task="Compare float64, float32 and mixed precision with loss scaling, and show where the scaling matters.",
    lines=20,
    allowed="NumPy, course_lib.experiments.",
    answers=(
        Function(NAME),
        *PRECISIONS.answers(),
        *SCALING.answers(),
        Conclusion("conclusion", STATEMENTS),
    ),
    properties=(
        Judged("unscale", 1, (NAME,), judge_values(PLAIN, DOUBLE)),
        Judged("unscale small gradients", 2, (NAME,), judge_values(SMALL)),
        Judged("finite", 2, (NAME,), judge_finite),
        Judged("inputs stay as they are", 1, (NAME,), judge_inputs),
        *PRECISIONS.of_design(),
        *PRECISIONS.of_report(),
        *SCALING.of_design("scaling: "),
        *SCALING.of_report("scaling: "),
        RightConclusion("conclusion", 2, ("conclusion",)),
    ),
    hints=(
        "What is the smallest number above 0 that float16 has? What becomes of a gradient below it, and when is it too "
        "late to multiply? And if a scale is too large, how would you notice before the step?",
        "unscale: make the arrays wider than half precision first, then divide. Ask every element whether it is "
        "finite. The first design changes precision alone, so that even float64 has the dynamic scale. The second "
        "stays in float16 and changes loss_scale, at three values of loss_factor: 1, a small one and a very small one.",
        "wide = [g.astype(np.promote_types(g.dtype, np.float32)) for g in gradients]; return [g / scale for g in "
        "wide], bool(all(np.isfinite(g).all() for g in wide)). {'precision': 'float16', 'loss_factor': 1e-6, "
        "'loss_scale': 1} beside the same with 2.0**16; then 1e-3 and 1 in the place of 1e-6.",
    ),
    misconceptions=(),
    seconds=60.0,
)
