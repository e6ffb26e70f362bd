"""Every argument check and every argument message, so that all operations refuse alike."""

import operator
from functools import lru_cache
from math import prod

import numpy as np

from course_lib import geometry

LARGEST = 2**31 - 1
# Elements whose bytes an address can count.
MOST_ELEMENTS = 2**60 - 1
FLOATS = ("float16", "float32", "float64")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
AXIS_NAMES = {1: "L", 2: "H, W", 3: "D, H, W"}


def is_integer(value):
    """Whether this is one integer of any kind; bools are not."""
    if isinstance(value, (bool, np.bool_)):
        return False
    try:
        operator.index(value)
    except TypeError:
        return False
    return True


def is_sequence(value):
    """Whether this holds entries in an order: a list, a tuple or an array with an axis, not a word, set or mapping."""
    ordered = hasattr(value, "__len__") and hasattr(value, "__getitem__") and getattr(value, "ndim", 1)
    return bool(ordered) and not isinstance(value, (str, bytes, bytearray, dict))


def integer(name, value, minimum):
    """One int of at least ``minimum``; NumPy integers are taken, bools and floats are not."""
    if not is_integer(value):
        raise TypeError(f"{name} must be an integer; got {name}={value!r}.")
    number = operator.index(value)
    if not minimum <= number <= LARGEST:
        raise ValueError(f"{name} must be at least {minimum} and at most {LARGEST}; got {name}={value!r}.")
    return number


def per_axis(name, value, rank, minimum):
    """One int an axis, from one int or from a sequence of ``rank`` ints."""
    if not is_sequence(value) and not is_integer(value):
        raise TypeError(f"{name} must be an integer or {rank} integers; got {name}={value!r}.")
    values = tuple(value) if is_sequence(value) else (value,) * rank
    if len(values) != rank:
        raise ValueError(f"{name} must have one entry for each of the {rank} spatial axes; got {name}={value!r}.")
    for entry in values:
        if not is_integer(entry):
            raise TypeError(f"{name} must hold integers; got {name}={value!r}.")
        if not minimum <= operator.index(entry) <= LARGEST:
            raise ValueError(f"{name} must be at least {minimum} and at most {LARGEST}; got {name}={value!r}.")
    return tuple(operator.index(entry) for entry in values)


def flag(name, value):
    """A plain yes or no."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False; got {name}={value!r}.")
    return bool(value)


def choice(name, value, allowed):
    """One of a few words."""
    if not isinstance(value, str) or value not in allowed:
        words = " or ".join(repr(word) for word in allowed)
        raise ValueError(f"{name} must be {words}; got {name}={value!r}.")
    return value


def array(name, value, dtypes):
    """A NumPy array of one of the dtypes, in native byte order."""
    if not isinstance(value, np.ndarray):
        raise TypeError(
            f"{name} must be a NumPy array; got {type(value).__name__}. Convert it with np.asarray({name})."
        )
    if type(value) is not np.ndarray and isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name} must not be a masked array, whose mask would be lost. Use {name}.filled(…) first.")
    if _name(value.dtype) not in dtypes:
        raise TypeError(f"{name} must have dtype {_words(dtypes)}; got {name}.dtype={value.dtype}.")
    if not value.dtype.isnative:
        value = value.astype(value.dtype.newbyteorder("="))
    return np.asarray(value)


@lru_cache(maxsize=64)
def _name(dtype):
    """The name of a dtype, which NumPy would form anew at each call."""
    return dtype.name


def _words(dtypes):
    """The dtypes as a reader says them."""
    words = [name for name in dtypes if name not in INTEGERS] + ["an integer type"] * ("int64" in dtypes)
    return ", ".join(words[:-1]) + " or " + words[-1] if len(words) > 1 else words[0]


def batch_shape(name, shape, rank=None):
    """The shape of a batch with one to three spatial axes, none but the batch axis empty."""
    layout = f"(N, C, {AXIS_NAMES[rank]})" if rank else "(N, C, *spatial) with one to three spatial axes"
    if not (3 <= len(shape) <= 5 if rank is None else len(shape) == rank + 2):
        raise ValueError(f"{name} must have shape {layout}; got shape {tuple(shape)}.{_add_axes(name, shape, rank)}")
    return tuple(shape)


def _add_axes(name, shape, rank):
    """How to add the axes that an unbatched array lacks; empty when that is not what is wrong."""
    missing = (rank or 2) + 2 - len(shape)
    if missing == 2 and len(shape) > 0:
        return f" Add the missing axes with {name}[None, None]."
    if missing == 1 and rank:
        return f" Add the missing axis with {name}[None] for one sample, or {name}[:, None] for one channel."
    return ""


def channels_first(shape, channel_axis):
    """The axis number from the front, and the shape as (N, C, *spatial)."""
    if not is_integer(channel_axis):
        raise TypeError(f"channel_axis must be an integer; got channel_axis={channel_axis!r}.")
    axis = operator.index(channel_axis)
    if not -len(shape) <= axis < len(shape):
        raise ValueError(
            f"channel_axis must be an axis of the input; got channel_axis={channel_axis!r}, shape {tuple(shape)}."
        )
    axis %= len(shape)
    rest = [size for position, size in enumerate(shape) if position != axis]
    return axis, (rest[0], shape[axis], *rest[1:])


def not_empty(name, shape, first):
    """Refuses empty channel and spatial axes; ``first`` is the shape as (N, C, *spatial)."""
    if 0 in first[1:]:
        raise ValueError(f"{name} must not have empty channel or spatial axes; got shape {tuple(shape)}.")


def rank_of(*values):
    """The number of spatial axes that the arguments name; None when all of them are single integers."""
    for value in values:
        if is_sequence(value):
            return len(value) if 1 <= len(value) <= 3 else None
    return None


def image_batch(name, shape, channel_axis, rank=None):
    """The checked shape of an input as (N, C, *spatial), and the channel axis counted from the front."""
    batch_shape(name, shape, rank)
    axis, first = channels_first(shape, channel_axis)
    not_empty(name, shape, first)
    return axis, first


def pool_axes(sizes, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    """The window along each spatial axis of a pooling operation.

    Parameters
    ----------
    sizes : tuple of int
        Spatial sizes of the input.
    kernel_size, stride, padding, dilation, ceil_mode
        As in `course_lib.max_pool`. ``stride=None`` means ``kernel_size``.

    Returns
    -------
    tuple of geometry.Axis
    """
    plain = type(kernel_size) is int and (stride is None or type(stride) is int)
    if plain and type(padding) is int and type(dilation) is int and type(ceil_mode) is bool:
        return _cached_pool_axes(sizes, kernel_size, stride, padding, dilation, ceil_mode)
    return _pool_axes(sizes, kernel_size, stride, padding, dilation, ceil_mode)


def _pool_axes(sizes, kernel_size, stride, padding, dilation, ceil_mode):
    """`pool_axes` for arguments of any form."""
    rank = len(sizes)
    kernel = per_axis("kernel_size", kernel_size, rank, 1)
    steps = kernel if stride is None else per_axis("stride", stride, rank, 1)
    gaps = per_axis("dilation", dilation, rank, 1)
    flag("ceil_mode", ceil_mode)
    pairs = padding_pairs(padding, sizes, kernel, steps, gaps)
    half_kernel(padding, pairs, kernel, kernel_size)
    ceil_mode = bool(ceil_mode) and not (isinstance(padding, str) and padding in ("same", "same_lower"))
    axes = tuple(
        geometry.Axis(n, k, s, before, after, d, geometry.output_size(n, k, s, before, after, d, ceil_mode))
        for n, k, s, (before, after), d in zip(sizes, kernel, steps, pairs, gaps, strict=True)
    )
    window_fits(axes, kernel_size, padding, dilation)
    return axes


_cached_pool_axes = lru_cache(maxsize=512)(_pool_axes)


def padding_pairs(padding, sizes, kernel, stride, dilation):
    """One (before, after) pair an axis, from any form that ``padding`` may have."""
    if isinstance(padding, str):
        choice("padding", padding, ("valid", "same", "same_lower"))
        if padding == "valid":
            return ((0, 0),) * len(sizes)
        lower = padding == "same_lower"
        return tuple(
            geometry.same_padding(n, k, s, d, lower) for n, k, s, d in zip(sizes, kernel, stride, dilation, strict=True)
        )
    if _is_pairs(padding):
        return _explicit_pairs(padding, len(sizes))
    return tuple((entry, entry) for entry in per_axis("padding", padding, len(sizes), 0))


def _is_pairs(padding):
    """Whether any entry is itself a sequence."""
    return is_sequence(padding) and any(hasattr(entry, "__len__") for entry in padding)


def _explicit_pairs(padding, rank):
    """Checks one (before, after) pair an axis."""
    if len(padding) != rank or any(not is_sequence(pair) or len(pair) != 2 for pair in padding):
        raise ValueError(
            f"padding must be one (before, after) pair for each of the {rank} spatial axes; got padding={padding!r}."
        )
    flat = [entry for pair in padding for entry in pair]
    if not all(map(is_integer, flat)):
        raise TypeError(f"padding must hold integers; got padding={padding!r}.")
    if any(not 0 <= operator.index(entry) <= LARGEST for entry in flat):
        raise ValueError(f"padding must be at least 0 and at most {LARGEST}; got padding={padding!r}.")
    return tuple((operator.index(before), operator.index(after)) for before, after in padding)


def half_kernel(padding, pairs, kernel, kernel_size):
    """PyTorch's rule for pooling: equal padding is at most half the kernel. Unequal pairs and "same" are free of it."""
    if isinstance(padding, str):
        return
    if any(before == after and before > k // 2 for (before, after), k in zip(pairs, kernel, strict=True)):
        raise ValueError(
            f"padding must be at most half of kernel_size; got padding={padding!r}, kernel_size={kernel_size!r}."
        )


def window_fits(axes, kernel_size, padding, dilation):
    """Refuses a window that is larger than the padded input."""
    if any(axis.output < 1 for axis in axes):
        sizes = tuple(axis.size for axis in axes)
        raise ValueError(
            f"kernel_size must fit into the padded input; got kernel_size={kernel_size!r}, padding={padding!r}, "
            f"dilation={dilation!r}, input size {sizes}."
        )


def shape_argument(name, value, channel_axis, rank=None):
    """A full shape given as an argument: (N, C, *spatial) up to the channel axis."""
    # The usual case, whose answer is kept. Not any tuple: True equals 1 and is no size.
    if type(value) is tuple and set(map(type, value)) == {int} and type(channel_axis) is int:
        return _known_shape(name, value, channel_axis, rank)
    if not is_sequence(value):
        raise TypeError(f"{name} must be a shape; got {name}={value!r}.")
    if not all(map(is_integer, value)):
        raise TypeError(f"{name} must hold integers; got {name}={value!r}.")
    return _checked_shape(name, value, channel_axis, rank)


@lru_cache(maxsize=256)
def _known_shape(name, value, channel_axis, rank):
    """`_checked_shape`, remembered."""
    return _checked_shape(name, value, channel_axis, rank)


def _checked_shape(name, value, channel_axis, rank):
    """A shape of integers, as what `shape_argument` gives."""
    shape = tuple(operator.index(entry) for entry in value)
    if any(not 0 <= entry <= LARGEST for entry in shape):
        raise ValueError(f"{name} must hold sizes of at least 0 and at most {LARGEST}; got {name}={value!r}.")
    if prod(shape) > MOST_ELEMENTS:
        raise ValueError(f"{name} must not have more elements than an array can hold; got {name}={value!r}.")
    return shape, *image_batch(name, shape, channel_axis, rank)


def gradient_shape(shape, expected):
    """The upstream gradient must look like the output."""
    if tuple(shape) != tuple(expected):
        raise ValueError(f"grad_output must have the output's shape {tuple(expected)}; got shape {tuple(shape)}.")


def divisor(divisor_override):
    """A non-zero integer, or None for the window's own count."""
    if divisor_override is None:
        return None
    if not is_integer(divisor_override):
        raise TypeError(f"divisor_override must be an integer or None; got divisor_override={divisor_override!r}.")
    if not 0 < abs(operator.index(divisor_override)) <= LARGEST:
        raise ValueError(
            f"divisor_override must not be zero, and at most {LARGEST} in size; got "
            f"divisor_override={divisor_override!r}."
        )
    return operator.index(divisor_override)


def index_range(indices, size, limit_name="input_shape"):
    """Indices must lie in the plane of ``size`` elements; −1 stands for a window without a real tap."""
    if indices.size and (indices.min() < -1 or indices.max() >= size):
        wrong = indices[(indices < -1) | (indices >= size)].flat[0]
        raise ValueError(
            f"indices must lie between -1 and {size - 1}, the last element of a plane of {limit_name}; got {wrong}."
        )


def index_array(indices, shape, like):
    """Checks the type and the shape of a set of flat indices."""
    if not isinstance(indices, np.ndarray) or _name(indices.dtype) != "int64":
        kind = indices.dtype if isinstance(indices, np.ndarray) else type(indices).__name__
        raise TypeError(f"indices must be an int64 array; got {kind}.")
    if indices.shape != tuple(shape):
        raise ValueError(f"indices must have the shape of {like}, {tuple(shape)}; got shape {indices.shape}.")
    return indices if indices.dtype.isnative else indices.astype(np.int64)


def output_shape(first, axes, axis):
    """The output's shape with the channels at ``axis``, for an input of shape ``first`` as (N, C, *spatial)."""
    rest = [first[0], *(entry.output for entry in axes)]
    rest.insert(axis, first[1])
    return tuple(rest)


def window_bounds(starts, stops, sizes):
    """One pair of int64 arrays an axis: where windows start and stop, each holding an element at least."""
    if len(starts) != len(stops):
        raise ValueError(f"starts and stops must have one list an axis; got {len(starts)} and {len(stops)}.")
    return [_axis_bounds(*entry) for entry in zip(starts, stops, sizes, strict=True)]


def _axis_bounds(starts, stops, size):
    """The starts and stops of one axis as int64 arrays."""
    starts, stops = np.asarray(starts), np.asarray(stops)
    if starts.dtype.kind not in "iu" or stops.dtype.kind not in "iu":
        raise TypeError(f"starts and stops must hold integers; got {starts.dtype} and {stops.dtype}.")
    if starts.ndim != 1 or starts.shape != stops.shape or not len(starts):
        raise ValueError(
            "starts and stops must be two lists of equal length, with one window at least; "
            f"got shapes {starts.shape} and {stops.shape}."
        )
    wrong = np.flatnonzero((starts < 0) | (starts >= stops) | (stops > size))
    if len(wrong):
        start, stop = starts[wrong[0]], stops[wrong[0]]
        raise ValueError(
            f"a window must hold an element and lie in an axis of {size} elements; got start={start}, stop={stop}."
        )
    return starts.astype(np.int64), stops.astype(np.int64)


def same_batch(grad_shape, shape, axis):
    """The upstream gradient must have the batch and the channels of the input."""
    found, wanted = channels_first(grad_shape, axis)[1][:2], channels_first(shape, axis)[1][:2]
    if found != wanted:
        raise ValueError(
            f"grad_output must have the samples and channels of input_shape; got shape {tuple(grad_shape)}, "
            f"input_shape={tuple(shape)}."
        )


def bin_counts(output_size, sizes):
    """The bins of adaptive pooling along each axis; None keeps the size of its axis."""
    if output_size is None:
        raise TypeError("output_size must be an integer or hold one entry an axis; got output_size=None.")
    if not is_sequence(output_size):
        return per_axis("output_size", output_size, len(sizes), 1)
    if len(output_size) != len(sizes):
        raise ValueError(
            f"output_size must have one entry for each of the {len(sizes)} spatial axes; got "
            f"output_size={output_size!r}."
        )
    filled = tuple(n if entry is None else entry for entry, n in zip(output_size, sizes, strict=True))
    try:
        return per_axis("output_size", filled, len(sizes), 1)
    except (TypeError, ValueError) as error:
        raise type(error)(str(error).replace(repr(filled), repr(output_size))) from None


def number(name, value):
    """A finite real number; NumPy numbers are taken, bools are not."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"{name} must be a number; got {name}={value!r}.")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{name} must be a number that a float can hold; got {name}={value!r}.") from None


def norm_order(norm_type):
    """The order of a p-norm."""
    order = number("norm_type", norm_type)
    if not 0 < order < np.inf:
        raise ValueError(f"norm_type must be finite and greater than 0; got norm_type={norm_type!r}.")
    return order


def fractional_sizes(sizes, kernel_size, output_size, output_ratio):
    """Kernel and output of fractional pooling along each axis, from a size or from a share of the input's size."""
    kernel = per_axis("kernel_size", kernel_size, len(sizes), 1)
    if (output_size is None) == (output_ratio is None):
        raise ValueError(
            f"output_size or output_ratio must be given, and not both; got output_size={output_size!r}, "
            f"output_ratio={output_ratio!r}."
        )
    if output_ratio is None:
        outputs = per_axis("output_size", output_size, len(sizes), 1)
    else:
        outputs = tuple(int(n * ratio) for n, ratio in zip(sizes, ratios(output_ratio, len(sizes)), strict=True))
    if any(o < 1 or o + k - 1 > n for n, k, o in zip(sizes, kernel, outputs, strict=True)):
        given = f"output_size={output_size!r}" if output_ratio is None else f"output_ratio={output_ratio!r}"
        raise ValueError(
            f"kernel_size + output_size - 1 must be at most the input's size; got kernel_size={kernel_size!r}, "
            f"{given}, input size {tuple(sizes)}."
        )
    return kernel, outputs


def ratios(output_ratio, rank):
    """One share of the input's size an axis, each between 0 and 1."""
    entries = tuple(output_ratio) if is_sequence(output_ratio) else (output_ratio,) * rank
    if len(entries) != rank:
        raise ValueError(
            f"output_ratio must have one entry for each of the {rank} spatial axes; got output_ratio={output_ratio!r}."
        )
    shares = tuple(number("output_ratio", entry) for entry in entries)
    if not all(0 < share < 1 for share in shares):
        raise ValueError(f"output_ratio must lie between 0 and 1; got output_ratio={output_ratio!r}.")
    return shares


def fractional_samples(samples, rng, first, dtype):
    """One number in [0, 1) for each plane and axis, (N, C, rank), of type ``dtype``: given, or drawn from ``rng``."""
    shape = (*first[:2], len(first) - 2)
    if samples is None:
        # The largest number below 1: a float64 draw may round up to 1 in a smaller type.
        return np.minimum(generator(rng).random(shape).astype(dtype), np.nextafter(dtype.type(1), dtype.type(0)))
    samples = array("samples", samples, FLOATS)
    same_dtype("samples", samples.dtype, dtype, "x")
    if samples.shape != shape:
        raise ValueError(f"samples must have shape (N, C, spatial axes) = {shape}; got shape {samples.shape}.")
    if not ((samples >= 0) & (samples < 1)).all():
        wrong = samples[~((samples >= 0) & (samples < 1))].flat[0]
        raise ValueError(f"samples must be at least 0 and less than 1; got {wrong}.")
    return samples


def generator(rng):
    """The given NumPy Generator, or a fresh one."""
    if rng is not None and not isinstance(rng, np.random.Generator):
        raise TypeError(
            f"rng must be a NumPy Generator; got {type(rng).__name__}. Make one with np.random.default_rng(seed)."
        )
    return np.random.default_rng() if rng is None else rng


def same_dtype(name, dtype, wanted, like):
    """Two arguments of one type: nothing is promoted in silence."""
    if dtype != wanted:
        raise TypeError(f"{name} must have the dtype of {like}; got {name}.dtype={dtype}, {like}.dtype={wanted}.")


def no_duplicates(duplicate):
    """Refuses an index that stands twice in one plane; ``duplicate`` is None if there is none."""
    if duplicate is not None:
        raise ValueError(
            f"indices must not hold an element of a plane twice; got {duplicate} twice. "
            'With duplicates="last" the last of them stays.'
        )


def same_planes(shape, output_shape, axis):
    """The output of unpooling must have the batch and the channels of the input."""
    if channels_first(shape, axis)[1][:2] != channels_first(output_shape, axis)[1][:2]:
        raise ValueError(
            f"output_shape must have the samples and channels of x; got output_shape={tuple(output_shape)}, "
            f"x of shape {tuple(shape)}."
        )


def weight_rank(weight):
    """The number of spatial axes of a weight array."""
    if not 3 <= weight.ndim <= 5:
        raise ValueError(
            f"weight must have shape (channels, channels, *kernel) with one to three spatial axes; got shape "
            f"{tuple(weight.shape)}."
        )
    return weight.ndim - 2


def group_count(groups, channels, rows):
    """Groups that divide the input channels and the rows of the weight."""
    groups = integer("groups", groups, 1)
    if channels % groups or rows % groups:
        raise ValueError(
            f"groups must divide the channels of x and the first axis of weight; got groups={groups}, "
            f"{channels} channels, weight of first size {rows}."
        )
    return groups


def conv_weight(shape, first, groups):
    """Checks a weight of shape (C_out, C_in / groups, *kernel) against the input's shape; returns ``groups``."""
    groups = group_count(groups, first[1], shape[0])
    if 0 in shape or shape[1] * groups != first[1]:
        raise ValueError(
            f"weight must have shape (C_out, C_in / groups, *kernel) without empty axes; got shape {tuple(shape)}, "
            f"x with {first[1]} channels, groups={groups}."
        )
    return groups


def conv_transpose_weight(shape, first, groups):
    """Checks a weight of shape (C_in, C_out / groups, *kernel) against the input's shape; returns ``groups``."""
    groups = group_count(groups, first[1], shape[0])
    if 0 in shape or shape[0] != first[1]:
        raise ValueError(
            f"weight must have shape (C_in, C_out / groups, *kernel) without empty axes; got shape {tuple(shape)}, "
            f"x with {first[1]} channels."
        )
    return groups


def bias_vector(bias, dtype, channels):
    """One number for each output channel, in the type of the input, or None."""
    if bias is None:
        return None
    bias = array("bias", bias, FLOATS)
    same_dtype("bias", bias.dtype, dtype, "x")
    if bias.shape != (channels,):
        raise ValueError(f"bias must have shape (C_out,) = ({channels},); got shape {bias.shape}.")
    return bias


def conv_axes(sizes, weight_shape, stride=1, padding=0, dilation=1):
    """The window along each spatial axis of a convolution, as geometry.Axis."""
    rank, kernel = len(sizes), tuple(weight_shape[2:])
    steps, gaps = per_axis("stride", stride, rank, 1), per_axis("dilation", dilation, rank, 1)
    pairs = padding_pairs(padding, sizes, kernel, steps, gaps)
    axes = tuple(
        geometry.Axis(n, k, s, before, after, d, geometry.output_size(n, k, s, before, after, d))
        for n, k, s, (before, after), d in zip(sizes, kernel, steps, pairs, gaps, strict=True)
    )
    if any(axis.output < 1 for axis in axes):
        raise ValueError(
            f"weight must fit into the padded input; got weight of shape {tuple(weight_shape)}, padding={padding!r}, "
            f"dilation={dilation!r}, input size {tuple(sizes)}."
        )
    if any(axis.output > LARGEST for axis in axes):
        raise ValueError(f"padding must leave at most {LARGEST} windows an axis; got padding={padding!r}.")
    return axes


def conv_transpose_axes(sizes, weight_shape, stride=1, padding=0, output_padding=0, dilation=1):
    """The windows of the convolution that a transposed one undoes: its input is our output."""
    rank, kernel = len(sizes), tuple(weight_shape[2:])
    steps, gaps = per_axis("stride", stride, rank, 1), per_axis("dilation", dilation, rank, 1)
    extra = per_axis("output_padding", output_padding, rank, 0)
    if any(e >= max(s, d) for e, s, d in zip(extra, steps, gaps, strict=True)):
        raise ValueError(
            f"output_padding must be less than stride or dilation; got output_padding={output_padding!r}, "
            f"stride={stride!r}, dilation={dilation!r}."
        )
    if isinstance(padding, str) and padding in ("same", "same_lower"):
        raise ValueError(f'padding must be numbers or "valid" in a transposed convolution; got padding={padding!r}.')
    pairs = padding_pairs(padding, sizes, kernel, steps, gaps)
    axes = tuple(
        geometry.Axis(geometry.transposed_size(n, k, s, before, after, d, e), k, s, before, after, d, n)
        for n, k, s, (before, after), d, e in zip(sizes, kernel, steps, pairs, gaps, extra, strict=True)
    )
    if any(axis.size < 1 for axis in axes):
        raise ValueError(
            f"padding must leave at least one element; got padding={padding!r}, stride={stride!r}, weight of shape "
            f"{tuple(weight_shape)}, input size {tuple(sizes)}."
        )
    if any(axis.size > LARGEST for axis in axes):
        raise ValueError(
            f"stride and dilation must give at most {LARGEST} elements an axis; got stride={stride!r}, "
            f"dilation={dilation!r}, input size {tuple(sizes)}."
        )
    return axes


def index_planes(indices, shape, axis):
    """Flat indices with the samples, the channels and the number of axes of another array, and its own sizes."""
    if not isinstance(indices, np.ndarray) or _name(indices.dtype) != "int64":
        kind = indices.dtype if isinstance(indices, np.ndarray) else type(indices).__name__
        raise TypeError(f"indices must be an int64 array; got {kind}.")
    if indices.ndim != len(shape) or channels_first(indices.shape, axis)[1][:2] != channels_first(shape, axis)[1][:2]:
        raise ValueError(
            f"indices must have the samples and channels of grad_output, of shape {tuple(shape)}; got shape "
            f"{indices.shape}."
        )
    return indices if indices.dtype.isnative else indices.astype(np.int64)
