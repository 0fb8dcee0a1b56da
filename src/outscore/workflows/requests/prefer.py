"""`prefer`: battles between systems, judged by people or by a model: which system is preferred to which."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from outscore.core.errors import OutscoreError
from outscore.core.options import check_count, did_you_mean
from outscore.core.records import dataclass
from outscore.workflows.requests import shared
from outscore.workflows.requests.base import Request, declare, own

if TYPE_CHECKING:
    from outscore.formats.battles.entry import BattleChoice


def _readers() -> dict[str, str]:
    from outscore.formats.battles.read import BATTLES

    return {"auto": "recognise it", **{name: f"{entry.title}: {entry.summary}" for name, entry in BATTLES.items()}}


@dataclass(frozen=True)
class PreferRequest(Request):
    """Battles: win rates, strengths, and the effects of position, length and judge."""

    command: ClassVar[str] = "prefer"
    subcommand: ClassVar[str] = "prefer"
    function: ClassVar[str] = "prefer"

    files: tuple[str, ...] = declare(
        shared.FILES,
        help="Battles: files, or folders of files.",
        label="Battles",
        metavar="BATTLES ...",
    )
    labels: str | None = own(
        "labels",
        "People's verdicts on some of the prompts, if a model judged all of them.",
        label="People's verdicts",
        form_help="Battles judged by people on some of the prompts; the battles above are then judged by a model.",
        kind="file",
        annotation="Path | Table | None",
        doc="People's verdicts on some of the prompts, a file or table of battles: the model's verdicts on all prompts\n"
        "then help to estimate the win rate that people would give.",
    )
    people: str | None = own(
        "people",
        "The name of the judge in the battles that stands for people, instead of --labels.",
        label="Human judge",
        form_help="The name of the judge in the battles that stands for people, instead of a file of people's verdicts.",
        group="data",
        metavar="NAME",
        always_saved=False,
    )
    order: str = own(
        "order",
        "How it was decided which answer is shown first.",
        default="auto",
        choices=lambda: {
            "auto": "both orders, or at random",
            "random": "at random for each prompt",
            "fixed": "one fixed order for each prompt",
            "unrecorded": "both orders or at random, but the file does not record the order",
        },
        group="test",
        metavar="auto|random|fixed|unrecorded",
        doc='How it was decided which answer is shown first: ``"random"`` at random, ``"fixed"`` one fixed order for\n'
        'each prompt (then orders are exchanged between prompts), ``"unrecorded"`` both orders or at random, but the file\n'
        'does not record the order. ``"auto"`` uses what the file shows, and refuses a file that always names one first.',
    )
    strength: int = own(
        "strength",
        "Arena-Hard: how many wins a strong verdict (A>>B) counts for.",
        default=1,
        minimum=1,
        check=partial(check_count, most=1_000),
        label="Strong verdicts",
        group="data",
        metavar="N",
    )
    ties: str = own(
        "ties",
        "Strengths: count a tie as half a win for each, or use Davidson's model.",
        default="half",
        choices=("half", "davidson"),
        group="test",
    )
    decide_by: str = own(
        "decide_by",
        "What decides ranks, groups and the headline of three systems or more.",
        default="auto",
        choices=lambda: {
            "auto": "strengths, unless the test against circles rejects them or all systems met one baseline only",
            "strengths": "strengths, tested over all battles",
            "games": "direct games of each pair",
        },
        label="Decided by",
        group="test",
        metavar="auto|strengths|games",
        doc='What decides ranks, groups and the headline of three systems or more: ``"strengths"``, tested over all\n'
        'battles, or ``"games"``, the direct games of each pair. ``"auto"`` takes strengths unless the test against\n'
        "circles rejects one strength per system, or all systems met one baseline and nobody else.",
    )
    alpha: float = declare(shared.FAMILY_ALPHA)
    correction: str = declare(shared.FAMILY_CORRECTION)
    seed: int = declare(shared.SEED)
    system: tuple[str, ...] = declare(shared.SYSTEM, help="Use battles between these systems only; repeatable.")
    only_judge: tuple[str, ...] = own(
        "only_judge",
        "Use verdicts of these judges only; repeatable.",
        label="Judges",
        group="data",
        many=True,
        metavar="NAME",
        always_saved=False,
        python="judges",
    )
    first: str | None = own("first", "Column of the systems shown first.", label="First system", kind="column")
    second: str | None = own("second", "Column of the systems shown second.", label="Second system", kind="column")
    winner: tuple[str, ...] = own(
        "winner",
        "Column of the verdicts; several columns are one judge each.",
        label="Verdicts",
        kind="column",
        many=True,
    )
    prompt: str | None = own("prompt", "Column of the prompts; none: every battle has its own.", label="Prompts", kind="column")
    judge: str | None = own("judge", "Column of the judges; or none.", label="Judges' names", kind="column")
    category: str | None = own("category", "Column of the prompts' categories; or none.", label="Categories", kind="column")
    cluster: str | None = own(
        "cluster",
        "Column of clusters that are swapped as one, instead of prompts.",
        label="Clusters",
        kind="column",
        default_text="the prompt",
    )
    position: str | None = own(
        "position", "Column of the system that was shown first; or none.", label="Shown first", kind="column"
    )
    length: tuple[str, ...] = own(
        "length",
        "Column of the first answer's length, then that of the second's.",
        label="Lengths",
        kind="column",
        many=True,
        annotation="Sequence[str]",
    )
    baseline: str | None = declare(
        shared.BASELINE,
        help="Arena-Hard: what to call the baseline, which the files do not name.",
        kind="value",
        label="Name of the baseline",
        always_saved=False,
    )
    reader: str = declare(
        shared.READER,
        choices=_readers,
        form_help="Format of the files.",
    )
    names: tuple[str, ...] = declare(
        shared.NAMES,
        help="What to call the two systems of a table that does not name them, separated by a comma.",
        most=2,
        always_saved=False,
        default_text="",
    )

    def choice(self) -> BattleChoice:
        """The chosen columns, in the form that readers take."""
        from outscore.formats.battles.entry import BattleChoice

        return BattleChoice(**self.values_for(BattleChoice))

    def validate(self, *, files: bool = True) -> None:
        """Refuse what can be refused before a file is opened; `files` is False where a table was handed over."""
        from outscore.workflows.question import Question

        if files:
            self.require_files("Write `outscore prefer BATTLES`.")
        Question(correction=self.correction).check_family()
        for option in self.options():
            value = self.value(option.name)
            if option.choices and value not in option.known:
                hint = did_you_mean(value, option.known)
                raise OutscoreError(f"There is no {option.long} `{value}`.", hint, parameter=option.name)
        if len(self.length) not in (0, 2):
            raise OutscoreError(
                f"--length names {len(self.length)} column{'' if len(self.length) == 1 else 's'}.",
                "Name two: one for the first answer and one for the second.",
                parameter="length",
            )
        if self.labels and self.people:
            raise OutscoreError("--labels and --people both name people's verdicts.", "Give one of them.", parameter="people")
