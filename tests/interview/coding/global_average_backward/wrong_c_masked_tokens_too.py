"""Masked tokens get a share."""

import numpy as np

SEEDS = (9,)
KNOWN = "global_masked_get_some"


def global_average_backward(claimed, grad_output, mask):
    share = grad_output / mask.sum(1, keepdims=True)
    return np.repeat(share[:, None], mask.shape[1], 1), claimed.sum(1) - grad_output
