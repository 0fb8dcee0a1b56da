"""The metrics of one family, computed or read, and the score of every segment by each, for a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import NoReturn

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.options import OptionValue, written_direction
from outscore.core.records import dataclass
from outscore.formats.base.source import runs_in
from outscore.formats.segments import read_segment_scores
from outscore.formats.tables.measures import counts_errors
from outscore.language.numbers import count
from outscore.metrics.text.entry import Doubt, TextMetric, segment_mean, to_rows, version
from outscore.metrics.text.registry import shown_name
from outscore.metrics.text.sacre import AUTO, TOKENIZE
from outscore.results.files import check_further, csv_text
from outscore.results.note import Note
from outscore.scores.panel import Panel
from outscore.scores.system import Origin
from outscore.workflows.reading import Better, resolve_direction, scale_notes
from outscore.workflows.texts.checks import chosen_metrics, tokeniser_of
from outscore.workflows.texts.inputs import DATASET, fill
from outscore.workflows.texts.labels import ONE, Datasets, mean_of_runs, panels_of_runs
from outscore.workflows.texts.statistics import Statistics, Texts, options_of, signature_of

# The metrics of one family: computed from texts, or read from files of segment scores that another tool wrote.


BOTH: tuple[Better, Better] = ("lower", "higher")


WHY = {
    "given": "as requested",
    "data": "because no score is above 0, so that they do not count errors",
    "column": "as its name says",
    "default": "by default",
}
"""Where the direction of a metric comes from."""


@dataclass(frozen=True, eq=False)
class Member:
    """One metric of the family: its label and signature, and the rows of every run by system.

    `parts` turns summed rows into the components of the score, if the metric has any, and `segment_metric` scores the row of a
    single segment if that needs another rule. `notes` say what was decided about the metric.
    """

    label: str
    metric: AdditiveMetric
    signature: str
    rows: Mapping[str, Sequence[Array]]
    parts: Callable[[Array], dict[str, float]] | None = None
    segment_metric: AdditiveMetric | None = None
    notes: Sequence[Note] = ()

    def panels(self, texts: Texts) -> list[Panel]:
        """A panel of all systems for each dataset."""
        return panels_of_runs(self.metric, self.rows, texts.documents, texts.datasets)

    def parts_of(self, datasets: Datasets = ONE) -> dict[str, list[float]]:
        """The components of all systems' scores by name: means over datasets and runs."""
        if self.parts is None:
            return {}
        components: dict[str, list[float]] = {}
        for runs in self.rows.values():
            each = [self.parts(rows.sum(axis=0)) for run in runs for rows in datasets.cut(run)]
            for name in each[0]:
                components.setdefault(name, []).append(float(np.mean([parts[name] for parts in each])))
        return components


def members_of(
    texts: Texts,
    metrics: Sequence[str],
    scores: Mapping[str, str],
    statistics: Statistics,
    command: Callable[[Mapping[str, str]], str] | None = None,
) -> tuple[list[Member], list[Origin]]:
    """The family of `metrics` as written and of `scores` of segments by other tools, and the files of these.

    `command` writes the same command with other `scores`.

    Examples
    --------
    >>> from outscore.engine.engines import SERIAL
    >>> from outscore.engine.progress import Progress
    >>> from outscore.metrics.cache import StatisticsCache
    >>> from outscore.workflows.texts.statistics import texts_given
    >>> gold = ["the cat sat", "it was late"]
    >>> texts = texts_given({"A": ["the cat sat", "it was late"], "B": ["a cat", "it late"]}, [gold])
    >>> (ter,), _ = members_of(texts, ["ter"], {}, Statistics(SERIAL, StatisticsCache(None), Progress()))
    >>> ter.panels(texts)[0].rows[..., 0].tolist()
    [[0, 0], [2, 1]]
    """
    # Files of scores can be refused before anything is computed.
    scored, origins = _scored_members(texts, scores, command)
    return [*_text_members(texts, metrics, statistics), *scored], origins


def _text_members(texts: Texts, metrics: Sequence[str], statistics: Statistics) -> list[Member]:
    """The metrics computed from the runs of systems; files or names of datasets may say the language."""
    members, datasets = [], texts.datasets
    for spec, (entry, given) in zip(metrics, chosen_metrics(metrics), strict=True):
        options, said = _with_tokeniser(shown_name(spec), given, datasets, texts.origins)
        score = partial(_rows_by_system, entry, options, texts, statistics)
        rows, notes = score(), said
        doubt = statistics.doubt_about(entry, options, datasets)
        if doubt is not None:
            # A doubt about one system is a doubt about all: the library counts for each of them.
            rows, notes = score(), [*said, Note("method", _library_note(shown_name(spec), entry, doubt))]
        parts = None if entry.parts is None else partial(entry.parts, options)
        alone = entry.make({**options, **entry.alone})
        signature = signature_of(entry, options, texts.references)
        members.append(Member(shown_name(spec), entry.make(options), signature, rows, parts, alone, notes))
    return members


def _with_tokeniser(
    label: str, options: Mapping[str, OptionValue], datasets: Datasets, origins: Sequence[Origin]
) -> tuple[Mapping[str, OptionValue], list[Note]]:
    """The options with the tokeniser that names call for, and which it is; test sets of several languages keep ``auto``."""
    if options.get("tokenize") != AUTO:
        return options, []
    if not datasets:
        found = tokeniser_of([name for one in origins for name in one.columns.get("language", (one.path,))])
        reason = "the files or their names say the language"
        if found is None:
            reason = f"neither the files nor their names say one language, so {TOKENIZE.default} is taken"
        tokeniser = found or TOKENIZE.default
        return {**options, "tokenize": tokeniser}, [Note("reading", f"{label} is tokenised by {tokeniser}: {reason}.")]
    each = {name: str(options_of(options, name)["tokenize"]) for name in datasets.rows}
    said = [Note("reading", f"{label} is tokenised by the names of the test sets: {', '.join(map(' '.join, each.items()))}.")]
    (first, *others) = set(each.values())
    return (options if others else {**options, "tokenize": first}), said


def _rows_by_system(
    entry: TextMetric, options: Mapping[str, OptionValue], texts: Texts, statistics: Statistics
) -> dict[str, list[Array]]:
    statistics.begin(entry, [run for runs in texts.systems.values() for run in runs], texts.datasets)
    return {
        name: [statistics.by_dataset(entry, options, run, texts.references, texts.datasets) for run in runs]
        for name, runs in texts.systems.items()
    }


def _library_note(label: str, entry: TextMetric, doubt: Doubt) -> str:
    library = f"{entry.library} {version(entry.library, entry.name)}"
    return (
        f"The statistics of {label} are those of {library} itself for all segments, which takes longer, because it says "
        f"{doubt.theirs:.6g} for {doubt.where} and the faster way of outscore {doubt.ours:.6g}."
    )


def _scored_members(
    texts: Texts, scores: Mapping[str, str], command: Callable[[Mapping[str, str]], str] | None
) -> tuple[list[Member], list[Origin]]:
    """The metrics of `scores`, and the files: for each metric one file per system, or one that contains all systems."""
    runs = {name: len(several) for name, several in texts.systems.items()}
    members, origins = [], []
    for written, files in scores.items():
        name, asked = written_direction(written)
        named = [file.strip() for file in files.split(",") if file.strip()]
        if len(named) not in (1, len(runs)):
            message = f"--scores {written} names {count(len(named), 'file')}, but there are {len(runs)} systems."
            cure = f"Name a file for each system, --scores {written}={','.join(runs)}, or one that contains all systems."
            raise OutscoreError(message, cure, parameter="scores")
        rows: dict[str, list[Array]] = {}
        for system, file in zip(runs, named * len(runs) if len(named) == 1 else named, strict=True):
            read = partial(read_segment_scores, metric=name, system=system, several=len(named) == 1)
            tables = _read_runs(read, file, texts, partial(_paths_of, system, runs[system], written))
            rows[system] = [to_rows(values) for values, _ in tables]
            origins += [origin for _, files_of_run in tables for origin in files_of_run]
        columns = [np.concatenate([values[:, 0] for values in several]) for several in rows.values()]
        try:
            better = resolve_direction("mean", asked or "auto", [name], scores=columns)
        except OutscoreError:
            choices = {
                better: {f"{name}({better})" if one == written else one: files for one, files in scores.items()}
                for better in BOTH
            }
            _ask_direction(name, choices, command)
        direction = better.better
        signature = f"{name}|scores:{','.join(named)}|mean:segments"
        told = f"{direction.capitalize()} is better for {name}, {WHY[better.source]}"
        if name == written:
            other = next(one for one in BOTH if one != direction)
            told += f"; --scores '{name}({other})=...' overrides this"
        # What is against the name may surprise.
        turned = direction == "higher" and counts_errors(name)
        notes = [Note("reading" if turned else "input", f"{told}."), *scale_notes(list(rows), columns, name)]
        members.append(Member(name, segment_mean(name, direction, graded=True), signature, rows, notes=notes))
    return members, list(dict.fromkeys(origins))


def _ask_direction(
    name: str, choices: Mapping[Better, Mapping[str, str]], command: Callable[[Mapping[str, str]], str] | None
) -> NoReturn:
    ways = (f"`{name}({better})`" if command is None else f"`{command(scores)}`" for better, scores in choices.items())
    raise OutscoreError(
        f"It is not clear from the name `{name}` or its scores whether lower or higher scores are better.",
        f"Say which: {' or '.join(ways)}.",
        parameter="scores",
    )


def _paths_of(system: str, runs: int, written: str, file: str) -> list[str]:
    """The files of all runs of a system."""
    paths = runs_in(file)
    if len(paths) != runs:
        matched = f"`{file}` matches {count(len(paths), 'file')}"
        message = f"--scores {written}: {matched}, but `{system}` has {count(runs, 'run')}."
        raise OutscoreError(message, "Give a file of scores for each run.", parameter="scores")
    return paths


def _read_runs(
    read: Callable[..., tuple[list[float], Origin]],
    file: str,
    texts: Texts,
    paths_of: Callable[[str], list[str]],
) -> list[tuple[list[float], list[Origin]]]:
    """The scores of every run of a system, and the files they come from; each dataset may have its own."""
    segments, datasets = len(texts), texts.datasets
    if not (datasets and DATASET in file):
        found = (read(path, segments=segments) for path in paths_of(file))
        return [(values, [origin]) for values, origin in found]
    runs = []
    for paths in zip(*(paths_of(fill(file, dataset)) for dataset in datasets.rows), strict=True):
        joined, origins = np.zeros(segments), []
        for rows, path in zip(datasets.rows.values(), paths, strict=True):
            joined[rows], origin = read(path, segments=len(rows))
            origins.append(origin)
        runs.append((joined.tolist(), origins))
    return runs


# The score of every segment, for a file: the numbers behind corpus scores, means and tests.


def check_segments(path: str | None, inputs: Iterable[str], *, texts: bool) -> None:
    """Refuse a file of segment scores that cannot be written, or that is asked for without texts."""
    if path is None:
        return
    if not texts:
        raise OutscoreError(
            "--segments is for texts, but no --reference was named.", "Leave --segments out.", parameter="segments"
        )
    check_further(path, inputs, option="--segments", ending=".csv", holds="a table of segment scores")


def segment_scores(members: Sequence[Member], texts: Texts, *, influence: bool = False) -> str:
    """The scores of segments by every metric as CSV, a row each, with all digits.

    They are means over runs, and for two systems there is the influence of each segment on the difference.

    Examples
    --------
    >>> from outscore.metrics.text.entry import segment_mean, to_rows
    >>> comet = Member("COMET", segment_mean("COMET"), "", {"new": [to_rows([0.9, 0.5])], "old": [to_rows([0.8, 0.75])]})
    >>> print(segment_scores([comet], Texts({}, [("a", "b")])))
    segment,COMET: new,COMET: old
    segment 1,0.9,0.8
    segment 2,0.5,0.75
    <BLANKLINE>
    """
    datasets = texts.datasets
    columns: dict[str, Sequence[object]] = {"segment": datasets.segment_names(len(texts))}
    if datasets:
        columns["dataset"] = datasets.labels
    if texts.documents is not None:
        columns["document"] = list(map(str, texts.documents))
    for member in members:
        score = (member.segment_metric or member.metric).score
        for system, runs in member.rows.items():
            columns[f"{member.label}: {system}"] = np.mean([score(rows) for rows in runs], axis=0).tolist()
        if influence:
            (a, b), together = mean_of_runs(member.metric, list(member.rows.values()))
            columns[f"{member.label}: influence"] = datasets.pull(a, b, together).tolist()
    return csv_text(tuple(columns), [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)])
