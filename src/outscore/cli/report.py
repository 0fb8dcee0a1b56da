"""`outscore report`: a saved result, rendered again."""

from __future__ import annotations

import click

from outscore.cli.output import FORMS, WITH_TABLES, check_outputs, show, write_all

__all__ = ["report"]


@click.command()
@click.argument("saved", metavar="RESULT.json")
@click.option("--format", "form", type=click.Choice(FORMS), default="text", show_default=True, help="Form of the output.")
@click.option("-o", "--output", "outputs", multiple=True, metavar="FILE", help=f"Also write {', '.join(WITH_TABLES)}.")
@click.option("--charts", metavar="DIR", help="Also write the charts as SVG, PNG and PDF.")
@click.option("-v", "--verbose", is_flag=True, help="Show digits, alignment and settings too.")
def report(saved: str, form: str, outputs: tuple[str, ...], charts: str | None, *, verbose: bool) -> None:
    """Render a result saved with -o result.json again."""
    from outscore.procedure.compare import load

    check_outputs(outputs, charts, [saved])
    result = load(saved)
    write_all(result, outputs, charts, verbose=verbose)
    show(result, form, verbose=verbose)
