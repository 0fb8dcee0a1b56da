"""Commands that need no data: what is supported, the structure of our JSON, and a saved result rendered again."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable

import click

from outscore.cli.declared import of_files, of_words, output_options
from outscore.cli.output import FORMS, check_outputs, deliver
from outscore.core.errors import OutscoreError
from outscore.core.options import Option
from outscore.results.saved import kind_names, kind_of, schema_text

# `outscore metrics`, `tests` and `formats`: what is supported, straight from the registries.


WIDTH = 80


@click.command()
def metrics() -> None:
    """List the metrics, the numbers they take and their options."""
    from outscore.metrics.registry import METRICS
    from outscore.metrics.text.registry import TEXT_METRICS

    rows = [(m.name, [m.summary, f"takes {m.layouts_text}", *_options(m.options)]) for m in METRICS.values()]
    click.echo(_table(rows))
    click.echo("\nFor texts, with --reference:\n")
    click.echo(_table((m.name, [m.summary, *_options(m.options)]) for m in TEXT_METRICS.values()))


@click.command()
def tests() -> None:
    """List the tests and their options."""
    from outscore.inference.registry import TESTS

    click.echo(_table((t.name, [t.summary, *_options(t.options)]) for t in TESTS.values()))


@click.command()
def formats() -> None:
    """List the file formats that can be read."""
    from outscore.formats.battles.read import BATTLES
    from outscore.formats.logs.registry import LOGS
    from outscore.formats.registry import FORMATS, OUTPUT_FORMATS

    click.echo(_table((f.name, [f.summary, *([f"e.g. {f.example}"] if f.example else [])]) for f in FORMATS.values()))
    click.echo("\nOutputs, for `outscore diff`, `outscore rank --gold` and `osc.read`:\n")
    click.echo(_table((f.name, [f.summary, f"e.g. {f.example}"]) for f in OUTPUT_FORMATS.values()))
    click.echo("\nLogs of evaluation harnesses, for `compare`, `rank`, `show` and `convert`:\n")
    click.echo(_table((log.name, [f"{log.title}: {log.summary}"]) for log in LOGS.values()))
    click.echo("\nBattles, for `prefer`:\n")
    click.echo(_table((one.name, [f"{one.title}: {one.summary}"]) for one in BATTLES.values()))
    click.echo(
        "\nBare numbers may be separated by blanks, tabs, commas or semicolons, with or\n"
        "without a header line; gzip, bzip2, xz and zstd are unpacked, and - is standard\n"
        "input."
    )


@click.command()
def tasks() -> None:
    """List the kinds of outputs that `outscore diff` compares."""
    from outscore.workflows.diff.tasks import TASKS

    click.echo(_table((t.name, [t.summary]) for t in TASKS.values()))


def _options(options: Iterable[Option]) -> list[str]:
    lines = []
    for option in options:
        default = "none" if option.default is None else str(option.default)
        choices = f" ({', '.join(option.known)})" if option.known else ""
        lines.append(f"  {option.name}={default}: {option.help.rstrip('.')}{choices}")
    return lines


def _table(rows: Iterable[tuple[str, list[str]]]) -> str:
    entries = list(rows)
    margin = max((len(name) for name, _ in entries), default=0) + 2
    lines = []
    for name, texts in entries:
        beside = []
        for text in texts:
            indent = " " * (len(text) - len(text.lstrip()))
            beside += textwrap.wrap(text, WIDTH - margin, initial_indent="", subsequent_indent=indent + "  ")
        lines += [f"{name if k == 0 else '':<{margin}}{text}" for k, text in enumerate(beside)]
    return "\n".join(lines)


# `outscore schema`: the structure of our JSON, for programs that read it.


@click.command()
@click.argument("kind", required=False, shell_complete=of_words(kind_names))
def schema(kind: str | None) -> None:
    """Print the JSON schema of a kind of saved result.

    Without KIND, list the kinds.
    """
    import json

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


# `outscore report`: a saved result, rendered again.


@click.command()
@click.argument("saved", metavar="RESULT.json", shell_complete=of_files)
@output_options(config=False, forms=(*FORMS, "comment"))
def report(saved: str, form: str, outputs: tuple[str, ...], charts: str | None, *, verbose: bool) -> None:
    """Render a saved result again.

    RESULT.json is a result of any command that was saved with -o RESULT.json; - reads standard input.
    """
    from outscore.results.diff import Diff
    from outscore.results.saved import as_document, parse, read_saved, refuse_inconsistent

    check_outputs(outputs, charts, [saved])
    result = as_document(parse(sys.stdin.buffer.read(), "stdin") if saved == "-" else read_saved(saved), saved)
    if charts is not None and isinstance(result, Diff) and not result.pairs:
        raise OutscoreError("A diff of one system has no charts.", "Leave --charts out.")
    with refuse_inconsistent(saved):
        deliver(result, form, outputs, charts, verbose=verbose)
