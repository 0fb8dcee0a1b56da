"""What a ranking rests on, in short statements: the test, the pairs, the correction with its error rate, order and coverage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from outscore.language.numbers import count, format_level, format_percent
from outscore.language.phrases import correction_name, method_phrase, name_of_test
from outscore.language.verdict.ranking import design_parts
from outscore.report.document import Fact, clean
from outscore.report.rows.comparison import ERROR_RATES
from outscore.results.design import Family
from outscore.results.note import note_texts
from outscore.results.pvalue import PValue
from outscore.results.ranking import RankDesign, Ranking, Standing

__all__ = ["correction_name", "decided", "facts", "headline", "leaders", "words_of_test"]

RATES = ERROR_RATES | {"PCER": "error rate of each comparison alone (PCER)", "PFER": "expected number of false claims (PFER)"}


def headline(ranking: Ranking) -> tuple[str, str]:
    """The verdict in two parts: what to set in large letters, and what to set under it."""
    # Files of version 0.1.0 have the verdict as one text.
    return clean(ranking.headline or ranking.verdict), clean(ranking.reason)


def leaders(standing: Standing) -> int:
    """How many systems no other one is significantly better than."""
    return sum(s.rank_low == 1 for s in standing.scores)


def decided(ranking: Ranking) -> bool:
    """Whether the question has an answer: one leader, or some system that differs from the baseline."""
    return leaders(ranking.standing) == 1 if ranking.baseline is None else ranking.counts.significant > 0


def words_of_test(standing: Standing) -> str:
    """The test and how p came about; where that differs from pair to pair, how often each way."""
    ways = Counter(
        method_phrase(PValue(1.0, 1.0, 1.0, 0.0, pair.p.method, standing.kernel, standing.test))
        for pair in standing.pairs
        if pair.n
    )
    if len(ways) > 1:
        told = "; ".join(f"{words} ({count(n, 'pair')})" for words, n in ways.most_common())
    else:
        told = next(iter(ways), name_of_test(standing.test))
    return clean(f"{told}, two-sided; kernel {standing.kernel}")


def facts(ranking: Ranking) -> list[Fact]:
    """Everything that supports the ranking in a line or two, without what is missing."""
    # Where nothing could be tested, nothing can be said of how.
    tested = ranking.counts.testable > 0
    listed: list[tuple[str, Iterable[str]]] = [
        ("test", _tests(ranking) if tested else []),
        ("design", [] if ranking.design is None else [_design(ranking, ranking.design)]),
        ("pairs", [_pairs(ranking)]),
        ("correction", _corrections(ranking) if tested else []),
        ("intervals", [clean(f"of each pair: {ranking.interval}")] if ranking.interval and tested else []),
        ("order", [_order(ranking)] if tested else []),
        ("coverage", [_coverage(ranking)]),
        ("notes", _notes(ranking)),
    ]
    return [Fact(label, tuple(lines), guarded=label == "notes") for label, lines in listed if lines]


def _design(ranking: Ranking, design: RankDesign) -> str:
    sets = len({part.name for part in ranking.datasets})
    return clean(", ".join([*design_parts(design), *([count(sets, "dataset")] if sets else [])]))


def _tests(ranking: Ranking) -> list[str]:
    """The test of the answer, and that of the datasets where it is another."""
    lines = [words_of_test(ranking.standing)]
    of_datasets = list(dict.fromkeys(name_of_test(part.test) for part in ranking.datasets if part.test != ranking.test))
    return [*lines, f"datasets: {clean(', '.join(of_datasets))}"] if of_datasets else lines


def _pairs(ranking: Ranking) -> str:
    counts = ranking.counts
    verb, level = "differs" if counts.testable == 1 else "differ", format_level(ranking.alpha)
    text = f"{counts.significant:,} of {count(counts.testable, 'pair')} {verb} significantly at alpha = {level}"
    text += "" if ranking.baseline is None else f"; each is a system and the baseline, {clean(ranking.baseline)}"
    apart = counts.pairs - counts.testable
    if not counts.testable:
        return "1 pair, which shares no item" if apart == 1 else f"{apart:,} pairs, none of which shares an item"
    more = "shares no item, and is" if apart == 1 else "share no item, and are"
    # Shaffer's correction is for all pairs of the systems, those that could not be tested among them.
    part = "counted in" if ranking.correction == "shaffer" else "no part of"
    return text + (f"; {apart:,} more {more} {part} the correction" if apart else "")


def _corrections(ranking: Ranking) -> list[str]:
    lines = [_family(ranking.family)]
    if ranking.datasets_family is not None:
        what = "datasets and metrics" if ranking.metrics else "datasets"
        lines.append(f"{what}: {_family(ranking.datasets_family)}")
    return lines


def _family(family: Family) -> str:
    rate = RATES.get(family.error_rate, family.error_rate)
    return f"{correction_name(family.correction)} over m = {family.m:,}, which controls the {rate}"


def _order(ranking: Ranking) -> str:
    if ranking.ordered_by == "advantage":
        return "by the mean paired advantage over the other systems, because systems have different items"
    return "by score"


def _coverage(ranking: Ranking) -> str:
    c = ranking.coverage
    noun = "item" if ranking.design is None else ranking.design.noun
    text = f"{count(c.systems, 'system')}, {count(c.items, noun)}"
    if c.missing:
        cells = c.systems * c.items
        share = f" ({format_percent(round(c.missing / cells, 3))})" if cells else ""
        text += f"; {c.missing:,} of {cells:,} scores are missing{share}"
    if c.duplicates:
        text += f"; {count(c.duplicates, 'repeated row')}" + (f", {c.conflicts:,} in conflict" if c.conflicts else "")
    return text


def _notes(ranking: Ranking) -> list[str]:
    """Notes of the whole and of its parts, each once."""
    parts = [f"{clean(s.name or s.metric)}: {note}" for s in (*ranking.datasets, *ranking.metrics) for note in s.notes]
    return [clean(text) for text in dict.fromkeys([*note_texts(ranking.notes), *parts])]
