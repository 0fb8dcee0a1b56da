"""What a file is and how it would be read: its format, first rows, the parts of its columns and why, its systems, and its uses.

`outscore show` and the page describe files alike. The format itself is the answer of `formats.detect`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from outscore.core.errors import OutscoreError
from outscore.core.records import count_of, dataclass
from outscore.formats.base.source import PACKED, Peek, is_result, open_source, shorten
from outscore.formats.battles.read import is_battles, read_battles
from outscore.formats.logs.find import refuse_totals
from outscore.formats.readers import read_chains, read_labels, read_scores, read_words
from outscore.formats.registry import alternatives, certain_format, detect
from outscore.formats.segments import read_segments
from outscore.formats.tables.assemble import open_table
from outscore.formats.tables.cells import DECIMAL_POINT, is_missing, is_name, looks_numeric
from outscore.formats.tables.measures import is_measure
from outscore.formats.tables.names import BESIDE_PREDICTED, EITHER, PREDICTED, RIGHT, SLICES, USUAL, normalize_name
from outscore.formats.tables.numbers import is_bare
from outscore.language.lines import reading_line
from outscore.language.verdict.preference import battle_reading_line
from outscore.outputs.model import LABEL_LINES
from outscore.results.comparison import Comparison, Comparisons, SystemScore
from outscore.results.diff import Diff
from outscore.results.gate import GateResult
from outscore.results.logs import Logs, ShownColumn
from outscore.results.plan import PossibleTable
from outscore.results.preference import Preference
from outscore.results.ranking import Ranking
from outscore.results.saved import Saved, parse
from outscore.results.score import ScoreResult
from outscore.scores.system import Origin, Scores, label_of
from outscore.workflows.prefer.inputs import reading_of_battles
from outscore.workflows.reading import reading_of, resolve_direction, score_names
from outscore.workflows.requests.settings_file import LARGEST_SAVED

ROWS, WIDTH = 10, 60
MAX_SYSTEMS = 500
SCORES = ["compare", "rank", "plan", "score", "gate"]
CONLLU = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
MAX_LISTED = 3
FEW = 3
"""Each label of labels without ids occurs as often as this on average; words of a text do not."""
AS_LINES = "Write one JSON object per line, with the id and the score of an item, or a table."
# Tools by keys that only their files have, what the file is, and where to find scores of items.
TOOLS: tuple[tuple[set[str], str, str], ...] = (
    ({"eval", "plan"}, "a log of Inspect, whose samples are not a table", AS_LINES),
    (
        {"results", "n-shot"},
        "a summary by the Language Model Evaluation Harness, without scores of items",
        "Drop its files samples_….jsonl instead, which `--log_samples` writes.",
    ),
    ({"instance_id", "stats"}, "written by HELM, whose instances are not a table", AS_LINES),
    ({"scenario_spec", "adapter_spec"}, "written by HELM, without scores of items", AS_LINES),
    (
        {"name", "count", "sum", "sum_squared"},
        "the totals of a run by HELM, without scores of items",
        "Give its per_instance_stats.json instead.",
    ),
)


@dataclass(frozen=True)
class FileDescription:
    """What is known about a file.

    `suits` are the views it can be used in and `task` is what a diff would take it for; `problem` says why it cannot be used
    as it is, `empty` counts cells without a score, and `reading` says what its columns were taken to mean. Of a log, `tasks`,
    `scores` and `filters` are what it holds; a `companion` belongs to the logs it came with and is no input by itself. A table
    or log that is `whole` holds the right answers and those of several systems, and needs no other file for a diff.
    """

    format: str | None
    rows: int | None = None
    columns: Sequence[ShownColumn] = ()
    systems: Sequence[str] = ()
    head: Sequence[Sequence[str]] = ()
    suits: Sequence[str] = ()
    problem: str | None = None
    empty: int = 0
    task: str | None = None
    reading: str | None = None
    tasks: Sequence[str] = ()
    scores: Sequence[str] = ()
    filters: Sequence[str] = ()
    companion: bool = False
    whole: bool = False


Preview = tuple[list[ShownColumn], list[list[str]]]
"""The columns of a table, and its first rows."""


def listed(noun: str, names: Sequence[str]) -> str:
    """A few names in full, or their number."""
    if len(names) > MAX_LISTED:
        return count_of(len(names), noun)
    return f"{noun if len(names) == 1 else noun + 's'} {' and '.join(f'`{name}`' for name in names)}"


def describe(path: Path) -> FileDescription:
    r"""What a file other than a log is, as far as it can be read.

    Examples
    --------
    >>> import contextlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
    ...     _ = Path("runs.csv").write_text("query_id,wer\nq1,0.5\nq2,1\n")
    ...     found = describe(Path("runs.csv"))
    >>> [(column.part, column.name, column.example, column.why) for column in found.columns]
    [('item', 'query_id', 'q1', 'no value occurs twice'), ('score', 'wer', '0.5', 'a usual name')]
    """
    refuse_totals([path])
    with open_source(path) as source:
        peek = source
    entry = certain_format(peek)
    lines = [line.rstrip("\r\n") for line in peek.head]
    if entry is not None and entry.holds == "outputs":
        # What is certainly CoNLL-U may be CorefUD besides.
        chains = detect(peek, holds="outputs")
        return _chains(path, lines) if chains is not None and chains.unit == "chains" else _words(path, lines)
    if (answers := _answers(path, peek)) is not None:
        return answers
    if (result := _result(path, peek)) is not None:
        return result
    if (battles := _battles(path)) is not None:
        return battles
    try:
        return _scores(path)
    except OutscoreError as refusal:
        return _labels(path, only=refusal.line is None) or _ambiguous(path, refusal) or _other(path, peek, refusal)


def _battles(path: Path) -> FileDescription | None:
    """Battles between systems; None where the columns do not say so."""
    if not is_battles(str(path)):
        return None
    battles = read_battles([path])
    (origin,) = battles.origins
    columns, head = _table(path, origin.columns, ())
    facts = reading_of_battles(battles.origins)
    return FileDescription(
        origin.format,
        origin.rows,
        columns,
        battles.systems[:MAX_SYSTEMS],
        head,
        ["prefer"],
        reading=battle_reading_line(facts),
    )


def _scores(path: Path) -> FileDescription:
    gaps = False
    try:
        systems = read_scores(path)
    except OutscoreError:
        # Where cells are empty, some systems lack items, which a ranking takes.
        systems, gaps = read_scores(path, gaps=True), True
    origin = systems[0].origin
    assert origin is not None
    columns, head = _bare(path, systems) if is_bare(origin) else _table(path, origin.columns, systems)
    labels = None if is_bare(origin) else _labels(path, only=False)
    suits = ["compare"] if origin.format == "f1-counts" else SCORES
    if gaps:
        suits = ["rank"]
    answered = labels is not None and "gold" in origin.columns
    return FileDescription(
        # Answers are read as scores too, where the right ones stand beside them.
        "labels" if answered else origin.format,
        origin.rows,
        columns,
        [scores.name for scores in systems[:MAX_SYSTEMS]],
        head,
        suits if labels is None else [*suits, *labels.suits],
        reading=_reading(systems, origin),
        empty=sum(origin.rows - scores.rows for scores in systems) if gaps else 0,
        whole=answered and len(systems) > 1,
    )


def _reading(systems: Sequence[Scores], origin: Origin) -> str:
    """What the columns were taken to mean, as a report will say it."""
    names = [scores.name for scores in systems]
    metric = "mean" if systems[0].values.ndim == 1 else "f1"
    is_clear = True
    try:
        named = resolve_direction(metric, "auto", score_names([origin], names), scores=[one.values for one in systems])
    except OutscoreError:
        # Systems of which only some are named after an error, and unclear names, are asked about when they are compared.
        named, is_clear = resolve_direction(metric, "auto", scores=None), False
    reading = reading_of([origin], rows=origin.rows, systems=names, direction=(named.better, named.source))
    return reading_line(reading, directed=is_clear, options=False)


def _bare(path: Path, systems: Sequence[Scores]) -> Preview:
    """Columns of numbers, which need no names."""
    width = sum(1 if scores.values.ndim == 1 else scores.values.shape[1] for scores in systems)
    with open_source(path) as source:
        lines = source.filled
    head = [line.replace(",", " ").replace(";", " ").split() for line in lines]
    names = head[0] if len(head[0]) == width and all(map(is_name, head[0])) else [f"column {i + 1}" for i in range(width)]
    body = head[1:] if head[0] == names else head
    part = "counts" if width == 4 else "scores"
    return [ShownColumn(part, name, kind="number") for name in names], body[:ROWS]


def _table(path: Path, used: Mapping[str, Sequence[str]], systems: Sequence[Scores]) -> Preview:
    """Named columns with their parts; those of a wide table are systems."""
    parts = {column: part for part, columns in used.items() for column in columns}
    parts |= {scores.name: "scores" for scores in systems if "system" not in used and "score" not in used}
    with open_source(path) as source:
        sample = open_table(source)[1].sample
    columns = [
        ShownColumn(
            parts.get(name),
            name,
            shorten(_cell(next((value for value in values if not is_missing(value)), None))),
            _why(parts.get(name), name),
            "number" if looks_numeric(values) else "text",
        )
        for name, values in sample.items()
        if name
    ]
    rows = [[_cell(values[i]) if i < len(values) else "" for values in list(sample.values())[:WIDTH]] for i in range(ROWS)]
    filled = max((len(values) for values in sample.values()), default=0)
    return columns[:WIDTH], rows[:filled]


def _why(part: str | None, name: str) -> str:
    """Why a column plays its part: its name, or what its values and those beside it are."""
    key = normalize_name(name)
    usual = {"answer": PREDICTED, "gold": (*RIGHT, *EITHER, *BESIDE_PREDICTED), "slice": (tuple(SLICES),), **USUAL}
    if part is None:
        return ""
    if any(key in tier for tier in usual.get(part, ())):
        return "a usual name"
    reasons = {
        "item": "no value occurs twice",
        "score": "a measure" if is_measure(name) else "the only column of numbers",
        "scores": "a column of numbers for each system",
        "answer": "values like the right answers",
        "gold": "values like the answers",
    }
    return reasons.get(part, "as named")


def _ambiguous(path: Path, refusal: OutscoreError) -> FileDescription | None:
    """A table of numbers of which a person has to say where the scores are; None where no choice would help."""
    if refusal.parameter not in ("score", "system"):
        return None
    columns, head = _table(path, {}, ())
    with open_source(path) as source:
        form, _ = open_table(source)
    if not any(column.kind == "number" for column in columns):
        return None
    return FileDescription(form, None, columns, (), head, SCORES)


def _labels(path: Path, *, only: bool) -> FileDescription | None:
    """A table with a label per item; None where the names of its columns do not say so.

    Lines without columns may be labels too, but then so may any text: only a person can say that they are.

    If it may be nothing but that, and a right answer is missing, that is what is wrong with it.
    """
    try:
        items = read_labels(path)
    except OutscoreError:
        try:
            items = read_labels(path, role="gold")
        except OutscoreError as refusal:
            if only and refusal.line is not None:
                raise
            return None
    if items.source.format == LABEL_LINES:
        return None
    # Labels in a column that is called after right answers are these, whatever else they could be.
    parts = {
        "gold" if part == "answer" and all(map(_is_gold, names)) else part: names
        for part, names in items.source.columns.items()
    }
    columns, head = _table(path, parts, ())
    reading = f"{count_of(items.source.rows, 'label')}, one per item"
    return FileDescription("labels", items.source.rows, columns, [items.name], head, ["diff"], reading=reading)


def _is_gold(column: str) -> bool:
    """Whether a column is called after right answers."""
    return any(normalize_name(column) in tier for tier in RIGHT)


def _answers(path: Path, peek: Peek) -> FileDescription | None:
    """Labels that are no table and can be nothing else: `{id: answer}`, or a word per line with few different words."""
    if isinstance(peek.document, dict) and peek.document and all(isinstance(value, str) for value in peek.document.values()):
        head = [[*pair] for pair in peek.document.items()][:ROWS]
    else:
        lines = [line.strip() for line in peek.filled]
        words = {line for line in lines if line.replace("_", "").replace("-", "").isalpha()}
        if len(lines) < 2 or len(words) * FEW > len(lines) or not words.issuperset(lines):
            return None
        head = [[line] for line in lines[:ROWS]]
    try:
        items = read_labels(path)
    except OutscoreError:
        return None
    lone = items.source.format == LABEL_LINES
    columns = [ShownColumn(part, name, kind="text") for name, part in (("id", "item"), ("answer", "answer"))][lone:]
    reading = f"{count_of(items.source.rows, 'label')}, one per {'line' if lone else 'item'}"
    return FileDescription("labels", items.source.rows, columns, [items.name], head, ["diff"], reading=reading)


def _other(path: Path, peek: Peek, refusal: OutscoreError) -> FileDescription:
    """Words with their tags, or a text; the refusal of the numbers if it is neither."""
    lines = [line.rstrip("\r\n") for line in peek.head]
    for name in alternatives(peek) if DECIMAL_POINT not in refusal.hint else ():
        if name == "segments":
            return _text(path, lines)
        with suppress(OutscoreError):
            return _words(path, lines)
    raise refusal


def _text(path: Path, lines: list[str]) -> FileDescription:
    text = read_segments(path)
    column = ShownColumn("text", "segment", kind="text")
    reading = f"a text of {count_of(len(text), 'segment')}, one per line"
    head = [[line] for line in lines[:ROWS]]
    return FileDescription("segments", len(text), [column], [text.name], head, ["texts"], reading=reading)


def _words(path: Path, lines: list[str]) -> FileDescription:
    words = read_words(path)
    names = CONLLU if words.source.format == "conllu" else ("word", *words.columns)
    columns = [ShownColumn(None, name, kind="text") for name in names]
    head = _cut(lines)
    if words.source.format not in ("conllu", "word-columns"):
        # Lines of other formats are sentences or documents.
        head = [[words.forms[i], *(column[i] for column in words.columns.values())] for i in range(min(ROWS, words.rows))]
    reading = f"{count_of(words.rows, 'word')} with {', '.join(words.columns)}"
    return FileDescription(words.source.format, words.source.rows, columns, [words.name], head, ["diff"], reading=reading)


def _chains(path: Path, lines: list[str]) -> FileDescription:
    chains = read_chains(path)
    form, rows = chains.source.format, chains.source.rows
    return FileDescription(form, rows, (), [chains.name], _cut(lines), ["diff"], reading="coreference chains")


def _result(path: Path, peek: Peek) -> FileDescription | None:
    """A saved result; None where the file is no JSON document, or one with a list of records, which is a table."""
    if peek.document is None:
        if peek.head and peek.head[0].rstrip() == "{":
            raise OutscoreError(f"{label_of(path.name)} is JSON that is incomplete or contains an error.", "Save it again.")
        return None
    if path.stat().st_size > LARGEST_SAVED and is_result(peek.document):
        most = f"{LARGEST_SAVED >> 20} MB, which is the limit for results on the page"
        raise OutscoreError(f"{label_of(path.name)} is larger than {most}.", "Use `outscore report` on the command line.")
    if not is_result(peek.document):
        _refuse_tools(peek, path.name)
        return None
    with open_source(path) as source:
        content = "".join(source.pieces).encode("utf-8", "surrogateescape")
    result = parse(content, path.name)
    if path.suffix in PACKED:
        raise OutscoreError(f"{label_of(path.name)} is a saved result in compressed form.", "Unpack it first.")
    head = [[line.rstrip("\r\n")] for line in peek.head[:ROWS]]
    systems = systems_of(result)
    about = f" about {listed('system', systems)}" if systems else ""
    reading = f"a saved result{about}, shown again without its data"
    return FileDescription("result", None, head=head, suits=["report"], systems=systems, reading=reading)


def _refuse_tools(peek: Peek, label: str) -> None:
    """Refuse a document that a tool wrote, or that holds neither records nor numbers."""
    data = peek.document
    first = data[0] if isinstance(data, list) and data else data
    for keys, what, cure in TOOLS:
        if isinstance(first, dict) and keys <= first.keys():
            raise OutscoreError(f"`{label}` is {what}.", cure)
    if peek.unit == "line" and not (isinstance(data, dict) and peek.suffix == ".jsonl"):
        what = (
            "one JSON list without objects or numbers" if isinstance(data, list) else "JSON, but not a result saved by outscore"
        )
        raise OutscoreError(f"`{label}` is {what}.", AS_LINES)


def systems_of(result: Saved) -> list[str]:
    """The names of the systems that a result is about; none where it is about numbers only."""
    names: Iterable[str] = ()
    match result:
        case Comparison() | Diff() | Preference() | Ranking():
            names = result.systems
        case Comparisons():
            names = [name for comparison in result.comparisons for name in comparison.systems]
        case GateResult():
            names = result.comparison.systems
        case ScoreResult() | PossibleTable():
            names = [one.system for one in result.systems]
        case Logs():
            names = [one.system for one in result.evaluations]
        case SystemScore():
            names = [result.system]
    return list(dict.fromkeys(names))[:MAX_SYSTEMS]


def _cut(lines: list[str]) -> list[list[str]]:
    """Lines of columns, comments left out."""
    shown = [line for line in lines if line.strip() and not line.startswith("#")]
    return [line.split("\t" if "\t" in line else None)[:WIDTH] for line in shown[:ROWS]]


def _cell(value: object) -> str:
    return "" if value is None else str(value)
