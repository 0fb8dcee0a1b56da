"""The formats of logs that are declared: where samples are, what row each of them is, and what a file says about all."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from outscore.formats.base.pipes import scannable
from outscore.formats.base.source import stem_of
from outscore.formats.json import Shape, field_of, number_of
from outscore.formats.logs.document import Document, LogPeek, Piece, labels_of, open_document, text_of
from outscore.formats.logs.engine import LogFormat
from outscore.formats.logs.evaluation import Exchange, Row, digest_of, drop_single_runs, exchange_of
from outscore.formats.tables.parquet import refuse_damaged

# OpenAI evals: a specification first, then events in order of completion. The score of a sample is its event of the type
# `match`. The final report may stand on any line.
_EVENT = Shape(
    {
        "type": str | None,
        "spec.completion_fns": list[str] | None,
        "spec.eval_name": str | None,
        "spec.split": str | None,
        "spec.run_config.seed": int | None,
        "spec.run_config.max_samples": int | None,
        "final_report.accuracy": float | None,
    }
)


_MATCH = Shape({"sample_id": str | int, "data.correct": bool | None})


def _is_specification(peek: LogPeek) -> bool:
    spec = field_of(peek.first_line, "spec")
    return isinstance(spec, dict) and "completion_fns" in spec


def _match_row(record: Document, line: Piece) -> Row | None:
    event = record.decode(line, _EVENT)
    record.header |= {path: value for path, value in event.items() if value is not None}
    if event["type"] != "match":
        return None
    match = record.decode(line, _MATCH)
    correct = match["data.correct"]
    return Row(str(match["sample_id"]), {} if correct is None else {"correct": float(correct)})


OPENAI_EVALS = LogFormat(
    harness="openai-evals",
    recognise=_is_specification,
    row=_match_row,
    system=lambda document, _: (document.header.get("spec.completion_fns") or [document.stem])[0],
    task=lambda document, _: document.header.get("spec.eval_name") or "openai-evals",
    directions=True,
    totals={"correct": "final_report.accuracy"},
    conditions={"split": "spec.split", "seed": "spec.run_config.seed", "limit": "spec.run_config.max_samples"},
    columns={"item": "sample_id"},
    exchange=("", "data.expected", "data.sampled"),
    empty=(
        "records no event of the type `match`, which says whether an answer is right",
        "Compare an eval that matches answers, or export a table with a score per sample.",
    ),
)


# HELM: a list of instances with their statistics. Most of these are bookkeeping (tokens, run time, cost); the scores are those
# that the run's metric specifications name. Perturbed copies of an instance are filters of their own: pooled with the originals
# they would count some questions twice.
_BOOKKEEPING = re.compile(
    r"num_|training_|inference_|finish_reason_|batch_size|prompt_truncated|max_prob|logprob|estimated_|denoised_|idealized_"
)


class _StatName(msgspec.Struct):
    name: str
    split: str | None = None
    perturbation: dict[str, Any] | None = None


class _Stat(msgspec.Struct):
    name: _StatName
    mean: float | None = None


_RUN_SPEC = Shape(
    {
        "name": str | None,
        "adapter_spec.model": str | None,
        "adapter_spec.max_train_instances": int | None,
        "adapter_spec.max_eval_instances": int | None,
        "metric_specs": [Shape({"args.names": list[str] | None})],
    }
)


def _instance_row(_: Document, instance: Mapping[str, Any]) -> Row:
    """A row with all its statistics; every trial is a repeat, and every perturbation a part."""
    stats: list[_Stat] = instance["stats"] or []
    split = next((stat.name.split for stat in stats if stat.name.split), None)
    perturbation = instance["perturbation"]
    return Row(
        str(instance["instance_id"]),
        {stat.name.name: number_of(stat.mean) for stat in stats},
        repeat=str(instance["train_trial_index"] or 0),
        groups={"split": split} if split else {},
        part=None if perturbation is None else str(perturbation.get("name", "perturbed")),
    )


def _chosen_statistics(document: Document, rows: list[Row]) -> list[Row]:
    """Rows with the statistics that the run was asked for, or all that are not known to be bookkeeping."""
    specs = document.header.get("metric_specs", ())
    names = [name for spec in specs for name in spec["args.names"] or ()]
    arranged = []
    for part in dict.fromkeys(row.part for row in rows):
        together = drop_single_runs(document, [row for row in rows if row.part == part])
        present = dict.fromkeys(name for row in together for name in row.scores)
        chosen = [name for name in names if name in present] or [name for name in present if not _BOOKKEEPING.match(name)]
        for row in together:
            row.scores = {name: row.scores.get(name, math.nan) for name in chosen}
        arranged += together
    return arranged


def _run_facts(document: Document, rows: Sequence[Row]) -> dict[str, Any]:
    perturbation = rows[0].part
    return {"filter": perturbation, "totals": {} if perturbation is not None else _split_totals(rows, document.header["stats"])}


def _split_totals(rows: Sequence[Row], stats: Sequence[_Stat]) -> dict[str, float]:
    """The total over all splits of what HELM reports split by split."""
    sizes = Counter(row.groups.get("split") for row in rows)
    totals: dict[str, float] = {}
    for name in rows[0].scores:
        means = {
            stat.name.split: stat.mean
            for stat in stats
            if stat.name.name == name and stat.name.perturbation is None and stat.mean is not None
        }
        if sizes.keys() <= means.keys():
            totals[name] = sum(means[split] * size for split, size in sizes.items()) / len(rows)
    return totals


HELM = LogFormat(
    harness="helm",
    recognise=lambda peek: (
        peek.stem == "per_instance_stats" or (peek.is_list and peek.has_keys("instance_id", "train_trial_index", "stats"))
    ),
    header=lambda document: {
        **(document.beside("run_spec.json", _RUN_SPEC) or {}),
        "stats": document.beside("stats.json", list[_Stat]) or [],
    },
    samples=Document.values,
    sample={
        "instance_id": str | int,
        "train_trial_index": int | None,
        "perturbation": dict[str, Any] | None,
        "stats": list[_Stat] | None,
    },
    row=_instance_row,
    arrange=_chosen_statistics,
    system=lambda document, _: document.header.get("adapter_spec.model") or document.folder,
    task=lambda document, _: re.sub(r"[,:]model=[^,]*", "", document.header.get("name") or document.name_task(document.folder)),
    conditions={"few-shot examples": "adapter_spec.max_train_instances", "limit": "adapter_spec.max_eval_instances"},
    repeat_column="train_trial_index",
    facts=_run_facts,
    columns={"item": "instance_id"},
    empty=("contains no instance", "Run the evaluation again."),
    companions=("*.json",),
)


# promptfoo, versions 1 to 3: rows are in order of completion. The item is the test's variables: with `--repeat` every repeat
# has a test index of its own. The system is the provider; prompts of one provider are repeats of an item, unless the file has
# one provider only, whose prompts are then what is compared. A test without assertions always passes and says nothing, so it
# is left out.
_ERROR = 2
_TABLE = Shape(
    {"results": list[msgspec.Raw], "stats.successes": int | None, "stats.failures": int | None, "stats.errors": int | None}
)


class _Test(NamedTuple):
    """Who answered which prompt, whether the test was passed, and whether it has assertions."""

    provider: str
    prompt: str
    success: bool
    checked: bool


def _results(document: Document) -> dict[str, Any]:
    """The results with their statistics, which are beside the list in version 1, and inside one object with it later."""
    about = document.decode_all(Shape({"results": msgspec.Raw, "config.description": str | None}))
    table = document.data if bytes(memoryview(about["results"])[:1]) == b"[" else about["results"]
    return {**about, **document.decode(table, _TABLE), "notes": {}}


def _result_row(document: Document, result: Mapping[str, Any]) -> Row:
    variables = msgspec.json.encode(result["vars"] or {}, order="sorted").decode()
    provider = result["provider"]
    if isinstance(provider, dict):
        provider = provider.get("label") or provider.get("id")
    prompt = result["prompt.label"] or result["prompt.display"] or result["prompt.raw"] or ""
    scores = {"success": float(result["success"])}
    if result["score"] is not None:
        scores["score"] = result["score"]
    scores |= {name: number_of(value) for name, value in (result["namedScores"] or {}).items()}
    errored = result["failureReason"] == _ERROR
    return Row(
        result["testCase.description"] or variables,
        dict.fromkeys(scores, math.nan) if errored else scores,
        "errored" if errored else "scored",
        content=digest_of(variables),
        groups=labels_of(result["testCase.metadata"], longest=None),
        part=_Test(
            str(provider or document.stem), prompt, result["success"], result["gradingResult.reason"] != "No assertions"
        ),
    )


def _tests_by_system(document: Document, rows: list[Row]) -> list[Row]:
    """Rows of tests with assertions, their system as their part; runs of an item are counted in order of completion."""
    tests = [row.part for row in rows if isinstance(row.part, _Test)]
    counted = _checked_statistics(document, tests)
    by_prompt = len({test.provider for test in tests}) == 1 and len({test.prompt for test in tests}) > 1
    systems = [test.prompt if by_prompt else test.provider for test in tests]
    arranged, runs = [], Counter[tuple[str, str]]()
    for row, test, system in zip(rows, tests, systems, strict=True):
        if test.checked:
            runs[system, row.item] += 1
            row.part, row.repeat = system, str(runs[system, row.item])
            arranged.append(row)
    for system in dict.fromkeys(systems):
        own = [test for test, name in zip(tests, systems, strict=True) if name == system]
        document.header["notes"][system] = [*counted, *_test_notes(document, system, own)]
    return arranged


def _checked_statistics(document: Document, tests: Sequence[_Test]) -> list[str]:
    """Refuse a file whose own counts are not those of its rows; otherwise what was checked, in a sentence."""
    successes, failures, errors = (document.header[f"stats.{kind}"] for kind in ("successes", "failures", "errors"))
    results = (successes or 0) + (failures or 0) + (errors or 0)
    if not tests:
        finding = f" contains no result, although its statistics count {results}."
        document.refuse(finding, "Export it again: `promptfoo export eval ID -o FILE`.")
    if successes is None:
        return []
    passed = sum(test.success for test in tests)
    if successes != passed or (failures is not None and results != len(tests)):
        promised = f"{successes} successes among {results} results"
        document.refuse(f" counts {promised}, but contains {passed} among {len(tests)}.", "Export the evaluation again.")
    return [f"The results add up to what the file counts: {passed} successes among {len(tests)}."]


def _test_notes(document: Document, system: str, tests: Sequence[_Test]) -> Iterator[str]:
    checked = [test for test in tests if test.checked]
    if not checked:
        finding = f": no test of {system} has an assertion, so every output passes."
        document.refuse(finding, "Give the tests assertions, or score the outputs in another way.")
    if len(checked) < len(tests):
        unchecked = f"{len(tests) - len(checked)} of {len(tests)} results of {system}"
        yield f"{unchecked} are from tests without assertions, which always pass, and are left out."
    prompts = len({test.prompt for test in checked})
    if prompts > 1:
        yield f"{prompts} prompts of {system} are repeats of each item."


def _promptfoo_exchange(result: Mapping[str, Any]) -> Exchange:
    response = result["response"]
    answer = field_of(response, "output") if isinstance(response, dict) else response
    return Exchange(result["prompt.raw"], None, text_of(answer))


PROMPTFOO = LogFormat(
    harness="promptfoo",
    recognise=lambda peek: (
        peek.is_object
        and peek.has_keys("results", "prompt", "vars")
        and (peek.has_keys("success") or peek.has_keys("version", "prompts"))
    ),
    header=_results,
    samples="results",
    sample={
        "success": bool,
        "score": float | None,
        "namedScores": dict[str, float | None] | None,
        "failureReason": int | None,
        "provider": dict[str, Any] | str | None,
        "prompt.label": str | None,
        "prompt.display": str | None,
        "prompt.raw": str | None,
        "vars": dict[str, Any] | None,
        "testCase.description": str | None,
        "testCase.metadata": dict[str, Any] | None,
        "gradingResult.reason": str | None,
    },
    row=_result_row,
    arrange=_tests_by_system,
    task=lambda document, _: document.header["config.description"] or document.name_task(document.stem),
    directions={"success": True},
    facts=lambda document, rows: {"notes": tuple(document.header["notes"][rows[0].part])},
    columns={"item": "vars", "system": "provider"},
    reread={"prompt.raw": str | None, "response": Any | None},
    exchange=_promptfoo_exchange,
)


# lighteval: a document, a response and a struct of metrics per row, whose columns are called differently by older versions. The
# model is named by the folders, or by the results that stand beside the details.
_DETAILS = re.compile(r"details_(?P<task>.+)_(?P<time>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)\.parquet")
_STYLES = (("doc", "metric", "model_response"), ("__doc__", "__metric__", "__model_response__"))
_LIGHTEVAL_RESULTS = Shape({"config_general.model_name": str | None, "results": dict[str, dict[str, Any]] | None})


def _details(document: Document) -> dict[str, Any]:
    """A file of details, not read yet, and what its columns are called."""
    import polars as pl

    with refuse_damaged(document.label):
        frame = pl.scan_parquet(scannable(document.path), glob=False)
        schema = frame.collect_schema()
    for style in _STYLES:
        doc, metric = schema.get(style[0]), schema.get(style[1])
        named = {field.name for field in doc.fields} if isinstance(doc, pl.Struct) else ()
        if "id" in named and isinstance(metric, pl.Struct):
            return {"frame": frame, "schema": schema, **dict(zip(("doc", "metric", "response"), style, strict=True))}
    finding = " has no column `doc` with a field `id` and no column `metric` with a field per metric."
    return document.refuse(finding, "Write the details again with lighteval.")


def _detail_rows(document: Document) -> Iterator[Row]:
    import polars as pl

    details = document.header
    doc = pl.col(details["doc"]).struct
    kinds = {field.name: field.dtype for field in details["schema"][details["doc"]].fields}
    chosen = [pl.col(details["metric"]).alias("metric"), doc.field("id")]
    if "query" in kinds:
        chosen.append(doc.field("query").hash().cast(pl.String).alias("content"))
    if "task_name" in kinds:
        chosen.append(doc.field("task_name"))
    if isinstance(kinds.get("specific"), pl.Struct):
        chosen.append(doc.field("specific"))
    with refuse_damaged(document.label):
        table = details["frame"].select(chosen).collect()
    task = str(table["task_name"][0]) if "task_name" in kinds and len(table) else None
    for number, record in enumerate(table.iter_rows(named=True), 1):
        # An id may be empty: rows are then told apart by their order.
        item = f"row {number}" if record["id"] in (None, "") else str(record["id"])
        scores = {name: number_of(value) for name, value in (record["metric"] or {}).items()}
        groups = labels_of(record.get("specific"), longest=None)
        # The rows of a file are of one task, which the first names.
        yield Row(item, scores, content=record.get("content"), groups=groups, part=task)


def _details_facts(document: Document, rows: Sequence[Row]) -> dict[str, Any]:
    """The system, the task and the totals, by the results that were written with the details."""
    path = Path(document.path)
    match = _DETAILS.fullmatch(path.name)
    task = rows[0].part
    if not isinstance(task, str):
        task = match["task"] if match else document.name_task(path.stem)
    parts = path.resolve().parent.parts
    if match is None or "details" not in parts:
        return {"system": document.folder, "task": task}
    place = len(parts) - 1 - parts[::-1].index("details")
    folders = parts[place + 1 : -1]
    system = "/".join(folders) or document.folder
    beside = Path(*parts[:place], "results", *folders, f"results_{match['time']}.json")
    if not beside.is_file():
        return {"system": system, "task": task}
    with open_document(beside) as results:
        said = results.decode_all(_LIGHTEVAL_RESULTS)
    tasks = said["results"] or {}
    totals = tasks.get(task.replace("|", ":")) or tasks.get(task) or {}
    return {
        "system": said["config_general.model_name"] or system,
        "task": task,
        "totals": {name: number_of(value) for name, value in totals.items()},
    }


def _detail_texts(document: Document, places: Collection[int]) -> dict[int, Any]:
    import polars as pl

    details = document.header
    columns = {name: details[name] for name in ("doc", "response") if details[name] in details["schema"]}
    with refuse_damaged(document.label):
        chosen = details["frame"].with_row_index("row").filter(pl.col("row").is_in(list(places)))
        table = chosen.select("row", **columns).collect()
    return {record["row"]: record for record in table.iter_rows(named=True)}


def _detail_exchange(record: Mapping[str, Any]) -> Exchange:
    gold, choices, texts = (field_of(record, path) for path in ("doc.gold_index", "doc.choices", "response.text"))
    gold = gold[0] if isinstance(gold, list) and gold else gold
    listed = choices if isinstance(choices, list) else []
    target = listed[gold] if isinstance(gold, int) and 0 <= gold < len(listed) else None
    return exchange_of(field_of(record, "doc.query"), target, texts[0] if isinstance(texts, list) and texts else None)


LIGHTEVAL = LogFormat(
    harness="lighteval",
    recognise=lambda peek: (
        any({doc, metric} <= set(peek.columns) for doc, metric, _ in _STYLES) or _DETAILS.fullmatch(peek.name) is not None
    ),
    header=_details,
    samples=_detail_rows,
    facts=_details_facts,
    columns={"item": "doc.id"},
    texts=_detail_texts,
    exchange=_detail_exchange,
    empty=("contains no row", "Run the evaluation again."),
    companions=("*/results_*.json", "results_*.json"),
)


# COMET: what `comet-score --to_json` writes, a list of segments with their scores for each file of translations.
_TRANSLATION = ("src", "ref", "mt")


def _segment_row(_: Document, segment: Mapping[str, Any]) -> Row:
    numbers = {name: value for name, value in segment.items() if isinstance(value, (int, float))}
    scores = {name: number_of(value) for name, value in numbers.items() if name not in _TRANSLATION}
    return Row("", scores, content=digest_of([segment.get(name) for name in ("src", "ref")]))


def _numbered_segments(document: Document, rows: list[Row]) -> list[Row]:
    """Items are the numbers of segments in their file, and the files are the systems."""
    places = [(name, str(number)) for name, segments in document.header.items() for number in range(1, len(segments) + 1)]
    for row, (name, number) in zip(rows, places, strict=True):
        row.item, row.part = number, name
    return rows


COMET = LogFormat(
    harness="comet",
    recognise=lambda peek: peek.is_object and peek.has_keys("src", "mt") and (peek.has_keys("COMET") or peek.has_keys("ref")),
    header=lambda document: document.decode_all(dict[str, list[msgspec.Raw]]),
    samples=lambda document: (segment for segments in document.header.values() for segment in segments),
    sample=dict[str, Any],
    row=_segment_row,
    arrange=_numbered_segments,
    system=lambda _, rows: stem_of(str(rows[0].part)),
    task="comet",
    directions=True,
    columns={"system": "file"},
    exchange=_TRANSLATION,
    empty=("contains no translations", "Write it with `comet-score --to_json`."),
)
