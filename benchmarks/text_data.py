"""The WMT17 English-German texts as tables of statistics, found as the tests find them, through OUTSCORE_SHARED_DATA."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.engine.engines import engine_of
from outscore.engine.progress import Progress
from outscore.metrics.cache import StatisticsCache, cache_folder
from outscore.metrics.text.registry import text_metric
from outscore.workflows.texts.statistics import Statistics

__all__ = ["ROOT", "lines_of", "metric_of", "path_of", "statistics_of"]

ROOT = Path(__file__).resolve().parent.parent


def path_of(name: str) -> Path:
    """The file of a system, or of the reference, "ref"."""
    folder = Path(os.environ.get("OUTSCORE_SHARED_DATA", ROOT.parent / "shared" / "data")) / "wmt17-en-de"
    return folder / "ref.txt" if name == "ref" else folder / "systems" / f"{name}.txt"


def lines_of(name: str) -> tuple[str, ...]:
    """The segments of a system, or of the reference."""
    return tuple(path_of(name).read_text(encoding="utf-8").split("\n")[:-1])


def metric_of(name: str) -> AdditiveMetric:
    """A metric with its default options."""
    entry, options = text_metric(name)
    return entry.make(options)


def statistics_of(systems: Sequence[str], metrics: Sequence[str]) -> dict[tuple[str, str], Array]:
    """Rows by (metric, system), from the cache where they are known."""
    source = Statistics(engine_of(0), StatisticsCache(cache_folder()), Progress())
    return {
        (metric, system): source.of(*text_metric(metric), lines_of(system), [lines_of("ref")])
        for metric in metrics
        for system in systems
    }
