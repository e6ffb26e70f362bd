"""The value at x once, and then a list of what each step adds; a gradient by forward differences."""

import numpy as np

SEEDS = (11,)


def numeric_gradient(f, x, eps, grad_output):
    flat = np.asarray(x, np.float64).ravel()
    here = np.vdot(grad_output, f(flat.reshape(x.shape)))

    def there(number):
        moved = flat.copy()
        moved[number] += eps
        return np.vdot(grad_output, f(moved.reshape(x.shape)))

    return np.array([(there(number) - here) / eps for number in range(flat.size)]).reshape(x.shape)
