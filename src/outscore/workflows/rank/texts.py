"""Many systems' texts against references: a table of statistics for each metric, ranked like any other table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.paired import codes_of
from outscore.engine.engines import Engine
from outscore.engine.progress import Progress, Steps
from outscore.metrics.cache import StatisticsCache, cache_folder
from outscore.results.note import Note
from outscore.scores.board import Board
from outscore.workflows.texts.buckets import labels_of_segments
from outscore.workflows.texts.cautions import cautions
from outscore.workflows.texts.checks import chosen_metrics
from outscore.workflows.texts.runs import mean_of_runs, run_table_of
from outscore.workflows.texts.statistics import Statistics, segments_of

__all__ = ["TextBoard", "text_boards"]


@dataclass(frozen=True, eq=False)
class TextBoard:
    """The statistics of all systems by one metric, and the metric."""

    spec: str
    metric: AdditiveMetric
    signature: str
    board: Board


def text_boards(
    systems: Mapping[str, object],
    references: object,
    *,
    metrics: Sequence[str],
    documents: object = None,
    engine: Engine,
    cache: StatisticsCache | None = None,
    progress: Progress | None = None,
) -> tuple[list[TextBoard], list[Note], list[str]]:
    """One board for each metric, notes on the texts, and notes on the cache.

    `systems` and `references` are lists of segments, paths of text files, or what was read from them; a list of these stands
    for several runs of a system, whose scores are averaged. Segments of one document are swapped as one.

    Examples
    --------
    >>> from outscore.engine.engines import Serial
    >>> texts = {"A": ["the cat sat", "it was late"], "B": ["a cat", "it late"]}
    >>> (found,), _, _ = text_boards(
    ...     texts, [["the cat sat", "it was late"]], metrics=["ter"], engine=Serial(), cache=StatisticsCache(None)
    ... )
    >>> found.board.values[..., 0].tolist()
    [[0, 0], [2, 1]]
    """
    chosen = chosen_metrics(metrics)
    read, gold, put_in_order = segments_of(systems, references)
    labels = None if documents is None else labels_of_segments(documents, "documents", len(gold[0]))
    clusters = codes_of(labels, len(gold[0]), "documents")
    statistics = Statistics(engine, StatisticsCache(cache_folder()) if cache is None else cache, progress or Steps())
    boards = []
    for spec, (entry, options) in zip(metrics, chosen, strict=True):
        references = [text.lines for text in gold]
        runs = [[statistics.of(entry, options, text.lines, references) for text in several] for several in read.values()]
        of_systems, metric = mean_of_runs(entry.make(options), runs)
        rows = np.stack(of_systems)
        behind = sum(len(several) for several in runs) * rows.shape[1]
        board = Board(tuple(read), rows, np.ones(rows.shape[:2], dtype=bool), clusters=clusters, rows=behind)
        board = replace(board, **_run_tables(entry.make(options), dict(zip(read, runs, strict=True))))
        boards.append(TextBoard(spec, metric, entry.signature(options, len(gold)), board))
    lines = {name: tuple(text.lines for text in several) for name, several in read.items()}
    notes = [
        *(Note("input", text) for text in put_in_order),
        *cautions(chosen, lines, tuple(text.lines for text in gold)),
    ]
    return boards, notes, list(statistics.cache.notes)


def _run_tables(metric: AdditiveMetric, systems: Mapping[str, Sequence[Array]]) -> dict[str, Any]:
    """What a board knows of several runs of its systems: nothing where each has one."""
    if all(len(runs) == 1 for runs in systems.values()):
        return {}
    tables = tuple(run_table_of(runs, name) for name, runs in systems.items())
    return {"runs": tables, "repeat_column": "run", "run_metric": metric}
