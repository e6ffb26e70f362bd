"""Gathers of one plane's gradient, right by the loops, and wrong in which windows they ask."""

from dataclasses import dataclass
from itertools import product

import numpy as np

from course_lib import loops

SAID = {
    "flat": "max pooling; `indices` has, for each window, the winner's {place} in the input",
    "offset": "max pooling; `indices` has, for each window, the winner's {place} in the window, from 0 on",
    "kernel": "average pooling, which divides by {kernel}: padding counts",
    "real": "average pooling, which divides by the number of elements in the window that are not padding",
}


def holding(position, kernel_size, stride, padding, count):
    """The first and the last window that hold a position; none where the first is behind the last."""
    return max(-((kernel_size - 1 - padding - position) // stride), 0), min((position + padding) // stride, count - 1)


@dataclass(frozen=True)
class Gather:
    """A gather whose windows may be wrong.

    Attributes
    ----------
    kind : str
        Of `SAID`.
    windows : callable
        As `holding`.
    """

    kind: str
    windows: object = staticmethod(holding)

    def __call__(self, grad_output, kernel_size, stride, padding, indices=None, input_size=None):
        """The gradient of every element."""
        size = tuple(np.atleast_1d(input_size))
        gradient = np.zeros(size)
        for place in np.ndindex(size):
            ends = [self.windows(at, kernel_size, stride, padding, count)
                    for at, count in zip(place, grad_output.shape, strict=True)]  # fmt: skip
            for window in product(*(range(first, last + 1) for first, last in ends)):
                share = self.share(place, window, size, kernel_size, stride, padding, indices)
                gradient[place] += share * grad_output[window]
        return {"result": gradient}

    def share(self, place, window, size, kernel_size, stride, padding, indices):
        """What part of a window's gradient a place gets."""
        starts = [one * stride - padding for one in window]
        if self.kind == "kernel":
            return 1 / kernel_size ** len(size)
        if self.kind == "real":
            ends = (min(start + kernel_size, most) - max(start, 0) for start, most in zip(starts, size, strict=True))
            return 1 / max(int(np.prod(list(ends))), 1)
        if self.kind == "flat":
            return indices[window] == np.ravel_multi_index(place, size)
        offsets = [at - start for at, start in zip(place, starts, strict=True)]
        return indices[window] == sum(one * kernel_size**power for power, one in enumerate(reversed(offsets)))


def right(kind, grad_output, kernel_size, stride, padding, indices=None, input_size=None):
    """The gradient of every element, by the loops."""
    shape, sizes = (1, 1, *np.atleast_1d(input_size)), (kernel_size, stride, padding)
    upstream = np.asarray(grad_output)[None, None]
    if kind in ("kernel", "real"):
        include = kind == "kernel"
        return {"result": loops.avg_pool_backward(upstream, shape, *sizes, count_include_pad=include)[0, 0]}
    flat = flat_indices(indices, shape[2:], *sizes) if kind == "offset" else indices
    return {"result": loops.max_pool_backward(upstream, flat[None, None], shape)[0, 0]}


def flat_indices(offsets, size, kernel_size, stride, padding):
    """The winners' indices in the input, from their offsets in the windows."""
    taps = np.unravel_index(offsets, (kernel_size,) * len(size))
    windows = np.indices(offsets.shape)
    return np.ravel_multi_index([w * stride - padding + tap for w, tap in zip(windows, taps, strict=True)], size)


def offsets_of(flat, size, kernel_size, stride, padding):
    """The winners' offsets in the windows, from their indices in the input."""
    places, windows = np.unravel_index(flat, size), np.indices(flat.shape)
    taps = [place - w * stride + padding for place, w in zip(places, windows, strict=True)]
    return np.ravel_multi_index(taps, (kernel_size,) * len(size))


def mistakes(asked, kind):
    """Gathers from other windows, or with other shares."""

    def mistake(name, chapter, sentence, **changes):
        return asked.mistake(f"gather_{name}", chapter, sentence, Gather(**{"kind": kind, **changes}))

    yield mistake("own_window", "03", "Only the last window that holds the element is asked. Where windows overlap "
                  "there are more.", windows=lambda at, k, s, p, count: ((at + p) // s,
                                                                         min((at + p) // s, count - 1)))  # fmt: skip
    yield mistake("no_padding", "04", "The padding is left out: in the padded input the element stands at position + "
                  "padding.", windows=lambda at, k, s, p, count: holding(at, k, s, 0, count))  # fmt: skip
    yield mistake("one_too_many", "03", "The first window is rounded down, and it ends before the element.",
                  windows=lambda at, k, s, p, count: (max((at + p - k + 1) // s, 0),
                                                      min((at + p) // s, count - 1)))  # fmt: skip
    yield mistake("one_too_few", "03", "A window that ends at the element is left out.",
                  windows=lambda at, k, s, p, count: (holding(at, k, s, p, count)[0] + ((at + p - k + 1) % s == 0),
                                                      min((at + p) // s, count - 1)))  # fmt: skip
    for other in {"kernel", "real"} - {kind} if kind in ("kernel", "real") else ():
        sentence = {"kernel": "It is divided by the size of the kernel, padding or not.",
                    "real": "It is divided by the number of elements that are not padding."}[other]  # fmt: skip
        yield mistake(f"divides_by_{other}", "04", sentence, kind=other)
    if kind == "flat":
        yield mistake("reads_offsets", "04", "The index is read as an offset in the window.", kind="offset")
    if kind == "offset":
        yield mistake("reads_flat", "04", "The offset in the window is read as an index in the input.", kind="flat")
