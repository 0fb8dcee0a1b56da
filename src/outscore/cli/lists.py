"""`outscore metrics`, `tests` and `formats`: what is supported, straight from the registries."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

import click

from outscore.core.options import Option

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
    from outscore.formats.battles.registry import BATTLES
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
    from outscore.workflows.diff.tasks.registry import TASKS

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
