"""Scores of segments that another tool computed (COMET, BLEURT, MetricX, a judge): a number for each segment of one system.

Read are plain numbers, COMET's ``--to_json`` and what ``comet-score`` prints, ``.seg.score`` files of WMT's metrics task, the
two columns of mt-metrics-eval, and MetricX's JSON lines.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator, Sequence

from outscore.core.errors import OutscoreError
from outscore.formats.base.source import line_error, open_source, shorten, stem_of
from outscore.formats.texts.segments import whole_text
from outscore.scores.system import Origin

Found = tuple[int, str, object]
"""The line of a score, the system that the line names, and the score as written."""
_PRINTED = re.compile(r"(.*?)\s+Segment\s+\d+\s+score:\s*(\S+)\s*$")
_PRINTED_MEAN = re.compile(r".*\s(system\s)?score:\s*\S+\s*$", re.IGNORECASE)
_KEYS = ("prediction", "score")


def read_segment_scores(
    path: str | os.PathLike[str], metric: str, system: str, segments: int, *, several: bool = False
) -> tuple[list[float], Origin]:
    """The scores of one system by `metric`, one for each of so many segments, and the file.

    `several` says that the file is named for several systems, so that it has to say whose the scores are.
    """
    with open_source(path) as source:
        cells = list(_cells(whole_text(source), source.path, metric))
        origin = Origin(source.path, source.sha256(), len(cells), "segment scores")
    mine = _of_system(cells, system, origin, several=several)
    if len(mine) != segments:
        raise OutscoreError(
            f"{origin.label} has {len(mine):,} scores of {metric} for {segments:,} segments.",
            "Give one for each segment, in the order of the texts.",
            parameter="scores",
        )
    return [_number(value, origin.path, line) for line, _, value in mine], origin


def _of_system(cells: Sequence[Found], system: str, origin: Origin, *, several: bool) -> list[Found]:
    """The scores of one system, where a file holds several."""
    names = list(dict.fromkeys(name for _, name, _ in cells))
    if len(names) < 2 and not several:
        return list(cells)
    if not any(names):
        raise OutscoreError(
            f"{origin.label} is named for several systems but does not say whose its scores are.",
            "Name a file of scores for each system.",
            parameter="scores",
        )
    fitting = [name for name in names if system in (name, stem_of(name))]
    if len(fitting) != 1:
        raise OutscoreError(
            f"{origin.label} contains scores of {', '.join(f'`{name}`' for name in names[:5])}, but none is called `{system}`.",
            "Give the systems these names with --names.",
            parameter="scores",
        )
    return [cell for cell in cells if cell[1] == fitting[0]]


def _cells(text: str, path: str, metric: str) -> Iterator[Found]:
    begun = text.lstrip()
    whole = _document(begun) if begun.startswith("{") else None
    if whole is not None and all(isinstance(rows, list) for rows in whole.values()):
        for system, rows in whole.items():
            assert isinstance(rows, list)
            for i, row in enumerate(rows, 1):
                yield i, system, _in_object(row, path, i, metric)
        return
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        if line.lstrip().startswith("{"):
            row = _document(line)
            if row is None:
                raise line_error(path, number, "this is not a whole JSON object", "Write each object on one line.")
            system = next((str(row[key]) for key in ("system", "system_id", "model") if key in row), "")
            yield number, system, _in_object(row, path, number, metric)
        elif (printed := _PRINTED.match(line)) is not None:
            yield number, printed[1], printed[2]
        elif not _PRINTED_MEAN.match(line):
            cells = line.split("\t") if "\t" in line else line.split()
            # metric, language pair, test set, system, segment, score; or system, score.
            yield number, cells[-3] if len(cells) > 5 else "".join(cells[:-1][-1:]), cells[-1]


def _document(text: str) -> dict[str, object] | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) and value else None


def _in_object(row: object, path: str, line: int, metric: str) -> object:
    """The score of an object: the value named after the metric, or the only number."""
    if isinstance(row, dict):
        wanted = [key for key in row if str(key).lower() in (metric.lower(), *_KEYS)]
        numbers = [key for key, value in row.items() if isinstance(value, float)]
        for keys in (wanted, numbers):
            if len(keys) == 1:
                return row[keys[0]]
    hint = f"Call the score `{metric}` or `score`."
    raise line_error(path, line, f"found {shorten(json.dumps(row))}, which has no score of {metric}", hint)


def _number(value: object, path: str, line: int) -> float:
    try:
        number = float(str(value))
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise line_error(path, line, f"found {shorten(str(value))}, expected a number", "Give every segment a score.")
    return number
