"""Which points of a rubric a typed answer seems to make. A suggestion: who was there decides.

The method is plain, so that one can see why a point was found. Words are compared without case, hyphens and endings
(add, adds, added, adding), and what the field calls by several names counts as one (fp16 and float16, pixel and
element). A phrase is words in this order, with at most two others between. A phrase right behind a
"not" does not count, unless it has a "not" itself. All groups of a point must be found within 30 words.
"""

import re
import unicodedata

REACH = 30
BETWEEN = 2
NEGATIONS = {"not", "no", "never", "without", "nor", "instead"}
ENDS = set(".;:!?")
SIGNS = {"−": "-", "∞": " infinity ", "+=": " plus equals ", "×": " by ", "²": " squared ", "·": " ", "/": " over "}
NUMBERS = dict(
    enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    )
)
# Short forms and other names, in answers and in phrases alike.
NAMES = {
    "fp16": "float16", "fp32": "float32", "fp64": "float64", "bf16": "bfloat16", "lr": "learning rate",
    "conv": "convolution", "grad": "gradient", "param": "parameter", "avg": "average", "inf": "infinity",
    "pixel": "element", "cell": "element", "entry": "element", "entries": "elements", "location": "position",
    "biggest": "largest", "greatest": "largest", "big": "large", "argmax": "winner", "filter": "kernel",
    "accumulate": "add",
    "dz": "upstream gradient", "dy": "upstream gradient", "incoming": "upstream", "identical": "same",
    "everything": "all", "entire": "whole", "reproducible": "deterministic", "gemm": "matrix product",
    "atomicadd": "atomic add", "0.5": "half", "cannot": "can not", "cant": "can not", "isnt": "is not",
    "arent": "are not", "doesnt": "does not", "dont": "do not", "wont": "will not",
}  # fmt: skip


def said(answer, points):
    """The points that an answer seems to make.

    Parameters
    ----------
    answer : str
    points : iterable of Point

    Returns
    -------
    dict of Point to str
        Each point that was found, with the words that gave it away.
    """
    words = _words(answer)
    found = ((point, _find(words, point.keys)) for point in points)
    return {point: heard for point, heard in found if heard}


def _words(text):
    """The words of a text, in small letters, and the ends of its sentences; numbers up to twelve are written out."""
    text = unicodedata.normalize("NFC", text).lower().replace("’", "'")
    for sign, name in SIGNS.items():
        text = text.replace(sign, name)
    text = re.sub(r"-\s*(?=inf)", " minus ", text).replace("'", "")
    words = re.findall(r"[^\W_]+(?:\.\d+)?|[.;:!?]", text)
    return [name for word in words for name in _name(word).split()]


def _name(word):
    """A word by its usual name: a small number written out, a short form in full."""
    if word.isdecimal():
        return NUMBERS.get(int(word), word)
    return next((NAMES[stem] for stem in sorted(_endings(word)) if stem in NAMES), word)


def _find(words, keys):
    """The words that match one phrase of every group, if they lie close together; else ""."""
    places = [[span for phrase in group for span in _phrase(words, _words(phrase))] for group in keys]
    for first in places[0]:
        near = [[span for span in group if abs(span[0] - first[0]) <= REACH] for group in places]
        if all(near):
            spans = sorted({group[0] if index else first for index, group in enumerate(near)})
            return " … ".join(" ".join(words[start:stop]) for start, stop in spans)
    return ""


def _phrase(words, phrase):
    """Where a phrase stands: first word and the one behind the last."""
    for start, word in enumerate(words):
        if not _same(word, phrase[0]):
            continue
        at = start
        for wanted in phrase[1:]:
            behind = range(at + 1, min(at + 2 + BETWEEN, len(words)))
            at = next((place for place in behind if _same(words[place], wanted)), None)
            if at is None:
                break
        if at is not None and not _denied(words, start, phrase):
            yield start, at + 1


def _denied(words, start, phrase):
    """Whether the phrase stands right behind a "not" that it does not hold itself."""
    before = words[max(0, start - 2) : start]
    if before and before[-1] in ENDS:
        before = []
    return not NEGATIONS & set(phrase) and bool(NEGATIONS & set(before))


def _same(word, wanted):
    """Whether two words differ only in a common ending."""
    return word == wanted or bool(_endings(word) & _endings(wanted))


def _endings(word):
    """A word and what may remain without its ending. Short words have none."""
    stems = {word}
    for ending in ("s", "es", "d", "ed", "ing"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            stem = word.removesuffix(ending)
            stems |= {stem, stem + "e"}
            if len(stem) > 3 and stem[-1] == stem[-2]:
                # summed, stopping
                stems.add(stem[:-1])
    return stems
