"""Battles for the calibration page: prompts with a taste of their own, which all their votes share.

A battle of i against j on a prompt is won with log-odds s_i - s_j + t_i - t_j + first, the tastes t of the prompt being
N(0, spread²) and drawn once for all its votes, orders and judges.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from outscore.core.numeric import Array
from outscore.inference.classical.student import Estimate
from outscore.inference.families import adjust
from outscore.inference.preferences.agreement import (
    alpha_of,
    alpha_tables,
    by_place,
    exchanged_p,
    kappa_of,
    kappa_tables,
    verdicts_of,
)
from outscore.inference.preferences.models import fit_lengths, fit_model
from outscore.inference.preferences.strengths import score_test, strengths_of
from outscore.inference.preferences.tally import Tally, tally_of
from outscore.inference.preferences.win_rates import flip_p, independent_p, labelled_share, win_rates
from outscore.scores.battles import Battles
from outscore.scores.system import Labels

__all__ = ["agreement", "labels", "strengths", "tests", "unequal", "win_rate"]

ALPHA = 0.05
Look = tuple[str, str, str, bool | None]
PROMPTS = (13, 30, 100)


@dataclass(frozen=True)
class Prompts:
    """How battles are drawn: so many prompts, so many pairs on each, in both orders or in a random one."""

    prompts: int
    votes: int = 4
    spread: float = 1.0
    first: float = 0.0
    ties: float = 0.1
    both: bool = True


def draw(rng: np.random.Generator, skills: Array, design: Prompts) -> Battles:
    """Battles of random pairs."""
    k = len(skills)
    taste = rng.normal(0.0, design.spread, (design.prompts, k))
    prompt = np.repeat(np.arange(design.prompts), design.votes)
    first_shown = rng.integers(0, k, len(prompt))
    second_shown = (first_shown + rng.integers(1, k, len(prompt))) % k
    if design.both:
        prompt, first_shown, second_shown = (
            np.tile(prompt, 2),
            np.concatenate([first_shown, second_shown]),
            np.concatenate([second_shown, first_shown]),
        )
    gap = skills[first_shown] - skills[second_shown] + taste[prompt, first_shown] - taste[prompt, second_shown] + design.first
    share = (rng.random(len(gap)) < 1 / (1 + np.exp(-gap))).astype(float)
    share[rng.random(len(gap)) < design.ties] = 0.5
    names = tuple(f"s{i}" for i in range(k))
    labels = Labels(prompt, tuple(map(str, range(design.prompts))))
    return Battles(names, first_shown, second_shown, share, labels, np.ones(len(gap), dtype=bool))


@cache
def true_rate(gap: float, spread: float, ties: float = 0.1, first: float = 0.0) -> float:
    """The expected win rate over new prompts, by quadrature; both orders count alike."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(101)
    logits = gap + math.sqrt(2) * spread * nodes
    chance = (1 / (1 + np.exp(-logits - first)) + 1 / (1 + np.exp(-logits + first))) / 2
    return ties / 2 + (1 - ties) * float((weights * chance).sum() / weights.sum())


@cache
def true_strengths(skills: tuple[float, ...], spread: float) -> tuple[float, ...]:
    """What the strengths tend to with ever more prompts: the model fitted to the expected win rates of all pairs."""
    left, right = np.triu_indices(len(skills), 1)
    rates = np.array([true_rate(skills[i] - skills[j], spread) for i, j in zip(left, right, strict=True)])
    return tuple(fit_model(left, right, rates, np.ones(len(left)), len(skills)).theta.tolist())


def _limits(tally: Tally) -> tuple[float, float, bool]:
    """The interval of a win rate, and whether the exact test rejects one half."""
    rates, p = win_rates(tally, ALPHA), flip_p(tally.d)
    _, low, high = rates.kept(0, p, ALPHA)
    return low, high, p.value <= ALPHA


def win_rate(rng: np.random.Generator) -> Iterator[Look]:
    """Two systems, four votes in both orders on each prompt: coverage of the interval, of rows alone, and levels."""
    for prompts in PROMPTS:
        for gap in (0.0, 0.5, 1.5, 3.0):
            tally = tally_of(draw(rng, np.array([gap, 0.0]), Prompts(prompts, votes=2)))
            low, high, rejects = _limits(tally)
            truth = true_rate(gap, 1.0)
            row, column = f"{prompts} prompts", f"{100 * truth:.0f} %"
            yield "battles", row, f"win rate {column}", low <= truth <= high
            rate, error = float(tally.rate[0]), float(win_rates(tally, ALPHA).rows_error[0])
            if gap in (0.0, 1.5):
                yield "battles", row, f"rows alone, {column}", abs(rate - truth) <= 1.96 * error
            if not gap:
                yield "battle tests", row, "equal systems", rejects
                yield "battle tests", row, "the same by rows", bool(independent_p(tally.wins, tally.losses)[0] <= ALPHA)


def strengths(rng: np.random.Generator) -> Iterator[Look]:
    """Strengths of six systems: coverage of their intervals and of contrasts, and the level of equal ones."""
    skills = (1.0, 0.5, 0.5, 0.0, -0.6, -1.4)
    truth = true_strengths(skills, 1.0)
    for prompts in PROMPTS:
        row = f"{prompts} prompts"
        battles = draw(rng, np.array(skills), Prompts(prompts, votes=6))
        fit = strengths_of(tally_of(battles), ALPHA)
        if not fit.finite:
            continue
        for i in (0, 3, 5):
            yield "strengths", row, f"system {i + 1}", _contains(fit.strength(i), truth[i])
        yield "strengths", row, "first minus last", _contains(fit.contrast(0, 5), truth[0] - truth[5])
        rows = strengths_of(tally_of(replace(battles, clusters=Labels.of(range(battles.rows)))), ALPHA).contrast(0, 5)
        yield "strengths", row, "the same by rows", abs(rows.value - (truth[0] - truth[5])) <= 1.96 * rows.error
        yield "battle tests", row, "equal strengths, by the model", fit.contrast(1, 2).log_p() <= math.log(ALPHA)


def _contains(estimate: Estimate, truth: float) -> bool:
    low, high = estimate.limits(ALPHA)
    # Without an interval nothing is claimed.
    return math.isnan(low) or low <= truth <= high


SIZES: dict[str, tuple[int, Callable[[np.random.Generator], Array], float]] = {
    "15 prompts of 10 battles": (5, lambda _: np.full(15, 10), 1.0),
    "60 of 1 to 20": (5, lambda rng: rng.integers(1, 21, 60), 1.0),
    "12 of 2, 5 or 40, sd 1.5": (5, lambda rng: rng.choice([2, 5, 40], 12), 1.5),
    "30 of 3, 1 in 10 of 100": (5, lambda rng: np.where(rng.random(30) < 0.1, 100, 3), 1.0),
    "100 of 3, 1 in 20 of 100": (5, lambda rng: np.where(rng.random(100) < 0.05, 100, 3), 1.0),
    "29 of 6 and one of 200": (5, lambda _: np.r_[200, np.full(29, 6)], 1.0),
    "50 of lognormal size": (8, lambda rng: np.maximum(1, np.rint(rng.lognormal(2, 1.2, 50))).astype(int), 1.0),
}
"""Systems, battles of each prompt, and the spread of the prompts' tastes."""


def unequal(rng: np.random.Generator) -> Iterator[Look]:
    """Unequal battles per prompt: coverage of strengths, and level and family error of all pairs of equal systems."""
    for row, (k, sizes, spread) in SIZES.items():
        for skills in (np.linspace(1, -1, k), np.zeros(k)):
            prompts = sizes(rng)
            fit = strengths_of(tally_of(_sized(rng, skills, prompts, spread)), ALPHA)
            if not fit.finite:
                continue
            if skills.any():
                truth = true_strengths(tuple(skills.tolist()), spread)
                for i in range(k):
                    yield "unequal prompts", row, "coverage", _contains(fit.strength(i), truth[i])
                continue
            contrasts = [fit.contrast(i, j) for i in range(k) for j in range(i)]
            p = [math.exp(one.log_p()) if one.error > 0 else 1.0 for one in contrasts]
            for one in p:
                yield "unequal prompts", row, "level of a pair", one <= ALPHA
            yield "unequal prompts", row, "family error, Holm", bool(adjust(p, "holm").min() <= ALPHA)


def _sized(rng: np.random.Generator, skills: Array, sizes: Array, spread: float) -> Battles:
    """Battles of random pairs, so many on each prompt, a tenth of them ties."""
    k, prompts = len(skills), len(sizes)
    taste = rng.normal(0.0, spread, (prompts, k))
    prompt = np.repeat(np.arange(prompts), sizes)
    first = rng.integers(0, k, len(prompt))
    second = (first + rng.integers(1, k, len(prompt))) % k
    gap = skills[first] - skills[second] + taste[prompt, first] - taste[prompt, second]
    share = (rng.random(len(gap)) < 1 / (1 + np.exp(-gap))).astype(float)
    share[rng.random(len(gap)) < 0.1] = 0.5
    return Battles(tuple(f"s{i}" for i in range(k)), first, second, share, Labels(prompt, tuple(map(str, range(prompts)))))


def tests(rng: np.random.Generator) -> Iterator[Look]:
    """Levels: position with systems that differ, exchanged orders with a strong first place, length, circles."""
    import scipy.special

    for prompts in PROMPTS:
        row = f"{prompts} prompts"
        place = by_place(draw(rng, np.array([1.0, 0.0]), Prompts(prompts, both=False)))
        assert place is not None
        yield "battle tests", row, "position, random order", flip_p(place.d).value <= ALPHA
        place = by_place(draw(rng, np.array([1.0, 0.0]), Prompts(prompts)))
        assert place is not None
        yield "battle tests", row, "position, both orders", flip_p(place.d).value <= ALPHA
        chosen = draw(rng, np.zeros(2), Prompts(prompts, votes=1, first=1.0, both=False))
        y, left = 2 * chosen.share - 1, chosen.first == 0
        if 0 < left.sum() < prompts:
            yield "battle tests", row, "fixed orders", exchanged_p(y, left, 0).value <= ALPHA
        battles = draw(rng, np.array([0.5, 0.0]), Prompts(prompts))
        answers = np.exp(rng.normal(5, 0.5, (prompts, 2)))
        lengths = answers[battles.prompts.codes[:, None], np.stack([battles.first, battles.second], axis=1)]
        fit = fit_lengths(replace(battles, lengths=lengths))
        if fit is not None:
            t = abs(fit.coefficient) / fit.coefficient_error()
            yield "battle tests", row, "length", 2 * float(scipy.special.stdtr(fit.units - 1, -t)) <= ALPHA
            gap, error = fit.contrast(0, 1)
            miss = abs(gap - scipy.special.logit(true_rate(0.5, 1.0)))
            yield "battles", row, "at equal length", bool(miss <= scipy.special.stdtrit(fit.units - 1, 0.975) * error)
        tally = tally_of(draw(rng, np.array([0.8, 0.3, 0.0, -0.5]), Prompts(prompts, votes=8, spread=0.5)))
        circle = score_test(tally, strengths_of(tally, ALPHA))
        yield "battle tests", row, "circles, four systems", None if circle.p is None else circle.p <= ALPHA


def labels(rng: np.random.Generator) -> Iterator[Look]:
    """People on n of 1,000 prompts, a judge on all of them: coverage of people's win rate."""
    for n in (20, 50, 200):
        for rate, right in ((0.6, 0.8), (0.75, 0.95), (0.9, 0.8), (0.97, 0.95)):
            people = (rng.random(1_000) < rate).astype(float)
            judge = np.where(rng.random(1_000) < right, people, 1 - people)
            share = labelled_share(people[:n], judge[:n], judge[n:], ALPHA)
            judged = f"with the judge, right on {100 * right:.0f} %, {100 * rate:.0f} %"
            yield "labels", f"{n} labels", judged, share.low <= rate <= share.high
            yield "labels", f"{n} labels", f"labels alone, {100 * rate:.0f} %", share.alone[1] <= rate <= share.alone[2]


def agreement(rng: np.random.Generator) -> Iterator[Look]:
    """Two and four judges who name the right one of two answers on 75 % of the items, four items of a prompt alike hard."""
    for prompts in (20, 60):
        names = ("j1", "j2", "j3", "j4")
        hard = np.repeat(rng.choice([0.6, 0.9], prompts), 4)
        truth = rng.random(4 * prompts) < 0.5
        right = rng.random((4, 4 * prompts)) < hard
        share = np.where(right, truth, ~truth).astype(float).ravel()
        item = np.tile(np.arange(4 * prompts), 4)
        zeros = np.zeros(len(share), dtype=np.int64)
        battles = Battles(
            ("x", "y"), zeros, zeros + 1, share, Labels(item, tuple(map(str, range(4 * prompts)))),
            judges=Labels(np.repeat(np.arange(4), 4 * prompts), names),
            clusters=Labels(item // 4, tuple(map(str, range(prompts)))),
        )  # fmt: skip
        verdicts = verdicts_of(battles)
        # Both right or both wrong, averaged over easy and hard; either answer is right half of the time.
        true = 2 * (0.5 * (0.36 + 0.16) + 0.5 * (0.81 + 0.01)) - 1
        for name, interval in (
            ("kappa of two", kappa_of(kappa_tables(verdicts, 0, 1), ALPHA)[1]),
            ("alpha of four", alpha_of(alpha_tables(verdicts), ALPHA)),
        ):
            _, low, high = interval
            yield "judges", f"{prompts} prompts", name, low <= true <= high
