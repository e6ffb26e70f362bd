"""Where Does the Gradient Go? Pooling and convolution, forward and backward, and what happens to the gradient."""

from course_lib.dispatch import avg_pool, avg_pool_backward, max_pool, max_pool_backward

__version__ = "0.1.0"
__all__ = ["avg_pool", "avg_pool_backward", "max_pool", "max_pool_backward"]
