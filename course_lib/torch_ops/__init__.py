"""Every operation on torch tensors, differentiable, with the project's own forward and backward.

On the CPU a tensor lends its memory to `course_lib.numpy_ops`: threads follow `course_lib.set_threads`, and
``torch.set_num_threads`` changes nothing. On CUDA Triton kernels run where they can serve, and plain torch operations
elsewhere.

The functions have one backend. The modules in `course_lib.torch_ops.nn` also take ``backend="native"``, which runs the
framework's kernels, and `course_lib.torch_ops.compare.compare` runs both and says where they differ.
"""

try:
    import torch  # noqa: F401
except ImportError as error:
    raise ImportError("course_lib.torch_ops needs PyTorch, which is not installed. Run pip install torch.") from error

from course_lib.torch_ops.adaptive_pool import (
    adaptive_avg_pool,
    adaptive_avg_pool_backward,
    adaptive_max_pool,
    adaptive_max_pool_backward,
    global_avg_pool,
    global_max_pool,
)
from course_lib.torch_ops.avg_pool import avg_pool, avg_pool_backward
from course_lib.torch_ops.conv import conv, conv_backward, conv_transpose, conv_transpose_backward
from course_lib.torch_ops.fractional_pool import fractional_max_pool
from course_lib.torch_ops.lp_pool import lp_pool, lp_pool_backward
from course_lib.torch_ops.max_pool import max_pool, max_pool_backward
from course_lib.torch_ops.unpool import max_unpool, max_unpool_backward

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
