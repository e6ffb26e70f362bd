"""Max pooling for training on CUDA: one byte a window says which tap won, an eighth of what an index takes."""

import torch

from course_lib.torch_ops import triton_launch, windows
from course_lib.torch_ops.layout import channels_last, empty
from course_lib.torch_ops.plain import max_taps as plain
from course_lib.torch_ops.register import Rule, keep, kept, linear, operator, primals, vmapped


def fake_taps(x, *window):
    """Values and taps without content."""
    axes = windows.pool_axes(x.shape[2:], window)
    y = empty((*x.shape[:2], *(axis.output for axis in axes)), x, channels_last(x))
    return y, torch.empty_like(y, dtype=torch.uint8)


def fake_backward(grad_output, taps, input_shape, *window):
    """A gradient without content."""
    return empty(tuple(input_shape), grad_output, channels_last(taps))


def fake_take(x, taps, *window):
    """Elements without content."""
    return empty(taps.shape, x, channels_last(taps))


def cuda_taps(x, *window):
    """The Triton kernel where it can serve, else plain operations."""
    return (triton_launch if triton_launch.serves(x, window[0]) else plain).max_pool_taps(x, *window)


def cuda_backward(grad_output, taps, input_shape, *window):
    """The Triton kernel where it can serve, else plain operations."""
    backend = triton_launch if triton_launch.serves(grad_output, window[0]) else plain
    return backend.max_taps_backward(grad_output, taps, input_shape, *window)


class TapChoosing(Rule):
    """The taps say where gradients go."""

    @staticmethod
    def forward(ctx, run, x, *window):
        y, taps = run(x, *window)
        keep(ctx, (taps, *window))
        ctx.set_materialize_grads(False)
        ctx.shape = x.shape
        return y, taps

    @staticmethod
    def backward(ctx, grad_output, _):
        taps, *window = kept(ctx)
        grad_input = None if grad_output is None else TAPS_SCATTER(grad_output, taps, ctx.shape, *window)
        return None, grad_input, *[None] * len(window)

    @staticmethod
    def tangent(ctx, _run, tangent, *_window):
        return TAPS_TAKE(tangent, *primals(ctx)), None


MAX_TAPS = operator(
    f"max_taps(Tensor x, {windows.SCHEMA}) -> (Tensor, Tensor)",
    rule=TapChoosing,
    cpu=plain.max_pool_taps,
    cuda=cuda_taps,
    plain=plain.max_pool_taps,
    fake=fake_taps,
    vmap=vmapped(),
)
TAPS_SCATTER = operator(
    f"taps_scatter(Tensor grad_output, Tensor taps, SymInt[] input_shape, {windows.SCHEMA}) -> Tensor",
    rule=linear(
        lambda grad_output, *rest: TAPS_SCATTER(grad_output, *rest),
        lambda grad, _shape, taps, _input_shape, *window: TAPS_TAKE(grad, taps, *window),
    ),
    cpu=plain.max_taps_backward,
    cuda=cuda_backward,
    plain=plain.max_taps_backward,
    fake=fake_backward,
    vmap=vmapped(shape_at=2),
)
TAPS_TAKE = operator(
    f"taps_take(Tensor x, Tensor taps, {windows.SCHEMA}) -> Tensor",
    rule=linear(
        lambda x, *rest: TAPS_TAKE(x, *rest),
        lambda grad, shape, taps, *window: TAPS_SCATTER(grad, taps, shape, *window),
    ),
    cpu=plain.max_taps_take,
    plain=plain.max_taps_take,
    fake=fake_take,
    vmap=vmapped(),
)
