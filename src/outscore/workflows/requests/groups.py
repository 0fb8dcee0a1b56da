"""Groups of options, as requests that others inherit: how tables and logs are read, how units are made.

An option that all commands of a kind have is a field here, once. A command that changes part of one of them, such as its help,
declares the field again, which keeps its place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass
from outscore.workflows.requests import base, shared
from outscore.workflows.requests.base import Request, declare

if TYPE_CHECKING:
    from outscore.core.metric import AdditiveMetric


def text_metrics() -> dict[str, str]:
    """Metrics of texts by name."""
    from outscore.metrics.text.registry import TEXT_METRICS

    return {name: entry.summary for name, entry in TEXT_METRICS.items()}


def _either_metrics() -> dict[str, str]:
    return {**shared.METRIC.known, **text_metrics()}


METRIC_OF_TEXTS = "bleu"
"""The default metric for texts, in commands that use only one."""
EITHER_METRIC = replace(
    shared.METRIC,
    choices=_either_metrics,
    default_text=f"{shared.METRIC.default_text}; {METRIC_OF_TEXTS} for texts",
    form_help="What the rows add up to; empty: mean, or F1 for counts, or BLEU for texts.",
)
EITHER_CLUSTER = replace(shared.CLUSTER, only_for=(base.FILES,))
EITHER_REFERENCE = replace(shared.REFERENCE, annotation="Path | Sequence[object] | None")


@dataclass(frozen=True)
class ScoredRequest(Request):
    """Files, and what their rows add up to."""

    files: tuple[str, ...] = declare(shared.FILES)
    metric: str | AdditiveMetric | None = declare(shared.METRIC)


@dataclass(frozen=True)
class UnitRequest(Request):
    """What is swapped as one."""

    unit_size: int = declare(shared.UNIT_SIZE)
    unit_statistic: str = declare(shared.UNIT_STATISTIC)
    shuffle: int | None = declare(shared.SHUFFLE)


@dataclass(frozen=True)
class DrawRequest(Request):
    """What is drawn at random."""

    resamples: int | None = declare(shared.RESAMPLES)
    seed: int = declare(shared.SEED)


@dataclass(frozen=True)
class TableRequest(Request):
    """How tables of scores are read."""

    direction: str = declare(shared.DIRECTION, after="metric")
    system: tuple[str, ...] = declare(shared.SYSTEM)
    item: str | None = declare(shared.ITEM)
    score: tuple[str, ...] = declare(shared.SCORE)
    system_column: str | None = declare(shared.SYSTEM_COLUMN)
    cluster: str | None = declare(shared.CLUSTER)
    weight: str | None = declare(shared.WEIGHT)
    repeat: str | None = declare(shared.REPEAT)
    repeats: str | None = declare(shared.REPEATS)
    reduce: str = declare(shared.REDUCE)
    equal_runs: bool = declare(shared.EQUAL_RUNS)
    dataset: str | None = declare(shared.DATASET)
    transpose: bool = declare(shared.TRANSPOSE)
    prediction: str | None = declare(shared.PREDICTION)
    gold: str | None = declare(shared.GOLD)
    duplicates: str = declare(shared.DUPLICATES)
    reader: str = declare(shared.READER)


@dataclass(frozen=True)
class EitherRequest(Request):
    """Options for texts, in commands that take scores or texts."""

    reference: tuple[str, ...] = declare(EITHER_REFERENCE)
    documents: str | None = declare(shared.DOCUMENTS)
    text_column: Mapping[str, str] = declare(shared.TEXT_COLUMN)

    @cached_property
    def system_files(self) -> list[str]:
        """The files of the systems, with patterns replaced by the files that match them."""
        from outscore.formats.tables.parquet import expand_pattern

        # For texts, {dataset} matches any name.
        names = [path.replace(shared.EACH_DATASET, "*") if self.reference else path for path in self.system_paths]
        return [file for path in names for file in expand_pattern(path)]

    @property
    def data_files(self) -> Sequence[str]:
        """The systems, then the references."""
        return [*self.system_paths, *self.reference]

    def check_texts(self, metrics: Sequence[str]) -> None:
        """Refuse what texts are not read by, and metrics that they do not have."""
        from outscore.formats.texts import check_columns
        from outscore.workflows.texts.checks import check_reader, chosen_metrics

        self.refuse_outside(base.SCORES)
        check_reader(self.value("reader"))
        check_columns(self.text_column)
        chosen_metrics(metrics)

    def documents_of_texts(self) -> str | None:
        """What names the documents of segments, as which clusters of texts are known, too."""
        named = self.documents or getattr(self, "cluster", None)
        return shared.POOLED if named is None and getattr(self, "unit_size", 1) > 1 else named


@dataclass(frozen=True)
class LogRequest(Request):
    """How logs of evaluation harnesses are read."""

    log_task: str | None = declare(shared.LOG_TASK)
    filter: str | None = declare(shared.FILTER)
    missing: str | None = declare(shared.MISSING)
    force_same: bool = declare(shared.FORCE_SAME)
    roster: str | None = declare(shared.ROSTER)
    qrels: str | None = declare(shared.QRELS)

    def with_judgements(self) -> Self:
        """The same request with right answers that are a file, not a column, where judgements are."""
        gold, other = getattr(self, "gold", None), self.qrels or getattr(self, "reference", None)
        if gold is None or other or not Path(gold).is_file():
            return self
        from outscore.formats.readers import has_column

        files = self.value("files")
        if files and has_column(files[0], gold):
            message = f"`{gold}` is a file and a column of `{files[0]}`."
            raise OutscoreError(message, f"Write ./{gold} for the file, or rename it.", parameter="gold")
        changed: dict[str, Any] = {"gold": None, "qrels": gold}
        return replace(self, **changed)
