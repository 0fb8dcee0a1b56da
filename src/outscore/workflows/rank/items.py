"""Which items decide a ranking: in counts for the result, and one by one for a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.inference.leaderboard import LEVEL, MIN_SYSTEMS, ItemTable, effective_items, item_table
from outscore.results.ranking import ItemKinds, SuspiciousItem
from outscore.scores.panel import Panel

MAX_LISTED = 20
MAX_CELLS = 20_000_000
"""Larger tables of systems by items are not looked at: nobody reads a list of so many."""
COLUMNS = ("dataset", "item", "kind", "systems", "mean", "spread", "item_rest")


@dataclass(frozen=True, eq=False)
class JudgedItems:
    """The items of one panel: what is known of each, and its kind in a word."""

    panel: Panel
    table: ItemTable
    kinds: list[str]

    @property
    def names(self) -> Sequence[str]:
        """Their ids, or their numbers from 1 on."""
        return self.panel.items or [str(i + 1) for i in range(len(self.kinds))]

    def rows(self) -> Iterator[dict[str, object]]:
        """One record for each item."""
        table, dataset = self.table, self.panel.dataset
        parts = (table.systems, table.mean, table.spread, table.rest)
        for name, kind, systems, mean, spread, rest in zip(
            self.names, self.kinds, *(part.tolist() for part in parts), strict=True
        ):
            values = (dataset, name, kind, systems, mean, spread, None if np.isnan(rest) else rest)
            yield dict(zip(COLUMNS, values, strict=True))


def judged_items(panels: Sequence[Panel]) -> list[JudgedItems] | None:
    """The items of all panels, judged; None if they have no scores of their own, or are too many."""
    scored = [panel.item_scores() for panel in panels]
    if sum(panel.present.size for panel in panels) > MAX_CELLS:
        return None
    judged = []
    for panel, scores in zip(panels, scored, strict=True):
        if scores is None:
            return None
        values = np.zeros(panel.present.shape)
        values[panel.present] = np.concatenate(scores)
        table = item_table(values, panel.present)
        ends = _ends(values[panel.present], higher=panel.metric.higher_is_better)
        judged.append(JudgedItems(panel, table, _kinds(table, ends)))
    return judged


def _ends(scores: Array, *, higher: bool) -> tuple[float, float] | None:
    """The best and the worst score, if there are only these two."""
    low, high = float(scores.min()), float(scores.max())
    if low == high or not np.isin(scores, (low, high)).all():
        return None
    return (high, low) if higher else (low, high)


def _kinds(table: ItemTable, ends: tuple[float, float] | None) -> list[str]:
    kinds = np.where(table.discriminating, "discriminating", "weak").astype(object)
    kinds[table.suspicious] = "suspicious"
    kinds[table.dead] = "equal"
    if ends is not None:
        kinds[table.dead & (table.mean == ends[0])] = "all right"
        kinds[table.dead & (table.mean == ends[1])] = "all wrong"
    return [str(kind) for kind in kinds]


def item_kinds(judged: Sequence[JudgedItems]) -> ItemKinds:
    """The items in counts, and the most suspicious ones."""
    kinds = [kind for one in judged for kind in one.kinds]
    enough = len(judged[0].panel.systems) >= MIN_SYSTEMS
    suspicious = sorted(
        (
            SuspiciousItem(one.names[i], one.panel.dataset, float(one.table.mean[i]), float(one.table.rest[i]))
            for one in judged
            for i in np.flatnonzero(one.table.suspicious).tolist()
        ),
        key=lambda item: item.correlation,
    )
    return ItemKinds(
        items=len(kinds),
        all_right=kinds.count("all right"),
        all_wrong=kinds.count("all wrong"),
        equal=kinds.count("equal"),
        discriminating=kinds.count("discriminating") if enough else None,
        suspicious=len(suspicious) if enough else None,
        by_chance=LEVEL * sum(int((~np.isnan(one.table.rest)).sum()) for one in judged) if enough else None,
        effective=effective_items(np.concatenate([one.table.spread for one in judged])),
        listed=suspicious[:MAX_LISTED],
    )
