"""Every operation on torch tensors, differentiable, with the project's own forward and backward."""

try:
    import torch  # noqa: F401
except ImportError as error:
    raise ImportError("course_lib.torch_ops needs PyTorch, which is not installed. Run pip install torch.") from error

from course_lib.torch_ops.avg_pool import avg_pool, avg_pool_backward
from course_lib.torch_ops.max_pool import max_pool, max_pool_backward

__all__ = ["avg_pool", "avg_pool_backward", "max_pool", "max_pool_backward"]
