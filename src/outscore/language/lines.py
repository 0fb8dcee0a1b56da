"""What fits on one line: how the input was interpreted, and what makes a number reproducible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from outscore._version import __version__
from outscore.language.numbers import count
from outscore.results.design import Reading
from outscore.results.note import Signature
from outscore.results.pvalue import PValue

if TYPE_CHECKING:
    from outscore.language.verdict.preference import BattleFacts
    from outscore.language.verdict.ranking import Claims
    from outscore.results.comparison import Bayes
    from outscore.results.design import Family
    from outscore.results.logs import ShownFile
    from outscore.results.plan import PlanFacts
    from outscore.results.ranking import RankDesign, Standing
    from outscore.results.score import ScoredSystem


# What files contain, in one line.


MAX_HARNESSES, MAX_SYSTEMS = 3, 6
"""So many harnesses, and systems, are named."""


def contents_line(titles: Sequence[str], systems: int, tasks: int, files: Sequence[ShownFile]) -> str:
    """What logs by harnesses of these titles, and other files, contain."""
    parts = []
    if titles:
        harnesses = ", ".join(titles) if len(titles) <= MAX_HARNESSES else f"{len(titles)} harnesses"
        parts.append(f"{count(systems, 'system')} on {count(tasks, 'task')}, logged by {harnesses}")
    good = [file for file in files if not file.problem]
    forms = dict.fromkeys(file.format for file in good)
    parts += [f"{count(sum(file.format == form for file in good), 'file')} of the format {form}" for form in forms]
    bad = len(files) - len(good)
    if bad:
        parts.append(f"{count(bad, 'file')} that cannot be read" + (" as it is" if bad == 1 else " as they are"))
    return f"{'; '.join(parts)}."


def sight_line(systems: Sequence[str], amount: str) -> str:
    """What was only read: these systems on so much.

    Examples
    --------
    >>> sight_line(["new", "old"], "2 items")
    'Read, and nothing computed: 2 systems, new and old, on 2 items.'
    """
    listed = ", ".join(systems[:MAX_SYSTEMS]) + (" …" if len(systems) > MAX_SYSTEMS else "")
    if len(systems) == 2:
        listed = " and ".join(systems)
    return f"Read, and nothing computed: {count(len(systems), 'system')}, {listed}, on {amount}."


# How the input was interpreted, in one line.


MAX_NAMES = 4
"""Columns that the line lists by name."""
BARE = {
    "scores": "scores: one number per line",
    "score-pairs": "scores: two numbers per line, one for each system",
    "f1-counts": "counts: four whole numbers per line, true positives and errors of each system",
}
SOURCES = {
    "given": "as requested",
    "metric": "from the metric",
    "log": "from the log",
    "column": "from the column name",
    "file": "from the file extension",
    "data": "from the signs of the scores",
    "default": "",
}
NUMBERS = {"probabilities": "numbers", "people": "metrics or judges"}
"""What numbers beside a column of right answers are."""
ASSUMED = "assumed; --lower-is-better if not"
UNCLEAR = "not clear from the name whether higher or lower is better"


def reading_line(reading: Reading, *, directed: bool = True, options: bool = True) -> str:
    """The one line that every report shows: scores, items, other columns, how much was read, which direction is better.

    A preview is not `directed` if the name of the scores leaves the direction open: whoever compares them is asked. Pages and
    papers do not name `options` of the command line.

    Examples
    --------
    >>> reading_line(Reading("table", 120, 2, ["csv"], ["wer"], item=["id"], direction="lower", direction_source="column"))
    'scores: `wer`; items: `id`; 120 rows in 2 files (csv); lower is better (from the column name)'
    >>> reading_line(Reading("table", 120, 1, ["csv"], ["wer"], item=["id"], left_out=2))
    'scores: `wer`; items: `id`; 120 rows in 1 file (csv), 2 without a score left out; higher is better'
    >>> reading_line(Reading("numbers", 60, 1, ["scores"]))
    'scores: one number per line; items: line order; 60 rows in 1 file; higher is better (assumed; --lower-is-better if not)'
    >>> reading_line(Reading("numbers", 60, 1, ["scores"]), options=False)
    'scores: one number per line; items: line order; 60 rows in 1 file; higher is better (assumed)'
    >>> reading_line(Reading("arrays", 60))
    'scores: arrays; items: their order; 60 rows; higher is better'
    >>> reading_line(Reading("outputs", 90, 2, ["conllu"], gold_file="gold.conllu", output_files=["new.conllu"]))
    'right answers: `gold.conllu`; outputs: `new.conllu`; items: as in the gold file; 90 rows in 2 files (conllu)'
    >>> reading_line(Reading("printed", 3, 1, ["csv"], ["accuracy"], system=["system"]))
    'printed scores: `accuracy`; systems: `system`; 3 rows in 1 file (csv)'
    """
    if reading.kind == "printed":
        return "; ".join([f"printed scores: {_names(reading.score)}", f"systems: {_names(reading.system)}", _amount(reading)])
    if reading.kind == "outputs" and (reading.gold_file or not reading.files):
        return "; ".join([_outputs(reading), _items(reading), _amount(reading)])
    systems = [f"systems: {_names(reading.system)}"] if reading.system else []
    slices = [f"slices: {_names(reading.slices)}"] if reading.slices else []
    parts = [*systems, *_groups(reading), *slices]
    assumed = ASSUMED if options else "assumed"
    said = _direction(reading, assumed) if directed else UNCLEAR
    scores = f"measures: {_names(reading.measures)}" if reading.measures else _scores(reading)
    return "; ".join([scores, _items(reading), *parts, _amount(reading), said])


def short_reading(reading: Reading) -> str:
    """The same for one screen: what was taken for scores, and what else decides how they are read.

    Examples
    --------
    >>> short_reading(Reading("table", 120, 2, ["csv"], ["wer"], item=["id"], direction="lower", direction_source="column"))
    'scores: `wer` by `id`; lower is better (from the column name)'
    >>> short_reading(Reading("numbers", 60, 2, ["score-pairs"]))
    'counts: two whole numbers per line, right and wrong; higher is better (assumed; or --lower-is-better)'
    """
    if reading.kind == "printed":
        return f"printed scores: {_names(reading.score)}"
    if reading.kind == "outputs" and (reading.gold_file or not reading.files):
        return _outputs(reading)
    scores = f"measures: {_names(reading.measures)}" if reading.measures else _scores(reading)
    if reading.systems and not reading.gold:
        scores = "columns"
    by = f" by {_names(reading.item)}" if reading.item else ""
    left_out = [f"{count(reading.left_out, 'row')} {_lacking(reading)} left out"] if reading.left_out else []
    left_out += [f"{count(reading.filled, 'row')} without a score counted as the worst score"] if reading.filled else []
    direction = [] if reading.kind == "texts" or reading.measures else [_direction(reading, "assumed; or --lower-is-better")]
    return "; ".join([scores + by, *_groups(reading), *left_out, *direction])


def _groups(reading: Reading) -> list[str]:
    repeats = "outputs of" if reading.beside == "people" else "repeats"
    groups = {
        repeats: reading.repeat,
        "clusters": reading.cluster,
        "datasets": reading.dataset,
        "weights": reading.weight,
        "not used": reading.unused,
    }
    return [f"{name}: {_names(columns)}" for name, columns in groups.items() if columns]


def _scores(reading: Reading) -> str:
    if reading.gold:
        return _against_gold(reading)
    if reading.kind == "numbers":
        if reading.formats == ["score-pairs"] and reading.files > 1:
            return "counts: two whole numbers per line, right and wrong"
        return "; ".join(BARE[form] for form in reading.formats)
    if reading.systems:
        return f"scores: a column per system, {_names(reading.systems)}"
    if reading.score:
        return f"scores: {_names(reading.score)}"
    return {"texts": "scores: texts against references", "outputs": "scores: outputs against the right answers"}.get(
        reading.kind, "scores: arrays"
    )


def _against_gold(reading: Reading) -> str:
    if reading.kind == "texts":
        return f"scores: texts in {_names(reading.prediction)} against references in {_names(reading.gold)}"
    answers = _names(reading.prediction) if reading.prediction else f"{_names(reading.systems)}, each"
    how = "counted by class" if reading.by_class else "1 right, 0 wrong"
    equal, beside = f"scores: {answers} = {_names(reading.gold)} ({how})", NUMBERS.get(reading.beside)
    numbers = _names(reading.prediction or reading.systems)
    return equal if beside is None else f"{beside}: {numbers} beside {_names(reading.gold)}"


def _outputs(reading: Reading) -> str:
    """Which file contains the right answers and which the outputs, with the names of their columns if they have any."""
    if not reading.gold_file:
        return "right answers and outputs: lists"
    gold, outputs = (f" ({_names(columns)})" if columns else "" for columns in (reading.gold, reading.prediction))
    return f"right answers: `{reading.gold_file}`{gold}; outputs: {_names(reading.output_files)}{outputs}"


def _items(reading: Reading) -> str:
    if reading.item:
        return f"items: {_names(reading.item) if any(reading.item) else 'the column without a name'}"
    orders = {"arrays": "their order", "table": "row order", "outputs": "as in the gold file"}
    if reading.kind == "outputs" and not reading.files:
        return "items: their order"
    return f"items: {orders.get(reading.kind, 'line order')}"


def _amount(reading: Reading) -> str:
    rows = count(reading.rows, "row")
    if not reading.files:
        return rows
    # The line has described a bare format already.
    formats = "" if reading.kind == "numbers" or not reading.formats else f" ({', '.join(reading.formats)})"
    left_out = f", {reading.left_out:,} {_lacking(reading)} left out" if reading.left_out else ""
    filled = f", {reading.filled:,} without a score counted as the worst score" if reading.filled else ""
    return f"{rows} in {count(reading.files, 'file')}{formats}{left_out}{filled}"


def _lacking(reading: Reading) -> str:
    """What rows lack that were left out."""
    return "of items that people did not order" if reading.beside == "people" else "without a score"


def _direction(reading: Reading, assumed: str = ASSUMED) -> str:
    if reading.kind == "texts":
        # Several metrics may share the line.
        return "which direction is better depends on the metric"
    if reading.measures:
        return "which direction is better depends on the measure"
    source = SOURCES[reading.direction_source]
    nameless = reading.kind == "numbers" or (reading.systems and not reading.gold)
    if reading.direction_assumed or (reading.direction_source == "default" and nameless):
        # Nothing names the scores, so that nothing says what they are; the ending of a file that might is lost in a pipe.
        source = assumed
    return f"{reading.direction} is better{f' ({source})' if source else ''}"


def _names(columns: Sequence[str]) -> str:
    quoted = [f"`{name}`" for name in columns]
    if len(quoted) > MAX_NAMES:
        return f"{', '.join(quoted[:MAX_NAMES])} and {len(quoted) - MAX_NAMES} more"
    return f"{', '.join(quoted[:-1])} and {quoted[-1]}" if len(quoted) > 1 else quoted[0]


# One line that makes a number reproducible, for every kind of result.


NAMED = {"method", "resamples", "rope"}
"""Options of tests that the signature treats separately."""
VERSION = ("outscore", __version__)


def comparison_signature(
    metric: str,
    p: PValue,
    *,
    alternative: str,
    alpha: float,
    delta: float = 0.0,
    margin: float | None = None,
    bayes: Bayes | None = None,
    options: Mapping[str, object] | None = None,
    unit: str = "items",
    resamples: int | None = None,
    seed: int | None = None,
    higher_is_better: bool = True,
    repeats: str = "",
    population: str = "",
) -> Signature:
    """What reproduces a comparison; resamples and seed only where something was sampled.

    `options` are the test's own options that were not left at their defaults. With `bayes`, that is the test, and the test of
    the p-value is named separately. `repeats` says how often items were run, and `population` what p is about; both are empty
    where each item was run once.

    Examples
    --------
    >>> p = PValue(0.5, 0.5, 0.5, -0.3, "exact", "plane", n=80)
    >>> print(comparison_signature("f1", p, alternative="two-sided", alpha=0.05))
    metric:f1|test:permutation|method:exact|kernel:plane|n:80|unit:items|alternative:two-sided|alpha:0.05|outscore:0.2.0
    """
    tested: Sequence[tuple[str, object]] = p.signature.parts
    if bayes is not None:
        (name, test), *others = tested
        tested = [("test", "bayes"), ("rope", f"{bayes.rope:g}"), (f"p-{name}", test), *others]
    sampled = p.method == "monte-carlo"
    return _signature(
        ("metric", metric),
        ("better", None if higher_is_better else "lower"),
        *tested,
        ("unit", unit),
        ("repeats", repeats or None),
        ("population", population or None),
        ("alternative", alternative),
        ("alpha", f"{alpha:g}"),
        ("delta", f"{delta:g}" if delta else None),
        ("margin", None if margin is None else f"{margin:g}"),
        *((key, str(value)) for key, value in (options or {}).items() if key not in NAMED),
        ("resamples", resamples if sampled else None),
        ("seed", seed if sampled else None),
    )


def _signature(*parts: tuple[str, object]) -> Signature:
    """The parts that have a value, and the version."""
    return Signature([*((name, value) for name, value in parts if value is not None), VERSION])


def ranking_signature(
    top: Standing,
    claims: Claims,
    family: Family,
    *,
    design: RankDesign,
    alpha: float,
    baseline: str | None,
    datasets: int,
    seed: int | None,
    population: str = "items",
) -> Signature:
    """What reproduces a ranking; the seed only where something was sampled."""
    times = "{}-{}".format(*design.repeats_range) if design.repeats_range else f"{design.repeats:.4g}"
    return _signature(
        ("rank", "pairs" if baseline is None else f"against {baseline}"),
        ("metric", top.metric),
        ("better", None if top.higher_is_better else "lower"),
        ("test", top.test),
        ("method", claims.kind),
        ("kernel", top.kernel),
        ("systems", len(top.systems)),
        ("n", top.n),
        ("unit", _unit_mark(design)),
        ("clusters", design.clusters),
        ("repeats", None if design.repeats == 1.0 else " ".join(filter(None, (times, design.repeat_kind)))),
        ("population", None if design.repeat_kind is None else population),
        ("datasets", datasets if datasets > 1 else None),
        ("datasets-test", claims.datasets_test),
        ("correction", family.correction),
        ("m", family.m),
        ("alternative", "two-sided"),
        ("alpha", f"{alpha:g}"),
        ("seed", seed if claims.kind == "monte-carlo" else None),
    )


def score_signature(
    systems: Sequence[ScoredSystem],
    metric: str,
    *,
    interval: str,
    alpha: float,
    population: str,
    repeat_kind: str | None,
    higher_is_better: bool,
) -> Signature:
    """What reproduces the scores of single systems.

    Examples
    --------
    >>> from outscore.results.score import ScoredSystem
    >>> one = ScoredSystem("new", 0.75, 0.53, 0.89, 20, 20)
    >>> asked = {"alpha": 0.05, "population": "items", "repeat_kind": None, "higher_is_better": True}
    >>> print(score_signature([one], "accuracy", interval="Wilson's score interval", **asked))
    score:each|metric:accuracy|interval:Wilson's score interval|systems:1|n:20|alpha:0.05|outscore:0.2.0
    """
    datasets = max(len(one.datasets) for one in systems)
    runs = None if repeat_kind is None else f"{max(one.repeats for one in systems):.4g} {repeat_kind}"
    return _signature(
        ("score", "each"),
        ("metric", metric),
        ("better", None if higher_is_better else "lower"),
        ("interval", interval or "none"),
        ("systems", len(systems)),
        ("n", max(one.n for one in systems)),
        ("clusters", max((one.clusters for one in systems if one.clusters is not None), default=None)),
        ("datasets", f"{datasets}, macro average" if datasets else None),
        ("repeats", runs),
        ("population", None if repeat_kind is None else population),
        ("alpha", f"{alpha:g}"),
    )


def _unit_mark(design: RankDesign) -> str:
    """What is swapped, in the words of a comparison's signature."""
    if design.unit_size > 1:
        shuffled = "" if design.shuffle is None else f", shuffled by {design.shuffle}"
        return f"{design.unit_size}-{design.noun} {design.unit_statistic}{shuffled}"
    return f"{design.noun if design.clusters is None else design.group}s"


def plan_signature(plan: PlanFacts) -> Signature:
    """What reproduces a plan."""
    design, unit = plan.design, None
    if design.unpaired or design.battles:
        unit = "unpaired items" if design.unpaired else "battles"

    def short(value: float | None) -> str | None:
        return None if value is None else f"{value:g}"

    return _signature(
        ("plan", plan.question),
        ("n", None if plan.question == "items" else plan.items),
        ("effect", None if plan.question == "effect" else short(plan.effect)),
        ("power", None if plan.question == "power" else short(plan.power)),
        ("unit", unit),
        ("margin", short(design.margin)),
        ("sd", short(design.sd)),
        ("discordance", short(design.discordance)),
        ("accuracy", short(design.accuracy) if design.unpaired else None),
        ("within", short(design.within or None)),
        ("repeats", design.repeats if design.within else None),
        ("cluster-size", short(design.cluster_size) if design.cluster_size > 1 else None),
        ("icc", short(design.icc) if design.cluster_size > 1 else None),
        ("method", plan.method),
        ("alternative", design.alternative),
        ("alpha", short(design.alpha)),
    )


def possible_p_signature(scores: Sequence[str], n: int, alternative: str, alpha: float) -> Signature:
    """What reproduces the range of p for two printed scores."""
    shared = (("n", n), ("test", "mcnemar"), ("alternative", alternative), ("alpha", f"{alpha:g}"))
    return _signature(("plan", "possible-p"), ("scores", " ".join(scores)), *shared)


def preference_signature(facts: BattleFacts, *, order: str, ties: str) -> Signature:
    """What reproduces the numbers of battles."""
    tests = [("strengths" if pair.decided_by_strength else pair.by, pair.deciding) for pair in facts.pairs]
    methods = list(dict.fromkeys(f"{by} {p.method}" for by, p in tests if p is not None))
    people: list[tuple[str, object]] = []
    if (labels := facts.labels) is not None:
        how = f"{'ppi++' if labels.judged else 'labels'} {labels.p.method}"
        people = [
            ("people", labels.people),
            ("people-test", how),
            ("labels", labels.labelled),
            ("weight", f"{labels.weight:.4g}"),
        ]
    many = len(facts.systems) > 2
    return _signature(
        ("prefer", "pairs" if facts.baseline is None else f"against {facts.baseline}"),
        ("test", ", ".join(methods) or "none"),
        ("systems", len(facts.systems)),
        ("battles", facts.battles),
        ("unit", f"{facts.unit}s"),
        ("n", facts.clusters),
        ("order", order),
        ("strength", facts.strength if facts.strength > 1 else None),
        *people,
        ("ties", ties if many else None),
        ("correction", facts.family.correction if many else None),
        ("m", facts.family.m if many else None),
        ("alternative", "two-sided"),
        ("alpha", f"{facts.alpha:g}"),
    )
