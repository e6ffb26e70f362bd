"""Wrong steps inside a window: outputs, shares and what is sent, in the place of the right rules."""

from dataclasses import replace

import numpy as np

from course_lib.exercises.misconceptions.pooling import first_largest, is_largest, largest, one_share
from course_lib.exercises.misconceptions.windows import flat_targets, targets


def equal_share(windows):
    """The largest taps share equally; beside a NaN there are none, and nobody gets anything."""
    tied = is_largest(windows)
    return tied / np.maximum(tied.sum((-2, -1), keepdims=True), 1)


def mask_over_its_sum(windows):
    """The largest taps share equally; beside a NaN the mask is empty, and 0/0 is NaN."""
    tied = is_largest(windows)
    return tied / tied.sum((-2, -1), keepdims=True)


def last_largest(windows):
    """The last of the largest taps in row-major order, as a scan with >= finds it: it never takes a NaN."""
    return one_share(windows, windows.size - 1 - _numbers(windows)[..., ::-1].argmax(-1))


def first_largest_by_column(windows):
    """The first of the largest taps, read column by column."""
    columns = np.swapaxes(windows.values, -2, -1)
    column, row = np.divmod(columns.reshape(windows.flat.shape).argmax(-1), columns.shape[-1])
    return one_share(windows, row * windows.values.shape[-1] + column)


def only_without_tie(windows):
    """The largest tap if it is alone, else nobody."""
    tied = is_largest(windows)
    return tied * (tied.sum((-2, -1), keepdims=True) == 1)


def smallest(windows):
    """The smallest tap."""
    return one_share(windows, windows.flat.argmin(-1))


def everyone(windows):
    """The whole gradient to every tap."""
    return np.ones(windows.values.shape)


def even_with_padding(windows):
    """1/K to each of the K taps, padding or not."""
    return np.full(windows.values.shape, 1 / windows.size)


def real_count(windows):
    """The number of real taps of each window, with axes for the taps; 1 where there are none."""
    return np.maximum(windows.real.sum((-2, -1), keepdims=True), 1)


def even_without_padding(windows):
    """An equal part for each real tap, of as many as there are real ones."""
    return np.broadcast_to(windows.real / real_count(windows), windows.values.shape)


def nobody_at_nan(windows):
    """Nobody in a window with a NaN, which equals nothing."""
    return first_largest(windows) * ~np.isnan(windows.values).any((-2, -1), keepdims=True)


def half_precision(windows):
    """The winner as it is found in half precision."""
    with np.errstate(over="ignore"):
        return first_largest(replace(windows, values=windows.values.astype(np.float16)))


def first_nan(windows):
    """The first NaN, or else the first of the largest, as np.argmax finds it."""
    return one_share(windows, windows.flat.argmax(-1))


def past_nan(windows):
    """The first of the largest numbers: no comparison with NaN is true."""
    return one_share(windows, _numbers(windows).argmax(-1))


def past_nan_but_the_first(windows):
    """The tap that a scan with > ends at if it begins with the first one: a NaN there stays, any other is passed."""
    return one_share(windows, np.where(np.isnan(windows.flat[..., 0]), 0, _numbers(windows).argmax(-1)))


def largest_number_but_the_first(windows):
    """What a scan with > finds if it begins with the first tap, as Python's max does."""
    first = windows.flat[..., 0]
    return np.where(np.isnan(first), first, _numbers(windows).max(-1))


def _numbers(windows):
    """The taps on one axis, -inf in the place of NaN."""
    return np.where(np.isnan(windows.flat), -np.inf, windows.flat)


def largest_number(windows):
    """The largest number of each window, whatever NaN stands beside it."""
    return np.where(np.isnan(windows.values), -np.inf, windows.values).max((-2, -1))


def winner_in(seen):
    """The winners of other values, which a function makes of these: one channel's for all, for instance."""

    def share(windows):
        return first_largest(replace(windows, values=np.broadcast_to(seen(windows.values), windows.values.shape)))

    return share


def largest_of_all(axis):
    """One maximum for all channels or samples."""
    return lambda windows: np.broadcast_to(
        largest(windows).max(axis=axis, keepdims=True), windows.values.shape[:4]
    ).copy()


def only_the_best(axis):
    """The share of a tap that is the largest over all channels or samples too."""

    def share(windows):
        best = windows.values.max((axis, -2, -1), keepdims=True)
        return (windows.values == best).astype(np.float64)

    return share


def marked(share):
    """A tap has everything if its element has a share in any window: one mask for the whole input."""

    def marks(windows):
        own, index = share(windows), flat_targets(targets(windows.geometry), windows.geometry)
        mask, index = np.zeros(index.max() + 1), np.broadcast_to(index, own.shape)
        mask[index[own != 0]] = 1
        return mask[index]

    return marks


def without_upstream(windows, shares):
    """The local derivative alone."""
    return shares


def times_output(windows, shares):
    """The local derivative times the pooled value."""
    return shares * windows.values.max((-2, -1), keepdims=True)


def times_both(windows, shares):
    """The upstream gradient times the pooled value."""
    return times_output(windows, shares) * windows.upstream


def against(windows, shares):
    """Minus the gradient."""
    return -shares * windows.upstream


def with_upstream_transposed(windows, shares):
    """The upstream gradient read with its rows and columns exchanged."""
    return shares * windows.spread(np.swapaxes(windows.grad_output, 2, 3))


def number_over(divisor):
    """A share of one over a number, which may depend on the windows."""
    return lambda windows: np.broadcast_to(1 / np.float64(divisor(windows)), windows.values.shape)


def sum_over(divisor):
    """A sum over a number, which may depend on the windows."""
    return lambda windows: (windows.values / divisor(windows)).sum((-2, -1))


def by_value(windows):
    """Each tap's part of the window's sum."""
    total = windows.values.sum((-2, -1), keepdims=True)
    return np.where(total == 0, even_with_padding(windows), windows.values / np.where(total == 0, 1, total))


def times_mean(windows, shares):
    """The pooled value in place of the gradient, at every tap."""
    return np.broadcast_to(windows.values.mean((-2, -1), keepdims=True), windows.values.shape)


def in_half_precision(windows, shares):
    """The shares of the upstream gradient, rounded to half precision."""
    return (shares * windows.upstream).astype(np.float16).astype(np.float64)
