"""Write what follows from declarations: `src/outscore/api.py`, the public functions, the stub of the package, the JSON schemas.

`python docs/write_api.py` rewrites the files, `python docs/write_api.py --check` fails when one is out of date. Signatures,
defaults and docstrings come from the declared options; what stands here is what a request does not know: the data that Python
callers hand over, what is returned, and an example that runs.
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
DATA = "ArrayLike | Scores | Path | Table"


@dataclass(frozen=True)
class Argument:
    """A parameter that is not an option: data, or what does the work."""

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
        options = self.options if self.request is None else self.request.options()
        arguments = {argument.name for argument in (*self.positional, *self.further)}
        return [o for o in options if o.keyword is not None and o.keyword not in arguments and o.name != "files"]


ENGINE = Argument(
    "engine", "Engine | None", "The engine that does the work; None is this process. No result depends on it.", "None"
)
PROGRESS = Argument("progress", "Progress | None", "Called with the progress of the work. No result depends on it.", "None")
SEGMENTS = Argument(
    "segments",
    "Path | None",
    "For texts, a CSV file to write: the score of every segment by every metric.",
    "None",
)
FRONTS = (
    Front(
        name="compare",
        request=REQUESTS["compare"],
        summary="Compare two systems: scores, difference with its interval, p-value, effects, power and a verdict in words.",
        details="H0 is that of the test; for the default test, the two systems are exchangeable item by item.",
        positional=(
            Argument(
                "a",
                DATA,
                "The scores of system A: one row per item, (n,) scores, or counts (n, 2) tp, errors; (n, 3) tp, fp, fn;"
                " (n, 4) tp, fp, fn, tn. Or what `read` gives, or the path of a file or a table (pandas, polars ...), which may"
                " contain both systems.",
            ),
            Argument(
                "b",
                f"{DATA} | None",
                "The scores of system B, in the same form and order as `a`; pandas series are matched by their labels.",
                "None",
            ),
        ),
        further=(
            Argument(
                "labels", "Sequence[str] | None", "What to call the rows of arrays; files and `Scores` have item ids.", "None"
            ),
        ),
        returns="Comparison | Comparisons",
        returned="The comparison; with `slices` the whole and every slice, with `measure` every measure, as one family.",
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
        returned="The listing, with the command that compares what was found.",
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
        details="Both files are written whole or not at all, and read back with the same systems, items, scores and repeats.",
        positional=(
            Argument("paths", "Path | Sequence[Path]", "A log, a folder of logs, or several of them."),
            Argument("output", "Path", "The file of samples, `NAME_samples.jsonl`; `NAME.json` is written beside it."),
        ),
        returns="Logs",
        returned="What was written, as `show` lists it.",
        home="outscore.workflows.convert.run",
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
        summary="The score of one system, or of several separately: interval, noise floor, what can be detected.",
        details=("An interval is about one system alone; whether two systems differ is the question of `compare` and `rank`."),
        positional=(
            Argument(
                "scores",
                "ArrayLike | Mapping[str, ArrayLike] | Scores | Sequence[Scores] | Sequence[Path] | Path | Table",
                "The scores of one system, (n,) or counts (n, k); a dictionary of these by system; what `read` gives; a table"
                " (pandas, polars ...); or paths: a table, a log, a file for each system.",
            ),
        ),
        returns="ScoreResult",
        returned="A score with its interval for each system, and what the test set can tell.",
        home="outscore.workflows.score.run",
        example="""
        >>> result = score([1, 0, 1, 1, 1, 0, 1, 1] * 5, names=["new"])
        >>> system = result.systems[0]
        >>> system.value, round(system.low, 3), round(system.detectable.independent, 3)
        (0.75, 0.598, 0.282)
        """,
    ),
    Front(
        name="gate",
        request=REQUESTS["gate"],
        summary="Whether a candidate may replace a baseline: pass, fail or inconclusive, for continuous integration.",
        details=(
            "With Δ the candidate's lead and m the margin: pass if Δ <= -m is rejected, otherwise fail if Δ >= 0 is, both"
            " one-sided at `alpha`, otherwise inconclusive. H0 at -m is that of the test: swaps of differences assumed to be"
            " symmetric about -m, Tango's score test for right-or-wrong items, the bootstrap for metrics that are not means."
        ),
        positional=(
            Argument(
                "baseline",
                f"{DATA} | Texts",
                "The scores of the baseline, in any form that `compare` takes; with `reference` its texts. A file or table"
                " on its own contains both systems, the baseline first.",
            ),
            Argument("candidate", f"{DATA} | Texts | None", "The scores of the candidate, in the same form.", "None"),
        ),
        returns="GateResult",
        returned="The outcome, with the comparison behind it; `passed` and `exit_code` are for scripts.",
        home="outscore.workflows.gate.run",
        example="""
        >>> old, new = [1, 0, 1, 1] * 100, [1, 0, 1, 1] * 99 + [1, 1, 1, 0]
        >>> result = gate(old, new, margin=0.02)
        >>> result.outcome, result.exit_code, round(result.not_worse.value, 4)
        ('pass', 0, 0.0036)
        """,
    ),
    Front(
        name="compare_texts",
        request=REQUESTS["texts"],
        summary="Compare two systems' texts, metric by metric, with p corrected for the number of metrics.",
        positional=(
            Argument(
                "a",
                "Texts",
                "The output of system A: a list of segments, or the path of a text file. A list of lists, or of"
                " `pathlib.Path`, is several runs. A string alone is a path, a string in a list is a segment.",
            ),
            Argument("b", "Texts", "The output of system B, in the same form."),
            Argument(
                "reference",
                "Texts",
                "The reference, in the same form; a list of lists or of `pathlib.Path` is several references.",
            ),
        ),
        further=(
            Argument("unit_advice", "bool", shared.UNIT_ADVICE.doc, "False"),
            Argument(
                "jobs",
                "int | None",
                "How many processes compute the statistics: None or 1 is this one alone, 0 is one for each processor.",
                "None",
            ),
            Argument(
                "cache",
                "StatisticsCache | Path | None",
                "Where statistics are kept: a folder or a `StatisticsCache`; None is the default folder.",
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
        >>> family = compare_texts(a, b, reference, metrics=["ter", "wer"])
        >>> [(c.metric, c.difference < 0, c.p.value, c.p.method) for c in family.comparisons]
        [('TER', True, 0.25, 'exact'), ('WER', True, 0.25, 'exact')]
        """,
    ),
    Front(
        name="rank",
        request=REQUESTS["rank"],
        summary="Rank many systems: scores with intervals, all pairs tested and corrected, groups that cannot be told apart.",
        details=(
            "H0 of each pair is that of the test; systems are compared on the items both have. Several datasets are ranked"
            " separately, and together by their macro average, which is tested as a statistic of its own. With `reference`,"
            " texts are ranked instead of scores; with `gold` and `task`, outputs are."
        ),
        positional=(
            Argument(
                "scores",
                "Mapping[str, ArrayLike] | Mapping[str, Texts] | Sequence[Scores] | Sequence[Path] | Path | Table",
                "A dictionary of arrays by system, (n,) scores or (n, k) counts of the same items in the same order; what"
                " `read` gives; a table (pandas, polars ...), long (item, system, score) or wide (a column per system); or"
                " paths: a table, a file for each system or dataset, a folder of Parquet parts. Texts and outputs are"
                " given by system, or as paths.",
            ),
        ),
        further=(SEGMENTS, ENGINE, PROGRESS),
        returns="Ranking",
        returned="The systems, best first, with all pairs and groups.",
        home="outscore.workflows.rank.run",
        example="""
        >>> right = {"new": [1, 1, 1, 1, 1, 1, 1, 1], "old": [0, 0, 0, 0, 0, 0, 0, 1], "base": [0, 0, 0, 0, 0, 0, 0, 0]}
        >>> ranking = rank(right, metric="accuracy")
        >>> ranking.systems, [pair.p.adjusted for pair in ranking.pairs], ranking.groups
        (['new', 'old', 'base'], [0.03125, 0.0234375, 1.0], [['new'], ['old', 'base']])
        """,
    ),
    Front(
        name="prefer",
        request=REQUESTS["prefer"],
        summary="Battles between systems: win rates, strengths and ranks, with prompts as the sampling units.",
        details=(
            "H0 for two systems: they are exchangeable on every prompt, so that swapping their names flips all its verdicts."
            " Votes on one prompt, whatever their order or judge, are swapped as one."
        ),
        positional=(
            Argument(
                "battles",
                "Path | Sequence[Path] | Table",
                "Battles: a file or a folder of files, several of them, or a table (pandas, polars ...) with columns such as"
                " prompt, model_a, model_b and winner.",
            ),
        ),
        further=(
            replace(
                ENGINE,
                doc="The engine that counts battles in parts, for Parquet on a cluster or beyond memory; None is this process.",
            ),
            PROGRESS,
        ),
        returns="Preference",
        returned="Pairs, strengths, and how much verdicts depend on position, length and judge.",
        home="outscore.workflows.prefer.run",
        example="""
        >>> import polars as pl
        >>> first, second, winner = ["new"] * 7 + ["old"] * 7, ["old"] * 7 + ["new"] * 7, ["new"] * 6 + ["tie"] + ["new"] * 7
        >>> votes = {"prompt": [*range(7)] * 2, "model_a": first, "model_b": second, "winner": winner}
        >>> result = prefer(pl.DataFrame(votes))
        >>> result.headline, round(result.pairs[0].win_rate, 4), result.pairs[0].p.value
        ('new is preferred to old', 0.9643, 0.015625)
        """,
    ),
    Front(
        name="diff",
        request=REQUESTS["diff"],
        summary="Compare outputs unit by unit: what each system corrected, broke and changed, and whether it is significant.",
        positional=(
            Argument("gold", "object", 'The right answers: a path, `Outputs`, or (for ``task="label"``) a list of labels.'),
            Argument(
                "systems", "object", "The outputs of one or more systems, in the same form: one, a list, or a dictionary."
            ),
        ),
        further=(Argument("names", "", "", None),),
        required=("task",),
        returns="Diff",
        returned="Scores of all systems, and what changed between every two of them.",
        home="outscore.workflows.diff.run",
        example="""
        >>> changes = diff(list("ABCDE"), {"S1": list("ABCXY"), "S2": list("ZBCDU")}, task="label")
        >>> pair = changes.pairs[0]
        >>> pair.differ, pair.outcomes.correction, pair.outcomes.new_error, changes.oracle.all.rate
        (0.6, 1, 1, 0.8)
        """,
    ),
    Front(
        name="plan",
        request=REQUESTS["plan"],
        summary="Plan a comparison: items, detectable difference or power; or the p-values that two printed scores allow.",
        details=(
            "Give `effect` to learn how many items detect it, `n` to learn what they can detect, or both to learn the power."
            " The spread comes from `sd`, `discordance` or `accuracy`, or from a pilot."
        ),
        further=(PROGRESS,),
        returns="PlanResult | PossibleP | PossibleTable",
        returned="The plan; with `scores` or `table`, the range of p-values they leave possible.",
        overloads=(
            ("scores", "None", "PlanResult"),
            ("scores", "tuple[str | float, str | float]", "PossibleP"),
            ("table", "Path | Mapping[str, str | float]", "PossibleTable"),
        ),
        home="outscore.workflows.plan.run",
        example="""
        >>> plan(effect=0.03, sd=1 / 3).items
        969
        >>> plan(scores=(".871", ".864"), n=1000).verdict.split(",")[0]
        'p lies between .016 and .71'
        """,
    ),
)
PERMUTATION = Front(
    name="permutation_test",
    summary="The p-value of the paired permutation test, exact wherever the numbers allow.",
    details=(
        "H0: the two systems are exchangeable item by item. p is the share of all swaps with a difference in `metric` at least"
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
            "How p is computed. A method that does not apply to the data is an error; it is never replaced silently.",
            '"auto"',
        ),
        Argument(
            "resamples",
            "int | None",
            "How many swaps Monte Carlo draws if no exact method applies; None is the test's default.",
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
    from outscore.formats.texts.segments import Segments
    from outscore.metrics.cache import StatisticsCache
    from outscore.results.comparison import Comparison, Comparisons
    from outscore.results.diff import Diff
    from outscore.results.gate import GateResult
    from outscore.results.logs import Logs
    from outscore.results.plan import PlanResult, PossibleP
    from outscore.results.possible import PossibleTable
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
    """The default of an option as Python writes it; where Python and the request differ, None means the request's."""
    if option.annotation.endswith("None") or (option.kind == "names" and option.default == ()):
        return "None"
    return _quoted(option.default) if isinstance(option.default, str) else repr(option.default)


def _quoted(text: str) -> str:
    return f'"{text}"'


def parameters(front: Front) -> list[tuple[str, str, str | None, str]]:
    """Keyword parameters: name, annotation, default and text."""
    keywords = []
    for option in front.declared:
        default = None if option.name in front.required else default_of(option)
        annotation = annotation_of(option)
        if option.name in front.required:
            annotation = annotation.removesuffix(" | None")
        text = option.doc or option.help
        if option.default_text and not option.doc:
            text = f"{text} None means: {option.default_text}."
        keywords.append((str(option.keyword), annotation, default, text))
    # Required parameters come first.
    keywords.sort(key=lambda keyword: keyword[2] is not None)
    return [*keywords, *((a.name, a.annotation, a.default, a.doc) for a in front.further if a.annotation)]


def signature(front: Front, returns: str, replaced: tuple[str, str] | None = None) -> str:
    """The `def` line of a function; `replaced` gives one parameter another annotation."""
    words = [_parameter(a.name, a.annotation, a.default) for a in front.positional]
    words.append("*")
    decide = {name for name, _, _ in front.overloads}
    for name, annotation, default, _ in parameters(front):
        if replaced is not None and replaced[0] == name:
            # Where it decides what is returned, anything but None must be given.
            words.append(_parameter(name, replaced[1], default if replaced[1] == "None" else None))
        elif replaced is not None and name in decide:
            # Another one that decides is left out then.
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
        lines += [*textwrap.wrap(front.details, WIDTH), ""]
    lines += ["Parameters", "----------"]
    positional = [(a.name, a.annotation, a.default, a.doc) for a in front.positional]
    for name, annotation, default, text in (*positional, *parameters(front)):
        # Allowed words are listed in the signature, where editors show them.
        shown = re.sub(r"Literal\[.*?\]", "str", annotation)
        lines.append(f"{name} : {shown}" + ("" if default is None else f", default {default}"))
        lines += [f"    {line}" for line in textwrap.wrap(_sentence(text), WIDTH - 8)]
    lines += ["", "Returns", "-------", front.returns, *(f"    {line}" for line in textwrap.wrap(front.returned, WIDTH - 8))]
    lines += ["", "Raises", "------", "OutscoreError", "    If the data or an option cannot be used; the message says why."]
    lines += ["", "Examples", "--------", *textwrap.dedent(front.example).strip().splitlines()]
    return "\n".join(lines)


def _sentence(text: str) -> str:
    """A text in one line, with options as Python writes them."""
    plain = re.sub(r"--([a-z][a-z-]*)", lambda match: f"`{match[1].replace('-', '_')}`", " ".join(text.split()))
    return plain if plain.endswith((".", "?")) else f"{plain}."


def function(front: Front, target: str) -> str:
    """The whole function, with its overloads."""
    parts = [f"@overload\n{signature(front, returns, (name, kind))} ..." for name, kind, returns in front.overloads]
    names = [name for name, *_ in parameters(front)]
    passed_on = ", ".join([*(a.name for a in front.positional), *(f"{name}={name}" for name in names)])
    body = f'"""{docstring(front)}\n"""\nfrom {front.home} import {target}\n\nreturn {target}({passed_on})'
    parts.append(f"{signature(front, front.returns)}\n{textwrap.indent(body, '    ')}")
    return "\n\n\n".join(parts)


def api(fronts: Sequence[Front] = FRONTS) -> str:
    """The text of the module of public functions."""
    names = ", ".join(_quoted(name) for name in sorted([*(front.name for front in fronts), PERMUTATION.name]))
    functions = [*(function(front, "call") for front in fronts), function(PERMUTATION, "permutation_p")]
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
