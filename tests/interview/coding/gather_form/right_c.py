"""Walks back from the last window that begins at or before the element; winners by their offset."""

SEEDS = (2, 8)


def gradient_of(place, grad_output, indices, input_size, kernel_size, stride, padding):
    row, column = place[0] + padding, place[1] + padding
    total, i = 0.0, row // stride
    while i >= 0 and i * stride + kernel_size > row:
        j = column // stride
        while j >= 0 and j * stride + kernel_size > column:
            if i < grad_output.shape[0] and j < grad_output.shape[1]:
                offset = (row - i * stride) * kernel_size + column - j * stride
                total += grad_output[i, j] if indices[i, j] == offset else 0
            j -= 1
        i -= 1
    return total
