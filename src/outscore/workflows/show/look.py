"""How the files of a request would be read: systems, items and the meaning of columns, before anything is computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from outscore.core.records import dataclass
from outscore.formats.tables.parquet import are_partitions, long_files, partition_paths
from outscore.language.lines import reading_line, sight_line
from outscore.language.numbers import count
from outscore.language.verdict.preference import battle_reading_line
from outscore.results.design import Alignment
from outscore.results.logs import Logs
from outscore.results.note import Note
from outscore.scores.system import Origin, Scores
from outscore.workflows.names import at_the_door, proposing_measures
from outscore.workflows.reading import outputs_reading, reading_of
from outscore.workflows.requests.base import Request
from outscore.workflows.requests.compare import CompareRequest, TextsRequest
from outscore.workflows.requests.diff import DiffRequest
from outscore.workflows.requests.gate import GateRequest
from outscore.workflows.requests.prefer import PreferRequest
from outscore.workflows.requests.rank import RankRequest, ScoreRequest
from outscore.workflows.systems import Systems
from outscore.workflows.texts.statistics import Texts

if TYPE_CHECKING:
    from outscore.workflows.prepare import Prepared

DECIDES = "permutation"


@dataclass(frozen=True)
class Sight:
    """What was read: systems, how much of them, how, and what to know about it."""

    systems: Sequence[str]
    amount: str
    reading: str
    origins: Sequence[Origin]
    notes: Sequence[Note] = ()


@at_the_door
def look(request: Request) -> Logs:
    r"""How a request would read its files; refused where it would be.

    Examples
    --------
    >>> import contextlib, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
    ...     _ = pathlib.Path("runs.csv").write_text("id,new,old\nq1,1,0\nq2,1,1\n")
    ...     found = look(CompareRequest(files=("runs.csv",)))
    >>> found.verdict
    'Read, and nothing computed: 2 systems, new and old, on 2 items.'
    """
    sight = sight_of(request)
    verdict = sight_line(list(sight.systems), sight.amount)
    told = [note for note in sight.notes if note.kind in ("data", "warning", "reading")]
    settings = request.settings(sight.origins)
    command = request.command_line()
    return Logs([], command, verdict, settings, told, commands=[command], reading=sight.reading)


def sight_of(request: Request) -> Sight:
    """What the files of a request hold, as its command reads them."""
    return READERS[type(request)](request)


def _comparison(request: CompareRequest) -> Sight:
    from outscore.workflows.load import asks_logs, load
    from outscore.workflows.prepare import prepare, prepare_each

    if request.measure:
        from_logs = asks_logs(request)
        request.validate(logs=from_logs)
        return _of_measures(request.by_measure(logs=from_logs))
    with proposing_measures(request):
        systems = load(request)
        if request.unpaired:
            return _of_systems(systems, prepare_each(request, systems)[0])
        if systems.corpus:
            rows = systems.evaluations[0].rows
            line = reading_line(reading_of(systems.origins, rows=rows, direction=("higher", "metric"), kind="texts"))
            return Sight(systems.names, count(rows, "segment"), line, systems.origins)
        prepared = prepare(replace(request, reduce="mean", equal_runs=False), systems)
    reading = prepared.reading(sum(origin.rows for origin in systems.origins))
    notes = [
        *prepared.better.notes,
        *_left_out(prepared.alignment, systems.names),
        *systems.notes,
        *prepared.matching_notes,
    ]
    items = count(prepared.alignment.common, "item")
    return Sight(systems.names, items, reading_line(reading), prepared.systems.origins, notes)


def _of_measures(requests: Mapping[str, Request]) -> Sight:
    """What is read for the first of several measures, once all of them can be read."""
    first, *_ = [sight_of(request) for request in requests.values()]
    return replace(first, notes=[*first.notes, Note("reading", f"The same for each of {', '.join(requests)}.")])


def _left_out(alignment: Alignment, names: Sequence[str]) -> list[Note]:
    only = [(n, name) for n, name in zip((alignment.only_a, alignment.only_b), names, strict=True) if n]
    notes = [Note("data", f"{count(n, 'item')} that only {name} has would be left out.") for n, name in only]
    if alignment.duplicates:
        notes.append(Note("data", f"{count(alignment.duplicates, 'row')} occur twice and would count once."))
    return notes


def _gate(request: GateRequest) -> Sight:
    from outscore.workflows.gate import changes, load

    request.validate()
    if request.reference:
        return sight_of(request.texts(request.test or "bootstrap"))
    comparison = request.comparison(request.test or DECIDES, **{**changes(request), "names": request.names})
    if request.baseline_file is not None:
        from outscore.workflows.prepare import prepare

        systems = load(request)
        return _of_systems(systems, prepare(comparison, systems))
    return sight_of(comparison)


def _texts(request: TextsRequest) -> Sight:
    from outscore.workflows.texts.run import read_texts

    request.validate()
    return _of_texts(read_texts(request))


def _of_texts(texts: Texts) -> Sight:
    origins = texts.origins
    rows = max(origin.rows for origin in origins)
    reading = reading_of(origins, rows=sum(one.rows for one in origins), direction=("higher", "metric"), kind="texts")
    return Sight(texts.names, count(rows, "segment"), reading_line(reading), origins, texts.notes)


def _ranking(request: RankRequest) -> Sight:
    from outscore.workflows.load import check_files, load
    from outscore.workflows.prepare import prepare
    from outscore.workflows.rank.outputs import panel_of_outputs
    from outscore.workflows.rank.run import read_outputs, read_texts

    logs = check_files(request)
    if request.measure:
        return _of_measures(request.by_measure(logs=logs))
    if request.reference:
        return _of_texts(read_texts(request))
    if request.task is not None:
        data = read_outputs(request)
        panel, known = panel_of_outputs(data, task=request.task, cluster=request.cluster, metric=request.metric)
        units, origins = panel.shape[1], known["origins"]
        line = reading_line(outputs_reading(origins, units))
        return Sight(list(data.systems), count(units, "unit"), line, origins, known["notes"])
    if not logs and are_partitions(request.files):
        files = long_files(partition_paths(request.files))
        rows = count(sum(file.rows for file in files), "row")
        return Sight([], f"{rows} in {count(len(files), 'Parquet part')}", "parts of one table, read one by one", ())
    systems = load(request)
    prepared = None if logs else prepare(request, systems)
    # Datasets may lack systems.
    _ = prepared and prepared.panels
    return _of_systems(systems, prepared)


def _of_systems(systems: Systems, prepared: Prepared | None) -> Sight:
    """Systems as they were `prepared`; logs, which are not, say themselves which scores are better."""
    rows, notes = sum(origin.rows for origin in systems.origins), systems.notes
    if prepared is None:
        reading = reading_of(systems.origins, rows=rows, direction=(systems.better or "higher", "log"))
    else:
        reading, notes = prepared.reading(rows), [*prepared.better.notes, *notes]
    return Sight(systems.names, _items(systems.scores), reading_line(reading), systems.origins, notes)


def _score(request: ScoreRequest) -> Sight:
    from outscore.workflows.load import asks_logs, load
    from outscore.workflows.prepare import prepare_each
    from outscore.workflows.score.run import check_systems

    logs, systems = asks_logs(request), load(request)
    if not logs:
        check_systems(systems.scores, request)
    return _of_systems(systems, None if logs else prepare_each(request, systems)[0])


def _items(scores: Sequence[Scores]) -> str:
    """How many items all systems have together."""
    named = [one.ids for one in scores if one.ids is not None]
    if len(named) < len(scores):
        return count(max(one.rows for one in scores), "item")
    return count(len({name for ids in named for name in ids.names}), "item")


def _battles(request: PreferRequest) -> Sight:
    from outscore.inference.preferences.sums import sums_of
    from outscore.workflows.prefer.inputs import battles_of, chosen, reading_of_battles
    from outscore.workflows.prefer.run import order_of

    request.validate()
    battles = battles_of(request, request.files)
    order_of(sums_of(chosen(battles, request).compact()), request.order)
    line = battle_reading_line(reading_of_battles(battles.origins))
    return Sight(battles.systems, count(sum(origin.rows for origin in battles.origins), "row"), line, battles.origins)


def _outputs(request: DiffRequest) -> Sight:
    from outscore.workflows.diff.run import study_of

    study = study_of(request)
    line = reading_line(outputs_reading(study.origins, study.n))
    return Sight(list(study.systems), count(study.n, study.unit), line, study.origins, study.notes)


READERS: dict[type[Request], Callable[[Any], Sight]] = {
    CompareRequest: _comparison,
    GateRequest: _gate,
    TextsRequest: _texts,
    RankRequest: _ranking,
    ScoreRequest: _score,
    PreferRequest: _battles,
    DiffRequest: _outputs,
}
"""How the files of each request are read: those of the commands that have --dry-run."""
