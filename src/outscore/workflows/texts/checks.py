"""Checks of a comparison of texts that do not need the texts."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from numbers import Integral
from pathlib import Path, PurePath

from outscore.core.errors import OutscoreError
from outscore.core.options import OptionValue, did_you_mean
from outscore.engine.engines import Engine, engine_of
from outscore.formats.texts import TEXT_FORMATS
from outscore.inference.originals import COMPAT
from outscore.metrics.cache import StatisticsCache, cache_folder
from outscore.metrics.text.entry import TextMetric
from outscore.metrics.text.registry import text_metric
from outscore.metrics.text.sacre import BY_LANGUAGE, TOKENIZE


def check_compat(compat: str | None) -> None:
    """Refuse an unknown rule among those named."""
    for name in compat_rules(compat):
        if name not in COMPAT:
            raise OutscoreError(f"There is no compatibility rule `{name}`.", did_you_mean(name, COMPAT), parameter="compat")


def compat_rules(compat: str | None) -> list[str]:
    """The rules of a written list.

    Examples
    --------
    >>> compat_rules("sacrebleu-ar, sacrebleu-bs"), compat_rules(None)
    (['sacrebleu-ar', 'sacrebleu-bs'], [])
    """
    return [name.strip() for name in (compat or "").split(",") if name.strip()]


def check_reader(reader: str) -> None:
    """Refuse a format that is not a format of texts."""
    if reader != "auto" and reader not in TEXT_FORMATS:
        hint = did_you_mean(reader, TEXT_FORMATS)
        raise OutscoreError(f"--reader is `{reader}`, which is not a text format.", hint, parameter="reader")


def chosen_metrics(metrics: object) -> list[tuple[TextMetric, dict[str, OptionValue]]]:
    """The entries and options of written metrics, without duplicates.

    Examples
    --------
    >>> [(entry.name, options["tokenize"]) for entry, options in chosen_metrics(["bleu:tokenize=none"])]
    [('bleu', 'none')]
    """
    if isinstance(metrics, str):
        written = ", ".join(f'"{name.strip()}"' for name in metrics.split(",") if name.strip())
        raise OutscoreError(f"`metrics` is {metrics!r}.", f"Give a list of names: [{written}].")
    listed = metrics if isinstance(metrics, Sequence) else [metrics]
    specs = [spec for spec in listed if isinstance(spec, str)]
    if len(specs) < len(listed):
        raise OutscoreError(f"`metrics` is {metrics!r}.", 'Give a list of names: ["bleu", "ter"].')
    if not specs:
        raise OutscoreError("No metric was named.", "Name at least one, such as bleu.", parameter="metric")
    chosen = [text_metric(spec) for spec in specs]
    for i, spec in enumerate(specs):
        if chosen[i] in chosen[:i]:
            # The correction would count it as one more metric.
            raise OutscoreError(f"Metric `{spec}` is named twice.", "Name it once.", parameter="metric")
    return chosen


_LANGUAGES = re.compile(r"(?<![a-z])[a-z]{2,3}[-_]([a-z]{2,3})(?![a-z])")


def tokeniser_of(names: Sequence[str]) -> str | None:
    """The tokeniser of the language into which names of files or test sets say that they translate; None if they do not agree.

    Examples
    --------
    >>> tokeniser_of(["wmt22/en-zh.xml"]), tokeniser_of(["newstest.en-de.ref"]), tokeniser_of(["ref.txt"])
    ('zh', '13a', None)
    """
    languages: set[str] = set()
    for name in names:
        # The name of a file says more than those of the folders that it lies in.
        parts = PurePath(name.lower()).parts[::-1]
        languages |= next((found for part in parts if (found := set(_LANGUAGES.findall(part)))), set())
    return BY_LANGUAGE.get(languages.pop(), TOKENIZE.default) if len(languages) == 1 else None


def engine_for(jobs: object) -> Engine:
    """The engine for this number of processes."""
    if jobs is not None and (isinstance(jobs, bool) or not isinstance(jobs, Integral)):
        raise OutscoreError(f"`jobs` is {jobs!r}.", "Give the number of processes, or 0 for one per processor.")
    return engine_of(None if jobs is None else int(jobs))


def cache_of(cache: object) -> StatisticsCache:
    """Where statistics are kept: a cache as it is, a folder by its path, None for the default folder."""
    if isinstance(cache, StatisticsCache):
        return cache
    if cache is None:
        return StatisticsCache(cache_folder())
    if isinstance(cache, (str, os.PathLike)):
        return StatisticsCache(Path(cache))
    raise OutscoreError(f"`cache` is {cache!r}.", "Give the path of a folder, or leave `cache` out.")
