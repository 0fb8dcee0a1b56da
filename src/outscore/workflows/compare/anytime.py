"""Evidence at every look, for items in the order of the data."""

from __future__ import annotations

from typing import cast

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.paired import PairedScores
from outscore.inference.anytime.process import (
    Alternative,
    Looks,
    betting_evidence,
    binary_evidence,
    confidence_sequence,
)
from outscore.inference.base.discordance import discordance
from outscore.inference.base.item_scores import is_sum, scores_if_any
from outscore.results.comparison import AnytimeEvidence
from outscore.results.note import Note

__all__ = ["IN_ORDER", "evidence_at_every_look"]

IN_ORDER = Note(
    "assumption",
    "Looking early takes the items in the order of the data, which must be random; items that depend on one another must be"
    " named as clusters, which enter whole (clusters of ten taken one by one: crossing .47 at alpha = .05).",
)


def evidence_at_every_look(
    pairs: PairedScores, metric: AdditiveMetric, *, alpha: float, alternative: str, bounds: tuple[float, ...]
) -> AnytimeEvidence:
    """e-value, anytime p and confidence sequence of two systems' rows.

    Examples
    --------
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> a, b = (np.stack([x, np.ones(8)], axis=1) for x in (np.ones(8), np.zeros(8)))
    >>> found = evidence_at_every_look(PairedScores(a, b), mean, alpha=0.05, alternative="two-sided", bounds=())
    >>> round(found.e_value, 2), found.stopped_at, found.binary
    (28.44, 8, True)
    """
    scores = None if is_sum(metric) else scores_if_any(pairs, metric)
    if scores is None:
        raise OutscoreError(
            f"--anytime needs one score per item, and {metric.name} is not a mean of such scores here.",
            "Leave --anytime out.",
            parameter="anytime",
        )
    pair = discordance(pairs, metric)
    low, high = _bounds(np.concatenate([scores.a, scores.b]), bounds, None if pair is None else (pair.wrong, pair.right))
    side = cast("Alternative", alternative)
    if not metric.higher_is_better and side != "two-sided":
        side = "less" if side == "greater" else "greater"
    reach = high - low
    if scores.clusters is None:
        sums, sizes = scores.d, np.ones(scores.n)
    else:
        sums, sizes = np.bincount(scores.clusters, weights=scores.d), np.bincount(scores.clusters).astype(float)
    largest = float(sizes.max())
    binary = pair is not None
    log_e = binary_evidence(sums, side) if binary else betting_evidence(sums, sizes, reach, alpha, side, largest=largest)
    looks = Looks(log_e, alpha)
    ends = confidence_sequence(sums, sizes, reach, alpha, largest=largest)
    return AnytimeEvidence(looks.e_value, looks.p, *ends, looks.stops, len(sums), reach, binary)


def _bounds(scores: np.ndarray, given: tuple[float, ...], coded: tuple[float, float] | None) -> tuple[float, float]:
    """What scores can be: as told, or what right and wrong are worth, or 0 and 1; scores beyond are refused."""
    low, high = given or coded or (0.0, 1.0)
    out = scores[(scores < low) | (scores > high)]
    if len(out):
        said = "as --bounds says" if given else "unless --bounds says otherwise"
        raise OutscoreError(
            f"A score is {out[0]:g}, and scores lie between {low:g} and {high:g}, {said}.",
            "Give the least and the largest score that an item can have, known before the data: --bounds 0 100.",
            parameter="bounds",
        )
    return float(low), float(high)
