"""sacreBLEU's paired tests, number for number."""

from __future__ import annotations

import numpy as np
import pytest

from outscore.core.errors import OutscoreError
from outscore.inference import originals as compat
from outscore.inference.originals import COMPAT, SACREBLEU_SEED, sacrebleu_ar, sacrebleu_bs

significance = pytest.importorskip("sacrebleu.significance")
metrics = pytest.importorskip("sacrebleu.metrics")

METRICS = {"BLEU": metrics.BLEU, "chrF2": metrics.CHRF, "TER": metrics.TER}
TESTS = {"ar": sacrebleu_ar, "bs": sacrebleu_bs}
SEGMENTS = 61


@pytest.fixture(scope="module")
def texts(shared_data):
    """A slice of WMT17, an odd number of segments: two systems and the reference."""
    folder = shared_data / "wmt17-en-de"
    files = [folder / "systems" / "LIUM-NMT.txt", folder / "systems" / "KIT.txt", folder / "ref.txt"]
    return [path.read_text(encoding="utf-8").splitlines()[100 : 100 + SEGMENTS] for path in files]


@pytest.fixture(params=METRICS, scope="module")
def prepared(request, texts):
    """A metric's name, both systems' statistics and sacreBLEU's own score of totals."""
    a, b, reference = texts
    metric = METRICS[request.param]()
    rows = [np.array(metric._extract_corpus_statistics(system, [reference])) for system in (a, b)]

    def score(totals):
        return np.array([metric._compute_score_from_stats(row).score for row in totals])

    return request.param, rows, score


def peer(monkeypatch, kind, name, systems, reference, trials, seed=SACREBLEU_SEED) -> float:
    monkeypatch.setenv("SACREBLEU_SEED", str(seed))
    named = [(str(i), system) for i, system in enumerate(systems)]
    test = significance.PairedTest(named, {name: METRICS[name]()}, [reference], kind, trials)
    return test()[1][name][1].p_value


@pytest.mark.parametrize("kind", TESTS)
def test_against_sacrebleu(monkeypatch, texts, prepared, kind):
    name, rows, score = prepared
    expected = peer(monkeypatch, kind, name, texts[:2], texts[2], 333, seed=7)
    found = TESTS[kind](*rows, score, trials=333, seed=7)
    assert found.value == expected
    assert 1 / 334 < expected < 1
    assert found.lower <= found.value <= found.upper
    assert found.kernel == f"sacrebleu-{kind}:333"
    assert found.n == SEGMENTS
    assert found.statistic == score(rows[0].sum(axis=0)[None])[0] - score(rows[1].sum(axis=0)[None])[0]


@pytest.mark.parametrize("kind", TESTS)
@pytest.mark.parametrize("few", [0, 1])
def test_known_flaw_ties_do_not_count_against_sacrebleu(monkeypatch, texts, kind, few):
    """Identical outputs, and outputs that differ in one segment: the smallest p there is. Ours is 1."""
    a, b, reference = texts
    systems = [a, b[:few] + a[few:]]
    metric = metrics.BLEU()
    rows = [np.array(metric._extract_corpus_statistics(system, [reference])) for system in systems]

    def score(totals):
        return np.array([metric._compute_score_from_stats(row).score for row in totals])

    found = TESTS[kind](*rows, score, trials=99).value
    assert found == peer(monkeypatch, kind, "BLEU", systems, reference, 99)
    assert found == 0.01 or (few and kind == "bs")


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
@pytest.mark.parametrize("segments", [7, 64, 101])
def test_blocks_change_nothing(monkeypatch, test, segments):
    rng = np.random.default_rng(segments)
    rows = rng.integers(0, 9, (2, segments, 2))

    def score(totals):
        return totals[:, 0] / (1.0 + totals[:, 1])

    whole = test(*rows, score, trials=300)
    monkeypatch.setattr(compat, "BLOCK_ENTRIES", 1)
    assert test(*rows, score, trials=300) == whole


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
def test_zero_is_a_seed(test):
    rows = np.random.default_rng(0).integers(0, 9, (2, 50, 1))
    one, two, other = (test(*rows, lambda totals: totals[:, 0] * 1.0, trials=500, seed=seed) for seed in (0, 0, 1))
    assert one == two != other


@pytest.mark.parametrize("test", COMPAT.values(), ids=COMPAT)
@pytest.mark.parametrize("shapes", [((3, 2), (4, 2)), ((3,), (3,)), ((0, 2), (0, 2))])
def test_shapes_that_do_not_fit(test, shapes):
    with pytest.raises(OutscoreError, match="The statistics have shapes"):
        test(*(np.zeros(shape) for shape in shapes), lambda totals: totals[:, 0])
