"""Routes of torch tensors: computed on arrays, and given back as tensors."""

from course_lib.dispatch import is_tensor


def as_array(value):
    """The values of a tensor as an array; anything else as it is."""
    if not is_tensor(value):
        return value
    from course_lib.torch_ops.arrays import to_array

    return to_array(value)


def as_tensor(array, like):
    """The array as a tensor, in the dtype and on the device of another."""
    from course_lib.torch_ops.arrays import to_tensor

    return to_tensor(array, like)
