"""Notebooks that were damaged on their way: bytes and cells changed, cut, doubled and exchanged."""

import json

PIECES = [
    b"",
    b"[",
    b"]",
    b"{",
    b"}",
    b'"',
    b"\\",
    b"\0",
    b"\xff\xfe",
    b"null",
    b"1e999",
    b"\\ud800",
    b"\n",
    b"%%",
    b"\xe5\xbc",
]
ODD = [
    None,
    3,
    [],
    {},
    "x",
    [[1]],
    True,
    {"cell_type": "code", "source": {"a": 1}},
    {"cell_type": 5, "source": [1, None]},
]


def damaged(data, rng):
    """The bytes of a notebook with one to five changes.

    Parameters
    ----------
    data : bytes
    rng : numpy.random.Generator
    """
    if rng.random() < 0.5:
        data = _with_other_cells(json.loads(data), rng)
    for _ in range(rng.integers(0, 5)):
        data = _with_other_bytes(data, rng)
    return data


def _with_other_bytes(data, rng):
    """Some bytes replaced, left out, doubled, or everything behind a place cut off."""
    start, length = int(rng.integers(len(data) + 1)), int(rng.integers(0, 40))
    choice = rng.integers(4)
    if choice == 0:
        return data[:start] + PIECES[rng.integers(len(PIECES))] + data[start + length :]
    if choice == 1:
        return data[:start] + data[start + length :]
    if choice == 2:
        return data[: start + length] + data[start:]
    return data[:start] if rng.random() < 0.2 else data[:start] + bytes(rng.integers(0, 256, 3).tolist()) + data[start:]


def _with_other_cells(notebook, rng):
    """Cells exchanged, doubled, left out, retyped, cut in two, or replaced by what is none."""
    cells = notebook["cells"]
    for _ in range(rng.integers(1, 6)):
        place = int(rng.integers(len(cells) + 1))
        taken = cells[place] if place < len(cells) else None
        choice = rng.integers(6)
        if choice == 0:
            rng.shuffle(cells)
        elif choice == 1:
            cells[place:place] = [taken]
        elif choice == 2:
            del cells[place : place + 1]
        elif choice == 3 and isinstance(taken, dict):
            cells[place] = {**taken, "cell_type": str(rng.choice(["code", "markdown", "raw", "heading"]))}
        elif choice == 4 and isinstance(taken, dict):
            source = "".join(taken["source"]) if isinstance(taken.get("source"), list) else ""
            cut = int(rng.integers(len(source) + 1))
            cells[place : place + 1] = [{**taken, "source": source[:cut]}, {**taken, "source": source[cut:]}]
        else:
            cells[place : place + 1] = [ODD[rng.integers(len(ODD))]]
    return json.dumps(notebook).encode()
