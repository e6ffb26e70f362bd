# %% [markdown]
# # Exercise 10 ★★★ Change the precision
#
# **Task.** Compare float64, float32 and mixed precision with loss scaling, and show where the scaling matters.
#
# | give | what it is |
# |---|---|
# | `unscale` | takes a list of gradients and a scale, gives the gradients over the scale, and whether all are finite |
# | `design`, `report` | the precisions compared, as in exercise 9, and what `run(**design)` gives |
# | `scaling_design`, `scaling_report` | the loss scale compared, in float16, and its report |
# | `conclusion` | the letter of what your tables support |
#
# The network is `"two blocks"` again, computed by the `"framework"`. In the first design only `precision` differs
# (`"float64"`, `"float32"`, `"float16"`; the last one is mixed: the parameters stay in float32), and every variant has
# the `loss_scale` `"dynamic"`. Measure `"accuracy"`, `"finite gradients"`, `"gradient difference"` (from float64),
# `"training time"`, `"prediction time"`, `"parameters"` and `"peak memory"`, with three seeds.
#
# In the second design everything is in `"float16"`. `loss_scale` is 1, which means none, or larger, and each of them
# stands at the same three values of `loss_factor` or more. A loss factor makes a task with small gradients: the loss is
# multiplied by it, and the steps by its inverse, so that in exact arithmetic it changes nothing. Measure `"accuracy"`,
# `"vanished gradients"` and `"finite gradients"`. One seed is enough here. Both designs need at least 40 steps, and the
# dimensions of `"x"`, `"conv1"`, `"pool1"`, `"conv2"`, `"pool2"` and `"logits"`.
#
# **`conclusion`: what do your tables support?**
#
# - **a** A scaled loss makes larger steps, so that the network learns faster.
# - **b** Mixed precision needs loss scaling whatever the task: without it float16 loses the gradients.
# - **c** Where gradients are small, float16 loses them, and a scale brings them back. Where they are not small, the
#   scale changes nothing that matters.
# - **d** Loss scaling makes the gradients of float16 as exact as those of float32.
#
# **Allowed:** NumPy, `course_lib.experiments`. **Length:** about 20 lines.
# **Needed:** [chapter 09](../notebooks/09_can_it_be_fast_and_on_a_gpu.ipynb).

# %% name="given"
import numpy as np

from course_lib.exercises import check, hint, reveal
from course_lib.experiments import run

# %% [markdown] name="your-turn" tags=["stub"]
# One function, two designs with their reports, and a letter. The gradients come in the precision of the backward,
# float16 among them, and must keep their shapes. Half precision is slow on most processors: 60 to 100 steps are enough.


# %% name="stub" tags=["stub"]
def unscale(gradients, scale):
    """The gradients over the scale, none of them lost, and whether all elements are finite."""
    raise NotImplementedError("Your turn.")


design = ...
report = ...
scaling_design = ...
scaling_report = ...
conclusion = ...

# %% [markdown] name="unscaling" tags=["solution"]
# The scale lifts small gradients out of the range where float16 has nothing. To divide in float16 would drop them there
# again. So they are widened first. A gradient that is not finite says that the scale was too large: that step is
# skipped, and the scale halved.


# %% name="solution-unscale" tags=["solution"]
def unscale(gradients, scale):
    """The gradients over the scale, none of them lost, and whether all elements are finite."""
    wide = [gradient.astype(np.promote_types(gradient.dtype, np.float32)) for gradient in gradients]
    return [gradient / scale for gradient in wide], bool(all(np.isfinite(gradient).all() for gradient in wide))


# %% [markdown] name="precisions" tags=["solution"]
# One factor: even float64 gets the dynamic scale, which is a power of two and changes none of its digits.

# %% name="solution-design" tags=["solution"]
shapes = {
    "x": (32, 1, 8, 8), "conv1": (32, 8, 8, 8), "pool1": (32, 8, 4, 4),
    "conv2": (32, 16, 4, 4), "pool2": (32, 16, 2, 2), "logits": (32, 10),
}  # fmt: skip
same = {"learning_rate": 0.05, "loss_scale": "dynamic"}
design = {
    "variants": {name: {"precision": name, **same} for name in ("float64", "float32", "float16")},
    "seeds": [0, 1, 2],
    "budget": {"steps": 80, "batch_size": 32},
    "fields": ["accuracy", "finite gradients", "gradient difference", "training time", "prediction time", "parameters",
               "peak memory"],
    "shapes": shapes,
}  # fmt: skip

# %% name="solution-run" tags=["solution", "nbval-ignore-output"]
report = run(**design)
double, single, half = (report[name] for name in design["variants"])
np.testing.assert_allclose(single["accuracy"], double["accuracy"], atol=0.03)
assert half["accuracy"].mean() > 0.75 and half["finite gradients"].mean() > 0.9
assert single["gradient difference"].max() < 1e-3 < half["gradient difference"][:, 1].max() < 1
assert double["peak memory"] > single["peak memory"] > half["peak memory"]
report

# %% [markdown] name="scaling" tags=["solution"]
# float32 follows float64 to the last of its digits. In float16 the gradients differ by more than its rounding: where
# rounding changes which element wins a window or whether a ReLU is open, a gradient goes another way.
#
# Now the scale, with gradients that are as they are, smaller, and much smaller:

# %% name="solution-scaling" tags=["solution"]
scaling_design = {
    "variants": {
        f"factor {factor:g}, scale {scale:g}": {
            "precision": "float16", "learning_rate": 0.05, "loss_factor": factor, "loss_scale": scale
        }
        for factor in (1, 1e-3, 1e-6)
        for scale in (1, 2.0**16)
    },
    "seeds": [0],
    "budget": {"steps": 60, "batch_size": 32},
    "fields": ["accuracy", "vanished gradients", "finite gradients", "gradient difference"],
    "shapes": shapes,
}  # fmt: skip

# %% name="solution-scaling-run" tags=["solution", "nbval-ignore-output"]
scaling_report = run(**scaling_design)
vanished = {name: float(row["vanished gradients"].max()) for name, row in scaling_report.rows.items()}
accuracy = scaling_report.mean("accuracy")
assert vanished["factor 1, scale 1"] < 0.05 and vanished["factor 1e-06, scale 1"] > 0.3
assert vanished["factor 1e-06, scale 65536"] < 0.5 * vanished["factor 1e-06, scale 1"]
assert accuracy["factor 1e-06, scale 65536"] > 0.7 > accuracy["factor 1e-06, scale 1"]
scaling_report

# %% [markdown] name="conclude" tags=["solution"]
# With gradients of their usual size the scale makes no difference that matters. With small ones float16 has only zeros
# for many of them, the network learns little, and the scale brings both back. It does not make them more exact: the
# differences from float64 stay those of half precision.

# %% name="solution-conclusion" tags=["solution"]
conclusion = "c"

# %% [markdown] name="judged"
# The check looks at both designs, and of each it runs one variant with one seed again. No time is judged.

# %% name="check"
check(
    10,
    unscale=unscale,
    design=design,
    report=report,
    scaling_design=scaling_design,
    scaling_report=scaling_report,
    conclusion=conclusion,
)

# %% [markdown] name="hints"
# **Stuck?** Take the zero out of the next cell and run it. Each run gives the next hint, from a question to the line.
# `reveal(10)` leads to the solution.

# %% name="hint"
hint(10, 0)
