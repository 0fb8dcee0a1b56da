"""`outscore schema`: what our JSON holds, for programs that read it."""

from __future__ import annotations

import click

from outscore.cli.completion import of_words
from outscore.results.schemas import kind_names, schema_text

__all__ = ["schema"]


@click.command()
@click.argument("kind", required=False, shell_complete=of_words(kind_names))
def schema(kind: str | None) -> None:
    """Print the JSON schema of a KIND of saved result; without KIND, list the kinds."""
    import json

    from outscore.core.errors import OutscoreError
    from outscore.core.options import did_you_mean

    names = kind_names()
    if kind is None:
        width = max(map(len, names)) + 2
        for name in names:
            click.echo(f"{name:<{width}}{json.loads(schema_text(name))['description']}")
    elif kind in names:
        click.echo(schema_text(kind), nl=False)
    else:
        raise OutscoreError(f"There is no kind of result `{kind}`.", did_you_mean(kind, names))
