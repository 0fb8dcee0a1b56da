"""promptfoo: the JSON of an evaluation, in versions 1 to 3.

Rows stand in order of completion. The item is the test's variables: with `--repeat` every repeat has a test index of its own.
The system is the provider; prompts of one provider are repeats of an item, unless the file has one provider only, whose prompts
are then what is compared. A test without assertions always passes and says nothing, so it is left out.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from outscore.core.errors import OutscoreError
from outscore.formats.base.source import stem_of
from outscore.formats.logs.document import Document, decode, field_of, open_document
from outscore.formats.logs.entry import LogPeek
from outscore.formats.logs.evaluation import Evaluation, Exchange, Row, State

__all__ = ["NAME", "looks_like_results", "read_results"]

NAME = "promptfoo"
_ERROR = 2


class _Case(msgspec.Struct, rename="camel"):
    vars: dict[str, Any] | None = None
    description: str | None = None
    assert_: list[Any] | None = msgspec.field(default=None, name="assert")
    metadata: dict[str, Any] | None = None


class _Result(msgspec.Struct, rename="camel"):
    success: bool
    prompt: dict[str, Any] = {}
    provider: dict[str, Any] | str | None = None
    vars: dict[str, Any] = {}
    score: float | None = None
    named_scores: dict[str, float] | None = None
    failure_reason: int | None = None
    error: Any = None
    test_case: _Case | None = None
    grading_result: dict[str, Any] | None = None
    response: Any = None


class _Table(msgspec.Struct):
    results: list[_Result]
    version: int | None = None
    stats: dict[str, Any] | None = None


class _File(msgspec.Struct, rename="camel"):
    results: _Table | list[_Result]
    version: int | None = None
    stats: dict[str, Any] | None = None
    config: dict[str, Any] | None = None


def looks_like_results(peek: LogPeek) -> bool:
    """Whether the document begins as promptfoo's do."""
    if not peek.is_object:
        return False
    return peek.has_keys("results", "prompt", "vars") and (peek.has_keys("success") or peek.has_keys("version", "prompts"))


def read_results(path: str) -> list[Evaluation]:
    """The evaluations of a file, one for each system."""
    with open_document(path) as document:
        found = decode(document.data, _File, path)
        table = found.results if isinstance(found.results, _Table) else _Table(found.results, found.version, found.stats)
        if not table.results:
            raise OutscoreError(
                f"{document.label} holds no result, although its statistics count {_counted(table.stats)}.",
                "Export it again: `promptfoo export eval ID -o FILE`.",
                file=path,
            )
        _check_statistics(document, table)
        return _evaluations(document, table.results, field_of(found.config or {}, "description"))


def _counted(stats: Mapping[str, Any] | None) -> int:
    return sum(int((stats or {}).get(name) or 0) for name in ("successes", "failures", "errors"))


def _check_statistics(document: Document, table: _Table) -> None:
    """Refuse a file whose own counts are not those of its rows."""
    promised = (table.stats or {}).get("successes")
    passed = sum(result.success for result in table.results)
    if promised is not None and promised != passed:
        raise OutscoreError(
            f"{document.label} counts {promised} successes, and {passed} of its {len(table.results)} results are.",
            "Export the evaluation again.",
            file=document.path,
        )


def _evaluations(document: Document, results: Sequence[_Result], description: object) -> list[Evaluation]:
    providers = dict.fromkeys(_provider(result, document.path) for result in results)
    by_prompt = len(providers) == 1 and len({_prompt(result) for result in results}) > 1
    told = [_prompt(result) if by_prompt else _provider(result, document.path) for result in results]
    task = str(description) if description else stem_of(document.path)
    return [
        _evaluation(document, system, task, [result for result, who in zip(results, told, strict=True) if who == system])
        for system in dict.fromkeys(told)
    ]


def _evaluation(document: Document, system: str, task: str, results: Sequence[_Result]) -> Evaluation:
    checked = [result for result in results if not _is_unchecked(result)]
    notes = []
    if len(checked) < len(results):
        unchecked = f"{len(results) - len(checked)} of {len(results)} results of {system}"
        notes.append(f"{unchecked} are of tests without assertions, which always pass: left out.")
    if not checked:
        raise OutscoreError(
            f"{document.label}: no test of {system} has an assertion, so that every output passes.",
            "Give the tests assertions, or score the outputs otherwise.",
            file=document.path,
        )
    seen: Counter[str] = Counter()
    rows = [_row(result, seen) for result in checked]
    prompts = len({_prompt(result) for result in checked})
    if prompts > 1:
        notes.append(f"{prompts} prompts of {system} are repeats of each item.")
    return Evaluation.of(
        rows,
        harness=NAME,
        system=system,
        task=task,
        origin=document.origin(NAME, len(rows), item="vars", system="provider"),
        directions={"success": True},
        notes=tuple(notes),
        exchanges=lambda wanted: [_exchange(checked[row]) for row in wanted],
    )


def _provider(result: _Result, path: str) -> str:
    provider = result.provider
    if isinstance(provider, dict):
        provider = provider.get("label") or provider.get("id")
    return str(provider) if provider else stem_of(path)


def _prompt(result: _Result) -> str:
    return str(result.prompt.get("label") or result.prompt.get("display") or result.prompt.get("raw") or "")


def _is_unchecked(result: _Result) -> bool:
    return bool(field_of(result.grading_result or {}, "reason") == "No assertions")


def _row(result: _Result, seen: Counter[str]) -> Row:
    variables = msgspec.json.encode(result.vars, order="sorted").decode()
    case = result.test_case or _Case()
    item = case.description or variables
    seen[item] += 1
    scores = {"success": float(result.success)}
    if result.score is not None:
        scores["score"] = result.score
    scores |= {name: float(value) for name, value in (result.named_scores or {}).items()}
    state: State = "scored"
    if result.failure_reason == _ERROR:
        state, scores = "errored", dict.fromkeys(scores, math.nan)
    groups = {name: str(value) for name, value in (case.metadata or {}).items() if isinstance(value, (str, int, bool))}
    content = hashlib.sha256(variables.encode()).hexdigest()
    return Row(item, scores, state, str(seen[item]), content, groups)


def _exchange(result: _Result) -> Exchange:
    question = result.prompt.get("raw")
    answer = field_of(result.response, "output") if isinstance(result.response, dict) else result.response
    return Exchange(question if isinstance(question, str) else None, None, answer if isinstance(answer, str) else None)
