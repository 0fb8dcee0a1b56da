"""What `outscore compare` was asked: as written, checked before anything is read, and saved so that it can be repeated.

`FilesRequest` is what `compare` and `rank` have in common.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import click

from outscore.cli.config import input_settings
from outscore.core.errors import OutscoreError

if TYPE_CHECKING:
    from outscore.cli.inputs import TwoSystems
    from outscore.scores.system import Origin

__all__ = [
    "COLUMNS",
    "FilesRequest",
    "Request",
    "metric_option",
    "metrics_in",
    "refuse_metric_of_texts",
    "settings_of",
]

COLUMNS = ("item", "score", "system", "cluster", "repeat", "slice", "dataset")
_Command = TypeVar("_Command", bound=Callable[..., Any])


def metric_option(command: _Command) -> _Command:
    """Give a command --metric: several metrics stand behind one option with commas, or behind one each."""

    def joined(_context: click.Context, _param: click.Parameter, written: tuple[str, ...]) -> str | None:
        return ",".join(written) or None

    hint = "See `outscore metrics`; texts take several.  [default: mean; f1 for counts]"
    option = click.option("--metric", multiple=True, callback=joined, metavar="NAME[:key=value],...", help=hint)
    return option(command)


def metrics_in(written: str) -> list[str]:
    """The metrics of a written list, separated by commas."""
    return [name.strip() for name in written.split(",") if name.strip()]


@dataclass(frozen=True)
class FilesRequest:
    """What was asked for, as written: the files, how they are read, and how their systems are tested."""

    paths: tuple[str, ...]
    metric: str | None = None
    test: str = "permutation"
    settings: tuple[str, ...] = ()
    method: str = "auto"
    alpha: float = 0.05
    unit_size: int = 1
    unit_statistic: str = "mean"
    shuffle: int | None = None
    resamples: int | None = None
    correction: str = "holm"
    seed: int = 0
    systems: tuple[str, ...] = ()
    columns: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    duplicates: str = "stop"
    reader: str = "auto"
    references: tuple[str, ...] = ()
    documents: str | None = None
    jobs: int | None = None

    def written(self) -> dict[str, str]:
        """The options of --set by name."""
        given: dict[str, str] = {}
        for setting in self.settings:
            key, equals, value = (part.strip() for part in setting.partition("="))
            if not key or not equals:
                raise OutscoreError(f'--set is "{setting}".', "Write it as KEY=VALUE; `outscore tests` lists the keys.")
            if key in given:
                raise OutscoreError(f"--set gives `{key}` twice.", "Give it once.")
            given[key] = value
        return given

    def options(self) -> dict[str, object]:
        """The test's own options: --set, and the two that have names of their own."""
        from outscore.inference.registry import TESTS

        declared = {o.name for o in TESTS[self.test].options} if self.test in TESTS else {"method", "resamples"}
        named = {"method": self.method if self.method != "auto" else None, "resamples": self.resamples}
        given: dict[str, object] = dict(self.written())
        for name, value in named.items():
            if value is None:
                continue
            if name not in declared:
                raise OutscoreError(f"`{self.test}` has no option `{name}`.", f"Leave --{name} out.")
            if name in given:
                raise OutscoreError(f"`{name}` is given by --{name} and by --set.", "Give it once.")
            given[name] = value
        return given

    def named_columns(self) -> dict[str, str | list[str]]:
        """The columns that were named, by the long names of their options."""
        listed = {name: list(column) if isinstance(column, tuple) else column for name, column in self.columns.items()}
        return {"system_column" if name == "system" else name: column for name, column in listed.items()}

    def refuse_what_is_for_scores(self, noun: str, but: str = "") -> None:
        """Refuse options that texts and outputs have no use for, as they come without columns."""
        given = [name.replace("_", "-") for name in self.named_columns() if name != but]
        given += [name for name in ("duplicates", "reader") if getattr(self, name) != getattr(type(self), name)]
        for option in given:
            raise OutscoreError(f"--{option} is for tables of scores, not for {noun}.", f"Leave --{option} out.")

    def refuse_units_of_documents(self) -> None:
        """Refuse to swap segments by units and by documents at once."""
        if self.unit_size > 1 and self.documents is not None:
            raise OutscoreError("Units of several segments and documents exclude each other.", "Leave one of them out.")


@dataclass(frozen=True)
class Request(FilesRequest):
    """What `compare` was asked beyond that."""

    alternative: str = "two-sided"
    delta: float = 0.0
    margin: float | None = None
    unit_advice: bool = False
    normality_alpha: float = 0.05
    names: tuple[str, str] | None = None
    buckets: tuple[str, ...] = ()
    compat: str | None = None

    @property
    def slice(self) -> str | None:
        """The column to cut the data along, if any."""
        column = self.columns.get("slice")
        return column if isinstance(column, str) else None

    def asked(self) -> dict[str, Any]:
        """What `compare` takes, apart from the data and what belongs to them."""
        return {
            "metric": self.metric,
            "test": self.test,
            "options": self.options(),
            "alternative": self.alternative,
            "alpha": self.alpha,
            "delta": self.delta,
            "margin": self.margin,
            "unit_size": self.unit_size,
            "unit_statistic": self.unit_statistic,
            "shuffle": self.shuffle,
            "unit_advice": self.unit_advice,
            "normality_alpha": self.normality_alpha,
            "seed": self.seed,
        }

    def check(self) -> None:
        """Refuse what needs no data to be refused, before any file is opened."""
        from outscore.workflows.validate import check_comparison, check_correction

        check_correction(self.correction, test=self.test, delta=self.delta)
        if self.references:
            from outscore.cli.texts import check_texts

            check_texts(self)
            check_comparison(**{**self.asked(), "metric": "mean"}, names=self.names or ("A", "B"))
            return
        self._check_scores()
        check_comparison(**self.asked(), names=self.names or ("A", "B"))

    def _check_scores(self) -> None:
        """Options that mean something for scores only with, and for texts only without them."""
        for name in ("documents", "buckets", "compat"):
            if getattr(self, name):
                raise OutscoreError(
                    f"--{name} is for texts, and no --reference was named.", f"Add --reference FILE, or leave --{name} out."
                )
        refuse_metric_of_texts(self.metric)
        if len(self.paths) not in (1, 2):
            raise OutscoreError(
                f"{len(self.paths)} files were named, one or two can be compared.",
                "Write `outscore compare BOTH` or `outscore compare A B`.",
            )

    def check_data(self, systems: TwoSystems) -> None:
        """Refuse what only the data can tell."""
        from outscore.workflows.compare.pairing import refuse_unequal_runs

        refuse_unequal_runs(self.test, unequal=systems.unequal_repeats)
        if self.slice is not None and self.slice not in systems.slices:
            raise OutscoreError(
                f"Column `{self.slice}` differs between the systems on the same item, so the items cannot be cut along it.",
                "Name a column with --slice that says the same of an item for both systems.",
            )


def refuse_metric_of_texts(metric: str | None) -> None:
    """Refuse what only texts have where no reference was named: most often it was forgotten."""
    from outscore.metrics.registry import METRICS

    names = metrics_in(metric or "")
    unknown = {bare for name in names if (bare := name.partition(":")[0]) not in METRICS}
    if unknown:
        from outscore.metrics.text.registry import TEXT_METRICS

        for found in sorted(unknown.intersection(TEXT_METRICS)):
            raise OutscoreError(f"`{found}` is a metric of texts, and no --reference was named.", "Add --reference FILE.")
    if len(names) > 1:
        raise OutscoreError(
            f"--metric names {len(names)} metrics, and scores are compared by one at a time.", "Name one of them."
        )


def settings_of(request: Request, inputs: Sequence[Origin]) -> dict[str, Any]:
    """What repeats the result: every option by its long name, versions and digests of the input."""
    from outscore.workflows.versions import versions

    asked = {name: value for name, value in request.asked().items() if name != "options"}
    return {
        "files": list(request.paths),
        **asked,
        "set": request.written(),
        "method": request.method,
        "resamples": request.resamples,
        "correction": request.correction,
        "system": list(request.systems),
        **request.named_columns(),
        "names": None if request.names is None else list(request.names),
        "duplicates": request.duplicates,
        "reader": request.reader,
        **({"reference": list(request.references)} if request.references else {}),
        **({"documents": request.documents} if request.documents else {}),
        **({"buckets": list(request.buckets)} if request.buckets else {}),
        **({"compat": request.compat} if request.compat else {}),
        "inputs": input_settings(inputs),
        "versions": versions(),
    }
