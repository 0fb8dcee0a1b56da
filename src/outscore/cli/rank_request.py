"""What `outscore rank` was asked: as written, checked before anything is read, and saved so that it can be repeated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from outscore.cli.request import metrics_in, refuse_metric_of_texts, test_options, written_settings
from outscore.errors import OutscoreError

if TYPE_CHECKING:
    from outscore.scores import Origin

__all__ = ["RankRequest"]


@dataclass(frozen=True)
class RankRequest:
    """What was asked for, as written."""

    paths: tuple[str, ...]
    metric: str | None = None
    test: str = "permutation"
    settings: tuple[str, ...] = ()
    method: str = "auto"
    alpha: float = 0.05
    correction: str = "holm"
    baseline: str | None = None
    critical_difference: bool = False
    unit_size: int = 1
    unit_statistic: str = "mean"
    shuffle: int | None = None
    resamples: int | None = None
    seed: int = 0
    systems: tuple[str, ...] = ()
    columns: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    duplicates: str = "mean"
    reader: str = "auto"
    references: tuple[str, ...] = ()
    documents: str | None = None
    task: str | None = None
    gold: str | None = None
    names: tuple[str, ...] = ()
    jobs: int | None = None
    dask: str | None = None

    @property
    def text_metrics(self) -> list[str]:
        """The metrics of texts that were asked for, or the usual one."""
        return metrics_in(self.metric or "bleu")

    @cached_property
    def named(self) -> list[str]:
        """The files of the systems: patterns stand for what matches them."""
        from outscore.formats.partition_files import matching

        return [file for path in self.paths for file in matching(path)]

    @property
    def files(self) -> list[str]:
        """Everything that is read: systems, references, documents and gold."""
        return [*self.named, *self.references, *(file for file in (self.documents, self.gold) if file is not None)]

    def testing(self) -> dict[str, Any]:
        """What every ranking takes, whatever is ranked."""
        return {
            "test": self.test,
            "options": test_options(self.test, self.settings, self.method, self.resamples),
            "baseline": self.baseline,
            "alpha": self.alpha,
            "seed": self.seed,
        }

    def units(self) -> dict[str, Any]:
        """How items make units."""
        return {"unit_size": self.unit_size, "unit_statistic": self.unit_statistic, "shuffle": self.shuffle}

    def check(self) -> None:
        """Refuse what needs no data to be refused, before any file is opened."""
        from outscore.procedure.inputs import check_comparison
        from outscore.procedure.rank_families import check_family, check_test

        if not self.paths:
            raise OutscoreError("No file was named.", "Write `outscore rank TABLE`, or name one file for each system.")
        check_test(self.test)
        if not self.references and self.task is None:
            refuse_metric_of_texts(self.metric)
        asked = {name: value for name, value in self.testing().items() if name != "baseline"}
        check_comparison(metric=None if self.references else self.metric, **asked, **self.units())
        check_family(self.correction, self.baseline)
        if self.references:
            self._check_texts()
        elif self.task is not None or self.gold is not None:
            self._check_outputs()
        elif self.documents is not None:
            raise OutscoreError(
                "--documents is for texts, and no --reference was named.", "Add --reference FILE, or leave --documents out."
            )

    def _check_texts(self) -> None:
        from outscore.procedure.texts import chosen_metrics

        if self.gold is not None or self.task is not None:
            raise OutscoreError("--gold is for outputs, and --reference for texts.", "Give one of the two.")
        self._refuse_columns("texts")
        chosen_metrics(self.text_metrics)
        if self.unit_size > 1 and self.documents is not None:
            raise OutscoreError("Units of several segments and documents exclude each other.", "Leave one of them out.")

    def _check_outputs(self) -> None:
        if self.task is None or self.gold is None:
            missing, given = ("--task", "--gold") if self.task is None else ("--gold", "--task")
            raise OutscoreError(f"{given} is given without {missing}.", f"Give {missing} as well.")
        if self.metric is not None:
            raise OutscoreError(f"Outputs of task `{self.task}` have a score of their own.", "Leave --metric out.")
        self._refuse_columns("outputs", but="cluster")

    def _refuse_columns(self, noun: str, but: str = "") -> None:
        given = ["system-column" if name == "system" else name for name in self.columns if name != but]
        given += [name for name in ("duplicates", "reader") if getattr(self, name) != getattr(RankRequest, name)]
        for option in given:
            raise OutscoreError(f"--{option} is for tables of scores, not for {noun}.", f"Leave --{option} out.")

    def saved(self, inputs: Sequence[Origin]) -> dict[str, Any]:
        """What repeats the result: every option by its long name, versions and digests of the input."""
        from outscore.procedure.versions import versions

        columns = {"system_column" if name == "system" else name: column for name, column in self.columns.items()}
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
            "set": written_settings(self.settings),
            "method": self.method,
            "alpha": self.alpha,
            "correction": self.correction,
            "baseline": self.baseline,
            "critical_difference": self.critical_difference,
            **self.units(),
            "resamples": self.resamples,
            "seed": self.seed,
            "system": list(self.systems),
            **{name: list(column) if isinstance(column, tuple) else column for name, column in columns.items()},
            "duplicates": self.duplicates,
            "reader": self.reader,
            **{name: value for name, value in optional.items() if value},
            "inputs": [{"path": origin.path, "rows": origin.rows, "sha256": origin.sha256} for origin in inputs],
            "versions": versions(),
        }
