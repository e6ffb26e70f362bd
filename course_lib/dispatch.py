"""One name for every backend: an array goes to numpy_ops, a tensor to torch_ops, which is loaded when it is needed."""

from functools import wraps

from course_lib import numpy_ops


def is_tensor(value):
    """Whether the value is a torch tensor, found without importing torch."""
    return any(kind.__module__ == "torch" and kind.__name__ == "Tensor" for kind in type(value).__mro__)


def _dispatched(operation):
    """The operation, sent to the backend of its first argument."""
    first = operation.__code__.co_varnames[0]

    @wraps(operation)
    def dispatched(*args, **kwargs):
        if is_tensor(args[0] if args else kwargs.get(first)):
            # An import statement here, not at the top: torch is large, and torch.compile can follow a statement.
            from course_lib import torch_ops

            return getattr(torch_ops, operation.__name__)(*args, **kwargs)
        try:
            return operation(*args, **kwargs)
        except TypeError:
            value = args[0] if args else kwargs.get(first)
            _refuse_mixture(operation.__name__, first, value, [*args, *kwargs.values()])
            raise

    return dispatched


def _refuse_mixture(name, first, value, others):
    """Says that NumPy and torch were mixed, where a tensor is the reason that NumPy refused."""
    if any(map(is_tensor, others)):
        raise TypeError(
            f"{name} takes NumPy arrays or torch tensors, not both; got {first} of type {type(value).__name__} and a "
            "tensor besides. Convert one of them with torch.as_tensor."
        ) from None


max_pool = _dispatched(numpy_ops.max_pool)
max_pool_backward = _dispatched(numpy_ops.max_pool_backward)
avg_pool = _dispatched(numpy_ops.avg_pool)
avg_pool_backward = _dispatched(numpy_ops.avg_pool_backward)
adaptive_max_pool = _dispatched(numpy_ops.adaptive_max_pool)
adaptive_max_pool_backward = _dispatched(numpy_ops.adaptive_max_pool_backward)
adaptive_avg_pool = _dispatched(numpy_ops.adaptive_avg_pool)
adaptive_avg_pool_backward = _dispatched(numpy_ops.adaptive_avg_pool_backward)
global_max_pool = _dispatched(numpy_ops.global_max_pool)
global_avg_pool = _dispatched(numpy_ops.global_avg_pool)
fractional_max_pool = _dispatched(numpy_ops.fractional_max_pool)
lp_pool = _dispatched(numpy_ops.lp_pool)
lp_pool_backward = _dispatched(numpy_ops.lp_pool_backward)
max_unpool = _dispatched(numpy_ops.max_unpool)
max_unpool_backward = _dispatched(numpy_ops.max_unpool_backward)
conv = _dispatched(numpy_ops.conv)
conv_backward = _dispatched(numpy_ops.conv_backward)
conv_transpose = _dispatched(numpy_ops.conv_transpose)
conv_transpose_backward = _dispatched(numpy_ops.conv_transpose_backward)
