"""The declaration of a task: its name, its options, and where the work is done.

Declarations import nothing heavy: the options of all tasks are options of `outscore diff`, whose help must answer at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from outscore.core.options import Option
from outscore.core.records import dataclass

if TYPE_CHECKING:
    from outscore.outputs.items import LabelMaps
    from outscore.outputs.model import OutputData, Outputs
    from outscore.workflows.diff.pair import DiffOptions, Study

MAP = Option(
    "map",
    str,
    (),
    "Rename a label in gold, one system, or all files.",
    label="Renamed labels",
    form_help="[NAME:]OLD=NEW, for gold, one system, or all files.",
    group="data",
    many=True,
    metavar="[NAME:]OLD=NEW",
    annotation="Mapping[str, str] | str | Sequence[str] | None",
    doc='Labels to rename before comparing, ``{"old": "new"}`` or ``["gold:old=new"]``.',
)
"""An option of every task that compares labels."""


COLUMNS = Option(
    "columns",
    str,
    None,
    "Columns of plain files in order: word, tag, upos, head, deprel ...; _ for others.",
    form_help="For plain files, in order: word, tag, upos, head, deprel …; _ for others.",
    group="data",
    metavar="NAME,NAME,...",
    doc='The columns of plain files in order, such as ``"id,word,lemma,upos,_,_,head,deprel"``; ``_`` for others.',
)
"""An option of every task that compares words."""


def _no_choice() -> tuple[str, ...]:
    return ()


@dataclass(frozen=True)
class Task:
    """One task: how an output is read, how gold and systems become a study, and its options.

    `find_criteria` returns the criteria for right answers, if a task has several. `together` reads gold and
    systems from files that contain both, if a task supports such files, and returns None for others.
    """

    name: str
    summary: str
    load: Callable[[object, str, DiffOptions], Outputs]
    study: Callable[[Outputs, Mapping[str, Outputs], LabelMaps, DiffOptions], Study]
    options: tuple[Option, ...] = ()
    find_criteria: Callable[[], tuple[str, ...]] = _no_choice
    together: Callable[[Sequence[str], DiffOptions], OutputData[Outputs] | None] | None = None

    @property
    def criteria(self) -> tuple[str, ...]:
        """What makes an answer right, if there is a choice; the first is the primary one."""
        return self.find_criteria()
