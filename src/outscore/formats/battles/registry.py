"""All formats of battles, in the order in which they are asked whether a table is theirs."""

from __future__ import annotations

from outscore.formats.battles import tables, tools
from outscore.formats.battles.entry import BattleEntry

BATTLES: dict[str, BattleEntry] = {
    entry.name: entry
    for entry in (
        BattleEntry(
            "arena-hard",
            "Arena-Hard",
            "model_judgment/<judge>/<model>.jsonl: two games of each question, the order exchanged",
            tools.looks_like_arena_hard,
            tools.read_arena_hard,
            has_free_columns=False,
            is_graded=True,
        ),
        BattleEntry(
            "mt-bench",
            "MT-bench",
            "<judge>_pair.jsonl: g1_winner and g2_winner of each question, the order exchanged",
            tools.looks_like_mt_bench,
            tools.read_mt_bench,
            has_free_columns=False,
        ),
        BattleEntry(
            "alpaca-eval",
            "AlpacaEval",
            "annotations.json: a preference from 1 (generator_1) to 2 (generator_2)",
            tools.looks_like_annotations,
            tools.read_annotations,
        ),
        BattleEntry(
            "arena-hard-battles",
            "Arena-Hard battles",
            "arena_hard_battles.jsonl: all games of a question, the baseline always as model_a",
            tables.looks_like_pooled_games,
            tables.read_pooled_games,
        ),
        BattleEntry(
            "arena",
            "Chatbot Arena",
            "an export with model_a, model_b, winner and conversations, as JSON, CSV or Parquet",
            tables.looks_like_arena,
            tables.read_arena,
        ),
        BattleEntry(
            "battles",
            "battles",
            "a table with columns such as prompt, model_a, model_b, winner (CSV, TSV, JSON, Parquet)",
            tables.looks_like_battles,
            tables.read_table,
        ),
    )
}
