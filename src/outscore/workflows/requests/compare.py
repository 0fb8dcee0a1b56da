"""`compare`: two systems' scores, one verdict; `texts`: two systems' texts against references.

Both are asked for by `outscore compare`, which reads texts where a reference is named, so saved results of either kind name
the options of both.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from outscore.core.errors import OutscoreError
from outscore.core.options import Option, did_you_mean, written_direction
from outscore.core.records import dataclass
from outscore.workflows.requests import shared
from outscore.workflows.requests.base import Written, declare, input_settings, saved_value, versions
from outscore.workflows.requests.groups import DrawRequest, LogRequest, ScoredRequest, TableRequest, UnitRequest, text_metrics

if TYPE_CHECKING:
    from outscore.scores.system import Origin

__all__ = ["LENGTH", "METRICS_OF_TEXTS", "CompareRequest", "TestedRequest", "TextsRequest", "comparison_request", "metrics_in"]

MAX_T = "max-t"
LENGTH = "length"
"""The bucket that needs no file of labels: how long the reference is."""
NEEDS_PAIRS = (
    "population", "delta", "anytime", "bounds", "unit_size", "unit_statistic", "shuffle", "unit_advice",
    "repeats", "reduce", "equal_runs", "slice", "dataset", "normality_alpha", "measure", "not_worse",
)  # fmt: skip
"""What cannot be asked of different items."""
METRICS_OF_TEXTS = ("bleu", "chrf")
"""The metrics of texts where none is named."""
OF_TEXTS = ("documents", "text_column", "scores")
"""Options that only texts have, in requests that take scores and texts."""
SAVED_ORDER = (
    "metric", "test", "alternative", "alpha", "delta", "margin", "unit_size", "unit_statistic", "shuffle", "unit_advice",
    "normality_alpha", "seed", "set", "method", "resamples", "correction", "system", *shared.COLUMNS, "names", "duplicates",
    "reader", "reference", "documents", "buckets", "compat",
)  # fmt: skip
"""The order of saved settings, which is older than that of the options."""


@dataclass(frozen=True)
class TestedRequest(ScoredRequest):
    """A request whose systems are compared by a test with options of its own."""

    __test__: ClassVar[bool] = False

    test: str | None = declare(shared.TEST)
    set: Mapping[str, object] = declare(shared.SET)
    method: str = declare(shared.METHOD)
    population: str | None = declare(shared.POPULATION)
    alpha: float = declare(shared.ALPHA)

    def test_options(self) -> dict[str, object]:
        """The test's own options: those of --set, and the two that have names of their own."""
        from outscore.inference.registry import TESTS

        test = self.value("test")
        declared = {o.name for o in TESTS[test].options} if test in TESTS else {"method", "resamples"}
        named = [option for option in self.options() if option.name in ("method", "resamples") and self.is_given(option)]
        given: dict[str, object] = dict(self.value("set"))
        for option in named:
            name = option.name
            if name not in declared:
                raise OutscoreError(f"`{test}` has no option `{name}`.", f"Leave --{name} out.", parameter=name)
            if name in given:
                raise OutscoreError(f"`{name}` is given by --{name} and by --set.", "Give it once.", parameter=name)
            given[name] = self.value(name)
        return given

    def refuse_what_is_for_texts(self) -> None:
        """Refuse options that only texts have, where scores or texts may be given and no reference was named."""
        for option in self.options():
            if option.name in OF_TEXTS and self.is_given(option):
                _refuse_other_kind(option, texts=False)

    def refuse_what_is_for_scores(self) -> None:
        """Refuse options that only scores have, where a reference was named: they would change nothing."""
        of_scores, of_texts = ({option.name for option in one.options()} for one in (CompareRequest, TextsRequest))
        for option in self.options():
            if option.name in of_scores - of_texts and self.is_given(option):
                _refuse_other_kind(option, texts=True)

    def references_argument(self) -> str:
        """The reference as Python writes it; several are a list of paths, as a list of strings would be segments."""
        references = [repr(name) for name in self.value("reference")]
        return references[0] if len(references) == 1 else f"[{', '.join(f'Path({name})' for name in references)}]"

    def python_call(self) -> str:
        """The Python call to copy, which imports what it names several references by."""
        call = super().python_call()
        several = len(getattr(self, "reference", ())) > 1
        return call.replace("\n", "\nfrom pathlib import Path\n", 1) if several else call


@dataclass(frozen=True)
class ComparisonRequest(TestedRequest, UnitRequest, DrawRequest):
    """What comparisons of scores and of texts have in common."""

    subcommand: ClassVar[str] = "compare"

    test: str = declare(shared.TEST)
    alternative: str = declare(shared.ALTERNATIVE, after="population")
    delta: float = declare(shared.DELTA, after="alpha")
    margin: float | None = declare(shared.MARGIN, after="delta")
    normality_alpha: float = declare(shared.NORMALITY_ALPHA, after="shuffle")
    correction: str = declare(shared.CORRECTION, after="resamples")

    def asked(self) -> dict[str, Any]:
        """What is asked of the comparison itself, apart from the data and what belongs to them."""
        names = ("alternative", "alpha", "delta", "margin", "unit_size", "unit_statistic", "shuffle", "normality_alpha", "seed")
        return {"test": self.value("test"), "options": self.test_options(), **{name: self.value(name) for name in names}}

    def settings(self, inputs: Iterable[Origin] = (), **found: Any) -> dict[str, Any]:  # noqa: ANN401, ARG002 - as in `Request`
        """What is saved: the options of `outscore compare`, whichever of its two kinds this is."""
        options = {option.name: option for option in (*every_option(), *self.options())}
        order = [*SAVED_ORDER, *(name for name in options if name not in (*SAVED_ORDER, "files"))]
        saved: dict[str, Any] = {"files": list(self.value("files"))}
        for name in order:
            option = options[name]
            value = getattr(self, name, option.default)
            if option.always_saved or value != option.default:
                saved[name] = saved_value(option, value)
        saved["names"] = list(self.value("names")) or None
        return {**saved, "inputs": input_settings(inputs), "versions": versions()}


@dataclass(frozen=True)
class CompareRequest(ComparisonRequest, TableRequest, LogRequest):
    """Two systems' scores, item by item."""

    command: ClassVar[str] = "compare"
    function: ClassVar[str] = "compare"

    files: tuple[str, ...] = declare(
        shared.FILES,
        help="One file with both systems, or one for each.",
        label="Scores",
        most=2,
        metavar="A [B] | TABLE",
    )
    method: str = declare(shared.METHOD, only_for=(("test", ("permutation", "all")),))
    not_worse: Mapping[str, object] = declare(shared.NOT_WORSE, after="margin")
    anytime: bool = declare(shared.ANYTIME, after="not_worse")
    bounds: tuple[float, ...] = declare(shared.BOUNDS, after="anytime")
    unpaired: bool = declare(shared.UNPAIRED, after="bounds")
    unit_advice: bool = declare(shared.UNIT_ADVICE, after="shuffle")
    measure: tuple[str, ...] = declare(shared.MEASURE, after="score")
    slice: str | None = declare(shared.SLICE, after="equal_runs")
    names: tuple[str, ...] = declare(shared.NAMES, most=2)

    def asked(self) -> dict[str, Any]:
        """What is asked of the comparison itself."""
        return {**super().asked(), "unit_advice": self.unit_advice, "population": self.population}

    def validate(self, *, arrays: bool = False, logs: bool = False) -> None:
        """Refuse whatever can be refused before a file is opened; arrays have no file, and a system may have many logs."""
        from outscore.workflows.reading import check_direction
        from outscore.workflows.validate import check_comparison, check_correction, check_reduction, check_repeats

        self._check_test()
        check_correction(self.correction, test=self.test, delta=self.delta)
        refuse_metric_of_texts(self.metric)
        check_direction(self.metric, self.direction)
        if not arrays and not logs and len(self.files) not in (1, 2):
            raise OutscoreError(
                f"{len(self.files)} files were named, one or two can be compared.",
                "Write `outscore compare BOTH` or `outscore compare A B`.",
                parameter="files",
            )
        check_repeats(self.repeats)
        check_reduction(self.reduce, self.metric)
        check_comparison(**self.asked(), metric=self.metric, names=self.names or ("A", "B"))
        self._check_looks()
        self._check_measures()
        self._check_unpaired()

    def margins(self) -> dict[str, float]:
        """The margins of measures that the first system is not to be worse on, by measure."""
        found = {}
        for name, written in self.not_worse.items():
            try:
                margin = float(str(written))
            except ValueError:
                margin = math.nan
            if not 0 < margin < math.inf:
                raise OutscoreError(
                    f"The margin of `{name}` is {written}.", "Give a number above 0, such as 0.05.", parameter="not_worse"
                )
            found[written_direction(name)[0]] = margin
        return found

    def _check_measures(self) -> None:
        """Refuse what several measures cannot be had with."""
        names = [written_direction(measure)[0] for measure in self.measure]
        margins = self.margins()
        if margins and not names:
            raise OutscoreError(
                "--not-worse is about measures, and no --measure was named.", "Name each with --measure.", parameter="not_worse"
            )
        if not names:
            return
        if len(names) != len(set(names)) or len(names) == 1:
            what = "names one measure only" if len(names) == 1 else "names a measure twice"
            raise OutscoreError(f"--measure {what}.", "Name two measures or more, each once.", parameter="measure")
        unknown = next((name for name in margins if name not in names), None)
        if unknown is not None:
            raise OutscoreError(
                f"--not-worse names `{unknown}`, which is no --measure.", did_you_mean(unknown, names), parameter="not_worse"
            )
        for option in self.options():
            if option.name in ("score", "metric", "margin", "slice", "prediction", "gold") and self.is_given(option):
                cure = "Give each measure its own with --not-worse NAME=MARGIN." if option.name == "margin" else "Leave it out."
                raise OutscoreError(
                    f"--{option.long} is for one score, and --measure names {len(names)}.", cure, parameter=option.name
                )
        if self.correction == MAX_T:
            raise OutscoreError(
                f"Correction `{MAX_T}` is for metrics of texts and for slices, not for measures.",
                "Use `holm`.",
                parameter="correction",
            )

    def _check_test(self) -> None:
        """Refuse tests that different items do not have, before any that nobody has: the paired ones are no help there."""
        from outscore.inference.registry import TESTS
        from outscore.inference.unpaired.tests import MEANS

        if self.unpaired and self.test not in MEANS:
            known = self.test in TESTS or self.test == "all"
            raise OutscoreError(
                f"`{self.test}` needs pairs, and --unpaired has none." if known else f"--unpaired has no test `{self.test}`.",
                f"Choose one of: {', '.join(f'{name} ({meant})' for name, meant in MEANS.items())}.",
                parameter="test",
            )

    def _check_unpaired(self) -> None:
        """Refuse what different items cannot be asked."""
        from outscore.inference.unpaired.tests import METHODS

        if not self.unpaired:
            return
        options = self.test_options()
        if (method := options.pop("method", METHODS[0])) not in METHODS:
            raise OutscoreError(
                f"--unpaired has no method `{method}`.", f"Choose one of: {', '.join(METHODS)}.", parameter="method"
            )
        if other := set(options) - {"resamples"}:
            raise OutscoreError(
                f"Option `{min(other)}` is for pairs, and --unpaired has none.", f"Leave `{min(other)}` out.", parameter="set"
            )
        if self.metric is not None and not (isinstance(self.metric, str) and self.metric.partition(":")[0] == "mean"):
            raise OutscoreError(
                "--unpaired compares means of item scores, and another metric was named.",
                "Leave --metric out.",
                parameter="metric",
            )
        for option in self.options():
            if option.name in NEEDS_PAIRS and self.is_given(option):
                raise OutscoreError(
                    f"--{option.long} needs the same items of both systems, and --unpaired has different ones.",
                    "Leave one of the two out.",
                    parameter=option.name,
                )

    def _check_looks(self) -> None:
        """Refuse what evidence at every look cannot be had with."""
        if self.bounds:
            shared.check_bounds(self.bounds, anytime=self.anytime)
        for name, given in (("delta", self.delta != 0), ("unit_size", self.unit_size != 1)):
            if self.anytime and given:
                raise OutscoreError(
                    f"--anytime looks at single items and at no difference, and `{name}` was given.",
                    "Leave one of the two out.",
                    parameter=name,
                )


@dataclass(frozen=True)
class TextsRequest(ComparisonRequest):
    """Two systems' texts against references, by one metric or several."""

    command: ClassVar[str] = "texts"
    function: ClassVar[str] = "compare_texts"

    files: tuple[str, ...] = declare(
        shared.FILES,
        help="The output of each system, a segment per line, or one table of both; a quoted pattern stands for several runs.",
        label="Systems",
        form_help="The output of each system, a segment per line, or one table of both.",
        most=2,
        metavar="A B | TABLE",
    )
    metric: str | None = declare(
        shared.METRIC,
        help="One or more; their p-values are corrected for their number.",
        form_help="",
        choices=text_metrics,
        label="Metrics",
        default_text=",".join(METRICS_OF_TEXTS),
        python="metrics",
        annotation="Sequence[str] | None",
        doc='Names with options, ``"bleu:tokenize=none"``; ``outscore metrics`` lists them. None is BLEU and chrF.',
    )
    test: str = declare(shared.TEST, choices=shared.known_tests)
    alternative: str = declare(shared.ALTERNATIVE, after="method")
    population: str | None = declare(shared.POPULATION, after="margin")
    correction: str = declare(shared.CORRECTION, after="resamples", help="Correction of the p-values of the metrics.")
    reference: tuple[str, ...] = declare(shared.REFERENCE, least=1)
    source: str | None = declare(shared.SOURCE)
    documents: str | None = declare(shared.DOCUMENTS)
    dataset: str | None = declare(
        shared.DATASET,
        help="Texts: the test set or language pair of each segment, a line each; or none.",
        form_help="The test set or language pair of each segment, a line each: their macro average decides.",
        kind="file",
        group="files",
        most=1,
        metavar="FILE",
        annotation="Sequence[object] | Segments | Path | None",
        doc="The test set or language pair of each segment, or the path of a file of them: the macro average of the datasets\n"
        'decides. None goes by what tables of texts say; ``"none"`` takes all segments as one.',
    )
    buckets: tuple[str, ...] = declare(shared.BUCKETS)
    explain: bool = declare(shared.EXPLAIN)
    corpus: str | None = declare(shared.CORPUS)
    compat: str | None = declare(shared.COMPAT)
    scores: Mapping[str, str] = declare(shared.SCORES)
    system: tuple[str, ...] = declare(shared.SYSTEM, always_saved=False)
    reader: str = declare(shared.TEXT_READER)
    text_column: Mapping[str, str] = declare(shared.TEXT_COLUMN)
    names: tuple[str, ...] = declare(shared.NAMES, most=2, form_help="What to call the systems, separated by a comma.")

    @property
    def metrics(self) -> list[str]:
        """The metrics asked for, or the usual two."""
        return metrics_in(self.metric) if self.metric else list(METRICS_OF_TEXTS)

    @property
    def inputs(self) -> list[str]:
        """Everything that is read, as written: systems, references and labels."""
        labels = [
            name
            for name in (self.source, self.documents, self.dataset, self.corpus)
            if name is not None and name != shared.POOLED
        ]
        scored = [path for files in self.scores.values() for path in metrics_in(files)]
        return [*self.files, *self.reference, *labels, *scored, *(name for name in self.buckets if name != LENGTH)]

    def asked(self) -> dict[str, Any]:
        """What is asked of the comparison itself."""
        return {**super().asked(), "population": self.population}

    def validate(self, *, arrays: bool = False) -> None:
        """Refuse whatever can be refused before a text is read; lists of segments have no files."""
        from outscore.formats.texts.read import check_columns
        from outscore.language.numbers import count
        from outscore.workflows.texts.checks import check_compat, check_reader, chosen_metrics
        from outscore.workflows.validate import check_comparison, check_correction

        check_correction(self.correction, test=self.test, delta=self.delta)
        check_reader(self.reader)
        check_columns(self.text_column)
        if not arrays and len(self.files) not in (1, 2):
            raise OutscoreError(
                f"{count(len(self.files), 'text')} named, two systems are compared.",
                "Write `outscore compare --reference REF A B`; quote a pattern that stands for several runs of one.",
                parameter="files",
            )
        if not arrays and not self.reference:
            raise OutscoreError("No reference was named.", "Name one with --reference FILE.", parameter="reference")
        if self.corpus is not None and not self.explain:
            cure = "Add --explain, or leave --corpus out."
            raise OutscoreError("--corpus says where words are counted for --explain.", cure, parameter="corpus")
        refuse_units_of_documents(self.unit_size, self.documents)
        chosen_metrics(self.metrics)
        check_compat(self.compat)
        check_comparison(**self.asked(), metric=None, names=self.names or ("A", "B"))

    def data_arguments(self) -> list[str]:
        """Both systems and the reference."""
        return [*super().data_arguments(), self.references_argument()]

    def file_arguments(self) -> list[str]:
        """Source, documents, datasets, buckets and a corpus."""
        found = [
            f"{name}={value!r}"
            for name in ("source", "documents", "dataset", "corpus")
            if (value := self.value(name)) is not None
        ]
        return [*found, *([f"buckets={list(self.buckets)!r}"] if self.buckets else [])]

    def python_call(self) -> str:
        """The Python call to copy."""
        request = self if self.metric is None else replace(self, metric=None)
        call = super(TextsRequest, request).python_call()
        return call if self.metric is None else f"{call[:-1]}, metrics={self.metrics!r})"


def every_option() -> tuple[Option, ...]:
    """The options of `outscore compare`: those of both kinds, in an order that keeps to both."""
    own = TextsRequest.options()
    found = [_of_both(option, own) for option in CompareRequest.options()]
    names = [option.name for option in found]
    for i, option in enumerate(own):
        if option.name in names:
            continue
        following = next((other.name for other in own[i:] if other.name in names), None)
        place = len(found) if following is None else names.index(following)
        found.insert(place, option)
        names.insert(place, option.name)
    return tuple(found)


def _of_both(option: Option, of_texts: Iterable[Option]) -> Option:
    """An option whose default depends on the data says that of texts, too."""
    other = next((other for other in of_texts if other.name == option.name), option)
    if other.default_text == option.default_text:
        return option
    return replace(option, default_text=f"{option.default_text}; {other.default_text} for texts")


def comparison_request(given: Mapping[str, Written]) -> CompareRequest | TextsRequest:
    """The request of `outscore compare`: of texts where a reference is named, else of scores.

    An option of the other kind is refused, unless it only repeats its default.
    """
    texts = bool(given.get("reference"))
    own: type[CompareRequest | TextsRequest] = TextsRequest if texts else CompareRequest
    known = {option.name for option in own.options()}
    fitting = {name: text for name, text in given.items() if name in known}
    for option in every_option():
        if option.name in known or option.name not in given:
            continue
        other = (CompareRequest if texts else TextsRequest).from_written({option.name: given[option.name]})
        if other.is_given(option):
            _refuse_other_kind(option, texts=texts)
    return own.from_written(fitting)


def _refuse_other_kind(option: Option, *, texts: bool) -> None:
    name = option.long
    if texts:
        raise OutscoreError(f"--{name} is for tables of scores, not for texts.", f"Leave --{name} out.", parameter=option.name)
    raise OutscoreError(
        f"--{name} is for texts, and no --reference was named.",
        f"Add --reference FILE, or leave --{name} out.",
        parameter=option.name,
    )


def metrics_in(written: str) -> list[str]:
    """The metrics of a written list, separated by commas."""
    return [name.strip() for name in written.split(",") if name.strip()]


def refuse_metric_of_texts(metric: object) -> None:
    """Refuse what only texts have where no reference was named: most often it was forgotten."""
    from outscore.metrics.registry import METRICS

    names = metrics_in(metric) if isinstance(metric, str) else []
    unknown = {bare for name in names if (bare := name.partition(":")[0]) not in METRICS}
    for found in sorted(name for name in unknown if _is_metric_of_texts(name)):
        raise OutscoreError(
            f"`{found}` is a metric of texts, and no --reference was named.",
            "Add --reference FILE; a table with a column of references is named there a second time.",
            parameter="metric",
        )
    if len(names) > 1:
        raise OutscoreError(
            f"--metric names {len(names)} metrics, and scores are compared by one at a time.",
            "Name one of them.",
            parameter="metric",
        )


def _is_metric_of_texts(name: str) -> bool:
    from outscore.metrics.text.registry import find_metric

    return find_metric(name) is not None


def refuse_units_of_documents(unit_size: int, documents: str | None) -> None:
    """Refuse to swap segments by units and by documents at once."""
    if unit_size > 1 and documents is not None:
        raise OutscoreError(
            "Units of several segments and documents exclude each other.", "Leave one of them out.", parameter="unit_size"
        )
