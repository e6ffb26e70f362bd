"""One name for every backend: an array goes to numpy_ops, a tensor to torch_ops, which is loaded when it is needed."""

from functools import wraps

from course_lib import numpy_ops


def _is_tensor(value):
    """Whether the value is a torch tensor, found without importing torch."""
    return any(kind.__module__ == "torch" and kind.__name__ == "Tensor" for kind in type(value).__mro__)


def _dispatched(operation):
    """The operation, sent to the backend of its first argument."""

    @wraps(operation)
    def dispatched(*args, **kwargs):
        first = args[0] if args else next(iter(kwargs.values()), None)
        if _is_tensor(first):
            raise TypeError(f"{operation.__name__} takes NumPy arrays; got a torch tensor. Convert it with x.numpy().")
        return operation(*args, **kwargs)

    return dispatched


max_pool = _dispatched(numpy_ops.max_pool)
max_pool_backward = _dispatched(numpy_ops.max_pool_backward)
avg_pool = _dispatched(numpy_ops.avg_pool)
avg_pool_backward = _dispatched(numpy_ops.avg_pool_backward)
