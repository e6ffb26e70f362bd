"""Where Does the Gradient Go? Pooling and convolution, forward and backward, and what happens to the gradient."""

from course_lib.dispatch import (
    adaptive_avg_pool,
    adaptive_avg_pool_backward,
    adaptive_max_pool,
    adaptive_max_pool_backward,
    avg_pool,
    avg_pool_backward,
    conv,
    conv_backward,
    conv_transpose,
    conv_transpose_backward,
    fractional_max_pool,
    global_avg_pool,
    global_max_pool,
    lp_pool,
    lp_pool_backward,
    max_pool,
    max_pool_backward,
    max_unpool,
    max_unpool_backward,
)
from course_lib.threads import set_threads

__version__ = "0.1.0"
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
    "set_threads",
]
