"""Reading a file by its path: the scores of its systems, or outputs, which `diff` compares with gold."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence
from dataclasses import fields
from typing import Any, Unpack, cast

from outscore.core.errors import OutscoreError
from outscore.core.options import did_you_mean
from outscore.formats import conllu, coreference, json_outputs, words
from outscore.formats.base.entry import Choice, FormatEntry
from outscore.formats.base.pipes import reading_once
from outscore.formats.base.source import Peek, Source, open_source, shorten
from outscore.formats.coreference import chains_of
from outscore.formats.json_outputs import is_json
from outscore.formats.logs.choose import LogQuestion
from outscore.formats.logs.find import are_logs, refuse_folders
from outscore.formats.logs.registry import LOGS
from outscore.formats.logs.scores import read_systems
from outscore.formats.registry import FORMATS, OUTPUT_FORMATS, TABLES, detect, refuse_formats
from outscore.formats.tables import numbers
from outscore.formats.tables.assemble import open_table
from outscore.formats.tables.cells import is_name
from outscore.formats.tables.labels import LabelOptions, items_of
from outscore.outputs.model import Chains, Items, Outputs, Words
from outscore.scores.system import Scores, label_of

WORD_FORMATS = tuple(name for name, entry in OUTPUT_FORMATS.items() if entry.unit == "words")


@reading_once()
def read(
    path: str | os.PathLike[str],
    *,
    format: str = "auto",
    item: str | None = None,
    system: str | None = None,
    score: str | Sequence[str] | None = None,
    cluster: str | None = None,
    repeat: str | None = None,
    slice: str | Sequence[str] | None = None,
    dataset: str | None = None,
    systems: Sequence[str] | None = None,
    gaps: bool = False,
    gold: str | None = None,
    prediction: str | None = None,
    metric: str | None = None,
    filter: str | None = None,  # noqa: A002 - what harnesses call it
    log_task: str | None = None,
    missing: str | None = None,
    force_same: bool = False,
) -> list[Scores] | Outputs:
    r"""Read one file: the scores of its systems, or outputs, which `diff` compares with gold.

    ``-`` is standard input, and files compressed with gzip, bzip2, xz or zstd are unpacked. CoNLL-U and
    CoNLL-2012 are recognised as outputs, and so are words in columns with sentences apart or entity tags, and
    tables of answers without a column of numbers; other tables of answers (predictions 0 and 1, Parquet) are
    read as such if `format` is ``"labels"``.

    Parameters
    ----------
    path
        The file.
    format
        A name that `outscore formats` lists, or ``"auto"`` to recognise it from the content.
    item, system, score, cluster, repeat, slice, dataset
        Columns of a table. Those left out are recognised by their usual names (question_id, model, score,
        epoch...). Several scores make counts, several slices are all kept. The cluster ``"none"`` leaves a
        column with a usual name alone. Of outputs, only a table of labels has columns to name: item, cluster
        and slice.
    systems
        Which systems to read, in this order; otherwise all.
    gaps
        Read an empty cell of a table with a column per system as an item that the system lacks, instead of
        refusing it.

    metric, filter, log_task, missing, force_same
        Of logs of evaluation harnesses, files or folders: which score, filter and task; whether rows without a score
        ``"stop"`` the reading, are ``"drop"``ped or count as ``"zero"``, as those of tables can; and whether logs that
        differ are read nevertheless. Several tasks are datasets.
    gold, prediction
        Columns of the right answers and of a system's answers: an item scores 1 where they are equal. Recognised by
        their usual names where a table has no column of scores.

    Returns
    -------
    list[Scores] or Words, Items or Chains
        The scores of each system; or the outputs, if the file holds words, labels or coreference chains.

    Raises
    ------
    OutscoreError
        If the file cannot be read; `file` and `line` say where, if that is known.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "scores.csv")
    ...     _ = path.write_text("question_id,new,old\nq1,1,0\nq2,1,1\n")
    ...     new, old = read(path)
    >>> new.name, new.values.tolist(), new.ids.names, old.values.tolist()
    ('new', [1, 1], ('q1', 'q2'), [0, 1])
    """
    _check_format(format, [*FORMATS, *OUTPUT_FORMATS, *LOGS])
    if are_logs([path], format):
        columns = {"item": item, "system": system, "score": score, "repeat": repeat, "dataset": dataset}
        _refuse_given(path, logs=True, **columns, gold=gold, prediction=prediction)
        question = LogQuestion(
            log_task,
            metric,
            filter,
            missing,
            force_same=force_same,
            cluster=cluster,
            slices=_as_tuple(slice),
            systems=_as_tuple(systems),
        )
        return read_systems([path], question, format=None if format == "auto" else format, several=True).scores
    _refuse_given(path, logs=False, metric=metric, filter=filter, log_task=log_task)
    choice = Choice(
        item,
        system,
        _as_tuple(score),
        cluster,
        repeat,
        _as_tuple(slice),
        dataset,
        _as_tuple(systems),
        gaps,
        gold=gold,
        prediction=prediction,
        drop=missing == "drop",
        fill=0.0 if missing == "zero" else None,
    )
    return _read_file(path, choice, format)


def _read_file(path: str | os.PathLike[str], choice: Choice, format: str) -> list[Scores] | Outputs:
    """What a file other than a log holds."""
    if format == "auto":
        refuse_folders([path])
    with open_source(path, columns=choice.columns) as source:
        if format in OUTPUT_FORMATS:
            return _read_outputs(source, choice, OUTPUT_FORMATS[format])
        if format in FORMATS:
            return FORMATS[format].read(source, choice)
        entry = detect(source, choice)
        if entry is not None and entry.holds == "outputs":
            return _read_outputs(source, choice, entry)
        return _read_scores(source, choice, entry)


def _refuse_given(path: str | os.PathLike[str], *, logs: bool, **options: object) -> None:
    """Refuse parameters that mean nothing for what the file is."""
    kinds = ("tables", "a log of an evaluation harness") if logs else ("logs of evaluation harnesses", "none")
    for name, value in options.items():
        if value is not None:
            raise OutscoreError(
                f"`{name}` is for {kinds[0]}, but {label_of(os.fspath(path))} is {kinds[1]}.",
                f"Leave `{name}` out, or say what the file is with `format`.",
                parameter=name,
            )


def read_scores(
    path: str | os.PathLike[str],
    *,
    format: str = "auto",
    score: str | Sequence[str] | None = None,
    slice: str | Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    **columns: Any,  # noqa: ANN401 - as `read` takes them
) -> list[Scores]:
    """`read` for callers that need scores: outputs are refused."""
    if format in OUTPUT_FORMATS:
        raise OutscoreError(
            f"`{format}` is a format of outputs, but scores were expected.", "Compare outputs with `outscore diff`."
        )
    _check_format(format, FORMATS)
    choice = Choice(score=_as_tuple(score), slice=_as_tuple(slice), systems=_as_tuple(systems), **columns)
    with open_source(path, columns=choice.columns) as source:
        if format != "auto":
            return cast("list[Scores]", FORMATS[format].read(source, choice))
        return _read_scores(source, choice, detect(source, choice, "scores"))


def _read_scores(source: Source, choice: Choice, entry: FormatEntry | None) -> list[Scores]:
    if entry is None:
        _refuse_other_outputs(source)
        _refuse_text(source)
        # Nearly numbers: the reader of any number of columns knows best which line is wrong.
        return numbers.systems_of(numbers.read_numbers(source), choice)
    if entry.name in numbers.BARE_FORMATS.values() and choice.names_columns:
        raise OutscoreError(
            f"{source.label} contains only numbers, so no column can be named.",
            "Leave the names of columns out, or give the file a header with separators.",
        )
    return cast("list[Scores]", entry.read(source, choice))


def _read_outputs(source: Source, choice: Choice, entry: FormatEntry) -> Outputs:
    # Of all outputs, only tables of items have columns that can be named.
    heeded = Choice(item=choice.item, cluster=choice.cluster, slice=choice.slice) if entry.unit == "items" else Choice()
    for field in fields(choice):
        if getattr(choice, field.name) != getattr(heeded, field.name):
            raise OutscoreError(f"{source.label} is read as {entry.title}, but `{field.name}` is for scores.", "Leave it out.")
    refuse_formats(source, entry.refuses, entry.expected)
    return cast("Outputs", entry.read(source, choice))


def _refuse_other_outputs(peek: Peek) -> None:
    """Refuse words, trees or chains where scores were expected, with the command that compares them."""
    entry = detect(peek, holds="outputs")
    if entry is not None:
        raise OutscoreError(
            f"{peek.label} is {entry.title}, but scores were expected.",
            "Outputs are compared with the right answers: `outscore diff --task TASK GOLD SYSTEM SYSTEM`.",
            parameter="files",
        )


def _refuse_text(peek: Peek) -> None:
    """Refuse a file in which every line holds words: no single line is wrong, so the error lists the formats considered."""
    filled = peek.filled
    if len(filled) < 2 or not all(any(map(is_name, re.split(r"[\s,;]+", line.strip()))) for line in filled):
        return
    raise OutscoreError(
        f'{peek.label} is in none of the formats {", ".join(FORMATS)}: it begins "{shorten(filled[0])}".',
        "Name the format with --reader (reader=..., or format=... of osc.read, in Python), or give numbers below an optional"
        " header line; texts are scored against --reference FILE.",
        parameter="reader",
    )


def _check_format(format: str, known: Collection[str]) -> None:
    if format != "auto" and format not in known:
        raise OutscoreError(f"There is no format `{format}`.", did_you_mean(format, [*known, "auto"]))


def _as_tuple(value: str | Sequence[str] | None) -> tuple[str, ...]:
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(value)


def read_words(
    path: str | os.PathLike[str],
    name: str | None = None,
    *,
    format: str = "auto",
    columns: Sequence[str] = conllu.DEFAULT,
    layout: Sequence[str] | None = None,
) -> Words:
    r"""Read words with their tags, from CoNLL-U or plain columns.

    Parameters
    ----------
    path
        The file; ``-`` is standard input.
    name
        The name of the system; by default that of the file.
    format
        One of `WORD_FORMATS`, or ``"auto"`` to recognise it.
    columns
        The columns of a CoNLL-U file to read, as far as it has them; plain files are read whole.
    layout
        The names of the columns of a plain file, in order: ``word``, and ``tag``, ``upos``, ``head``, ``deprel``...; ``_`` for
        columns that are not needed.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "new.tsv")
    ...     _ = path.write_text("It\tPRON\nworks\tVERB\n")
    ...     words = read_words(path)
    >>> words.name, words.origin.format, words.columns["tag"].names
    ('new', 'word-columns', ('PRON', 'VERB'))
    """
    if format not in ("auto", *WORD_FORMATS):
        raise OutscoreError(f"There is no format of words `{format}`.", did_you_mean(format, ["auto", *WORD_FORMATS]))
    with open_source(path) as source:
        if format == json_outputs.WORDS or (format == "auto" and is_json(source)):
            return json_outputs.words_of(source, name)
        refuse_formats(source, ("conll2012", *TABLES), "words with their tags were")
        tagged = format == "auto" and layout is None and words.looks_like_tagged_lines(source)
        if tagged or format == words.TAGGED_LINES:
            return words.words_of_tagged_lines(source, name)
        if format == "conllu" or (format == "auto" and layout is None and _is_conllu(source)):
            return conllu.words_of(source, name, [column for column in columns if column in conllu.COLUMNS])
        return words.words_of(source, layout, name)


def has_column(path: str | os.PathLike[str], name: str) -> bool:
    """Whether a file is a table with a column of this name."""
    with open_source(path) as source:
        entry = detect(source)
        if entry is None or entry.name not in (*TABLES, "tsv", "labels"):
            return False
        try:
            return name in open_table(source)[1].columns
        except OutscoreError:
            return False


def first_tags(path: str | os.PathLike[str]) -> tuple[set[str], set[str]] | None:
    """The fields of the last two columns, where a file of words begins; None unless it has three plain columns or more."""
    with open_source(path) as source:
        if is_json(source) or _is_conllu(source):
            return None
        rows = words.first_rows_of(source)
    if not rows or min(map(len, rows)) < 3:
        return None
    return {row[-2] for row in rows}, {row[-1] for row in rows}


def _is_conllu(peek: Peek) -> bool:
    """Whether the first word or the name of the file says so: in the latter case the reader explains what is wrong."""
    return conllu.looks_like_conllu(peek) or peek.suffix in (".conllu", ".conll-u")


def read_chains(path: str | os.PathLike[str], *, repair: bool = False, predicted: bool = False) -> Chains:
    r"""Read mentions and chains from CoNLL-2012, CorefUD or JSON lines; ``-`` is standard input, compressed files are unpacked.

    Parameters
    ----------
    path
        The file.
    repair
        Keep the first of several equal mentions, instead of refusing a file that lists a mention twice.
    predicted
        Of JSON lines with chains of gold and of a system, read those of the system.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "gold.conll")
    ...     _ = path.write_text("#begin document (a); part 000\na 0 0 The DT (3\na 0 1 mayor NN 3)\n#end document\n")
    ...     gold = read_chains(path)
    >>> gold.documents.names, gold.starts.tolist(), gold.ends.tolist(), gold.words.columns["pos"][1]
    (('a; part 000',), [0], [1], 'NN')
    """
    entry = OUTPUT_FORMATS["conll2012"]
    with open_source(path) as source:
        if is_json(source):
            return json_outputs.chains_of(source, predicted=predicted)
        if coreference.looks_like_corefud(source):
            return coreference.chains_of_corefud(source, repair=repair)
        refuse_formats(source, entry.refuses, entry.expected)
        return chains_of(source, repair=repair)


def read_labels(path: str | os.PathLike[str], name: str | None = None, **options: Unpack[LabelOptions]) -> Items:
    r"""Read a table with a label per item; ``-`` is standard input, and compressed files are unpacked.

    `name` is the name of the system, by default that of the file; `LabelOptions` lists the options.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "new.csv")
    ...     _ = path.write_text("id,label,prediction,topic\nq1,yes,yes,law\nq2,no,,law\nq3,no,yes,art\nq4,no,no,art\n")
    ...     items = read_labels(path)
    >>> items.answers.names, items.gold.names, items.slices["topic"].names, items.ids[1]
    (('yes', '(none)', 'no'), ('yes', 'no'), ('law', 'art'), 'q2')
    """
    entry = OUTPUT_FORMATS["labels"]
    with open_source(path) as source:
        refuse_formats(source, entry.refuses, entry.expected)
        return items_of(source, name, **options)
