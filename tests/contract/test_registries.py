"""What every test and every metric promises, entry by entry; an entry that is not classified here fails."""

from __future__ import annotations

import numpy as np
import pytest
from tests.fuzz.seeds import make_seeds
from tests.log_files import WRITERS

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.options import complete, parse_spec
from outscore.core.rows import PairedScores
from outscore.formats.battles.read import BATTLES, read_battles
from outscore.formats.logs.registry import LOGS
from outscore.formats.readers import read
from outscore.formats.registry import FORMATS, OUTPUT_FORMATS
from outscore.formats.texts import TEXT_FORMATS, read_texts
from outscore.inference.base.question import TestRequest
from outscore.inference.registry import TESTS
from outscore.metrics.registry import METRICS, resolve

SIDES = {"two-sided": "two-sided", "greater": "less", "less": "greater"}
# Metrics by the direction that is better. A new metric must be put on one side by hand.
HIGHER = {
    "mean", "sum", "weighted-mean", "accuracy", "f1", "fbeta", "precision", "recall", "jaccard",
    "mcc", "balanced-accuracy", "kappa", "macro-f1", "weighted-f1", "accuracy-at", "auc",
    "pairwise-accuracy", "kendall", "pearson", "system-accuracy",
}  # fmt: skip
LOWER = {"error-rate", "brier", "log-loss"}
# Tests whose p-value is drawn, so that exchanging the systems may move it by the noise of the draw.
SAMPLED = {"bootstrap", "bootstrap-t", "bootstrap-median", "block-bootstrap"}
DETERMINISTIC = {"permutation", "permutation-median", "student", "wilcoxon", "sign", "mcnemar", "bayes"}

MEAN = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
LOSS = AdditiveMetric("loss", ("score", "items"), ratio=((1, 0), (0, 1)), direction="lower")


def test_every_metric_is_classified():
    assert set(METRICS) == HIGHER | LOWER


def test_every_test_is_classified():
    assert set(TESTS) == SAMPLED | DETERMINISTIC


REGISTRIES = {"scores": FORMATS, "outputs": OUTPUT_FORMATS, "battles": BATTLES, "texts": TEXT_FORMATS}


def test_every_format_has_a_seed_that_is_damaged_in_the_tests(tmp_path):
    seeded = {seed.format for seed in make_seeds(tmp_path).values()}
    assert {f"{kind}: {name}" for kind, registry in REGISTRIES.items() for name in registry} == seeded - {""}
    assert WRITERS.keys() == LOGS.keys()


def test_the_seeds_are_in_the_formats_that_they_say(tmp_path):
    for name, seed in make_seeds(tmp_path).items():
        if not seed.format:
            continue
        path = tmp_path / seed.target
        path.write_bytes(seed.files[seed.target])
        kind, format = seed.format.split(": ")
        if kind == "battles":
            origin = read_battles([path]).origins[0]
        elif kind == "texts":
            origin = read_texts(path).origin
        else:
            found = read(path)
            origin = found[0].origin if isinstance(found, list) else found.origin
        assert {"segments": "text"}.get(origin.format, origin.format) == format, name


def defaults(entry):
    return complete(entry.name, entry.options, {})


LAYOUTS = [(name, width) for name, entry in METRICS.items() for width in entry.layouts(defaults(entry))]


@pytest.mark.parametrize("name", METRICS)
def test_direction(name):
    entry = METRICS[name]
    assert entry.make(defaults(entry)).higher_is_better == (name in HIGHER)


@pytest.mark.parametrize("entry", [*METRICS.values(), *TESTS.values()], ids=lambda entry: entry.name)
def test_options_written_and_read_back(entry):
    """The default of every option, written as a user would write it, means the same."""
    for option in entry.options:
        if option.default is not None:
            _, written = parse_spec(f"{entry.name}:{option.name}={option.default}")
            assert complete(entry.name, entry.options, written) == defaults(entry)
        assert not option.choices or option.default in option.choices
        assert option.minimum is None or option.default is None or option.default >= option.minimum
        assert option.help == option.help.strip()
    with pytest.raises(OutscoreError, match=f"`{entry.name}` has no option"):
        complete(entry.name, entry.options, {"no such option": 1})


@pytest.mark.parametrize(("name", "width"), LAYOUTS)
def test_layouts_make_the_metrics_own_columns(name, width):
    """Named input columns, one row per item, additive: rows of a sum are the sum of the rows."""
    entry = METRICS[name]
    layout = entry.layouts(defaults(entry))[width]
    assert len(layout.columns) == width
    assert all(column in entry.layouts_text for column in layout.columns)
    table = np.random.default_rng(0).integers(0, 2, (6, width))
    if name == "log-loss":
        # A probability of 0 is infinitely wrong.
        table = table * 0.5 + [[0.25, 0]] * 6
        table[:, 1] = table[:, 1] > 0
    rows = layout.rows(table)
    assert rows.shape == (6, len(entry.make(defaults(entry)).columns))
    assert (layout.rows(table[::-1]) == rows[::-1]).all()
    metric, a, _ = resolve(name, table if width > 1 else table[:, 0], table if width > 1 else table[:, 0])
    assert (a == rows).all()
    # Only where systems are scored jointly, by ranks, does an item's row depend on the others.
    assert (layout.rows(table[:1]) == rows[:1]).all() == (metric.joint is None)
    assert np.isfinite(metric.score(rows.sum(axis=0)))


@pytest.mark.parametrize("name", METRICS)
def test_other_widths_are_refused(name):
    widths = METRICS[name].layouts(defaults(METRICS[name]))
    wrong = next(width for width in (1, 2, 3, 4, 5) if width not in widths)
    table = np.ones((3, wrong) if wrong > 1 else 3, dtype=int)
    with pytest.raises(OutscoreError, match="cannot use rows"):
        resolve(name, table, table)


def pairs_for(entry, seed: int, n: int = 40, *, clusters: bool = False) -> PairedScores:
    """Data of the kind the test is made for: right-or-wrong items, or graded scores."""
    rng = np.random.default_rng(seed)
    a, b = (rng.random((2, n)) < [[0.7], [0.5]]) if entry.on == "binary" else np.round(rng.normal([[0.3], [0.0]], 1, (2, n)), 2)
    tables = [np.stack([x, np.ones(n)], axis=1) for x in (a.astype(float), b.astype(float))]
    return PairedScores(*tables, clusters=np.arange(n) // 2 if clusters else None)


def run(entry, pairs, metric=MEAN, **asked):
    return entry.run(pairs, metric, TestRequest(**asked, options=defaults(entry)))


def exchanged(pairs: PairedScores) -> PairedScores:
    return PairedScores(pairs.b, pairs.a, pairs.scale, pairs.items, pairs.clusters)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", TESTS)
def test_exchanging_the_systems_mirrors_the_sides(name, side):
    """Two-sided p stays, one-sided ones change places, the statistic of the metric changes sign."""
    entry = TESTS[name]
    pairs = pairs_for(entry, 1)
    try:
        one = run(entry, pairs, alternative=side).p
    except OutscoreError:
        assert side != "two-sided", "every test answers the two-sided question"
        return
    other = run(entry, exchanged(pairs), alternative=SIDES[side]).p
    assert other.value == pytest.approx(one.value, abs=0.03 if name in SAMPLED else 1e-9)


@pytest.mark.parametrize("name", TESTS)
def test_lower_is_better_turns_the_sides(name):
    """ "greater" means better: for a loss it looks at smaller numbers."""
    entry = TESTS[name]
    pairs = pairs_for(entry, 2)
    try:
        gain = run(entry, pairs, alternative="greater").p
    except OutscoreError:
        return
    loss = run(entry, pairs, LOSS, alternative="less").p
    assert loss.value == pytest.approx(gain.value, abs=0.03 if name in SAMPLED else 1e-9)


@pytest.mark.parametrize("name", TESTS)
def test_the_result_is_a_p_value_of_that_test(name):
    entry = TESTS[name]
    p = run(entry, pairs_for(entry, 3)).p
    # Posterior probabilities stand beside the exact p, never in its place.
    assert p.test == ("permutation" if name == "bayes" else name)
    assert 0 < p.value <= 1
    assert 0 <= p.lower <= p.value <= p.upper <= 1
    assert p.n > 0


@pytest.mark.parametrize("name", TESTS)
def test_the_same_seed_gives_the_same_answer(name):
    entry = TESTS[name]
    one, two = (run(entry, pairs_for(entry, 4), seed=7) for _ in "ab")
    assert one == two


@pytest.mark.parametrize("name", TESTS)
def test_clusters_are_taken_or_refused(name):
    """What the entry says it can handle is what it does; no test takes clusters and leaves them out silently."""
    entry = TESTS[name]
    pairs = pairs_for(entry, 5, clusters=True)
    if not entry.clusters:
        with pytest.raises(OutscoreError):
            run(entry, pairs)
        return
    alone = PairedScores(pairs.a, pairs.b)
    assert run(entry, pairs).p.value != run(entry, alone).p.value


@pytest.mark.parametrize("name", TESTS)
def test_shifts_are_taken_or_refused(name):
    entry = TESTS[name]
    pairs = pairs_for(entry, 6)
    if not entry.delta:
        with pytest.raises(OutscoreError):
            run(entry, pairs, delta=0.1)
        return
    values = [run(entry, pairs, delta=delta, alternative="greater").p.value for delta in (-0.3, 0.0, 0.3)]
    assert values == sorted(values)
    assert values[0] < values[2]
