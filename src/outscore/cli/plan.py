"""`outscore plan`: how many items, how small a difference, how likely a verdict; and what two printed scores leave possible."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from outscore.cli.config import input_settings
from outscore.cli.inputs import TwoSystems, read_systems
from outscore.cli.output import SUFFIXES, check_outputs, check_suffixes, write_with_charts
from outscore.cli.shared import given_files, output_options, shared
from outscore.core.errors import OutscoreError

if TYPE_CHECKING:
    from outscore.engine.progress import Progress
    from outscore.results.plan import PlanResult, PossibleP

__all__ = ["check_plan_outputs", "deliver", "plan"]

METHODS = ("auto", "normal", "t", "exact")
COLUMNS = ("item", "score", "cluster", "repeat")
# What a pilot estimates by itself, what only a pilot can use, and what only a try-out can.
FROM_NUMBERS = ("sd", "discordance", "accuracy")
FROM_PILOT = ("retrospective", "systems", *COLUMNS)
FROM_TRIALS = ("test", "replicates")
DESIGN = ("alpha", "alternative", "repeats", "within", "cluster_size", "icc", "method")


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE]")
@click.option("--effect", type=float, help="The difference A - B to detect; with no spread given, in standard deviations.")
@click.option("--n", type=click.IntRange(min=1), help="How many items there are.")
@click.option("--power", type=float, default=0.8, show_default=True, help="Chance of detecting it.")
@click.option("--sd", type=float, help="Standard deviation between items of the difference A - B.")
@click.option("--discordance", type=float, help="Share of right-or-wrong items that one system alone gets right.")
@click.option("--accuracy", type=float, help="The baseline's accuracy; errors count as independent without --discordance.")
@click.option("--pilot", multiple=True, metavar="FILE [FILE]", help="Scores to take the spread from; columns as in `compare`.")
@click.option("--repeats", type=int, help="Runs of each system per item.  [default: 1]")
@click.option("--within", type=float, help="Standard deviation of the difference between two runs on one item.")
@click.option("--cluster-size", type=float, help="Items per cluster, such as a document.  [default: 1]")
@click.option("--icc", type=float, help="Correlation of differences within a cluster.  [default: 0]")
@click.option("--scores", nargs=2, metavar="A B", help="Two printed accuracies: which p are possible? Needs --n.")
@click.option("--retrospective", is_flag=True, help="With --pilot: try a test on samples like the pilot.")
@click.option("--test", metavar="NAME", help="The test to try; see `outscore tests`.  [default: permutation]")
@click.option("--replicates", type=click.IntRange(min=1), help="Samples to try it on, for each size.  [default: 200]")
@click.option("--system", "systems", multiple=True, metavar="NAME", help="Which system of a table; give it twice.")
@shared("item")
@click.option("--score", metavar="COLUMN", help="Column of the scores.")
@click.option("--cluster", metavar="COLUMN", help="Column of documents, conversations ...")
@click.option("--repeat", metavar="COLUMN", help="Column of epochs, seeds, samples.")
@click.option(
    "--method", type=click.Choice(METHODS), default="auto", show_default=True, help="Whose power: normal, t or McNemar's."
)
@shared("alternative", "alpha")
@click.option("--seed", type=int, default=0, show_default=True, help="For the samples of --retrospective.")
@output_options(endings=SUFFIXES, verbose="Show whole curves and settings too.")
@click.pass_context
def plan(
    context: click.Context,
    /,
    files: tuple[str, ...],
    pilot: tuple[str, ...],
    form: str,
    outputs: tuple[str, ...],
    charts: str | None,
    *,
    verbose: bool,
    **asked: Any,  # noqa: ANN401 - one per option above
) -> None:
    """Plan a comparison: required items, detectable difference, or power.

    \b
      outscore plan --effect .02 --sd .3              how many items?
      outscore plan --n 1000 --discordance .1         how small a difference?
      outscore plan --effect .02 --accuracy .87       right-or-wrong items
      outscore plan --effect .02 --pilot a.txt b.txt  spread from data
      outscore plan --scores .871 .864 --n 1000       which p can it be?

    Effects are differences in the metric's own unit: .02 is 2 points of accuracy.
    """  # noqa: D301 - click wants the backspace itself: keep these lines as they are
    files = given_files(context, files)
    paths = (*pilot, *files)
    if files and not pilot:
        raise OutscoreError(f"`{files[0]}` was named without --pilot.", "Write --pilot before the files to plan from.")
    check_plan_outputs(outputs, charts, paths)
    if asked["scores"] is not None:
        found: PlanResult | PossibleP = _possible(paths, asked)
    elif paths:
        found = _from_pilot(paths, asked)
    else:
        found = _from_numbers(asked)
    from outscore.workflows.versions import versions

    found = replace(found, settings={**_settings(paths, asked), **found.settings, "versions": versions()})
    deliver(found, form, outputs, charts, verbose=verbose)


def check_plan_outputs(outputs: Iterable[str], charts: str | None, inputs: Iterable[str]) -> None:
    """Refuse what could not be written before any work is done."""
    check_suffixes(outputs, SUFFIXES)
    check_outputs(outputs, charts, inputs)


def deliver(
    found: PlanResult | PossibleP, form: str, outputs: Iterable[str], charts: str | None, *, verbose: bool = False
) -> None:
    """Write a plan to its files, and print it; nothing is written unless everything could be made."""
    from outscore.report.render import render

    texts = {path: render(found, SUFFIXES[Path(path).suffix.lower()], verbose=verbose) for path in outputs}
    shown = render(found, form, verbose=verbose)
    # Files first: a closed pipe must not cost the saved result.
    write_with_charts(texts, found, charts)
    click.echo(shown, nl=False)


def _settings(paths: Sequence[str], asked: dict[str, Any]) -> dict[str, Any]:
    """What repeats the plan: the options that were asked for, by their long names."""
    given = {("system" if name == "systems" else name).replace("_", "-"): value for name, value in asked.items()}
    listed = {name: list(value) if isinstance(value, tuple) else value for name, value in given.items()}
    # Sorted: the order in which options were given must not show.
    return {name: value for name, value in sorted({"pilot": list(paths), **listed}.items()) if value not in (None, False, [])}


def _refuse(asked: dict[str, Any], names: Iterable[str], reason: str) -> None:
    for name in names:
        if asked[name]:
            option = "--system" if name == "systems" else f"--{name.replace('_', '-')}"
            raise OutscoreError(f"{option} {reason}.", "Leave one of them out.")


def _possible(paths: Sequence[str], asked: dict[str, Any]) -> PossibleP:
    unused = ("effect", *FROM_NUMBERS, "pilot", "repeats", "within", "cluster_size", "icc", *FROM_PILOT, *FROM_TRIALS)
    _refuse({**asked, "pilot": paths}, unused, "has no meaning beside --scores, which stand for themselves")
    if asked["n"] is None:
        raise OutscoreError("--scores were given without the number of items.", "Add --n, for example --n 1000.")
    from outscore.workflows.plan.answer import possible_p

    a, b = asked["scores"]
    return possible_p(a, b, asked["n"], alpha=asked["alpha"], alternative=asked["alternative"])


def _design(asked: dict[str, Any], *more: str) -> dict[str, Any]:
    return {name: asked[name] for name in (*DESIGN, *more) if asked[name] is not None}


def _from_numbers(asked: dict[str, Any]) -> PlanResult:
    _refuse(asked, (*FROM_PILOT, *FROM_TRIALS), "needs a pilot: name its files with --pilot, or do without")
    from outscore.results.plan import StudyDesign
    from outscore.workflows.plan.answer import plan as plan_numbers

    design = StudyDesign(**_design(asked, "sd", "discordance"))
    return plan_numbers(design, **{name: asked[name] for name in ("effect", "n", "power", "accuracy")})


def _from_pilot(paths: Sequence[str], asked: dict[str, Any]) -> PlanResult:
    _refuse(asked, FROM_NUMBERS, "is what the pilot is there to tell")
    if not asked["retrospective"]:
        _refuse(asked, FROM_TRIALS, "is for --retrospective: a plan by itself is computed from the spread")
    both = _read(paths, asked)
    from outscore.workflows.plan.pilot import plan_from_pilot

    labels: dict[str, Any] = {"items": both.items, "clusters": both.clusters}
    question = {name: asked[name] for name in ("effect", "n", "power")}
    result = plan_from_pilot(both.a, both.b, **question, **labels, **_design(asked))
    result = replace(result, notes=[*both.notes, *result.notes], settings={"inputs": input_settings(both.tables)})
    return _tried(result, both, labels, asked) if asked["retrospective"] else result


def _tried(result: PlanResult, both: TwoSystems, labels: dict[str, Any], asked: dict[str, Any]) -> PlanResult:
    from outscore.engine.progress import terminal_progress
    from outscore.workflows.plan.pilot import paired_pilot, retrospective_curves

    pairs, metric = paired_pilot(both.a, both.b, **labels)
    names = (*FROM_TRIALS, "alternative", "alpha", "seed")
    given = {name: asked[name] for name in names if asked[name] is not None}
    with terminal_progress() as progress:
        return replace(result, retrospective=retrospective_curves(pairs, metric, **given, progress=_told(progress)))


def _read(paths: Sequence[str], asked: dict[str, Any]) -> TwoSystems:
    """One file with both systems, or one for each."""
    if len(paths) > 2:
        raise OutscoreError(f"{len(paths)} pilot files were named.", "Give one file with both systems, or one for each.")
    columns = {name: asked[name] for name in COLUMNS if asked[name] is not None}
    both = read_systems(paths, systems=asked["systems"] or None, **columns)
    if both.counts:
        raise OutscoreError("The pilot holds counts, a plan needs one score per item.", "Name their column with --score.")
    return both


def _told(progress: Progress) -> Callable[[int, int], None]:
    """Told by count and total, where the others are told step by step."""
    told = 0

    def tell(done: int, total: int) -> None:
        nonlocal told
        if not told:
            progress.begin("samples", total)
        progress.advance(done - told)
        told = done

    return tell
