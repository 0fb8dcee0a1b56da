"""Words for printed tables: how many items there may be, and which pairs differ whatever the data are."""

from __future__ import annotations

from outscore.language.numbers import count, format_level
from outscore.language.phrases import correction_name
from outscore.results.possible import Fitting, PossibleTable

__all__ = ["fitting_sentence", "possible_table_verdict"]

SHOWN = 5
"""Ranges of fitting numbers that a sentence names."""


def possible_table_verdict(found: PossibleTable) -> tuple[str, str]:
    """The answer, and what it depends on."""
    if found.n is None:
        fits = found.fitting
        if fits.smallest is None:
            return "No number of items fits all printed scores.", fitting_sentence(fits)
        return f"The printed scores need {count(fits.smallest, 'item')} at least.", fitting_sentence(fits)
    assert found.family is not None
    level, m = format_level(found.alpha), len(found.pairs)
    number = {name: sum(pair.outcome == name for pair in found.pairs) for name in ("always", "never", "depends")}
    how = "" if m == 1 else f", {correction_name(found.family.correction)} over {m} pairs"
    headline = f"{number['always']} of {count(m, 'pair')} differ significantly whatever the data are"
    rest = f"{number['never']} in no case, {number['depends']} depending on how far the errors overlap"
    return headline, f"(exact McNemar test, alpha = {level}{how}); {rest}."


def fitting_sentence(fits: Fitting) -> str:
    """Which numbers of items fit the printed decimals."""
    if fits.smallest is None:
        return f"None of the numbers up to {fits.looked_up_to:,} has right answers that print as every score."
    shown = [f"{low:,}" if low == high else f"{low:,} to {high:,}" for low, high in fits.ranges[:SHOWN]]
    if fits.every_from is not None and len(fits.ranges) <= SHOWN:
        shown[-1] = f"every number from {fits.every_from:,} on"
    elif fits.every_from is not None:
        shown.append(f"…, and every number from {fits.every_from:,} on")
    elif len(fits.ranges) > SHOWN:
        shown.append(f"… ({fits.count:,} of the numbers up to {fits.looked_up_to:,})")
    return f"Numbers of items that fit the printed decimals: {', '.join(shown)}."
