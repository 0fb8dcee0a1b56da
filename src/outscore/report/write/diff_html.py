"""A diff as one HTML file: the tables, and an explorer that leads from every number to the units behind it.

The page needs no network. It holds two blocks of data and one script of our own, which is allowed by its hash and nothing else
is. Everything that comes from outside is data: the script puts it on the page as text, never as markup.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files

from outscore.outputs.changed import Changed, Contexts
from outscore.report.charts.diff_data import pair_data
from outscore.report.charts.theme import stylesheet
from outscore.report.explorer.data import embedded, examples_data
from outscore.report.references.citations import cited_by_diff
from outscore.report.rows.diff import whole_sheets
from outscore.report.rows.diff_words import Sheet, is_section
from outscore.report.table import clean
from outscore.report.write.html import environment
from outscore.results.diff import Diff

__all__ = ["render_html"]

SCRIPTS = ("explorer/data.js", "explorer/charts.js", "explorer/explorer.js")
OVERVIEW = ("scores", "pairs", "labels")
TOGETHER = ("oracle", "solved", "agreement", "keys")
MORE = ("rates", "inventory")
MOST_NAMED = 4
TASKS = {
    "pos": "Tagging",
    "dep": "Parsing",
    "ner": "Named entities",
    "label": "Labels",
    "coref": "Coreference",
}


def render_html(diff: Diff, changed: Sequence[Changed], contexts: Contexts | None) -> str:
    """The diff as a self-contained page; without units or contexts it shows everything but the examples and says so."""
    made = environment()
    from markupsafe import Markup

    script = f'(() => {{\n"use strict";\n{"".join(_file(name) for name in SCRIPTS)}}})();\n'
    several = [c for c in changed if c.units.n] if contexts is not None else []
    examples = examples_data(several, contexts) if several and contexts is not None else None
    tables = {sheet.table.key: sheet for sheet in whole_sheets(diff)}
    return made.get_template("diff.html").render(
        title=_title(diff),
        task=TASKS.get(diff.task, diff.task),
        warnings=[clean(text) for text in diff.inventory.warnings],
        notes=[clean(note.text) for note in diff.notes],
        verdict=clean(diff.verdict),
        overview=_chosen(tables, OVERVIEW),
        together=_chosen(tables, TOGETHER),
        more=_chosen(tables, MORE),
        settings=tables.get("settings"),
        # The script shows that of the pair it is about; without it there are all.
        sentences=[clean(pair.sentence) for pair in diff.primary_pairs if pair.sentence],
        cited=cited_by_diff(diff),
        has_pairs=bool(diff.pairs),
        is_section=is_section,
        # Our own files, and data that hold no markup.
        style=Markup(stylesheet() + _file("explorer/explorer.css")),  # noqa: S704
        script=Markup(script),  # noqa: S704
        script_hash=Markup(_digest(script)),  # noqa: S704
        pairs=Markup(embedded([pair_data(diff, pair) for pair in diff.pairs])),  # noqa: S704
        examples=Markup(embedded(examples)),  # noqa: S704
    )


def _title(diff: Diff) -> str:
    names = [clean(name) for name in diff.systems]
    if len(names) > MOST_NAMED:
        return f"{len(names)} systems"
    return " → ".join(names) if len(names) < 3 else f"{len(names)} systems: {', '.join(names)}"


def _chosen(tables: dict[str, Sheet], keys: Sequence[str]) -> list[Sheet]:
    return [tables[key] for key in keys if key in tables]


def _file(name: str) -> str:
    return files("outscore.report").joinpath(name).read_text(encoding="utf-8")


def _digest(script: str) -> str:
    """The script's name in a content security policy."""
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"
