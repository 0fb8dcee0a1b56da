"""`outscore prefer`: battles between systems, and who is preferred to whom."""

from __future__ import annotations

import click

from outscore.cli.declared import Asked, command
from outscore.workflows.requests.prefer import PreferRequest


@command(
    PreferRequest,
    click.option("--jobs", type=int, default=0, help="Number of worker processes.  [default: one per processor]"),
    click.option("--dask", metavar="ADDRESS|local", help="Count Parquet on a Dask cluster, or on one started on this machine."),
)
def prefer(asked: Asked[PreferRequest]) -> None:
    """Rank systems by preferences: pairwise battles and judges.

    Prompts are the sampling units: intervals and p-values are about new prompts like these.

    BATTLES are files, or folders of files: a table with columns such as prompt, model_a, model_b and winner, an export of
    Chatbot Arena, judgments of Arena-Hard or MT-bench, or annotations of AlpacaEval. - is standard input.

    Two systems get a win rate; three or more also get strengths and places. Parquet files may have any size.
    """
    from outscore.engine.engines import engine_of
    from outscore.engine.progress import terminal_progress

    engine = engine_of(asked.own["jobs"], dask=asked.own["dask"])
    with asked.working("comparing"), terminal_progress() as progress:
        from outscore.workflows.prefer.run import run

        result = run(asked.request, engine=engine, progress=progress)
    asked.deliver(asked.with_changes(result))
