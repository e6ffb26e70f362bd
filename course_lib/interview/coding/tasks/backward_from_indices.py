"""Max pooling backward, from the winners that the forward has saved."""

from dataclasses import dataclass, replace

import numpy as np

from course_lib import loops
from course_lib.interview.coding.asked import Asked, operation
from course_lib.interview.coding.draw import Drawn, case, distinct, one_of, tied
from course_lib.interview.coding.task import Task, Variant, skeleton

NAME = "backward_from_indices"
GEOMETRY = ("kernel_size", "stride", "padding")
KINDS = {
    "plane": "the winner's flat index in its plane (H, W)",
    "padded": "the winner's flat index in its plane after padding, (H + 2 · padding, W + 2 · padding)",
    "window": "the winner's flat offset in its window, from 0 to kernel_size² - 1",
    "column": "the winner's index in its plane (H, W), counted down its columns: row 1 of column 0 is 1, and so on",
}
# What each kind cannot be read without.
NEEDED = {"plane": (), "padded": ("padding",), "window": GEOMETRY, "column": ()}


def places(kind, indices, height, width, kernel_size, stride, padding):
    """The row and the column of each winner."""
    if kind == "column":
        return indices % height, indices // height
    if kind != "window":
        margin = padding if kind == "padded" else 0
        rows, columns = np.divmod(indices, width + 2 * margin)
        return rows - margin, columns - margin
    rows, columns = np.divmod(indices, kernel_size)
    i, j = np.ogrid[: indices.shape[2], : indices.shape[3]]
    return rows + i * stride - padding, columns + j * stride - padding


def encoded(kind, flat, width, height, kernel_size, stride, padding):
    """The indices of a kind, from flat ones in the plane."""
    rows, columns = np.divmod(flat, width)
    i, j = np.ogrid[: flat.shape[2], : flat.shape[3]]
    a, b = rows - i * stride + padding, columns - j * stride + padding
    found = {
        "plane": flat,
        "column": columns * height + rows,
        "padded": (rows + padding) * (width + 2 * padding) + columns + padding,
        "window": a * kernel_size + b,
    }[kind]
    return np.where(flat < 0, -1, found)


@dataclass(frozen=True)
class Backward:
    """What is right, and what a mistake changes of it: how indices are read, and how gradients are put.

    Attributes
    ----------
    kind, read_as : str
        How indices are meant, and how they are read.
    adds, skips, by_plane : bool
        Whether repeated places are added; whether -1 sends nothing; whether each plane has its own indices.
    sizes : callable
        From kernel_size, stride and padding to those that are used.
    """

    kind: str
    read_as: str
    adds: bool = True
    skips: bool = True
    by_plane: bool = True
    sizes: object = staticmethod(lambda *sizes: sizes)

    def __call__(self, grad_output, indices, input_shape, kernel_size=1, stride=1, padding=0):
        """The gradient."""
        height, width = input_shape[2:]
        rows, columns = places(self.read_as, indices, height, width, *self.sizes(kernel_size, stride, padding))
        flat = np.where(indices < 0, -1 if self.skips else height * width - 1, rows * width + columns)
        # What a mistake sends outside the plane gets lost; code that does not look raises an error of its own.
        flat = np.where((flat < 0) | (flat >= height * width), -1, flat)
        if not self.adds:
            return {"grad_input": loops.max_unpool(grad_output, flat, input_shape, duplicates="last")}
        if self.by_plane:
            return {"grad_input": loops.max_pool_backward(grad_output, flat, input_shape)}
        planes = (array.reshape(1, 1, -1, 1) for array in (grad_output, flat))
        result = np.zeros(input_shape)
        result[:1, :1] = loops.max_pool_backward(*planes, (1, 1, height, width))
        return {"grad_input": result}


def mistakes(asked, right):
    """The right backward with something changed."""

    def mistake(name, chapter, sentence, **changes):
        return asked.mistake(f"indices_{name}", chapter, sentence, replace(right, **changes))

    yield mistake("assigned", "03", "Where an index repeats, one gradient is kept. grad[indices] += adds once for each "
                  "different index; np.add.at and np.bincount add every time.", adds=False)  # fmt: skip
    yield mistake("minus_one", "04", "Index -1 counts from the end, and the plane's last element gets what belongs to "
                  "nobody.", skips=False)  # fmt: skip
    yield mistake("one_plane", "04", "All planes are added into the first one: an index counts within its own plane.",
                  by_plane=False)  # fmt: skip
    for kind, said in KINDS.items():
        if kind != right.kind and set(NEEDED[kind]) <= set(NEEDED[right.kind]):
            yield mistake(f"as_{kind}", "04", f"The index is read as {said}.", read_as=kind)
    if right.kind == "window":
        yield mistake("corner", "04", "The offset is counted from the corner of the plane: where the window starts is "
                      "left out.", sizes=lambda kernel_size, stride, padding: (kernel_size, 0, 0))  # fmt: skip
        yield mistake("side_by_side", "03", "The windows start at multiples of the kernel size, not of the stride.",
                      sizes=lambda kernel_size, stride, padding: (kernel_size, kernel_size, padding))  # fmt: skip


def variant(seed):
    """What an index counts, and where the shape stands, are drawn."""
    rng = np.random.default_rng(seed)
    kind, shape_first = one_of(rng, *KINDS), one_of(rng, False, True)
    order = ["grad_output", "indices"]
    order.insert(0 if shape_first else 2, "input_shape")
    signature = f"def {NAME}({', '.join([*order, *NEEDED[kind]])}):"
    statement = (
        "Write the backward of 2-D max pooling from what the forward has saved. `grad_output`, the upstream gradient, "
        "and `indices` are (N, C, rows, columns); `input_shape` is (N, C, H, W). An index is "
        f"{KINDS[kind]}. Index -1 marks a window without an element: it sends nothing. "
        "Windows may overlap. Return the gradient of the input, in its shape. Change no argument."
    )
    right = Backward(kind, kind)
    asked = Asked(NAME, operation("max pooling backward", right), ("grad_input",))

    def pool(x, kernel_size, stride, padding, nobody=()):
        """A case; the windows at some flat positions have no element."""
        _, flat = loops.max_pool(x.array, kernel_size, stride, padding, return_indices=True)
        flat.reshape(-1)[list(nobody)] = -1
        height, width = x.array.shape[2:]
        indices = encoded(kind, flat, width, height, kernel_size, stride, padding)
        sizes = dict(zip(GEOMETRY, (kernel_size, stride, padding), strict=True))
        given = {
            "grad_output": distinct(rng, flat.shape, low=1),
            "indices": Drawn(indices, str(indices.tolist())),
            "input_shape": x.array.shape,
        }
        return case(**{name: given[name] for name in order}, **{name: sizes[name] for name in NEEDED[kind]})

    shared = pool(tied(rng, (1, 1, 3, 4)), 2, 1, 0), pool(distinct(rng, (1, 1, 5, 4)), 3, 1, 1)
    batch = pool(distinct(rng, (2, 2, 4, 3)), 2, 1, one_of(rng, 0, 1))
    properties = (
        asked.gives("one window each", pool(distinct(rng, (1, 1, 2, 4)), 2, 2, 0)),
        asked.gives("shared winners", *shared),
        asked.gives("borders", pool(distinct(rng, (1, 1, 3, 5)), 3, 2, 1), pool(distinct(rng, (1, 1, 4, 6)), 2, 2, 1)),
        asked.gives("windows without an element", pool(distinct(rng, (1, 1, 2, 6)), 2, 2, 0, nobody=(1,))),
        asked.gives("batch and channels", pool(distinct(rng, (1, 2, 2, 2)), 2, 2, 0), batch),
        asked.keeps_inputs(batch),
    )
    blank = skeleton(signature, "The gradient of the input, (N, C, H, W).")
    return Variant(statement, signature, properties, blank, tuple(mistakes(asked, right)))


TASK = Task(
    name="backward-from-indices",
    title="Max pooling backward from saved indices",
    minutes=10,
    topic="Overlapping windows",
    level=2,
    variant=variant,
    why="With the winners saved, the backward needs no input and no search: it decodes an index and adds. An "
    "interviewer asks what the index counts, since libraries differ, and whether it can repeat; and looks whether -1 "
    "is taken for the last element, as NumPy takes it.",
    hints=(
        "What does one index count, and from where? Write down row and column for one of them by hand.",
        "Turn every index into one number for the whole gradient: sample and channel have to come in.",
        "np.add.at or np.bincount adds at repeated places. Leave out what has the index -1 before you add.",
    ),
    chapter="03",
)
