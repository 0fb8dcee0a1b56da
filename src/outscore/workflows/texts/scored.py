"""Metrics that another tool computed, segment by segment: they join the metrics of texts in one family."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.formats.texts.scores import read_segment_scores
from outscore.metrics.text.entry import segment_mean, to_rows
from outscore.scores.system import Origin
from outscore.workflows.texts.corpus import Member
from outscore.workflows.texts.inputs import runs_in
from outscore.workflows.texts.statistics import Texts

__all__ = ["name_and_direction", "scored_members"]

ERRORS = re.compile(r"metricx|mqm|xcomet-error", re.IGNORECASE)
"""Metrics that are known to count errors."""


def name_and_direction(written: str) -> tuple[str, Literal["higher", "lower"]]:
    """A metric's name, and which scores are better: as written in brackets, or as is known of the metric.

    Examples
    --------
    >>> name_and_direction("COMET"), name_and_direction("Loss(lower)"), name_and_direction("MetricX-24")
    (('COMET', 'higher'), ('Loss', 'lower'), ('MetricX-24', 'lower'))
    """
    found = re.fullmatch(r"(.+?)\s*\((higher|lower)\)", written)
    if found is not None:
        return found[1], "lower" if found[2] == "lower" else "higher"
    return written, "lower" if ERRORS.match(written) else "higher"


def scored_members(scores: Mapping[str, str], texts: Texts) -> tuple[list[Member], list[Origin]]:
    """The metrics of `scores`, files of A and B with a comma between them by the metric's name, and the files."""
    members, origins = [], []
    for written, files in scores.items():
        name, direction = name_and_direction(written)
        sides = [file.strip() for file in files.split(",") if file.strip()]
        if len(sides) != 2:
            message = f"--scores {written} names {len(sides)} files, one for each system was expected."
            raise OutscoreError(message, f"Write --scores {written}=A,B.", parameter="scores")
        rows: list[list[Array]] = []
        for side, system, runs in zip(sides, texts.names, (texts.a, texts.b), strict=True):
            paths = runs_in(side)
            if len(paths) != len(runs):
                message = f"--scores {written}: `{side}` stands for {len(paths)} files, `{system}` has {len(runs)} runs."
                raise OutscoreError(message, "Give a file of scores for each run.", parameter="scores")
            read = [read_segment_scores(path, name, system, len(runs[0])) for path in paths]
            rows.append([to_rows(values) for values, _ in read])
            origins += [origin for _, origin in read]
        signature = f"{name}|scores:{','.join(sides)}|mean:segments"
        members.append(Member(name, segment_mean(name, direction, graded=True), signature, *rows))
    return members, origins
