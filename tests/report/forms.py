"""Every form of a report, through the one door."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

from outscore.report.render import render
from outscore.report.rows.columns import tabulate, texts

render_text = partial(render, form="text")
render_markdown = partial(render, form="markdown")
render_latex = partial(render, form="latex")
text, markdown, latex = (SimpleNamespace(render=form) for form in (render_text, render_markdown, render_latex))


def render_html(result, changed=None, contexts=None) -> str:
    return render(result, "html", **({} if changed is None else {"examples": (changed, contexts)}))


def without_script(source: str) -> str:
    """A page without its one script, which is ours: the page's policy allows no other."""
    scripts = re.findall(r"<script>(.*?)</script>", source, re.DOTALL)
    assert len(scripts) == 1
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    assert f"default-src 'none'; script-src 'sha256-{digest}'; style-src" in source
    return source.replace(f"<script>{scripts[0]}</script>", "")


def make_table(key, title, heads, align, rows):
    """A table of texts."""
    columns = [replace(column, align=side) for column, side in zip(texts(*heads), align, strict=True)]
    return tabulate(key, title, columns, rows)
