"""Widgets on a plain page: alive in a browser, with no kernel, no install and no other file."""

import html
import json

from course_lib.widgets import oral_drill, prediction
from course_lib.widgets.explorable import script, style

MOUNT = """mountAll(document);
for (const [place, kind] of [["data-predict", "prediction"], ["data-oral", "oral"]]) {
  for (const el of document.querySelectorAll(`[${place}]`)) {
    KINDS[kind].render({ model: pageModel(JSON.parse(el.querySelector("script").textContent)), el });
  }
}"""
# What else than an explorable a state is of, by a name that it alone has.
PLACES = {"given": "data-predict", "heard": "data-oral"}

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ margin: 2rem auto; max-width: 54rem; padding: 0 1rem; font-family: system-ui, sans-serif; }}
</style>
{head}
</head>
<body>
<h1>{title}</h1>
{body}
</body>
</html>
"""


def head():
    """The style and the script that bring every `fragment` of a page to life; once in a page, anywhere."""
    # In the page itself, not beside it: a browser refuses to load a module from a file that was opened from disk.
    styles = style() + prediction.style() + oral_drill.style()
    scripts = "\n".join([script(), prediction.script(), oral_drill.script(), MOUNT])
    return f'<style>\n{styles}</style>\n<script type="module">\n{scripts}\n</script>'


def fragment(state):
    """The place of one widget in a page.

    Parameters
    ----------
    state : dict
        As `state()` of an explorable, a prediction or an oral drill gives it, or read from a stored notebook.

    Returns
    -------
    str
    """
    # "<" must not appear: the text of a widget could otherwise end the script element.
    text = json.dumps(state, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    place = next((PLACES[name] for name in PLACES if name in state), "data-explorable")
    return f'<div {place}><script type="application/json">{text}</script></div>'


def page(widgets, title):
    """A whole page that shows some widgets.

    Parameters
    ----------
    widgets : sequence of Explorable or Prediction
    title : str

    Returns
    -------
    str
    """
    body = "\n".join(fragment(widget.state()) for widget in widgets)
    return PAGE.format(title=html.escape(title), head=head(), body=body)
