"""Datasets taken as one: their items stay apart, also where two datasets number theirs alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from outscore.scores.system import Labels, Scores

__all__ = ["pooled"]


def pooled(scores: Scores) -> Scores:
    """The same scores of one dataset; an item is then called by its dataset and its id.

    Examples
    --------
    >>> ids, datasets = Labels.of(["1", "1"]), Labels.of(["easy", "hard"])
    >>> found = pooled(Scores("new", np.ones(2), ids, datasets=datasets))
    >>> found.ids.texts(), found.datasets
    (['easy: 1', 'hard: 1'], None)
    """
    if scores.datasets is None or scores.ids is None:
        return replace(scores, datasets=None)
    own, ids = scores.datasets, scores.ids
    keys, codes = np.unique(own.codes * len(ids.names) + ids.codes, return_inverse=True)
    names = tuple(f"{own.names[key // len(ids.names)]}: {ids.names[key % len(ids.names)]}" for key in keys.tolist())
    return replace(scores, datasets=None, ids=Labels(codes, names))
