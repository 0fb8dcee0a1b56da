"""From a request to a listing of what logs hold, and the command that comes after it.

That command is one that the logs can answer, with every choice written out. Candidates are tried on the evaluations as the
command itself would choose among them, so that what is proposed is not refused.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import LARGEST_SCORE
from outscore.core.records import dataclass
from outscore.formats.logs.base.evaluation import Evaluation
from outscore.formats.logs.choose import LogQuestion
from outscore.formats.logs.find import read_logs
from outscore.formats.logs.registry import LOGS
from outscore.formats.logs.scores import DROP, ZERO, Chosen, choose_evaluations, name_apart
from outscore.language.numbers import count
from outscore.results.logs import LoggedEvaluation, LoggedScore, Logs
from outscore.results.note import Note
from outscore.workflows.names import path_texts
from outscore.workflows.requests.show import ShowRequest

__all__ = ["Proposal", "call", "listing", "propose", "run"]

MEANING = {DROP: "leaves them out", ZERO: "counts them as 0"}
COMPARE, RANK, SCORE = "compare", "rank", "score"


def run(request: ShowRequest) -> Logs:
    """List what the logs of a request hold; nothing is chosen, checked against another log or left out."""
    request.validate()
    format = request.reader if request.reader in LOGS else None
    by_path = [(path, read_logs([path], format)) for path in request.files]
    found = [evaluation for _, evaluations in by_path for evaluation in evaluations]
    return listing(found, request, propose(by_path, format))


def listing(found: Sequence[Evaluation], request: ShowRequest, proposal: Proposal) -> Logs:
    """What evaluations hold, and the command that comes next."""
    origins = dict.fromkeys(origin for one in found for origin in one.origins)
    notes = dict.fromkeys([*(Note("input", text) for one in found for text in one.notes), *_zero_notes(found), *proposal.notes])
    return Logs(
        [_listed(evaluation) for evaluation in found],
        proposal.command,
        _verdict(found),
        request.settings(origins),
        list(notes),
    )


def call(paths: object, *, reader: str) -> Logs:
    """`outscore.show`: a path, or several."""
    several = paths if isinstance(paths, (list, tuple)) else [paths]
    files = path_texts(several)
    if files is None:
        raise OutscoreError("`paths` holds something that is no path.", "Give the paths of logs.", parameter="files")
    return run(ShowRequest(files=files, reader=reader))


def _listed(evaluation: Evaluation) -> LoggedEvaluation:
    scores = []
    for name, measure in evaluation.measures.items():
        given = measure.values[~np.isnan(measure.values)]
        if evaluation.zero_missing and not measure.corpus:
            given = np.nan_to_num(measure.values, nan=0.0)
        # What is too large to compute with has no mean.
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


def _zero_notes(found: Sequence[Evaluation]) -> list[Note]:
    """That rows without a score are in the means, where comparisons count them too."""
    if not any(one.zero_missing and any(one.missing(name) for name in one.measures) for one in found):
        return []
    return [Note("data", "Rows without a score count as 0 in the means and in comparisons, as boards of their harness do.")]


def _verdict(found: Sequence[Evaluation]) -> str:
    harnesses = ", ".join(dict.fromkeys(LOGS[one.harness].title for one in found))
    systems = count(len({one.system for one in found}), "system")
    tasks = count(len({one.task for one in found}), "task")
    return f"{systems} on {tasks}, logged by {harnesses}."


@dataclass(frozen=True)
class Proposal:
    """A command, or an empty text where there is none, and what the reader should know about it."""

    command: str = ""
    notes: tuple[Note, ...] = ()


def propose(by_path: Sequence[tuple[str, Sequence[Evaluation]]], format: str | None = None) -> Proposal:
    """A comparison of the first task that two systems can be compared on, or else the scores of the first that has some."""
    found = name_apart([(path, list(evaluations)) for path, evaluations in by_path])
    refusals: list[OutscoreError] = []
    for command in (COMPARE, SCORE):
        refusals.clear()
        for question in _questions(found):
            try:
                proposed, notes = _try(found, question, command)
            except OutscoreError as error:
                refusals.append(error)
                continue
            reader = [] if format is None else ["--reader", format]
            verb, *options = proposed
            words = ["outscore", verb, *(path for path, _ in by_path), *reader, *options]
            return Proposal(shlex.join(words), notes)
    said = f"No command is proposed: {refusals[0]}" if refusals else "No command is proposed: no row has a score."
    return Proposal("", (Note("input", said),))


def _questions(found: Sequence[Evaluation]) -> Iterator[LogQuestion]:
    """Every task, filter and measure, in the order of the logs."""
    seen = set()
    for one in found:
        for measure in one.measures:
            key = (one.task, one.filter or "none", measure)
            if key not in seen:
                seen.add(key)
                yield LogQuestion(task=one.task, filter=one.filter or "none", measure=measure)


def _try(found: Sequence[Evaluation], question: LogQuestion, command: str) -> tuple[list[str], tuple[Note, ...]]:
    """The command and its options, or the refusal of a question that cannot be answered."""
    answers: dict[str, Chosen] = {}
    try:
        chosen = choose_evaluations(found, question)
    except OutscoreError as error:
        if error.parameter != "missing":
            raise
        answers = _answers(found, question)
        if not answers:
            raise
        chosen = next(iter(answers.values()))
    treatment = next(iter(answers), None)
    verb, systems = _verb(chosen, treatment, command)
    options = [verb, *_options(found, question), *systems]
    if treatment is None:
        return options, ()
    return [*options, "--missing", treatment], (_missing_note(chosen, verb, list(answers)),)


def _answers(found: Sequence[Evaluation], question: LogQuestion) -> dict[str, Chosen]:
    """What is chosen by each way to treat rows without a score that is not refused."""
    answers = {}
    for treatment in MEANING:
        try:
            chosen = choose_evaluations(found, replace(question, missing=treatment))
            _verb(chosen, treatment, SCORE)
        except OutscoreError:
            continue
        answers[treatment] = chosen
    return answers


def _verb(chosen: Chosen, treatment: str | None, command: str) -> tuple[str, list[str]]:
    """What answers the question: `compare` for two systems, `rank` for more, `score` if a comparison is not asked for."""
    systems = [one.system for one in chosen.evaluations]
    corpus = any(one.measures[chosen.measure].corpus for one in chosen.evaluations)
    if command == SCORE:
        if corpus:
            raise OutscoreError(f"`{chosen.measure}` scores the whole corpus, and two systems are compared by it.", "")
        for one in chosen.evaluations:
            if not _items(one, chosen.measure, treatment):
                raise OutscoreError(f"{one.system} has no score of `{chosen.measure}`.", "")
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
    """The items that a comparison would find."""
    found = one.measures[measure]
    if found.corpus or one.zero_missing or treatment == ZERO:
        return set(one.ids.names)
    codes = np.unique(one.ids.codes[~np.isnan(found.values)])
    return {one.ids.names[code] for code in codes.tolist()}


def _options(found: Sequence[Evaluation], question: LogQuestion) -> list[str]:
    """What the command would ask for if it were not said."""
    of_task = [one for one in found if one.task == question.task]
    of_filter = [one for one in of_task if (one.filter or "none") == question.filter]
    shared = [name for name in of_filter[0].measures if all(name in one.measures for one in of_filter)]
    several = {
        "--log-task": (question.task, len({one.task for one in found})),
        "--filter": (question.filter, len({one.filter for one in of_task})),
        "--metric": (question.measure, len(shared)),
    }
    return [word for option, (value, number) in several.items() if number > 1 for word in (option, str(value))]


def _missing_note(chosen: Chosen, verb: str, treatments: Sequence[str]) -> Note:
    """That rows have no score, and what can become of them."""
    rows = sum(sum(one.missing(chosen.measure).values()) for one in chosen.evaluations)
    first, *others = treatments
    other = "".join(f"; --missing {name} {MEANING[name]} instead" for name in others)
    has = "has" if rows == 1 else "have"
    return Note(
        "data",
        f"{count(rows, 'row')} {has} no score, and `outscore {verb}` does not decide what becomes of them: the proposed "
        f"command says --missing {first}, which {MEANING[first]}{other}.",
    )
