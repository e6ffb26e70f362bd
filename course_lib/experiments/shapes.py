"""Asserting dimensions: what the author of a design expects, and that a gradient has its parameter's shape."""


def assert_shapes(name, training, expected, x, y):
    """Runs both passes once, which also warms them up, and refuses wrong shapes.

    Parameters
    ----------
    name : str
        The variant.
    training : Training
    expected : mapping of str to tuple of int
        From the design.
    x, y : ndarray
        One batch.

    Raises
    ------
    ValueError
        It names the axis, and not the right size.
    """
    gradients = training.gradients(x, y).parameters
    values = training.network.values(training.parameters, x.astype(training.dtype))
    found = {key: array.shape for key, array in {**values, **training.parameters}.items()}
    for key, shape in expected.items():
        if key not in found:
            raise ValueError(f"shapes must name what the network has, which is {', '.join(found)}; got {key!r}.")
        if shape != found[key]:
            raise ValueError(
                f"shapes[{key!r}] must be what {name!r} makes; got {shape}, {difference(shape, found[key])}."
            )
    for key, gradient in gradients.items():
        # In an update by += another shape might be broadcast in silence.
        if gradient.shape != found[key]:
            raise ValueError(f"the gradient of {key} must have its shape {found[key]}; got {gradient.shape}.")


def difference(shape, found):
    """Where two shapes differ, without the right sizes."""
    if len(shape) != len(found):
        return f"but there are {len(found)} axes"
    axes = [str(axis) for axis, pair in enumerate(zip(shape, found, strict=True)) if pair[0] != pair[1]]
    return f"which differs in ax{'is' if len(axes) == 1 else 'es'} {' and '.join(axes)}"
