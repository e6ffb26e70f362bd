"""The cells of a stored notebook as HTML: prose, code in colours, pictures, numbers and living widgets."""

import html

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from course_lib.site import prose
from course_lib.widgets import fragment

VIEW = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"
# What a widget inherits and no page needs.
INHERITED = ("layout", "tabbable", "tooltip")


def widget_states(notebook):
    """The state of every stored widget that a page can keep alive, by its model's id."""
    models = notebook["metadata"].get("widgets", {}).get(STATE, {}).get("state", {})
    states = {name: _public(model["state"]) for name, model in models.items()}
    return {name: state for name, state in states.items() if "table" in state}


def _public(state):
    """The part of a widget's state that is the course's own."""
    return {name: value for name, value in state.items() if not name.startswith("_") and name not in INHERITED}


def render(notebook, headings):
    """All cells of a notebook as HTML.

    Parameters
    ----------
    notebook : dict
    headings : list
        Where headings are noted, see `course_lib.site.prose.render`.

    Returns
    -------
    str
    """
    states, names = widget_states(notebook), {cell["id"] for cell in notebook["cells"]}
    return "\n".join(_cell(cell, states, headings, names) for cell in notebook["cells"])


def _cell(cell, states, headings, names):
    """One cell, with its id as the place that links lead to."""
    if cell["cell_type"] == "markdown":
        kind, content = "prose", prose.render(_text(cell["source"]), headings, names)
    else:
        kind, content = "cell", _code(cell) + _outputs(cell, states)
    return f'<div class="{kind}" id="{html.escape(cell["id"])}">\n{content}</div>'


def _tags(cell):
    """The tags of a cell."""
    return cell["metadata"].get("tags", [])


def _code(cell):
    """The code of a cell, in colours; nothing where it would tell the answer to the question below it."""
    if "remove-input" in _tags(cell) or cell["metadata"].get("jupyter", {}).get("source_hidden"):
        return ""
    code = f'<pre class="code"><code>{colours(_text(cell["source"]))}</code></pre>\n'
    return _folded("Code", code) if "hide-input" in _tags(cell) else code


def colours(source):
    """Python with a span for each kind of word.

    Examples
    --------
    >>> colours("x = 1")
    '<span class="n">x</span> <span class="o">=</span> <span class="mi">1</span>'
    """
    return highlight(source, PythonLexer(), HtmlFormatter(nowrap=True)).rstrip("\n")


def _outputs(cell, states):
    """What a cell shows."""
    shown = "".join(_output(output, states) for output in cell["outputs"])
    return _folded("Output", shown) if shown and "hide-output" in _tags(cell) else shown


def _folded(summary, content):
    """Something that is shown when one asks for it."""
    return f"<details><summary>{summary}</summary>{content}</details>\n"


def _output(output, states):
    """One output in the best form that a page can show."""
    if output["output_type"] == "stream":
        return _plain(output["text"])
    if output["output_type"] == "error":
        return _plain(f"{output['ename']}: {output['evalue']}")
    data = output["data"]
    model = data.get(VIEW, {}).get("model_id")
    if model in states:
        return f'<div class="widget">{fragment(states[model])}</div>\n'
    if "text/html" in data:
        return f'<div class="shown">{_text(data["text/html"])}</div>\n'
    if "image/png" in data:
        return _picture(data, output.get("metadata", {}).get("image/png", {}))
    return _plain(data.get("text/plain", ""))


def _picture(data, metadata):
    """A picture, with its numbers for whoever does not see it."""
    alt = html.escape(metadata.get("alt") or _text(data.get("text/plain", "")))
    size = "".join(f' {side}="{metadata[side]}"' for side in ("width", "height") if side in metadata)
    size += f' style="--width:{metadata["width"]}px"' if "width" in metadata else ""
    source = f"data:image/png;base64,{''.join(_text(data['image/png']).split())}"
    return f'<p class="figure"><img src="{source}"{size} alt="{alt}"></p>\n'


def _plain(text):
    """Text as it was printed."""
    return f'<pre class="output">{html.escape(_text(text).rstrip())}</pre>\n'


def _text(value):
    """A text that a file may hold as a list of lines."""
    return "".join(value) if isinstance(value, list) else value
