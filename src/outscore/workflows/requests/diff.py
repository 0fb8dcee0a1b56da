"""`diff`: what changed between the outputs of systems, and whether the change is real. Tasks declare their own options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, ClassVar, Self

from outscore.core.errors import OutscoreError
from outscore.core.options import Option, did_you_mean
from outscore.core.records import dataclass
from outscore.workflows.diff.tasks import TASKS, task_options
from outscore.workflows.requests import shared
from outscore.workflows.requests.base import Request, declare, input_settings, own, versions

if TYPE_CHECKING:
    from outscore.scores.system import Origin


def _criteria() -> dict[str, str]:
    return {criterion: f"of task {task.name}" for task in TASKS.values() for criterion in task.criteria}


def _row_corrections() -> dict[str, str]:
    """Corrections that need p-values alone."""
    from outscore.inference.families import CORRECTIONS

    return {name: e.summary for name, e in CORRECTIONS.items() if e.function is not None and not e.all_pairs}


@dataclass(frozen=True)
class DiffRequest(Request):
    """The outputs of one or more systems against gold, unit by unit."""

    command: ClassVar[str] = "diff"
    subcommand: ClassVar[str] = "diff"
    function: ClassVar[str] = "diff"
    positional: ClassVar[tuple[str, ...]] = ("gold", "files")

    gold: str | None = own(
        "gold",
        "The file with the right answers.",
        label="Right answers",
        kind="file",
        least=1,
        metavar="GOLD",
        always_saved=True,
    )
    files: tuple[str, ...] = declare(
        shared.FILES,
        help="The output of each system.",
        label="Systems",
        metavar="SYSTEM [SYSTEM ...]",
    )
    task: str | None = own("task", "What the files contain.", choices=tuple(TASKS), label="Task", group="data", least=1)
    criterion: tuple[str, ...] = own(
        "criterion",
        "What makes an answer right: upos, xpos, feats, lemma ...; las, uas, ls, clas, mlas, blex; conll, arcs-any ...",
        choices=_criteria,
        group="data",
        many=True,
        metavar="NAME",
        annotation="str | Sequence[str] | None",
        doc="What makes an answer right, one or several of the task's criteria; the first is the primary one.",
    )
    cluster: str | None = own(
        "cluster",
        "What is swapped as one: sentence, document, topic, subtopic, none, or a column of labels.",
        label="Swapped as one",
        form_help="sentence, document, topic, subtopic, none, or a column of labels; empty: the task's default.",
        group="data",
        metavar="NAME",
        doc='What is swapped as one: ``"sentence"``, ``"document"``, for coreference ``"topic"`` or\n'
        '``"subtopic"``, a column of labels, or ``"none"``; None is the task\'s default.',
    )
    own: Mapping[str, Any] = field(default_factory=dict)
    """The values of the tasks' options that were given, by name."""
    slice: tuple[str, ...] = declare(
        shared.SLICE,
        default=(),
        many=True,
        always_saved=True,
        doc="Columns whose values are also compared separately.",
    )
    min_support: int = declare(shared.MIN_SUPPORT)
    correction: str = declare(
        shared.CORRECTION, help="Multiplicity correction for the p-values of a table's rows.", choices=_row_corrections
    )
    alpha: float = declare(shared.ALPHA, doc="The level of all decisions.")
    names: tuple[str, ...] = declare(shared.NAMES, metavar="A,B,...", default_text="file names")
    seed: int = declare(shared.SEED, help="Seed for p-values and intervals that are sampled at random.")

    @classmethod
    def options(cls) -> tuple[Option, ...]:
        """The shared options, with those of every task inserted after `cluster`."""
        declared = super().options()
        place = [option.name for option in declared].index("cluster") + 1
        return (*declared[:place], *task_options(), *declared[place:])

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """The request with these values; options of tasks are kept in `own`."""
        of_tasks = {option.name: option.default for option in task_options()}
        own = {name: value for name, value in values.items() if name in of_tasks and value != of_tasks[name]}
        return cls(**{name: value for name, value in values.items() if name not in of_tasks}, own=own)

    def value(self, name: str) -> Any:  # noqa: ANN401 - of whatever type the option has
        """The value of an option, whether of a task or shared."""
        of_tasks = {option.name: option.default for option in task_options()}
        if name in of_tasks:
            return self.own.get(name, of_tasks[name])
        return super().value(name)

    @property
    def data_files(self) -> Sequence[str]:
        """The right answers, then the systems."""
        return self.inputs

    def validate(self, *, arrays: bool = False) -> None:
        """Refuse whatever can be refused before a file is opened; outputs given in Python have no files."""
        if not arrays and not self._is_one_table():
            self.check_files()
        task = self.require_task()
        self._check_correction()
        for option in task_options():
            mode = option.mode("task")
            if mode is not None and task not in mode.values and self.is_given(option):
                mode.refuse(option, self.value(option.name), task=task)

    def require_task(self) -> str:
        """The task, which has to be a known one."""
        if self.task is None or self.task not in TASKS:
            raise OutscoreError(f"There is no task `{self.task}`.", did_you_mean(str(self.task), TASKS), parameter="task")
        return self.task

    def _is_one_table(self) -> bool:
        """Whether gold and all systems are columns or rows of one file."""
        if self.gold is None or self.files or self.task not in TASKS or not TASKS[self.task].one_file:
            return False
        if self.names:
            raise OutscoreError("A single table already names its systems.", "Leave --names out.", parameter="names")
        return True

    def check_files(self) -> None:
        """Refuse a single file, which cannot be both gold and a system, and names that do not fit."""
        named = self.inputs
        if len(named) < 2:
            raise OutscoreError(
                f"{len(named)} file{'' if len(named) == 1 else 's'} named, but gold and at least one system are needed.",
                f"Write `outscore diff --task {self.task or 'pos'} GOLD SYSTEM1 SYSTEM2`.",
                parameter="files" if named else "gold",
            )
        different = len(self.names) == len(self.files) == len({*self.names}) and all(self.names)
        if self.names and not different:
            wanted = "1 name was" if len(self.files) == 1 else f"{len(self.files)} different names were"
            written = ",".join(self.names)
            raise OutscoreError(
                f'--names is "{written}", but {wanted} expected.', "Separate the names with commas.", parameter="names"
            )

    def _check_correction(self) -> None:
        """Refuse a correction that rows of a table cannot have."""
        from outscore.inference.families import CORRECTIONS

        entry = CORRECTIONS.get(self.correction)
        if entry is None:
            hint = did_you_mean(self.correction, CORRECTIONS)
            raise OutscoreError(f"There is no correction `{self.correction}`.", hint, parameter="correction")
        if entry.function is None or entry.all_pairs:
            raise OutscoreError(
                f"Correction `{entry.name}` does not work for the rows of a diff.",
                "Use `holm` or `bh`.",
                parameter="correction",
            )

    def settings(self, inputs: Iterable[Origin] = (), **found: Any) -> dict[str, Any]:  # noqa: ANN401
        """What is saved; `found` are the criteria and clusters that the task chose by default."""
        saved = self.saved_options()
        del saved["gold"]
        first = {"files": self.inputs, "names": saved["names"]}
        order = (
            "task",
            "criterion",
            "cluster",
            *(o.name for o in task_options()),
            "slice",
            "alpha",
            "correction",
            "min_support",
        )
        ordered = {name: saved[name] for name in ("map", *order) if name in saved}
        rest = {**first, **ordered, **{name: value for name, value in saved.items() if name not in first}, **found}
        return {**rest, "versions": versions(), "inputs": input_settings(inputs)}

    def data_arguments(self) -> list[str]:
        """Gold and systems; by name if names were given."""
        if self.names:
            pairs = zip(self.names, self.files, strict=False)
            return [repr(self.gold), "{" + ", ".join(f"{name!r}: {path!r}" for name, path in pairs) + "}"]
        return [repr(self.gold), repr(list(self.files))]
