"""`plan`: how many items, how small a difference, how much power; and which p-values two printed scores allow."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from outscore.core.errors import OutscoreError
from outscore.core.options import MOST_ITEMS, Mode, check_count, check_range, check_share
from outscore.core.records import dataclass
from outscore.workflows.requests import base, shared
from outscore.workflows.requests.base import Request, declare, make_option, own, saved_value
from outscore.workflows.requests.groups import METRIC_OF_TEXTS

if TYPE_CHECKING:
    from outscore.scores.system import Origin

REPLICATES = 200
"""The default number of samples to try a test on, for each size."""


def _check_power(name: str, power: object) -> None:
    check_share(name, power, "0.8; certainty would need infinitely many items")


POWER = make_option("power", "Probability of detecting the difference.", default=0.8, check=_check_power, group="design")

METHODS = ("auto", "permutation", "normal", "t", "exact")

NO_TABLE, NO_SCORES, NO_MARGIN = base.without("table"), base.without("scores"), base.without("margin")
NO_BATTLES = Mode("no battles", "--{long} is about scores, not battles.", "Leave one of them out.")
NO_PILOT = Mode("no pilot", "--{long} is estimated from the pilot.", "Leave one of them out.")
PILOT = Mode("pilot", "--{long} needs a pilot, which --pilot names.", "Leave --{long} out, or add --pilot FILE.")
TRIED = Mode(
    "tried",
    "--{long} is for --retrospective; without it, the plan is computed from the spread.",
    "Leave --{long} out, or add --retrospective.",
)
LOOKED = Mode(
    "looked", "--{long} is for --anytime and --margin, but there is none.", "Leave --{long} out, or ask for one of them."
)
PLANNED = (NO_TABLE, NO_SCORES)
"""A study is planned: printed scores are not what is asked about."""
OF_PAIRS = (*PLANNED, base.PAIRED, NO_BATTLES)
OF_PILOT = (*PLANNED, PILOT)
OF_TRIALS = (*OF_PAIRS, PILOT, TRIED, NO_MARGIN)


own_design, shared_design = partial(own, group="design"), partial(declare, group="design")
own_pilot, shared_pilot = partial(own, group="pilot"), partial(declare, group="pilot")


@dataclass(frozen=True)
class PlanRequest(Request):
    """Required items, a detectable difference, or power: from numbers, from a pilot, or from printed scores."""

    command: ClassVar[str] = "plan"
    subcommand: ClassVar[str] = "plan"
    function: ClassVar[str] = "plan"
    positional: ClassVar[tuple[str, ...]] = ()

    effect: float | None = own_design(
        "effect",
        "The difference A - B to detect; in standard deviations if no spread is given.",
        type=float,
        label="Difference",
        only_for=PLANNED,
    )
    n: int | None = own_design(
        "n",
        "How many items there are.",
        type=int,
        minimum=1,
        check=partial(check_count, most=MOST_ITEMS),
        label="Number of items",
    )
    power: float = shared_design(POWER)
    margin: float | None = shared_design(
        shared.MARGIN,
        help="Plan a gate: items after which it passes with this margin if the true difference is --effect, or 0.",
        form_help="Plan a gate: items after which it passes if the true difference is the one above, or 0.",
        only_for=(base.PAIRED, NO_BATTLES),
        always_saved=False,
        doc="Plan a gate with this margin: the number of items after which it passes if the true difference is `effect`,\n"
        "which is 0 by default.",
    )
    sd: float | None = own_design(
        "sd",
        "Standard deviation of the difference A - B between items.",
        type=float,
        label="Spread",
        only_for=(*PLANNED, NO_PILOT),
    )
    discordance: float | None = own_design(
        "discordance",
        "Share of right-or-wrong items that only one of the two systems gets right.",
        type=float,
        only_for=(*OF_PAIRS, NO_PILOT),
    )
    accuracy: float | None = own_design(
        "accuracy",
        "The baseline's accuracy; without --discordance, errors are assumed to be independent.",
        type=float,
        form_help="The baseline's accuracy; without a discordance, errors are assumed to be independent.",
        only_for=(*PLANNED, NO_PILOT),
    )
    unpaired: bool = shared_design(
        shared.UNPAIRED,
        only_for=(NO_BATTLES,),
        help="Each system has items of its own: plan for so many of each, with --sd the spread of a system's scores.",
        form_help="Each system has items of its own; the spread is that of a system's scores.",
        doc="Plan for systems that have items of their own: so many of each. `sd` is then that of a system's scores.",
    )
    pilot: tuple[str, ...] = own(
        "pilot",
        "Scores to estimate the spread from; columns as in `compare`.",
        form_help="Scores to estimate the spread from.",
        only_for=PLANNED,
        kind="file",
        many=True,
        most=2,
        metavar="FILE [FILE]",
        annotation="Path | Sequence[ArrayLike | Scores | Path] | None",
        doc="Scores to estimate the spread from: a file with both systems, or a list of two files, arrays or `Scores`.",
        always_saved=True,
    )
    repeats: int | None = own_design(
        "repeats",
        "Runs of each system per item.",
        type=int,
        check=check_count,
        only_for=OF_PAIRS,
        default_text="1",
    )
    within: float | None = own_design(
        "within",
        "Standard deviation of the difference between two runs on one item.",
        type=float,
        label="Spread within",
        only_for=OF_PAIRS,
    )
    cluster_size: float | None = own_design(
        "cluster_size",
        "Items per cluster, such as a document.",
        type=float,
        only_for=(*PLANNED, NO_BATTLES),
        default_text="1",
    )
    icc: float | None = own_design(
        "icc",
        "Correlation of differences within a cluster.",
        type=float,
        label="Correlation",
        only_for=(*PLANNED, NO_BATTLES),
        default_text="0",
    )
    price_item: float | None = own_design(
        "price_item",
        "Price of an item: with --price-run, find the cheapest combination of items and runs.",
        type=float,
        minimum=0,
        label="Price of an item",
        form_help="Together with the price of a run: find the cheapest combination of items and runs.",
        only_for=OF_PAIRS,
        always_saved=False,
        doc="The price of an item. With prices, the plan is the cheapest combination of items and runs per item.",
    )
    price_run: float | None = own_design(
        "price_run",
        "Price of one run of one system on an item.",
        type=float,
        minimum=0,
        label="Price of a run",
        only_for=OF_PAIRS,
        always_saved=False,
    )
    budget: float | None = own_design(
        "budget",
        "Money to spend: with prices, find the items and runs that detect the smallest difference for it.",
        type=float,
        minimum=0,
        only_for=OF_PAIRS,
        always_saved=False,
    )
    scores: tuple[str, ...] = own(
        "scores",
        "Two printed accuracies: which p-values are possible? Needs --n.",
        default=(),
        label="Printed scores",
        form_help="Two printed accuracies: which p-values are possible? Needs the number of items.",
        group="review",
        only_for=(NO_TABLE, NO_MARGIN),
        many=False,
        least=2,
        most=2,
        metavar="A B",
        annotation="tuple[str | float, str | float] | None",
        doc="Two printed accuracies, as text to keep trailing zeros: which p-values do they allow? Needs `n`.",
    )
    table: str | None = own(
        "table",
        "A printed table, a system and its accuracy per line: which n fit, and with --n, which p can each pair have?",
        label="Printed table",
        form_help="A system and its printed accuracy per line: which numbers of items fit, and which p can each pair have?",
        only_for=(NO_MARGIN,),
        kind="file",
        annotation="Path | Mapping[str, str | float] | None",
        doc="A printed table of accuracies, the path of a file with a system and its score in each line, or scores by\n"
        "system: which numbers of items fit the decimals, and with `n`, which p-values can each pair have?",
    )
    retrospective: bool = own_pilot(
        "retrospective",
        "With --pilot: try out a test on samples resembling the pilot.",
        label="Try a test",
        only_for=(*OF_PAIRS, PILOT, NO_MARGIN),
        kind="flag",
    )
    test: str | None = own_pilot(
        "test",
        "The test to try out; see `outscore tests`.",
        choices=shared.known_tests,
        form_help="The test to try out.",
        only_for=OF_TRIALS,
        metavar="NAME",
        default_text=shared.TEST.default,
    )
    replicates: int | None = own_pilot(
        "replicates",
        "Number of samples to try it on, for each size.",
        type=int,
        minimum=1,
        check=check_count,
        label="Samples",
        only_for=OF_TRIALS,
        default_text=str(REPLICATES),
    )
    reference: tuple[str, ...] = shared_pilot(
        shared.REFERENCE,
        only_for=(*OF_PAIRS, PILOT),
        help="The pilot holds texts: a reference; repeatable.",
        form_help="For a pilot of texts: the reference.",
        annotation="str | Path | Sequence[str | Path]",
        doc="The references of a pilot of texts, as paths.",
    )
    metric: str | None = own_pilot(
        "metric",
        "The metric of texts.",
        form_help="The metric of a pilot of texts, such as chrf or bleu:tokenize=zh.",
        only_for=(*OF_PAIRS, PILOT),
        kind="metric",
        metavar="NAME[:key=value]",
        default_text=f"{METRIC_OF_TEXTS} for texts",
        always_saved=False,
    )
    system: tuple[str, ...] = shared_pilot(shared.SYSTEM, only_for=OF_PILOT)
    item: str | None = shared_pilot(shared.ITEM, only_for=(*OF_PILOT, NO_BATTLES))
    score: str | None = shared_pilot(
        shared.SCORE,
        default=None,
        many=False,
        help="Column of the scores.",
        only_for=(*OF_PILOT, NO_BATTLES),
        annotation="",
    )
    cluster: str | None = shared_pilot(shared.CLUSTER, help="Column of documents, conversations ...", only_for=OF_PILOT)
    repeat: str | None = shared_pilot(shared.REPEAT, help="Column of epochs, seeds, samples.", only_for=(*OF_PILOT, NO_BATTLES))
    direction: str = shared_pilot(shared.DIRECTION, only_for=OF_PILOT)
    unit_size: int = shared_pilot(
        shared.UNIT_SIZE,
        only_for=(*OF_PAIRS, PILOT),
        always_saved=False,
        help="Items of the pilot per evaluation unit.",
    )
    unit_statistic: str = shared_pilot(shared.UNIT_STATISTIC, only_for=(*OF_PAIRS, PILOT), always_saved=False)
    shuffle: int | None = shared_pilot(shared.SHUFFLE, only_for=(*OF_PAIRS, PILOT))
    delta: float = shared_pilot(
        shared.DELTA,
        label="Tested difference",
        only_for=OF_TRIALS,
        help="The difference A - B under the null hypothesis of the test to try out.",
    )
    method: str = own_design(
        "method",
        "The test to compute power for: permutation, t, exact (McNemar), or the normal formula.",
        default="auto",
        choices=METHODS,
        only_for=(NO_MARGIN,),
        doc='``"auto"`` for the test that `compare` runs by default: ``"exact"`` (McNemar) for right-or-wrong items\n'
        'without clusters, else ``"permutation"``. ``"t"`` is the paired t test, and ``"normal"`` the closed formula,\n'
        "which treats the spread as known and counts rejections in the right direction only.",
    )
    anytime: bool = shared_design(
        shared.ANYTIME,
        only_for=(*OF_PAIRS, NO_MARGIN),
        help="Also say after how many items an anytime-valid test is expected to stop.",
    )
    bounds: tuple[float, ...] = shared_design(shared.BOUNDS, only_for=(LOOKED,))
    alternative: str = shared_design(shared.ALTERNATIVE, only_for=(NO_TABLE, NO_MARGIN))
    alpha: float = shared_design(shared.ALPHA, doc="The level of the test.")
    seed: int = shared_pilot(shared.SEED)

    @property
    def system_paths(self) -> Sequence[str]:
        """The files of the pilot."""
        return self.pilot

    @property
    def data_files(self) -> Sequence[str]:
        """The files of the pilot, or the printed table."""
        return self.inputs

    def design(self) -> dict[str, Any]:
        """The options that were given about the planned study."""
        from outscore.results.plan import StudyDesign

        # The tested difference is that of the test to try out.
        given = {name: value for name, value in self.values_for(StudyDesign).items() if value is not None and name != "delta"}
        if not self.unpaired:
            del given["unpaired"]
        if self.margin is None:
            return given
        low, high = self.bounds or (0.0, 1.0)
        return {**given, "alternative": "greater", "margin": self.margin, "largest_loss": high - low}

    @property
    def question(self) -> dict[str, Any]:
        """The true difference, which is 0 for a gate unless another one is given, and the power."""
        effect = 0.0 if self.effect is None and self.margin is not None else self.effect
        return {"effect": effect, "power": self.power}

    def validate(self, *, arrays: bool = False, tabled: bool = False) -> None:
        """Refuse what cannot be asked together, before a pilot is read."""
        self._check_question()
        self._check_prices()
        if self.table is not None or tabled:
            self.refuse_outside(NO_TABLE)
        elif self.scores:
            self.refuse_outside(NO_SCORES)
            if self.n is None:
                raise OutscoreError(
                    "--scores were given without the number of items.", "Add --n, for example --n 1000.", parameter="n"
                )
        elif self.pilot or arrays:
            self.refuse_outside(NO_PILOT)
            if not self.retrospective:
                self.refuse_outside(TRIED)
            if self.metric is not None and not self.reference:
                raise OutscoreError(
                    "--metric is for a pilot of texts, but no --reference was named.",
                    "Add --reference FILE, or leave --metric out.",
                    parameter="metric",
                )
            if len(self.pilot) > 2:
                raise OutscoreError(
                    f"{len(self.pilot)} pilot files were named.",
                    "Give one file with both systems, or one for each.",
                    parameter="pilot",
                )
        else:
            self.refuse_outside(PILOT)

    def _check_question(self) -> None:
        """Refuse what the question leaves no room for."""
        if not self.anytime and self.margin is None:
            self.refuse_outside(LOOKED)
        if self.bounds:
            check_range("bounds", self.bounds)
        if self.unpaired:
            self.refuse_outside(base.PAIRED)
        if self.margin is not None:
            self.refuse_outside(NO_MARGIN)

    def _check_prices(self) -> None:
        """Refuse one price without the other, and a budget together with the number of items it should determine."""
        prices = {"price_item": self.price_item, "price_run": self.price_run}
        if self.budget is None and all(price is None for price in prices.values()):
            return
        for name, price in prices.items():
            if price is None:
                long = self.option(name).long
                raise OutscoreError(f"Prices need --{long} too.", f"Add --{long}; give 0 if it costs nothing.", parameter=name)
        for name, value in (*prices.items(), ("budget", self.budget)):
            if value is not None and not (0 <= value < math.inf and (value > 0 or name != "budget")):
                raise OutscoreError(f"`{name}` is {value:g}.", "Give an amount of money, 0 or more.", parameter=name)
        if not self.price_item and not self.price_run:
            raise OutscoreError("Both prices are 0.", "Give at least one that is above 0.", parameter="price_item")
        if not self.price_run and self.repeats is None:
            raise OutscoreError(
                "A run costs nothing, so more runs are always better.", "Give --repeats.", parameter="price_run"
            )
        if self.budget is not None and self.n is not None:
            raise OutscoreError("--n and --budget both determine the number of items.", "Leave one out.", parameter="budget")

    def settings(self, inputs: Iterable[Origin] = (), **found: Any) -> dict[str, Any]:  # noqa: ANN401, ARG002 - as in `Request`
        """What is saved: the options that were given, by their long names."""
        wanted = [option for option in self.options() if option.always_saved or self.is_given(option)]
        saved = {option.long: saved_value(option, self.value(option.name)) for option in wanted}
        # Sorted: the order in which options were given must not show.
        return {name: value for name, value in sorted(saved.items()) if value not in (None, False, [])}

    def data_arguments(self) -> list[str]:
        """A plan takes keywords only."""
        return []
