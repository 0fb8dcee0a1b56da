"""Answers and judgements of them, or right answers: DeepEval, OpenCompass, ExplainaBoard, ZeroEval, and answers by a file."""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Literal

import msgspec

from outscore.formats.base.document import parse_document
from outscore.formats.base.source import open_source
from outscore.formats.json import Shape, field_of, number_of
from outscore.formats.logs.document import Document
from outscore.formats.logs.engine import LogFormat
from outscore.formats.logs.evaluation import Evaluation, Exchange, Row, digest_of, drop_single_runs, exchange_of
from outscore.formats.tables.labels import exact_and_f1, items_of, normalised
from outscore.outputs.items import align_items, refuse_other_lengths
from outscore.outputs.model import SET_SEPARATOR, SQUAD, UNALIGNED, Items
from outscore.scores.system import Labels

# DeepEval: test cases with the judgement of each metric. `.latest_test_run.json` keeps the run below `testRunData`; files in
# DEEPEVAL_RESULTS_FOLDER are the run itself. Whether a score above or below the threshold passes says which are better.
# Until version 1.3 or so, judgements were called metricsMetadata, and each had the least score that passes.
_JUDGEMENT = Shape(
    {
        "name": str | None,
        "metric": str | None,
        "score": float | None,
        "threshold": float | None,
        "minimumScore": float | None,
        "success": bool | None,
        "error": str | None,
    }
)
_TEST_RUN = Shape(
    {
        "testCases": list[msgspec.Raw] | None,
        "conversationalTestCases": list[msgspec.Raw] | None,
        "metricsScores": [Shape({"metric": str, "scores": list[float | None]})],
        "metricScores": [Shape({"metric": str, "score": float | None})],
        "testFile": str | None,
    }
)


def _test_run(document: Document) -> dict[str, Any]:
    content = document.decode_all(dict[str, msgspec.Raw])
    run: dict[str, Any] = document.decode(content.get("testRunData", document.data), _TEST_RUN)
    return {**run, "sides": {}}


def _case_row(document: Document, case: Mapping[str, Any]) -> Row:
    judged = [{**one, "name": one["name"] or one["metric"]} for one in case["metricsData"] or case["metricsMetadata"]]
    for one in judged:
        _note_side(document.header["sides"].setdefault(one["name"], Counter()), one)
    scores = {one["name"]: number_of(one["score"]) for one in judged} | {"success": number_of(case["success"])}
    failed = bool(judged) and all(one["score"] is None and one["error"] is not None for one in judged)
    asked = case["input"] if case["input"] is not None else case["scenario"]
    return Row(
        case["name"],
        dict.fromkeys(scores, math.nan) if failed else scores,
        "errored" if failed else None,
        content=None if asked is None else digest_of([asked]),
        part=case["order"],
    )


def _note_side(sides: Counter[str], judged: Mapping[str, Any]) -> None:
    score, threshold, passed = judged["score"], judged["threshold"], judged["success"]
    if judged["minimumScore"] is not None:
        sides["higher"] += 1
    if None not in (score, threshold, passed) and score != threshold:
        sides["higher" if passed == (score > threshold) else "lower"] += 1


def _number_cases(_: Document, rows: list[Row]) -> list[Row]:
    """Tests that share a name are told apart by their order."""
    shared = {name for name, count in Counter(row.item for row in rows).items() if count > 1}
    for place, row in enumerate(rows):
        if row.item in shared:
            row.item = f"{row.item} {place if row.part is None else row.part}"
        row.part = None
    return rows


def _means(document: Document, _: Sequence[Row]) -> dict[str, float | None]:
    """What the run reports of each metric: all scores, or their mean."""
    said = document.header
    scored = {one["metric"]: [one["score"]] for one in said["metricScores"] if one["score"] is not None}
    scored |= {one["metric"]: [score for score in one["scores"] if score is not None] for one in said["metricsScores"]}
    return {name: sum(scores) / len(scores) for name, scores in scored.items() if scores}


def _sides(document: Document, _: Sequence[Row]) -> dict[str, bool]:
    sides = document.header["sides"].items()
    return {name: "higher" in found for name, found in sides if len(found) == 1} | {"success": True}


DEEPEVAL = LogFormat(
    harness="deepeval",
    recognise=lambda peek: (
        peek.is_object
        and (peek.has_keys("testRunData") or peek.has_keys("testCases") or peek.has_keys("conversationalTestCases"))
        and (peek.has_keys("name", "metricsData") or peek.has_keys("name", "metricsMetadata"))
    ),
    header=_test_run,
    samples=lambda document: [*(document.header["testCases"] or ()), *(document.header["conversationalTestCases"] or ())],
    sample={
        "name": str,
        "input": str | None,
        "scenario": str | None,
        "success": bool | None,
        "order": int | None,
        "metricsData": [_JUDGEMENT],
        "metricsMetadata": [_JUDGEMENT],
    },
    row=_case_row,
    arrange=_number_cases,
    system=lambda document, _: document.stem.removeprefix("."),
    task=lambda document, _: document.header["testFile"] or "deepeval",
    directions=_sides,
    totals=_means,
    columns={"item": "name"},
    exchange=("input", "expectedOutput", "actualOutput"),
    empty=("contains no test case", "Run the tests again."),
)


# OpenCompass: results/<model>/<dataset>.json, with `details` if it was asked to dump them: a list in which each field is a
# list of those of all runs, or an object by number. Accuracies are per cent.
_VERDICTS = ("correct", "is_correct", "cascade_correct")
_DETAILS = re.compile(
    rb'"details"\s*:\s*(?:\[\s*\{\s*"example_abbr"\s*:|\{\s*(?:"type"\s*:\s*"(?:GEN|PPL)"\s*,\s*)?"0"\s*:\s*\{)'
)
_ACCURACY = re.compile(r"accuracy(?: \(\d+ runs average\))?")


def _results(document: Document) -> dict[str, Any]:
    content: dict[str, msgspec.Raw] = document.decode_all(dict[str, msgspec.Raw])
    details = document.decode(content.pop("details", b"[]"), list[msgspec.Raw] | dict[str, msgspec.Raw])
    totals = {name: document.decode(raw, Any) for name, raw in content.items() if _ACCURACY.fullmatch(name)}
    accuracies = [number_of(value) / 100 for value in totals.values()]
    return {"details": details, "accuracy": accuracies[0] if len(accuracies) == 1 else None}


def _runs(document: Document) -> Iterator[tuple[str, int, dict[str, Any], Any]]:
    """Every run of every item: its item, its number, all about the item, and the verdict."""
    details = document.header["details"]
    for number, raw in details.items() if isinstance(details, dict) else enumerate(details):
        if number == "type":
            continue
        detail = document.decode(raw, dict[str, Any])
        verdict = next((detail[name] for name in _VERDICTS if detail.get(name) is not None), None)
        for run, one in enumerate(verdict if isinstance(verdict, list) else [verdict]):
            yield str(detail.get("example_abbr", number)), run, detail, one


def _detail_rows(document: Document) -> Iterator[Row]:
    for item, run, _, verdict in _runs(document):
        yield Row(item, {} if verdict is None else {"correct": number_of(verdict)}, repeat=str(run + 1))


def _detail_texts(document: Document, places: Collection[int]) -> dict[int, Any]:
    found = ((place, run, detail) for place, (_, run, detail, _) in enumerate(_runs(document)) if place in places)
    return {place: {name: _of_run(value, run) for name, value in detail.items()} for place, run, detail in found}


def _of_run(value: object, run: int) -> object:
    """What a run has of a field: with several of them, fields are lists."""
    return value[run] if isinstance(value, list) and run < len(value) else value


def _detail_exchange(detail: Mapping[str, Any]) -> Exchange:
    names = (("prompt", "origin_prompt"), ("answer", "refr", "references", "gold"), ("pred", "predictions", "prediction"))
    return exchange_of(*(next((detail[name] for name in own if detail.get(name) is not None), None) for own in names))


OPENCOMPASS = LogFormat(
    harness="opencompass",
    recognise=lambda peek: peek.is_object and _DETAILS.search(peek.start) is not None,
    header=_results,
    samples=_detail_rows,
    arrange=drop_single_runs,
    system=lambda document, _: document.folder,
    directions=True,
    totals={"correct": "accuracy"},
    repeat_column="run",
    columns={"item": "details"},
    texts=_detail_texts,
    exchange=_detail_exchange,
    empty=("contains no details", "Run the evaluation again with `--dump-eval-details`."),
)


# ExplainaBoard: predictions beside the right answers, without ids or with ids that repeat: an item is its number. Labels are
# right if they are equal, choices if their index is; answers to questions are compared as SQuAD's are.
_ASKED = ("text", "text1", "text2", "context", "question")


def _predictions(document: Document) -> dict[str, Any]:
    content = document.decode_all(dict[str, msgspec.Raw])
    about = next((content[name] for name in ("user_defined_metadata_configs", "metadata") if name in content), None)
    listed = next((content[name] for name in ("predictions", "examples") if name in content), msgspec.Raw(b"[]"))
    return {
        "about": {} if about is None else document.decode(about, dict[str, Any]),
        "predictions": document.decode(listed, list[msgspec.Raw]),
    }


def _prediction_row(document: Document, prediction: Mapping[str, Any]) -> Row:
    scores = _scores_of(prediction)
    if scores is None:
        finding = " has a prediction without `true_label` and `predicted_label`, or `answers` and `predicted_answers`."
        document.refuse(finding, "Give the predictions of a task of classification or question answering.")
    return Row("", scores, content=digest_of([prediction[name] for name in _ASKED]))


def _scores_of(prediction: Mapping[str, Any]) -> dict[str, float] | None:
    if prediction["true_label"] is not None and prediction["predicted_label"] is not None:
        return {"correct": float(str(prediction["true_label"]) == str(prediction["predicted_label"]))}
    right, given = prediction["answers"], prediction["predicted_answers"]
    if right is None or given is None:
        return None
    if "option_index" in right and "option_index" in given:
        return {"correct": float(right["option_index"] == given["option_index"])}
    texts = right.get("text")
    accepted = [normalised(str(text)) for text in (texts if isinstance(texts, list) else [texts])]
    exact, f1 = exact_and_f1(accepted, normalised(str(given.get("text") or "")))
    return {"exact_match": exact, "f1": f1}


def _number_predictions(_: Document, rows: list[Row]) -> list[Row]:
    for number, row in enumerate(rows, 1):
        row.item = str(number)
    return rows


def _dataset(document: Document, _: Sequence[Row]) -> str:
    about = document.header["about"]
    parts = [str(about[name]) for name in ("dataset_name", "sub_dataset", "language") if about.get(name)]
    return " ".join(parts) or str(about.get("task_name") or "explainaboard")


def _prediction_exchange(record: Mapping[str, Any]) -> Exchange:
    asked = next((record[name] for name in ("question", "text", "text2", "text1") if record.get(name)), None)
    if record.get("true_label") is not None:
        return exchange_of(asked, record["true_label"], record.get("predicted_label"))
    right, given = field_of(record, "answers.text"), field_of(record, "predicted_answers.text")
    return exchange_of(asked, right[0] if isinstance(right, list) and right else right, given)


EXPLAINABOARD = LogFormat(
    harness="explainaboard",
    recognise=lambda peek: (
        peek.is_object
        and (peek.has_keys("true_label", "predicted_label") or peek.has_keys("answers", "predicted_answers"))
        and (peek.has_keys("predictions") or peek.has_keys("examples"))
    ),
    header=_predictions,
    samples="predictions",
    sample={
        "true_label": str | int | None,
        "predicted_label": str | int | None,
        "answers": dict[str, Any] | None,
        "predicted_answers": dict[str, Any] | None,
        **dict.fromkeys(_ASKED, str | None),
    },
    row=_prediction_row,
    arrange=_number_predictions,
    system=lambda document, _: str(
        document.header["about"].get("system_name") or document.header["about"].get("model_name") or document.stem
    ),
    task=_dataset,
    directions=True,
    columns={"item": "number"},
    exchange=_prediction_exchange,
    empty=("contains no prediction", "Copy the file again."),
)


# ZeroEval: a list of records with one output each, in which the answer stands as JSON. What is right is decided as by its own
# evaluation of each dataset; an output without an answer is wrong.
_WRITTEN = [re.compile(rf"{name}\s*:\s*{value}") for name, value in (
    ('"answer"', '"([^"]*)"'), ('"answer"', r"([^,\s]*)"), ("answer", r"([^,\s]*)")
)]  # fmt: skip
_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_FRACTION = re.compile(r"\s*(-?[\d.]+)\s*/\s*([\d.]*[1-9][\d.]*)\s*")


def _objects_in(text: str) -> list[str]:
    """The JSON objects that a text holds side by side, as far as braces tell."""
    objects, depth, start = [], 0, 0
    for place, letter in enumerate(text):
        if letter == "{":
            start = start if depth else place
            depth += 1
        elif letter == "}" and depth:
            depth -= 1
            if not depth:
                objects.append(text[start : place + 1])
    return objects


def _answer_in(text: str, which: Literal["first", "last"]) -> object:
    """The answer that an output gives in its first or last object, or that is written like one; None if there is none."""
    objects = _objects_in(text) or ["null"]
    found = parse_document(objects[0 if which == "first" else -1].replace("\n", ""))
    if isinstance(found, dict) and "answer" in found:
        return found["answer"]
    return next((match[1] for pattern in _WRITTEN if (match := pattern.search(text)) is not None), None)


def _number_in(answer: object) -> float | None:
    """The first number of an answer, without signs of money and thousands; a fraction as a decimal."""
    text = str(answer).replace("$", "").replace(",", "").strip()
    parts = _FRACTION.fullmatch(text)
    with suppress(ValueError):
        text = text if parts is None else str(float(parts[1]) / float(parts[2]))
    number = _NUMBER.search(text)
    return None if number is None else float(number[0])


def _equal_numbers(record: Mapping[str, Any]) -> bool:
    given, right = _answer_in(record["output"][0], "first"), str(record["answer"]).replace("#", "")
    return given is not None and _number_in(given) is not None and _number_in(given) == _number_in(right)


def _equal_values(record: Mapping[str, Any]) -> bool:
    """Whether the value that a program returns is written as Python writes it; texts may lack their quotation marks."""
    given = _answer_in(record["output"][0], "first")
    plain = isinstance(given, str) and not set("({[]})") & set(given) and given.lower() not in ("true", "false")
    if plain and not str(given).replace(".", "", 1).isdigit():
        given = f"'{given}'"
    return given is not None and str(given) == str(record["answer"])


def _equal_choices(record: Mapping[str, Any]) -> bool:
    choices = record["choices"] or []
    right = choices.index(record["correct_answer"]) if record["correct_answer"] in choices else -1
    return right >= 0 and _answer_in(record["output"][0], "last") == string.ascii_uppercase[right : right + 1]


_EQUAL = {"gsm": _equal_numbers, "crux": _equal_values, "mmlu-redux": _equal_choices}


def _record_row(document: Document, record: Mapping[str, Any]) -> Row:
    equal = _EQUAL.get(record["dataset"])
    if equal is None or not record["output"]:
        judged = ", ".join(_EQUAL)
        finding = f" holds outputs of ZeroEval on `{record['dataset']}`; only those on {judged} are judged here."
        document.refuse(finding, "Write a table with the columns id and correct.")
    document.header["task"] = record["dataset"]
    content = None if record["chat_history"] is None else digest_of(record["chat_history"])
    return Row(record["id"] or record["session_id"], {"correct": float(equal(record))}, content=content)


def _record_exchange(record: Mapping[str, Any]) -> Exchange:
    right = str(record.get("correct_answer", record.get("answer"))).removeprefix("# ")
    return exchange_of(record.get("question"), right, _answer_in(record["output"][0], "first"))


ZEROEVAL = LogFormat(
    harness="zeroeval",
    recognise=lambda peek: peek.is_list and peek.has_keys("session_id", "chat_history", "model_input", "output", "generator"),
    samples=Document.values,
    sample={
        "id": str | None,
        "session_id": str,
        "dataset": str,
        "output": list[str],
        "answer": str | float | int | bool | None,
        "correct_answer": str | None,
        "choices": list[str] | None,
        "chat_history": list[str] | None,
    },
    row=_record_row,
    task=lambda document, _: document.header["task"],
    directions=True,
    columns={"item": "id"},
    exchange=_record_exchange,
    empty=("contains no record", "Run the evaluation again."),
)


def _items_in(path: str, role: Literal["gold", "system"]) -> Items:
    # Imported only here, because it knows all formats.
    from outscore.formats.registry import OUTPUT_FORMATS, refuse_formats

    entry = OUTPUT_FORMATS["labels"]
    with open_source(path) as source:
        refuse_formats(source, entry.refuses, entry.expected)
        return items_of(source, role=role)


def evaluate_answers(path: str, gold: str, _: str | None = None) -> Evaluation:
    """The answers of a file by the right ones of another, a row for each item that has a right answer.

    Answers to questions of SQuAD have its exact match and F1, others are right if they equal the right one, or one of several.
    """
    right, given = _items_in(gold, "gold"), _items_in(path, "system")
    refuse_other_lengths(right, [given])
    by_words = right.origin is not None and right.origin.format == SQUAD
    if by_words:
        given = replace(given, answers=Labels.of(map(normalised, given.answers.texts())))
    aligned = align_items(right, [given])
    right, (given,), (places,) = aligned.gold, aligned.systems, aligned.rows
    answers = [UNALIGNED if place < 0 else given.answers[place] for place in places.tolist()]
    rows = []
    for item, accepted, answer in zip(right.ids.texts(), right.answers.texts(), answers, strict=True):
        several = accepted.split(SET_SEPARATOR) if right.are_sets and not given.are_sets else [accepted]
        exact, f1 = exact_and_f1(several, answer)
        rows.append(Row(item, {"exact_match": exact, "f1": f1} if by_words else {"accuracy": float(answer in several)}))
    alignment = aligned.alignments[0]
    notes = [f"Answers are compared with the right ones in {right.label}{' by the rules of SQuAD' if by_words else ''}."]
    if alignment.only_a:
        notes.append(f"{given.name} answers {alignment.common} of {right.rows} questions; the others count as 0.")
    if alignment.only_b:
        notes.append(f"{alignment.only_b} answers of {given.name} have no right answer, and are left out.")
    texts = right.answers.texts()
    return Evaluation.of(
        rows,
        harness="answers",
        system=given.name,
        task=right.name,
        origin=replace(given.source, columns={"item": given.source.columns.get("item", ("line",))}),
        directions=True,
        notes=tuple(notes),
        exchanges=lambda wanted: [exchange_of(None, texts[row], answers[row]) for row in wanted],
    )
