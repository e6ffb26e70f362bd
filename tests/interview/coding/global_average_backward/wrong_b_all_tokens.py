"""The gradient is divided by the number of all tokens."""

SEEDS = (5, 10)
KNOWN = "global_all_tokens"


def global_average_backward(grad_output, mask, claimed):
    grad = grad_output * mask[:, :, None] / mask.shape[1]
    return grad, claimed.sum(1) - grad_output[:, 0]
