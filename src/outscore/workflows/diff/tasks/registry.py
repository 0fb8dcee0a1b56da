"""TASKS: the tasks by name. To add a task, write its module and add one line here."""

from __future__ import annotations

from dataclasses import replace

from outscore.core.options import Option
from outscore.workflows.diff.tasks import coref, dep, label, ner, pos
from outscore.workflows.diff.tasks.entry import Task
from outscore.workflows.requests import modes

TASKS: dict[str, Task] = {task.name: task for task in (pos.TASK, dep.TASK, ner.TASK, label.TASK, coref.TASK)}


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
    return tuple(replace(o, only_for=(*o.only_for, modes.of_values("task", tasks))) for o, tasks in owners.items())
