"""Average pooling by views: along one axis after another, each tap of all windows is a view, and these are added.

Nothing is copied or laid out anew. A view is read slower than what lies side by side; where windows are few against the
elements, as with a stride of 2, or lanes are many, that costs less than to lay them out.
"""

from functools import lru_cache, partial

import numpy as np

from course_lib import geometry
from course_lib.numpy_ops import avg_separable, memory
from course_lib.numpy_ops.blocks import blocks, budget, share

# Elements of a block for one thread.
ELEMENTS = 2**17
# Elements of a row from which a call for each row pays.
ROW = 24


def suits(array, axes):
    """Whether so few additions follow each other that sums are precise enough, and rows of views are long."""
    lanes, last = array.shape[-1], axes[-1]
    if not precise(array, axes) or lanes > 1:
        return precise(array, axes) and lanes >= ROW
    # Each element belongs to the windows of its own row: NumPy then sees all rows as one.
    return last.stride > 1 and last.size == last.stride * last.output and last.size >= ROW


def suits_both_ways(array, axes):
    """Whether no two windows meet, besides: each gradient is then copied to the elements of its window."""
    return suits(array, axes) and all(map(geometry.side_by_side, axes))


def precise(array, axes):
    """Whether the sums of windows are precise enough in their own type."""
    additions = sum(stage.kernel - 1 for axis in axes for stage in stages(axis))
    return array.dtype != np.float16 and additions <= avg_separable.FLOAT32_ADDITIONS


@lru_cache(maxsize=256)
def stages(axis):
    """The axis; or several, one after the other, with prime kernels: sums of sums pass through fewer additions."""
    if not geometry.side_by_side(axis):
        return (axis,)
    parts, size, kernel = [], axis.size, axis.kernel
    while kernel > 1:
        factor = next(number for number in range(2, kernel + 1) if kernel % number == 0)
        parts.append(geometry.Axis(size, factor, factor, 0, 0, 1, size // factor))
        size, kernel = size // factor, kernel // factor
    return tuple(parts)


def average(x, axes, divisors):
    """The averages of ``x``."""
    y = memory.empty((x.shape[0], *divisors.shape, x.shape[-1]), x.dtype)
    workers, elements = budget(x.size)
    parts = blocks(x.shape[0], axes, x.shape[-1], elements if workers > 1 else ELEMENTS)
    try:
        share(
            partial(average_blocks, x, y, axes, *divider(avg_separable.one_if_equal(divisors), x.dtype)), parts, workers
        )
    except FloatingPointError:
        # Sums overflow float32; the averages may not.
        return avg_separable.average(x, axes, divisors)
    return y


def divider(divisor, dtype):
    """What divides by one number or by an array of them: the function, and its second argument."""
    if not divisor.ndim and abs(np.frexp(divisor)[0]) == 0.5:
        # The same to the last bit, and faster.
        return np.multiply, dtype.type(1 / divisor)
    return np.divide, divisor.astype(dtype)


def average_blocks(x, y, axes, divide, divisor, parts):
    """Averages one block after another, in the same memory."""
    programs = {}
    with np.errstate(all="ignore", over="raise" if x.dtype == np.float32 else "ignore"):
        for part in parts:
            block = x[part.planes, *part.inputs]
            key = part.axes, len(block)
            if key not in programs:
                programs[key] = prepare(block.shape, part.axes, axes, x.dtype)
            for steps, sums in programs[key]:
                add(block, steps, sums)
                block = sums
            # Divided while it is written: blocks may share planes, and another thread may be writing the same ones.
            divide(block, divisor[part.outputs] if divisor.ndim else divisor, out=y[part.planes, *part.outputs])


def prepare(shape, axes, whole_axes, dtype):
    """For each pass over a block of this shape: its steps, and the memory of its sums."""
    passes = []
    for number, (axis, whole) in enumerate(zip(axes, whole_axes, strict=True), 1):
        for stage in stages(axis) if geometry.side_by_side(whole) else (axis,):
            shape = *shape[:number], stage.output, *shape[number + 1 :]
            sums = memory.empty(shape, dtype)
            passes.append((steps_along(number, stage, tap_order(whole, stage), sums), sums))
    return passes


def tap_order(whole, stage):
    """Taps in the order in which they are added: first those that are real in every window of the whole axis.

    It is the same for all blocks: sums do not depend on how they are cut.
    """
    axis = whole if whole.kernel == stage.kernel else stage
    return sorted(range(axis.kernel), key=lambda tap: not is_everywhere(axis, tap))


def is_everywhere(axis, tap):
    """Whether a tap is real in every window."""
    return geometry.tap_slices(axis, tap)[0] == slice(0, axis.output)


def steps_along(number, axis, order, sums):
    """What one pass reads first, with one call, and then what it adds where; last the windows without a real tap."""
    before = (slice(None),) * number
    first = [tap for tap in order[:2] if is_everywhere(axis, tap)] if is_everywhere(axis, order[0]) else []
    slices = [geometry.tap_slices(axis, tap) for tap in order[len(first) :]]
    rest = [((*before, elements), sums[*before, windows]) for windows, elements in slices]
    empty = np.flatnonzero(geometry.real_counts(axis) == 0)
    return [(*before, geometry.tap_slices(axis, tap)[1]) for tap in first], rest, (*before, empty)


def add(array, steps, sums):
    """One pass."""
    first, rest, empty = steps
    if len(first) == 2:
        np.add(array[first[0]], array[first[1]], out=sums)
    elif first:
        np.copyto(sums, array[first[0]])
    else:
        # As a sum that begins with its first term: −0.0 changes no number, nor the sign of a zero.
        sums.fill(-0.0)
    for elements, part in rest:
        np.add(part, array[elements], out=part)
    if len(empty[-1]):
        sums[empty] = 0


def spread(grad_output, axes, divisors):
    """The gradient of averages of windows that lie side by side."""
    sizes = tuple(axis.size for axis in axes)
    grad_input = memory.empty((len(grad_output), *sizes, grad_output.shape[-1]), grad_output.dtype)
    workers, elements = budget(grad_input.size)
    parts = blocks(len(grad_input), axes, grad_input.shape[-1], elements if workers > 1 else ELEMENTS)
    rule = divider(avg_separable.one_if_equal(divisors), grad_output.dtype)
    share(partial(spread_blocks, grad_output, grad_input, *rule), parts, workers)
    return grad_input


def spread_blocks(grad_output, grad_input, divide, divisor, parts):
    """Spreads one block after another: along the last axis, and then row by row."""
    with np.errstate(all="ignore"):
        for part in parts:
            gradients, out = grad_output[part.planes, *part.outputs], grad_input[part.planes, *part.inputs]
            shares = divide(gradients, divisor[part.outputs] if divisor.ndim else divisor)
            rows = memory.empty((*shares.shape[:-1], part.axes[-1].kernel, shares.shape[-1]), shares.dtype)
            for tap in range(part.axes[-1].kernel):
                np.copyto(rows[..., tap, :], shares)
            copy_rows(rows.reshape(*shares.shape[:-2], -1, shares.shape[-1]), part.axes[:-1], out)


def copy_rows(rows, axes, out):
    """Copies rows to all rows of their windows."""
    windows, taps = list(out.shape), [slice(None)] * rows.ndim
    for number, axis in reversed(list(enumerate(axes, 1))):
        windows[number : number + 1] = axis.output, axis.kernel
        taps.insert(number + 1, None)
    np.copyto(out.reshape(windows, copy=False), rows[tuple(taps)])
