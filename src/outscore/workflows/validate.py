"""From a caller's arrays to rows in a metric's own columns: all checks of arrays and of options are here.

Answers of several classes are counted for macro-F1 and the like, instead of right and wrong.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from numbers import Real

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import LARGEST_SCORE, MAX_EXACT, Array, as_array, as_written
from outscore.core.options import check_count, check_seed, complete, did_you_mean, parse_spec, quoted
from outscore.core.reduction import parse_reduction
from outscore.core.rows import KINDS
from outscore.formats.tables.cells import EITHER_WORDS, JUDGEMENTS
from outscore.inference.base.entry import TestEntry
from outscore.inference.families import CORRECTIONS, MAX_T
from outscore.inference.populations import ITEMS, POPULATIONS
from outscore.inference.registry import DEFAULT, deciding_test, suggest_test
from outscore.metrics.registry import METRICS

MEND = 'drop or repair it, or give a data frame of both systems, of which missing="drop" leaves such rows out'


def numbers_of(x: object, name: str) -> Array:
    """An array of finite numbers, (n,) or (n, k), int64 or float64."""
    # Whoever has a masked array has loaded its module; a plain `isinstance` would load it for everybody.
    if "numpy.ma" in sys.modules and np.ma.is_masked(x):
        raise OutscoreError(f"`{name}` has masked entries.", f"Every item needs a number: {MEND}.")
    raw = as_array(x)
    if raw is None:
        raise OutscoreError(f"The rows of `{name}` have different lengths.", "Give every item the same columns.")
    raw = _judged(raw)
    if raw.ndim == 0:
        given = "was not given" if x is None else f"is {x!r:.40}, which is not a list of scores"
        hint = "Give one score per item: a list, an array or a column; or (n, k) counts."
        if isinstance(x, Iterable) and not isinstance(x, (str, AbstractSet)):
            hint = (
                f"Make a list of {'its values: `list(scores.values())`' if isinstance(x, Mapping) else 'it: `list(scores)`'}."
            )
        raise OutscoreError(f"`{name}` {given}.", hint)
    if raw.ndim not in (1, 2):
        raise OutscoreError(f"`{name}` has {raw.ndim} dimensions.", "Give (n,) scores or (n, k) counts.")
    if raw.size == 0:
        raise OutscoreError(f"`{name}` is empty.", "Give at least one item.")
    if raw.dtype.kind not in "iufb":
        raise OutscoreError(f"`{name}` contains {_kind_of(raw)}, not numbers.", "Convert it to numbers that fit 64 bits first.")
    if raw.dtype.kind == "f":
        _check_sizes(raw, name)
    elif not _adds_up(raw):
        raise OutscoreError(f"The integers of `{name}` add up to more than 2**53.", "Divide them by a common factor.")
    return as_written(raw) if raw.dtype.kind == "f" else raw.astype(np.int64, copy=False)


def _judged(raw: Array) -> Array:
    """Words that say whether an answer was right, as 1 and 0, as in columns of files; anything else unchanged."""
    if raw.dtype.kind not in "UO" or raw.ndim != 1 or not all(isinstance(entry, str) for entry in raw.tolist()):
        return raw
    known = {**JUDGEMENTS, **EITHER_WORDS}
    words = [entry.strip().lower() for entry in raw.tolist()]
    return np.array([known[word] for word in words]) if words and all(word in known for word in words) else raw


def _check_sizes(raw: Array, name: str) -> None:
    """Refuse real numbers that floats cannot compute with."""
    if not np.isfinite(raw).all():
        row = int(np.argwhere(~np.isfinite(raw))[0][0])
        raise OutscoreError(f"`{name}` is {raw[row]} at row {row + 1}.", f"Every item needs a finite number: {MEND}.")
    if float(np.abs(raw).max()) > LARGEST_SCORE:
        raise OutscoreError(f"`{name}` contains a number beyond {LARGEST_SCORE:g}.", "Rescale the scores.")


def _adds_up(raw: Array) -> bool:
    """Whether every column of integers has a sum that floats represent exactly; the largest number settles most cases."""
    largest = max(abs(int(raw.max())), abs(int(raw.min())))
    return largest * len(raw) < MAX_EXACT or float(np.abs(raw.astype(float)).sum(axis=0).max()) < MAX_EXACT


def _kind_of(raw: Array) -> str:
    if raw.dtype.kind in "US":
        return "text"
    type_name = next((type(x).__name__ for x in raw.ravel() if not isinstance(x, (int, float))), "integers beyond 64 bits")
    return type_name if raw.dtype.kind == "O" else str(raw.dtype)


def check_repeats(kind: object) -> None:
    """Refuse an unknown kind of repeats."""
    if kind is not None and kind not in KINDS:
        raise OutscoreError(f"`repeats` is {kind!r}.", f"Choose one of: {', '.join(KINDS)}.", parameter="repeats")


def check_reduction(reduce: object, metric: object) -> None:
    """Refuse an unknown reduction, and a metric that is not a mean of reduced scores."""
    reduction = parse_reduction(reduce)
    if reduction is None or metric is None:
        return
    name = parse_spec(metric)[0] if isinstance(metric, str) else getattr(metric, "name", metric)
    if name not in ("mean", "accuracy"):
        raise OutscoreError(
            f"{reduction.name} turns the runs of an item into one score and compares means, but the metric is `{name}`.",
            "Leave --metric or --reduce out.",
            parameter="reduce",
        )


def check_population(population: object, test: str | None = None) -> None:
    """Refuse an unknown population, and one that the named test, if any, is not about."""
    if population is None:
        return
    if population not in POPULATIONS:
        cure = f"Choose one of: {', '.join(POPULATIONS)}."
        raise OutscoreError(f"`population` is {population!r}.", cure, parameter="population")
    if test is not None and population != ITEMS and deciding_entry(test).name != DEFAULT:
        raise OutscoreError(
            f"`{test}` is about new items, but population {population} has its own test.",
            "Leave the test or the population out.",
            parameter="population",
        )


def check_delta(delta: object) -> None:
    """Refuse a difference that cannot be tested."""
    if not _is_usual(delta) and delta != 0:
        cure = f"Give 0, or a number from {1 / LARGEST_SCORE:g} to {LARGEST_SCORE:g} in size."
        raise OutscoreError(f"`delta` is {quoted(delta)}.", cure, parameter="delta")


def check_correction(correction: str, *, test: str, delta: float) -> None:
    """Refuse an unknown correction, and one that does not work for two systems or this test."""
    fitting = [name for name, known in CORRECTIONS.items() if not known.all_pairs]
    if correction not in CORRECTIONS:
        raise OutscoreError(
            f"There is no correction `{correction}`.", did_you_mean(correction, fitting), parameter="correction"
        )
    if correction not in fitting:
        raise OutscoreError(
            f"Correction `{correction}` is for all pairs of three or more systems, but two are compared.",
            "Use `holm`.",
            parameter="correction",
        )
    entry = deciding_test(test)
    swaps = entry is not None and entry.swaps_metric
    if correction == MAX_T and (not swaps or delta):
        asked = f"`delta` = {delta:g}" if swaps else f"test `{test}`"
        raise OutscoreError(
            f"Correction `{MAX_T}` swaps the two systems like the permutation test of no difference, so it does not work with "
            f"{asked}.",
            "Use `holm`.",
            parameter="correction",
        )


def deciding_entry(test: object) -> TestEntry:
    """The test that decides: for `all`, the permutation test."""
    entry = deciding_test(test)
    if entry is None:
        raise OutscoreError(f"There is no test `{test}`.", suggest_test(str(test)), parameter="test")
    return entry


def check_metric(metric: object) -> None:
    """Refuse an unknown metric or unknown options of it; a metric made by the caller needs no check."""
    if not isinstance(metric, str):
        return
    name, given = parse_spec(metric)
    if name not in METRICS:
        raise OutscoreError(f"There is no metric `{name}`.", did_you_mean(name, METRICS), parameter="metric")
    complete(name, METRICS[name].options, given)


def check_margin(entry: TestEntry, margin: object) -> None:
    """Refuse a margin that is no size, and a test that has no use for one."""
    if not _is_usual(margin) or float(str(margin)) <= 0:
        raise OutscoreError(
            f"`margin` is {quoted(margin)}.", "Give a positive number in units of the metric.", parameter="margin"
        )
    if not entry.delta:
        raise OutscoreError(
            f"`{entry.name}` cannot test a margin.", "Use `permutation`, `student` or `bootstrap`.", parameter="margin"
        )
    if entry.estimand == "median":
        # Twenty points lost on a fifth of the items leave the median where it is.
        text = f"`{entry.name}` is about the typical difference, but a margin is in units of the metric."
        raise OutscoreError(text, "Use `permutation`, or leave --test out.", parameter="margin")


def check_units(size: object, statistic: object, shuffle: object, *, advice: bool) -> None:
    """Refuse units that cannot be formed, and options that have no effect on units of one item."""
    check_count("unit_size", size)
    if shuffle is not None:
        check_seed("shuffle", shuffle)
    if size == 1 and not advice:
        for idle, given in (("shuffle", shuffle is not None), ("unit_statistic", statistic != "mean")):
            if given:
                raise OutscoreError(
                    f"`{idle}` has no effect on units of one item.",
                    f"Give `unit_size` as well, or leave `{idle}` out.",
                    parameter=idle,
                )


def check_names(names: object) -> None:
    """Refuse what does not name two systems."""
    listed = isinstance(names, Sequence) and not isinstance(names, str) and len(names) == 2
    if not isinstance(names, Sequence) or not listed or not all(isinstance(name, str) and name.strip() for name in names):
        raise OutscoreError(f"`names` is {names!r}.", "Give a name for each system, such as ('new', 'old').", parameter="names")
    if names[0] == names[1]:
        raise OutscoreError(f"Both systems are named `{names[0]}`.", "Give them two different names.", parameter="names")


def refuse_paired(labels: Mapping[str, object]) -> None:
    """Refuse labels of items that both systems share, where each has its own."""
    for name, label in labels.items():
        if label is not None:
            raise OutscoreError(f"`{name}` needs items that both systems share.", f"Leave `{name}` out.", parameter=name)


def _is_usual(value: object) -> bool:
    """Whether this is a number whose square fits into a float."""
    return isinstance(value, Real) and 1 / LARGEST_SCORE <= abs(float(value)) <= LARGEST_SCORE
