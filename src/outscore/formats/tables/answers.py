r"""Answers that are no table: a label per line, `{id: answer}`, and the questions of SQuAD.

Labels without ids are matched by their lines, as scores and texts are. SQuAD compares answers without case, punctuation,
articles and doubled blanks (`normalize_answer` of its evaluation script), and accepts any of several.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.formats.base.source import Peek, Source, line_error
from outscore.formats.tables.cells import NO_LABEL
from outscore.formats.tables.jsonl import looks_like_json
from outscore.formats.tables.names import holds_answers
from outscore.outputs.model import LABEL_LINES, SET_SEPARATOR, SQUAD, Items
from outscore.scores.system import Labels, Origin

_TABLES = (".csv", ".tsv", ".json", ".jsonl", ".parquet")
_MARKS = ("\t", ",", ";", "|")
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def are_label_lines(peek: Peek) -> bool:
    r"""Whether a file has a label on each line: nothing separates columns, and its first line does not name one.

    Examples
    --------
    >>> are_label_lines(Peek("a.txt", ["yes\n", "no\n"])), are_label_lines(Peek("a.txt", ["label\n", "no\n"]))
    (True, False)
    """
    if peek.is_parquet or peek.suffix in _TABLES or looks_like_json(peek) or not peek.filled:
        return False
    return not any(mark in line for line in peek.filled for mark in _MARKS) and not holds_answers(peek.filled[0].strip())


def label_lines(source: Source, name: str, *, right: bool) -> Items:
    """The label on each line; a blank line is no answer, and refused where it should be the right one."""
    labels = [line.strip() for line in source.lines()]
    while labels and not labels[-1]:
        labels.pop()
    if not labels:
        raise OutscoreError(f"{source.label} is empty.", "Write a label on each line.", file=source.path)
    if right and "" in labels:
        problem = "the line is blank, but every item needs a right answer"
        raise line_error(source.path, labels.index("") + 1, problem, "Fill it in, or remove the line from all files.")
    lines = np.arange(1, len(labels) + 1)
    origin = Origin(source.path, source.sha256(), len(labels), LABEL_LINES, {"answer": ("line",)}, "line")
    answers = Labels.of(label or NO_LABEL for label in labels)
    return Items(name, Labels.of(map(str, lines.tolist())), answers, origin=origin, lines=lines)


def answers_by_id(source: Source, name: str) -> Items | None:
    """The answers of a JSON object, `{id: answer}` or the questions of SQuAD; None for any other document."""
    document = source.peek.document
    if not isinstance(document, dict) or not document:
        return None
    if isinstance(document.get("data"), list):
        questions = _questions(document["data"])
        if not questions:
            return None
        return _items(source, name, {item: accepted_answers(texts) for item, texts in questions.items()}, SQUAD)
    if all(isinstance(answer, str) for answer in document.values()):
        return _items(source, name, {item: answer.strip() or NO_LABEL for item, answer in document.items()}, "labels")
    return None


def _items(source: Source, name: str, answers: Mapping[str, str], kind: str) -> Items:
    used = {"item": ("id",), "answer": ("answers" if kind == SQUAD else "answer",)}
    origin = Origin(source.path, source.sha256(), len(answers), kind, used, "row")
    return Items(name, Labels.of(answers), Labels.of(answers.values()), origin=origin, are_sets=kind == SQUAD)


def _questions(articles: Sequence[Any]) -> dict[str, list[str]]:
    """The accepted answers to each question by its id; empty unless all are laid out as SQuAD's."""
    found: dict[str, list[str]] = {}
    try:
        for article in articles:
            for paragraph in article["paragraphs"]:
                for question in paragraph["qas"]:
                    found[str(question["id"])] = [answer["text"] for answer in question["answers"]]
    except (KeyError, TypeError):
        return {}
    return found


def accepted_answers(texts: Iterable[object]) -> str:
    """All accepted answers, normalised; those of which nothing is left do not count unless there is no other."""
    kept = dict.fromkeys(normalised(str(text)) for text in texts)
    return SET_SEPARATOR.join(text for text in kept if text != NO_LABEL) or NO_LABEL


def exact_and_f1(accepted: Sequence[str], answer: str) -> tuple[float, float]:
    """Whether an answer is one of those accepted, and the best F1 of its words against one of them; all are normalised.

    No answer is right, with F1 1, where none is accepted, as in the evaluation of SQuAD 2.0.

    Examples
    --------
    >>> exact_and_f1(["middle rhine", "rhine"], "upper rhine"), exact_and_f1(["(none)"], "(none)")
    ((0.0, 0.6666666666666666), (1.0, 1.0))
    """
    right = [text for text in accepted if text != NO_LABEL] or [NO_LABEL]
    return float(answer in right), max(_word_f1(text, answer) for text in right)


def _word_f1(right: str, answer: str) -> float:
    if NO_LABEL in (right, answer):
        return float(right == answer)
    ours, theirs = right.split(), answer.split()
    shared = (Counter(ours) & Counter(theirs)).total()
    if not shared:
        return 0.0
    precision, recall = shared / len(theirs), shared / len(ours)
    return 2 * precision * recall / (precision + recall)


def normalised(answer: str) -> str:
    """An answer as SQuAD's evaluation compares it.

    Examples
    --------
    >>> normalised("The Middle  Rhine."), normalised("the")
    ('middle rhine', '(none)')
    """
    if answer == NO_LABEL:
        return answer
    plain = _ARTICLES.sub(" ", answer.lower().translate(_PUNCTUATION))
    return " ".join(plain.split()) or NO_LABEL
