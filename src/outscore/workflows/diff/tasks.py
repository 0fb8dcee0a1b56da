"""TASKS: what `diff` can compare, each with its options and where the work is done.

A new task is a section here and a line of `TASKS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from outscore.core.options import Option
from outscore.core.records import dataclass
from outscore.workflows.requests import base, shared
from outscore.workflows.requests.base import make_option

if TYPE_CHECKING:
    from outscore.outputs.items import LabelMaps
    from outscore.outputs.model import OutputData, Outputs
    from outscore.workflows.diff.pair import DiffOptions, Study


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


# `--task pos`: tags of words.


def _criteria_pos() -> tuple[str, ...]:
    from outscore.outputs.words import FURTHER_TAGS, TAGS

    return (*TAGS, *FURTHER_TAGS)


def _load_pos(output: object, name: str, options: DiffOptions) -> Outputs:
    from outscore.workflows.diff.words import load_tags

    return load_tags(output, name, options)


def _study_pos(gold: Outputs, systems: Mapping[str, Outputs], maps: LabelMaps, options: DiffOptions) -> Study:
    from outscore.workflows.diff.words import tag_study

    return tag_study(gold, systems, maps, options)


def _together_pos(paths: Sequence[str], options: DiffOptions) -> OutputData[Outputs] | None:
    from outscore.workflows.diff.words import read_beside_gold

    return read_beside_gold(paths, options, tagged=False)


POS = Task(
    "pos", "tags of words, in CoNLL-U files or columns", _load_pos, _study_pos, (MAP, COLUMNS), _criteria_pos, _together_pos
)


# `--task dep`: heads and relations of words.


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


def _criteria_dep() -> tuple[str, ...]:
    from outscore.outputs.words import TREES

    return TREES


def _load_dep(output: object, name: str, options: DiffOptions) -> Outputs:
    from outscore.workflows.diff.words import load_trees

    return load_trees(output, name, options)


def _study_dep(gold: Outputs, systems: Mapping[str, Outputs], maps: LabelMaps, options: DiffOptions) -> Study:
    from outscore.workflows.diff.words import tree_study

    return tree_study(gold, systems, maps, options)


DEP = Task(
    "dep",
    "heads and relations of words, in CoNLL-U files",
    _load_dep,
    _study_dep,
    (MAP, COLUMNS, PUNCT, SUBTYPES),
    _criteria_dep,
)


# `--task ner`: named entities.


LENIENT = make_option(
    "lenient",
    "Entities: read broken tag sequences leniently, as conlleval does.",
    group="data",
    kind="flag",
)


def _load_ner(output: object, name: str, options: DiffOptions) -> Outputs:
    from outscore.workflows.diff.words import load_entities

    return load_entities(output, name, options)


def _study_ner(gold: Outputs, systems: Mapping[str, Outputs], maps: LabelMaps, options: DiffOptions) -> Study:
    from outscore.workflows.diff.words import span_study

    return span_study(gold, systems, maps, options)


def _together_ner(paths: Sequence[str], options: DiffOptions) -> OutputData[Outputs] | None:
    from outscore.workflows.diff.words import read_beside_gold

    return read_beside_gold(paths, options, tagged=True)


NER = Task(
    "ner",
    "entities as BIO, BIOES or BILOU tags in columns",
    _load_ner,
    _study_ner,
    (MAP, COLUMNS, LENIENT),
    together=_together_ner,
)


# `--task label`: a label per item.


LOG_OPTIONS = (shared.LOG_TASK, shared.FILTER, shared.FORCE_SAME)


def _load_label(output: object, name: str, options: DiffOptions) -> Outputs:
    from outscore.workflows.diff.items import load_items

    return load_items(output, name, options)


def _study_label(gold: Outputs, systems: Mapping[str, Outputs], maps: LabelMaps, options: DiffOptions) -> Study:
    from outscore.workflows.diff.items import item_study

    return item_study(gold, systems, maps, options)


def _together_label(paths: Sequence[str], options: DiffOptions) -> OutputData[Outputs] | None:
    """Logs, which contain the right answers beside those of systems, or one table with all of them."""
    from outscore.formats.logs.find import are_logs

    if are_logs(paths):
        return _of_logs(paths, options)
    for option in LOG_OPTIONS:
        if options.own[option.name] != option.default:
            base.LOGS.cured("Leave --{long} out.").refuse(option, options.own[option.name])
    if len(paths) > 1:
        return None
    from outscore.formats.tables.labels import read_label_table

    return read_label_table(paths[0])


def _of_logs(paths: Sequence[str], options: DiffOptions) -> OutputData[Outputs]:
    from outscore.formats.logs.choose import LogQuestion, read_answers

    own = options.own
    question = LogQuestion(own["log_task"], filter=own["filter"], force_same=own["force_same"])
    return read_answers(paths, question)


LABEL = Task(
    "label",
    "a label per item, in CSV, TSV, JSON lines or Parquet, or in logs of evaluation harnesses",
    _load_label,
    _study_label,
    (MAP, *LOG_OPTIONS),
    together=_together_label,
)


# `--task coref`: coreference, mention by mention.


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


def _criteria_coref() -> tuple[str, ...]:
    from outscore.workflows.diff.coref import CHOICES

    return CHOICES


def _load_coref(output: object, name: str, options: DiffOptions) -> Outputs:
    from outscore.workflows.diff.coref import load_chains

    return load_chains(output, name, options)


def _study_coref(gold: Outputs, systems: Mapping[str, Outputs], maps: LabelMaps, options: DiffOptions) -> Study:
    from outscore.workflows.diff.coref import coref_study

    return coref_study(gold, systems, maps, options)


COREF_SUMMARY = "coreference chains in CoNLL-2012 and CorefUD files, mention by mention"
COREF = Task("coref", COREF_SUMMARY, _load_coref, _study_coref, (SINGLETONS, MATCH, REPAIR), _criteria_coref)


# TASKS: the tasks by name. To add a task, write its module and add one line here.


TASKS: dict[str, Task] = {task.name: task for task in (POS, DEP, NER, LABEL, COREF)}


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
