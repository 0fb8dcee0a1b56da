"""`gate`: may a candidate replace a baseline, for continuous integration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass
from outscore.workflows.requests import base, shared
from outscore.workflows.requests.base import declare, own
from outscore.workflows.requests.compare import (
    CompareRequest,
    TestedRequest,
    TextsRequest,
)
from outscore.workflows.requests.groups import (
    EITHER_CLUSTER,
    EITHER_METRIC,
    EITHER_REFERENCE,
    DrawRequest,
    EitherRequest,
    LogRequest,
    TableRequest,
)

if TYPE_CHECKING:
    from outscore.core.metric import AdditiveMetric

LARGEST_LEVEL = 0.25
"""The two one-sided tests together have twice this level, which must stay below 1."""


def _tests() -> dict[str, str]:
    from outscore.inference.registry import TESTS

    # The margin is in units of the metric, which a test of medians says nothing about.
    fitting = [entry for entry in TESTS.values() if entry.delta and not entry.posterior and entry.estimand != "median"]
    return {entry.name: entry.summary for entry in fitting}


@dataclass(frozen=True)
class GateRequest(TestedRequest, DrawRequest, TableRequest, EitherRequest, LogRequest):
    """Whether the candidate is not worse than the baseline by more than a margin."""

    command: ClassVar[str] = "gate"
    subcommand: ClassVar[str] = "gate"
    function: ClassVar[str] = "gate"

    files: tuple[str, ...] = declare(
        shared.FILES,
        help="The baseline and the candidate, or one file with both, the baseline first.",
        label="Baseline and candidate",
        most=2,
        metavar="BASELINE CANDIDATE | TABLE",
    )
    baseline_file: str | None = own(
        "baseline_file",
        "Scores of the baseline that `--update` wrote; then only the candidate is named.",
        label="Baseline file",
        form_help="Scores of the baseline that an earlier gate wrote; then give only the candidate above.",
        kind="file",
        only_for=(base.PAIRED, base.SCORES, base.FILES),
        annotation="Path | None",
        doc="The path of scores that ``outscore gate --update`` wrote; then only the candidate is given, as a path.",
    )
    margin: float | None = declare(
        shared.MARGIN,
        after="files",
        help="How much worse the candidate may be, in units of the metric.",
        doc="How much worse the candidate may be, in units of the metric. Required, because no default suits every metric.",
    )
    alpha: float = declare(
        shared.ALPHA,
        after="margin",
        help="Level of each one-sided test.",
        doc="The level of each one-sided test; at most .25.",
    )
    inconclusive: str | None = own(
        "inconclusive",
        "What an undecided gate counts as: pass or fail.",
        after="alpha",
        choices=("pass", "fail"),
        label="If inconclusive",
        form_help="What an undecided gate counts as; empty: neither.",
        group="test",
        metavar="pass|fail",
        default_text="neither: exit code 3",
        doc='What the outcome "inconclusive" counts as: ``"pass"``, ``"fail"``, or neither.',
    )
    assume: str | None = declare(shared.ASSUME, after="inconclusive")
    bounds: tuple[float, ...] = declare(
        shared.BOUNDS,
        after="assume",
        help="The smallest and the largest possible score of an item.",
        default_text="what the metric says; 0 and 1 if all scores lie there",
    )
    cluster: str | None = declare(EITHER_CLUSTER)
    metric: str | AdditiveMetric | None = declare(
        EITHER_METRIC, help="A metric from `outscore metrics`, or a score in the logs."
    )
    test: str | None = declare(
        shared.TEST,
        default=None,
        help="A test that takes a margin.",
        choices=_tests,
        default_text="permutation; bootstrap if the metric is not a mean over items",
        doc="A test that takes a margin. None is `permutation`, or `bootstrap` if the metric is not a mean over items.",
    )
    unpaired: bool = declare(shared.UNPAIRED, after="population")
    slice: str | None = declare(
        shared.SLICE,
        after="equal_runs",
        only_for=(base.FILES, *shared.SLICE.only_for),
        help="Also show each value of this column; the outcome is that of the whole.",
        annotation="str | None",
        doc="The column of a file or table: every value is shown too, with a warning where the candidate is worse by more\n"
        "than the margin. The outcome is that of the whole.",
    )
    system: tuple[str, ...] = declare(shared.SYSTEM, help="Systems of the table, the baseline first; give it twice.")
    reference: tuple[str, ...] = declare(
        EITHER_REFERENCE,
        doc="For texts: a reference, its path or its segments, or several as a list of lists or of `pathlib.Path`.",
    )
    names: tuple[str, ...] = declare(
        shared.NAMES,
        most=2,
        metavar="BASELINE,CANDIDATE",
        doc="What to call the baseline and the candidate. None uses the names in the data.",
    )

    def validate(self, *, arrays: bool = False) -> None:
        """Refuse whatever can be refused before a file is opened; arrays have no files."""
        if self.margin is None:
            raise OutscoreError(
                "No margin was given.",
                "Say how much worse the candidate may be, in units of the metric: --margin 0.02 (in Python margin=0.02).",
                parameter="margin",
            )
        if self.alpha > LARGEST_LEVEL:
            raise OutscoreError(
                f"`alpha` is {self.alpha:g}, which is too large for a gate, because it runs two one-sided tests.",
                f"Give at most {LARGEST_LEVEL:g}; 0.05 is usual.",
                parameter="alpha",
            )
        if self.unpaired:
            self.refuse_outside(base.PAIRED)
        if self.baseline_file is not None and len(self.files) != 1:
            raise OutscoreError(
                f"{len(self.files)} files were named beside --baseline-file, which is the baseline.",
                "Name the candidate alone: `outscore gate CANDIDATE --baseline-file FILE --margin 0.02`.",
                parameter="files",
            )
        if self.baseline_file is not None:
            self._refuse_answers()
        if not arrays:
            cure = "Write `outscore gate BASELINE CANDIDATE --margin 0.02`."
            self.require_files(cure, what="a baseline and a candidate are compared", most=2)
        self.refuse_outside(base.SCORES if self.reference else base.TEXTS)

    def _refuse_answers(self) -> None:
        """Refuse a metric of answers beside right ones with a baseline file, which has one score per item."""
        from outscore.metrics.registry import beside_of

        if beside_of(self.metric):
            raise OutscoreError(
                f"`{self.metric}` is made of answers beside the right ones, but a baseline file has one score per item.",
                "Keep the baseline's own file and compare the two: `outscore gate BASELINE CANDIDATE --margin 0.02`.",
                parameter="baseline_file",
            )

    def comparison(self, test: str, **changed: Any) -> CompareRequest:  # noqa: ANN401 - values of options
        """The comparison behind the gate, candidate first: whether it is worse, and not by the margin."""
        return CompareRequest.of({**self.values_for(CompareRequest), **self._asked(test), "bounds": self.bounds, **changed})

    def texts(self, test: str, **changed: Any) -> TextsRequest:  # noqa: ANN401 - values of options
        """The same for texts."""
        own = {**self.values_for(TextsRequest), "documents": self.documents_of_texts()}
        return TextsRequest.of({**own, **self._asked(test), **changed})

    def _asked(self, test: str) -> dict[str, Any]:
        return {
            "test": test,
            "alternative": "less",
            "alpha": self.alpha,
            "margin": self.margin,
            "assume": self.assume,
            "names": self.names[::-1],
        }
