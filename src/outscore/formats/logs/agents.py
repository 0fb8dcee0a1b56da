"""Logs of agents and of generated code, which are judged by tests: what was resolved, passed or called as it should."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

import msgspec

from outscore.formats.base.pipes import is_nameless
from outscore.formats.json import Shape, number_of
from outscore.formats.logs.document import Document, LogPeek, open_document
from outscore.formats.logs.engine import LogFormat
from outscore.formats.logs.evaluation import Exchange, Row, State, drop_single_runs, exchange_of


def _repository(instance: str) -> dict[str, str]:
    """The repository that an instance of SWE-bench is from, as a group."""
    return {"repository": instance.split("__", maxsplit=1)[0]} if "__" in instance else {}


# SWE-bench: lists of instance ids by outcome. Boards count what was submitted: an empty patch or a run that failed is not
# resolved and scores 0. `incomplete_ids` are instances that were never submitted, and `total_instances` counts them too.
def _instances(document: Document) -> Iterator[Row]:
    report = document.header
    resolved, counted = set(report["resolved_ids"]), report["resolved_instances"]
    if counted is not None and counted != len(resolved):
        document.refuse(f" counts {counted} resolved instances but lists {len(resolved)}.", "Copy the report again.")
    errored, empty = (report[name] or [] for name in ("error_ids", "empty_patch_ids"))
    failed = [*(report["unresolved_ids"] or []), *empty, *errored]
    verdicts = [*report["resolved_ids"], *failed]
    submitted = verdicts if report["submitted_ids"] is None else report["submitted_ids"]
    if twice := [item for item in failed if item in resolved]:
        document.refuse(f": `{twice[0]}` is both resolved and not resolved.", "Copy the report again.")
    listed = set(submitted)
    if strange := [item for item in verdicts if item not in listed]:
        document.refuse(f": `{strange[0]}` has a verdict but was not submitted.", "Copy the report again.")
    states: dict[str, State] = {**dict.fromkeys(errored, "errored"), **dict.fromkeys(empty, "empty")}
    for item in submitted:
        score = math.nan if item in states else float(item in resolved)
        yield Row(item, {"resolved": score}, states.get(item), groups=_repository(item))


def _resolved_share(document: Document, rows: Sequence[Row]) -> dict[str, float | None]:
    counted = document.header["resolved_instances"]
    return {"resolved": None if counted is None else counted / len(rows)}


SWE_BENCH = LogFormat(
    harness="swe-bench",
    recognise=lambda peek: (
        peek.is_object
        and (peek.has_keys("submitted_instances", "resolved_instances") or peek.has_keys("resolved_ids", "unresolved_ids"))
        # Terminal-Bench lists tasks by outcome too, after its trials.
        and not peek.has_keys("trial_name")
    ),
    header={
        "resolved_ids": list[str],
        "submitted_ids": list[str] | None,
        "unresolved_ids": list[str] | None,
        "empty_patch_ids": list[str] | None,
        "error_ids": list[str] | None,
        "resolved_instances": int | None,
    },
    samples=_instances,
    system=lambda document, _: document.stem if is_nameless(document.path) else PurePath(document.path).name.split(".")[0],
    task="swe-bench",
    directions=True,
    totals=_resolved_share,
    zero_missing=True,
    columns={"item": "submitted_ids"},
    empty=("contains no submitted instance", "Copy the report again."),
)


# EvalPlus and BigCodeBench: `eval` holds the verdicts on every sample of every task. EvalPlus has two, by the original tests
# and by the added ones; its older layout keeps them as lists of pairs. A sample passes `plus` if it passes both.
_VERDICTS = {"pass": 1.0, "success": 1.0, "fail": 0.0, "failed": 0.0, "timeout": 0.0, "timed out": 0.0}


class _Solution(msgspec.Struct):
    status: str | None = None
    base_status: str | None = None
    plus_status: str | None = None


class _OldSolutions(msgspec.Struct):
    base: list[list[Any] | None]
    plus: list[list[Any] | None] = []


_PASS_AT_K = Shape(
    {"pass@1": float | None, "model": str | None, "split": str | None, "subset": str | None, "calibrated": bool | None}
)


def _verdict(written: object) -> float:
    """Whether a sample passed; NaN where the word is none that the harness writes."""
    return _VERDICTS.get(written, math.nan) if isinstance(written, str) else math.nan


def _evalplus_rows(document: Document) -> Iterator[Row]:
    for item, solutions in document.header["eval"].items():
        if isinstance(solutions, _OldSolutions):
            base, plus = ([_verdict(pair and pair[0]) for pair in pairs] for pairs in (solutions.base, solutions.plus))
            # Without the added tests there is no verdict by them.
            plus = plus if len(plus) == len(base) else [math.nan] * len(base)
        else:
            base, plus = ([_verdict(getattr(one, f"{by}_status")) for one in solutions] for by in ("base", "plus"))
        for number, verdicts in enumerate(zip(base, plus, strict=True), 1):
            yield Row(item, {"base": verdicts[0], "plus": verdicts[0] * verdicts[1]}, repeat=str(number))


def _bigcodebench_rows(document: Document) -> Iterator[Row]:
    for item, solutions in document.header["eval"].items():
        for number, solution in enumerate(solutions, 1):
            yield Row(item, {"passed": _verdict(solution.status)}, repeat=str(number))


def _benchmark(_: Document, rows: Sequence[Row]) -> str:
    return rows[0].item.split("/", maxsplit=1)[0]


def _is_evalplus(peek: LogPeek) -> bool:
    if peek.is_object and peek.has_keys("eval") and (peek.has_keys("base_status") or peek.has_keys("nfiles", "base")):
        return True
    return _is_solutions(peek) and "--bigcodebench-" not in peek.name and not _is_bigcodebench(peek)


def _is_bigcodebench(peek: LogPeek) -> bool:
    # Logs of Inspect have an `eval` with a `task_id` too, and name the run.
    others = peek.has_keys("base_status") or peek.has_keys("run_id") or peek.has_keys("eval_id")
    if peek.is_object and peek.has_keys("eval", "task_id", "status") and not others:
        return True
    return _is_solutions(peek) and "--bigcodebench-" in peek.name


def _is_solutions(peek: LogPeek) -> bool:
    return peek.stem.endswith("_eval_results") and (peek.is_object or not peek.start.strip())


EVALPLUS = LogFormat(
    harness="evalplus",
    recognise=_is_evalplus,
    header={
        "eval": dict[str, list[_Solution] | _OldSolutions],
        "hash": str | None,
        "pass_at_k.base.pass@1": float | None,
        "pass_at_k.plus.pass@1": float | None,
    },
    samples=_evalplus_rows,
    arrange=drop_single_runs,
    system=lambda document, _: re.sub(r"(_samples)?[_-]eval_results$", "", document.stem),
    task=_benchmark,
    directions=True,
    totals={"base": "pass_at_k.base.pass@1", "plus": "pass_at_k.plus.pass@1"},
    conditions={"hash of the benchmark": "hash"},
    repeat_column="sample",
    columns={"item": "eval"},
    empty=("contains no task", "Run the evaluation again."),
)
BIGCODEBENCH = replace(
    EVALPLUS,
    harness="bigcodebench",
    recognise=_is_bigcodebench,
    header=lambda document: {
        **(document.beside(document.stem.replace("_eval_results", "_pass_at_k") + ".json", _PASS_AT_K) or {}),
        **document.decode_all(Shape({"eval": dict[str, list[_Solution]]})),
    },
    samples=_bigcodebench_rows,
    system=lambda document, _: document.header.get("model") or document.stem.split("--bigcodebench-")[0],
    totals={"passed": "pass@1"},
    conditions={name: name for name in ("split", "subset", "calibrated")},
    companions=("*_pass_at_k.json",),
)


# The public board of SWE-bench: `results.json` lists instances by what became of them. An older file lists all that had an
# output, so that it names every instance; a newer one only those that were resolved or failed before the tests.
_INSTANCE = re.compile(r"\S+__\S+-\w+")


def _board_rows(document: Document) -> Iterator[Row]:
    resolved, generated = document.header["resolved"], document.header["generated"]
    unwritten = document.header["no_generation"] or []
    without = {*unwritten, *(document.header["no_logs"] or [])}
    if both := sorted(without.intersection(resolved)):
        document.refuse(f": `{both[0]}` is both resolved and without an output.", "Copy the file again.")
    named = [*resolved, *unwritten, *(document.header["no_logs"] or [])]
    listed = set(named if generated is None else (*generated, *unwritten))
    if strange := [item for item in named if item not in listed]:
        document.refuse(f": `{strange[0]}` has an outcome but is not among the instances.", "Copy the file again.")
    alike = [item for item in listed if _INSTANCE.fullmatch(item)]
    if alike and (odd := sorted(listed.difference(alike))):
        document.refuse(f": `{odd[0]}` is not an instance such as `{min(alike)}`.", "Copy the file again.")
    right = set(resolved)
    for item in dict.fromkeys((*(generated or ()), *named)):
        score = math.nan if item in without else float(item in right)
        yield Row(item, {"resolved": score}, "empty" if item in without else "scored", groups=_repository(item))


def _submission(document: Document, _: Sequence[Row]) -> str:
    """The name of a file, or of the folder of one that is called like all others."""
    if document.stem != "results":
        return re.sub(r"-results$", "", document.stem)
    inner = document.folder == "results" and not is_nameless(document.path)
    return Path(document.path).resolve().parent.parent.name if inner else document.folder


SWE_BENCH_BOARD = LogFormat(
    harness="swe-bench-board",
    recognise=lambda peek: (
        peek.is_object and peek.has_keys("no_generation") and (peek.has_keys("generated") or peek.has_keys("resolved"))
    ),
    header={
        "resolved": list[str],
        "no_generation": list[str] | None,
        "generated": list[str] | None,
        "no_logs": list[str] | None,
    },
    samples=_board_rows,
    system=_submission,
    task="swe-bench",
    directions=True,
    zero_missing=True,
    facts=lambda document, _: {"needs_roster": document.header["generated"] is None},
    columns={"item": "instance"},
    empty=("contains no instance", "Copy the file again."),
)


# Terminal-Bench: trials in order of completion, `is_resolved` null where a trial failed before its tests were read, which its
# `accuracy` counts as 0. A file holds one attempt at each task or several, numbered at the end of the trial's name.
_ATTEMPT = re.compile(r"\.(\d+)-of-\d+(?:\.|$)")


def _trial_row(_: Document, trial: Mapping[str, Any]) -> Row:
    attempt = _ATTEMPT.search(trial["trial_name"] or "")
    resolved = trial["is_resolved"]
    scores = {"resolved": number_of(resolved)}
    return Row(trial["task_id"], scores, "errored" if resolved is None else "scored", repeat=attempt[1] if attempt else "1")


TERMINAL_BENCH = LogFormat(
    harness="terminal-bench",
    recognise=lambda peek: peek.is_object and peek.has_keys("results", "trial_name", "task_id", "is_resolved"),
    header={"results": list[msgspec.Raw], "accuracy": float | None},
    samples="results",
    sample={"task_id": str, "trial_name": str | None, "is_resolved": bool | None},
    row=_trial_row,
    arrange=drop_single_runs,
    system=lambda document, _: document.folder,
    task="terminal-bench",
    directions=True,
    totals={"resolved": "accuracy"},
    zero_missing=True,
    repeat_column="trial_name",
    columns={"item": "task_id"},
    empty=("contains no trial", "Run the benchmark again."),
)


# Harbor: a `result.json` for each trial of a job. A trial that ended in an exception has no reward, which counts as 0.
def _harbor_rows(document: Document) -> Iterator[Row]:
    trial = document.header
    rewards = trial["verifier_result.rewards"]
    yield Row(
        trial["task_name"],
        {"reward": math.nan} if rewards is None else rewards,
        "errored" if rewards is None else "scored",
        repeat=trial["trial_name"],
    )


HARBOR = LogFormat(
    harness="harbor",
    recognise=lambda peek: peek.is_object and peek.has_keys("task_name", "trial_name", "task_checksum"),
    header={
        "task_name": str,
        "trial_name": str,
        "source": str | None,
        "agent_info.name": str,
        "agent_info.model_info.name": str | None,
        "verifier_result.rewards": dict[str, float] | None,
    },
    samples=_harbor_rows,
    system=lambda document, _: " ".join(
        name for path in ("agent_info.name", "agent_info.model_info.name") if (name := document.header[path])
    ),
    task=lambda document, _: document.header["source"] or "harbor",
    directions=True,
    zero_missing=True,
    repeat_column="trial_name",
    columns={"item": "task_name"},
)


# tau-bench: a list of conversations, `reward` 1 where the database ended as it should. A conversation that broke off has the
# reward 0 and an error; the harness counts it.
def _conversation_exchange(record: Mapping[str, Any]) -> Exchange:
    turns = record["traj"] or []
    said = [turn.get("content") for turn in turns if isinstance(turn, dict) and turn.get("role") == "assistant"]
    return exchange_of(record["info.task.instruction"], None, next((text for text in reversed(said) if text), None))


TAU_BENCH = LogFormat(
    harness="tau-bench",
    recognise=lambda peek: peek.is_list and peek.has_keys("task_id", "reward", "info"),
    samples=Document.values,
    sample={
        "task_id": int | str,
        "reward": float | None,
        "trial": int | None,
        "info.error": str | None,
        "info.task.instruction": str | None,
    },
    item="task_id",
    scores={"reward": "reward"},
    error="info.error",
    repeat="trial",
    content="info.task.instruction",
    arrange=drop_single_runs,
    system=lambda document, _: document.stem.split("_range_")[0],
    task="tau-bench",
    directions=True,
    zero_missing=True,
    repeat_column="trial",
    reread={"info.task.instruction": str | None, "traj": list[Any] | None},
    exchange=_conversation_exchange,
    empty=("contains no conversation", "Run the benchmark again."),
)


# LiveCodeBench: `*_eval_all.json`, a list of problems with a verdict for each sample.
_PROBLEM = Shape(
    {
        "question_id": str | int,
        "test_id": int | None,
        "id": str | None,
        "graded_list": list[bool | None],
        "difficulty": str | None,
        "platform": str | None,
    }
)


def _problem_rows(document: Document) -> Iterator[Row]:
    for raw in document.values():
        problem = document.decode(raw, _PROBLEM)
        # Test outputs are counted within a question; executions have an id of their own.
        counted = "" if problem["test_id"] is None else f"/{problem['test_id']}"
        item = problem["id"] or f"{problem['question_id']}{counted}"
        groups = {name: problem[name] for name in ("difficulty", "platform") if problem[name]}
        for number, verdict in enumerate(problem["graded_list"], 1):
            yield Row(item, {"passed": number_of(verdict)}, repeat=str(number), groups=groups)


LIVECODEBENCH = LogFormat(
    harness="livecodebench",
    recognise=lambda peek: peek.is_list and peek.has_keys("question_id", "graded_list"),
    samples=_problem_rows,
    arrange=drop_single_runs,
    system=lambda document, _: document.folder,
    task="livecodebench",
    directions=True,
    repeat_column="sample",
    columns={"item": "question_id"},
    empty=("contains no problem", "Run the evaluation again."),
)


# BFCL: a score file counts what was right on its first line, then lists only what was wrong. All items are named by the file of
# results, which lies in a folder `result` where the score file lies in `score`.
_COUNTS = Shape({"accuracy": float, "correct_count": int, "total_count": int})
_CALL = Shape({"id": str})


def _call_rows(document: Document) -> Iterator[Row]:
    pieces = document.lines()
    first = next(pieces, None)
    if first is None:
        return
    counts = document.decode(first, _COUNTS)
    document.header = {"accuracy": counts["accuracy"]}
    wrong = {document.decode(piece, _CALL)["id"] for piece in pieces}
    items = _called(document)
    if strange := sorted(wrong - set(items)):
        document.refuse(f": `{strange[0]}` is not among the results.", "Copy the folders `result` and `score` of one run.")
    right = len(items) - len(wrong)
    if (right, len(items)) != (counts["correct_count"], counts["total_count"]):
        promised = f"{counts['correct_count']} right of {counts['total_count']}"
        found = f"its lines and the results come to {right} of {len(items)}"
        document.refuse(f" counts {promised}, but {found}.", "Score the results again.")
    yield from (Row(item, {"correct": float(item not in wrong)}) for item in items)


def _called(document: Document) -> list[str]:
    """The ids of all calls, from the file of results."""
    parts = Path(document.path).resolve().parts
    name = re.sub(r"_score$", "_result", document.stem) + ".json"
    place = len(parts) - 1 - parts[::-1].index("score") if "score" in parts else None
    path = None if place is None else Path(*parts[:place], "result", *parts[place + 1 : -1], name)
    if path is None or not path.is_file():
        finding = f" lists only what was wrong; the items are in `{name}`, below a folder `result` beside `score`"
        document.refuse(f"{finding}, which is not there.", "Keep both folders as the harness writes them.")
    with open_document(path) as results:
        return [results.decode(piece, _CALL)["id"] for piece in results.lines()]


BFCL = LogFormat(
    harness="bfcl",
    recognise=lambda peek: {"accuracy", "correct_count", "total_count"} <= peek.first_line.keys(),
    samples=_call_rows,
    system=lambda document, _: document.folder,
    task=lambda document, _: re.sub(r"_score$", "", document.stem),
    directions=True,
    totals={"correct": "accuracy"},
    columns={"item": "id"},
    empty=("contains no call", "Run the evaluation again."),
    companions=("*/result/*_result.json",),
)
