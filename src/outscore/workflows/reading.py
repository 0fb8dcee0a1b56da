"""How files or arrays were interpreted, and which scores are better.

The direction comes from the caller, from the metric, or from the name of the score. The name is that of its
column; scores without a column are named after the systems, or after the ending of their files. Scores below 0
that are named after a count of errors were turned around.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any, Literal, cast

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array, as_array
from outscore.core.options import complete, parse_spec
from outscore.core.records import dataclass
from outscore.formats.base.source import unpacked
from outscore.formats.tables.measures import (
    counts_errors,
    is_better_lower,
    is_measure,
    is_negated,
    is_unclear,
    may_share_measure,
    named_after,
    shared_measure,
)
from outscore.formats.tables.names import USUAL, join_names
from outscore.formats.tables.numbers import is_bare
from outscore.language.phrases import equals_gold
from outscore.metrics.entry import Beside
from outscore.metrics.registry import METRICS
from outscore.results.design import Direction, DirectionSource, Reading
from outscore.results.note import Note
from outscore.scores.system import Origin, rows_by_file, score_columns

Better = Literal["higher", "lower"]
Kind = Literal["table", "log", "numbers", "texts", "outputs"]
OPTION = "direction"
SAY = "Say which is better with --lower-is-better or --higher-is-better (direction=... in Python)."
FIELDS = {"slice": "slices", "answer": "prediction"}
"""What the fields of a reading are called, where other than its parts and options."""
MEAN_PER_CENT = 5.0
"""Scores up to 100 with a mean above this are per cent if another system's scores lie between 0 and 1."""


class Endings(tuple[str, ...]):
    """The endings of files, with their dots, which name bare numbers that have no other name."""

    __slots__ = ()


@dataclass(frozen=True)
class MetricDirection:
    """A metric with its direction and where that comes from; `column` is the name or ending that decided it, if one did."""

    metric: str | AdditiveMetric
    better: Better
    source: DirectionSource
    column: str | None = None

    @property
    def why(self) -> str:
        """Where the direction comes from, as part of a sentence.

        Examples
        --------
        >>> resolve_direction("mean", "auto", ["wer"], scores=None).why
        'according to the column name `wer`'
        >>> resolve_direction("mean", "auto", Endings([".wer"]), scores=None).why
        'according to the file ending `.wer`'
        """
        if self.source == "data":
            return f"because no score of `{self.column}` is above 0, so that they do not count errors"
        if self.source == "file":
            return f"according to the file ending `{self.column}`"
        reasons = {"given": "as requested", "metric": "as the metric says", "log": "as the logs say", "default": "by default"}
        return f"according to the column name `{self.column}`" if self.column is not None else reasons[self.source]

    @property
    def notes(self) -> list[Note]:
        """A note if the direction was not requested and may surprise."""
        if self.source not in ("column", "file", "data"):
            return []
        other = "higher" if self.better == "lower" else "lower"
        return [Note("input", f"{self.better.capitalize()} is better, {self.why}; --{other}-is-better overrides this.")]


def resolve_direction(
    metric: str | AdditiveMetric,
    asked: str,
    columns: Iterable[str] = (),
    *,
    told: Better | None = None,
    scores: Iterable[object] | None,
) -> MetricDirection:
    """The metric with the direction in which scores are better.

    `columns` are the names of the score columns or the `Endings` of files, if there are any; `told` is the direction stated in
    the logs. `scores` are those of all systems, None if nobody has them: named after a count of errors and below 0, they were
    turned around.

    Examples
    --------
    >>> [resolve_direction("mean", "auto", ["wer"], scores=[scores]).metric for scores in ([0.1, 0], [-0.1, 0])]
    ['mean:direction=lower', 'mean']
    """
    fixed = _fixed(metric)
    named = list(dict.fromkeys(columns))
    endings = isinstance(columns, Endings)
    low = [name for name in named if (_ends_low(name) if endings else is_better_lower(name) or named_after(name))]
    if fixed is not None:
        if asked not in ("auto", fixed):
            _refuse_turning(metric, fixed, asked)
        return MetricDirection(metric, fixed, "metric")
    if asked != "auto":
        better = cast("Better", asked)
        return MetricDirection(_orient(metric, better), better, "given")
    if told is not None:
        return MetricDirection(_orient(metric, told), told, "log")
    counted = next((name for name in named if counts_errors(name.removeprefix("."))), None)
    if counted is not None and scores is not None and below_zero(scores):
        return MetricDirection(metric, "higher", "data", counted)
    _refuse_unclear(named, endings=endings)
    if low and len(low) < len(named):
        raise _disagreement(named, low, endings=endings)
    if low:
        return MetricDirection(_orient(metric, "lower"), "lower", "file" if endings else "column", low[0])
    return MetricDirection(metric, "higher", "default")


def _refuse_unclear(named: Sequence[str], *, endings: bool) -> None:
    """Refuse a name that leaves open which scores are better, and systems that all seem to be named after their ranks."""
    unclear = [name for name in named if is_unclear(name.removeprefix(".") if endings else name)]
    if not unclear and len(named) > 1 and may_share_measure(named):
        unclear = list(named)
    if unclear:
        message = f"It is not clear from the name `{unclear[0]}` whether lower or higher scores are better."
        raise OutscoreError(message, SAY, parameter=OPTION)


def _disagreement(named: Sequence[str], low: Sequence[str], *, endings: bool) -> OutscoreError:
    """Only some of the names say that lower is better."""
    other = next(name for name in named if name not in low)
    what = "The files end in" if endings else "The score columns are"
    message = f"{what} {join_names(named)}: lower is better for `{low[0]}`, but `{other}` does not say."
    if not other:
        message = f"Lower is better for a file that ends in `{low[0]}`, but another has no ending that says so."
    return OutscoreError(message, SAY, parameter=OPTION)


def below_zero(scores: Iterable[object]) -> bool:
    """Whether no score is above 0, and some are below; not for what are no single numbers.

    Examples
    --------
    >>> below_zero([[-1.0, 0], (0.0,)]), below_zero([[-1.0], [2.0]]), below_zero([]), below_zero([["yes", "no"]])
    (True, False, False, False)
    """
    columns = [numbers for one in scores if (numbers := as_array(one)) is not None and numbers.dtype.kind in "iuf"]
    filled = [finite for one in columns if (finite := one[np.isfinite(one)]).size]
    return bool(filled) and is_negated(min(float(one.min()) for one in filled), max(float(one.max()) for one in filled))


def score_names(origins: Iterable[Origin], systems: Sequence[str]) -> Sequence[str]:
    """The names of the scores: their columns, or the error, loss or time that all systems or their files are named after.

    If only some are, it is not clear that all scores are of one kind, and all names are returned.
    """
    files = list(origins)
    named = score_columns(files)
    # The name over bare numbers may be that of a system, which says nothing.
    if any("score" in origin.columns for origin in files) or any(map(_says_direction, named)):
        return named
    measure = shared_measure(systems)
    if measure is not None:
        return [measure]
    if any(map(named_after, systems)) or may_share_measure(systems):
        return list(systems)
    endings = Endings(unpacked(origin.path).suffix for origin in files)
    return endings if any(_ends_low(one) or counts_errors(one.removeprefix(".")) for one in endings) else []


def _says_direction(name: str) -> bool:
    """Whether a name says which scores are better, or leaves it open.

    Examples
    --------
    >>> [name for name in ("val_error", "WER", "bias", "no_error", "score", "gpt") if _says_direction(name)]
    ['val_error', 'WER', 'bias', 'no_error']
    """
    return is_better_lower(name) or named_after(name) is not None or is_unclear(name)


def _ends_low(ending: str) -> bool:
    name = ending.removeprefix(".")
    return is_better_lower(name) or (named_after(name) is not None and not is_unclear(name))


def check_direction(metric: str | AdditiveMetric | None, asked: str) -> None:
    """Refuse a direction that contradicts the metric; None is a metric that depends on the data."""
    fixed = None if metric is None else _fixed(metric)
    if metric is not None and fixed is not None and asked not in ("auto", fixed):
        _refuse_turning(metric, fixed, asked)


def _fixed(metric: str | AdditiveMetric) -> Better | None:
    """The direction that a metric has by definition; None if it is a mean or sum of any scores."""
    if isinstance(metric, AdditiveMetric):
        return metric.direction
    name, given = parse_spec(metric)
    entry = METRICS.get(name)
    turns = entry is not None and any(option.name == OPTION for option in entry.options)
    if entry is None or (turns and OPTION not in given):
        return None
    return entry.make(complete(name, entry.options, given)).direction


def _orient(metric: str | AdditiveMetric, better: Better) -> str | AdditiveMetric:
    return f"{metric}:{OPTION}=lower" if better == "lower" else metric


def _refuse_turning(metric: str | AdditiveMetric, fixed: Better, asked: str) -> None:
    name = metric.name if isinstance(metric, AdditiveMetric) else metric
    raise OutscoreError(
        f"A {fixed} `{name}` is better by definition, which contradicts --{asked}-is-better.",
        f"Leave --{asked}-is-better out, or use the metric `mean`.",
        parameter=OPTION,
    )


def series_names(given: Iterable[object]) -> tuple[str, ...]:
    """The names of series, if one of them is an error, a loss or a time; else nothing.

    Examples
    --------
    >>> import polars as pl
    >>> series_names([pl.Series("wer", [0.1]), pl.Series("wer", [0.2])]), series_names([pl.Series("new", [1]), [0]])
    (('wer',), ())
    """
    # A column of a table may be named after its system, which says nothing.
    names = [name for one in given if isinstance(name := getattr(one, "name", None), str)]
    return tuple(dict.fromkeys(names)) if any(is_better_lower(name) or named_after(name) for name in names) else ()


def reading_of(
    origins: Sequence[Origin],
    *,
    rows: int,
    systems: Sequence[str] = (),
    further: Mapping[str, str] | None = None,
    direction: tuple[Direction, DirectionSource],
    kind: Literal["texts", "outputs"] | None = None,
    beside: Beside = "",
) -> Reading:
    """How files were interpreted; without `origins`, `rows` rows of arrays.

    `systems` are the names of the systems, which are columns if no column of the file contains the scores; `further` are the
    columns that were named, by option.
    """
    better, source = direction
    refuse_best_fill(origins, better)
    named: dict[str, Any] = {FIELDS.get(option, option): [column] for option, column in (further or {}).items()}
    named |= {"direction": better, "direction_source": source}
    if not origins:
        return Reading(kind or "arrays", rows, **named)
    named |= {FIELDS.get(part, part): _columns(origins, part) for part in (*USUAL, "answer", "gold")}
    # A JSON list is read like JSON lines but keeps its name.
    formats = ["json" if (origin.format, origin.unit) == ("jsonl", "row") else origin.format for origin in origins]
    formats = list(dict.fromkeys(formats))
    bare = all(map(is_bare, origins))
    wide = kind is None and not bare and not any("score" in origin.columns or "answer" in origin.columns for origin in origins)
    shape: Kind = kind or ("numbers" if bare else "table")
    if shape == "table":
        # There are many readers of logs, and other files do not need them.
        from outscore.formats.logs.registry import LOGS

        shape = "log" if all(name in LOGS for name in formats) else "table"
    return Reading(
        shape,
        sum(rows_by_file(origins).values()),
        # A dataframe has columns but no file; a log of several systems is an origin for each of them.
        len({origin.path for origin in origins if origin.sha256}),
        formats,
        systems=list(systems) if wide else [],
        **named,
        by_class=beside == "classes",
        beside=beside,
        left_out=sum(origin.left_out for origin in origins),
        filled=sum(origin.filled for origin in origins),
        unused=list(dict.fromkeys(column for origin in origins for column in origin.unused)),
        direction_assumed=shape == "table" and source == "default" and not all(map(is_measure, _columns(origins, "score"))),
    )


def refuse_best_fill(origins: Iterable[Origin], better: Direction) -> None:
    """Refuse to give what was never scored the best score there is."""
    wrong = next((origin for origin in origins if origin.filled and origin.filled_for != better), None)
    if wrong is not None:
        raise OutscoreError(
            f"Lower scores are better in {wrong.label}, so 0 for a missing score would be the best score of all.",
            "Leave rows without a score out with --missing drop; `compare` and `gate` also take the worst score: --missing "
            "zero --lower-is-better --bounds LOW HIGH.",
            parameter="missing",
        )


def outputs_reading(origins: Sequence[Origin], rows: int) -> Reading:
    """How the files of a diff were interpreted, the first of which contains the right answers; or lists of `rows` answers."""
    if not origins:
        return Reading("outputs", rows)
    gold, *systems = origins
    files = {origin.path: origin for origin in origins}
    short_names = _short_names(list(files))
    return Reading(
        "outputs",
        sum(origin.rows for origin in files.values()),
        len(files),
        list(dict.fromkeys(origin.format for origin in origins)),
        item=_columns(origins, "item"),
        cluster=_columns(origins, "cluster"),
        prediction=_columns(systems, "answer"),
        # In one table with a row for each system, the right answers are beside the answers.
        gold=_columns([gold], "gold" if "gold" in gold.columns else "answer"),
        gold_file=short_names[gold.path],
        output_files=[short_names[path] for path in dict.fromkeys(origin.path for origin in systems)],
    )


def _short_names(paths: Sequence[str]) -> dict[str, str]:
    """The names of files without folders, unless these would be the same.

    Examples
    --------
    >>> _short_names(["a/gold.csv", "b/new.csv"]), _short_names(["a/x.csv", "b/x.csv"])
    ({'a/gold.csv': 'gold.csv', 'b/new.csv': 'new.csv'}, {'a/x.csv': 'a/x.csv', 'b/x.csv': 'b/x.csv'})
    """
    names = [PurePath(path).name for path in paths]
    return {path: name if names.count(name) == 1 else path for path, name in zip(paths, names, strict=True)}


def _columns(origins: Iterable[Origin], part: str) -> list[str]:
    """The columns that are used, each once."""
    return list(dict.fromkeys(column for origin in origins for column in origin.columns.get(part, ())))


def gold_notes(
    names: Sequence[str], columns: Sequence[Array], origins: Iterable[Origin], about_gold: Sequence[Note] = ()
) -> list[Note]:
    """A warning if all answers of a system are right, which were scored by gold, and what to do next or was made of answers.

    Examples
    --------
    >>> import numpy as np
    >>> scored = Origin("answers.csv", "", 3, "csv", {"gold": ("answer",)})
    >>> [note.text[:33] for note in gold_notes(["A", "B"], [np.array([1, 1, 1]), np.array([1, 0, 1])], [scored])]
    ['A equals gold: all 3 answers are ', 'Answers were scored as right or w']
    """
    if not any("gold" in origin.columns for origin in origins):
        return list(about_gold)
    numbers = [(name, one) for name, one in zip(names, columns, strict=True) if one.ndim == 1 and one.dtype.kind in "iufb"]
    perfect = [(name, len(one)) for name, one in numbers if len(one) and (one == 1).all()]
    warnings = [Note("warning", equals_gold(name, n, "answer")) for name, n in perfect]
    next_step = Note("input", "Answers were scored as right or wrong; `outscore diff --task label` shows which ones changed.")
    return [*warnings, *(about_gold or [next_step])]


def scale_notes(names: Sequence[str], columns: Sequence[Array], metric: str = "") -> list[Note]:
    """A warning if one system has scores between 0 and 1 and another between 0 and 100; the scores are those of a `metric`.

    Examples
    --------
    >>> import numpy as np
    >>> [note.kind for note in scale_notes(["new", "old"], [np.array([0.5, 0.9]), np.array([48.0, 91.0])])]
    ['warning']
    >>> scale_notes(["new", "old"], [np.array([0.5, 0.9]), np.array([0, 2])])
    []
    """
    # Words that judge an answer and counts are on no scale.
    numbers = [(name, one) for name, one in zip(names, columns, strict=True) if one.ndim == 1 and one.dtype.kind in "iufb"]
    filled = [(name, column) for name, column in numbers if column.size and column.min() >= 0]
    shares = [name for name, column in filled if 0 < column.max() <= 1]
    high = [(name, column) for name, column in filled if column.max() <= 100 and column.mean() > MEAN_PER_CENT]
    if not shares or not high:
        return []
    name, column = high[0]
    scores = f"{metric} scores" if metric else "scores"
    text = f"The {scores} of {shares[0]} lie between 0 and 1, but those of {name} go up to {column.max():.4g}."
    return [Note("warning", f"{text} If some are per cent, divide them by 100.")]
