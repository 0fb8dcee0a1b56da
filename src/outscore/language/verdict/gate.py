"""The outcome of a gate in words."""

from __future__ import annotations

from outscore.language.numbers import count, format_level, format_number, format_p
from outscore.language.phrases import decimals_of, interval_phrase, method_phrase
from outscore.language.verdict.comparison import omission_of
from outscore.results.comparison import Comparison
from outscore.results.gate import Outcome
from outscore.results.pvalue import Interval

SCORE_THEM = (
    "What was never answered may be what it fails on: score these items too, or leave them out with --missing drop"
    ' (in Python missing="drop").'
)


def unanswered_of(c: Comparison) -> int:
    """How many items of the baseline (B) the candidate (A) has no score for; different items are not missing."""
    return c.alignment.only_b if c.unpaired is None else 0


def gate_verdict(
    outcome: Outcome,
    c: Comparison,
    interval: Interval | None,
    *,
    margin: float,
    alpha: float,
    worse_within: bool,
    needed: str,
) -> tuple[str, str, str]:
    """Headline, reason, and a sentence for a paper; `needed` says how many items would decide."""
    candidate, baseline = c.systems
    decimals = decimals_of(c)
    allowed = f"{margin:g}"
    assert c.margin is not None
    level = f"alpha = {format_level(alpha)}"
    below = f"any loss of {candidate} against {baseline} is below {allowed}"
    unanswered = unanswered_of(c)
    part = f"{unanswered:,} of {count(c.alignment.common + unanswered, c.design.noun)}"
    lacking = f"{candidate} has no score for {part}"
    withheld = outcome == "inconclusive" and c.margin.noninferiority.rejects(alpha)
    passed = f"{candidate} is worse than {baseline}, within the margin" if worse_within else below
    neither = f"the data show neither a loss nor that it is below {allowed}"
    words = {
        "pass": f"Pass: {passed}" + (f", {part} left out" if unanswered else ""),
        "fail": f"Fail: {candidate} is worse than {baseline}",
        "inconclusive": f"Inconclusive: {lacking if withheld else neither}",
    }
    values = [format_number(score.value, decimals) for score in c.scores]
    gap = f"{candidate} - {baseline} = {format_number(c.difference, decimals, sign=True)}"
    ends = "" if interval is None else f", {interval_phrase(interval, decimals)}"
    lower = "" if c.higher_is_better else " (lower is better)"
    tests = (
        f"loss below {allowed}: {format_p(c.margin.noninferiority, alpha, brief=True)}, "
        f"{method_phrase(c.margin.noninferiority)}; any loss: {format_p(c.p, alpha, brief=True)}, {method_phrase(c.p)}; "
        f"each one-sided, {level}"
    )
    if unanswered:
        tests += f"; {lacking}"
    after = [omission_of(c.alignment, c.unpaired), needed and f"{needed[0].upper()}{needed[1:]}."]
    if withheld:
        after.append(SCORE_THEM)
    reason = f"{c.score_name} {values[0]} against {values[1]}{lower}; {gap}{ends}; {tests}."
    reason = " ".join(filter(None, [reason, *after]))
    shown = {
        "pass": f"{below} in {c.score_name}",
        "fail": f"{candidate} is worse than {baseline}",
        "inconclusive": (
            f"the data show neither that {candidate} is worse than {baseline},"
            f" nor that its loss is below {allowed} in {c.score_name}"
        ),
    }[outcome]
    if withheld:
        shown = f"{below} in {c.score_name} where it has a score"
    sentence = f"On {count(c.n, c.design.noun)}, {shown} ({gap}{ends}; {tests})."
    return words[outcome], reason, sentence


def hidden_phrase(share: float, noun: str = "item") -> str:
    """What may still be hidden: a crash that has not shown.

    Examples
    --------
    >>> hidden_phrase(0.0295)
    'a crash in up to 1 of 34 items could still be hidden'
    """
    return f"a crash in up to 1 of {count(round(1 / share), noun)} could still be hidden"


def needed_phrase(needed: int | None, towards: str | None, n: int, power: float, *, identical: bool, noun: str = "item") -> str:
    """How many items would decide.

    Examples
    --------
    >>> needed_phrase(149, "pass", 100, 0.8, identical=True)
    'identical outputs would pass with 149 items, 49 more than these'
    >>> needed_phrase(420, "fail", 100, 0.8, identical=False)
    '420 items like these, 320 more than now, would decide with power .8 (fail)'
    """
    if needed is None:
        # Some number would: no lead is both behind by the margin and not behind at all.
        return f"how many {noun}s like these would decide is unknown"
    if identical:
        return f"identical outputs would pass with {count(needed, noun)}, {needed - n:,} more than these"
    items = f"{count(needed, noun)} like these, {needed - n:,} more than now,"
    return f"{items} would decide with power {format_level(power)} ({towards})"


def unknown_phrase(metric: str, *, cured: bool) -> str:
    """That no number of identical scores decides; `cured` if their range would.

    Examples
    --------
    >>> unknown_phrase("sum", cured=False)
    'identical scores, however many, show nothing: how much an item can lose in sum is not known'
    """
    if cured:
        return "identical scores, however many, show nothing without the range of the scores: --bounds LOW HIGH"
    return f"identical scores, however many, show nothing: how much an item can lose in {metric} is not known"
