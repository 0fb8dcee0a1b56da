"""`plan`: how many items, how small a difference, how much power; and which p-values two printed scores allow."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from outscore.core.errors import OutscoreError
from outscore.core.options import MOST_ITEMS, Option, check_count, check_share
from outscore.core.records import dataclass
from outscore.workflows.requests import shared
from outscore.workflows.requests.base import Request, declare, saved_value

if TYPE_CHECKING:
    from outscore.scores.system import Origin

REPLICATES = 200
"""The default number of samples to try a test on, for each size."""


def _check_power(name: str, power: object) -> None:
    check_share(name, power, "0.8; certainty would need infinitely many items")


POWER = Option(
    "power",
    float,
    0.8,
    "Probability of detecting the difference.",
    check=_check_power,
    label="Power",
    form_help="Probability of detecting the difference.",
    group="design",
)

METHODS = ("auto", "permutation", "normal", "t", "exact")
COLUMNS = ("item", "score", "cluster", "repeat")
# What a pilot estimates, what only a pilot can use, and what only --retrospective can.
FROM_NUMBERS = ("sd", "discordance", "accuracy")
FROM_PILOT = ("retrospective", "system", "shuffle", "direction", *COLUMNS)
UNITS = ("unit_size", "unit_statistic")
PRICES = ("price_item", "price_run", "budget")
FROM_TRIALS = ("test", "replicates", "delta")
NEEDS_PAIRS = ("discordance", "margin", "anytime", "repeats", "within", "retrospective", "shuffle", *FROM_TRIALS, *PRICES)
"""What is about the same items of both systems, or planned for these only."""
ASKED_OTHERWISE = ("anytime", "alternative", "method", "retrospective", *FROM_TRIALS)
"""What a gate does not leave open."""
DESIGN = ("alpha", "alternative", "repeats", "within", "cluster_size", "icc", "method")
"""Options that describe the planned study, wherever its spread comes from."""


@dataclass(frozen=True)
class PlanRequest(Request):
    """Required items, a detectable difference, or power: from numbers, from a pilot, or from printed scores."""

    command: ClassVar[str] = "plan"
    subcommand: ClassVar[str] = "plan"
    function: ClassVar[str] = "plan"
    positional: ClassVar[tuple[str, ...]] = ()

    effect: float | None = declare(
        Option(
            "effect",
            float,
            None,
            "The difference A - B to detect; in standard deviations if no spread is given.",
            label="Difference",
            form_help="The difference A − B to detect; in standard deviations if no spread is given.",
            group="design",
        )
    )
    n: int | None = declare(
        Option(
            "n",
            int,
            None,
            "How many items there are.",
            minimum=1,
            check=partial(check_count, most=MOST_ITEMS),
            label="Number of items",
            group="design",
        )
    )
    power: float = declare(POWER)
    margin: float | None = declare(
        shared.MARGIN,
        help="Plan a gate: items after which it passes with this margin if the true difference is --effect, or 0.",
        form_help="Plan a gate: items after which it passes if the true difference is the one above, or 0.",
        group="design",
        always_saved=False,
        doc="Plan a gate with this margin: the number of items after which it passes if the true difference is `effect`,\n"
        "which is 0 by default.",
    )
    sd: float | None = declare(
        Option(
            "sd",
            float,
            None,
            "Standard deviation of the difference A - B between items.",
            label="Spread",
            form_help="Standard deviation of the difference A − B between items.",
            group="design",
        )
    )
    discordance: float | None = declare(
        Option(
            "discordance",
            float,
            None,
            "Share of right-or-wrong items that only one of the two systems gets right.",
            label="Discordance",
            group="design",
        )
    )
    accuracy: float | None = declare(
        Option(
            "accuracy",
            float,
            None,
            "The baseline's accuracy; without --discordance, errors are assumed to be independent.",
            label="Accuracy",
            form_help="The baseline's accuracy; without a discordance, errors are assumed to be independent.",
            group="design",
        )
    )
    unpaired: bool = declare(
        shared.UNPAIRED,
        group="design",
        help="Each system has items of its own: plan for so many of each, with --sd the spread of a system's scores.",
        form_help="Each system has items of its own; the spread is that of a system's scores.",
        doc="Plan for systems that have items of their own: so many of each. `sd` is then that of a system's scores.",
    )
    pilot: tuple[str, ...] = declare(
        Option(
            "pilot",
            str,
            (),
            "Scores to estimate the spread from; columns as in `compare`.",
            label="Pilot",
            form_help="Scores to estimate the spread from.",
            group="files",
            kind="file",
            many=True,
            most=2,
            metavar="FILE [FILE]",
            annotation="Path | Sequence[ArrayLike | Scores | Path] | None",
            doc="Scores to estimate the spread from: a file with both systems, or a list of two files, arrays or `Scores`.",
        )
    )
    repeats: int | None = declare(
        Option(
            "repeats",
            int,
            None,
            "Runs of each system per item.",
            check=check_count,
            label="Repeats",
            group="design",
            default_text="1",
        )
    )
    within: float | None = declare(
        Option(
            "within",
            float,
            None,
            "Standard deviation of the difference between two runs on one item.",
            label="Spread within",
            group="design",
        )
    )
    cluster_size: float | None = declare(
        Option(
            "cluster_size",
            float,
            None,
            "Items per cluster, such as a document.",
            label="Cluster size",
            group="design",
            default_text="1",
        )
    )
    icc: float | None = declare(
        Option(
            "icc",
            float,
            None,
            "Correlation of differences within a cluster.",
            label="Correlation",
            group="design",
            default_text="0",
        )
    )
    price_item: float | None = declare(
        Option(
            "price_item",
            float,
            None,
            "Price of an item: with --price-run, find the cheapest combination of items and runs.",
            minimum=0,
            label="Price of an item",
            form_help="Together with the price of a run: find the cheapest combination of items and runs.",
            group="design",
            always_saved=False,
            doc="The price of an item. With prices, the plan is the cheapest combination of items and runs per item.",
        )
    )
    price_run: float | None = declare(
        Option(
            "price_run",
            float,
            None,
            "Price of one run of one system on an item.",
            minimum=0,
            label="Price of a run",
            group="design",
            always_saved=False,
        )
    )
    budget: float | None = declare(
        Option(
            "budget",
            float,
            None,
            "Money to spend: with prices, find the items and runs that detect the smallest difference for it.",
            minimum=0,
            label="Budget",
            form_help="Money to spend: with prices, find the items and runs that detect the smallest difference for it.",
            group="design",
            always_saved=False,
        )
    )
    scores: tuple[str, ...] = declare(
        Option(
            "scores",
            str,
            (),
            "Two printed accuracies: which p-values are possible? Needs --n.",
            label="Printed scores",
            form_help="Two printed accuracies: which p-values are possible? Needs the number of items.",
            group="review",
            many=False,
            least=2,
            most=2,
            metavar="A B",
            annotation="tuple[str | float, str | float] | None",
            doc="Two printed accuracies, as text to keep trailing zeros: which p-values do they allow? Needs `n`.",
        )
    )
    table: str | None = declare(
        Option(
            "table",
            str,
            None,
            "A printed table, a system and its accuracy per line: which n fit, and with --n, which p can each pair have?",
            label="Printed table",
            form_help="A system and its printed accuracy per line: which numbers of items fit, and which p can each pair have?",
            group="files",
            kind="file",
            most=1,
            metavar="FILE",
            always_saved=False,
            annotation="Path | Mapping[str, str | float] | None",
            doc="A printed table of accuracies, the path of a file with a system and its score in each line, or scores by\n"
            "system: which numbers of items fit the decimals, and with `n`, which p-values can each pair have?",
        )
    )
    retrospective: bool = declare(
        Option(
            "retrospective",
            bool,
            False,
            "With --pilot: try out a test on samples resembling the pilot.",
            label="Try a test",
            form_help="Try out a test on samples resembling the pilot.",
            group="pilot",
            kind="flag",
        )
    )
    test: str | None = declare(
        Option(
            "test",
            str,
            None,
            "The test to try out; see `outscore tests`.",
            shared.known_tests,
            label="Test",
            form_help="The test to try out.",
            group="pilot",
            metavar="NAME",
            default_text=shared.TEST.default,
        )
    )
    replicates: int | None = declare(
        Option(
            "replicates",
            int,
            None,
            "Number of samples to try it on, for each size.",
            minimum=1,
            check=check_count,
            label="Samples",
            group="pilot",
            default_text=str(REPLICATES),
        )
    )
    system: tuple[str, ...] = declare(shared.SYSTEM, group="pilot", form_help="Which two systems of the table to use.")
    item: str | None = declare(shared.ITEM, group="pilot")
    score: str | None = declare(
        shared.SCORE, default=None, many=False, help="Column of the scores.", group="pilot", annotation=""
    )
    cluster: str | None = declare(shared.CLUSTER, help="Column of documents, conversations ...", group="pilot")
    repeat: str | None = declare(shared.REPEAT, help="Column of epochs, seeds, samples.", group="pilot")
    direction: str = declare(shared.DIRECTION, group="pilot")
    unit_size: int = declare(shared.UNIT_SIZE, group="pilot", help="Items of the pilot per evaluation unit.")
    unit_statistic: str = declare(shared.UNIT_STATISTIC, group="pilot")
    shuffle: int | None = declare(shared.SHUFFLE, group="pilot")
    delta: float = declare(
        shared.DELTA,
        label="Tested difference",
        group="pilot",
        help="The difference A - B under the null hypothesis of the test to try out.",
        form_help="The difference A − B under the null hypothesis of the test to try out.",
        doc="The difference A - B under the null hypothesis of the test to try out.",
    )
    method: str = declare(
        Option(
            "method",
            str,
            "auto",
            "The test to compute power for: permutation, t, exact (McNemar), or the normal formula.",
            METHODS,
            label="Method",
            form_help="The test to compute power for.",
            group="design",
            doc='``"auto"`` for the test that `compare` runs by default: ``"exact"`` (McNemar) for right-or-wrong items\n'
            'without clusters, else ``"permutation"``. ``"t"`` is the paired t test, and ``"normal"`` the closed formula,\n'
            "which treats the spread as known and counts rejections in the right direction only.",
        )
    )
    anytime: bool = declare(
        shared.ANYTIME,
        group="design",
        help="Also say after how many items an anytime-valid test is expected to stop.",
        form_help="Also say after how many items an anytime-valid test is expected to stop.",
        doc="Also give the number of items after which an anytime-valid test is expected to stop.",
    )
    bounds: tuple[float, ...] = declare(shared.BOUNDS, group="design")
    alternative: str = declare(shared.ALTERNATIVE, group="design")
    alpha: float = declare(shared.ALPHA, group="design", doc="The level of the test.")
    seed: int = declare(shared.SEED, help="Seed for the samples of --retrospective.", group="pilot")

    @property
    def inputs(self) -> list[str]:
        """The files of the pilot, or the printed table."""
        return [*self.pilot, *([] if self.table is None else [self.table])]

    @property
    def system_paths(self) -> Sequence[str]:
        """The files of the pilot."""
        return self.pilot

    @property
    def data_files(self) -> Sequence[str]:
        """The files of the pilot, or the printed table."""
        return self.inputs

    def design(self, *more: str) -> dict[str, Any]:
        """The options that were given about the planned study."""
        given = {name: self.value(name) for name in (*DESIGN, *more) if self.value(name) is not None}
        if self.unpaired:
            given["unpaired"] = True
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
        if self.bounds:
            shared.check_bounds(self.bounds, used=self.anytime or self.margin is not None, users="--anytime and --margin")
        if self.unpaired:
            self._refuse(NEEDS_PAIRS, "cannot be combined with --unpaired")
        if self.margin is not None:
            self._refuse(("scores", "table", *ASKED_OTHERWISE), "cannot be combined with --margin")
        self._check_prices()
        if self.table is not None or tabled:
            taken = ("scores", "effect", *FROM_NUMBERS, "pilot", "repeats", "within", "cluster_size", "icc", "alternative")
            self._refuse((*PRICES, *taken, *FROM_PILOT, *FROM_TRIALS), "cannot be combined with --table")
        elif self.scores:
            unused = (
                *PRICES,
                "effect",
                *FROM_NUMBERS,
                "pilot",
                "repeats",
                "within",
                "cluster_size",
                "icc",
                *FROM_PILOT,
                *FROM_TRIALS,
                "anytime",
            )
            self._refuse(unused, "cannot be combined with --scores")
            if self.n is None:
                raise OutscoreError(
                    "--scores were given without the number of items.", "Add --n, for example --n 1000.", parameter="n"
                )
        elif self.pilot or arrays:
            self._refuse(FROM_NUMBERS, "is estimated from the pilot")
            if not self.retrospective:
                self._refuse(FROM_TRIALS, "is for --retrospective; without it, the plan is computed from the spread")
            if len(self.pilot) > 2:
                raise OutscoreError(
                    f"{len(self.pilot)} pilot files were named.",
                    "Give one file with both systems, or one for each.",
                    parameter="pilot",
                )
        else:
            changed = [name for name in UNITS if self.value(name) != self.option(name).default]
            self._refuse((*FROM_PILOT, *changed, *FROM_TRIALS), "needs a pilot, which --pilot names")

    def refuse_what_battles_lack(self) -> None:
        """Refuse options about scores of items."""
        self._refuse(
            (*NEEDS_PAIRS, "unpaired", "item", "score", "repeat", "cluster_size", "icc"), "is about scores, not battles"
        )

    def _check_prices(self) -> None:
        """Refuse one price without the other, and a budget together with the number of items it should determine."""
        given = [name for name in PRICES if self.value(name) is not None]
        if not given:
            return
        lacking = next((name for name in PRICES[:2] if name not in given), None)
        if lacking is not None:
            long = self.option(lacking).long
            raise OutscoreError(f"Prices need --{long} too.", f"Add --{long}; give 0 if it costs nothing.", parameter=lacking)
        for name in given:
            value = self.value(name)
            if not (0 <= value < math.inf and (value > 0 or name != "budget")):
                raise OutscoreError(f"`{name}` is {value:g}.", "Give an amount of money, 0 or more.", parameter=name)
        if not self.price_item and not self.price_run:
            raise OutscoreError("Both prices are 0.", "Give at least one that is above 0.", parameter="price_item")
        if not self.price_run and self.repeats is None:
            raise OutscoreError(
                "A run costs nothing, so more runs are always better.", "Give --repeats.", parameter="price_run"
            )
        if self.budget is not None and self.n is not None:
            raise OutscoreError("--n and --budget both determine the number of items.", "Leave one out.", parameter="budget")

    def _refuse(self, names: Iterable[str], reason: str) -> None:
        for name in names:
            if self.is_given(self.option(name)):
                long = name.replace("_", "-")
                raise OutscoreError(f"--{long} {reason}.", "Leave one of them out.", parameter=name)

    def settings(self, inputs: Iterable[Origin] = (), **found: Any) -> dict[str, Any]:  # noqa: ANN401, ARG002 - as in `Request`
        """What is saved: the options that were given, by their long names."""
        wanted = [option for option in self.options() if option.always_saved or self.is_given(option)]
        saved = {option.long: saved_value(option, self.value(option.name)) for option in wanted}
        # Sorted: the order in which options were given must not show.
        plain = {self.option(name).long: self.option(name).default for name in UNITS}
        return {
            name: value
            for name, value in sorted(saved.items())
            if value not in (None, False, []) and (name not in plain or value != plain[name])
        }

    def data_arguments(self) -> list[str]:
        """A plan takes keywords only."""
        return []

    def file_arguments(self) -> list[str]:
        """The files of the pilot."""
        if not self.pilot:
            return []
        return [f"pilot={self.pilot[0]!r}" if len(self.pilot) == 1 else f"pilot={list(self.pilot)!r}"]
