"""Which column plays which part: the one the caller names, otherwise the one with a usual name.

A column of scores is recognised if its name is known as one, or if it is the only column of numbers and
nothing beside it suggests another meaning; otherwise the error lists the candidates.

Raw records of a model hold its prediction and the right answer, and often numbers that are not scores, such as
the position of the right answer. A prediction with a right answer beside it is scored as right or wrong. So
are the columns of several systems beside a column of right answers, if they hold such answers (`find_answers`).
"""

from __future__ import annotations

import shlex
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

from outscore.core.errors import MeasuresError, OutscoreError
from outscore.core.records import dataclass
from outscore.formats.base.entry import Choice
from outscore.formats.base.source import shorten
from outscore.formats.tables.cells import (
    EITHER_WORDS,
    FLAT,
    Block,
    Records,
    is_blank,
    is_missing,
    is_name,
    is_number,
    is_whole,
    label_text,
    looks_numeric,
    problem_with,
)
from outscore.formats.tables.measures import are_numbered_systems, is_better_lower, is_effort, is_measure, shared_measure
from outscore.formats.tables.names import (
    BESIDE_PREDICTED,
    EITHER,
    PAIRS,
    PANDAS_INDEX,
    PEOPLE,
    PREDICTED,
    PROBABLE,
    RIGHT,
    SLICES,
    USUAL,
    ColumnFinder,
    count_columns,
    holds_answers,
    is_known,
    is_named,
    is_nested,
    is_score,
    is_setting,
    is_weight,
    join_names,
    may_be_ids,
    may_name_items,
    names_counts,
    naming,
    normalize_name,
    paired_answers,
    pairs_answers,
    right_names,
    shared_score,
    suggest_name,
    suggests_other,
    system_of,
)

NO_CLUSTERS = "none"
"""The name that says there are no clusters, even if a column has a usual name of clusters."""
NO_ITEMS = "none"
"""The name that says that every row is an item of its own, even if a column has a usual name of items."""
NO_DATASETS = "none"
"""The name that says that all datasets are one, even if a column has a usual name of datasets; it still tells items apart."""
NONE = {"cluster": NO_CLUSTERS, "item": NO_ITEMS, "dataset": NO_DATASETS}
MANY_COLUMNS = 10
"""Where so many columns could hold the scores, they may be items."""
_SCORE = f"Name the one meant with {naming('score')}"
WINNER = "winner"
"""The column that makes a table with two columns of systems one of battles, not of scores."""
_BINARY = {"0", "1"}
OF_MEASURES = {"metric", "metric_name", "measure", "measure_name"}
"""What a column is called that says of which measure a row is."""


@dataclass(frozen=True)
class Layout:
    """The columns of a table by the part they play; `wide` if each of `scores` is a system.

    `parts` are those of one column each: item, system, cluster, repeat, dataset, and gold, the right answers. With these,
    `scores` are the columns of answers, and `twins` have to hold the same right answers. `open` means that the caller did not
    name the scores, so that every other column of numbers would be one of them. `row_name` is the column of words in which a
    row without an id would be called a mean or a total. `pooled` says that the dataset tells items apart and nothing else.
    `guessed` says that the first values of the item, not a usual name, are those of ids: all must be. `unused` are columns of
    numbers that play no part.
    """

    parts: Mapping[str, str]
    scores: tuple[str, ...]
    slices: tuple[str, ...]
    wide: bool
    open: bool = False
    twins: tuple[str, ...] = ()
    row_name: str | None = None
    pooled: bool = False
    guessed: bool = False
    unused: tuple[str, ...] = ()

    @property
    def used(self) -> dict[str, tuple[str, ...]]:
        """The columns of each part, for the report."""
        single = {part: (column,) for part, column in self.parts.items() if not (self.pooled and part == "dataset")}
        lists = {"slice": self.slices}
        if "gold" in self.parts:
            lists["answer"] = () if self.wide else self.scores
        elif self.wide:
            measure = shared_measure(self.scores)
            lists["measure"] = () if measure is None else (measure,)
        else:
            lists["score"] = self.scores
        return single | {name: columns for name, columns in lists.items() if columns}

    @property
    def needed(self) -> tuple[str, ...]:
        """All columns to read."""
        row_name = () if self.row_name is None else (self.row_name,)
        return tuple(dict.fromkeys([*self.parts.values(), *row_name, *self.slices, *self.scores, *self.twins]))


def find_layout(records: Records, choice: Choice) -> Layout:
    """Decide which column plays which part; if that is not clear, raise an error that lists the candidates."""
    absent = {part for part, none in NONE.items() if getattr(choice, part) == none and none not in records.columns}
    without: dict[str, Any] = dict.fromkeys(absent)
    choice = replace(choice, score=_split_counts(records, choice.score) if choice.score else (), **without)
    for column in choice.columns:
        _require(records, column)
    finder = ColumnFinder(records, choice.named)
    beside = None if not choice.beside else _gold_beside(records, finder, choice)
    wide = bool(choice.systems) and _has_all(records, choice.systems) and not (choice.system or choice.score or beside)
    parts = _parts_by_name(finder, choice, {*absent, "system"} if wide else absent)
    system, scores = parts.get("system"), choice.systems if wide else choice.score
    if not scores and beside is None:
        scores = _known_scores(records, finder, choice, system)
    slices = choice.slice or finder.take_all(SLICES)
    guessed = None
    if not {"item"} & (parts.keys() | absent):
        guessed = _guess_item(records, finder, (system, parts.get("repeat"), parts.get("dataset")))
    if beside is not None:
        numbers = _numbers_beside(records, finder, choice)
        answers: Answers | None = Answers(beside, numbers, wide=len(numbers) > 1 or numbers == choice.systems)
    else:
        answers = None if scores and not wide else find_answers(records, finder, choice)
    unnamed = answers is None and not scores
    if answers is not None:
        scores, wide, parts["gold"] = answers.answers, answers.wide, answers.gold
    elif unnamed:
        scores = _numeric_columns(records, choice, finder, system)
        wide = len(scores) > 1
    if guessed is not None:
        parts["item"] = guessed
    twins = () if answers is None else answers.twins
    layout = Layout(
        parts, scores, slices, wide, open=unnamed, twins=twins, pooled="dataset" in absent, guessed=guessed is not None
    )
    by_row = "item" in absent
    if answers is None and "item" not in parts:
        layout = _without_ids(records, finder, layout, by_row=by_row)
    records.refuse_repeated(layout.needed)
    _refuse_measures_in_rows(records, layout)
    if "item" not in layout.parts and ("repeat" in parts or not (layout.wide or by_row)):
        refuse_no_items(records, layout)
    return replace(layout, unused=_unused(records, finder, layout, choice))


def _parts_by_name(finder: ColumnFinder, choice: Choice, absent: Container[str]) -> dict[str, str]:
    """The columns that the caller named, or that have a usual name, of all parts that are not `absent`."""
    parts: dict[str, str] = {}
    for part, usual in USUAL.items():
        if part == "score":
            continue
        column = getattr(choice, part)
        # Pooled datasets still tell items apart.
        if column is None and (part not in absent or part == "dataset"):
            column = finder.take(part, usual, f"Name the one meant with {naming(part)}.")
        if column is not None:
            parts[part] = column
    if choice.beside == "people" and "system" in parts and "repeat" not in parts and choice.system is None:
        # Systems that made the outputs which people scored are repeats.
        parts["repeat"] = parts.pop("system")
    sliced = next((name for name in choice.slice if is_named(name, USUAL["dataset"])), None)
    if sliced is not None:
        # A dataset tells items apart, also where it is asked for as slices.
        parts.setdefault("dataset", sliced)
    return parts


def _unused(records: Records, finder: ColumnFinder, layout: Layout, choice: Choice) -> tuple[str, ...]:
    """The columns of numbers that play no part; of a caller who named the scores, weights and settings alone."""
    needed = set(layout.needed)
    free = [name for name in finder.free() if name not in needed and not (is_known(name) or may_be_ids(name))]
    if choice.score or (choice.systems and layout.wide):
        free = [name for name in free if is_weight(name) or is_setting(name)]
    return tuple(name for name in free if looks_numeric(records.sample[name]))


def _gold_beside(records: Records, finder: ColumnFinder, choice: Choice) -> str:
    """The column of right answers, or of people's scores, beside which a table has numbers."""
    people = choice.beside == "people"
    what, usual = ("people's scores", PEOPLE) if people else ("right answers", right_names("prediction"))
    hint = f"Name the one meant with {choice.naming_gold} COLUMN ({choice.gold_option or 'gold'}=... in Python)."
    gold = choice.gold or finder.take("gold", usual, hint)
    if gold is None:
        raise _missing(records, what, choice.gold_option or "gold")
    return gold


def _numbers_beside(records: Records, finder: ColumnFinder, choice: Choice) -> tuple[str, ...]:
    """The columns of numbers beside right answers: that of one system, or one for each."""
    if choice.systems and _has_all(records, choice.systems):
        return choice.systems
    people = choice.beside == "people"
    named = choice.prediction or next(iter(choice.score), None)
    if named is None and not people:
        named = finder.find("prediction", PROBABLE, "Name the one meant with --prediction COLUMN (prediction=... in Python).")
    if named is not None:
        return (named,)
    free = [name for name in finder.free() if is_score(name) or not is_known(name)]
    numbers = tuple(name for name in free if looks_numeric(records.sample[name]) and not suggests_other(name))
    if not numbers:
        raise _missing(records, "scores" if people else "probabilities", "prediction")
    return numbers


def _guess_item(records: Records, finder: ColumnFinder, parts: Sequence[str | None]) -> str | None:
    """The column named like an id, or the only one of texts that are no answers, if no value occurs twice in the other `parts`.

    Of several columns named like ids any tells the rows apart; the first is taken.
    """
    flat = [name for name in finder.free() if records.sample[name] and not is_nested(records.sample[name])]
    ids = [name for name in flat if may_be_ids(name) and _tells_apart(records, name, parts)]
    texts = [name for name in flat if not looks_numeric(records.sample[name]) and may_name_items(name)]
    found = next(iter(ids), None)
    if found is None and len(texts) == 1 and _tells_apart(records, texts[0], parts):
        found = texts[0]
    if found is not None:
        finder.claim(found)
    return found


def _tells_apart(records: Records, name: str, parts: Sequence[str | None]) -> bool:
    """Whether no value of a column occurs twice in the other `parts`, as far as the sample goes."""
    values = records.sample[name]
    others = [records.sample[part] for part in parts if part is not None]
    keys = list(zip(map(label_text, values), *(map(label_text, other) for other in others), strict=True))
    return len(keys) > 1 and len(set(keys)) == len(keys) and not any(map(is_blank, values))


def _without_ids(records: Records, finder: ColumnFinder, layout: Layout, *, by_row: bool) -> Layout:
    """A layout in which no column names the items: a wide table has one per row, another may have the index of pandas."""
    if layout.wide:
        unnamed = next((name for name in records.columns if name in PANDAS_INDEX), None)
        return replace(layout, row_name=_first_words(records, finder) if unnamed is None else unnamed)
    parts = (layout.parts.get("system"), layout.parts.get("dataset"))
    index = [name for name in records.columns if name in PANDAS_INDEX and _tells_apart(records, name, parts)]
    if by_row or not index or "repeat" in layout.parts:
        return layout
    return replace(layout, parts={**layout.parts, "item": index[0]}, guessed=True)


def _first_words(records: Records, finder: ColumnFinder) -> str | None:
    """The first column that plays no part and holds words."""
    samples = ((name, records.sample[name]) for name in finder.free())
    return next((name for name, sample in samples if sample and not is_nested(sample) and not looks_numeric(sample)), None)


def _split_counts(records: Records, score: tuple[str, ...]) -> tuple[str, ...]:
    """Columns of counts may be written in one word, ``tp,fp,fn``."""
    if len(score) != 1 or _has(records, score[0]):
        return score
    parts = tuple(part.strip() for part in score[0].split(","))
    return parts if len(parts) > 1 and all(_has(records, part) for part in parts) else score


def _known_scores(records: Records, finder: ColumnFinder, choice: Choice, system: str | None) -> tuple[str, ...]:
    """The column with a usual name of scores, or the three of counts; none where the caller named answers."""
    if choice.gold is not None or choice.prediction is not None:
        return ()
    candidates = finder.candidates(USUAL["score"])
    if len(candidates) > 1:
        _refuse_candidates(records, choice, candidates, long=system is not None)
    column = finder.take("score", USUAL["score"], f"{_SCORE}.")
    if column is not None:
        _refuse_several_measures(records, choice, finder, column, long=system is not None)
        return (column,)
    counts = count_columns(finder.free())
    if counts:
        return counts
    nested = [name for name in records.nested if is_score(name) and looks_numeric(records.sample[name])]
    if len(nested) > 1:
        _refuse_candidates(records, choice, nested, long=system is not None)
    return tuple(nested)


def _refuse_several_measures(records: Records, choice: Choice, finder: ColumnFinder, column: str, *, long: bool) -> None:
    """Refuse to choose one measure of several; `score` says that it is the one, and counts, costs and times are beside any."""
    if not is_measure(column) or is_named(column, USUAL["score"][:1]):
        return
    others = [name for name in finder.free() if is_measure(name) and not (suggests_other(name) or is_effort(name))]
    others = [name for name in others if not names_counts(name) and looks_numeric(records.sample[name])]
    if others:
        both = [name for name in records.columns if name == column or name in others]
        _refuse_candidates(records, choice, both, long=long)


def _numeric_columns(records: Records, choice: Choice, finder: ColumnFinder, system: str | None) -> tuple[str, ...]:
    """The columns of numbers without a usual name: the score of a long table, or the systems of a wide one."""
    _refuse_battles(records)
    # A usual name such as `index` that lost to a better one does not name a system either.
    free = [name for name in finder.free() if not is_known(name)]
    numeric = tuple(name for name in free if looks_numeric(records.sample[name]))
    settings = [name for name in numeric if is_setting(name)]
    if settings:
        free = [name for name in free if name not in settings]
        numeric = tuple(name for name in numeric if name not in settings)
        if not numeric:
            message = (
                f"{records.label}: {join_names(settings)} {'is a setting' if len(settings) == 1 else 'are settings'} of a run"
            )
            raise OutscoreError(f"{message}, and no other column holds numbers.", f"{_SCORE}.", parameter="score")
    if numeric and choice.gaps and system is None:
        # A system may lack the first items: an empty sample leaves the decision to the values below.
        known = set(numeric)
        numeric = tuple(name for name in free if name in known or all(map(is_missing, records.sample[name])))
    for name in choice.systems if system is None else ():
        _require(records, name, "system")
    if not any(records.sample.values()):
        records.refuse_empty()
    if not numeric:
        _refuse_no_numbers(records, choice, finder.free())
    plain = tuple(name for name in numeric if not suggests_other(name))
    if 1 == len(plain) < len(numeric) and not (is_measure(plain[0]) or _varies(records, plain[0])):
        # A constant is no candidate beside what varies.
        numeric, plain = tuple(name for name in numeric if name not in plain), ()
    if len(plain) == 1 and not any(map(holds_answers, finder.free())):
        # Beside the only column that can hold scores, ids, times, lengths and costs are no candidates.
        return plain
    if system is None and 1 < len(plain) < len(numeric) and shared_score(plain) is not None:
        # Right or wrong, of each system, with how many tokens that took.
        return plain
    _refuse_doubtful(records, choice, numeric, finder.free(), long=system is not None)
    return numeric


def _refuse_battles(records: Records) -> None:
    """Refuse a table that names two systems and the winner in each row: its numbers are ids of judges, prompts and the like."""
    words = {normalize_name(name): name for name in records.columns if not looks_numeric(records.sample[name])}
    pair = next((pair for pair in PAIRS if words.keys() >= set(pair)), None)
    winner = next((name for name in records.columns if normalize_name(name) == WINNER), None)
    if pair is not None and winner is not None:
        one, other = (words[name] for name in pair)
        raise OutscoreError(
            f"{records.label} says in `{winner}` which of `{one}` and `{other}` won, but scores were expected.",
            f"Battles have a command of their own: `outscore prefer {shlex.quote(records.path or 'FILE')}`.",
            parameter="score",
        )


def _refuse_doubtful(records: Records, choice: Choice, numeric: Sequence[str], free: Sequence[str], *, long: bool) -> None:
    """Refuse to take columns for scores whose own names, or those beside them, suggest another meaning."""
    other = [name for name in numeric if suggests_other(name)]
    plain = [name for name in numeric if name not in other]
    if long or len(plain) < 2:
        # One score: beside it nothing may suggest that it is something else. A time alone is what was measured.
        if len(numeric) == 1 and is_better_lower(numeric[0]) and not any(map(suggests_other, set(free) - set(numeric))):
            return
        if len(numeric) > 1 or other or any(map(suggests_other, free)):
            _refuse_candidates(records, choice, [*plain, *other], free, long=long)
        return
    measures = [name for name in numeric if is_measure(name)]
    # Costs and times say nothing about the columns beside them.
    if len(set(measures) - set(other)) > 1 and not are_numbered_systems(plain):
        columns = [name for name in numeric if name in measures or (name in plain and _varies(records, name))]
        raise MeasuresError.of(
            f"{records.label}: {join_names(columns)} are measures, so they are scores of one system, not of {len(columns)}.",
            f"{_SCORE}; if they are systems, name them with --system NAME, once for each.",
            columns,
        )
    if other:
        hint = "Name the systems with --system NAME, once for each (systems=[...] in Python), or take the other columns out."
        weights = [name for name in other if is_weight(name)]
        people = [name for name in plain if is_named(name, PEOPLE[:1])]
        if people:
            option = naming("gold").replace("COLUMN", shlex.quote(people[0]))
            hint = f"If `{people[0]}` holds the right answers, write {option}. Otherwise n{hint[1:]}"
        raise OutscoreError(
            f"{records.label}: beside {join_names(plain)}, {join_names(other)} would be read as scores of a system.",
            f"If it says how much items count, add --weight {shlex.quote(weights[0])}. {hint}" if weights == other else hint,
            parameter="system",
        )


def _refuse_candidates(
    records: Records, choice: Choice, candidates: Sequence[str], free: Sequence[str] = (), *, long: bool
) -> NoReturn:
    """Raise the error that lists what could be the scores; where there are answers, it says how to score them."""
    if candidates and all(is_named(name, (*RIGHT, *EITHER)) for name in candidates) and not long:
        _refuse_only_answers(records, choice, candidates, free)
    varying = [name for name in candidates if is_measure(name) or _varies(records, name)]
    candidates = varying if len(varying) > 1 else candidates
    hint = _answers_hint(choice, free) or f"{_SCORE}."
    answers = [name for name in candidates if pairs_answers(name) or system_of(name, (*RIGHT, *PREDICTED)) is not None]
    predicted = [name for name in answers if is_named(name, PREDICTED) or system_of(name, PREDICTED) is not None]
    if predicted and len(answers) == len(candidates) == 2 * len(predicted):
        hint = (
            "They look like measured values and their predictions, which are not just right or wrong: add a column of errors, "
            f"such as the absolute difference, and name it with {naming('score')}."
        )
    elif not long and ((len(candidates) == 2 and answers) or (len(candidates) > 1 and set(candidates) <= set(records.nested))):
        systems = " ".join(f"--system {shlex.quote(name)}" for name in candidates)
        hint = f"{_SCORE}, or write {systems} if {'both' if len(candidates) == 2 else 'all'} are systems."
    names = [name for name in records.columns if is_named(name, USUAL["system"])]
    rows = [tuple(records.sample[name]) for name in names]
    one_each = any(len(set(map(str, row))) == len(row) > 1 for row in rows)
    could = "could each be the score column" if len(candidates) > 1 else "could be the score column, or something else"
    message = f"{records.label}: {join_names(candidates)} {could}."
    measures = [name for name in candidates if is_measure(name) or not suggests_other(name)]
    if len(candidates) >= MANY_COLUMNS or (len(candidates) > 1 and one_each):
        hint = f"{_SCORE}, or add --transpose if every row is a system and every column an item."
    elif len(measures) > 1 and (long or all(map(is_measure, measures))):
        raise MeasuresError.of(message, hint, measures, by_system=long)
    raise OutscoreError(message, hint, parameter="score")


def _refuse_only_answers(records: Records, choice: Choice, answers: Sequence[str], free: Sequence[str]) -> NoReturn:
    """Refuse a table whose only numbers are answers: they are no scores, and whole responses are not equal to them."""
    gold = next((name for name in answers if is_named(name, (*RIGHT, *EITHER))), answers[0])
    others = [name for name in free if name not in answers and is_named(name, PREDICTED)]
    right = {label_text(value) for value in records.sample[gold]}
    like = [name for name in others if right & {label_text(value) for value in records.sample[name]}]
    column, first = "COLUMN", ""
    if like:
        column = shlex.quote(like[0])
    elif others:
        first = f"Take each answer out of `{others[0]}` into a column of its own. "
    hint = f"{first}Score the answers with --prediction {column} {choice.naming_gold} {shlex.quote(gold)}."
    raise OutscoreError(
        f"{records.label} has no column of scores: {join_names(answers)} {'holds' if len(answers) == 1 else 'hold'} answers.",
        hint,
        parameter="score",
    )


def _answers_hint(choice: Choice, free: Sequence[str]) -> str:
    """How to score the answers that these columns may hold; empty if none is named like them."""
    if not any(map(holds_answers, free)):
        return ""
    prediction = next((name for name in free if is_named(name, PREDICTED)), "COLUMN")
    gold = next((name for name in free if is_named(name, (*RIGHT, *EITHER))), "COLUMN")
    answers = f"--prediction {shlex.quote(prediction)} {choice.naming_gold} {shlex.quote(gold)}"
    return f"{_SCORE}, or score answers with {answers}; `outscore diff --task label` looks inside."


def _refuse_no_numbers(records: Records, choice: Choice, free: Sequence[str]) -> NoReturn:
    """Raise the most helpful error for a table without a column of numbers."""
    _refuse_malformed_numbers(records, free)
    message = f"{records.label} has no column of numbers among {join_names(records.columns)}"
    words = [
        name for name in free if not looks_numeric(records.sample[name]) and looks_numeric(records.sample[name], EITHER_WORDS)
    ]
    if words:
        found = {str(value).strip() for value in records.sample[words[0]] if str(value).strip().lower() in EITHER_WORDS}
        good = sorted(found, key=lambda word: -EITHER_WORDS[word.lower()])
        meant = f"--score {shlex.quote(words[0])}"
        if len(words) > 1:
            meant = " ".join(f"--system {shlex.quote(name)}" for name in words)
        contain = "contains" if len(words) == 1 else "contain"
        meaning = "right" if EITHER_WORDS[good[0].lower()] else "wrong"
        raise OutscoreError(
            f"{records.label}: {join_names(words)} {contain} {' and '.join(good)}, which may be answers or say whether an "
            "answer was right.",
            f"Write {meant} if {good[0]} means {meaning}; if they are answers, name the column of the right ones with "
            f"{choice.naming_gold} COLUMN.",
            parameter="score",
        )
    nested = [name for name in records.columns if is_nested(records.sample[name])]
    if nested:
        inner = [name for name in records.nested if looks_numeric(records.sample[name])]
        likely = [name for name in inner if _could_be_score(records, name)]
        such = f", such as --score {shlex.quote(likely[0])}" if likely else f": {_SCORE.removeprefix('Name the one meant ')}"
        hint = f"Name the score by its dotted name{such}." if inner else FLAT
        contain = "contains" if len(nested) == 1 else "contain"
        raise OutscoreError(f"{message}; {join_names(nested)} {contain} lists or objects.", hint, parameter="score")
    hint = _answers_hint(choice, free) or f"Name the score column with {naming('score')}."
    raise OutscoreError(f"{message}.", hint, parameter="score")


def _varies(records: Records, name: str) -> bool:
    """Whether the first values of a column differ, as scores do."""
    return len({label_text(value) for value in records.sample[name]}) > 1


def _could_be_score(records: Records, name: str) -> bool:
    """Whether a column inside objects may hold scores: it has a score's name, or varies and nothing speaks against it."""
    last = name.rpartition(".")[2]
    if is_setting(name) or (is_known(last) and not is_score(last)):
        return False
    return is_score(name) or (_varies(records, name) and not suggests_other(last))


def _refuse_malformed_numbers(records: Records, names: Iterable[str]) -> None:
    """Refuse the first value that is nearly a number (50%, 0,5): its hint helps more than naming a column."""
    wanted = [name for name in names if any(_is_malformed(value) for value in records.sample[name])]
    # An unclosed quotation mark swallows the columns after it: reading on raises an error that names its
    # line.
    for block in records.blocks(wanted):
        for name in wanted:
            for line, value in zip(block.lines.tolist(), block.columns[name], strict=True):
                problem = problem_with(value.strip(), column=name) if isinstance(value, str) and _is_malformed(value) else None
                if problem is not None:
                    records.refuse(line, *problem)


def _is_malformed(value: object) -> bool:
    text = value.strip() if isinstance(value, str) else ""
    return bool(text) and not is_number(text) and not is_name(text)


def _refuse_measures_in_rows(records: Records, layout: Layout) -> None:
    """Refuse a table whose rows are of several measures: they are no repeats, and their mean says nothing."""
    told = [name for name in records.columns if normalize_name(name) in OF_MEASURES and name not in layout.needed]
    found = list(dict.fromkeys(label_text(value) for value in records.sample[told[0]])) if told else []
    if len(found) > 1 and not layout.wide:
        raise OutscoreError(
            f"{records.label}: `{told[0]}` says of which measure each row is, {join_names(found)}.",
            "Give a file with the rows of one measure, or with a column for each.",
            parameter="score",
        )


def refuse_no_items(records: Records, layout: Layout) -> NoReturn:
    """Refuse a table in which no column tells the items apart."""
    repeats = f"repeats (`{layout.parts['repeat']}`) but " if "repeat" in layout.parts else ""
    by_order = "" if layout.parts.keys() & {"repeat", "system"} else f" If every row is an item, write --item {NO_ITEMS}."
    raise OutscoreError(
        f"{records.label} has {repeats}no item column among {join_names(records.columns)}.",
        f"Name it with {naming('item')}; usual names such as id and question_id are recognised.{by_order}",
        parameter="item",
    )


def _has(records: Records, column: str) -> bool:
    return column in records.columns or column in records.nested


def _has_all(records: Records, columns: Iterable[str]) -> bool:
    return all(_has(records, column) for column in columns)


def _require(records: Records, column: str, kind: str = "column") -> None:
    if not _has(records, column):
        names = [name for name in (*records.columns, *records.nested) if name]
        raise OutscoreError(f"{records.label} has no {kind} `{column}`.", suggest_name(column, names))


@dataclass(frozen=True)
class Answers:
    """The column of the right answers, and those of the answers: one, or one for each system (`wide`).

    `twins` repeat the right answers, for other systems.
    """

    gold: str
    answers: tuple[str, ...]
    wide: bool
    twins: tuple[str, ...] = ()


def find_answers(records: Records, finder: ColumnFinder, choice: Choice) -> Answers | None:
    """The columns of answers that the caller named, or that the table has instead of scores; None if there are none."""
    named = choice.gold is not None or choice.prediction is not None
    gold_option = choice.gold_option or "gold"
    options = f"--prediction COLUMN and {choice.naming_gold} COLUMN (prediction=..., {gold_option}=... in Python)"
    name = f"Name the ones meant with {options}."
    prediction = choice.prediction or finder.find("prediction", PREDICTED, name)
    gold = choice.gold or finder.find("gold", right_names(prediction), name)
    if choice.systems and not named and gold is not None and is_named(gold, EITHER):
        # Systems that were named are taken for scores, unless the name beside them leaves no doubt.
        return None
    if gold is None:
        if named:
            raise _missing(records, "right answers", gold_option)
        return _paired(records, finder, choice) or _beside(records, finder, choice)
    if choice.systems and _has_all(records, choice.systems):
        alike = all(_are_answers(records.sample[name], records.sample[gold]) for name in choice.systems)
        return Answers(gold, choice.systems, wide=True) if named or alike else None
    if prediction is not None:
        return Answers(gold, (prediction,), wide=False) if named or _is_scored(records, prediction, gold) else None
    columns = answer_columns(records, finder, gold) or _either(records, finder, gold, name)
    if named and not columns:
        raise _missing(records, "predictions", "prediction")
    if columns and not named and not is_named(gold, RIGHT) and _are_binary(records, (gold, *columns)):
        # 0 and 1 beside a `label` of 0 and 1 may be answers to it, or say whether an answer was right.
        _refuse_as_doubtful(records, choice, gold, columns)
    return Answers(gold, columns, wide=len(columns) > 1) if columns else None


def _paired(records: Records, finder: ColumnFinder, choice: Choice) -> Answers | None:
    """The predictions of systems that each have a column of right answers beside them."""
    pairs = paired_answers(finder.free() if not choice.systems else records.columns)
    pairs = [pair for pair in pairs if not choice.systems or pair[1] in choice.systems]
    if not pairs or (choice.systems and len(pairs) < len(choice.systems)):
        return None
    (gold, *twins), predictions = zip(*pairs, strict=True)
    if not all(_is_scored(records, prediction, right) for right, prediction in pairs):
        if any(looks_numeric(records.sample[prediction]) for prediction in predictions):
            _refuse_candidates(records, choice, [name for pair in pairs for name in pair], long=False)
        return None
    return Answers(gold, choice.systems or predictions, wide=len(pairs) > 1, twins=tuple(twins))


def _beside(records: Records, finder: ColumnFinder, choice: Choice) -> Answers | None:
    """Words beside words called `true`; numbers beside it may be answers or scores, as `true` may be a system."""
    found = [] if choice.systems else finder.candidates(BESIDE_PREDICTED)
    if len(found) != 1 or (normalize_name(found[0]) == "y" and any(normalize_name(name) == "x" for name in records.columns)):
        return None
    gold = found[0]
    columns = answer_columns(records, finder, gold)
    if len(columns) == 1 and _are_binary(records, (gold, *columns)):
        return None
    if columns and looks_numeric(records.sample[gold]):
        _refuse_as_doubtful(records, choice, gold, columns)
    return Answers(gold, columns, wide=len(columns) > 1) if columns else None


def _either(records: Records, finder: ColumnFinder, gold: str, hint: str) -> tuple[str, ...]:
    """The column whose name can mean both and which, beside a column named as the right answers, holds answers like them."""
    column = finder.find("prediction", EITHER, hint) if is_named(gold, RIGHT) else None
    return () if column is None or not _are_answers(records.sample[column], records.sample[gold]) else (column,)


def _missing(records: Records, what: str, option: str) -> OutscoreError:
    return OutscoreError(
        f"{records.label} has no column of {what} among {join_names(records.columns)}.",
        f"Name it with --{option.replace('_', '-')} COLUMN ({option}=... in Python).",
        parameter=option,
    )


def _is_scored(records: Records, prediction: str, gold: str) -> bool:
    """Whether predictions are to be equal to the right answers; whole responses and measured values are not."""
    right = [label_text(value) for value in records.sample[gold] if not is_blank(value)]
    if any(is_number(text) and not is_whole(text) for text in right):
        return False
    return normalize_name(prediction) in PREDICTED[0] or _are_answers(records.sample[prediction], records.sample[gold])


def answer_columns(records: Records, finder: ColumnFinder, gold: str) -> tuple[str, ...]:
    """The columns of a wide table that hold answers of the kind that `gold` does."""
    others = [name for name in finder.free() if name != gold and not is_known(name) and not suggests_other(name)]
    others = [name for name in others if system_of(name, RIGHT) is None]
    return tuple(name for name in others if _are_answers(records.sample[name], records.sample[gold]))


def _are_answers(values: Sequence[object], gold: Sequence[object]) -> bool:
    """Whether at least half of the values are among the right answers, which are not measured values."""
    right = {label_text(value) for value in gold if not is_blank(value)}
    if any(is_number(text) and not is_whole(text) for text in right):
        return False
    present = [label_text(value) for value in values if not is_blank(value)]
    return bool(present) and 2 * sum(text in right for text in present) >= len(present)


def _are_binary(records: Records, columns: Sequence[str]) -> bool:
    return {label_text(value) for name in columns for value in records.sample[name] if not is_blank(value)} <= _BINARY


def _refuse_as_doubtful(records: Records, choice: Choice, gold: str, columns: Sequence[str]) -> NoReturn:
    systems = columns if len(columns) > 1 else (gold, *columns)
    chosen = " ".join(f"--system {shlex.quote(name)}" for name in systems[:2])
    raise OutscoreError(
        f"{records.label}: {join_names(columns)} may be answers to `{gold}`, or scores.",
        f"Write {choice.naming_gold} {shlex.quote(gold)} to score the answers, or {chosen} to take the columns as scores.",
        parameter=choice.gold_option or "gold",
    )


def refuse_other_gold(records: Records, layout: Layout, block: Block) -> None:
    """Refuse an item whose right answer is another one for another system."""
    for twin in layout.twins:
        gold = layout.parts["gold"]
        for line, one, other in zip(block.lines.tolist(), block.columns[gold], block.columns[twin], strict=True):
            if label_text(one) != label_text(other):
                found = f"found `{shorten(label_text(other))}` in `{twin}` beside `{shorten(label_text(one))}` in `{gold}`"
                records.refuse(line, f"{found}, expected one right answer", "Give every item the same one in all columns.")
