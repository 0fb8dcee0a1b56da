"""Where another look at the same systems contradicts the verdict: another score, a dataset, a part of the data.

A verdict is about one number. Whoever reads it has to know if the system that it names is significantly worse by another one.
Only a difference that is significant after correction contradicts anything; the words say which correction that was.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from outscore.core.records import dataclass
from outscore.language.numbers import count, decimals_for, format_number, format_probability
from outscore.language.phrases import join_words
from outscore.results.design import HOLM
from outscore.results.note import Note

SHOWN = 4
"""How many looks a sentence lists; it counts the rest."""


@dataclass(frozen=True)
class Look:
    """One more look at two systems.

    `where` follows the word "better": "by UAS", "on de-en". `p` is the p that counts, corrected for the number of looks.
    """

    where: str
    better: str
    worse: str
    p: float
    numbers: str = ""

    @classmethod
    def of(cls, where: str, systems: tuple[str, str], ahead: int, p: float, scores: tuple[float, float]) -> Look:
        """A look by which system `ahead` is better, with both scores, which are in the order of the systems.

        Examples
        --------
        >>> Look.of("by UAS", ("new", "old"), 1, 0.01, (0.5, 0.75)).numbers
        '0.7500 against 0.5000'
        """
        decimals = decimals_for(*scores, difference=scores[0] - scores[1])
        numbers = f"{format_number(scores[ahead], decimals)} against {format_number(scores[1 - ahead], decimals)}"
        return cls(where, systems[ahead], systems[1 - ahead], p, numbers)


@dataclass(frozen=True)
class Contradiction:
    """What contradicts a verdict: the words, the note that stands beside it, and what follows a sentence for a paper."""

    clause: str
    decided: bool

    @property
    def note(self) -> Note:
        """The note beside the verdict."""
        return Note("contradiction", f"{'Against this verdict, ' if self.decided else 'Yet '}{self.clause}.")

    @property
    def sentence(self) -> str:
        """What follows a sentence for a paper."""
        return f"However, {self.clause}."


def verdict_claims(
    systems: tuple[str, str], ahead: int | None, looks: Iterable[Look], alpha: float, *, decided: bool
) -> set[tuple[str, str]]:
    """Who is better than whom according to the verdict, or according to the difference if nobody won.

    If nobody won, looks that favour both systems contradict each other.
    """
    claims = set() if ahead is None else {(systems[ahead], systems[1 - ahead])}
    if decided:
        return claims
    seen = {(look.worse, look.better) for look in looks if look.p <= alpha}
    return seen if len(seen) > 1 else claims


def find(claims: Collection[tuple[str, str]], looks: Iterable[Look], alpha: float) -> list[Look]:
    """The looks by which the worse system of a claim is significantly better.

    Examples
    --------
    >>> looks = [Look("by UAS", "old", "new", 0.01), Look("by LS", "new", "old", 0.01), Look("by CLAS", "old", "new", 0.2)]
    >>> [look.where for look in find({("new", "old")}, looks, 0.05)]
    ['by UAS']
    """
    return [look for look in looks if (look.worse, look.better) in claims and look.p <= alpha]


def holm(looks: Sequence[Look]) -> list[Look]:
    """The looks with their p corrected by Holm over all of them."""
    from outscore.inference.families import adjust

    adjusted = adjust([look.p for look in looks], HOLM).tolist()
    return [replace(look, p=p) for look, p in zip(looks, adjusted, strict=True)]


def in_words(groups: Iterable[tuple[Sequence[Look], str]], *, decided: bool) -> Contradiction | None:
    """What contradicts a verdict, each group of looks with its correction; None if nothing does.

    Examples
    --------
    >>> found = in_words([([Look("on de-en", "B", "A", 0.003)], "Holm over 6 datasets")], decided=True)
    >>> found.note.text
    'Against this verdict, B is significantly better than A on de-en (adjusted p = .00300; Holm over 6 datasets).'
    >>> found.sentence
    'However, B is significantly better than A on de-en (adjusted p = .00300; Holm over 6 datasets).'
    """
    clauses = [_clause(looks, correction) for looks, correction in groups if looks]
    return Contradiction("; ".join(clauses), decided) if clauses else None


def _clause(looks: Sequence[Look], correction: str) -> str:
    """Who is better than whom and where, the looks of one pair together; the first p says how it was corrected."""
    shown, by_pair = looks[:SHOWN], dict[tuple[str, str], list[str]]()
    for look in shown:
        how = f"; {correction}" if look is shown[0] else ""
        numbers = ", ".join(filter(None, (look.numbers, f"adjusted p = {format_probability(look.p)}{how}")))
        by_pair.setdefault((look.better, look.worse), []).append(f"{look.where} ({numbers})")
    clauses = [
        f"{better} is significantly better than {worse} {join_words(where)}" for (better, worse), where in by_pair.items()
    ]
    more = f", and {count(len(looks) - SHOWN, 'more case')}" if len(looks) > SHOWN else ""
    return f"{join_words(clauses)}{more}"
