"""Write the glossary from its data: ``python -m tools.glossary`` makes ``docs/glossary.md``."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
DATA = ROOT / "docs" / "glossary.toml"
PAGE = ROOT / "docs" / "glossary.md"
HEAD = """# Glossary

The words of the course, in English and in Chinese. Each links to the cell where it is explained, or first seen at work.
This page is written by `python -m tools.glossary` from `glossary.toml`.
"""


def entries():
    """The entries, in the order of the alphabet."""
    with DATA.open("rb") as file:
        return sorted(tomllib.load(file)["entry"], key=lambda entry: entry["term"].lower())


def place(entry, chapters):
    """The chapter's name and the cell that an entry leads to.

    Parameters
    ----------
    entry : dict
    chapters : sequence of str
        The names of the chapters.

    Raises
    ------
    LookupError
        If there is no such chapter.
    """
    number, cell = entry["at"].split()
    found = [name for name in chapters if name.startswith(f"{number}_")]
    if not found:
        raise LookupError(f"{entry['term']}: there is no chapter {number}.")
    return found[0], cell


def page():
    """The page as Markdown."""
    chapters = sorted(path.stem for path in (ROOT / "sources" / "chapters").glob("*.py"))
    return HEAD + "".join(_paragraph(entry, *place(entry, chapters)) for entry in entries())


def _paragraph(entry, chapter, cell):
    """One entry: the term in both languages, with its link; below it what it means in both."""
    code = "".join(f" `{name}`" for name in entry.get("names", ()))
    link = f"[chapter {chapter[:2]}](../notebooks/{chapter}.ipynb#cell-id={cell})"
    head = f"**{entry['term']}**{code} · {_chinese(entry['zh'])} · {link}"
    return f"\n{head}<br>\n{entry['en']}<br>\n{_chinese(entry['cn'])}\n"


def _chinese(text):
    """Chinese, marked as such, so that it is shown and read aloud as such."""
    return f'<span lang="zh-Hans">{text}</span>'


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
