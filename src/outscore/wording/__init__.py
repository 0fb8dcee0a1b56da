"""Words for results: verdict, paper sentence, signature. Pure functions, no computing of statistics.

The first words of a verdict say who won or that nobody did. Undecided never means equal: it means that these data cannot
tell. A p-value is never shown without the test it comes from and the way it was computed, an interval never beside a number
it is not about.
"""

from __future__ import annotations

from outscore.numerals import format_probability
from outscore.wording.decision import decide
from outscore.wording.facts import Facts
from outscore.wording.phrases import (
    ESTIMANDS,
    correction_name,
    equivalence_phrase,
    interval_noun,
    interval_phrase,
    method_phrase,
    name_of_test,
    noninferiority_phrase,
    posterior_phrase,
)
from outscore.wording.provenance import signature
from outscore.wording.statements import sentence, verdict

__all__ = [
    "ESTIMANDS",
    "Facts",
    "correction_name",
    "decide",
    "equivalence_phrase",
    "format_probability",
    "interval_noun",
    "interval_phrase",
    "method_phrase",
    "name_of_test",
    "noninferiority_phrase",
    "posterior_phrase",
    "sentence",
    "signature",
    "verdict",
]
