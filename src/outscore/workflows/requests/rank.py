"""`rank`: many systems, and which of their differences are real; `score`: each of them on its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal, Self

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass
from outscore.workflows.requests import base, shared
from outscore.workflows.requests.base import declare, own
from outscore.workflows.requests.compare import MeasuredRequest, metrics_in, refuse_metric_of_texts, refuse_units_of_documents
from outscore.workflows.requests.groups import (
    EITHER_CLUSTER,
    EITHER_METRIC,
    EITHER_REFERENCE,
    METRIC_OF_TEXTS,
    DrawRequest,
    EitherRequest,
    LogRequest,
    ScoredRequest,
    TableRequest,
    UnitRequest,
)
from outscore.workflows.requests.plan import POWER

if TYPE_CHECKING:
    from outscore.core.metric import AdditiveMetric


# `rank`: many systems, and which of their differences are real: scores, texts with references, or outputs with gold.


RANKED_TASKS = ("label", "pos", "dep", "ner")
"""Tasks whose outputs can be ranked."""


@dataclass(frozen=True)
class RankRequest(MeasuredRequest, UnitRequest, DrawRequest, TableRequest, EitherRequest, LogRequest):
    """Many systems: all pairs tested, corrected, and grouped."""

    command: ClassVar[str] = "rank"
    subcommand: ClassVar[str] = "rank"
    function: ClassVar[str] = "rank"

    files: tuple[str, ...] = declare(
        shared.FILES,
        help="One table with all systems, or one file for each.",
        label="Systems",
        metavar="TABLE | FILES ...",
    )
    cluster: str | None = declare(EITHER_CLUSTER)
    metric: str | AdditiveMetric | None = declare(EITHER_METRIC)
    test: str = declare(
        shared.TEST, help="A test from `outscore tests`.", choices=shared.known_tests, doc="A name from ``outscore tests``."
    )
    alpha: float = declare(shared.FAMILY_ALPHA)
    measure: tuple[str, ...] = declare(
        shared.MEASURE,
        after="score",
        help="Rank by several measures of the same items, and find the frontier: quality and 'cost(lower)'; repeatable.",
        form_help="Columns of several measures of the same items, the first of which sets the order: quality, cost(lower).",
        only_for=(base.FILES, base.SCORES, base.NO_OUTPUTS, base.ALL_ROWS),
        doc='Several measures of the same items: columns of a file or table, or scores of logs; ``"cost(lower)"`` says that\n'
        "lower is better. The first sets the order, and the result says which systems no other dominates.",
    )
    not_worse: Mapping[str, object] = declare(
        shared.NOT_WORSE,
        help="With --measure: a system that dominates may be worse on this one by less than the margin: quality=0.02.",
        only_for=(base.MEASURES, base.SCORES),
        doc="Margins by measure: a system that dominates another is better on the other measures, and worse on these by less\n"
        "than the margin (intersection-union test).",
    )
    slice: str | None = declare(
        shared.SLICE,
        after="equal_runs",
        help="Also rank on each value of this column separately.",
        only_for=(base.FILES, base.SCORES, base.NO_OUTPUTS, base.ALL_ROWS, base.SINGLE),
        annotation="str | None",
        doc="The column of a file or table: every value is also ranked on its own.",
    )
    correction: str = declare(shared.FAMILY_CORRECTION, after="alpha")
    baseline: str | None = declare(shared.BASELINE, after="correction")
    critical_difference: bool = declare(shared.CRITICAL_DIFFERENCE, after="baseline")
    joint: bool = declare(shared.JOINT, after="critical_difference")
    system: tuple[str, ...] = declare(shared.SYSTEM, help="Rank these systems only; repeatable.")
    dataset: str | None = declare(
        shared.DATASET,
        annotation="ArrayLike | str | None",
        doc="A label per row, or the column of a file or table: the dataset of each row. For texts, a label per segment or\n"
        'the path of a file of them; ``"none"`` pools all segments.',
    )
    gold_column: str | None = declare(
        shared.GOLD,
        after="prediction",
        name="gold_column",
        help="Column of the right answers.",
        metavar="COLUMN",
        label="Column of right answers",
        also=(),
    )
    reference: tuple[str, ...] = declare(
        EITHER_REFERENCE,
        doc="Rank texts: a reference, its path or its segments, or several as a list of lists or of `pathlib.Path`.",
    )
    scores: Mapping[str, str] = declare(
        shared.SCORES,
        after="text_column",
        help="Texts: a metric's segment scores, COMET=a.comet,b.comet,...; MetricX(lower)=... if lower is better; repeatable.",
        metavar="NAME=A,B,...",
        python="metric_scores",
        doc="For texts, segment scores from other metrics, which join the family: a file for each system, or one for all,\n"
        'by the metric\'s name, ``{"COMET": "a.comet,b.comet,c.comet"}``; ``"MetricX(lower)"`` says that lower is better.',
    )
    task: str | None = own(
        "task",
        "Outputs: what the files contain; needs --gold.",
        after="scores",
        choices=RANKED_TASKS,
        group="files",
        always_saved=False,
    )
    gold: str | None = own(
        "gold",
        "The right answers: of outputs with --task, or of files of answers.",
        after="task",
        label="Right answers",
        form_help="For outputs instead of scores: the right answers.",
        kind="file",
        annotation="object",
        doc="Rank outputs: the right answers, as `diff` takes them.",
    )
    names: tuple[str, ...] = declare(shared.NAMES, metavar="A,B,...", always_saved=False)

    @property
    def text_metrics(self) -> list[str]:
        """The metrics for texts that were named, or the default one."""
        return metrics_in(self.metric if isinstance(self.metric, str) else METRIC_OF_TEXTS)

    @property
    def data_files(self) -> Sequence[str]:
        """The systems, then the references or the right answers; without a task, these may be a column of a table."""
        return [*super().data_files, *([] if self.gold is None or self.task is None else [self.gold])]

    def with_judgements(self) -> Self:
        """The same request with right answers as judgements if they are a file, and as a column if they are one."""
        if self.task is not None:
            return self
        found = super().with_judgements()
        if found.gold is None or found.reference or not found.files:
            return found
        from outscore.formats.base.source import refuse_missing
        from outscore.formats.readers import has_column

        if has_column(found.files[0], found.gold):
            return replace(found, gold=None, gold_column=found.gold)
        refuse_missing([found.gold])
        return found

    @property
    def inputs(self) -> list[str]:
        """The names of all files to read: systems, references, labels, gold and scores."""
        scored = [path for files in self.scores.values() for path in metrics_in(files)]
        documents = self.documents_of_texts() if self.reference else self.documents
        labels = [file for file in (documents, self.gold) if file not in (None, shared.POOLED)]
        if self.reference and self.dataset is not None and self.dataset != shared.POOLED:
            labels.append(self.dataset)
        return [*self.system_files, *self.reference, *labels, *scored]

    def validate(self, *, kind: Literal["scores", "texts", "outputs"] | None = None) -> None:
        """Refuse whatever can be refused before a file is opened; `kind` says what is ranked if there are no files."""
        from outscore.workflows.question import Question, check_test
        from outscore.workflows.reading import check_direction
        from outscore.workflows.validate import check_reduction

        if kind is None:
            self.require_files("Write `outscore rank TABLE`, or name one file for each system.")
        check_test(self.test)
        texts = kind == "texts" or bool(self.reference)
        if not texts and self.task is None:
            refuse_metric_of_texts(self.metric)
            check_direction(self.metric, self.direction)
        Question(**self.asked()).check_ranking(None if texts else self.metric)
        self._check_frontier()
        check_reduction(self.reduce, None if texts else self.metric)
        if texts:
            self._check_texts()
        elif self.task is not None or self.gold is not None or kind == "outputs":
            self._check_outputs(gold=self.gold is not None or kind == "outputs")
        else:
            self.refuse_outside(base.TEXTS)

    def _check_frontier(self) -> None:
        self.check_measures()
        if not self.measure:
            return
        if self.baseline is not None:
            cure = "Leave --baseline out, or rank by a single --score."
            raise OutscoreError("A frontier is one of all systems, so it has no baseline.", cure, parameter="baseline")
        if len(self.margins()) == len(self.measure):
            raise OutscoreError(
                "--not-worse gives every measure a margin, so nothing would have to be better.",
                "Leave the measure without a margin on which a system should be better.",
                parameter="not_worse",
            )

    def _check_texts(self) -> None:
        if self.gold is not None or self.task is not None:
            raise OutscoreError("--gold is for outputs, and --reference for texts.", "Give one of the two.", parameter="gold")
        self.check_texts(self.text_metrics)
        refuse_units_of_documents(self.unit_size, self.documents_of_texts())

    def _check_outputs(self, *, gold: bool) -> None:
        if self.task is None or not gold:
            missing, given = ("task", "gold") if self.task is None else ("gold", "task")
            column = "; --gold-column names a column of right answers" if missing == "task" else ""
            cure = f"Give --{missing} as well{column}."
            raise OutscoreError(f"--{given} is given without --{missing}.", cure, parameter=missing)
        from outscore.metrics.registry import beside_of

        if self.metric is not None and not (self.task == "label" and beside_of(self.metric) == "classes"):
            alternative = ", or name a metric of classes such as macro-f1" if self.task == "label" else ""
            raise OutscoreError(
                f"Task `{self.task}` has its own metric.", f"Leave --metric out{alternative}.", parameter="metric"
            )
        self.refuse_outside(base.NO_OUTPUTS)


# `score`: one system or several, each on its own: how certain its score is, and what the test set can detect.


@dataclass(frozen=True)
class ScoreRequest(ScoredRequest, TableRequest, EitherRequest, LogRequest):
    """Systems' scores, each with its interval."""

    command: ClassVar[str] = "score"
    subcommand: ClassVar[str] = "score"
    function: ClassVar[str] = "score"

    files: tuple[str, ...] = declare(
        shared.FILES,
        help="A table or log with one system or several, or one file for each.",
        label="Scores",
        metavar="FILE ...",
    )
    metric: str | AdditiveMetric | None = declare(
        EITHER_METRIC, help="A metric from `outscore metrics`, or a score in the logs."
    )
    alpha: float = declare(
        shared.ALPHA,
        after="direction",
        help="Intervals have level 1 - alpha.",
        doc="Intervals have level 1 - alpha; this is also the significance level for comparing two runs.",
    )
    power: float = declare(
        POWER,
        after="alpha",
        help="Probability of detecting the smallest detectable difference.",
        group="test",
    )
    population: str | None = declare(
        shared.POPULATION,
        after="power",
        help="What the intervals are about: new items, new items and new runs, or new runs of these items.",
    )
    system: tuple[str, ...] = declare(shared.SYSTEM, help="Score these systems only; repeatable.")
    cluster: str | None = declare(
        EITHER_CLUSTER,
        help="Column of documents, conversations ... whose items depend on one another, or for texts a file of them; or none.",
        form_help="Column of documents, conversations … whose items depend on one another; or none.",
        doc="A label per row: items of one cluster depend on one another. For a file or table, the column of clusters, or\n"
        '``"none"``.',
    )
    slice: str | None = declare(
        shared.SLICE,
        after="equal_runs",
        help="Also score each value of this column separately.",
        doc="A label per row, alone or by the name of its column, or the column of a file: each value is also scored alone.",
    )
    dataset: str | None = declare(
        shared.DATASET,
        annotation="ArrayLike | str | None",
        doc="A label per row, or the column of a file or table: the dataset of each row. The score is the mean over datasets.",
    )
    log_task: str | None = declare(shared.LOG_TASK, help="Logs: the task to score; several tasks are scored as datasets.")
    names: tuple[str, ...] = declare(shared.NAMES, metavar="A,...", always_saved=False)

    @property
    def inputs(self) -> list[str]:
        """The names of all files to read."""
        labels = [self.documents_of_texts(), self.dataset] if self.reference else []
        return [*self.system_files, *self.reference, *(name for name in labels if name not in (None, shared.POOLED))]

    @property
    def text_metric(self) -> str:
        """The metric of texts that was named, or the default one."""
        return self.metric if isinstance(self.metric, str) else METRIC_OF_TEXTS

    def validate(self, *, arrays: bool = False) -> None:
        """Refuse whatever can be refused before a file is opened; arrays have no files."""
        from outscore.workflows.reading import check_direction
        from outscore.workflows.validate import check_metric, check_population, check_reduction, check_repeats

        if not arrays:
            self.require_files("Write `outscore score FILE`: a table, a log, or one file for each system.")
        if self.reference:
            self._check_metric_of_texts()
        else:
            self.refuse_outside(base.TEXTS)
            refuse_metric_of_texts(self.metric)
            check_metric(self.metric)
            check_direction(self.metric, self.direction)
        check_repeats(self.repeats)
        check_population(self.population)
        check_reduction(self.reduce, None if self.reference else self.metric)
        if not self.alpha < self.power < 1:
            raise OutscoreError(
                f"`power` is {self.power:g}.", "Give a number between alpha and 1, such as 0.8.", parameter="power"
            )

    def _check_metric_of_texts(self) -> None:
        metrics = metrics_in(self.text_metric)
        self.check_texts(metrics)
        if len(metrics) > 1:
            first = self.command_line(metric=metrics[0])
            message = f"`score` takes one metric at a time, but --metric names {len(metrics)}."
            raise OutscoreError(message, f"Write `{first}`; `outscore rank` takes several.", parameter="metric")

    def ranking(self) -> RankRequest:
        """The request that compares the same systems."""
        # What is a column here is a file of right answers there.
        return RankRequest.of({**self.values_for(RankRequest), "gold": None, "gold_column": self.gold})
