"""TASKS: what outputs can be compared, by name. Adding a task is one entry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from outscore.outputs.coref.arcs import CRITERIA
from outscore.outputs.inventory import LabelMaps
from outscore.outputs.model import Outputs
from outscore.outputs.word_units import DEPENDENCIES, TAGS
from outscore.workflows.diff.study import DiffOptions, Study
from outscore.workflows.diff.tasks.coref import coref_study, load_chains
from outscore.workflows.diff.tasks.items import item_study, load_items
from outscore.workflows.diff.tasks.spans import load_entities, span_study
from outscore.workflows.diff.tasks.words import load_tags, load_trees, tag_study, tree_study

__all__ = ["TASKS", "Task"]


@dataclass(frozen=True)
class Task:
    """One task: how an output is read, how gold and systems become a study, and by which criteria, where there is a choice."""

    name: str
    summary: str
    load: Callable[[object, str, DiffOptions], Outputs]
    study: Callable[[Outputs, Mapping[str, Outputs], LabelMaps, DiffOptions], Study]
    criteria: tuple[str, ...] = ()


TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Task("pos", "tags of words, in CoNLL-U files or columns", load_tags, tag_study, TAGS),
        Task("dep", "heads and relations of words, in CoNLL-U files", load_trees, tree_study, DEPENDENCIES),
        Task("ner", "entities as BIO, BIOES or BILOU tags in columns", load_entities, span_study),
        Task("label", "a label per item, in CSV, TSV, JSON lines or Parquet", load_items, item_study),
        Task("coref", "coreference chains in CoNLL-2012 files, mention by mention", load_chains, coref_study, CRITERIA),
    )
}
