"""`outscore compare --reference`: texts instead of scores, several metrics, several runs."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outscore.cli.inputs import distinct_names
from outscore.cli.request import Request, settings_of
from outscore.errors import OutscoreError

if TYPE_CHECKING:
    from outscore.formats.segments import Segments
    from outscore.results import Comparisons

__all__ = ["run_texts"]

LENGTH = "length"


def run_texts(request: Request) -> Comparisons:
    """Read systems, references and labels, and compare by every metric."""
    from outscore.engine import terminal_progress
    from outscore.formats.segments import read_segments
    from outscore.procedure.texts import compare_texts

    runs = [[read_segments(path) for path in _expanded(written)] for written in request.paths]
    references = [read_segments(path) for path in request.references]
    names = request.names or _names(request.paths)
    asked = {name: value for name, value in request.asked().items() if name not in ("metric", "unit_advice")}
    with terminal_progress() as progress:
        found = compare_texts(
            runs[0],
            runs[1],
            references,
            metrics=metrics_of(request),
            documents=None if request.documents is None else _labels(request.documents, references[0]),
            buckets={_column(name): _bucket(name, references[0]) for name in request.buckets},
            correction=request.correction,
            names=names,
            jobs=request.jobs,
            progress=progress,
            **asked,
        )
    tables = tuple(text.origin for text in (*runs[0], *runs[1], *references) if text.origin is not None)
    return replace(found, settings=settings_of(request, tables))


def metrics_of(request: Request) -> list[str]:
    """The metrics as written, separated by commas."""
    written = request.metric or "bleu,chrf"
    return [name.strip() for name in written.split(",") if name.strip()]


def _expanded(written: str) -> list[str]:
    """The files that a quoted pattern stands for: runs of one system."""
    if Path(written).exists() or not glob.has_magic(written):
        return [written]
    found = sorted(glob.glob(written))  # noqa: PTH207 - patterns may be absolute
    if not found:
        raise OutscoreError(f"No file fits `{written}`.", "Check the pattern and the folder you are in.")
    return found


def _names(paths: Sequence[str]) -> tuple[str, str]:
    first, second = distinct_names([path.replace("*", "").rstrip("._-") or path for path in paths])
    return first, second


def _labels(path: str, reference: Segments) -> list[str]:
    """A label per segment, from a file of as many lines."""
    from outscore.formats.segments import read_segments

    labels = read_segments(path)
    if len(labels) != len(reference):
        raise OutscoreError(
            f"`{path}` has {len(labels):,} lines for {len(reference):,} segments.", "Give one label for each segment."
        )
    return list(labels.lines)


def _column(name: str) -> str:
    return "reference length" if name == LENGTH else Path(name).stem


def _bucket(name: str, reference: Segments) -> list[str]:
    from outscore.procedure.texts import length_bands

    return length_bands(reference.lines) if name == LENGTH else _labels(name, reference)


def check_texts(request: Request) -> None:
    """Refuse what needs no text to be refused."""
    from outscore.metrics.text import text_metric

    if len(request.paths) != 2:
        raise OutscoreError(
            f"{len(request.paths)} files were named, texts of two systems are compared.",
            "Write `outscore compare --reference REF A B`; quote a pattern that stands for several runs.",
        )
    unused: dict[str, Any] = {"unit-size": request.unit_size != 1, "unit-advice": request.unit_advice, "slice": request.slice}
    unused |= {name: request.columns.get(name) for name in ("item", "score", "system", "cluster", "repeat", "dataset")}
    for name, given in unused.items():
        if given:
            raise OutscoreError(f"--{name} is for tables of scores, not for texts.", f"Leave --{name} out.")
    for spec in metrics_of(request):
        text_metric(spec)
