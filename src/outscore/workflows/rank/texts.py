"""The texts of many systems against references: a table of statistics for each metric, ranked like any other table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from outscore.core.records import dataclass
from outscore.engine.engines import Engine
from outscore.engine.progress import Progress, Steps
from outscore.metrics.cache import StatisticsCache, cache_folder
from outscore.results.note import Note
from outscore.scores.panel import Panel
from outscore.scores.system import Origin
from outscore.workflows.texts.checks import chosen_metrics
from outscore.workflows.texts.corpus import cautions
from outscore.workflows.texts.labels import datasets_of_segments, labels_of_segments, panels_of_runs
from outscore.workflows.texts.members import SegmentScores, scored_members, segment_scores, text_members
from outscore.workflows.texts.statistics import Statistics, segments_of


@dataclass(frozen=True, eq=False)
class TextPanels:
    """The statistics of all systems by one metric, a panel for each dataset."""

    label: str
    signature: str
    panels: Sequence[Panel]


@dataclass(frozen=True, eq=False)
class TextRanking:
    """What texts are ranked by: panels of each metric, notes on the texts and on the cache, and files of scores.

    `segments` computes the scores of all segments.
    """

    metrics: Sequence[TextPanels]
    notes: Sequence[Note]
    cache_notes: Sequence[str]
    origins: Sequence[Origin]
    segments: Callable[[], SegmentScores]


def text_panels(
    systems: Mapping[str, object],
    references: object,
    *,
    metrics: Sequence[str],
    documents: object = None,
    dataset: object = None,
    scores: Mapping[str, str] | None = None,
    engine: Engine,
    cache: StatisticsCache | None = None,
    progress: Progress | None = None,
    command: Callable[[Mapping[str, str]], str] | None = None,
    files: Sequence[Origin] = (),
) -> TextRanking:
    """Panels for each metric, from texts and from `scores` of segments by other tools.

    `systems` and `references` are lists of segments, paths of text files, or what was read from them; a list of these means
    several runs of a system, whose scores are averaged. Segments of one document are swapped as one. `dataset` is a label
    for each segment; None uses the datasets that the texts name. `command` writes the same command with other `scores`;
    `files` are those of the texts.

    Examples
    --------
    >>> from outscore.engine.engines import Serial
    >>> texts = {"A": ["the cat sat", "it was late"], "B": ["a cat", "it late"]}
    >>> gold = [["the cat sat", "it was late"]]
    >>> found = text_panels(texts, gold, metrics=["ter"], engine=Serial(), cache=StatisticsCache(None))
    >>> found.metrics[0].panels[0].rows[..., 0].tolist()
    [[0, 0], [2, 1]]
    """
    chosen = chosen_metrics(metrics)
    read, gold, put_in_order = segments_of(systems, references)
    segments = len(gold[0])
    lines = {name: tuple(text.lines for text in several) for name, several in read.items()}
    gold_lines = tuple(text.lines for text in gold)
    datasets_named = next(
        (text.datasets for text in (*gold, *(t for several in read.values() for t in several)) if text.datasets), None
    )
    datasets = datasets_of_segments(dataset, datasets_named, segments)
    labels = None if documents is None else labels_of_segments(documents, "documents", segments)
    statistics = Statistics(engine, StatisticsCache(cache_folder()) if cache is None else cache, progress or Steps())
    runs = {name: len(several) for name, several in lines.items()}
    scored, origins = scored_members(scores or {}, runs, segments, datasets, command)
    members = [*text_members(metrics, lines, gold_lines, statistics, datasets, files), *scored]
    by_metric = []
    for member in members:
        panels = panels_of_runs(member.metric, member.rows, labels, datasets)
        by_metric.append(TextPanels(member.label, member.signature, panels))
    notes = [*(Note("input", text) for text in put_in_order), *cautions(chosen, lines, gold_lines)]
    notes += [note for member in members for note in member.notes]
    return TextRanking(
        by_metric, notes, list(statistics.cache.notes), origins, partial(segment_scores, members, datasets, labels)
    )
