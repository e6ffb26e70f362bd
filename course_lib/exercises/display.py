"""One page, shown two ways with the same content: as text, and as HTML that is legible on light and dark.

The HTML takes its text colour from the notebook and never relies on colour alone, so that it also reads in print and
where a site removes its style.
"""

import textwrap
from dataclasses import dataclass
from html import escape

WIDTH = 100
PASSED, WRONG, OPEN = "✓", "✗", "○"
# Two colours that colour-blind readers tell apart, and that stand out on white and on black.
COLOURS = {PASSED: "#009e73", WRONG: "#d55e00", OPEN: "#888888"}


@dataclass(frozen=True)
class Link:
    """Text that leads somewhere."""

    text: str
    href: str


@dataclass(frozen=True)
class Row:
    """One line of a page: a mark, what it is about, a figure, what is said, and details as (label, text or Link)."""

    mark: str
    name: str | Link
    figure: str
    message: str
    details: tuple = ()


@dataclass(frozen=True)
class Page:
    """A heading with a figure, rows, paragraphs of text or Links, and a block of text kept as it is."""

    heading: str
    figure: str = ""
    mark: str = ""
    rows: tuple = ()
    paragraphs: tuple = ()
    block: tuple = ()


class Shown:
    """Shows itself as the page that ``page()`` gives."""

    def __repr__(self):
        return text(self.page())

    def _repr_html_(self):
        return html(self.page())


def text(page):
    """A page as plain text."""
    lines = [": ".join(part for part in (page.heading, page.figure) if part)]
    for row in page.rows:
        figure = f" ({row.figure})" if row.figure else ""
        lines += _wrap(f"{row.mark} {_plain(row.name)}{figure}: {row.message}", "  ", "    ")
        for label, value in row.details:
            lines += _wrap(f"{label}: {_plain(value)}", "      ", "        ")
    for paragraph in page.paragraphs:
        lines += _wrap(_plain(paragraph), "", "")
    if page.block:
        label, block = page.block
        lines += [f"{label}:", *("  " + line for line in block.splitlines())]
    return "\n".join(lines)


def _wrap(line, first, rest):
    """One paragraph as lines, with one space between words; long words, as links are, stay whole."""
    return textwrap.wrap(
        " ".join(line.split()),
        WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _plain(value):
    """Text, or a link as text with its address."""
    return f"{value.text} ({value.href})" if isinstance(value, Link) else value


def html(page):
    """A page as HTML."""
    colour = COLOURS.get(page.mark, COLOURS[OPEN])
    figure = f": {escape(page.figure)}" if page.figure else ""
    parts = [f'<p style="margin:0 0 4px"><strong>{escape(page.heading)}</strong>{figure}</p>']
    if page.rows:
        parts.append(f'<table style="{TABLE}"><tbody>{"".join(map(_html_row, page.rows))}</tbody></table>')
    parts += [f'<p style="margin:6px 0 0">{_html(paragraph)}</p>' for paragraph in page.paragraphs]
    if page.block:
        label, block = page.block
        parts.append(f'<p style="margin:6px 0 0">{escape(label)}:</p><pre style="{BLOCK}">{escape(block)}</pre>')
    return f'<div style="border-left:4px solid {colour};padding:2px 0 2px 12px;max-width:60em">{"".join(parts)}</div>'


TABLE = "border-collapse:collapse;table-layout:auto;width:auto;margin:0;border:none;font-size:inherit"
CELL = "text-align:left;vertical-align:top;padding:3px 14px 3px 0;border:none;background:transparent"
CODE = "font-family:monospace;white-space:pre-wrap"
CODE_LABELS = ("yours", "expected", "difference", "your line")
BLOCK = "margin:0;font-family:monospace;padding:4px 0;background:transparent;color:inherit;white-space:pre-wrap"


def _html_row(row):
    """One row of the table."""
    mark = f'<span style="color:{COLOURS[row.mark]};font-weight:bold">{row.mark}</span>'
    details = "".join(_html_detail(label, value) for label, value in row.details)
    # A title, which is a link, may be long and break; the name of a property does not.
    whole = "" if isinstance(row.name, Link) else ";white-space:nowrap"
    return (
        f'<tr style="background:transparent"><th scope="row" style="{CELL}{whole}">{mark} {_html(row.name)}'
        f'</th><td style="{CELL};white-space:nowrap">{escape(row.figure)}</td>'
        f'<td style="{CELL}">{escape(row.message)}{details}</td></tr>'
    )


def _html_detail(label, value):
    """One detail; arrays and code in letters of one width."""
    shown = f'<span style="{CODE}">{_html(value)}</span>' if label in CODE_LABELS else _html(value)
    # A link is short, and looks bad in two lines.
    whole = ";white-space:nowrap" if isinstance(value, Link) else ""
    return f'<div style="margin-left:1em{whole}"><em>{escape(label)}:</em> {shown}</div>'


def _html(value):
    """Text, or a link."""
    if isinstance(value, Link):
        return f'<a href="{escape(value.href)}">{escape(value.text)}</a>'
    return escape(value)
