"""Tables of answers beside the right ones: which columns they are, so that an answer scores 1 where it is right.

Raw records of a model hold its prediction and the right answer, and often numbers that are no scores, such as
the position of the right answer. A prediction with a right answer beside it is scored as right or wrong. So
are the columns of several systems beside a column of right answers, if they hold such answers.
"""

from __future__ import annotations

from collections.abc import Sequence

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass
from outscore.formats.base.entry import Choice
from outscore.formats.tables.cells import is_blank, label_text
from outscore.formats.tables.finder import ColumnFinder
from outscore.formats.tables.names import EITHER, PREDICTED, RIGHT, is_known, join_names, normalize_name, suggests_other
from outscore.formats.tables.number_text import is_number, is_whole
from outscore.formats.tables.records import Records

__all__ = ["Answers", "answer_columns", "find_answers"]

_BINARY = {"0", "1"}


@dataclass(frozen=True)
class Answers:
    """The column of the right answers, and those of the answers: one, or one for each system (`wide`)."""

    gold: str
    answers: tuple[str, ...]
    wide: bool


def find_answers(records: Records, finder: ColumnFinder, choice: Choice) -> Answers | None:
    """The columns of answers that the caller named, or that the table has instead of scores; None if there are none."""
    asked = choice.gold is not None or choice.prediction is not None
    called = choice.gold_option or "gold"
    options = f"--prediction COLUMN and {choice.naming_gold} COLUMN (prediction=..., {called}=... in Python)"
    name = f"Name the ones meant with {options}."
    prediction = choice.prediction or finder.find("prediction", PREDICTED, name)
    gold = choice.gold or finder.find("gold", (*RIGHT, *EITHER), name)
    if choice.systems and not asked and gold is not None and normalize_name(gold) in {n for tier in EITHER for n in tier}:
        # Systems that were named are taken for scores, unless the name beside them leaves no doubt.
        return None
    if gold is None:
        if asked:
            raise _missing(records, "right answers", called)
        return None
    if choice.systems and set(choice.systems) <= set(records.columns):
        alike = all(_are_answers(records.sample[name], records.sample[gold]) for name in choice.systems)
        return Answers(gold, choice.systems, wide=True) if asked or alike else None
    if prediction is not None:
        return Answers(gold, (prediction,), wide=False) if asked or _is_scored(records, prediction, gold) else None
    columns = answer_columns(records, finder, gold)
    if asked and not columns:
        raise _missing(records, "predictions", "prediction")
    if columns and not asked:
        _refuse_doubtful(records, choice, gold, columns)
    return Answers(gold, columns, wide=len(columns) > 1) if columns else None


def _missing(records: Records, what: str, option: str) -> OutscoreError:
    return OutscoreError(
        f"{records.label} has no column of {what} among {join_names(records.columns)}.",
        f"Name it with --{option.replace('_', '-')} COLUMN ({option}=... in Python).",
        parameter=option,
    )


def _is_scored(records: Records, prediction: str, gold: str) -> bool:
    """Whether predictions are to be equal to the right answers; whole responses and measured values are not."""
    right = [label_text(value) for value in records.sample[gold] if not is_blank(value)]
    if any(is_number(text) and not is_whole(text) for text in right):
        return False
    return normalize_name(prediction) in PREDICTED[0] or _are_answers(records.sample[prediction], records.sample[gold])


def answer_columns(records: Records, finder: ColumnFinder, gold: str) -> tuple[str, ...]:
    """The columns of a wide table that hold answers of the kind that `gold` does."""
    others = [name for name in finder.free() if name != gold and not is_known(name) and not suggests_other(name)]
    return tuple(name for name in others if _are_answers(records.sample[name], records.sample[gold]))


def _are_answers(values: Sequence[object], gold: Sequence[object]) -> bool:
    """Whether at least half of the values are among the right answers, which are no measured values."""
    right = {label_text(value) for value in gold if not is_blank(value)}
    if any(is_number(text) and not is_whole(text) for text in right):
        return False
    present = [label_text(value) for value in values if not is_blank(value)]
    return bool(present) and 2 * sum(text in right for text in present) >= len(present)


def _refuse_doubtful(records: Records, choice: Choice, gold: str, columns: Sequence[str]) -> None:
    """Refuse 0 and 1 beside a `label` of 0 and 1: they may be answers to it, or say whether an answer was right."""
    if any(normalize_name(gold) in tier for tier in RIGHT):
        return
    found = {label_text(value) for name in (gold, *columns) for value in records.sample[name] if not is_blank(value)}
    if found <= _BINARY:
        chosen = " ".join(f"--system {name}" for name in columns[:2])
        raise OutscoreError(
            f"{records.label}: {join_names(columns)} may be answers to `{gold}`, or scores.",
            f"Write {choice.naming_gold} {gold} to score the answers, or {chosen} to take the columns as scores.",
            parameter=choice.gold_option or "gold",
        )
