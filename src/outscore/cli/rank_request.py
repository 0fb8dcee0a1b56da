"""What `outscore rank` was asked: as written, checked before anything is read, and saved so that it can be repeated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from outscore.cli.config import input_settings
from outscore.cli.request import FilesRequest, metrics_in, refuse_metric_of_texts
from outscore.core.errors import OutscoreError

if TYPE_CHECKING:
    from outscore.scores.system import Origin
    from outscore.workflows.rank.question import Question

__all__ = ["RankRequest"]


@dataclass(frozen=True)
class RankRequest(FilesRequest):
    """What `rank` was asked beyond what every request says."""

    duplicates: str = "mean"
    baseline: str | None = None
    critical_difference: bool = False
    task: str | None = None
    gold: str | None = None
    names: tuple[str, ...] = ()
    dask: str | None = None

    @property
    def text_metrics(self) -> list[str]:
        """The metrics of texts that were asked for, or the usual one."""
        return metrics_in(self.metric or "bleu")

    @cached_property
    def named(self) -> list[str]:
        """The files of the systems: patterns stand for what matches them."""
        from outscore.formats.tables.partitions import expand_pattern

        return [file for path in self.paths for file in expand_pattern(path)]

    @property
    def files(self) -> list[str]:
        """Everything that is read: systems, references, documents and gold."""
        return [*self.named, *self.references, *(file for file in (self.documents, self.gold) if file is not None)]

    @property
    def question(self) -> Question:
        """What is asked, whatever is ranked."""
        from outscore.workflows.rank.question import Question

        return Question(
            test=self.test,
            options=self.options(),
            correction=self.correction,
            baseline=self.baseline,
            alpha=self.alpha,
            unit_size=self.unit_size,
            unit_statistic=self.unit_statistic,
            shuffle=self.shuffle,
            critical_difference=self.critical_difference,
            seed=self.seed,
        )

    def check(self) -> None:
        """Refuse what needs no data to be refused, before any file is opened."""
        from outscore.workflows.rank.question import check_test

        if not self.paths:
            raise OutscoreError("No file was named.", "Write `outscore rank TABLE`, or name one file for each system.")
        check_test(self.test)
        if not self.references and self.task is None:
            refuse_metric_of_texts(self.metric)
        self.question.check(None if self.references else self.metric)
        if self.references:
            self._check_texts()
        elif self.task is not None or self.gold is not None:
            self._check_outputs()
        elif self.documents is not None:
            raise OutscoreError(
                "--documents is for texts, and no --reference was named.", "Add --reference FILE, or leave --documents out."
            )

    def _check_texts(self) -> None:
        from outscore.workflows.texts.corpus import chosen_metrics

        if self.gold is not None or self.task is not None:
            raise OutscoreError("--gold is for outputs, and --reference for texts.", "Give one of the two.")
        self.refuse_what_is_for_scores("texts")
        chosen_metrics(self.text_metrics)
        self.refuse_units_of_documents()

    def _check_outputs(self) -> None:
        if self.task is None or self.gold is None:
            missing, given = ("--task", "--gold") if self.task is None else ("--gold", "--task")
            raise OutscoreError(f"{given} is given without {missing}.", f"Give {missing} as well.")
        if self.metric is not None:
            raise OutscoreError(f"Outputs of task `{self.task}` have a score of their own.", "Leave --metric out.")
        self.refuse_what_is_for_scores("outputs", but="cluster")

    def saved(self, inputs: Sequence[Origin]) -> dict[str, Any]:
        """What repeats the result: every option by its long name, versions and digests of the input."""
        from outscore.workflows.versions import versions

        optional = {
            "reference": list(self.references),
            "documents": self.documents,
            "task": self.task,
            "gold": self.gold,
            "names": ",".join(self.names),
        }
        return {
            "files": list(self.paths),
            "metric": self.metric,
            "test": self.test,
            "set": self.written(),
            "method": self.method,
            "alpha": self.alpha,
            "correction": self.correction,
            "baseline": self.baseline,
            "critical_difference": self.critical_difference,
            "unit_size": self.unit_size,
            "unit_statistic": self.unit_statistic,
            "shuffle": self.shuffle,
            "resamples": self.resamples,
            "seed": self.seed,
            "system": list(self.systems),
            **self.named_columns(),
            "duplicates": self.duplicates,
            "reader": self.reader,
            **{name: value for name, value in optional.items() if value},
            "inputs": input_settings(inputs),
            "versions": versions(),
        }
