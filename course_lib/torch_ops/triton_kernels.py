"""Max and average pooling as Triton kernels: every program gathers, none writes where another writes.

``AXES`` holds (size, kernel, stride, before, dilation, output) for each of three spatial axes, some of size 1.
A flat position counts the elements of a dense tensor in memory order: (N, C, D, H, W), or (N, D, H, W, C) if ``LAST``.
"""

import triton
import triton.language as tl

NO_TAP = tl.constexpr(255)


@triton.jit
def unravel(flat, CHANNELS: tl.constexpr, D: tl.constexpr, H: tl.constexpr, W: tl.constexpr, LAST: tl.constexpr):
    """Sample, channel and spatial position of flat positions."""
    if LAST:
        channel = flat % CHANNELS
        flat = flat // CHANNELS
    w = flat % W
    h = (flat // W) % H
    d = (flat // (W * H)) % D
    sample = flat // (W * H * D)
    if not LAST:
        channel = sample % CHANNELS
        sample = sample // CHANNELS
    return sample, channel, d, h, w


@triton.jit
def positions(WIDE: tl.constexpr, BLOCK: tl.constexpr):
    """The flat positions of this program."""
    first = tl.program_id(0)
    if WIDE:
        first = first.to(tl.int64)
    return first * BLOCK + tl.arange(0, BLOCK)


@triton.jit
def divided(value, divisor, ACC: tl.constexpr):
    """Division rounded as the standard asks; the plain operator is less exact in float32."""
    if tl.float32 == ACC:
        return tl.div_rn(value, divisor.to(tl.float32))
    return value / divisor.to(ACC)


@triton.jit
def max_forward(x, y, taps, total, stride_n, stride_c, stride_d, stride_h, stride_w, CHANNELS: tl.constexpr,
                AXES: tl.constexpr, LAST: tl.constexpr, KEEP: tl.constexpr, ACC: tl.constexpr, WIDE: tl.constexpr,
                BLOCK: tl.constexpr):  # fmt: skip
    """One output an element: the largest tap, and one byte that says which tap it was."""
    flat = positions(WIDE, BLOCK)
    inside = flat < total
    columns: tl.constexpr = AXES[2][1]
    n, c, out_d, out_h, out_w = unravel(flat, CHANNELS, AXES[0][5], AXES[1][5], AXES[2][5], LAST)
    plane = x + n * stride_n + c * stride_c
    best = tl.full((BLOCK,), float("-inf"), ACC)
    winner = tl.full((BLOCK,), NO_TAP, tl.int32)
    for i in range(AXES[0][1]):
        d = out_d * AXES[0][2] - AXES[0][3] + i * AXES[0][4]
        for j in range(AXES[1][1]):
            h = out_h * AXES[1][2] - AXES[1][3] + j * AXES[1][4]
            row = inside & (d >= 0) & (d < AXES[0][0]) & (h >= 0) & (h < AXES[1][0])
            for k in tl.static_range(columns):
                w = out_w * AXES[2][2] - AXES[2][3] + k * AXES[2][4]
                real = row & (w >= 0) & (w < AXES[2][0])
                value = tl.load(plane + d * stride_d + h * stride_h + w * stride_w, mask=real, other=0.0).to(ACC)
                # Of equal elements the first keeps the window; a NaN takes it, also from an earlier NaN.
                wins = real & ((value > best) | (value != value) | (winner == NO_TAP))
                best = tl.where(wins, value, best)
                winner = tl.where(wins, (i * AXES[1][1] + j) * AXES[2][1] + k, winner)
    tl.store(y + flat, best.to(y.dtype.element_ty), mask=inside)
    if KEEP:
        tl.store(taps + flat, winner.to(tl.uint8), mask=inside)


@triton.jit
def max_backward(grad_output, taps, grad_input, total, stride_n, stride_c, stride_d, stride_h, stride_w,
                 CHANNELS: tl.constexpr, AXES: tl.constexpr, LAST: tl.constexpr, ACC: tl.constexpr, WIDE: tl.constexpr,
                 BLOCK: tl.constexpr):  # fmt: skip
    """One input an element: it looks at the windows that hold it, in their order, and adds what it won."""
    flat = positions(WIDE, BLOCK)
    inside = flat < total
    columns: tl.constexpr = (AXES[2][1] - 1) * AXES[2][4] // AXES[2][2] + 1
    n, c, d, h, w = unravel(flat, CHANNELS, AXES[0][0], AXES[1][0], AXES[2][0], LAST)
    plane = grad_output + n * stride_n + c * stride_c
    tap_plane, tap_step = tap_place(n, c, CHANNELS, AXES, LAST)
    tap_plane = taps + tap_plane
    total_grad = tl.full((BLOCK,), 0.0, ACC)
    for i in range((AXES[0][1] - 1) * AXES[0][4] // AXES[0][2] + 1):
        out_d, tap_d, real_d = covering(d, i, AXES, 0)
        for j in range((AXES[1][1] - 1) * AXES[1][4] // AXES[1][2] + 1):
            out_h, tap_h, real_h = covering(h, j, AXES, 1)
            for k in tl.static_range(columns):
                out_w, tap_w, real_w = covering(w, k, AXES, 2)
                real = inside & real_d & real_h & real_w
                place = (out_d * AXES[1][5] + out_h) * AXES[2][5] + out_w
                winner = tl.load(tap_plane + place * tap_step, mask=real, other=255).to(tl.int32)
                won = real & (winner == (tap_d * AXES[1][1] + tap_h) * AXES[2][1] + tap_w)
                source = plane + out_d * stride_d + out_h * stride_h + out_w * stride_w
                total_grad += tl.load(source, mask=won, other=0.0).to(ACC)
    tl.store(grad_input + flat, total_grad.to(grad_input.dtype.element_ty), mask=inside)


@triton.jit
def tap_place(n, c, CHANNELS: tl.constexpr, AXES: tl.constexpr, LAST: tl.constexpr):
    """Where the outputs of one sample and channel begin in a dense tensor, and how far apart they lie."""
    outputs: tl.constexpr = AXES[0][5] * AXES[1][5] * AXES[2][5]
    if LAST:
        return n * (outputs * CHANNELS) + c, CHANNELS
    return (n * CHANNELS + c) * outputs, 1


@triton.jit
def covering(position, number, AXES: tl.constexpr, AXIS: tl.constexpr):
    """One of the windows that may hold a position: its number, the tap that lies there, and whether it does."""
    shifted = position + AXES[AXIS][3]
    # From the last window that starts at or before the position backwards would be descending: count up to it instead.
    window = shifted // AXES[AXIS][2] - ((AXES[AXIS][1] - 1) * AXES[AXIS][4] // AXES[AXIS][2] - number)
    offset = shifted - window * AXES[AXIS][2]
    tap = offset // AXES[AXIS][4]
    real = (window >= 0) & (window < AXES[AXIS][5]) & (tap < AXES[AXIS][1]) & (tap * AXES[AXIS][4] == offset)
    return window, tap, real


@triton.jit
def avg_forward(x, y, divisors, total, stride_n, stride_c, stride_d, stride_h, stride_w, CHANNELS: tl.constexpr,
                AXES: tl.constexpr, LAST: tl.constexpr, DIVISOR: tl.constexpr, ACC: tl.constexpr, WIDE: tl.constexpr,
                BLOCK: tl.constexpr):  # fmt: skip
    """One output an element: the sum of its taps, row by row, over its divisor."""
    flat = positions(WIDE, BLOCK)
    inside = flat < total
    columns: tl.constexpr = AXES[2][1]
    n, c, out_d, out_h, out_w = unravel(flat, CHANNELS, AXES[0][5], AXES[1][5], AXES[2][5], LAST)
    plane = x + n * stride_n + c * stride_c
    sums = tl.full((BLOCK,), 0.0, ACC)
    for i in range(AXES[0][1]):
        d = out_d * AXES[0][2] - AXES[0][3] + i * AXES[0][4]
        for j in range(AXES[1][1]):
            h = out_h * AXES[1][2] - AXES[1][3] + j * AXES[1][4]
            row = inside & (d >= 0) & (d < AXES[0][0]) & (h >= 0) & (h < AXES[1][0])
            # Rows are summed apart: k + k additions lose less than k·k in one chain.
            row_sum = tl.full((BLOCK,), 0.0, ACC)
            for k in tl.static_range(columns):
                w = out_w * AXES[2][2] - AXES[2][3] + k * AXES[2][4]
                real = row & (w >= 0) & (w < AXES[2][0])
                row_sum += tl.load(plane + d * stride_d + h * stride_h + w * stride_w, mask=real, other=0.0).to(ACC)
            sums += row_sum
    divisor = window_divisor(divisors, (out_d * AXES[1][5] + out_h) * AXES[2][5] + out_w, inside, DIVISOR, BLOCK)
    tl.store(y + flat, divided(sums, divisor, ACC).to(y.dtype.element_ty), mask=inside)


@triton.jit
def avg_backward(grad_output, divisors, grad_input, total, stride_n, stride_c, stride_d, stride_h, stride_w,
                 CHANNELS: tl.constexpr, AXES: tl.constexpr, LAST: tl.constexpr, DIVISOR: tl.constexpr,
                 ACC: tl.constexpr, WIDE: tl.constexpr, BLOCK: tl.constexpr):  # fmt: skip
    """One input an element: the shares of the windows that hold it, in their order."""
    flat = positions(WIDE, BLOCK)
    inside = flat < total
    columns: tl.constexpr = (AXES[2][1] - 1) * AXES[2][4] // AXES[2][2] + 1
    n, c, d, h, w = unravel(flat, CHANNELS, AXES[0][0], AXES[1][0], AXES[2][0], LAST)
    plane = grad_output + n * stride_n + c * stride_c
    total_grad = tl.full((BLOCK,), 0.0, ACC)
    for i in range((AXES[0][1] - 1) * AXES[0][4] // AXES[0][2] + 1):
        out_d, _, real_d = covering(d, i, AXES, 0)
        for j in range((AXES[1][1] - 1) * AXES[1][4] // AXES[1][2] + 1):
            out_h, _, real_h = covering(h, j, AXES, 1)
            row_grad = tl.full((BLOCK,), 0.0, ACC)
            for k in tl.static_range(columns):
                out_w, _, real_w = covering(w, k, AXES, 2)
                real = inside & real_d & real_h & real_w
                place = (out_d * AXES[1][5] + out_h) * AXES[2][5] + out_w
                source = plane + out_d * stride_d + out_h * stride_h + out_w * stride_w
                share = tl.load(source, mask=real, other=0.0).to(ACC)
                row_grad += divided(share, window_divisor(divisors, place, real, DIVISOR, BLOCK), ACC)
            total_grad += row_grad
    tl.store(grad_input + flat, total_grad.to(grad_input.dtype.element_ty), mask=inside)


@triton.jit
def window_divisor(divisors, place, real, DIVISOR: tl.constexpr, BLOCK: tl.constexpr):
    """The one divisor of all windows, or the window's own from a table (0 in ``DIVISOR`` says so)."""
    if DIVISOR == 0:
        return tl.load(divisors + place, mask=real, other=1)
    return tl.full((BLOCK,), DIVISOR, tl.int32)
