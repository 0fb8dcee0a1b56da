"""Write what follows from declarations: `src/outscore/api.py`, the public functions, the stub of the package, the JSON schemas.

`python docs/write_api.py` rewrites the files, `python docs/write_api.py --check` fails when one is out of date. Signatures,
defaults and docstrings come from the declared options; this file adds what a request does not know: the data that Python
callers pass, what is returned, and an example that runs.
"""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from outscore import PUBLIC
from outscore.core.options import Option
from outscore.results.rendering import json_text
from outscore.results.saved import SAVED, SUFFIX, kind_of, schema_of
from outscore.workflows.requests import shared
from outscore.workflows.requests.base import Request
from outscore.workflows.requests.registry import FILE_REQUESTS, REQUESTS

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "outscore"
TARGET = PACKAGE / "api.py"
STUB = PACKAGE / "__init__.pyi"
SCHEMAS = PACKAGE / "results" / "schema_files"
WIDTH = 110
DATA = "ArrayLike | Mapping[str, ArrayLike] | Scores | Path | Table"


@dataclass(frozen=True)
class Argument:
    """A parameter that is not an option: data, or who does the work."""

    name: str
    annotation: str
    doc: str
    default: str | None = None


@dataclass(frozen=True)
class Front:
    """One public function: its request, or its options one by one, and what Python adds to them."""

    name: str
    summary: str
    returns: str
    returned: str
    home: str
    example: str
    request: type[Request] | None = None
    options: tuple[Option, ...] = ()
    positional: tuple[Argument, ...] = ()
    further: tuple[Argument, ...] = ()
    required: tuple[str, ...] = ()
    details: str = ""
    overloads: tuple[tuple[str, str, str], ...] = field(default=())
    """Return types that depend on one parameter: its name, its annotation, and what is returned then."""

    @property
    def declared(self) -> list[Option]:
        """The options that are keywords."""
        found = self.options if self.request is None else self.request.options()
        given = {argument.name for argument in (*self.positional, *self.further)}
        return [o for o in found if o.keyword is not None and o.keyword not in given and o.name != "files"]


ENGINE = Argument("engine", "Engine | None", "What does the work; None is this process. Results do not depend on it.", "None")
PROGRESS = Argument("progress", "Progress | None", "What to report progress to. Results do not depend on it.", "None")
SEGMENTS = Argument(
    "segments",
    "Path | None",
    "For texts, a CSV file to write the score of every segment by every metric to.",
    "None",
)
FRONTS = (
    Front(
        name="compare",
        request=REQUESTS["compare"],
        summary="Compare two systems: scores, difference with its interval, p-value, effects, power and a verdict in words.",
        details="H0 is that of the test; for the default test, the two systems are exchangeable on every item.",
        positional=(
            Argument(
                "a",
                DATA,
                "The scores of system A: one row per item, (n,) scores, or counts (n, 2) tp, errors; (n, 3) tp, fp, fn;"
                " (n, 4) tp, fp, fn, tn. Or what `read` returns, the path of a file, or a table (pandas, polars ...), which may"
                " contain both systems. A dictionary names a system by its scores, or both systems.",
            ),
            Argument(
                "b",
                f"{DATA} | None",
                "The scores of system B, in the same form and order as `a`; pandas Series are matched by their index.",
                "None",
            ),
        ),
        further=(
            Argument(
                "labels", "Sequence[str] | None", "What to call the rows of arrays; files and `Scores` have item ids.", "None"
            ),
        ),
        returns="Comparison | Comparisons",
        returned="The comparison; with `slices`, the whole and every slice, and with `measure`, every measure, as one family.",
        overloads=(
            ("slices", "None", "Comparison"),
            ("slices", "ArrayLike | Mapping[str, ArrayLike] | str", "Comparisons"),
            ("measure", "list[str]", "Comparisons"),
        ),
        home="outscore.workflows.compare.run",
        example="""
        >>> result = compare([0.9, 0.7, 0.8, 0.9, 1.0, 0.6], [0.5, 0.4, 0.7, 0.6, 0.8, 0.5], names=("new", "old"))
        >>> result.verdict.split(":")[0], result.p.value
        ('new outscored old', 0.03125)
        >>> parts = compare([3, 4, 5, 1], [1, 2, 1, 2], slices={"topic": ["x", "x", "x", "y"]})
        >>> [(part.slice.value, part.p.value, part.p.adjusted) for part in parts.comparisons[1:]]
        [('x', 0.25, 0.5), ('y', 1.0, 1.0)]
        """,
    ),
    Front(
        name="show",
        request=REQUESTS["show"],
        summary="List what evaluation logs contain: systems, tasks, filters, scores, items and rows without a score.",
        positional=(Argument("paths", "Path | Sequence[Path]", "A log, a folder of logs, or several of them."),),
        returns="Logs",
        returned="The listing, with the command that compares the systems in it.",
        home="outscore.workflows.show.run",
        example="""
        >>> show("no-such-log.json")
        Traceback (most recent call last):
        ...
        outscore.core.errors.OutscoreError: `no-such-log.json` does not exist. ...
        """,
    ),
    Front(
        name="convert",
        request=FILE_REQUESTS["convert"],
        summary="Write logs of evaluation harnesses as Every Eval Ever: a line per item and score, and the totals beside them.",
        details="Both files are written, or neither, and read back with the same systems, items, scores and repeats.",
        positional=(
            Argument("paths", "Path | Sequence[Path]", "A log, a folder of logs, or several of them."),
            Argument("output", "Path", "The file of samples, `NAME_samples.jsonl`; `NAME.json` is written beside it."),
        ),
        returns="Logs",
        returned="What was written, as `show` lists it.",
        home="outscore.workflows.convert",
        example="""
        >>> convert("no-such-log.json", "new_samples.jsonl")
        Traceback (most recent call last):
        ...
        outscore.core.errors.OutscoreError: `no-such-log.json` does not exist. ...
        """,
    ),
    Front(
        name="score",
        request=REQUESTS["score"],
        summary="Score one system, or several separately: interval, noise floor, and the smallest detectable difference.",
        details=("An interval is about one system alone; `compare` and `rank` answer whether two systems differ."),
        positional=(
            Argument(
                "scores",
                "ArrayLike | Mapping[str, ArrayLike] | Scores | Sequence[Scores] | Sequence[Path] | Path | Table",
                "The scores of one system, (n,) or counts (n, k); a dictionary of them by system; what `read` returns; a table"
                " (pandas, polars ...); or paths: a table, a log, or a file for each system.",
            ),
        ),
        returns="ScoreResult",
        returned="A score with its interval for each system, and what the test set can detect.",
        home="outscore.workflows.score.run",
        example="""
        >>> found = score([1, 0, 1, 1, 1, 0, 1, 1] * 5, names=["new"])
        >>> found.systems[0].value, round(found.systems[0].low, 3), round(found.systems[0].detectable.independent, 3)
        (0.75, 0.598, 0.331)
        """,
    ),
    Front(
        name="gate",
        request=REQUESTS["gate"],
        summary="Decide whether a candidate may replace a baseline: pass, fail or inconclusive, for continuous integration.",
        details=(
            "With Δ the candidate's lead and m the margin: pass where Δ <= -m is rejected, else fail where Δ >= 0 is, both"
            " one-sided at `alpha`, else inconclusive. H0 at -m is tested without assuming a shape where the range of"
            " the scores is known (Gaffke's bounded mean), by Tango's score test for right-or-wrong items, by the bootstrap for"
            " metrics that are not means; in no case does a loss that has not shown count as absent."
        ),
        positional=(
            Argument(
                "baseline",
                f"{DATA} | Texts",
                "The scores of the baseline, in any form that `compare` takes; with `reference` its texts. A file or table"
                " alone contains both systems, the baseline first.",
            ),
            Argument("candidate", f"{DATA} | Texts | None", "The scores of the candidate, in the same form.", "None"),
        ),
        returns="GateResult",
        returned="The outcome, with the comparison behind it; scripts need its `passed` or `exit_code`.",
        home="outscore.workflows.gate",
        example="""
        >>> old, new = [1, 0, 1, 1] * 100, [1, 0, 1, 1] * 99 + [1, 1, 1, 0]
        >>> found = gate(old, new, margin=0.02)
        >>> found.outcome, found.exit_code, round(found.not_worse.value, 4)
        ('pass', 0, 0.0036)
        """,
    ),
    Front(
        name="compare_texts",
        request=REQUESTS["texts"],
        summary="Compare two systems' texts, metric by metric, with p-values corrected for the number of metrics.",
        positional=(
            Argument(
                "a",
                "Texts",
                "The output of system A: a list of segments, or the path of a text file. A list of lists, or of"
                " `pathlib.Path`, is several runs. A single string is a path, a string in a list is a segment.",
            ),
            Argument("b", "Texts", "The output of system B, in the same form."),
            Argument("reference", "Texts", "The reference, in the same form; a list of lists or of `pathlib.Path` is several."),
        ),
        further=(
            Argument("unit_advice", "bool", shared.UNIT_ADVICE.doc, "False"),
            Argument(
                "jobs",
                "int | None",
                "How many processes compute the statistics: None or 1 is this process alone, 0 is one for each processor.",
                "None",
            ),
            Argument(
                "cache",
                "StatisticsCache | Path | None",
                "Where to keep statistics: a folder or a `StatisticsCache`; None is the default folder.",
                "None",
            ),
            SEGMENTS,
            PROGRESS,
        ),
        returns="Comparisons",
        returned="A comparison for each metric, as one family.",
        home="outscore.workflows.texts.run",
        example="""
        >>> reference = ["the cat sat on the mat", "it was late", "we go home now"]
        >>> a, b = ["the cat sat on a mat", "it was late", "we go home"], ["a cat is on mat", "it late", "we go"]
        >>> found = compare_texts(a, b, reference, metrics=["ter", "wer"])
        >>> [(c.metric, c.difference < 0, c.p.value, c.p.method) for c in found.comparisons]
        [('TER', True, 0.25, 'exact'), ('WER', True, 0.25, 'exact')]
        """,
    ),
    Front(
        name="rank",
        request=REQUESTS["rank"],
        summary="Rank many systems: scores with intervals, all pairs tested and corrected, groups that cannot be told apart.",
        details=(
            "H0 of each pair is that of the test; systems are compared on the items both have. Several datasets are ranked"
            " separately, and together by their macro average, which is tested as its own statistic. With `reference`, texts"
            " are ranked instead of scores; with `gold` and `task`, outputs."
        ),
        positional=(
            Argument(
                "scores",
                "Mapping[str, ArrayLike] | Mapping[str, Texts] | Sequence[Scores] | Sequence[Path] | Path | Table",
                "A dictionary of arrays by system, (n,) scores or (n, k) counts of the same items in the same order; what"
                " `read` returns; a table (pandas, polars ...), long (item, system, score) or wide (a column per system); or"
                " paths: a table, a file for each system or dataset, a folder of Parquet parts. Texts and outputs are given by"
                " system, or as paths.",
            ),
        ),
        further=(SEGMENTS, ENGINE, PROGRESS),
        returns="Ranking",
        returned="The systems, best first, with all pairs and groups.",
        home="outscore.workflows.rank.run",
        example="""
        >>> right = {"new": [1, 1, 1, 1, 1, 1, 1, 1], "old": [0, 0, 0, 0, 0, 0, 0, 1], "base": [0, 0, 0, 0, 0, 0, 0, 0]}
        >>> found = rank(right, metric="accuracy")
        >>> found.systems, [pair.p.adjusted for pair in found.pairs], found.groups
        (['new', 'old', 'base'], [0.03125, 0.0234375, 1.0], [['new'], ['old', 'base']])
        """,
    ),
    Front(
        name="prefer",
        request=REQUESTS["prefer"],
        summary="Analyse battles between systems: win rates, strengths and places, with prompts as the units of resampling.",
        details=(
            "H0 for two systems: they are exchangeable on every prompt, so swapping their names flips all verdicts on it."
            " Votes on one prompt, whatever their order or judge, are swapped as one."
        ),
        positional=(
            Argument(
                "battles",
                "Path | Sequence[Path] | Table | Mapping[str, Sequence[object]]",
                "Battles: a file or a folder of files, several of them, or a table (pandas, polars, a dictionary of columns)"
                " with columns such as prompt, model_a, model_b and winner.",
            ),
        ),
        further=(
            replace(
                ENGINE,
                doc="What counts the battles of Parquet files in parts, on a cluster or beyond memory; None is this process.",
            ),
            PROGRESS,
        ),
        returns="Preference",
        returned="Pairs, strengths, and how verdicts depend on position, length and judge.",
        home="outscore.workflows.prefer.run",
        example="""
        >>> import polars as pl
        >>> first, second, winner = ["new"] * 7 + ["old"] * 7, ["old"] * 7 + ["new"] * 7, ["new"] * 6 + ["tie"] + ["new"] * 7
        >>> votes = {"prompt": [*range(7)] * 2, "model_a": first, "model_b": second, "winner": winner}
        >>> found = prefer(pl.DataFrame(votes))
        >>> found.headline, round(found.pairs[0].win_rate, 4), found.pairs[0].p.value
        ('new is preferred to old', 0.9643, 0.015625)
        """,
    ),
    Front(
        name="diff",
        request=REQUESTS["diff"],
        summary="Compare the outputs of systems, unit by unit: what each corrected, broke and changed, and whether it is real.",
        positional=(
            Argument("gold", "object", 'The right answers: a path, `Outputs`, or (for ``task="label"``) a list of labels.'),
            Argument("systems", "object", "The outputs of one system or more, in the same form: one, a list, or a dictionary."),
        ),
        further=(Argument("names", "", "", None),),
        required=("task",),
        returns="Diff",
        returned="The scores of all systems, and what changed between each pair.",
        home="outscore.workflows.diff.run",
        example="""
        >>> found = diff(list("ABCDE"), {"S1": list("ABCXY"), "S2": list("ZBCDU")}, task="label")
        >>> pair = found.pairs[0]
        >>> pair.differ, pair.outcomes.correction, pair.outcomes.new_error, found.oracle.all.rate
        (0.6, 1, 1, 0.8)
        """,
    ),
    Front(
        name="plan",
        request=REQUESTS["plan"],
        summary="Plan a comparison: required items, detectable difference or power; or which p two printed scores allow.",
        details=(
            "Give `effect` to learn how many items detect it, `n` to learn what they can detect, or both to learn the power."
            " The spread comes from `sd`, `discordance` or `accuracy`, or from a pilot."
        ),
        further=(PROGRESS,),
        returns="PlanResult | PossibleP | PossibleTable",
        returned="The plan; with `scores` or `table`, the range of p-values they allow.",
        overloads=(
            ("scores", "None", "PlanResult"),
            ("scores", "tuple[str | float, str | float]", "PossibleP"),
            ("table", "Path | Mapping[str, str | float]", "PossibleTable"),
        ),
        home="outscore.workflows.plan.run",
        example="""
        >>> plan(effect=0.03, sd=1 / 3).items
        971
        >>> plan(scores=(".871", ".864"), n=1000).verdict.split(",")[0]
        'p lies between .016 and .71'
        """,
    ),
)
PERMUTATION = Front(
    name="permutation_test",
    summary="The p-value of the paired permutation test, exact wherever possible.",
    details=(
        "H0: the two systems are exchangeable on every item. p is the share of all swaps with a difference in `metric` at least"
        " as extreme as the observed one, ties included (Zmigrod, Vieira and Cotterell, 2022)."
    ),
    options=(shared.ALTERNATIVE, shared.DELTA, shared.ITEM, shared.CLUSTER, shared.SEED),
    positional=(
        Argument("a", "ArrayLike | Scores", "The scores of system A, as in `compare`."),
        Argument("b", "ArrayLike | Scores", "The scores of system B, in the same form and order as `a`."),
    ),
    further=(
        Argument(
            "metric",
            "str | AdditiveMetric",
            'A name with options such as ``"fbeta:beta=2"``, or an `AdditiveMetric`.',
            '"mean"',
        ),
        Argument(
            "method",
            'Literal["auto", "exact", "spectral", "certified", "dp", "fft", "monte-carlo"]',
            "How p is computed. A method that does not work for the data is an error, never replaced silently.",
            '"auto"',
        ),
        Argument(
            "resamples",
            "int | None",
            "How many swaps Monte Carlo draws if no exact method works; None is the test's default.",
            "None",
        ),
    ),
    returns="PValue",
    returned="The p-value with its bounds and how it was computed.",
    home="outscore.workflows.compare.arrays",
    example="""
    >>> p = permutation_test([1, 1, 0, 1, 1, 1], [0, 0, 0, 1, 0, 0])
    >>> float(p), p.method
    (0.125, 'exact')
    """,
)
HEAD = '''"""The public functions. Written from the requests by `make api`: change the declarations, not this file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from outscore.core.metric import AdditiveMetric
    from outscore.engine.engines import Engine
    from outscore.engine.progress import Progress
    from outscore.formats.segments import Segments
    from outscore.metrics.cache import StatisticsCache
    from outscore.results.comparison import Comparison, Comparisons
    from outscore.results.diff import Diff
    from outscore.results.gate import GateResult
    from outscore.results.logs import Logs
    from outscore.results.plan import PlanResult, PossibleP
    from outscore.results.plan import PossibleTable
    from outscore.results.preference import Preference
    from outscore.results.pvalue import PValue
    from outscore.results.ranking import Ranking
    from outscore.results.score import ScoreResult
    from outscore.scores.system import Scores

    Path = str | os.PathLike[str]
    Texts = Sequence[str] | Sequence[Sequence[str]] | Sequence[os.PathLike[str]] | Segments | Path
    Table = Any  # a dataframe of whichever library: anything with named columns

__all__ = [NAMES]
'''


def annotation_of(option: Option) -> str:
    """The Python type of an option."""
    if option.annotation:
        return option.annotation
    known = list(option.known) if option.kind == "value" and option.type is str and not option.many else []
    word = f"Literal[{', '.join(map(_quoted, known))}]" if known else option.type.__name__
    if isinstance(option.default, tuple):
        return "Sequence[str] | None" if option.kind == "names" else "str | Sequence[str]"
    return f"{word} | None" if option.default is None else word


def default_of(option: Option) -> str:
    """The default of an option as a Python literal; None if the request's default differs from what Python takes."""
    if option.annotation.endswith("None") or (option.kind == "names" and option.default == ()):
        return "None"
    return _quoted(option.default) if isinstance(option.default, str) else repr(option.default)


def _quoted(text: str) -> str:
    return f'"{text}"'


def parameters(front: Front) -> list[tuple[str, str, str | None, str]]:
    """Keyword parameters: name, annotation, default and text."""
    found = []
    for option in front.declared:
        default = None if option.name in front.required else default_of(option)
        annotation = annotation_of(option)
        if option.name in front.required:
            annotation = annotation.removesuffix(" | None")
        text = option.doc or re.sub("; (repeatable|give (it|the option) twice)", "", option.help)
        if option.default_text and not option.doc:
            text = f"{text} None means: {option.default_text}."
        found.append((str(option.keyword), annotation, default, text))
    # Required parameters come first.
    found.sort(key=lambda one: one[2] is not None)
    return [*found, *((a.name, a.annotation, a.default, a.doc) for a in front.further if a.annotation)]


def signature(front: Front, returns: str, replaced: tuple[str, str] | None = None) -> str:
    """The `def` line of a function; `replaced` gives one parameter another annotation."""
    words = [_parameter(a.name, a.annotation, a.default) for a in front.positional]
    words.append("*")
    decide = {name for name, _, _ in front.overloads}
    for name, annotation, default, _ in parameters(front):
        if replaced is not None and replaced[0] == name:
            # A parameter that decides what is returned has no default unless it is None.
            words.append(_parameter(name, replaced[1], default if replaced[1] == "None" else None))
        elif replaced is not None and name in decide:
            # Other parameters that decide what is returned are left out in this case.
            words.append(_parameter(name, "None" if default == "None" else "tuple[()]", default))
        else:
            words.append(_parameter(name, annotation, default))
    return f"def {front.name}({', '.join(words)}) -> {returns}:"


def _parameter(name: str, annotation: str, default: str | None) -> str:
    return f"{name}: {annotation}" if default is None else f"{name}: {annotation} = {default}"


def docstring(front: Front) -> str:
    """The numpydoc of a function."""
    lines = [front.summary, ""]
    if front.details:
        lines += [*_wrapped(front.details, WIDTH), ""]
    lines += ["Parameters", "----------"]
    positional = [(a.name, a.annotation, a.default, a.doc) for a in front.positional]
    for name, annotation, default, text in (*positional, *parameters(front)):
        # Allowed words are listed in the signature, where editors show them.
        shown = re.sub(r"Literal\[.*?\]", "str", annotation)
        lines.append(f"{name} : {shown}" + ("" if default is None else f", default {default}"))
        lines += [f"    {line}" for line in _wrapped(_sentence(text), WIDTH - 8)]
    lines += ["", "Returns", "-------", front.returns, *(f"    {line}" for line in _wrapped(front.returned, WIDTH - 8))]
    lines += ["", "Raises", "------", "OutscoreError", "    If the data or an option cannot be used; the message says why."]
    lines += ["", "Examples", "--------", *textwrap.dedent(front.example).strip().splitlines()]
    return "\n".join(lines)


def _wrapped(text: str, width: int) -> list[str]:
    """The lines of a text, none of which ends inside a value such as ``"items-and-runs"``."""
    return textwrap.wrap(text, width, break_on_hyphens=False)


def _sentence(text: str) -> str:
    """A text in one line, with options as Python writes them."""
    plain = re.sub(r"--([a-z][a-z-]*)", lambda found: f"`{found[1].replace('-', '_')}`", " ".join(text.split()))
    return plain if plain.endswith((".", "?")) else f"{plain}."


def function(front: Front, target: str) -> str:
    """The whole function, with its overloads."""
    parts = [f"@overload\n{signature(front, returns, (name, kind))} ..." for name, kind, returns in front.overloads]
    names = [name for name, *_ in parameters(front)]
    given = ", ".join([*(a.name for a in front.positional), *(f"{name}={name}" for name in names)])
    body = f'"""{docstring(front)}\n"""\nfrom {front.home} import {target}\n\nreturn {target}({given})'
    parts.append(f"{signature(front, front.returns)}\n{textwrap.indent(body, '    ')}")
    return "\n\n\n".join(parts)


def api(fronts: Sequence[Front] = FRONTS) -> str:
    """The text of the module of public functions."""
    names = ", ".join(_quoted(name) for name in sorted([*(front.name for front in fronts), PERMUTATION.name]))
    functions = [*(function(front, "call") for front in fronts), function(PERMUTATION, "permutation_test")]
    return _formatted("\n\n\n".join([HEAD.replace("NAMES", names), *functions]) + "\n", TARGET)


def stub() -> str:
    """The stub of the package: what is public, for those that do not run `__getattr__`."""
    lines = [f"from {module} import {', '.join(f'{name} as {name}' for name in names)}" for module, names in PUBLIC.items()]
    head = "from outscore._version import __version__ as __version__"
    return _formatted("\n".join([head, *lines, "", "PUBLIC: dict[str, tuple[str, ...]]", ""]), STUB)


def _formatted(text: str, target: Path) -> str:
    for words in (["check", "--select", "I", "--fix", "--quiet"], ["format"]):
        command = [sys.executable, "-m", "ruff", *words, "--stdin-filename", str(target), "-"]
        text = subprocess.run(command, input=text, capture_output=True, text=True, check=True, encoding="utf-8").stdout
    return text


def schemas() -> dict[Path, str]:
    """The JSON schema of every kind of result, by its file."""
    return {SCHEMAS / (kind_of(name) + SUFFIX): json_text(schema_of(name)) for name in SAVED}


def main(arguments: list[str]) -> int:
    """Rewrite, or check."""
    stale = 0
    wanted = {TARGET: api(), STUB: stub(), **schemas()}
    for target, new in wanted.items():
        if target.exists() and target.read_text(encoding="utf-8") == new:
            continue
        if "--check" in arguments:
            print(f"{target.name}: out of date, run `make api`")
            stale = 1
        else:
            target.parent.mkdir(exist_ok=True)
            target.write_text(new, encoding="utf-8")
            print(f"{target.name}: renewed")
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
