"""Words for diffs: the verdict and the sentence of a pair, and warnings about labels that files do not share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from outscore.language.numbers import count, format_probability
from outscore.language.phrases import corrected_by, join_words
from outscore.language.verdict.comparison import Facts, sentence, verdict
from outscore.language.verdict.contradiction import Contradiction, Look, find, in_words, verdict_claims
from outscore.results.diff import Outcomes, Pair, ScoreChange

UNITS = {"pos": "word", "dep": "word", "ner": "span", "label": "item", "coref": "mention"}
"""What each task counts."""
SENTENCES = "sentences"
"""The score of sentences that are right as a whole, of which every criterion has one."""
MUC, ARCS_ANY = "muc", "arcs-any"
"""The same score under two names, which counts once."""
MAX_LABELS = 5
"""Labels that a warning lists; of more, the rest is counted."""
METRIC_NAMES = {
    "las": "LAS",
    "uas": "UAS",
    "ls": "label score",
    "upos": "UPOS accuracy",
    "xpos": "XPOS accuracy",
    "feats": "accuracy of features",
    "ufeats": "UFeats accuracy",
    "alltags": "AllTags accuracy",
    "lemma": "lemma accuracy",
    "clas": "CLAS",
    "mlas": "MLAS",
    "blex": "BLEX",
    "tag": "tag accuracy",
    "f1": "span F1",
    "sentences": "whole sentences",
    "macro-f1": "macro F1",
    "weighted-f1": "weighted F1",
    "mcc": "MCC",
    "muc": "MUC F1",
    "b3": "B³ F1",
    "ceafe": "CEAFe F1",
    "lea": "LEA F1",
    "mela": "MELA",
    "conll": "CoNLL F1",
    "arcs-any": "ARCS-any F1",
    "arcs-nom": "ARCS-nom F1",
}
"""What sentences call the scores of criteria."""


def score_name(metric: str, by: str | None = None) -> str:
    """What sentences call a score; whole sentences are right by one of several criteria.

    Examples
    --------
    >>> score_name("sentences", "uas"), score_name("ls", "uas")
    ('whole sentences by UAS', 'label score')
    """
    name = METRIC_NAMES.get(metric, metric)
    return name if by is None or metric != SENTENCES else f"{name} by {METRIC_NAMES.get(by, by)}"


def changes_of(outcomes: Outcomes) -> list[str]:
    """How often an answer became right, became wrong, or is wrong in another way.

    Examples
    --------
    >>> changes_of(Outcomes(both_right=6, correction=2, new_error=1, changed_error=0, shared_error=5))
    ['2 corrections', '1 new error', '0 changed errors']
    """
    return [count(getattr(outcomes, name), name.replace("_", " ")) for name in ("correction", "new_error", "changed_error")]


def pairs_in_words(
    pairs: Sequence[Pair], *, unit: str, cluster: str | None, alpha: float, correction: str, clusters: int | None = None
) -> list[Pair]:
    """The pairs, by all criteria, with their verdicts and what contradicts these: the other scores of the same two systems.

    `unit` is what was counted, `cluster` what was swapped as one, and `clusters` how many of these gold has, those without a
    unit included: the size of the data, which the sentence states. All scores of all pairs are corrected together.
    """
    from outscore.inference.families import correct_family

    by_systems: dict[tuple[str, str], list[Pair]] = {}
    for pair in pairs:
        by_systems.setdefault(pair.systems, []).append(pair)
    every = [(systems, *score) for systems, several in by_systems.items() for score in _scores_of(several)]
    p_values, family = correct_family([change.p for _, _, change, _ in every], correction)
    looks: dict[tuple[str, str], list[tuple[str, Look]]] = {systems: [] for systems in by_systems}
    for (systems, name, change, criterion), p in zip(every, p_values, strict=True):
        looks[systems].append((criterion, _look(systems, name, change, p.deciding)))
    by = corrected_by(family, "score")
    told = []
    for pair in pairs:
        facts = Facts(
            systems=pair.systems[::-1],
            metric=score_name(pair.metric),
            higher_is_better=True,
            scores=(pair.second, pair.first),
            difference=pair.difference,
            p=pair.p,
            interval=pair.interval,
            alpha=alpha,
            identical=pair.outcomes.changes == 0 and pair.difference == 0,
        )
        counts = _counts(pair, unit, cluster)
        n, noun, more = pair.n, unit, ""
        if pair.clusters is not None:
            n, noun = clusters or pair.clusters, str(cluster)
            more = f" ({pair.clusters:,} of them with {unit}s)" if n > pair.clusters else ""
        answer = verdict(facts)
        answer = replace(answer, reason=answer.reason + counts + _limit(pair, cluster, alpha) + _family(pair))
        against = _contradiction(pair, looks[pair.systems], by, alpha)
        said = sentence(facts, n=n, noun=noun, more=more) + counts
        told.append(
            replace(
                pair,
                verdict=answer.text,
                headline=answer.headline,
                reason=answer.reason,
                identical=facts.identical,
                sentence=said if against is None else f"{said} {against.sentence}",
                notes=[*([] if against is None else [against.note]), *pair.notes],
            )
        )
    return told


def _scores_of(pairs: Sequence[Pair]) -> list[tuple[str, ScoreChange, str]]:
    """Every score of two systems once, with its name and the criterion by which it decides, if it does.

    The one that decides by one criterion may be a further score by another.
    """
    scores = [
        (score_name(p.metric), ScoreChange(p.metric, p.first, p.second, p.difference, p.interval, p.p), p.criterion)
        for p in pairs
    ]
    for pair in pairs:
        by = pair.metric if len(pairs) > 1 else None
        scores += [(score_name(change.metric, by), change, "") for change in pair.metrics]
    named = {score[0]: score for score in reversed(scores)}
    if score_name(ARCS_ANY) in named:
        named.pop(score_name(MUC), None)
    return list(named.values())[::-1]


def _look(systems: tuple[str, str], name: str, change: ScoreChange, p: float) -> Look:
    """A score as a look; where the systems are equal, nothing can contradict anything."""
    p = p if change.difference else 1.0
    return Look.of(f"by {name}", systems, int(change.difference > 0), p, (change.first, change.second))


def _contradiction(pair: Pair, scores: Sequence[tuple[str, Look]], by: str, alpha: float) -> Contradiction | None:
    looks = [look for criterion, look in scores if criterion != pair.criterion]
    decided = pair.is_significant(alpha)
    ahead = None if pair.difference == 0 else int(pair.difference > 0)
    claims = verdict_claims(pair.systems, ahead, looks, alpha, decided=decided)
    return in_words([(find(claims, looks, alpha), by)], decided=decided)


def _counts(pair: Pair, unit: str, cluster: str | None) -> str:
    if not pair.outcomes.n:
        return ""
    swapped = "" if cluster is None else f", swapped by {cluster}"
    by = f"By {METRIC_NAMES[pair.counted_by].removesuffix(' F1')}: " if pair.counted_by else ""
    return f" {by}{join_words(changes_of(pair.outcomes))} of {count(pair.n, unit)}{swapped}."


def _limit(pair: Pair, cluster: str | None, alpha: float) -> str:
    """A warning where so few clusters are swapped that no difference could be significant."""
    # The test swaps clusters without a gold unit too, where a system has some: their number is that of its p.
    n = pair.p.n
    if pair.clusters is None or (lowest := 2.0 ** (1 - n)) <= alpha or (pair.outcomes.changes == 0 and not pair.difference):
        return ""
    if n == 1 and cluster == "document":
        cure = "Give more documents, or --cluster sentence, if its sentences may be taken for independent."
        return f" A single document leaves nothing to swap: no difference can be tested. {cure}"
    few = f" With {count(n, str(cluster))} p cannot be below {format_probability(lowest)}"
    cure = "; put a blank line after each sentence." if n == 1 and cluster == "sentence" else "."
    return f"{few}, whatever the difference{cure}"


def _family(pair: Pair) -> str:
    """One sentence where p is corrected over all pairs and the interval is not."""
    family = pair.families.get("pairs")
    if family is None or pair.interval is None:
        return ""
    return f" p is adjusted for {family.m} pairs; the interval is not."


def unused_labels_warning(system: str, labels: Sequence[str], n: int, total: int, unit: str) -> str:
    """A system that (almost) never uses labels that `n` of all `total` gold units have."""
    return (
        f"{system} rarely or never uses {_listed(labels)}, the gold labels of {n:,} of {count(total, unit)}:"
        " differences there come from the label set. Rename labels with --map."
    )


def unknown_labels_warning(system: str, labels: Sequence[str], n: int, unit: str) -> str:
    """A system that uses labels that gold does not have, on `n` units."""
    return (
        f"{system} uses {_listed(labels)} on {count(n, unit)}, but gold never does: they always count as wrong."
        " Rename labels with --map."
    )


def _listed(labels: Sequence[str]) -> str:
    shown = ", ".join(f"`{label}`" for label in labels[:MAX_LABELS])
    return shown if len(labels) <= MAX_LABELS else f"{shown} and {len(labels) - MAX_LABELS} more labels"
