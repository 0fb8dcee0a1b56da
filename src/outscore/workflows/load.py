"""From the files of a request to systems: tables and logs, of which two are chosen, one, or all.

`load` is the only door: `compare`, `gate` and pilots of `plan` take two systems, `rank` and `score` as many as there are.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

from outscore.core.errors import OutscoreError
from outscore.formats.base.entry import Choice
from outscore.formats.base.source import is_pattern, stem_of
from outscore.formats.logs.choose import LogQuestion
from outscore.formats.logs.evaluation import Evaluation, Exchange
from outscore.formats.logs.find import are_logs, is_ranking, refuse_folders, refuse_totals
from outscore.formats.logs.registry import LOGS
from outscore.formats.logs.scores import LogSystems, read_systems
from outscore.formats.tables.assemble import refuse_implausible
from outscore.formats.tables.cells import is_number
from outscore.formats.tables.names import join_names, suggest_name
from outscore.formats.tables.numbers import BARE_FORMATS, columns_phrase, counts_of, is_bare
from outscore.formats.tables.parquet import are_partitions
from outscore.language.numbers import count
from outscore.results.note import Note
from outscore.scores.join import join_scores, same_label
from outscore.scores.system import Scores, label_of, origins_of, rename
from outscore.workflows.frames import systems_in
from outscore.workflows.names import distinct_names, proposing_measures, read_each, refuse_same_columns
from outscore.workflows.reading import Better
from outscore.workflows.requests import base
from outscore.workflows.requests.compare import CompareRequest
from outscore.workflows.requests.rank import RankRequest, ScoreRequest
from outscore.workflows.requests.shared import READER
from outscore.workflows.systems import UNNAMED, Systems, TwoNames

if TYPE_CHECKING:
    from outscore.results.design import DecidingItem


def load(request: CompareRequest | RankRequest | ScoreRequest, *, alone: bool = False) -> Systems:
    """What the files of a request hold, which is checked first: two systems for a comparison, all for other commands.

    The system that one side of a comparison names may be read `alone`.
    """
    logs, two = check_files(request), isinstance(request, CompareRequest) and not alone
    if logs:
        return _of_logs(request, two=two)
    if isinstance(request, CompareRequest) and two:
        names = (request.names[0], request.names[1]) if request.names else None
        return load_pair(request.files, names, format=request.reader, systems=request.system, **request.columns())
    if isinstance(request, ScoreRequest) and are_partitions(request.files):
        raise OutscoreError(
            "A folder of Parquet parts is read piece by piece, but `score` needs all rows at once.",
            "Name the files one by one, or use `outscore rank`, which also shows the scores.",
            parameter="files",
        )
    # A single pattern of a ranking stands for systems or datasets: the runs of one system cannot be ranked.
    paths = request.system_files if isinstance(request, RankRequest) and len(request.files) == 1 else request.files
    with proposing_measures(request):
        scores, notes = read_many(
            paths, format=request.reader, systems=request.system, names=request.names, columns=request.columns()
        )
    if not isinstance(request, CompareRequest):
        refuse_unlikely(scores, request)
    return Systems.of(scores, notes=notes)


def refuse_unlikely(scores: Sequence[Scores], request: RankRequest | ScoreRequest, *, item_named: bool = False) -> None:
    """Refuse columns that are unlikely to be systems, unless the caller says that they are."""
    named = item_named or request.item is not None or request.transpose
    refuse_implausible(scores, chosen=bool(request.system), item_named=named)


# Two systems: one file with both, or one for each.


def load_pair(
    paths: Sequence[str],
    names: TwoNames | None = None,
    *,
    format: str = READER.default,
    systems: Sequence[str] = (),
    **columns: Any,  # noqa: ANN401 - as `formats.read` takes them
) -> Systems:
    """Two systems from one file with both, or one for each.

    `names` are the names to use for the systems, `systems` the two of the file to compare; `columns` are those of
    `outscore.read`: item, system, score, cluster, repeat, slice, dataset.
    """
    from outscore.formats.readers import read_scores

    if systems and (len(systems) != 2 or systems[0] == systems[1]):
        chosen = ", ".join(f"`{name}`" for name in systems)
        raise OutscoreError(
            f"--system chose {chosen}, but two different systems are needed.", "Give --system twice.", parameter="system"
        )
    if len(paths) == 1:
        (systems_read,) = read_each(paths, partial(read_scores, format=format, systems=systems or None, gaps=True), columns)
        a, b, found = _from_one(systems_read, chosen=bool(systems))
    else:
        files = read_each(paths, partial(read_scores, format=format), columns)
        a, b, found = _from_two(files[0], files[1], systems, paths)
    return Systems((a, b), names or found)


def pair_of_tables(tables: Sequence[object], request: CompareRequest) -> Systems:
    """Dataframes in place of files: one with both systems, or one for each."""
    columns = request.columns()
    choice = Choice(**columns, systems=request.system if len(tables) == 1 else (), gaps=True)
    by_table = [systems_in(table, choice) for table in tables]
    if len(by_table) == 1:
        a, b, names = _from_one(by_table[0], chosen=bool(request.system))
    else:
        if not request.system:
            refuse_same_columns(*by_table)
        a, b = _choose_one(by_table[0], request.system, 0), _choose_one(by_table[1], request.system, 1)
        names = (a.name, b.name) if a.name != b.name else UNNAMED
    return Systems((a, b), request.names or names)


def _from_one(systems: list[Scores], *, chosen: bool) -> tuple[Scores, Scores, tuple[str, str]]:
    refuse_implausible(systems, chosen=chosen, item_named=True)
    if len(systems) == 2:
        return systems[0], systems[1], (systems[0].name, systems[1].name)
    label = systems[0].label
    if len(systems) > 2:
        raise OutscoreError(
            f"{label} contains {len(systems)} systems: {join_names([scores.name for scores in systems])}.",
            "Choose two of them: --system NAME --system NAME.",
            parameter="system",
        )
    if is_bare(systems[0].origin):
        raise OutscoreError(
            f"{label} has one column, so it contains the scores of one system only.",
            "Name the other system's file too, or give one file with two columns.",
        )
    hint = "Name the other system's file too, or use --system-column to name the column that contains the system names."
    columns = {} if systems[0].origin is None else systems[0].origin.columns
    if systems[0].of_classes:
        hint = "Its columns of probabilities are one system's, of each class one: name the other system's file too."
    elif "gold" in columns:
        (answer,), (gold,) = columns["answer"], columns["gold"]
        hint = f"`{answer}` was read as answers to `{gold}`: name the other system's file too"
        both = f"--system {shlex.quote(answer)} --system {shlex.quote(gold)}"
        # Words that are right answers are no scores.
        right = systems[0].gold
        hint += f", or write {both} if both are systems." if right is not None and all(map(is_number, right.names)) else "."
    raise OutscoreError(
        f"{label} contains the scores of one system only, `{systems[0].name}`.", hint, parameter="system_column"
    )


def _from_two(
    first: list[Scores], second: list[Scores], systems: Sequence[str] | None, paths: Sequence[str]
) -> tuple[Scores, Scores, tuple[str, str]]:
    if is_bare(first[0].origin) and is_bare(second[0].origin):
        a, b = _from_bare(first, second)
    else:
        if not systems:
            refuse_same_columns(first, second)
        a, b = _choose_one(first, systems, 0), _choose_one(second, systems, 1)
    by_path = distinct_names(paths)
    named = all(scores.origin is not None and "system" in scores.origin.columns for scores in (a, b))
    names = (a.name, b.name) if named and a.name != b.name else (by_path[0], by_path[1])
    for chosen, scores, name in zip(systems or (), (a, b), names, strict=False):
        if chosen not in (scores.name, name):
            raise OutscoreError(
                f"--system chose `{chosen}`, but {scores.label} contains one system, `{name}`.",
                "Name the systems in the order of their files, or leave --system out.",
                parameter="system",
            )
    return a, b, names


def _from_bare(first: list[Scores], second: list[Scores]) -> tuple[Scores, Scores]:
    """Two files of bare numbers: one score per line, or counts of right and wrong."""
    widths = {name: width for width, name in BARE_FORMATS.items()}
    left, right = (widths[file[0].origin.format] for file in (first, second) if file[0].origin is not None)
    if left != right or left == 4:
        raise OutscoreError(
            f"{first[0].label} has {columns_phrase(left)} and {second[0].label} has {columns_phrase(right)}.",
            "Give two files with one score per line, or two with the counts right,wrong, or one file with both systems.",
        )
    if first[0].rows != second[0].rows or left == 1:
        return first[0], second[0]
    return counts_of(first), counts_of(second)


def _choose_one(in_file: list[Scores], systems: Sequence[str] | None, place: int) -> Scores:
    """The only system of a file, or the one chosen for this position."""
    if len(in_file) == 1:
        return in_file[0]
    names = [scores.name for scores in in_file]
    if not systems:
        raise OutscoreError(
            f"{in_file[0].label} contains {len(in_file)} systems: {join_names(names)}.",
            "Choose one system from each file: --system NAME --system NAME.",
            parameter="system",
        )
    if systems[place] not in names:
        raise OutscoreError(f"{in_file[0].label} has no system `{systems[place]}`.", suggest_name(systems[place], names))
    return in_file[names.index(systems[place])]


# Many systems: each in its own file, or several in each.


def read_many(
    paths: Sequence[str],
    *,
    format: str,
    systems: Sequence[str] = (),
    names: Sequence[str] = (),
    columns: Mapping[str, Any],
) -> tuple[list[Scores], list[Note]]:
    """The systems of all files, and notes on how they were combined.

    Files with one system each are systems, named after their files. If files have several systems, those that share systems
    are datasets; otherwise they are parts of one leaderboard.
    """
    from outscore.formats.readers import read_scores

    wanted: dict[str, Any] = {"systems" if len(paths) == 1 else "among": tuple(dict.fromkeys(systems))}
    files = read_each(paths, partial(read_scores, format=format, gaps=True, **wanted), columns)
    notes: list[Note] = []
    if len(files) == 1:
        whole = _name_by_file(files[0], paths) if is_pattern(paths[0]) else files[0]
    elif all(len(file) == 1 for file in files) and not _share_names(files):
        whole = _name_by_file([file[0] for file in files], paths)
    elif _share_names(files):
        whole, notes = _by_dataset(files, paths)
    else:
        whole = [scores for file in files for scores in file]
    return chosen_systems(whole, systems, names), notes


def chosen_systems(read: list[Scores], systems: Sequence[str], names: Sequence[str]) -> list[Scores]:
    """The chosen systems under their new names, if any."""
    whole = _choose(read, systems)
    return rename(whole, _as_many(names, len(whole))) if names else whole


def files_by_system(paths: Sequence[str], names: Sequence[str], systems: Sequence[str], noun: str) -> dict[str, str]:
    """Files by the system they belong to, for inputs of one system per file."""
    if systems:
        raise OutscoreError(
            f"--system chooses from a table, but these are {noun}.", "Name only the files that you want.", parameter="system"
        )
    if len(paths) < 2:
        raise OutscoreError(
            f"{count(len(paths), 'system')} named, but at least two are needed.", f"Name the {noun} of each system."
        )
    system_names = _as_many(names, len(paths)) if names else distinct_names(paths)
    return dict(zip(system_names, paths, strict=True))


def _as_many(names: Sequence[str], wanted: int) -> Sequence[str]:
    if len(names) != wanted or len(set(names)) != wanted or not all(names):
        written = ",".join(names)
        raise OutscoreError(
            f'--names is "{written}", but {wanted} different names were expected.',
            "Separate the names with commas.",
            parameter="names",
        )
    return names


def _share_names(files: Sequence[Sequence[Scores]]) -> bool:
    """Whether a system appears in several files under the same name, other than the name of a file."""
    names = [scores.name for file in files for scores in file if not _is_called_after_its_file(scores, len(file))]
    return len(set(names)) < len(names)


def _is_called_after_its_file(scores: Scores, systems: int) -> bool:
    return systems == 1 and scores.origin is not None and scores.name == stem_of(scores.origin.path)


def _name_by_file(systems: Sequence[Scores], paths: Sequence[str]) -> list[Scores]:
    """Systems of one file each, under the name of the file unless the file contains a better one."""
    file_names = distinct_names(paths)
    names = [file_names[i] if _is_called_after_its_file(scores, 1) else scores.name for i, scores in enumerate(systems)]
    return rename(systems, names)


def _by_dataset(files: Sequence[Sequence[Scores]], paths: Sequence[str]) -> tuple[list[Scores], list[Note]]:
    """Systems combined from several files; rows without a dataset get one named after their file."""
    stems = distinct_names(paths)
    have_datasets = all(scores.datasets is not None for file in files for scores in file)
    parts: dict[str, list[Scores]] = {}
    for file, stem in zip(files, stems, strict=True):
        for scores in file:
            part = scores if have_datasets else replace(scores, datasets=same_label(stem, scores.rows))
            parts.setdefault(scores.name, []).append(part)
    notes = [] if have_datasets else [Note("reading", _as_datasets(files, stems))]
    return [join_scores(name, several) for name, several in parts.items()], notes


def _as_datasets(files: Sequence[Sequence[Scores]], stems: Sequence[str]) -> str:
    """How the files were read, and for Parquet files how they could be read as one dataset."""
    text = f"The same systems appear in {len(files)} files, so each file is a dataset: {join_names(stems)}"
    parquet = all(scores.origin is not None and scores.origin.format == "parquet" for file in files for scores in file)
    return f"{text}. If they are parts of one dataset, name their folder instead." if parquet else f"{text}."


def _choose(scores: list[Scores], systems: Sequence[str]) -> list[Scores]:
    if not systems:
        return scores
    by_name = {system.name: system for system in scores}
    for name in systems:
        if name not in by_name:
            raise OutscoreError(f"There is no system `{name}`.", suggest_name(name, by_name))
    return [by_name[name] for name in dict.fromkeys(systems)]


# Logs of evaluation harnesses.


def check_files(request: CompareRequest | RankRequest | ScoreRequest) -> bool:
    """Refuse whatever can be refused before files are read; whether they are logs, which have metrics of their own."""
    logs = asks_logs(request)
    asked = replace(request, metric=None) if logs else request
    if isinstance(asked, CompareRequest):
        asked.validate(logs=logs)
    else:
        asked.validate()
    return logs


def asks_logs(request: CompareRequest | RankRequest | ScoreRequest) -> bool:
    """Whether the files of a request are logs; options that do not apply to them are refused."""
    logs = request.qrels is not None or are_logs(request.files, request.reader)
    if not logs and request.reader == "auto":
        refuse_rankings(request)
        refuse_totals(request.files)
        # `rank` and `score` decide for themselves which folders of tables they read.
        refuse_folders(request.files, empty=request.command != "compare")
    if logs:
        request.refuse_outside(base.TABLES, log=label_of(request.files[0]))
    else:
        request.refuse_outside(base.LOGS)
    return logs


def refuse_rankings(request: CompareRequest | RankRequest | ScoreRequest) -> None:
    """Refuse a TREC run without judgements, with the command that has them."""
    for path in request.files:
        if is_ranking(path):
            judged = request.command_line(qrels="QRELS", metric=request.metric or "nDCG@10")
            message = f"{label_of(path)} is a TREC run, whose documents are not judged in it."
            raise OutscoreError(message, f"Name the file of judgements: `{judged}`.", parameter="qrels", file=path)


def log_question(request: CompareRequest | RankRequest | ScoreRequest) -> LogQuestion:
    """What a request wants from logs; `metric` is one of their scores."""
    if request.metric is not None and not isinstance(request.metric, str):
        raise OutscoreError("Logs already contain scores.", "Name one of their scores as the metric.", parameter="metric")
    if request.metric is not None and request.qrels is not None and "," in request.metric:
        names = [name.strip() for name in request.metric.split(",")]
        message = f"`{request.command}` takes one measure at a time, but --metric names {len(names)}."
        first = request.command_line(metric=names[0])
        raise OutscoreError(message, f"Write `{first}`; `outscore compare` takes several.", parameter="metric")
    slices = getattr(request, "slice", None)
    return LogQuestion(
        request.log_task,
        request.metric,
        request.filter,
        request.missing,
        force_same=request.force_same,
        cluster=request.cluster,
        slices=() if slices is None else (slices,),
        systems=tuple(request.system),
        answers=getattr(request, "reduce", None) == "majority",
        roster=request.roster,
        qrels=request.qrels,
    )


def _of_logs(request: CompareRequest | RankRequest | ScoreRequest, *, two: bool) -> Systems:
    """The systems of logs; without scores if the logs contain texts of two that have to be scored. Tasks are datasets."""
    format = request.reader if request.reader in LOGS else None
    found = read_systems(request.files, log_question(request), format=format, several=not isinstance(request, CompareRequest))
    if found.is_corpus and (not two or request.value("unpaired")):
        _refuse_corpus(found, two=two)
    called = [evaluations[0].system for evaluations in found.evaluations]
    if two:
        places, names = list(_two(called, request.system)), request.names
    else:
        chosen = chosen_systems(found.scores, request.system, ())
        places = [found.scores.index(one) for one in chosen]
        names = tuple(one.name for one in chosen_systems(chosen, (), request.names))
    names = names or tuple(called[place] for place in places)
    scores = () if found.is_corpus else tuple(found.scores[place] for place in places)
    logs = [found.evaluations[place] for place in places] if two else found.evaluations
    files = list(dict.fromkeys(origin for several in logs for one in several for origin in one.origins))
    if scores:
        columns = origins_of(scores)[0].columns
        files = [replace(origin, columns=columns) for origin in files]
    missing = {name: found.missing.get(called[place]) for name, place in zip(names, places, strict=True)}
    return Systems(
        scores,
        names,
        files,
        notes=found.notes,
        better=better_of(found.higher_is_better),
        missing=[replace(one, system=name) for name, one in missing.items() if one is not None],
        evaluations=tuple(found.evaluations[place][0] for place in places),
        corpus=found.measure if found.is_corpus else "",
    )


def _refuse_corpus(found: LogSystems, *, two: bool) -> NoReturn:
    """Refuse logs that score the whole corpus where each item needs a score."""
    if two:
        raise OutscoreError(
            "--unpaired compares means of item scores, but these logs score the whole corpus.",
            "Leave --unpaired out.",
            parameter="unpaired",
        )
    raise OutscoreError(
        f"`{found.measure}` scores the whole corpus, so the logs contain texts instead of a score per item.",
        "Compare two systems with `outscore compare`, which scores their texts itself, or choose another score.",
        parameter="metric",
    )


def better_of(higher: bool | None) -> Better | None:  # noqa: FBT001 - what the log says, if anything
    """The direction that logs state."""
    if higher is None:
        return None
    return "higher" if higher else "lower"


def _two(names: Sequence[str], chosen: Sequence[str]) -> tuple[int, int]:
    """The indices of the two systems to compare."""
    if chosen:
        if len(chosen) != 2 or chosen[0] == chosen[1]:
            raise OutscoreError("--system must name two different systems.", "Give --system twice.", parameter="system")
        return names.index(chosen[0]), names.index(chosen[1])
    if len(names) > 2:
        raise OutscoreError(
            f"The logs contain {len(names)} systems: {join_names(list(names))}.",
            "Choose two of them: --system NAME --system NAME; `outscore rank` compares them all.",
            parameter="system",
        )
    if len(names) < 2:
        raise OutscoreError(
            f"The logs contain one system only, `{names[0]}`.", "Name the logs of the other system too.", parameter="files"
        )
    return 0, 1


def with_exchanges(items: Sequence[DecidingItem], pair: tuple[Evaluation, ...]) -> list[DecidingItem]:
    """Items with the question and both answers, read again from the logs; clusters and units stay as they are."""
    texts = [exchanges_of(evaluation, [item.item for item in items]) for evaluation in pair]
    completed = []
    for item in items:
        first, second = (one.get(item.item) for one in texts)
        exchange = next((one for one in (first, second) if one is not None), None)
        if exchange is None:
            completed.append(item)
            continue
        answers = (None if first is None else first.answer, None if second is None else second.answer)
        completed.append(replace(item, question=exchange.question, target=exchange.target, answers=answers))
    return completed


def exchanges_of(evaluation: Evaluation, wanted: Sequence[str]) -> dict[str, Exchange]:
    """Question and answer by item; the first if there are several runs."""
    if evaluation.exchanges is None:
        return {}
    rows = {item: row for row, item in reversed(list(enumerate(evaluation.ids.texts())))}
    known = [item for item in wanted if item in rows]
    return dict(zip(known, evaluation.exchanges([rows[item] for item in known]), strict=True)) if known else {}
