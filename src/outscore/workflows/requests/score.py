"""`score`: one system or several, each on its own: how certain its score is, and what the test set can detect."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass
from outscore.workflows.requests import shared
from outscore.workflows.requests.base import declare
from outscore.workflows.requests.compare import refuse_metric_of_texts
from outscore.workflows.requests.groups import LogRequest, ScoredRequest, TableRequest
from outscore.workflows.requests.plan import POWER
from outscore.workflows.requests.rank import RankRequest

if TYPE_CHECKING:
    from outscore.core.metric import AdditiveMetric


@dataclass(frozen=True)
class ScoreRequest(ScoredRequest, TableRequest, LogRequest):
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
        shared.METRIC, help="A metric from `outscore metrics`, or a score in the logs."
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
        help="Power of the smallest detectable difference.",
        form_help="Probability of detecting the smallest detectable difference.",
        group="test",
        doc="The probability of detecting the smallest detectable difference.",
    )
    population: str | None = declare(
        shared.POPULATION,
        after="power",
        help="What the intervals are about: new items, new items and new runs, or new runs of these items.",
    )
    system: tuple[str, ...] = declare(shared.SYSTEM, help="Score these systems only; repeatable.")
    cluster: str | None = declare(
        shared.CLUSTER,
        help="Column of documents, conversations ... whose items depend on one another; or none.",
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

    @cached_property
    def system_files(self) -> list[str]:
        """The files, with patterns replaced by the files that match them."""
        from outscore.formats.tables.partitions import expand_pattern

        return [file for path in self.files for file in expand_pattern(path)]

    @property
    def inputs(self) -> list[str]:
        """The names of all files to read."""
        return list(self.system_files)

    def validate(self, *, arrays: bool = False) -> None:
        """Refuse whatever can be refused before a file is opened; arrays have no files."""
        from outscore.workflows.reading import check_direction
        from outscore.workflows.validate import check_metric, check_population, check_reduction, check_repeats

        if not arrays and not self.files:
            raise OutscoreError(
                "No file was named.",
                "Write `outscore score FILE`: a table, a log, or one file for each system.",
                parameter="files",
            )
        refuse_metric_of_texts(self.metric)
        check_metric(self.metric)
        check_direction(self.metric, self.direction)
        check_repeats(self.repeats)
        check_population(self.population)
        check_reduction(self.reduce, self.metric)
        if not self.alpha < self.power < 1:
            raise OutscoreError(
                f"`power` is {self.power:g}.", "Give a number between alpha and 1, such as 0.8.", parameter="power"
            )

    def ranking(self) -> RankRequest:
        """The request that compares the same systems."""
        # What is a column here is a file of right answers there.
        return RankRequest.of({**self.values_for(RankRequest), "gold": None, "gold_column": self.gold})
