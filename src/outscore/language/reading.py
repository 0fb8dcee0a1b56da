"""How the input was interpreted, in one line."""

from __future__ import annotations

from collections.abc import Sequence

from outscore.language.numbers import count
from outscore.results.design import Reading

MAX_NAMES = 4
"""Columns that the line lists by name."""
BARE = {
    "scores": "scores: one number per line",
    "score-pairs": "scores: two numbers per line, one for each system",
    "f1-counts": "counts: four whole numbers per line, true positives and errors of each system",
}
SOURCES = {
    "given": "as requested",
    "metric": "from the metric",
    "log": "from the log",
    "column": "from the column name",
    "file": "from the file extension",
    "data": "from the signs of the scores",
    "default": "",
}
ASSUMED = "assumed; --lower-is-better if not"
UNCLEAR = "not clear from the name whether higher or lower is better"


def reading_line(reading: Reading, *, directed: bool = True) -> str:
    """The one line that every report shows: scores, items, other columns, how much was read, which direction is better.

    A preview is not `directed` if the name of the scores leaves the direction open: whoever compares them is asked.

    Examples
    --------
    >>> reading_line(Reading("table", 120, 2, ["csv"], ["wer"], item=["id"], direction="lower", direction_source="column"))
    'scores: `wer`; items: `id`; 120 rows in 2 files (csv); lower is better (from the column name)'
    >>> reading_line(Reading("table", 120, 1, ["csv"], ["wer"], item=["id"], left_out=2))
    'scores: `wer`; items: `id`; 120 rows in 1 file (csv), 2 without a score left out; higher is better'
    >>> reading_line(Reading("numbers", 60, 1, ["scores"]))
    'scores: one number per line; items: line order; 60 rows in 1 file; higher is better (assumed; --lower-is-better if not)'
    >>> reading_line(Reading("arrays", 60))
    'scores: arrays; items: their order; 60 rows; higher is better'
    >>> reading_line(Reading("outputs", 90, 2, ["conllu"], gold_file="gold.conllu", output_files=["new.conllu"]))
    'right answers: `gold.conllu`; outputs: `new.conllu`; items: as in the gold file; 90 rows in 2 files (conllu)'
    >>> reading_line(Reading("printed", 3, 1, ["csv"], ["accuracy"], system=["system"]))
    'printed scores: `accuracy`; systems: `system`; 3 rows in 1 file (csv)'
    """
    if reading.kind == "printed":
        return "; ".join([f"printed scores: {_names(reading.score)}", f"systems: {_names(reading.system)}", _amount(reading)])
    if reading.kind == "outputs" and (reading.gold_file or not reading.files):
        return "; ".join([_outputs(reading), _items(reading), _amount(reading)])
    systems = [f"systems: {_names(reading.system)}"] if reading.system else []
    slices = [f"slices: {_names(reading.slices)}"] if reading.slices else []
    parts = [*systems, *_groups(reading), *slices]
    scores = f"measures: {_names(reading.measures)}" if reading.measures else _scores(reading)
    return "; ".join([scores, _items(reading), *parts, _amount(reading), _direction(reading) if directed else UNCLEAR])


def short_reading(reading: Reading) -> str:
    """The same for one screen: what was taken for scores, and what else decides how they are read.

    Examples
    --------
    >>> short_reading(Reading("table", 120, 2, ["csv"], ["wer"], item=["id"], direction="lower", direction_source="column"))
    'scores: `wer` by `id`; lower is better (from the column name)'
    >>> short_reading(Reading("numbers", 60, 2, ["score-pairs"]))
    'counts: two whole numbers per line, right and wrong; higher is better (assumed; or --lower-is-better)'
    """
    if reading.kind == "printed":
        return f"printed scores: {_names(reading.score)}"
    if reading.kind == "outputs" and (reading.gold_file or not reading.files):
        return _outputs(reading)
    scores = f"measures: {_names(reading.measures)}" if reading.measures else _scores(reading)
    if reading.systems and not reading.gold:
        scores = "columns"
    by = f" by {_names(reading.item)}" if reading.item else ""
    left_out = [f"{count(reading.left_out, 'row')} without a score left out"] if reading.left_out else []
    left_out += [f"{count(reading.filled, 'row')} without a score counted as the worst score"] if reading.filled else []
    direction = [] if reading.kind == "texts" or reading.measures else [_direction(reading, "assumed; or --lower-is-better")]
    return "; ".join([scores + by, *_groups(reading), *left_out, *direction])


def _groups(reading: Reading) -> list[str]:
    groups = {"repeats": reading.repeat, "clusters": reading.cluster, "datasets": reading.dataset}
    return [f"{name}: {_names(columns)}" for name, columns in groups.items() if columns]


def _scores(reading: Reading) -> str:
    if reading.gold:
        answers = _names(reading.prediction) if reading.prediction else f"{_names(reading.systems)}, each"
        how = "counted by class" if reading.by_class else "1 right, 0 wrong"
        return f"scores: {answers} = {_names(reading.gold)} ({how})"
    if reading.kind == "numbers":
        if reading.formats == ["score-pairs"] and reading.files > 1:
            return "counts: two whole numbers per line, right and wrong"
        return "; ".join(BARE[form] for form in reading.formats)
    if reading.systems:
        return f"scores: a column per system, {_names(reading.systems)}"
    if reading.score:
        return f"scores: {_names(reading.score)}"
    return {"texts": "scores: texts against references", "outputs": "scores: outputs against the right answers"}.get(
        reading.kind, "scores: arrays"
    )


def _outputs(reading: Reading) -> str:
    """Which file contains the right answers and which the outputs, with the names of their columns if they have any."""
    if not reading.gold_file:
        return "right answers and outputs: lists"
    gold, outputs = (f" ({_names(columns)})" if columns else "" for columns in (reading.gold, reading.prediction))
    return f"right answers: `{reading.gold_file}`{gold}; outputs: {_names(reading.output_files)}{outputs}"


def _items(reading: Reading) -> str:
    if reading.item:
        return f"items: {_names(reading.item)}"
    orders = {"arrays": "their order", "table": "row order", "outputs": "as in the gold file"}
    if reading.kind == "outputs" and not reading.files:
        return "items: their order"
    return f"items: {orders.get(reading.kind, 'line order')}"


def _amount(reading: Reading) -> str:
    rows = count(reading.rows, "row")
    if not reading.files:
        return rows
    # The line has described a bare format already.
    formats = "" if reading.kind == "numbers" or not reading.formats else f" ({', '.join(reading.formats)})"
    left_out = f", {reading.left_out:,} without a score left out" if reading.left_out else ""
    filled = f", {reading.filled:,} without a score counted as the worst score" if reading.filled else ""
    return f"{rows} in {count(reading.files, 'file')}{formats}{left_out}{filled}"


def _direction(reading: Reading, assumed: str = ASSUMED) -> str:
    if reading.kind == "texts":
        # Several metrics may share the line.
        return "which direction is better depends on the metric"
    if reading.measures:
        return "which direction is better depends on the measure"
    source = SOURCES[reading.direction_source]
    nameless = reading.kind == "numbers" or (reading.systems and not reading.gold)
    if reading.direction_assumed or (reading.direction_source == "default" and nameless):
        # Nothing names the scores, so that nothing says what they are; the ending of a file that might is lost in a pipe.
        source = assumed
    return f"{reading.direction} is better{f' ({source})' if source else ''}"


def _names(columns: Sequence[str]) -> str:
    quoted = [f"`{name}`" for name in columns]
    if len(quoted) > MAX_NAMES:
        return f"{', '.join(quoted[:MAX_NAMES])} and {len(quoted) - MAX_NAMES} more"
    return f"{', '.join(quoted[:-1])} and {quoted[-1]}" if len(quoted) > 1 else quoted[0]
