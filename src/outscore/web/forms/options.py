"""What may be asked of each command: the forms of the page, from the registries of tests, metrics, tasks and corrections.

Files are named by the ids of uploads only, and nothing here names a place on the disk.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from outscore.core.options import did_you_mean
from outscore.web.forms.fields import Choice, Field, Kind, chosen, field_of
from outscore.web.problems import HTTPProblem

__all__ = ["COMMANDS", "form"]

COMMANDS = ("compare", "texts", "rank", "diff", "plan", "report")
"""What a job can be; `texts` is `outscore compare` with references."""
NAMED = ("method", "resamples")
"""Options of tests that are options of the command, too."""
METRICS_OF_TEXTS = ("bleu", "chrf")
"""Those of `outscore.compare_texts` where none is named."""
CRITERIA = {
    "las": "las (head and relation)",
    "uas": "uas (head)",
    "ls": "ls (relation)",
    "arcs-any": "any antecedent",
    "arcs-nom": "a nominal antecedent",
}
EITHER_SIDE = (
    Choice("two-sided", "either system better"),
    Choice("greater", "A better than B"),
    Choice("less", "A worse than B"),
)
DUPLICATES = (
    Choice("stop", "refuse them"),
    Choice("mean", "their mean"),
    Choice("first", "the first one"),
    Choice("last", "the last one"),
)


def form(command: str) -> tuple[Field, ...]:
    """All fields of a command.

    Examples
    --------
    >>> [one.name for one in form("report")]
    ['files']
    >>> [choice.value for one in form("diff") if one.name == "task" for choice in one.choices]
    ['pos', 'dep', 'ner', 'label', 'coref']
    """
    if command not in COMMANDS:
        raise HTTPProblem(404, f"There is no command `{command[:40]}`.", did_you_mean(command[:40], COMMANDS))
    return _form(command)


@cache
def _form(command: str) -> tuple[Field, ...]:
    makers = {"compare": _compare, "texts": _texts, "rank": _rank, "diff": _diff, "plan": _plan, "report": _report}
    return tuple(makers[command]())


def _compare() -> Iterable[Field]:
    yield Field("files", "Scores", "One file with both systems, or one for each.", "file", "files", many=True, least=1, most=2)
    yield from _columns()
    yield Field("slice", "Slices", "Compare every value of this column too.", "column", "data")
    yield Field("duplicates", "Repeated ids", "What to do with ids that occur twice.", "choice", "data", "stop", DUPLICATES)
    yield from _reading()
    yield from _units()
    yield Field("unit-advice", "Try other unit sizes", "What the size of units does to spread, effect and p.", "flag", "units")
    yield _NORMALITY
    yield from _metric()
    yield from _test(several=True)
    yield from _question()
    yield Field("correction", "Correction", "For the p-values of slices.", "choice", "test", "holm", _corrections())
    yield _SEED


def _texts() -> Iterable[Field]:
    yield Field(
        "files", "Systems", "The output of each system, a segment per line.", "file", "files", many=True, least=2, most=2
    )
    yield from _references(least=1)
    yield Field(
        "buckets", "Labels", "A label per segment, a line each: every label is compared by itself.", "file", "files", many=True
    )
    yield Field("lengths", "By length", "Also compare short and long segments.", "flag", "data")
    yield Field("names", "Names", "What to call the systems, separated by a comma.", "text", "data")
    yield from _text_metrics()
    yield from _test(several=False)
    yield from _question()
    yield Field("correction", "Correction", "For the p-values of the metrics.", "choice", "test", "holm", _corrections())
    compat = (Choice("sacrebleu-ar", "sacreBLEU, approximate randomisation"), Choice("sacrebleu-bs", "sacreBLEU, bootstrap"))
    yield Field(
        "compat", "Compare with", "Also show the p of another tool; it decides nothing.", "choice", "test", None, compat
    )
    yield _SEED


def _rank() -> Iterable[Field]:
    yield Field("files", "Systems", "One table with all systems, or one file for each.", "file", "files", many=True, least=1)
    yield from _references(least=0)
    yield Field("gold", "Right answers", "For outputs instead of scores: the right answers.", "file", "files", most=1)
    yield Field("task", "Task", "For outputs: what the files hold.", "choice", "files", None, _tasks(but=("coref",)))
    yield from _columns()
    rows = tuple(sorted(DUPLICATES, key=lambda choice: choice.value != "mean"))
    yield Field("duplicates", "Repeated rows", "Rows of one item that contradict each other.", "choice", "data", "mean", rows)
    yield from _reading()
    yield from _units()
    yield from _metric(texts=True)
    yield from _test(several=False)
    yield _ALPHA
    corrections = _corrections(all_pairs=True)
    yield Field("correction", "Correction", "For the number of pairs.", "choice", "test", "holm", corrections)
    yield Field("baseline", "Baseline", "Compare every system with this one only.", "system", "test")
    yield Field(
        "critical-difference", "Critical difference", "Also Friedman's test and Nemenyi's critical difference.", "flag", "test"
    )
    yield _SEED


def _diff() -> Iterable[Field]:
    yield Field("gold", "Right answers", "The file with the right answers.", "file", "files", least=1, most=1)
    yield Field("files", "Systems", "The output of each system.", "file", "files", many=True, least=1)
    yield Field("task", "Task", "What the files hold.", "choice", "data", None, _tasks())
    yield from _criteria()
    yield Field(
        "cluster", "Swapped as one", "sentence, document, none, or a column of labels; empty: the task's own.", "text", "data"
    )
    yield Field("map", "Renamed labels", "[NAME:]OLD=NEW, for gold, one system, or all files.", "text", "data", many=True)
    yield Field("slice", "Slices", "Compare every value of this column too.", "column", "data", many=True)
    for name, label, help_, task in (
        ("punct", "Punctuation", "Keep punctuation.", "dep"),
        ("subtypes", "Subtypes", "Keep relation subtypes (nmod:poss).", "dep"),
        ("lenient", "Lenient", "Read broken tag sequences as the lenient evaluation does.", "ner"),
        ("repair", "Repair", "Keep the first chain of a mention that is in two.", "coref"),
    ):
        yield Field(name, label, help_, "flag", "data", only=(("task", (task,)),))
    yield Field("min-support", "Fewest units", "Rows with fewer units are listed, not tested.", "whole", "test", 20)
    yield Field("correction", "Correction", "For the p-values of a table's rows.", "choice", "test", "holm", _adjusting())
    yield _ALPHA
    yield Field("names", "Names", "What to call the systems, separated by commas.", "text", "data")
    yield _SEED


def _criteria() -> Iterable[Field]:
    """What makes an answer right, of the tasks that leave a choice; tags may also be in a column of any other name."""
    from outscore.workflows.diff.tasks.registry import TASKS

    for name, task in TASKS.items():
        if task.criteria:
            kind: Kind = "text" if name == "pos" else "several"
            empty = "empty: the first tags that all files have" if name == "pos" else "none chosen: all"
            help_ = f"What makes an answer right; {empty}."
            choices = tuple(Choice(one, CRITERIA.get(one, one)) for one in task.criteria)
            yield Field("criterion", "Criterion", help_, kind, "data", None, choices, (("task", (name,)),), many=name == "pos")


def _plan() -> Iterable[Field]:
    yield Field("pilot", "Pilot", "Scores to take the spread from.", "file", "files", many=True, most=2)
    for name, label, help_ in (
        ("effect", "Difference", "The difference A − B to detect; with no spread given, in standard deviations."),
        ("sd", "Spread", "Standard deviation between items of the difference A − B."),
        ("discordance", "Discordance", "Share of right-or-wrong items that one system alone gets right."),
        ("accuracy", "Accuracy", "The baseline's accuracy; errors count as independent without a discordance."),
        ("within", "Spread within", "Standard deviation of the difference between two runs on one item."),
        ("cluster-size", "Cluster size", "Items per cluster, such as a document."),
        ("icc", "Correlation", "Correlation of differences within a cluster."),
    ):
        yield Field(name, label, help_, "number", "design")
    yield Field("n", "Number of items", "How many items there are.", "whole", "design")
    yield Field("power", "Power", "Chance of detecting the difference.", "number", "design", 0.8)
    yield Field("repeats", "Repeats", "Runs of each system per item.", "whole", "design")
    methods = tuple(Choice(name, name) for name in ("auto", "normal", "t", "exact"))
    yield Field("method", "Method", "How power is computed.", "choice", "design", "auto", methods)
    yield Field(
        "scores",
        "Printed scores",
        "Two printed accuracies: which p are possible? Needs the number of items.",
        "text",
        "review",
        many=True,
    )
    yield Field("retrospective", "Try a test", "Try a test on samples like the pilot.", "flag", "pilot")
    yield Field("test", "Test", "The test to try.", "choice", "pilot", None, _tests())
    yield Field("replicates", "Samples", "Samples to try it on, for each size.", "whole", "pilot")
    yield Field("system", "Systems", "Which two systems of a table.", "system", "pilot", many=True)
    for name, label, help_ in (*_PARTS[:1], ("score", "Scores", "Column of the scores."), *_PARTS[1:3]):
        yield Field(name, label, help_, "column", "pilot")
    yield Field("alternative", "Question", "Which difference counts.", "choice", "design", "two-sided", EITHER_SIDE)
    yield _ALPHA
    yield _SEED


def _report() -> Iterable[Field]:
    yield Field("files", "Saved result", "A result saved as JSON, shown again.", "file", "files", least=1, most=1)


_ALPHA = Field("alpha", "Level", "Significance level.", "number", "test", 0.05)
_SEED = Field("seed", "Seed", "For numbers that have to be sampled.", "whole", "test", 0)
_NORMALITY = Field("normality-alpha", "Level of the normality test", "Of the data analysis.", "number", "units", 0.05)
_PARTS = (
    ("item", "Items", "Column of the item ids."),
    ("cluster", "Clusters", "Column of documents, conversations … swapped as one; or none."),
    ("repeat", "Repeats", "Column of epochs, seeds, samples: averaged per item."),
    ("dataset", "Datasets", "Column of the dataset an item belongs to."),
)


def _columns() -> Iterable[Field]:
    yield Field("system", "Systems", "Which systems of a table.", "system", "data", many=True)
    yield Field("score", "Scores", "Column of the scores; several make counts (tp, fp, fn).", "column", "data", many=True)
    yield Field("system-column", "Systems' names", "Column of the systems' names.", "column", "data")
    for name, label, help_ in _PARTS:
        yield Field(name, label, help_, "column", "data")


def _reading() -> Iterable[Field]:
    from outscore.formats.registry import FORMATS

    readers = (Choice("auto", "recognise it"), *chosen(FORMATS))
    yield Field("reader", "Format", "How files of scores are read.", "choice", "data", "auto", readers)
    yield Field("names", "Names", "What to call the systems, separated by commas.", "text", "data")


def _references(least: int) -> Iterable[Field]:
    help_ = "The right text, a segment per line; several references may be given."
    yield Field("reference", "References", help_, "file", "files", many=True, least=least)
    yield Field("documents", "Documents", "The document of each segment, a line each; swapped as one.", "file", "files", most=1)


def _units() -> Iterable[Field]:
    yield Field("unit-size", "Unit size", "Items per evaluation unit.", "whole", "units", 1)
    statistics = (Choice("mean", "mean"), Choice("median", "median"))
    yield Field(
        "unit-statistic", "Unit statistic", "What a unit's items are summarised by.", "choice", "units", "mean", statistics
    )
    yield Field("shuffle", "Shuffle", "Shuffle the items with this seed before units are formed.", "whole", "units")


def _metric(*, texts: bool = False) -> Iterable[Field]:
    from outscore.metrics.registry import METRICS
    from outscore.metrics.text.registry import TEXT_METRICS

    known: Mapping[str, Any] = {**METRICS, **(TEXT_METRICS if texts else {})}
    help_ = "What the rows add up to; empty: mean, or F1 for counts" + (", or BLEU for texts." if texts else ".")
    yield Field("metric", "Metric", help_, "several" if texts else "choice", "test", None, chosen(known))
    yield from _own_options("metric", known)


def _text_metrics() -> Iterable[Field]:
    from outscore.metrics.text.registry import TEXT_METRICS

    help_ = "One or more; their p-values are corrected for their number."
    yield Field("metric", "Metrics", help_, "several", "test", METRICS_OF_TEXTS, chosen(TEXT_METRICS))
    yield from _own_options("metric", TEXT_METRICS)


def _own_options(part: str, registry: Mapping[str, Any]) -> Iterable[Field]:
    """The options of metrics: `metric.fbeta.beta` is the option `beta` of `fbeta`."""
    for name, entry in registry.items():
        for option in entry.options:
            yield field_of(option, f"{part}.{name}.{option.name}", "test", ((part, (name,)),))


def _test(*, several: bool) -> Iterable[Field]:
    from outscore.inference.registry import TESTS

    every = (Choice("all", "all", "every test that suits the data"),) if several else ()
    yield Field("test", "Test", "How p is computed.", "choice", "test", "permutation", (*_tests(), *every))
    found: dict[Field, list[str]] = {}
    for name, entry in TESTS.items():
        for option in entry.options:
            one = field_of(option, option.name if option.name in NAMED else f"set.{option.name}", "test")
            found.setdefault(one, []).append(name)
    for one, names in found.items():
        # What every test has in common is asked for once.
        called_for = (*names, "all") if several and one.name in NAMED and "permutation" in names else tuple(names)
        # One method has two names, of which the command line knows one.
        choices = tuple(choice for choice in one.choices if choice.value != "spectral")
        yield replace(one, choices=choices, only=(("test", called_for),))


def _question() -> Iterable[Field]:
    yield Field("alternative", "Question", "Which difference counts.", "choice", "test", "two-sided", EITHER_SIDE)
    yield _ALPHA
    yield Field("delta", "Difference", "Test the difference A − B against this.", "number", "test", 0.0)
    yield Field("margin", "Margin", "Also test non-inferiority and equivalence within this margin.", "number", "test")


def _tests() -> tuple[Choice, ...]:
    from outscore.inference.registry import TESTS

    return chosen(TESTS)


def _corrections(*, all_pairs: bool = False) -> tuple[Choice, ...]:
    from outscore.inference.families.multiplicity import CORRECTIONS

    return chosen({name: entry for name, entry in CORRECTIONS.items() if all_pairs or not entry.all_pairs})


def _adjusting() -> tuple[Choice, ...]:
    """Corrections that need p-values alone."""
    from outscore.inference.families.multiplicity import CORRECTIONS

    return chosen({name: e for name, e in CORRECTIONS.items() if e.function is not None and not e.all_pairs})


def _tasks(but: tuple[str, ...] = ()) -> tuple[Choice, ...]:
    from outscore.workflows.diff.tasks.registry import TASKS

    return chosen({name: entry for name, entry in TASKS.items() if name not in but})
