"""Every form of a report, through the one door."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace

from outscore.report.render import render

render_text = partial(render, form="text")
render_markdown = partial(render, form="markdown")
render_latex = partial(render, form="latex")
text, markdown, latex = (SimpleNamespace(render=form) for form in (render_text, render_markdown, render_latex))


def render_html(result, changed=None, contexts=None) -> str:
    return render(result, "html", examples=None if changed is None else (changed, contexts))
