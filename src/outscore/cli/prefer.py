"""`outscore prefer`: battles between systems, and who is preferred to whom."""

from __future__ import annotations

from outscore.cli.declared import Asked, command
from outscore.workflows.requests.prefer import PreferRequest

__all__ = ["prefer"]


@command(PreferRequest)
def prefer(asked: Asked[PreferRequest]) -> None:
    """Battles: who is preferred to whom, with the prompt as what is drawn anew.

    BATTLES are files, or folders of files: a table with columns such as prompt, model_a, model_b and winner, an export of
    Chatbot Arena, judgments of Arena-Hard or MT-bench, annotations of AlpacaEval. - is standard input.

    Two systems get a win rate, three or more also strengths and places.
    """
    with asked.working("comparing"):
        from outscore.workflows.prefer.run import run

        found = run(asked.request)
    asked.deliver(asked.with_changes(found))
