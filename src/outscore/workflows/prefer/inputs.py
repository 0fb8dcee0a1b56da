"""From files or tables to the battles that are counted, and what happened to the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.formats.battles.entry import BattleChoice
from outscore.formats.battles.read import battles_of_records, read_battles, refuse_unused, settled
from outscore.formats.tables.cells import Block, Records
from outscore.formats.tables.names import join_names, suggest_name
from outscore.results.preference import BattleReading
from outscore.scores.battles import Battles
from outscore.scores.system import Origin
from outscore.workflows.frames import TABLE, is_table, table_of
from outscore.workflows.requests.prefer import PreferRequest

SAMPLE = 20


def battles_of(request: PreferRequest, files: Sequence[str]) -> Battles:
    """The battles of files."""
    choice = request.choice()
    battles = read_battles(files, choice, format=request.reader)
    refuse_unused(choice, [origin.format for origin in battles.origins])
    return battles


def people_of(request: PreferRequest, table: Any = None) -> Battles | None:  # noqa: ANN401 - a table of whichever library
    """People's verdicts on the chosen systems, from a table or the request's file; None if there are none.

    Named columns are those of the judge's battles, and need not exist here.
    """
    choice = BattleChoice(strength=request.strength, baseline=request.baseline)
    if table is not None:
        people = table_battles(table, choice, "auto")
    elif request.labels is not None:
        people = read_battles([request.labels], choice)
    else:
        return None
    kept = people.decided
    if request.system:
        wanted = [i for i, name in enumerate(people.systems) if name in request.system]
        kept = kept & np.isin(people.first, wanted) & np.isin(people.second, wanted)
    return people.take(np.flatnonzero(kept)).compact()


def is_battle_table(given: object) -> bool:
    """Whether these are battles in named columns: a table, or a dictionary of columns."""
    return is_table(given) or isinstance(given, Mapping)


def _columns_of(given: Any) -> dict[str, list[object]]:  # noqa: ANN401 - a table of whichever library, or a dictionary
    if not isinstance(given, Mapping):
        table = table_of(given)
        return {str(name): np.asarray(table[name]).tolist() for name in table.columns}
    listed = {str(name): x for name, x in given.items() if isinstance(x, Iterable) and not isinstance(x, str)}
    columns = {name: x.tolist() if isinstance(x, np.ndarray) else list(x) for name, x in listed.items()}
    if len(columns) < len(given) or len({len(values) for values in columns.values()}) > 1:
        raise OutscoreError(
            "`battles` is a dictionary, but not of columns of the same length.",
            'Give a list for each column: {"model_a": ["new"], "model_b": ["old"], "winner": ["model_a"]}.',
            parameter="files",
        )
    return columns


def table_battles(given: Any, choice: BattleChoice, format: str) -> Battles:  # noqa: ANN401 - a table of whichever library
    """The battles of a table with named columns."""
    columns = _columns_of(given)
    rows = len(next(iter(columns.values()), ()))

    def blocks(needed: Sequence[str]) -> Iterator[Block]:
        yield Block(np.arange(1, rows + 1), {name: columns[name] for name in needed})

    sample = {name: values[:SAMPLE] for name, values in columns.items()}
    records = Records("The table", tuple(columns), sample, blocks, "row")
    return settled([battles_of_records(records, choice, Origin(TABLE, "", rows, "dataframe"), format)])


def chosen(battles: Battles, request: PreferRequest) -> Battles:
    """Battles between the chosen systems, by the chosen judges."""
    kept = np.ones(battles.rows, dtype=bool)
    if request.only_judge:
        if battles.judges is None:
            raise OutscoreError(
                "The battles do not name a judge.", "Leave --only-judge out, or give --judge COLUMN.", parameter="only_judge"
            )
        kept &= np.isin(battles.judges.codes, _codes(request.only_judge, battles.judges.names, "judge", "only_judge"))
    if request.system:
        wanted = _codes(request.system, battles.systems, "system", "system")
        if len(wanted) < 2:
            raise OutscoreError("--system names only one system.", "Name at least two, or leave it out.", parameter="system")
        among = np.isin(battles.first, wanted) & np.isin(battles.second, wanted)
        if not among.any():
            _refuse_strangers(battles, wanted)
        kept &= among
    if not kept.any():
        raise OutscoreError("No battle is left.", "Choose other systems or judges.", parameter="system")
    return battles if kept.all() else battles.take(np.flatnonzero(kept)).compact()


def _refuse_strangers(battles: Battles, wanted: Sequence[int]) -> None:
    """Refuse systems that never met each other, and suggest one that all of them met."""
    sides = (battles.first, battles.second), (battles.second, battles.first)
    met = [{*np.concatenate([other[own == code] for own, other in sides]).tolist()} for code in wanted]
    common = [battles.systems[code] for code in sorted(set.intersection(*met))]
    hint = "Also name systems that they met, to compare them through those."
    if common:
        hint = f"Add --system {common[0]}, which all of them met, to compare them through it."
    names = join_names([battles.systems[code] for code in wanted])
    raise OutscoreError(f"{names} never met directly.", hint, parameter="system")


def _codes(names: Sequence[str], known: Sequence[str], noun: str, parameter: str) -> list[int]:
    for name in names:
        if name not in known:
            raise OutscoreError(f"There is no {noun} `{name}`.", suggest_name(name, known), parameter=parameter)
    return [known.index(name) for name in dict.fromkeys(names)]


def decided(battles: Battles) -> Battles:
    """Battles with a verdict."""
    there = battles.decided
    if not there.any():
        raise OutscoreError("No battle has a verdict.", "Check the column of verdicts.", parameter="winner")
    return battles if there.all() else battles.take(np.flatnonzero(there)).compact()


def reading_of_battles(origins: Sequence[Origin]) -> BattleReading:
    """How the files were interpreted."""
    parts = dict.fromkeys(part for origin in origins for part in origin.columns)
    named = {part: dict.fromkeys(origin.column(part) for origin in origins) for part in parts}
    columns = {part: " or ".join(name for name in names if name is not None) for part, names in named.items()}
    formats = list(dict.fromkeys(origin.format for origin in origins))
    files = sum(bool(origin.sha256) for origin in origins)
    return BattleReading(formats, files, sum(origin.rows for origin in origins), columns)
