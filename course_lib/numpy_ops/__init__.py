"""Every operation on NumPy arrays, forward and backward."""

from course_lib.numpy_ops.avg_pool import avg_pool, avg_pool_backward
from course_lib.numpy_ops.max_pool import max_pool, max_pool_backward

__all__ = ["avg_pool", "avg_pool_backward", "max_pool", "max_pool_backward"]
