"""`compare`: the scores of two systems, one verdict; `texts`: the texts of two systems against references.

Both belong to `outscore compare`, which reads texts if a reference is named, so saved results of either kind name
the options of both.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from outscore.core.errors import OutscoreError
from outscore.core.options import Option, check_range, did_you_mean, written_direction
from outscore.core.records import dataclass
from outscore.workflows.requests import base, shared
from outscore.workflows.requests.base import Written, declare, saved_value
from outscore.workflows.requests.groups import DrawRequest, LogRequest, ScoredRequest, TableRequest, UnitRequest, text_metrics

if TYPE_CHECKING:
    pass

MAX_T = "max-t"
LENGTH = "length"
"""The bucket that needs no file of labels: reference length."""
METRICS_OF_TEXTS = ("bleu", "chrf")
"""The default metrics for texts."""


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

    def asked(self) -> dict[str, Any]:
        """The options of the question itself, without those that concern the data."""
        from outscore.workflows.question import Question

        return {"options": self.test_options(), **self.values_for(Question)}

    def file_literal(self, option: Option) -> str:
        """The files of an option; several references are a list of paths, because a list of strings would be segments."""
        if option.name != "reference":
            return super().file_literal(option)
        references = [repr(name) for name in self.value("reference")]
        return references[0] if len(references) == 1 else f"[{', '.join(f'Path({name})' for name in references)}]"

    def python_call(self) -> str:
        """The Python call, ready to copy; it imports `Path` if it names several references."""
        call = super().python_call()
        several = len(getattr(self, "reference", ())) > 1
        return call.replace("\n", "\nfrom pathlib import Path\n", 1) if several else call


@dataclass(frozen=True)
class MeasuredRequest(TestedRequest):
    """A request that may be about several measures of the same items, some of them with a margin."""

    measure: tuple[str, ...] = declare(shared.MEASURE, after="score")
    not_worse: Mapping[str, object] = declare(shared.NOT_WORSE, after="alpha")

    def margins(self) -> dict[str, float]:
        """The margins of --not-worse, by measure."""
        margins = {}
        for name, written in self.not_worse.items():
            try:
                margin = float(str(written))
            except ValueError:
                margin = math.nan
            if not 0 < margin < math.inf:
                raise OutscoreError(
                    f"The margin of `{name}` is {written}.", "Give a number above 0, such as 0.05.", parameter="not_worse"
                )
            margins[written_direction(name)[0]] = margin
        return margins

    def check_measures(self) -> None:
        """Refuse options that do not work with several measures, and measures that are not several."""
        names = [written_direction(measure)[0] for measure in self.measure]
        margins = self.margins()
        if not names:
            self.refuse_outside(base.MEASURES)
            return
        if len(names) != len(set(names)) or len(names) == 1:
            what = "names one measure only" if len(names) == 1 else "names a measure twice"
            raise OutscoreError(f"--measure {what}.", "Name two measures or more, each once.", parameter="measure")
        unknown = next((name for name in margins if name not in names), None)
        if unknown is not None:
            raise OutscoreError(
                f"--not-worse names `{unknown}`, which is not one of the measures.",
                did_you_mean(unknown, names),
                parameter="not_worse",
            )
        self.refuse_outside(base.SINGLE, measures=len(names))

    def by_measure(self, *, logs: bool) -> dict[str, Self]:
        """The same question for each measure alone: a column of a table, or a score of logs."""
        alone = {}
        for name, direction in map(written_direction, self.measure):
            where: dict[str, Any] = {"metric": name} if logs else {"score": (name,)}
            better = self.value("direction") if direction is None else direction
            alone[name] = replace(self, measure=(), not_worse={}, **where, direction=better)  # type: ignore[call-arg]
        return alone


@dataclass(frozen=True)
class ComparisonRequest(TestedRequest, UnitRequest, DrawRequest):
    """What comparisons of scores and of texts have in common."""

    subcommand: ClassVar[str] = "compare"

    test: str = declare(shared.TEST)
    alternative: str = declare(shared.ALTERNATIVE, after="population")
    delta: float = declare(shared.DELTA, after="alpha")
    margin: float | None = declare(shared.MARGIN, after="delta")
    assume: str | None = declare(shared.ASSUME, after="margin")
    normality_alpha: float = declare(shared.NORMALITY_ALPHA, after="shuffle")
    correction: str = declare(shared.CORRECTION, after="resamples")

    @property
    def is_shifted(self) -> bool:
        """Whether anything is asked one-sided about a difference other than 0."""
        return self.margin is not None or (self.delta != 0 and self.alternative != "two-sided")

    def saved_options(self) -> dict[str, Any]:
        """The options of `outscore compare`, whichever of its two kinds this is."""
        options = {option.name: option for option in (*every_option(), *self.options())}
        values = {name: getattr(self, name, option.default) for name, option in options.items()}
        saved = {
            name: saved_value(option, values[name])
            for name, option in options.items()
            if option.always_saved or values[name] != option.default
        }
        return {**saved, "names": list(self.value("names")) or None}


@dataclass(frozen=True)
class CompareRequest(ComparisonRequest, MeasuredRequest, TableRequest, LogRequest):
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
    method: str = declare(shared.METHOD, only_for=(base.of_values("test", ("permutation", "all")),))
    not_worse: Mapping[str, object] = declare(shared.NOT_WORSE, after="margin")
    compat: str | None = declare(shared.COMPAT)
    anytime: bool = declare(shared.ANYTIME, after="not_worse")
    bounds: tuple[float, ...] = declare(shared.BOUNDS, after="anytime")
    unpaired: bool = declare(shared.UNPAIRED, after="bounds")
    unit_advice: bool = declare(shared.UNIT_ADVICE, after="shuffle")
    slice: str | None = declare(shared.SLICE, after="equal_runs")
    names: tuple[str, ...] = declare(shared.NAMES, most=2)

    def validate(self, *, arrays: bool = False, logs: bool = False) -> None:
        """Refuse whatever can be refused before a file is opened; arrays have no files, and a system may have many logs."""
        from outscore.workflows.question import Question
        from outscore.workflows.reading import check_direction
        from outscore.workflows.validate import check_correction, check_reduction, check_repeats

        self._check_test()
        check_correction(self.correction, test=self.test, delta=self.delta)
        refuse_metric_of_texts(self.metric)
        check_direction(self.metric, self.direction)
        if not arrays and not logs:
            cure = "Write `outscore compare BOTH` or `outscore compare A B`."
            self.require_files(cure, what="`compare` takes one or two", most=2)
        check_repeats(self.repeats)
        check_reduction(self.reduce, self.metric)
        Question(**self.asked()).check_comparison(self.metric, self.names)
        self._check_looks()
        self._check_measures()
        self._check_unpaired()

    def _check_measures(self) -> None:
        """Refuse options that do not work with several measures."""
        self.check_measures()
        if self.measure and self.correction == MAX_T:
            raise OutscoreError(
                f"Correction `{MAX_T}` is for metrics of texts and for slices, not for measures.",
                "Use `holm`.",
                parameter="correction",
            )

    def _check_test(self) -> None:
        """Refuse paired and unknown tests with --unpaired, and list the unpaired ones: the usual list would not help."""
        from outscore.inference.registry import TESTS
        from outscore.inference.unpaired import MEANS

        if self.unpaired and self.test not in MEANS:
            message = f"--unpaired has no test `{self.test}`."
            if self.test in TESTS or self.test == "all":
                message = f"`{self.test}` needs pairs, which --unpaired does not have."
            known = ", ".join(f"{name} ({summary})" for name, summary in MEANS.items())
            raise OutscoreError(message, f"Choose one of: {known}.", parameter="test")

    def _check_unpaired(self) -> None:
        """Refuse options that need the same items for both systems."""
        from outscore.inference.unpaired import METHODS

        if not self.unpaired:
            return
        options = self.test_options()
        if (method := options.pop("method", METHODS[0])) not in METHODS:
            raise OutscoreError(
                f"--unpaired has no method `{method}`.", f"Choose one of: {', '.join(METHODS)}.", parameter="method"
            )
        if for_pairs := set(options) - {"resamples"}:
            raise OutscoreError(
                f"Option `{min(for_pairs)}` needs pairs, which --unpaired does not have.",
                f"Leave `{min(for_pairs)}` out.",
                parameter="set",
            )
        if self.metric is not None and not (isinstance(self.metric, str) and self.metric.partition(":")[0] == "mean"):
            raise OutscoreError(
                "--unpaired compares means of item scores, but another metric was named.",
                "Leave --metric out.",
                parameter="metric",
            )
        self.refuse_outside(base.PAIRED)

    def _check_looks(self) -> None:
        """Refuse options that do not work with evidence at every look."""
        shifted = self.is_shifted or bool(self.not_worse)
        if not (shifted or self.anytime or self.missing == "zero"):
            self.refuse_outside(base.BOUNDED)
        if self.bounds:
            check_range("bounds", self.bounds)
        if not shifted:
            self.refuse_outside(base.SHIFTED)
        if self.anytime:
            self.refuse_outside(base.ONE_LOOK)


@dataclass(frozen=True)
class TextsRequest(ComparisonRequest):
    """Two systems' texts against references, by one metric or several."""

    command: ClassVar[str] = "texts"
    function: ClassVar[str] = "compare_texts"

    files: tuple[str, ...] = declare(
        shared.FILES,
        help="The output of each system, one segment per line, or one table with both; a quoted pattern matches several runs.",
        label="Systems",
        form_help="The output of each system, one segment per line, or one table with both.",
        most=2,
        metavar="A B | TABLE",
    )
    metric: str | None = declare(
        shared.METRIC,
        help="One or more; their p-values are corrected for multiplicity.",
        form_help="",
        choices=text_metrics,
        label="Metrics",
        default_text=",".join(METRICS_OF_TEXTS),
        python="metrics",
        annotation="Sequence[str] | None",
        doc='Names, with options such as ``"bleu:tokenize=none"``; ``outscore metrics`` lists them. None is BLEU and chrF.',
    )
    test: str = declare(shared.TEST, choices=shared.known_tests)
    alternative: str = declare(shared.ALTERNATIVE, after="method")
    population: str | None = declare(shared.POPULATION, after="margin")
    assume: str | None = declare(shared.ASSUME, after="margin", choices=shared.ASSUMPTIONS_OF_TEXTS)
    correction: str = declare(
        shared.CORRECTION, after="resamples", help="Multiplicity correction for the p-values of the metrics."
    )
    reference: tuple[str, ...] = declare(shared.REFERENCE, least=1)
    source: str | None = declare(shared.SOURCE)
    documents: str | None = declare(shared.DOCUMENTS)
    dataset: str | None = declare(
        shared.DATASET,
        help="Texts: the test set or language pair of each segment, one per line; or none.",
        form_help="The test set or language pair of each segment, one per line: the verdict is about their macro average.",
        kind="file",
        group="files",
        most=1,
        metavar="FILE",
        annotation="Sequence[object] | Segments | Path | None",
        doc="The test set or language pair of each segment, or the path of a file of them: the verdict is about the\n"
        'macro average of the datasets. None uses the dataset column of a table, if it has one; ``"none"`` pools all segments.',
    )
    buckets: tuple[str, ...] = declare(shared.BUCKETS)
    explain: bool = declare(shared.EXPLAIN)
    corpus: str | None = declare(shared.CORPUS)
    compat: str | None = declare(shared.COMPAT)
    scores: Mapping[str, str] = declare(shared.SCORES)
    system: tuple[str, ...] = declare(shared.SYSTEM, always_saved=False)
    reader: str = declare(shared.TEXT_READER)
    text_column: Mapping[str, str] = declare(shared.TEXT_COLUMN)
    names: tuple[str, ...] = declare(shared.NAMES, most=2)

    @property
    def metrics(self) -> list[str]:
        """The metrics that were named, or the default two."""
        return metrics_in(self.metric) if self.metric else list(METRICS_OF_TEXTS)

    @property
    def data_files(self) -> Sequence[str]:
        """The systems, then the references."""
        return [*self.system_paths, *self.reference]

    @property
    def inputs(self) -> list[str]:
        """The names of all files to read, as written: systems, references and labels."""
        labels = [
            name
            for name in (self.source, self.documents, self.dataset, self.corpus)
            if name is not None and name != shared.POOLED
        ]
        scored = [path for files in self.scores.values() for path in metrics_in(files)]
        return [*self.files, *self.reference, *labels, *scored, *(name for name in self.buckets if name != LENGTH)]

    def validate(self, *, arrays: bool = False) -> None:
        """Refuse whatever can be refused before a text is read; lists of segments have no files."""
        from outscore.formats.texts import check_columns
        from outscore.language.numbers import count
        from outscore.workflows.question import Question
        from outscore.workflows.texts.checks import check_compat, check_reader, chosen_metrics
        from outscore.workflows.validate import check_correction

        check_correction(self.correction, test=self.test, delta=self.delta)
        check_reader(self.reader)
        check_columns(self.text_column)
        if arrays and self.text_column:
            message = "`text_column` names columns of files, but not all texts are files."
            raise OutscoreError(message, "Give the lists of segments alone.", parameter="text_column")
        if not arrays and len(self.files) not in (1, 2):
            raise OutscoreError(
                f"{count(len(self.files), 'text')} named, but two systems are needed.",
                "Write `outscore compare --reference REF A B`; quote a pattern that matches several runs of one system.",
                parameter="files",
            )
        if not arrays and not self.reference:
            raise OutscoreError("No reference was named.", "Name one with --reference FILE.", parameter="reference")
        if not self.explain:
            self.refuse_outside(base.EXPLAINED)
        refuse_units_of_documents(self.unit_size, self.documents)
        chosen_metrics(self.metrics)
        check_compat(self.compat)
        if not self.is_shifted:
            self.refuse_outside(base.SHIFTED)
        Question(**self.asked()).check_comparison(None, self.names)

    def documents_of_texts(self) -> str | None:
        """What names the documents of segments; units are made of segments that follow one another, whatever their document."""
        return shared.POOLED if self.documents is None and self.unit_size > 1 else self.documents

    def data_arguments(self) -> list[str]:
        """Both systems and the reference."""
        return [*super().data_arguments(), self.file_literal(self.option("reference"))]

    def file_arguments(self) -> list[str]:
        """Source, documents, datasets, buckets and corpus."""
        return [argument for argument in super().file_arguments() if not argument.startswith("reference=")]

    def python_call(self) -> str:
        """The Python call, ready to copy."""
        request = self if self.metric is None else replace(self, metric=None)
        call = super(TextsRequest, request).python_call()
        return call if self.metric is None else f"{call[:-1]}, metrics={self.metrics!r})"


def every_option() -> tuple[Option, ...]:
    """The options of `outscore compare`: those for scores and those for texts, in an order that respects both."""
    for_texts = TextsRequest.options()
    options = [_of_both(option, for_texts) for option in CompareRequest.options()]
    names = [option.name for option in options]
    for i, option in enumerate(for_texts):
        if option.name in names:
            continue
        following = next((later.name for later in for_texts[i:] if later.name in names), None)
        place = len(options) if following is None else names.index(following)
        options.insert(place, option)
        names.insert(place, option.name)
    return tuple(options)


def _of_both(option: Option, for_texts: Iterable[Option]) -> Option:
    """An option whose default differs for texts, with both defaults in its description."""
    twin = next((candidate for candidate in for_texts if candidate.name == option.name), option)
    if twin.default_text == option.default_text:
        return option
    return replace(option, default_text=f"{option.default_text}; {twin.default_text} for texts")


def comparison_request(given: Mapping[str, Written]) -> CompareRequest | TextsRequest:
    """The request of `outscore compare`: for texts if a reference is named, otherwise for scores.

    An option of the other kind is refused unless it merely repeats its default.
    """
    texts = bool(given.get("reference"))
    if texts and given.get("cluster") and not given.get("documents"):
        # Clusters of texts are their documents.
        given = {name: text for name, text in given.items() if name != "cluster"} | {"documents": given["cluster"]}
    kind: type[CompareRequest | TextsRequest] = TextsRequest if texts else CompareRequest
    other_kind: type[CompareRequest | TextsRequest] = CompareRequest if texts else TextsRequest
    known = {option.name for option in kind.options()}
    fitting = {name: text for name, text in given.items() if name in known}
    for option in every_option():
        if option.name in known or option.name not in given:
            continue
        if other_kind.from_written({option.name: given[option.name]}).is_given(option):
            mode = option.mode((base.SCORES if texts else base.TEXTS).name)
            assert mode is not None
            mode.refuse(option, given[option.name])
    return kind.from_written(fitting)


def metrics_in(written: str) -> list[str]:
    """The metrics of a written list, separated by commas."""
    return [name.strip() for name in written.split(",") if name.strip()]


def refuse_metric_of_texts(metric: object) -> None:
    """Refuse a text metric if no reference was named: most often the reference was forgotten."""
    from outscore.metrics.registry import METRICS

    names = metrics_in(metric) if isinstance(metric, str) else []
    unknown = {bare for name in names if (bare := name.partition(":")[0]) not in METRICS}
    for metric_name in sorted(name for name in unknown if _is_metric_of_texts(name)):
        raise OutscoreError(
            f"`{metric_name}` is a metric for texts, but no --reference was named.",
            "Add --reference FILE; if a table has a column of references, name the table there as well.",
            parameter="metric",
        )
    if len(names) > 1:
        raise OutscoreError(
            f"--metric names {len(names)} metrics, but scores are compared by one at a time.",
            "Name one of them.",
            parameter="metric",
        )


def _is_metric_of_texts(name: str) -> bool:
    from outscore.metrics.text.registry import find_metric

    return find_metric(name) is not None


def refuse_units_of_documents(unit_size: int, documents: str | None) -> None:
    """Refuse to swap segments by units and by documents at once."""
    if unit_size > 1 and documents not in (None, shared.POOLED):
        raise OutscoreError(
            "--unit-size above 1 and --documents exclude each other.", "Leave one of them out.", parameter="unit_size"
        )
