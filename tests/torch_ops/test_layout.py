"""How tensors are lent to NumPy: no copy, the right bits, and bfloat16 in blocks."""

import numpy as np
import pytest
import torch

from course_lib import torch_ops
from course_lib.torch_ops import layout

X = torch.arange(5 * 2 * 6 * 6).remainder(13).sub(6).reshape(5, 2, 6, 6)
WEIGHT = torch.arange(2 * 2 * 3 * 3).remainder(5).sub(2).reshape(2, 2, 3, 3)
CALLS = {
    "max_pool": lambda x, w: torch_ops.max_pool(x, 3, 2, 1),
    "avg_pool": lambda x, w: torch_ops.avg_pool(x, 2),
    "adaptive_max_pool": lambda x, w: torch_ops.adaptive_max_pool(x, 4),
    "adaptive_avg_pool": lambda x, w: torch_ops.adaptive_avg_pool(x, 2),
    "lp_pool": lambda x, w: torch_ops.lp_pool(x, 1, 2),
    "conv": lambda x, w: torch_ops.conv(x, w, w[:, 0, 0, 0], padding=1),
    "conv_transpose": lambda x, w: torch_ops.conv_transpose(x, w, w[0, :, 0, 0], stride=2),
}
VIEWS = {
    "sliced": lambda x: x[1::2, :, 1:, ::2],
    "expanded": lambda x: x[:1].expand(5, -1, -1, -1),
    "transposed": lambda x: x.transpose(2, 3),
    "channels last": lambda x: x.to(memory_format=torch.channels_last),
    "channels last, sliced": lambda x: x.to(memory_format=torch.channels_last)[:, :, 1:-1, ::2],
    "one channel": lambda x: x[:, :1],
    "empty": lambda x: x[:0],
}


def _gradients(call, dtype):
    """The output and the gradients for an upstream gradient of whole numbers."""
    x, weight = (value.to(dtype).requires_grad_() for value in (X, WEIGHT))
    y = call(x, weight)
    upstream = torch.arange(y.numel()).remainder(5).sub(2).reshape(y.shape).to(dtype)
    gradients = torch.autograd.grad(y, (x, weight), upstream, materialize_grads=True)
    return [value.detach() for value in (y, *gradients)]


@pytest.mark.parametrize("block", [2**20, 2 * 72])
@pytest.mark.parametrize("name", CALLS)
def test_bfloat16_is_float32_rounded_once_whatever_the_blocks(name, block, monkeypatch):
    monkeypatch.setattr(layout, "BLOCK", block)
    expected = [value.bfloat16() for value in _gradients(CALLS[name], torch.float32)]
    for found, wanted in zip(_gradients(CALLS[name], torch.bfloat16), expected, strict=True):
        torch.testing.assert_close(found, wanted, rtol=0, atol=0)


def test_blocks_of_samples_cover_the_batch_once():
    blocks = layout.sample_blocks(torch.empty(7, 2**18))
    assert [(block.start, block.stop) for block in blocks] == [(0, 4), (4, 7)]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", CALLS)
def test_every_view_gives_what_its_copy_gives(name, view):
    x = VIEWS[view](X.float())
    weight = WEIGHT[: x.shape[1], : x.shape[1]].float()
    found, expected = x.detach().requires_grad_(), x.detach().clone(memory_format=torch.contiguous_format)
    expected.requires_grad_()
    y, wanted = CALLS[name](found, weight), CALLS[name](expected, weight)
    torch.testing.assert_close(y, wanted, rtol=0, atol=0)
    # A sum sends back a gradient of stride 0.
    y.sum().backward()
    wanted.sum().backward()
    torch.testing.assert_close(found.grad, expected.grad, rtol=0, atol=0)


def test_lend_makes_no_copy():
    x = torch.zeros(1, 2, 3, 4)
    assert layout.lend(x, False).ctypes.data == layout.lend(x, True).ctypes.data == x.data_ptr()


def test_lend_resolves_negative_and_conjugate_bits():
    z = torch.tensor([1 + 2j, 3 - 4j])
    np.testing.assert_array_equal(layout.lend(z.conj().imag, False), [-2, 4])
    np.testing.assert_array_equal(layout.lend(z.conj(), False), [1 - 2j, 3 + 4j])


@pytest.mark.parametrize(
    ("x", "last"),
    [
        (torch.empty(2, 3, 4, 5), False),
        (torch.empty(2, 3, 4, 5).to(memory_format=torch.channels_last), True),
        (torch.empty(2, 3, 4, 5, 2).to(memory_format=torch.channels_last_3d), True),
        (torch.empty(2, 1, 4, 5).to(memory_format=torch.channels_last), False),
        (torch.empty(2, 5, 3).transpose(1, 2), True),
        (torch.empty(2, 3, 1, 1).expand(2, 3, 4, 5), False),
        (torch.empty(2, 3, 5, 4).transpose(2, 3), False),
    ],
    ids=["contiguous", "planes", "volumes", "one channel", "line", "expanded", "transposed"],
)
def test_channels_last_is_recognised(x, last):
    assert layout.channels_last(x) is last
