"""Every operation as plain loops: the specification that all else is checked against."""

from course_lib.loops.adaptive_pool import (
    adaptive_avg_pool,
    adaptive_avg_pool_backward,
    adaptive_max_pool,
    adaptive_max_pool_backward,
    global_avg_pool,
    global_max_pool,
)
from course_lib.loops.avg_pool import avg_pool, avg_pool_backward
from course_lib.loops.conv import conv, conv_backward, conv_transpose, conv_transpose_backward
from course_lib.loops.fractional_pool import fractional_max_pool
from course_lib.loops.lp_pool import lp_pool, lp_pool_backward
from course_lib.loops.max_pool import max_pool, max_pool_backward
from course_lib.loops.unpool import max_unpool, max_unpool_backward

__all__ = [
    "adaptive_avg_pool",
    "adaptive_avg_pool_backward",
    "adaptive_max_pool",
    "adaptive_max_pool_backward",
    "avg_pool",
    "avg_pool_backward",
    "conv",
    "conv_backward",
    "conv_transpose",
    "conv_transpose_backward",
    "fractional_max_pool",
    "global_avg_pool",
    "global_max_pool",
    "lp_pool",
    "lp_pool_backward",
    "max_pool",
    "max_pool_backward",
    "max_unpool",
    "max_unpool_backward",
]
