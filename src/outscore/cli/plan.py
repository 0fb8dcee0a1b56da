"""`outscore plan`: how many items, how small a difference, how likely a verdict; and what two printed scores leave possible."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from outscore.cli.inputs import TwoSystems, read_systems
from outscore.errors import OutscoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outscore.plans import PlanResult, PossibleP, PowerPoint

__all__ = ["plan"]

WIDTH = 80
LABEL = 12
FORMS = ("text", "json")
ALTERNATIVES = ("two-sided", "greater", "less")
COLUMNS = ("item", "score", "cluster", "repeat")
# What a pilot estimates by itself, and what only a pilot can use.
FROM_NUMBERS = ("sd", "discordance", "accuracy")
FROM_PILOT = ("retrospective", "systems", *COLUMNS)


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE]")
@click.option("--effect", type=float, help="The difference A - B to detect (without --sd: in standard deviations).")
@click.option("--n", type=click.IntRange(min=1), help="How many items there are.")
@click.option("--power", type=float, default=0.8, show_default=True, help="Probability of detecting it.")
@click.option("--sd", type=float, help="Standard deviation between items of the difference A - B.")
@click.option("--discordance", type=float, help="Share of right-or-wrong items that one system alone gets right.")
@click.option("--accuracy", type=float, help="The baseline's accuracy; errors count as independent without --discordance.")
@click.option("--pilot", multiple=True, metavar="FILE [FILE]", help="Scores to take the spread from; columns as in `compare`.")
@click.option("--repeats", type=int, help="Runs of each system per item.  [default: 1]")
@click.option("--within", type=float, help="Standard deviation of the difference between two runs on one item.")
@click.option("--cluster-size", type=float, help="Items per cluster, such as a document.  [default: 1]")
@click.option("--icc", type=float, help="Correlation of differences within a cluster.  [default: 0]")
@click.option("--scores", nargs=2, metavar="A B", help="Two printed accuracies: which p are possible? Needs --n.")
@click.option("--retrospective", is_flag=True, help="With --pilot: try the test on samples like the pilot.")
@click.option("--test", default="permutation", show_default=True, help="The test to try; see `outscore tests`.")
@click.option("--replicates", type=int, default=200, show_default=True, help="Samples for each size.")
@click.option("--system", "systems", multiple=True, metavar="NAME", help="Which systems of a table; twice.")
@click.option("--item", help="Column of a table with the item.")
@click.option("--score", help="Column with the score.")
@click.option("--cluster", help="Column with the cluster.")
@click.option("--repeat", help="Column with the run.")
@click.option(
    "--alternative", type=click.Choice(ALTERNATIVES), default="two-sided", show_default=True, help="greater: A better."
)
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Significance level.")
@click.option("--seed", type=int, default=0, show_default=True, help="For the retrospective samples.")
@click.option("--format", "form", type=click.Choice(FORMS), default="text", show_default=True, help="Form of the output.")
def plan(files: tuple[str, ...], pilot: tuple[str, ...], form: str, **asked: Any) -> None:  # noqa: ANN401
    """Plan a comparison: required items, detectable difference, or power.

    \b
      outscore plan --effect .02 --sd .3              how many items?
      outscore plan --n 1000 --discordance .1         how small a difference?
      outscore plan --effect .02 --accuracy .87       right-or-wrong items
      outscore plan --effect .02 --pilot a.txt b.txt  spread from data
      outscore plan --scores .871 .864 --n 1000       which p can it be?
    """  # noqa: D301 - click wants the backspace itself: keep these lines as they are
    paths = (*pilot, *files)
    if files and not pilot:
        raise OutscoreError(f"`{files[0]}` was named without --pilot.", "Write --pilot before the files to plan from.")
    if asked["scores"] is not None:
        found: PlanResult | PossibleP = _possible(paths, asked)
    elif paths:
        found = _from_pilot(paths, asked)
    else:
        found = _from_numbers(asked)
    if form == "json":
        click.echo(json.dumps(found.to_dict(), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        click.echo(render(found))


def _refuse(asked: dict[str, Any], names: Iterable[str], reason: str) -> None:
    for name in names:
        if asked[name]:
            option = "--system" if name == "systems" else f"--{name.replace('_', '-')}"
            raise OutscoreError(f"{option} {reason}.", "Leave one of them out.")


def _possible(paths: Sequence[str], asked: dict[str, Any]) -> PossibleP:
    _refuse(
        {**asked, "pilot": paths},
        ("effect", "sd", "discordance", "accuracy", "pilot", "repeats", "within", "cluster_size", "icc", *FROM_PILOT),
        "has no meaning beside --scores, which stand for themselves",
    )
    if asked["n"] is None:
        raise OutscoreError("--scores were given without the number of items.", "Add --n, for example --n 1000.")
    from outscore.procedure.plan import possible_p

    a, b = asked["scores"]
    return possible_p(a, b, asked["n"], alpha=asked["alpha"], alternative=asked["alternative"])


def _design(asked: dict[str, Any]) -> dict[str, Any]:
    names = ("power", "alpha", "alternative", "repeats", "within", "cluster_size", "icc")
    return {name: asked[name] for name in names if asked[name] is not None}


def _from_numbers(asked: dict[str, Any]) -> PlanResult:
    _refuse(asked, FROM_PILOT, "needs a pilot: name its files with --pilot, or do without")
    from outscore.procedure.plan import plan as plan_numbers

    return plan_numbers(effect=asked["effect"], n=asked["n"], **{name: asked[name] for name in FROM_NUMBERS}, **_design(asked))


def _from_pilot(paths: Sequence[str], asked: dict[str, Any]) -> PlanResult:
    _refuse(asked, FROM_NUMBERS, "is what the pilot is there to tell")
    both = _read(paths, asked)
    from outscore.procedure.pilot import paired_pilot, plan_from_pilot, retrospective_curves

    labels: dict[str, Any] = {"items": both.items, "clusters": both.clusters}
    result = plan_from_pilot(both.a, both.b, effect=asked["effect"], n=asked["n"], **labels, **_design(asked))
    result = replace(result, notes=[*both.notes, *result.notes])
    if not asked["retrospective"]:
        return result
    pairs, metric = paired_pilot(both.a, both.b, **labels)
    names = ("test", "alternative", "alpha", "replicates", "seed")
    with _progress() as report:
        curves = retrospective_curves(pairs, metric, **{name: asked[name] for name in names}, progress=report)
    return replace(result, retrospective=curves)


def _read(paths: Sequence[str], asked: dict[str, Any]) -> TwoSystems:
    """One file with both systems, or one for each."""
    if len(paths) > 2:
        raise OutscoreError(f"{len(paths)} pilot files were named.", "Give one file with both systems, or one for each.")
    columns = {name: asked[name] for name in COLUMNS if asked[name] is not None}
    return read_systems(paths, systems=asked["systems"] or None, **columns)


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None] | None]:
    """A bar on a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("samples", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def render(found: PlanResult | PossibleP) -> str:
    """The answer first, then what it rests on, at 80 columns."""
    from outscore.plans import PossibleP

    lines = [*textwrap.wrap(found.verdict, WIDTH), ""]
    rows = _possible_rows(found) if isinstance(found, PossibleP) else _plan_rows(found)
    for label, texts in rows:
        wrapped = [line for text in texts for line in _wrap(text)]
        heads = [label, *[""] * (len(wrapped) - 1)]
        lines += [f"{head:<{LABEL}}{line}".rstrip() for head, line in zip(heads, wrapped, strict=False)]
    return "\n".join(lines)


def _wrap(text: str) -> list[str]:
    # Columns of aligned numbers must survive, so short lines are left as they are.
    if len(text) <= WIDTH - LABEL:
        return [text]
    return textwrap.wrap(text, WIDTH - LABEL, subsequent_indent="  ", break_on_hyphens=False)


def _plan_rows(found: PlanResult) -> list[tuple[str, list[str]]]:
    methods = {
        "normal": "normal approximation, spread taken as known",
        "t": "paired t test (noncentral t)",
        "exact": "exact McNemar test, no approximation",
    }
    rows = [("method", [methods[found.method]])]
    if found.question == "items":
        rows.append(("computed", [f"n = {found.n:.10g}"]))
    if found.t_items is not None:
        rows.append(("t test", [f"{found.t_items:,} items, when the spread has to be estimated too"]))
    rows.append(("spread", [_spread(found)]))
    if found.cluster_size > 1:
        rows.append(("clusters", [f"design effect {found.design_effect:.4g} (icc {found.icc:.4g})"]))
    rows.append(("power", _curve(found.curve, "items   power at this difference")))
    for curve in found.retrospective:
        head = f"{curve.unit}   power of the {curve.test} test, {curve.kind} samples (95 % band)"
        rows.append(("tried out", _curve(curve.points, head)))
    if found.retrospective:
        rows.append(("", [found.retrospective[0].note]))
    rows.append(("notes", found.notes))
    return rows


def _spread(found: PlanResult) -> str:
    if found.basis == "discordance":
        return f"discordance {found.discordance:.4g}"
    if found.basis == "standardised":
        return "the effect is in units of the standard deviation"
    runs = f", {found.within:.4g} between runs ({found.repeats} per item)" if found.within else ""
    return f"standard deviation of the items' differences {found.sd:.4g}{runs}"


def _curve(points: Sequence[PowerPoint], head: str) -> list[str]:
    width = max([len(f"{point.n:,}") for point in points], default=0)
    width = max(width, len(head.split(maxsplit=1)[0]))
    rows = [f"{head.split(maxsplit=1)[0]:>{width}}   {head.split(maxsplit=1)[1].strip()}"] if points else []
    for point in points:
        band = "" if point.low is None or point.high is None else f"   ({point.low:.2f} to {point.high:.2f})"
        rows.append(f"{point.n:>{width},}   {point.power:.3f}{band}")
    return rows


def _possible_rows(found: PossibleP) -> list[tuple[str, list[str]]]:
    def right(counts: tuple[int, int]) -> str:
        low, high = counts
        return f"{low:,}" if low == high else f"{low:,} to {high:,}"

    least, most = found.discordant
    answers = [
        f"{score}: {right(counts)} of {found.n:,} right" for score, counts in zip(found.scores, found.right, strict=True)
    ]
    return [
        ("scores", answers),
        ("lowest p", [f"{found.lowest.value:.4g}   when they differ on {least:,} items"]),
        ("highest p", [f"{found.highest.value:.4g}   when they differ on {most:,} items"]),
        ("independent", [f"{found.independent.value:.4g}   if their errors had nothing to do with each other"]),
        ("test", [f"exact McNemar test, {found.alternative}"]),
        ("notes", found.notes),
    ]
