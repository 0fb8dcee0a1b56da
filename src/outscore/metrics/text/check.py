"""What is asked of texts before they are scored, and of a score before it is believed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array, distinct
from outscore.metrics.entry import Options
from outscore.metrics.text.entry import Lines, References, TextMetric, version

__all__ = ["check_lines", "verify"]

# Segments scored a second time by the library itself, one in so many: enough to notice a change in it that
# concerns one segment in twenty, few enough to cost little where the library is a hundred times slower.
ONE_IN, MIN_CHECKED, MAX_CHECKED = 100, 10, 50
# Characters of these segments and their references, of which the shortest are taken, and how many are checked however long
# they are: TER of a document of two hundred words takes sacreBLEU a second.
MAX_CHARACTERS, FEWEST = 10_000, 2
RELATIVE = 1e-9
ABSOLUTE = 1e-12


def check_lines(metric: TextMetric, hypotheses: Lines, references: References) -> None:
    """Refuse texts that do not lie side by side, none at all, and more references than the metric can use."""
    if not len(references):
        raise OutscoreError(f"Metric `{metric.name}` needs a reference.", "Give at least one reference text.")
    if metric.max_references is not None and len(references) > metric.max_references:
        raise OutscoreError(
            f"Metric `{metric.name}` uses {metric.max_references} reference; {len(references)} were given.",
            f"Leave out `{metric.name}`, or give one reference.",
        )
    if not len(hypotheses):
        raise OutscoreError("The system's text has no segments.", "Give a text of at least one line.")
    for i, lines in enumerate(references):
        if len(lines) != len(hypotheses):
            raise OutscoreError(
                f"Reference {i + 1} has {len(lines)} segments, the system has {len(hypotheses)}.",
                "Give texts of the same number of lines, one segment each.",
            )


def verify(
    metric: TextMetric,
    hypotheses: Lines,
    references: References,
    statistics: Array,
    options: Options,
    *,
    segments: int | None = None,
) -> None:
    """Check that the function of the summed statistics is the library's own score.

    The library scores so many segments, spread evenly over the corpus: one in `ONE_IN`, `MIN_CHECKED` at least and
    `MAX_CHECKED` at most, the shortest of them if they are long, unless `segments` says how many. Scoring all again would cost
    more than all the rest.
    """
    additive = metric.make(options)
    if not _is_defined(additive, statistics):
        raise OutscoreError(
            f"Metric `{metric.name}` divides by the length of the references, and all of them are empty.",
            "Give references with text.",
        )
    if metric.corpus_score is None:
        return
    rows: Sequence[int] = _spread(segments, len(statistics)) if segments else _sample(hypotheses, references)
    if not _is_defined(additive, statistics[rows]):
        rows = range(len(statistics))
    ours = float(additive.score(statistics[rows].sum(axis=0)))
    theirs = metric.corpus_score([hypotheses[i] for i in rows], [[lines[i] for i in rows] for lines in references], options)
    if not math.isclose(ours, theirs, rel_tol=RELATIVE, abs_tol=ABSOLUTE):
        raise OutscoreError(
            f"Metric `{metric.name}` comes to {ours!r} from its statistics, but {metric.library} "
            f"{version(metric.library, metric.name)} says {theirs!r} for the same {len(rows)} segments.",
            f"This version of {metric.library} computes it differently; install another one.",
        )


def _spread(segments: int, total: int) -> list[int]:
    """So many segments from the first to the last, at equal distances."""
    places: list[int] = distinct(np.linspace(0, total - 1, segments).round().astype(int)).tolist()
    return places


def _sample(hypotheses: Lines, references: References) -> list[int]:
    """The segments that are scored again.

    Examples
    --------
    >>> _sample(["a cat"] * 21, [["the cat"] * 21]), _sample(["a" * 9000] * 21, [["b" * 9000] * 21])
    ([0, 2, 4, 7, 9, 11, 13, 16, 18, 20], [0, 2])
    """
    rows = _spread(min(MAX_CHECKED, max(MIN_CHECKED, len(hypotheses) // ONE_IN)), len(hypotheses))
    characters = {i: sum(len(lines[i]) for lines in (hypotheses, *references)) for i in rows}
    shortest = sorted(rows, key=characters.__getitem__)
    fitting = sum(together <= MAX_CHARACTERS for together in accumulate(characters[i] for i in shortest))
    return sorted(shortest[: max(FEWEST, fitting)])


def _is_defined(metric: AdditiveMetric, rows: Array) -> bool:
    """Whether there is something to divide by."""
    if metric.ratio is None or metric.ratio[1] is None:
        return True
    return bool((rows.sum(axis=0) @ np.asarray(metric.ratio[1])) != 0)
