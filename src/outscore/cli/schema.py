"""`outscore schema`: the structure of our JSON, for programs that read it."""

from __future__ import annotations

import click

from outscore.cli.completion import of_words
from outscore.results.saved import kind_names, kind_of, schema_text


@click.command()
@click.argument("kind", required=False, shell_complete=of_words(kind_names))
def schema(kind: str | None) -> None:
    """Print the JSON schema of a kind of saved result.

    Without KIND, list the kinds.
    """
    import json

    from outscore.core.errors import OutscoreError

    names = kind_names()
    if kind is None:
        width = max(map(len, names)) + 2
        for name in names:
            click.echo(f"{name:<{width}}{json.loads(schema_text(name))['description']}")
    elif kind in names:
        click.echo(schema_text(kind), nl=False)
    else:
        raise OutscoreError(f"There is no kind of result `{kind}`.", _meant(kind, names))


def _meant(kind: str, names: list[str]) -> str:
    """The kind that was probably meant, by its own name or by that of its record in Python."""
    from outscore.core.options import did_you_mean, meant
    from outscore.results.saved import SAVED

    records = {record.__name__: kind_of(schema) for schema, record in SAVED.items()}
    # The singular of `Comparisons` counts too.
    python_names = {form: name for name in records for form in (name, name.removesuffix("s")) if form.lower() not in names}
    near = meant(kind, {**python_names, **dict.fromkeys(names)})
    if near is None or near in names:
        return did_you_mean(kind, names)
    return f"Did you mean `{records[python_names[near]]}`? Python calls it {python_names[near]}."
