"""Between tensors and arrays, for what is computed in NumPy whatever it was given."""

import torch


def to_array(tensor):
    """The values of a tensor on any device that has values; bfloat16, which NumPy lacks, as float32."""
    if tensor.is_meta:
        raise ValueError("A tensor must have values to be routed; got one on the meta device.")
    values = tensor.detach().cpu().resolve_conj().resolve_neg()
    return (values.float() if values.dtype == torch.bfloat16 else values).numpy()


def to_tensor(array, like):
    """A tensor of an array's values, with the dtype and on the device of another."""
    return torch.as_tensor(array).to(like)
