"""`gate`: may a candidate replace a baseline, for continuous integration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from outscore.core.errors import OutscoreError
from outscore.core.options import Option
from outscore.core.records import dataclass
from outscore.workflows.requests import shared
from outscore.workflows.requests.base import declare
from outscore.workflows.requests.compare import (
    CompareRequest,
    TestedRequest,
    TextsRequest,
    refuse_units_of_documents,
)
from outscore.workflows.requests.groups import (
    EITHER_METRIC,
    EITHER_REFERENCE,
    DrawRequest,
    EitherRequest,
    LogRequest,
    TableRequest,
)

if TYPE_CHECKING:
    from outscore.core.metric import AdditiveMetric

__all__ = ["LARGEST_LEVEL", "GateRequest"]

LARGEST_LEVEL = 0.25
"""Both one-sided tests together have twice the level, which must be one."""


def _tests() -> dict[str, str]:
    from outscore.inference.registry import TESTS

    return {name: entry.summary for name, entry in TESTS.items() if entry.delta and not entry.posterior}


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
    margin: float | None = declare(
        shared.MARGIN,
        after="files",
        help="How much worse the candidate may be, in the metric's own unit.",
        doc="How much worse the candidate may be, in the metric's own unit. It must be given: there is no usual one.",
    )
    alpha: float = declare(
        shared.ALPHA,
        after="margin",
        help="Level of either test, one-sided.",
        doc="The level of either test, one-sided; at most .25.",
    )
    inconclusive: str | None = declare(
        Option(
            "inconclusive",
            str,
            None,
            "What an undecided gate counts as: pass or fail.",
            ("pass", "fail"),
            label="Where nothing is shown",
            form_help="What an undecided gate counts as; empty: neither.",
            group="test",
            metavar="pass|fail",
            default_text="neither: exit code 3",
            doc='What the outcome "inconclusive" counts as: ``"pass"``, ``"fail"``, or neither.',
        ),
        after="alpha",
    )
    metric: str | AdditiveMetric | None = declare(
        EITHER_METRIC, help="A metric from `outscore metrics`, or a score of the logs."
    )
    test: str | None = declare(
        shared.TEST,
        default=None,
        help="A test that takes a margin.",
        choices=_tests,
        default_text="permutation; bootstrap where the metric is no mean of items",
        doc="A test that takes a margin. None is `permutation`, and `bootstrap` where the metric is no mean of items.",
    )
    unpaired: bool = declare(shared.UNPAIRED, after="population")
    system: tuple[str, ...] = declare(shared.SYSTEM, help="Systems of the table, the baseline first; give it twice.")
    reference: tuple[str, ...] = declare(
        EITHER_REFERENCE,
        doc="Of texts: a reference, its path or its segments, or several as a list of lists or of `pathlib.Path`.",
    )
    names: tuple[str, ...] = declare(
        shared.NAMES,
        most=2,
        metavar="BASELINE,CANDIDATE",
        doc="What to call the baseline and the candidate. None takes the names that the data have.",
    )

    @property
    def inputs(self) -> list[str]:
        """Everything that is read."""
        return [*self.files, *self.reference, *([] if self.documents is None else [self.documents])]

    def validate(self, *, arrays: bool = False) -> None:
        """Refuse whatever can be refused before a file is opened; of arrays no file is named."""
        from outscore.core.options import check_level

        if self.margin is None:
            raise OutscoreError(
                "No margin was given.",
                "Say how much worse the candidate may be: --margin 0.02 (in Python margin=0.02), in the metric's own unit.",
                parameter="margin",
            )
        check_level("alpha", self.alpha)
        if self.alpha > LARGEST_LEVEL:
            raise OutscoreError(
                f"`alpha` is {self.alpha:g}, and a gate tests both sides.",
                f"Give {LARGEST_LEVEL:g} at most; 0.05 is usual.",
                parameter="alpha",
            )
        if self.inconclusive not in (None, "pass", "fail"):
            raise OutscoreError(
                f"`inconclusive` is {self.inconclusive!r}.", "Choose one of: pass, fail.", parameter="inconclusive"
            )
        if not arrays and len(self.files) not in (1, 2):
            raise OutscoreError(
                f"{len(self.files)} files were named, a baseline and a candidate are compared.",
                "Write `outscore gate BASELINE CANDIDATE --margin 0.02`.",
                parameter="files",
            )
        if self.reference:
            self.refuse_what_is_for_scores()
        else:
            self.refuse_what_is_for_texts()

    def comparison(self, test: str, *, decides: bool, **changed: Any) -> CompareRequest:  # noqa: ANN401 - values of options
        """The comparison behind the gate, candidate first: one-sided where it `decides`, else for an interval of both sides."""
        own = {option.name for option in self.options()}
        known = [option.name for option in CompareRequest.options() if option.name in own]
        return CompareRequest.of(
            {**{name: self.value(name) for name in known}, **self._asked(test, decides=decides), **changed}
        )

    def texts(self, test: str, *, decides: bool, **changed: Any) -> TextsRequest:  # noqa: ANN401 - values of options
        """The same for texts."""
        own = {option.name for option in self.options()}
        known = [option.name for option in TextsRequest.options() if option.name in own]
        refuse_units_of_documents(1, self.documents)
        return TextsRequest.of({**{name: self.value(name) for name in known}, **self._asked(test, decides=decides), **changed})

    def _asked(self, test: str, *, decides: bool) -> dict[str, Any]:
        return {
            "test": test,
            "alternative": "less" if decides else "two-sided",
            "alpha": self.alpha if decides else 2 * self.alpha,
            "margin": self.margin if decides else None,
            "names": self.names[::-1],
        }

    def file_arguments(self) -> list[str]:
        """References and documents."""
        references = [f"reference={self.references_argument()}"] if self.reference else []
        return [*references, *([f"documents={self.documents!r}"] if self.documents else [])]
