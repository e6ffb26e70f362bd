"""A mask that is a weight for every token."""

import numpy as np

SEEDS = (4, 13)


def global_average_backward(claimed, grad_output, mask):
    weights = mask / mask.sum(1, keepdims=True)
    sent = grad_output[:, 0]
    return np.einsum("nl,nc->nlc", weights, sent), np.einsum("nlc->nc", claimed) - sent
