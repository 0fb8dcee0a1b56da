"""What the input was taken to mean: which column played which part, how much was read, and which direction is better."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from outscore.core.records import dataclass

__all__ = ["Direction", "DirectionSource", "Reading"]

Direction = Literal["higher", "lower"]
DirectionSource = Literal["given", "metric", "log", "column", "file", "default"]


@dataclass(frozen=True)
class Reading:
    """What the input was taken to mean.

    Parts hold the names of columns, several where files name theirs differently or where several columns are counts. A part
    that no column plays is empty.

    Attributes
    ----------
    kind
        "table" has named columns, "log" is what a harness recorded, "numbers" are bare numbers in the order of their lines,
        "arrays" come from Python, "texts" are scored against references, "outputs" against right
        answers, and "printed" are the scores of a published table.
    rows, files
        How many rows were read, and from how many files.
    formats
        The formats of the files.
    score
        Columns of the scores; empty where each system has a column of its own.
    systems
        Columns that are a system each.
    item, system, repeat, cluster, dataset, slices
        Columns of the other parts. Without `item`, items are matched by their order.
    prediction, gold
        Columns that were compared: an item scores 1 where the prediction is the right answer.
    by_class
        Whether predictions were counted by class instead, as macro-F1 needs them.
    measures
        The columns, or scores of logs, that are compared one by one as a family.
    direction, direction_source
        Which scores are better, and how that is known.
    left_out
        How many of the rows have no score and were left out.
    gold_file, output_files
        Of outputs: the file of the right answers, and those of the systems.
    """

    kind: Literal["table", "log", "numbers", "arrays", "texts", "outputs", "printed"]
    rows: int
    files: int = 0
    formats: list[str] = field(default_factory=list)
    score: list[str] = field(default_factory=list)
    systems: list[str] = field(default_factory=list)
    item: list[str] = field(default_factory=list)
    system: list[str] = field(default_factory=list)
    repeat: list[str] = field(default_factory=list)
    cluster: list[str] = field(default_factory=list)
    dataset: list[str] = field(default_factory=list)
    slices: list[str] = field(default_factory=list)
    prediction: list[str] = field(default_factory=list)
    gold: list[str] = field(default_factory=list)
    direction: Direction = "higher"
    direction_source: DirectionSource = "default"
    gold_file: str = ""
    output_files: list[str] = field(default_factory=list)
    by_class: bool = False
    measures: list[str] = field(default_factory=list)
    left_out: int = 0
