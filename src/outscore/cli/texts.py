"""`outscore compare --reference`: texts instead of scores, several metrics, several runs."""

from __future__ import annotations

import glob
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from outscore.cli.config import changed_inputs, input_settings
from outscore.cli.request import Request, metrics_in, settings_of
from outscore.core.errors import OutscoreError
from outscore.results.note import Note
from outscore.workflows.names import distinct_names

if TYPE_CHECKING:
    from outscore.cli.config import Saved
    from outscore.formats.segments import Segments
    from outscore.results.comparison import Comparisons
    from outscore.scores.system import Origin

__all__ = ["check_texts", "files_of", "run_texts"]

LENGTH = "length"
PATTERN = re.compile(r"[._-]*(?:[*?]|\[[^]]*\])+([._-]?)")
"""Wildcards with what joins them to the rest of a name; what follows stays, and may begin the suffix."""


def run_texts(request: Request, saved: Saved | None = None) -> Comparisons:
    """Read systems, references and labels, and compare by every metric; `saved` is the result that is repeated, if any."""
    from outscore.engine.progress import terminal_progress
    from outscore.formats.segments import read_segments
    from outscore.metrics.cache import StatisticsCache, cache_folder
    from outscore.workflows.texts.corpus import compare_texts

    _refuse_repeated_stdin(request)
    runs = [[read_segments(path) for path in _expanded(written)] for written in request.paths]
    references = [read_segments(path) for path in request.references]
    documents = None if request.documents is None else _labels(request.documents, references[0])
    labels = {name: _labels(name, references[0]) for name in request.buckets if name != LENGTH}
    names = request.names or _names(request.paths)
    asked = {name: value for name, value in request.asked().items() if name not in ("metric", "unit_advice")}
    cache = StatisticsCache(cache_folder())
    with terminal_progress() as progress:
        found = compare_texts(
            runs[0],
            runs[1],
            references,
            metrics=metrics_of(request),
            documents=documents,
            buckets=_buckets(request, references[0], labels),
            correction=request.correction,
            compat=request.compat,
            names=names,
            jobs=request.jobs,
            cache=cache,
            progress=progress,
            **asked,
        )
    texts = [*runs[0], *runs[1], *references, *([] if documents is None else [documents]), *labels.values()]
    tables = [text.origin for text in texts if text.origin is not None]
    changes = _changes(saved, tables)
    for note in cache.notes:
        # What a folder of this machine did is said at once, and is no part of a result, whose bytes must not depend on it.
        click.echo(f"outscore: {note}", err=True)
    results = [replace(c, notes=[*c.notes, *changes]) for c in found.comparisons]
    return replace(found, comparisons=results, settings=settings_of(request, tables))


def _changes(saved: Saved | None, tables: Sequence[Origin]) -> list[Note]:
    """What is no longer as it was when the result was saved; a pattern may stand for other files than it did."""
    if saved is None:
        return []
    now, then = [table.path for table in tables], saved.digests
    gone = [f"`{path}` was part of `{saved.path}` and is no longer." for path in then if path not in now]
    new = [f"`{path}` was not part of `{saved.path}`." for path in dict.fromkeys(now) if path not in then]
    return [*(Note("difference", text) for text in (*gone, *new)), *changed_inputs(saved, input_settings(tables))]


def files_of(request: Request) -> list[str]:
    """Everything that is read, as written: systems, references and labels."""
    labels = [] if request.documents is None else [request.documents]
    return [*request.paths, *request.references, *labels, *(name for name in request.buckets if name != LENGTH)]


def _refuse_repeated_stdin(request: Request) -> None:
    """Standard input can be read once."""
    if files_of(request).count("-") > 1:
        raise OutscoreError("Standard input (-) is named twice, and can be read once.", "Save it to a file first.")


def metrics_of(request: Request) -> list[str]:
    """The metrics that were asked for, or the usual two."""
    return metrics_in(request.metric or "bleu,chrf")


def _expanded(written: str) -> list[str]:
    """The files that a quoted pattern stands for: runs of one system."""
    if Path(written).exists() or not glob.has_magic(written):
        return [written]
    found = sorted(glob.glob(written))  # noqa: PTH207 - patterns may be absolute
    if not found:
        raise OutscoreError(f"No file fits `{written}`.", "Check the pattern and the folder you are in.")
    return found


def _names(paths: Sequence[str]) -> tuple[str, str]:
    first, second = distinct_names([_without_pattern(path) for path in paths])
    return first, second


def _without_pattern(path: str) -> str:
    """What a pattern's files have in common, `new.txt` for `new-*.txt`; the pattern itself where that is no name."""
    if Path(path).exists():
        return path
    plain = PATTERN.sub(r"\1", path)
    return path if Path(plain).name.startswith(".") or not Path(plain).name else plain


def _labels(path: str, reference: Segments) -> Segments:
    """A label per segment, from a file of as many lines."""
    from outscore.formats.segments import read_segments

    labels = read_segments(path)
    if len(labels) != len(reference):
        raise OutscoreError(
            f"`{path}` has {len(labels):,} lines for {len(reference):,} segments.", "Give one label for each segment."
        )
    return labels


def _buckets(request: Request, reference: Segments, labels: Mapping[str, Segments]) -> dict[str, tuple[str, ...] | Segments]:
    """The labels of every column that the segments are cut along, by a name that is free."""
    from outscore.workflows.texts.corpus import length_bands

    found: dict[str, tuple[str, ...] | Segments] = {}
    for name in request.buckets:
        column = "reference length" if name == LENGTH else Path(name).stem
        if column in found:
            raise OutscoreError(f"--buckets names `{column}` twice.", "Name it once, or rename a file.")
        found[column] = tuple(length_bands(reference.lines)) if name == LENGTH else labels[name]
    return found


def check_texts(request: Request) -> None:
    """Refuse what needs no text to be refused."""
    from outscore.language.numbers import count
    from outscore.workflows.texts.checks import check_compat, chosen_metrics

    if len(request.paths) != 2:
        raise OutscoreError(
            f"{count(len(request.paths), 'text')} named, two systems are compared.",
            "Write `outscore compare --reference REF A B`; quote a pattern that stands for several runs.",
        )
    for option, given in (("unit-advice", request.unit_advice), ("system", request.systems)):
        if given:
            raise OutscoreError(f"--{option} is for tables of scores, not for texts.", f"Leave --{option} out.")
    request.refuse_what_is_for_scores("texts")
    request.refuse_units_of_documents()
    chosen_metrics(metrics_of(request))
    check_compat(request.compat)
