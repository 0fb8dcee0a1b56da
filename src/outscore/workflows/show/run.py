"""From a request to a listing of what files contain, and commands to run next.

The files can answer these commands, which spell out every choice. Candidates are tried on the evaluations as the
command itself would choose among them, so that a proposed command is never refused. Nothing stops the listing: a file that
cannot be read is listed with the reason.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import LARGEST_SCORE, distinct
from outscore.core.records import dataclass
from outscore.formats.base.source import files_below, is_pattern, pattern_name, runs_in
from outscore.formats.logs.choose import LogQuestion
from outscore.formats.logs.evaluation import Evaluation, join_parts, join_runs
from outscore.formats.logs.find import recognise, refuse_totals
from outscore.formats.logs.registry import LOGS, LogEntry
from outscore.formats.logs.scores import DROP, ZERO, Chosen, choose_evaluations, name_apart
from outscore.formats.tables.names import join_names
from outscore.language.lines import contents_line
from outscore.language.numbers import count
from outscore.results.logs import LoggedEvaluation, LoggedScore, Logs, ShownFile
from outscore.results.note import Note
from outscore.workflows.names import at_the_door, path_texts
from outscore.workflows.requests.base import Request, Written
from outscore.workflows.requests.compare import CompareRequest, TextsRequest
from outscore.workflows.requests.diff import DiffRequest
from outscore.workflows.requests.prefer import PreferRequest
from outscore.workflows.requests.rank import RankRequest, ScoreRequest
from outscore.workflows.requests.registry import REQUESTS
from outscore.workflows.requests.show import ShowRequest

if TYPE_CHECKING:
    from outscore.workflows.show.describe import FileDescription

MAX_DESCRIBED = 200
"""Of a folder without logs, so many files are described."""
GOLD_NAMES, REFERENCE_NAMES = ("gold", "key", "truth", "answers"), ("ref", "gold", "target")
BLEU, SEGMENTS = "bleu", "segments"
TABLES = {"csv", "tsv", "jsonl", "json", "parquet", "labels"}


@dataclass(frozen=True)
class Contents:
    """What there is at a path as it was given; `described` are the files that could be read, with what they hold."""

    path: str
    evaluations: list[Evaluation] = field(default_factory=list)
    files: list[ShownFile] = field(default_factory=list)
    described: list[tuple[str, FileDescription]] = field(default_factory=list)

    @property
    def problems(self) -> list[ShownFile]:
        """The files that cannot be read."""
        return [file for file in self.files if file.problem]


def contents_of(path: str, format: str | None) -> Contents:
    """Everything at a path; `format` is the format of logs, if it was named."""
    found = Contents(path)
    folder = Path(path).is_dir()
    try:
        names = files_below(path) if folder else runs_in(path)
    except OutscoreError as refusal:
        found.files.append(ShownFile(path, problem=str(refusal)))
        return found
    logs, others = _logs_among(names, format, found)
    runs = [list(_read(name, entry, found)) for name, entry in logs.items()]
    if is_pattern(path) and logs:
        found.evaluations.extend(_joined(runs, path, found))
    else:
        found.evaluations.extend(_parts([one for run in runs for one in run], found))
    if folder and logs:
        # What else lies in a folder of logs belongs to them, or to nobody.
        return found
    for name in others[:MAX_DESCRIBED]:
        _describe(name, found)
    if folder and not others and not found.files:
        found.files.append(ShownFile(path, problem="The folder contains no file."))
    return found


def _logs_among(names: Sequence[str], format: str | None, found: Contents) -> tuple[dict[str, LogEntry], list[str]]:
    logs: dict[str, LogEntry] = {}
    others = []
    for name in names:
        try:
            entry = LOGS[format] if format is not None else recognise(name)
        except OutscoreError as refusal:
            found.files.append(ShownFile(name, problem=str(refusal)))
            continue
        if entry is None:
            others.append(name)
        else:
            logs[name] = entry
    return logs, others


def _read(name: str, entry: LogEntry, found: Contents) -> Iterator[Evaluation]:
    try:
        yield from entry.format.read(name)
    except OutscoreError as refusal:
        found.files.append(ShownFile(name, entry.name, problem=str(refusal)))


def _joined(runs: Sequence[Sequence[Evaluation]], path: str, found: Contents) -> list[Evaluation]:
    try:
        return join_runs([run for run in runs if run], pattern_name(path))
    except OutscoreError as refusal:
        found.files.append(ShownFile(path, problem=str(refusal)))
        return [one for run in runs for one in run]


def _parts(evaluations: Sequence[Evaluation], found: Contents) -> list[Evaluation]:
    """Files of the same system, task and filter are parts of one; those that are not are listed one by one."""
    parts: dict[tuple[str, str, str, str | None], list[Evaluation]] = {}
    for one in evaluations:
        parts.setdefault((one.harness, one.system, one.task, one.filter), []).append(one)
    joined: list[Evaluation] = []
    for several in parts.values():
        try:
            joined.append(join_parts(several))
        except OutscoreError as refusal:
            joined += several
            found.files.append(ShownFile(several[-1].origins[0].path, several[-1].harness, problem=str(refusal)))
    return joined


def _describe(name: str, found: Contents) -> None:
    try:
        # Imported where it is used, as is `look`: while a log of JSON is in memory, little else should be.
        from outscore.workflows.show.describe import describe

        description = describe(Path(name))
    except OutscoreError as refusal:
        found.files.append(ShownFile(name, problem=str(refusal)))
        return
    found.described.append((name, description))
    columns = [one for one in description.columns if one.part]
    reading = description.reading or ""
    form = description.format or ""
    found.files.append(ShownFile(name, form, description.rows, list(description.systems), columns, reading))


def candidates(described: Sequence[tuple[str, FileDescription]], given: Sequence[str]) -> Iterator[Request]:
    """Commands for files that are no logs, the likeliest first; whether they run is for the caller to try."""
    suits = {suit for _, one in described for suit in one.suits}
    forms = {one.format for _, one in described}
    names = tuple(given)
    if "prefer" in suits:
        for order in ("auto", "fixed", "unrecorded"):
            yield PreferRequest(files=names, order=order)
    if suits & {"compare", "rank"} or forms <= TABLES or not described:
        yield from _score_requests(sum(max(len(one.systems), 1) for _, one in described), names)
        if len(names) == 1 and any(column.kind == "text" for _, one in described for column in one.columns):
            # Rows that are systems have names.
            yield RankRequest(files=names, transpose=True)
    if described and ("diff" in suits or forms == {"segments"}):
        yield from _diffs(described)
    if "texts" in suits and len(names) > 2:
        reference, systems = _apart(names, REFERENCE_NAMES)
        yield from _texts(systems, reference)
    if forms <= TABLES and "score" not in suits and names:
        # Sentences in columns, with their references.
        yield from _texts(names, names[0])


def is_fallback(request: Request) -> bool:
    """Whether a command is only for what no other takes: items in columns, sentences, battles always shown in one order."""
    if isinstance(request, PreferRequest):
        return request.order != "auto"
    texts = isinstance(request, TextsRequest) and request.reference == request.files[:1]
    return texts or bool(getattr(request, "transpose", False))


def _score_requests(systems: int, names: tuple[str, ...]) -> Iterator[Request]:
    if systems == 2 or len(names) == 2:
        yield CompareRequest(files=names)
    if systems > 1:
        yield RankRequest(files=names)
    yield ScoreRequest(files=names)


def _diffs(described: Sequence[tuple[str, FileDescription]]) -> Iterator[Request]:
    """Outputs against those that are named like right answers, or else against the first ones."""
    names = [name for name, _ in described]
    own = [{column.part for column in one.columns} >= {"gold", "answer"} for _, one in described]
    gold, others = _apart(names, GOLD_NAMES)
    if all(own) or (len(described) == 1 and described[0][1].whole):
        if "compare" not in described[0][1].suits:
            # Whole responses are not equal to the right answers, however good they are.
            return
        gold, others = names[0], names if all(own) else []
    elif len(names) == 1 and described[0][1].format not in ("labels", "word-columns"):
        return
    for task in dict.fromkeys(task for _, one in described for task in _tasks(one)):
        yield DiffRequest(task=task, gold=gold, files=tuple(others))


def _tasks(one: FileDescription) -> tuple[str, ...]:
    if one.format == "conllu":
        return ("dep", "pos")
    return ("label",) if one.format == "segments" else (one.task or "label",)


def _texts(systems: Sequence[str], reference: str) -> Iterator[Request]:
    if len(systems) <= 2:
        yield TextsRequest(files=tuple(systems), reference=(reference,), metric=BLEU)
    else:
        yield RankRequest(files=tuple(systems), reference=(reference,), metric=BLEU)


def _apart(names: Sequence[str], words: Sequence[str]) -> tuple[str, list[str]]:
    """The file that one of these words names, or the first, and the others."""
    first = next((name for word in words for name in names if word in Path(name).name.lower()), names[0])
    return first, [name for name in names if name != first]


MEANING = {DROP: "drops them", ZERO: "counts them as 0"}
COMPARE, RANK, SCORE = "compare", "rank", "score"
PROPOSED = re.compile(r"`(outscore (?:compare|rank|score|diff|prefer) [^`]*)`")
"""Whole commands in the hint of a refusal."""
MAX_PROPOSED = 5


@at_the_door
def run(request: ShowRequest) -> Logs:
    """List everything that the files of a request contain, without choosing or checking, and commands that can be run."""
    request.validate()
    format = request.reader if request.reader in LOGS else None
    found = [contents_of(path, format) for path in request.files]
    files = [file for one in found for file in one.files]
    evaluations = [evaluation for one in found for evaluation in one.evaluations]
    if evaluations:
        proposals = [propose(by_path, format) for by_path in _sound(found)]
        commands, notes = next((proposal for proposal in proposals if proposal[0]), proposals[0])
    else:
        commands, notes = _propose_for(found) if format is None else ([], [])
        if len(files) == 1 and files[0].problem and not commands:
            raise OutscoreError(files[0].problem, file=files[0].path)
    return listing(evaluations, request, (commands, notes), files=files, commands=commands)


def _sound(found: Sequence[Contents]) -> list[list[tuple[str, Sequence[Evaluation]]]]:
    """Evaluations by path as it was given; if something beside them cannot be read, those of each task by their own files."""
    whole: list[tuple[str, Sequence[Evaluation]]] = [(one.path, one.evaluations) for one in found]
    bad = {problem.path for one in found for problem in one.problems}
    if not bad:
        return [whole]
    tasks: dict[str, dict[str, list[Evaluation]]] = {}
    for _, evaluations in whole:
        for each in evaluations:
            if len(each.origins) == 1 and each.origins[0].path not in bad:
                tasks.setdefault(each.task, {}).setdefault(each.origins[0].path, []).append(each)
    # The task of most files first.
    by_task = sorted(tasks.values(), key=len, reverse=True)
    return [list[tuple[str, Sequence[Evaluation]]](by_file.items()) for by_file in by_task] or [[]]


def _propose_for(found: Sequence[Contents]) -> Proposal:
    """Commands for files that are no logs: those that are not refused, or that a refusal proposes; else why the first is."""
    described = [each for one in found for each in one.described]
    given = [one.path if is_pattern(one.path) else name for one in found for name, _ in one.described]
    given = given or [problem.path for one in found for problem in one.problems if Path(problem.path).is_file()]
    commands, refusals = _runnable(candidates(described, list(dict.fromkeys(given))))
    kinds = _kinds(described) if not commands else []
    left_out = []
    for kind in kinds:
        names = [name for name, _ in kind]
        of_kind, refused = _runnable(candidates(kind, names))
        commands |= dict(list(of_kind.items())[:1])
        if refused and not of_kind:
            reason, of_files = str(refused[0]), join_names(names)
            asked = "" if of_files in reason else f" for {of_files}"
            left_out.append(Note("input", f"No command is proposed{asked}: {reason}"))
    notes = list(dict.fromkeys(note for several in (*commands.values(), left_out) for note in several))
    if commands:
        return list(commands)[: MAX_PROPOSED + 1], notes
    problems = [problem.problem for one in found for problem in one.problems]
    # A place that could not be searched is not searched again.
    refuse_totals([one.path for one in found if one.path not in [problem.path for problem in one.problems]])
    reason = str(refusals[0]) if refusals and described else next(iter(problems), "nothing can be computed from these files.")
    return [], [Note("input", f"No command is proposed: {reason}")]


def _kinds(described: Sequence[tuple[str, FileDescription]]) -> list[list[tuple[str, FileDescription]]]:
    """Files of several kinds, which no single command takes, apart; nothing if they are all of one kind."""
    kinds: dict[tuple[object, ...], list[tuple[str, FileDescription]]] = {}
    for name, one in described:
        parts = tuple(sorted({(column.part or "", column.kind) for column in one.columns}))
        kinds.setdefault((one.format, *one.suits, *parts), []).append((name, one))
    return list(kinds.values()) if len(kinds) > 1 else []


def _runnable(requests: Iterable[Request]) -> tuple[dict[str, list[Note]], list[OutscoreError]]:
    """The commands that are not refused, or that a refusal proposes, with what is to be said of them; and the refusals."""
    tried = {request.command_line(): request for request in requests}
    commands: dict[str, list[Note]] = {}
    refusals: list[OutscoreError] = []
    for line, request in tried.items():
        # A table with something wrong in one of its lines, or whose systems a person has to name, is no other kind of table.
        settled = commands or any(refusal.line is not None or refusal.parameter == "system" for refusal in refusals)
        if is_fallback(request) and settled:
            continue
        try:
            from outscore.workflows.show.look import sight_of

            sight = sight_of(request)
            if is_fallback(request) and any(origin.format == SEGMENTS for origin in sight.origins):
                continue
            commands[line] = [note for note in sight.notes if note.kind == "data"]
            if isinstance(request, PreferRequest) and refusals:
                commands[line].append(Note("data", str(refusals[0])))
        except OutscoreError as refusal:
            refusals.append(refusal)
            commands |= {cure: [] for cure in PROPOSED.findall(refusal.hint) if cure not in tried and _runs(cure)}
    return commands, refusals


def _runs(command: str) -> bool:
    """Whether a command that a refusal proposes is not refused itself."""
    try:
        _, verb, *words = shlex.split(command)
    except ValueError:
        # A name in it was cut.
        return False
    request = TextsRequest if verb == COMPARE and "--reference" in words else REQUESTS[verb]
    written: dict[str, list[str]] = {"files": []}
    options = {f"--{option.long}": option for option in request.options()}
    while words:
        word = words.pop(0)
        option = options.get(word)
        if option is None:
            written["files"].append(word)
        else:
            written.setdefault(option.name, []).append("true" if option.kind == "flag" else words.pop(0))
    if not written["files"]:
        # Only the beginning of a command.
        return False
    if "gold" in request.positional:
        gold, *written["files"] = written["files"]
        written["gold"] = [gold]
    return _is_looked_at(request, written)


def _is_looked_at(request: type[Request], written: Mapping[str, Written]) -> bool:
    """Whether a request is read, and not refused."""
    from outscore.workflows.show.look import look

    try:
        look(request.from_written(written))
    except OutscoreError:
        return False
    return True


def listing(
    evaluations: Sequence[Evaluation],
    request: Request,
    proposal: Proposal,
    *,
    files: Sequence[ShownFile] = (),
    commands: Sequence[str] = (),
) -> Logs:
    """What evaluations and other files contain, the command to run next, and all `commands` that are shown."""
    proposed, remarks = proposal
    titles = list(dict.fromkeys(LOGS[one.harness].title for one in evaluations))
    systems, tasks = len({one.system for one in evaluations}), len({one.task for one in evaluations})
    origins = dict.fromkeys(origin for one in evaluations for origin in one.origins)
    notes = dict.fromkeys(
        [*(Note("input", text) for one in evaluations for text in one.notes), *_zero_notes(evaluations), *remarks]
    )
    return Logs(
        [_listed(evaluation) for evaluation in evaluations],
        next(iter(proposed), ""),
        contents_line(titles, systems, tasks, files),
        request.settings(origins),
        list(notes),
        files=list(files),
        commands=list(commands),
    )


def call(paths: object, *, reader: str) -> Logs:
    """`outscore.show`: a path, or several."""
    several = paths if isinstance(paths, (list, tuple)) else [paths]
    files = path_texts(several)
    if files is None:
        raise OutscoreError("`paths` contains something that is not a path.", "Give the paths of files.", parameter="files")
    return run(ShowRequest(files=files, reader=reader))


def _listed(evaluation: Evaluation) -> LoggedEvaluation:
    scores = []
    for name, measure in evaluation.measures.items():
        given = measure.values[~np.isnan(measure.values)]
        if evaluation.zero_missing and not measure.corpus:
            given = np.nan_to_num(measure.values, nan=0.0)
        # Numbers too large to compute with have no mean.
        value = float(given.mean()) if len(given) and np.abs(given).max() <= LARGEST_SCORE else None
        missing = {} if measure.corpus else evaluation.missing(name)
        scores.append(LoggedScore(name, value, measure.total, measure.higher_is_better, missing, measure.corpus))
    items = len(evaluation.ids.names)
    return LoggedEvaluation(
        evaluation.harness,
        evaluation.system,
        evaluation.task,
        evaluation.filter,
        items,
        evaluation.rows / items,
        evaluation.rows,
        scores,
        evaluation.suggested,
        dict(evaluation.conditions),
        [origin.path for origin in evaluation.origins],
        evaluation.counts,
    )


def _zero_notes(evaluations: Sequence[Evaluation]) -> list[Note]:
    """A note that the means include rows without a score, if comparisons do so too."""
    if not any(one.zero_missing and any(one.missing(name) for name in one.measures) for one in evaluations):
        return []
    return [
        Note("data", "Rows without a score count as 0 in the means and in comparisons, as on the harness's own leaderboard.")
    ]


Proposal = tuple[list[str], list[Note]]
"""Commands, the one to run next first, and notes on it."""


def propose(by_path: Sequence[tuple[str, Sequence[Evaluation]]], format: str | None = None) -> Proposal:
    """A comparison on the first task on which two systems can be compared, or else the scores on the first task with any."""
    named = name_apart([(path, list(evaluations)) for path, evaluations in by_path])
    refusals: list[OutscoreError] = []
    for command in (COMPARE, SCORE):
        refusals.clear()
        for question in _questions(named):
            try:
                proposed, notes = _try(named, question, command)
            except OutscoreError as error:
                refusals.append(error)
                continue
            reader = [] if format is None else ["--reader", format]
            verb, *options = proposed
            paths = [path for path, _ in by_path]
            words = ["outscore", verb, *paths, *reader, *options]
            return [shlex.join(words), *_scored(verb, paths, [*reader, *options])], list(notes)
    text = f"No command is proposed: {refusals[0]}" if refusals else "No command is proposed: no row has a score."
    return [], [Note("input", text)]


def _scored(verb: str, paths: Sequence[str], options: Sequence[str]) -> tuple[str, ...]:
    """The same with each system scored by itself, if that is not refused."""
    if verb == SCORE:
        return ()
    pairs = [pair for pair in zip(options[::2], options[1::2], strict=True) if pair[0] != "--system"]
    written: dict[str, Written] = {name.removeprefix("--"): value for name, value in pairs}
    if not _is_looked_at(ScoreRequest, {**written, "files": list(paths)}):
        return ()
    return (shlex.join(["outscore", SCORE, *paths, *(word for pair in pairs for word in pair)]),)


def _questions(evaluations: Sequence[Evaluation]) -> Iterator[LogQuestion]:
    """Every task, filter and measure, in the order of the logs."""
    seen = set()
    for one in evaluations:
        for measure in one.measures:
            key = (one.task, one.filter or "none", measure)
            if key not in seen:
                seen.add(key)
                yield LogQuestion(task=one.task, filter=one.filter or "none", measure=measure)


def _try(evaluations: Sequence[Evaluation], question: LogQuestion, command: str) -> tuple[list[str], tuple[Note, ...]]:
    """The command and its options, or an error if the question cannot be answered."""
    answers: dict[str, Chosen] = {}
    try:
        chosen = choose_evaluations(evaluations, question)
    except OutscoreError as error:
        if error.parameter != "missing":
            raise
        answers = _answers(evaluations, question)
        if not answers:
            raise
        chosen = next(iter(answers.values()))
    treatment = next(iter(answers), None)
    verb, systems = _verb(chosen, treatment, command)
    options = [verb, *_options(evaluations, question), *systems]
    if treatment is None:
        return options, ()
    return [*options, "--missing", treatment], (_missing_note(chosen, verb, list(answers)),)


def _answers(evaluations: Sequence[Evaluation], question: LogQuestion) -> dict[str, Chosen]:
    """What is chosen under each way to treat rows without a score that is not refused."""
    answers = {}
    for treatment in MEANING:
        try:
            chosen = choose_evaluations(evaluations, replace(question, missing=treatment))
            _verb(chosen, treatment, SCORE)
        except OutscoreError:
            continue
        answers[treatment] = chosen
    return answers


def _verb(chosen: Chosen, treatment: str | None, command: str) -> tuple[str, list[str]]:
    """The command for the question: `compare` for two systems, `rank` for more, `score` without a comparison."""
    systems = [one.system for one in chosen.evaluations]
    corpus = any(one.measures[chosen.measure].corpus for one in chosen.evaluations)
    if command == SCORE:
        if corpus:
            raise OutscoreError(f"`{chosen.measure}` scores the whole corpus, which only works for two systems.", "")
        for one in chosen.evaluations:
            if not _items(one, chosen.measure, treatment):
                raise OutscoreError(f"{one.system} has no `{chosen.measure}` score.", "")
        return SCORE, []
    if len(systems) < 2:
        raise OutscoreError(f"Only {systems[0]} was run on {chosen.evaluations[0].task}.", "")
    pair = corpus and len(systems) > 2
    compared = chosen.evaluations[:2] if pair else chosen.evaluations
    if not set.intersection(*(_items(one, chosen.measure, treatment) for one in compared)):
        raise OutscoreError(f"The systems on {chosen.evaluations[0].task} have no item with a score in common.", "")
    if pair:
        return COMPARE, ["--system", systems[0], "--system", systems[1]]
    return COMPARE if len(systems) == 2 else RANK, []


def _items(one: Evaluation, measure: str, treatment: str | None) -> set[str]:
    """The items that a comparison would use."""
    measure_found = one.measures[measure]
    if measure_found.corpus or one.zero_missing or treatment == ZERO:
        return set(one.ids.names)
    codes = distinct(one.ids.codes[~np.isnan(measure_found.values)])
    return {one.ids.names[code] for code in codes.tolist()}


def _options(evaluations: Sequence[Evaluation], question: LogQuestion) -> list[str]:
    """The options without which the command would be refused."""
    of_task = [one for one in evaluations if one.task == question.task]
    of_filter = [one for one in of_task if (one.filter or "none") == question.filter]
    shared = [name for name in of_filter[0].measures if all(name in one.measures for one in of_filter)]
    several = {
        "--log-task": (question.task, len({one.task for one in evaluations})),
        "--filter": (question.filter, len({one.filter for one in of_task})),
        "--metric": (question.measure, len(shared)),
    }
    return [word for option, (value, number) in several.items() if number > 1 for word in (option, str(value))]


def _missing_note(chosen: Chosen, verb: str, treatments: Sequence[str]) -> Note:
    """A note that rows have no score, and how they can be treated."""
    rows = sum(sum(one.missing(chosen.measure).values()) for one in chosen.evaluations)
    first, *others = treatments
    other = "".join(f"; --missing {name} {MEANING[name]} instead" for name in others)
    has = "has" if rows == 1 else "have"
    return Note(
        "data",
        f"{count(rows, 'row')} {has} no score, and `outscore {verb}` does not decide how to treat them; the proposed "
        f"command has --missing {first}, which {MEANING[first]}{other}.",
    )
