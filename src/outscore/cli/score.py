"""`outscore score`: one system or several, each on its own."""

from __future__ import annotations

from outscore.cli.declared import Asked, command
from outscore.workflows.requests.score import ScoreRequest


@command(ScoreRequest, verbose="Show the settings too.")
def score(asked: Asked[ScoreRequest]) -> None:
    """Score systems individually.

    How certain is each score, and what can the test set show? FILE is a table of one system or several (CSV, TSV, JSONL,
    Parquet), bare numbers, or a log or folder of logs; FILES are one for each system. With repeats, the report includes the
    noise floor: how much two runs of the same system differ.
    """
    with asked.working("scoring"):
        from outscore.workflows.score.run import run

        result = run(asked.request)
    asked.deliver(asked.with_changes(result))
