"""What a reader of battles declares, what the caller may say, and which column of a table plays which part."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass
from outscore.formats.tables.cells import Records
from outscore.formats.tables.names import PAIRS, ColumnFinder, Tiers, join_names, normalize_name, suggest_name
from outscore.scores.battles import Battles


@dataclass(frozen=True)
class BattleChoice:
    """What the caller says about battles: which column plays which part, and how verdicts count.

    Several columns of `winner` are a judge each. `strength` is how many wins a strong verdict (A>>B) counts as. `baseline` and
    `names` name systems that the files leave unnamed.
    """

    first: str | None = None
    second: str | None = None
    winner: tuple[str, ...] = ()
    prompt: str | None = None
    judge: str | None = None
    category: str | None = None
    cluster: str | None = None
    position: str | None = None
    length: tuple[str, ...] = ()
    strength: int = 1
    baseline: str | None = None
    names: tuple[str, ...] = ()

    @property
    def columns(self) -> dict[str, str]:
        """All columns that were named, by the option that named them."""
        single = {
            "first": self.first,
            "second": self.second,
            "prompt": self.prompt,
            "judge": self.judge,
            "category": self.category,
            "cluster": self.cluster,
            "position": self.position,
        }
        winners = {f"winner {i}": column for i, column in enumerate(self.winner)}
        lengths = {f"length {i}": column for i, column in enumerate(self.length)}
        return {name: column for name, column in single.items() if column is not None} | winners | lengths


@dataclass(frozen=True)
class BattleEntry:
    """A format of battles.

    Parameters
    ----------
    name, title
        What `--reader` calls it, and what sentences do.
    summary
        What its files look like, in one line.
    recognise
        Whether a table is in this format, by its columns and first rows.
    read
        The battles of a table, without their origin; and the columns by the part they played.
    has_free_columns
        Whether the caller may say which column plays which part.
    is_graded
        Whether verdicts may be strong and the baseline unnamed, so that the caller may say what both are.
    """

    name: str
    title: str
    summary: str
    recognise: Callable[[Records], bool]
    read: Callable[[Records, BattleChoice], tuple[Battles, Mapping[str, tuple[str, ...]]]]
    has_free_columns: bool = True
    is_graded: bool = False


# Which column of a table of battles plays which part: the one the caller names, otherwise the one with a usual name.


ONE_HOT = ("winner_model_a", "winner_model_b", "winner_tie")
"""Columns of which one holds a 1: who won."""
USUAL: dict[str, Tiers] = {
    "winner": (
        ("winner",),
        ("preference", "verdict", "preferred", "vote", "outcome"),
        ("choice", "judgement", "judgment", "label", "human_label"),
    ),
    "prompt": (
        ("prompt_id", "question_id", "instruction_id", "instruction_sha256"),
        ("prompt", "question", "instruction"),
        ("item_id", "item", "uid", "uuid", "qid", "sample_id", "example_id"),
        ("id",),
    ),
    "judge": (
        ("judge", "judge_id", "annotator", "annotator_id", "judge_hash"),
        ("worker", "worker_id", "rater", "rater_id", "voter", "user", "user_id"),
    ),
    "category": (("category", "subset", "topic", "domain"), ("dataset", "task")),
    "position": (("shown_first", "first_shown", "position"), ("swapped", "is_swapped")),
}
LENGTHS = (
    *(("length_a", "length_b"), ("len_a", "len_b"), ("length_1", "length_2"), ("len_1", "len_2"), ("tokens_a", "tokens_b")),
    ("conv_metadata_sum_assistant_a_tokens", "conv_metadata_sum_assistant_b_tokens"),
    ("response_a_length", "response_b_length"),
)
TEXTS = (
    *(("response_a", "response_b"), ("output_1", "output_2"), ("output_a", "output_b"), ("answer_a", "answer_b")),
    ("conversation_a", "conversation_b"),
)
"""Columns of answers, whose lengths in characters are taken."""


@dataclass(frozen=True)
class BattleLayout:
    """The columns of a table of battles by the part they play; without `systems` every row is about the same two.

    `single` are those of parts that one column plays, such as the prompt. `one_hot` says that the verdicts are three columns of
    zeros and ones; otherwise several of them are a judge each. `texts` says that the lengths are those of answers.
    """

    systems: tuple[str, str] | None
    winner: tuple[str, ...]
    one_hot: bool
    single: Mapping[str, str]
    length: tuple[str, ...]
    texts: bool

    @property
    def used(self) -> dict[str, tuple[str, ...]]:
        """The columns of each part, for the report."""
        several = {"systems": self.systems or (), "winner": self.winner, "length": self.length}
        columns = several | {part: (column,) for part, column in self.single.items()}
        return {part: names for part, names in columns.items() if names}

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns to read."""
        return tuple(dict.fromkeys([*(self.systems or ()), *self.winner, *self.single.values(), *self.length]))


def pair_of(columns: Sequence[str], known: Sequence[tuple[str, str]] = PAIRS) -> list[tuple[str, str]]:
    """All pairs of columns with usual names.

    Examples
    --------
    >>> pair_of(["id", "Model A", "Model B", "winner"])
    [('Model A', 'Model B')]
    """
    by_key = {normalize_name(name): name for name in columns}
    return [(by_key[one], by_key[other]) for one, other in known if one in by_key and other in by_key]


def holds_battles(records: Records) -> bool:
    """Whether a table has two columns of systems and one that says who won, by their usual names."""
    return bool(pair_of(records.columns)) and _says_who_won(records)


def has_part(records: Records) -> bool:
    """Whether a table has the one or the other: then it can be said what it lacks."""
    names = {normalize_name(name) for name in records.columns}
    return bool(pair_of(records.columns)) or bool(names & set(USUAL["winner"][0]))


def _says_who_won(records: Records) -> bool:
    names = {normalize_name(name) for name in records.columns}
    return set(ONE_HOT[:2]) <= names or any(names & set(tier) for tier in USUAL["winner"])


def find_battle_layout(records: Records, choice: BattleChoice) -> BattleLayout:
    """Decide which column plays which part; where that is not clear, the error lists the candidates."""
    for option, column in choice.columns.items():
        if column != "none" and column not in records.columns and column not in records.nested:
            raise OutscoreError(
                f"{records.label} has no column `{column}`.",
                suggest_name(column, [*records.columns, *records.nested]),
                parameter=option.split()[0],
            )
    systems = _systems(records, choice)
    named = choice.columns
    # What is swapped as one may well be the prompts.
    free = ColumnFinder(records, [*(column for part, column in named.items() if part != "cluster"), *(systems or ())])
    prompt = _single(free, "prompt", choice.prompt)
    finder = ColumnFinder(records, [*named.values(), *(systems or ()), *([] if prompt is None else [prompt])])
    winner, one_hot = _winner(records, finder, choice)
    found = {
        "prompt": prompt,
        "judge": _single(finder, "judge", choice.judge),
        "category": _single(finder, "category", choice.category),
        "cluster": None if choice.cluster == "none" else choice.cluster,
        "position": _single(finder, "position", choice.position),
    }
    single = {part: column for part, column in found.items() if column is not None}
    length, texts = _lengths(records, choice)
    unclustered = [column for part, column in single.items() if part != "cluster"]
    records.refuse_repeated([*(systems or ()), *winner, *unclustered, *length])
    return BattleLayout(systems, winner, one_hot, single, length, texts)


def _systems(records: Records, choice: BattleChoice) -> tuple[str, str] | None:
    if choice.first is not None and choice.second is not None:
        return choice.first, choice.second
    if choice.first is not None or choice.second is not None:
        named, missing = ("first", "second") if choice.second is None else ("second", "first")
        raise OutscoreError(f"--{named} is given without --{missing}.", "Name both columns of systems.", parameter=missing)
    candidates = pair_of([name for name in records.columns if name not in choice.columns.values()])
    if len(candidates) > 1:
        pairs = " or ".join(f"`{one}` and `{other}`" for one, other in candidates)
        raise OutscoreError(
            f"{records.label}: the two systems could be in {pairs}.",
            "Name the columns with --first COLUMN --second COLUMN.",
            parameter="first",
        )
    if candidates and choice.names:
        columns = " and ".join(f"`{name}`" for name in candidates[0])
        raise OutscoreError(
            f"--names is given, but {records.label} names its systems in {columns}.",
            "Leave it out; --system NAME chooses among them.",
            parameter="names",
        )
    if candidates:
        return candidates[0]
    if choice.winner and len(choice.names) == 2:
        return None
    _refuse_taken(records, choice, [name for pair in pair_of(records.columns) for name in pair], "which names systems")
    raise OutscoreError(
        f"{records.label} does not have two columns of systems among {join_names(records.columns)}.",
        "Name them with --first COLUMN --second COLUMN; if every row compares the same two, give --winner COLUMN --names A,B.",
        parameter="first",
    )


def _refuse_taken(records: Records, choice: BattleChoice, columns: Sequence[str], what: str) -> None:
    """Refuse an option that names a column which plays another part, where none else could play it."""
    for option, column in choice.columns.items():
        if column in columns:
            name = option.split()[0]
            raise OutscoreError(
                f"--{name} is the column `{column}` of {records.label}, {what}.",
                f"Name another column with --{name}, or leave it out.",
                parameter=name,
            )


def _winner(records: Records, finder: ColumnFinder, choice: BattleChoice) -> tuple[tuple[str, ...], bool]:
    if choice.winner:
        return choice.winner, False
    by_key = {normalize_name(name): name for name in records.columns}
    if ONE_HOT[0] in by_key and ONE_HOT[1] in by_key:
        return tuple(by_key[name] for name in ONE_HOT if name in by_key), True
    column = finder.take("winner", USUAL["winner"], "Name the one meant with --winner COLUMN.")
    if column is None:
        usual = [name for name in records.columns if any(normalize_name(name) in tier for tier in USUAL["winner"])]
        _refuse_taken(records, choice, usual, "which says who won")
        raise OutscoreError(
            f"{records.label} has no column that says who won, among {join_names(records.columns)}.",
            "Name it with --winner COLUMN; scores of single answers are for `outscore compare`.",
            parameter="winner",
        )
    return (column,), False


def _single(finder: ColumnFinder, part: str, named: str | None) -> str | None:
    if named is not None:
        return None if named == "none" else named
    return finder.take(part, USUAL[part], f"Name the one meant with --{part} COLUMN.")


def _lengths(records: Records, choice: BattleChoice) -> tuple[tuple[str, ...], bool]:
    if choice.length:
        return choice.length, False
    columns = [*records.columns, *records.nested]
    for known, texts in ((LENGTHS, False), (TEXTS, True)):
        pairs = pair_of(columns, known)
        if pairs:
            return pairs[0], texts
    return (), False
