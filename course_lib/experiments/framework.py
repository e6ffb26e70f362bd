"""PyTorch's own convolution and its gradients, from arrays to arrays: for those who compare without tensors."""


def conv2d(x, weight, bias=None, stride=1, padding=0):
    """The output of PyTorch's convolution.

    Parameters
    ----------
    x, weight, bias : ndarray
        Of float64; bias may be None.
    stride, padding : int or pair of int

    Returns
    -------
    ndarray
    """
    import torch

    tensors = [None if array is None else torch.from_numpy(array) for array in (x, weight, bias)]
    return torch.nn.functional.conv2d(*tensors, stride=stride, padding=padding).numpy()


def conv2d_gradients(grad_output, x, weight, bias=None, stride=1, padding=0):
    """PyTorch's gradients of x, weight and bias; None for a bias that is None.

    Parameters
    ----------
    grad_output, x, weight, bias : ndarray
        Of float64; bias may be None.
    stride, padding : int or pair of int

    Returns
    -------
    tuple of ndarray
    """
    import torch

    tensors = [None if array is None else torch.from_numpy(array).requires_grad_() for array in (x, weight, bias)]
    y = torch.nn.functional.conv2d(*tensors, stride=stride, padding=padding)
    found = iter(torch.autograd.grad(y, [one for one in tensors if one is not None], torch.from_numpy(grad_output)))
    return tuple(None if one is None else next(found).numpy() for one in tensors)
