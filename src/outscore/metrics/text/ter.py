"""Translation edit rate (Snover et al., 2006) as sacreBLEU computes it: edits and reference length of each segment.

With several references a segment has the fewest edits over the mean length; both columns are multiplied by
the number of references, which keeps them whole. The reference length does not depend on the system, so that
swaps have an exact distribution.
"""

from __future__ import annotations

import numpy as np

from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.options import Option
from outscore.metrics.entry import Options
from outscore.metrics.text import sacre
from outscore.metrics.text.entry import Foreign, Lines, References, columns_first, segments
from outscore.metrics.text.shifts import edit_counter

__all__ = ["ENTRIES", "library_scorer", "ter_of_totals"]

COLUMNS = ("edits", "reference length")


def library_scorer(options: Options) -> Foreign:
    """SacreBLEU's scorer; its options have the same names."""
    return sacre.scorer("TER", "ter", **options)


def _rows(hypotheses: Lines, references: References, options: Options, prepared: object = None) -> Array:
    """Edits and reference length of each segment, times the number of references."""
    del prepared
    split, edits = library_scorer(options).tokenizer, edit_counter()
    rows = []
    for line, others in segments(hypotheses, references):
        words, *targets = (split(text.rstrip()).split() for text in (line, *others))
        rows.append((edits(words, targets) * len(targets), sum(map(len, targets))))
    return np.array(rows, dtype=np.int64)


def ter_of_totals(totals: Array) -> Array:
    """Edits per hundred words of the reference; against empty references 100 if there is anything to delete, else 0.

    Examples
    --------
    >>> ter_of_totals(np.array([[3, 12], [2, 0], [0, 0]]))
    array([ 25., 100.,   0.])
    """
    edits, length = columns_first(totals)
    return np.where(length > 0, 100 * edits / np.where(length > 0, length, 1.0), np.where(edits > 0, 100.0, 0.0))


def _make(options: Options) -> AdditiveMetric:
    """TER as a ratio of whole numbers."""
    del options
    return AdditiveMetric("ter", COLUMNS, ter_of_totals, direction="lower", ratio=((100, 0), (0, 1)), bounds=(0.0, None))


def _signature(options: Options, references: int) -> str:
    return sacre.signature(
        "TER",
        references,
        case=sacre.case(lowercase=not options["case_sensitive"]),
        tok="tercom",
        norm=bool(options["normalized"]),
        punct=not options["no_punct"],
        asian=bool(options["asian_support"]),
    )


TER_OPTIONS = (
    Option("normalized", bool, False, "split punctuation off words and undo XML escapes"),
    Option("no_punct", bool, False, "ignore punctuation"),
    Option("asian_support", bool, False, "with the two above: treat Chinese and Japanese characters as words"),
    Option("case_sensitive", bool, False, "capitals differ from small letters"),
)

ENTRIES = (
    sacre.corpus_metric(
        "ter",
        "edits and shifts per hundred words of the reference",
        r"\frac{\text{edits} + \text{shifts}}{\text{words of the reference}}",
        statistics=_rows,
        make=_make,
        signature=_signature,
        library_scorer=library_scorer,
        options=TER_OPTIONS,
        citation="snover2006",
        direction="lower",
        label="TER",
    ),
)
