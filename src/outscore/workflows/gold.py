"""What a metric makes of answers beside right ones: counts by class, probabilities, or scores beside those of people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NoReturn

import numpy as np

from outscore.core.errors import OutscoreError, RowError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.options import complete, parse_spec
from outscore.core.rows import match_runs
from outscore.formats.tables.measures import is_unclear
from outscore.formats.tables.names import join_names
from outscore.language.numbers import count, format_number, format_probability
from outscore.laws import normal, normal_quantile
from outscore.metrics.judged import FEWEST_CLASSES, delong
from outscore.metrics.outputs import NOTHING, class_counts
from outscore.metrics.registry import METRICS, beside_of, entry_of, resolve
from outscore.results.note import Note
from outscore.scores.align import Aligned
from outscore.scores.system import NO_ANSWER, Labels, Origin, Scores, spelled, spelled_number
from outscore.workflows.reading import resolve_direction

MOST_ROUNDED = 0.006
"""So far from 1 may each of the probabilities of all classes take their sum, which were rounded."""
FEW_OF_A_CLASS = 10
"""With fewer items of one class, intervals of an area are too short."""
MAX_CLASSES = 200
"""More different right answers than this are not classes but free answers."""


def scored_beside_gold(systems: Sequence[Scores], metric: str | AdditiveMetric | None) -> list[Scores]:
    """The systems with what the metric makes of their answers beside the right ones; unchanged if it makes nothing of them.

    An empty answer belongs to no class; an answer that never occurs in gold is a separate class.

    Examples
    --------
    >>> answers, gold = Labels.of(["cat", "dog", "cat"]), Labels.of(["cat", "dog", "dog"])
    >>> (found,) = scored_beside_gold([Scores("new", np.array([1, 1, 0]), answers=answers, gold=gold)], "macro-f1")
    >>> found.values.tolist()
    [[1, 0, 1, 0, 1, 0], [0, 1, 0, 1, 0, 1], [0, 0, 1, 0, 0, 1]]
    >>> answers, gold = Labels.of(["0.9", "0.2"]), Labels.of(["yes", "no"])
    >>> scored_beside_gold([Scores("new", np.array([0, 0]), answers=answers, gold=gold)], "brier")[0].values.tolist()
    [[0.9, 1.0], [0.2, 0.0]]
    """
    beside = beside_of(metric)
    if not beside or any(one.answers is None or one.gold is None for one in systems):
        return list(systems)
    if beside == "probabilities":
        return _probabilities(systems, str(metric))
    if beside == "people":
        # Of all systems together, so that the order of rows does not matter.
        outputs = sorted({name for one in systems if one.repeats is not None for name in _used(one.repeats)})
        return _without_items([_beside_people(one, str(metric), outputs) for one in systems], systems)
    return _counted_by_class(systems, metric)


def _counted_by_class(systems: Sequence[Scores], metric: str | AdditiveMetric | None) -> list[Scores]:
    names: dict[str, int] = {}
    coded = []
    for one in systems:
        answers, gold = _both(one)
        if (same := spelled(gold)) is not gold:
            gold, answers = same, Labels(answers.codes, tuple(map(spelled_number, answers.names)))
        coded.append((_coded(gold, names), _coded(answers, names)))
    # Classes in order of their names, so that the order of rows and files does not matter.
    place = {names[name]: rank for rank, name in enumerate(sorted(name for name in names if name != NO_ANSWER))}
    moved = np.array([place.get(code, NOTHING) for code in range(len(names))], dtype=np.int64)
    refuse_free_answers(len(place), metric)
    counted = []
    for one, (right, given) in zip(systems, coded, strict=True):
        empty = np.flatnonzero(moved[right] == NOTHING)
        if len(empty):
            raise one.row_error(int(empty[0]), f"{one.place(int(empty[0]))}: the right answer is empty.", "Give each item one.")
        counted.append(replace(one, values=class_counts(moved[right], moved[given], max(2, len(place)))))
    return counted


def _both(scores: Scores) -> tuple[Labels, Labels]:
    """The answers of a system and the right ones, which it has."""
    assert scores.answers is not None
    assert scores.gold is not None
    return scores.answers, scores.gold


def refuse_free_answers(values: int, metric: str | AdditiveMetric | None) -> None:
    """Refuse to treat too many different values as classes."""
    if values > MAX_CLASSES:
        raise OutscoreError(
            f"The answers have {values:,} different values, which are too many to be classes, but {metric} is for classes.",
            "Leave --metric out to compare how often answers are right.",
            parameter="metric",
        )


# Numbers beside gold: probabilities of one of two classes, and scores of outputs beside those that people gave.


POSITIVES = ("1", "1.0", "true", "yes", "positive", "pos")
"""What the class is called, without capitals, whose probability people give."""
NEGATIVES = ("0", "0.0", "-1", "-1.0", "false", "no", "negative", "neg")
"""What the other is called: beside `2`, `1` may be either."""


OF_MANY = {
    "brier": " The Brier score adds up their squared errors, from 0 to 2.",
    "accuracy-at": " An answer is right where the right class alone has the highest one.",
}
"""What a metric makes of the probabilities of several classes."""


def _numbers(scores: Scores, labels: Labels, what: str) -> Array:
    """The numbers that labels write; the first that is none is refused with its line."""
    values = np.array([_number(name) for name in labels.names])[labels.codes]
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        row = int(bad[0])
        cure = f"Give each row {what}, or name another column with --prediction or --gold."
        found = f"is `{labels[row]}`, not a number"
        if labels[row] == NO_ANSWER:
            found = "is missing"
            cure = f"Give each row {what}, or leave out and count such rows with --missing drop (missing=... in Python)."
        raise scores.row_error(row, f"{scores.place(row)}: {what} of `{scores.name}` {found}.", cure, parameter="gold")
    return np.asarray(values)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def positive_class(gold: Sequence[str], metric: str) -> str:
    """The class whose probability is given: the named one, or that with a usual name among two.

    Examples
    --------
    >>> positive_class(["no", "yes"], "brier"), positive_class(["ham", "spam"], "brier:positive=spam")
    ('yes', 'spam')
    """
    named = str(parse_spec(metric)[1].get("positive", ""))
    named = named if named in gold else spelled_number(named)
    usual = [name for name in gold if name.casefold() in POSITIVES]
    if any(name.casefold() not in NEGATIVES for name in gold if name not in usual):
        usual = []
    name = parse_spec(metric)[0]
    if named and named not in gold:
        _refuse_class(f"There is no class `{named}` among the right answers, {join_names(gold)}.", name, gold)
    if len(gold) > 2 and not named:
        _refuse_class(f"The right answers are of {len(gold)} classes, {join_names(gold)}, not of two.", name, gold)
    if not named and len(usual) != 1:
        _refuse_class(f"It is not clear which of {join_names(gold)} the probabilities are of.", name, gold)
    return named or usual[0]


def _refuse_class(message: str, metric: str, gold: Sequence[str]) -> NoReturn:
    raise OutscoreError(message, f"Name the class: --metric {metric}:positive={gold[-1]}.", parameter="metric")


def _probabilities(systems: Sequence[Scores], metric: str) -> list[Scores]:
    """Rows of the probability of the positive class, and of whether that is right; or of what is made of several classes."""
    _refuse_runs(systems, metric)
    positive = None if _of_many_classes(systems, metric) else positive_class(_classes(systems), metric)
    found = []
    for one in systems:
        values = _of_classes(one, metric) if positive is None else _of_one_class(one, positive)
        try:
            resolve(metric, values, values)
        except RowError as refusal:
            message = f"{one.place(refusal.row)}: `{one.name}` {refusal.problem}."
            raise one.row_error(refusal.row, message, refusal.hint, parameter="metric") from None
        found.append(replace(one, values=values, answers=None, averages=False))
    return found


def _of_one_class(scores: Scores, positive: str) -> Array:
    """The probability of a class beside whether it is right; where each class has a column, that of the class counts."""
    answers, gold = _both(scores)
    gold, columns = spelled(gold), {spelled_number(name): labels for name, labels in scores.of_classes.items()}
    right = np.array([name == positive for name in gold.names])[gold.codes]
    return np.stack([_numbers(scores, columns.get(positive, answers), "the number"), right], axis=1)


def _of_many_classes(systems: Sequence[Scores], metric: str) -> bool:
    """Whether each system has a column of probabilities for each of several classes, none of which the metric names."""
    most = max(systems, key=lambda one: len(one.of_classes))
    if len(most.of_classes) < FEWEST_CLASSES or parse_spec(metric)[1].get("positive"):
        return False
    for one in systems:
        if one.of_classes.keys() != most.of_classes.keys():
            message = f"{one.label} has no column of probabilities for each of {join_names(sorted(most.of_classes))}."
            raise OutscoreError(message, "Give every system one for each class.", parameter="prediction")
    return True


def _of_classes(scores: Scores, metric: str) -> Array:
    """Rows of what the metric makes of the probabilities of several classes, beside the right one."""
    name, given = parse_spec(metric)
    classes = sorted(scores.of_classes)
    one_class = f"Name one class: --metric {name}:positive={classes[-1]}."
    if METRICS[name].make(complete(name, METRICS[name].options, given)).joint is not None:
        raise OutscoreError(f"`{name}` ranks the probabilities of one class, but there are {len(classes)}.", one_class)
    if "threshold" in given:
        cure = f"Leave it out. {one_class}"
        raise OutscoreError("A threshold is for the probability of one class.", cure, parameter="metric")
    table = np.stack([_numbers(scores, scores.of_classes[one], f"the probability of `{one}`") for one in classes], axis=1)
    sums = table.sum(axis=1)
    wrong = ((table < 0) | (table > 1)).any(axis=1) | (np.abs(sums - 1) > MOST_ROUNDED * len(classes))
    if wrong.any():
        row, cure = int(wrong.argmax()), "Give probabilities that add up to 1."
        found = f"the probabilities of the {len(classes)} classes are not between 0 and 1, or add up to {sums[row]:.4g}"
        raise scores.row_error(row, f"{scores.place(row)}: {found}.", cure, parameter="metric")
    gold = spelled(_both(scores)[1])
    place = {spelled_number(one): k for k, one in enumerate(classes)}
    right = np.array([place.get(one, -1) for one in gold.names])[gold.codes]
    chosen = table[np.arange(len(table)), right]
    if name == "log-loss":
        return np.stack([chosen, np.ones(len(table))], axis=1)
    if METRICS[name].many is not None:
        return np.column_stack([table, right])
    # Where several classes are as probable as the right one, none was answered.
    alone = (table >= chosen[:, None]).sum(axis=1) == 1
    return np.stack([alone, np.ones(len(table))], axis=1).astype(float)


def _classes(systems: Sequence[Scores]) -> list[str]:
    """The classes among the right answers."""
    return sorted({name for one in systems if one.gold is not None for name in _used(spelled(one.gold))})


def _refuse_runs(systems: Sequence[Scores], metric: str) -> None:
    """Refuse runs, whose probabilities would be averaged."""
    one = next((one for one in systems if one.repeats is not None), None)
    if one is not None:
        message = f"`{parse_spec(metric)[0]}` takes one probability of each item, but {one.label} has several runs."
        raise OutscoreError(message, "Give one run of each item, or score each run by itself.", parameter="metric")


def _used(labels: Labels) -> list[str]:
    return [labels.names[code] for code in np.unique(labels.codes).tolist()]


def _sign(scores: Scores) -> int:
    """-1 where lower numbers are better, by the column that they stand in, or else by the name of the system."""
    column = None if scores.origin is None else scores.origin.column("answer")
    name = column or scores.name
    if is_unclear(name):
        message = f"It is not clear from the name `{name}` whether lower or higher scores are better."
        raise OutscoreError(message, "Give the column a name that says so, such as error or quality.", parameter="prediction")
    return -1 if resolve_direction("mean", "auto", [name], scores=None).better == "lower" else 1


def _beside_people(scores: Scores, metric: str, outputs: Sequence[str]) -> Scores:
    """One row per item: how far the order of its outputs, by these systems, agrees with that of people."""
    answers, gold = _both(scores)
    entry = METRICS[parse_spec(metric)[0]]
    assert entry.items is not None
    if scores.ids is None or scores.repeats is None:
        raise OutscoreError(
            f"{scores.label} does not say which system made which output of which item.",
            "Name the columns: --item COLUMN for the items and --repeat COLUMN for the systems that made the outputs.",
            parameter="repeat",
        )
    own = _numbers(scores, answers, "the score") * _sign(scores)
    people = _numbers(scores, gold, "people's score")
    keys = scores.ids.codes.astype(np.int64)
    if scores.datasets is not None:
        keys = keys * len(scores.datasets.names) + scores.datasets.codes
    items, first, row = np.unique(keys, return_index=True, return_inverse=True)
    place = {name: i for i, name in enumerate(outputs)}
    column = np.array([place.get(name, -1) for name in scores.repeats.names])[scores.repeats.codes]
    _, once = np.unique(row * len(outputs) + column, return_index=True)
    if len(once) < scores.rows:
        twice = int(np.setdiff1d(np.arange(scores.rows), once)[0])
        message = f"{scores.place(twice)}: `{scores.repeats[twice]}` has a second output of `{scores.ids[twice]}`."
        raise scores.row_error(twice, message, "Give one row for each item and system.")
    tables = np.full((2, len(items), len(outputs)), np.nan)
    tables[:, row, column] = own, people
    options = complete(entry.name, entry.options, parse_spec(metric)[1])
    rows = entry.items(tables[0], tables[1], options)
    # In the order of the file, without items whose outputs cannot be ordered.
    kept = np.argsort(first, kind="stable")
    kept = kept[~np.isnan(rows[kept]).reshape(len(kept), -1).any(axis=1)]
    if not len(kept):
        cure = "Give several systems' outputs of each item, with scores that people gave them."
        raise OutscoreError(f"{scores.label}: no item has outputs that people ordered.", cure, parameter="gold")
    return replace(scores.take(first[kept]), values=rows[kept], repeats=None, answers=None, gold=None)


def _without_items(found: Sequence[Scores], systems: Sequence[Scores]) -> list[Scores]:
    """The same, whose files say how many rows belong to items that cannot be ordered; systems of one file have one origin."""
    origins: dict[int, Origin] = {}
    told = []
    for one, before in zip(found, systems, strict=True):
        if one.origin is not None and one.ids is not None and before.ids is not None:
            kept = np.isin(before.ids.codes, one.ids.codes)
            left_out = one.origin.left_out + int((~kept).sum())
            origin = origins.setdefault(id(one.origin), replace(one.origin, left_out=left_out))
            told.append(replace(one, origin=origin))
        else:
            told.append(one)
    return told


def gold_facts(systems: Sequence[Scores], metric: str | AdditiveMetric | None) -> list[Note]:
    """What the metric made of answers beside right ones, in words."""
    entry, beside = entry_of(metric), beside_of(metric)
    if entry is None or any(one.values.ndim == 1 and beside != "people" for one in systems):
        return []
    if beside == "probabilities":
        return _probability_notes(systems, str(metric))
    if beside == "people":
        low = [one.name for one in systems if _sign(one) < 0]
        turned = f"; lower is better for {join_names(low)}, so {'its sign was' if len(low) == 1 else 'their signs were'} turned"
        text = f"Systems are the metrics or judges: {entry.summary.partition(': ')[2]}{turned if low else ''}."
        return [Note("input", text)]
    return _class_notes(systems) if beside == "classes" else []


def _probability_notes(systems: Sequence[Scores], metric: str) -> list[Note]:
    gold = [spelled(one.gold) for one in systems if one.gold is not None]
    if not gold:
        return []
    if _of_many_classes(systems, metric):
        names, about = join_names(sorted(systems[0].of_classes)), OF_MANY.get(parse_spec(metric)[0], "")
        return [Note("input", f"Numbers are the probabilities of the classes {names}.{about}"), *_raised_notes(systems, metric)]
    positive = positive_class(_classes(systems), metric)
    share = float(np.mean([name == positive for name in gold[0].texts()]))
    text = f"Numbers are for `{positive}`, which is right for {100 * share:.3g}% of the items."
    return [Note("input", text), *_raised_notes(systems, metric)]


def _raised_notes(systems: Sequence[Scores], metric: str) -> list[Note]:
    least = float(parse_spec(metric)[1].get("least", 0))
    if not least:
        return []
    raised = sum(
        int((np.where(one.values[:, 1] == 1, one.values[:, 0], 1 - one.values[:, 0]) < least).sum()) for one in systems
    )
    if not raised:
        return []
    probabilities = "probability was" if raised == 1 else "probabilities were"
    return [Note("input", f"{raised:,} {probabilities} raised to {least:g}, the smallest allowed.")]


def delong_notes(aligned: Aligned, metric: str | AdditiveMetric, alpha: float) -> list[Note]:
    """What DeLong's test says of two areas under the ROC curve; nothing of other metrics, and of clusters, which it ignores."""
    clustered = any(one.clusters is not None for one in aligned.scores)
    if clustered or not isinstance(metric, str) or parse_spec(metric)[0] != "auc":
        return []
    a, b = aligned.runs_of(0), aligned.runs_of(1)
    rows, partners, _ = match_runs(a, b)
    positive, home = a.values[rows][:, 1] == 1, aligned.home[a.items[rows]]
    few = _few_of_a_class(positive, home)
    if len(set(home.tolist())) > 1:
        return few
    found = delong(a.values[rows], b.values[partners])
    if found is None or not found[1]:
        return few
    difference, error = found
    p, reach = 2 * normal(-abs(difference) / error), normal_quantile(1 - alpha / 2) * error
    low, high = (format_number(difference + turn * reach) for turn in (-1, 1))
    swaps = "Mid-ranks within each system were swapped (Bandos, Rockette and Gur, 2005)"
    text = f"{swaps}; DeLong's large-sample test of equal areas gives p = {format_probability(p)}, interval {low} to {high}."
    return [Note("method", text), *few]


def _few_of_a_class(positive: Array, home: Array) -> list[Note]:
    """A warning if some dataset has few items of one class."""
    datasets = int(home.max(initial=0)) + 1
    least = min(int(np.bincount(home[side], minlength=datasets)[np.unique(home)].min()) for side in (positive, ~positive))
    if least >= FEW_OF_A_CLASS:
        return []
    text = f"Only {count(least, 'item')} of one class: with so few, intervals of areas are too short (simulated coverage of"
    return [Note("warning", f"{text} 95% intervals: .85 with four or five items, .91 with eight, .94 with fifteen).")]


def _class_notes(systems: Sequence[Scores]) -> list[Note]:
    """How many classes there are, and which answers belong to none in gold."""
    if any(one.answers is None or one.gold is None for one in systems):
        return []
    right = set(_classes(systems))
    start = f"Answers were counted by class; the right ones have {len(right):,} different values"
    notes = [Note("input", f"{start}; `outscore diff --task label` shows which ones changed.")]
    for one in systems:
        answers, _ = _both(one)
        strange = [right.isdisjoint((name, spelled_number(name))) and name != NO_ANSWER for name in answers.names]
        strange_rows = np.flatnonzero(np.array(strange, dtype=bool)[answers.codes])
        if len(strange_rows):
            what = f"{count(len(strange_rows), 'answer')} of {one.name}"
            verb = "is not one of the right classes" if len(strange_rows) == 1 else "are not among the right classes"
            notes.append(
                Note("input", f"{what} {verb}, such as `{answers[int(strange_rows[0])]}`; macro-F1 counts them as classes.")
            )
    return notes


def _coded(labels: Labels, names: dict[str, int]) -> Array:
    codes = np.array([names.setdefault(name, len(names)) for name in labels.names], dtype=np.int64)
    return codes[labels.codes]
