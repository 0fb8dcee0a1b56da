"""TASKS: what `diff` can compare, each with its options; `run` says where the work is done.

A new task is a line of `TASKS`, and one of `STUDIES` there.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from outscore.core.options import Option
from outscore.core.records import dataclass
from outscore.workflows.requests import base, shared
from outscore.workflows.requests.base import make_option

MAP = make_option(
    "map",
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
COLUMNS = make_option(
    "columns",
    "Columns of plain files in order: word, tag, upos, head, deprel ...; _ for others.",
    group="data",
    metavar="NAME,NAME,...",
    doc='The columns of plain files in order, such as ``"id,word,lemma,upos,_,_,head,deprel"``; ``_`` for others.',
)
"""An option of every task that compares words."""
PUNCT = make_option(
    "punct",
    "Trees: keep punctuation.",
    label="Punctuation",
    group="data",
    kind="flag",
)
SUBTYPES = make_option(
    "subtypes",
    "Trees: keep relation subtypes (nmod:poss).",
    group="data",
    kind="flag",
)
LENIENT = make_option(
    "lenient",
    "Entities: read broken tag sequences leniently, as conlleval does.",
    group="data",
    kind="flag",
)
REPAIR = make_option(
    "repair",
    "Coreference: if a mention is in two chains, keep the first.",
    group="data",
    kind="flag",
)
SINGLETONS = make_option(
    "singletons",
    "Coreference: whether chains of one mention count; CorefUD's scorer drops them by default.",
    default="keep",
    choices=("keep", "drop"),
    label="Chains of one mention",
    group="data",
    doc='For coreference: whether chains of one mention count (``"keep"``) or are left out of all files (``"drop"``).',
)
MATCH = make_option(
    "match",
    "Coreference: mentions are the same if all their words are (exact) or their heads (CorefUD).",
    default="exact",
    choices=("exact", "head"),
    label="Same mention",
    group="data",
    doc='For coreference: mentions are the same if they have the same words (``"exact"``), or the same head\n'
    '(``"head"``), which CorefUD files name.',
)


@dataclass(frozen=True)
class Task:
    """One task and its options; in some, one file may hold gold and all systems."""

    name: str
    summary: str
    options: tuple[Option, ...]
    one_file: bool = False

    @property
    def criteria(self) -> tuple[str, ...]:
        """What makes an answer right, if there is a choice; the first is the primary one."""
        # Imported only when it is asked for: `outscore --help` loads no numpy.
        from outscore.outputs.coreference import CHOICES
        from outscore.outputs.words import FURTHER_TAGS, TAGS, TREES

        return {"pos": (*TAGS, *FURTHER_TAGS), "dep": TREES, "coref": CHOICES}.get(self.name, ())


TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Task("pos", "tags of words, in CoNLL-U files or columns", (MAP, COLUMNS), one_file=True),
        Task("dep", "heads and relations of words, in CoNLL-U files", (MAP, COLUMNS, PUNCT, SUBTYPES)),
        Task("ner", "entities as BIO, BIOES or BILOU tags in columns", (MAP, COLUMNS, LENIENT), one_file=True),
        Task(
            "label",
            "a label per item, in CSV, TSV, JSON lines or Parquet, or in logs of evaluation harnesses",
            (MAP, shared.LOG_TASK, shared.FILTER, shared.FORCE_SAME),
            one_file=True,
        ),
        Task(
            "coref",
            "coreference chains in CoNLL-2012 and CorefUD files, mention by mention",
            (SINGLETONS, MATCH, REPAIR),
        ),
    )
}
"""The tasks by name."""


@cache
def task_options() -> tuple[Option, ...]:
    """The options of all tasks, each with the tasks that have it.

    Examples
    --------
    >>> [(option.name, option.only_for[-1].values) for option in task_options()][:2]
    [('map', ('pos', 'dep', 'ner', 'label')), ('columns', ('pos', 'dep', 'ner'))]
    """
    owners: dict[Option, tuple[str, ...]] = {}
    for task in TASKS.values():
        for option in task.options:
            owners[option] = (*owners.get(option, ()), task.name)
    return tuple(replace(o, only_for=(*o.only_for, base.of_values("task", tasks))) for o, tasks in owners.items())
