"""One line that makes a number reproducible."""

from __future__ import annotations

from collections.abc import Mapping

from outscore._version import __version__
from outscore.results.comparison import Bayes
from outscore.results.pvalue import PValue

__all__ = ["signature"]


def signature(
    metric: str,
    p: PValue,
    *,
    alternative: str,
    alpha: float,
    delta: float = 0.0,
    margin: float | None = None,
    bayes: Bayes | None = None,
    options: Mapping[str, object] | None = None,
    unit: str = "items",
    resamples: int | None = None,
    seed: int | None = None,
) -> str:
    """One line that says how the number came about; resamples and seed only where sampling took part.

    `options` are the test's own options that were not left at their defaults. With `bayes` the test is that, and the p-value
    names its own.

    Examples
    --------
    >>> signature("f1", PValue(0.5, 0.5, 0.5, -0.3, "exact", "plane", n=80), alternative="two-sided", alpha=0.05)
    'metric:f1|test:permutation|method:exact|kernel:plane|n:80|unit:items|alternative:two-sided|alpha:0.05|outscore:0.1.0'
    """
    test = p.signature if bayes is None else f"test:bayes|rope:{bayes.rope:g}|p-{p.signature}"
    parts = [f"metric:{metric}", test, f"unit:{unit}", f"alternative:{alternative}", f"alpha:{alpha:g}"]
    if delta:
        parts.append(f"delta:{delta:g}")
    if margin is not None:
        parts.append(f"margin:{margin:g}")
    named = {"method", "resamples", "rope"}
    parts += [f"{key}:{value}" for key, value in (options or {}).items() if key not in named]
    if p.method == "monte-carlo":
        parts += [f"{key}:{value}" for key, value in (("resamples", resamples), ("seed", seed)) if value is not None]
    return "|".join([*parts, f"outscore:{__version__}"])
