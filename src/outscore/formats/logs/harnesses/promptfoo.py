"""promptfoo: the JSON of an evaluation, in versions 1 to 3.

Rows are in order of completion. The item is the test's variables: with `--repeat` every repeat has a test index of its own.
The system is the provider; prompts of one provider are repeats of an item, unless the file has one provider only, whose prompts
are then what is compared. A test without assertions always passes and says nothing, so it is left out.
"""

from __future__ import annotations

import hashlib
import math
from array import array
from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass
from outscore.formats.base.source import stem_of
from outscore.formats.logs.base.document import Document, decode, field_of, open_document
from outscore.formats.logs.base.entry import LogPeek, task_by_name
from outscore.formats.logs.base.evaluation import Evaluation, Exchange, Row, State

NAME = "promptfoo"
_ERROR = 2


class _Case(msgspec.Struct):
    description: str | None = None
    metadata: dict[str, Any] | None = None


class _Provider(msgspec.Struct):
    id: str | None = None
    label: str | None = None


class _Prompt(msgspec.Struct, frozen=True):
    label: str | None = None
    display: str | None = None
    raw: str | None = None


class _Grading(msgspec.Struct):
    reason: str | None = None


class _Result(msgspec.Struct, rename="camel"):
    success: bool
    prompt: _Prompt = _Prompt()
    provider: _Provider | str | None = None
    vars: dict[str, Any] = {}
    score: float | None = None
    named_scores: dict[str, float | None] | None = None
    failure_reason: int | None = None
    test_case: _Case | None = None
    grading_result: _Grading | None = None


class _Stats(msgspec.Struct):
    successes: int | None = None
    failures: int | None = None
    errors: int | None = None


class _Table(msgspec.Struct):
    results: list[msgspec.Raw]
    stats: _Stats | None = None


class _Config(msgspec.Struct):
    description: str | None = None


class _File(msgspec.Struct):
    results: _Table | list[msgspec.Raw]
    stats: _Stats | None = None
    config: _Config | None = None

    @property
    def table(self) -> _Table:
        """The results with their statistics; in version 1 these are beside the list."""
        return self.results if isinstance(self.results, _Table) else _Table(self.results, self.stats)


@dataclass(frozen=True)
class _Read:
    """What a result says: its place in the file, who answered which prompt, and the row, or None where nothing was checked."""

    index: int
    provider: str
    prompt: str
    success: bool
    row: Row | None


def looks_like_results(peek: LogPeek) -> bool:
    """Whether the document begins as promptfoo's do."""
    if not peek.is_object:
        return False
    return peek.has_keys("results", "prompt", "vars") and (peek.has_keys("success") or peek.has_keys("version", "prompts"))


def read_results(path: str) -> list[Evaluation]:
    """The evaluations of a file, one for each system."""
    with open_document(path) as document:
        file = decode(document.data, _File, path)
        table = file.table
        if not table.results:
            raise OutscoreError(
                f"{document.label} contains no result, although its statistics count {_counted(table.stats)}.",
                "Export it again: `promptfoo export eval ID -o FILE`.",
                file=path,
            )
        results = [_read(index, decode(raw, _Result, path), path) for index, raw in enumerate(table.results)]
        counted = _check_statistics(document, table.stats, results)
        return _evaluations(document, results, None if file.config is None else file.config.description, counted)


def _read(index: int, result: _Result, path: str) -> _Read:
    row = None if _is_unchecked(result) else _row(result)
    return _Read(index, _provider(result, path), _prompt(result), result.success, row)


def _counted(stats: _Stats | None) -> int:
    return 0 if stats is None else sum(count or 0 for count in (stats.successes, stats.failures, stats.errors))


def _check_statistics(document: Document, stats: _Stats | None, results: Sequence[_Read]) -> tuple[str, ...]:
    """Refuse a file whose own counts are not those of its rows; otherwise what was checked, in a sentence."""
    if stats is None or stats.successes is None:
        return ()
    passed = sum(result.success for result in results)
    promised = f"{stats.successes} successes among {_counted(stats)} results"
    if stats.successes != passed or (stats.failures is not None and _counted(stats) != len(results)):
        raise OutscoreError(
            f"{document.label} counts {promised}, but contains {passed} among {len(results)}.",
            "Export the evaluation again.",
            file=document.path,
        )
    return (f"The results add up to what the file counts: {passed} successes among {len(results)}.",)


def _evaluations(
    document: Document, results: Sequence[_Read], description: str | None, counted: tuple[str, ...]
) -> list[Evaluation]:
    one_provider = len({result.provider for result in results}) == 1
    by_prompt = one_provider and len({result.prompt for result in results}) > 1
    systems = [result.prompt if by_prompt else result.provider for result in results]
    task = description or task_by_name(document.path, stem_of(document.path))
    return [
        _evaluation(
            document, system, task, [result for result, who in zip(results, systems, strict=True) if who == system], counted
        )
        for system in dict.fromkeys(systems)
    ]


def _evaluation(document: Document, system: str, task: str, results: Sequence[_Read], counted: tuple[str, ...]) -> Evaluation:
    checked = [result for result in results if result.row is not None]
    notes = [*counted]
    if len(checked) < len(results):
        unchecked = f"{len(results) - len(checked)} of {len(results)} results of {system}"
        notes.append(f"{unchecked} are from tests without assertions, which always pass, and are left out.")
    if not checked:
        raise OutscoreError(
            f"{document.label}: no test of {system} has an assertion, so every output passes.",
            "Give the tests assertions, or score the outputs in another way.",
            file=document.path,
        )
    seen: Counter[str] = Counter()
    rows = []
    for result in checked:
        assert result.row is not None
        seen[result.row.item] += 1
        rows.append(result.row._replace(repeat=str(seen[result.row.item])))
    prompts = len({result.prompt for result in checked})
    if prompts > 1:
        notes.append(f"{prompts} prompts of {system} are repeats of each item.")
    places = array("q", (result.index for result in checked))
    return Evaluation.of(
        rows,
        harness=NAME,
        system=system,
        task=task,
        origin=document.origin(NAME, len(rows), item="vars", system="provider"),
        directions={"success": True},
        notes=tuple(notes),
        exchanges=lambda wanted: _exchanges(document.path, [places[row] for row in wanted]),
    )


def _provider(result: _Result, path: str) -> str:
    provider = result.provider
    if isinstance(provider, _Provider):
        provider = provider.label or provider.id
    return provider or stem_of(path)


def _prompt(result: _Result) -> str:
    return result.prompt.label or result.prompt.display or result.prompt.raw or ""


def _is_unchecked(result: _Result) -> bool:
    return result.grading_result is not None and result.grading_result.reason == "No assertions"


def _row(result: _Result) -> Row:
    variables = msgspec.json.encode(result.vars, order="sorted").decode()
    case = result.test_case or _Case()
    scores = {"success": float(result.success)}
    if result.score is not None:
        scores["score"] = result.score
    scores |= {name: math.nan if value is None else value for name, value in (result.named_scores or {}).items()}
    state: State = "scored"
    if result.failure_reason == _ERROR:
        state, scores = "errored", dict.fromkeys(scores, math.nan)
    groups = {name: str(value) for name, value in (case.metadata or {}).items() if isinstance(value, (str, int, bool))}
    content = hashlib.sha256(variables.encode()).hexdigest()
    return Row(case.description or variables, scores, state, None, content, groups)


class _Texts(msgspec.Struct):
    prompt: _Prompt = _Prompt()
    response: Any = None


def _exchanges(path: str, places: Sequence[int]) -> list[Exchange]:
    with open_document(path) as document:
        results = decode(document.data, _File, path).table.results
        return [_exchange(decode(results[place], _Texts, path)) for place in places]


def _exchange(result: _Texts) -> Exchange:
    answer = field_of(result.response, "output") if isinstance(result.response, dict) else result.response
    return Exchange(result.prompt.raw, None, answer if isinstance(answer, str) else None)
