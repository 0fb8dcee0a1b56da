"""TREC runs: their numbers against a naive twin, trec_eval's own output and published values; damaged files."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.formats.logs.find import read_logs
from outscore.formats.logs.retrieval import _measure, evaluate_run

ir_measures = pytest.importorskip("ir_measures")
NAMES = {"map": "AP", "Rprec": "Rprec", "bpref": "Bpref", "recip_rank": "RR", "ndcg": "nDCG", "num_ret": "NumRet"}

CUT = {"P": "P", "recall": "R", "ndcg_cut": "nDCG", "map_cut": "AP", "success": "Success"}


def measure_of(name: str) -> str | None:
    """What ir-measures calls a measure of trec_eval."""
    for prefix, called in (
        ("P_", "P@"),
        ("recall_", "R@"),
        ("ndcg_cut_", "nDCG@"),
        ("map_cut_", "AP@"),
        ("success_", "Success@"),
    ):
        if name.startswith(prefix):
            return called + name.removeprefix(prefix)
    return NAMES.get(name)


@pytest.fixture
def folder(shared_data) -> Path:
    return shared_data / "repro" / "retrieval"


def test_numbers_of_ranx_example_data(folder):
    runs = (str(folder / "run_dense.trec"), str(folder / "run_bm25.trec"))
    found = osc.compare(*runs, qrels=str(folder / "qrels_150.trec"), metric="nDCG@10,AP")
    values = [[score.value for score in one.scores] for one in found.comparisons]
    assert values[0] == pytest.approx([0.4716434261, 0.4931620991], abs=1e-10)
    assert values[1] == pytest.approx([0.4328049919, 0.4421017995], abs=1e-10)
    assert found.comparisons[0].p.value == pytest.approx(0.641, abs=2e-3)
    assert found.comparisons[0].n == 150
    assert found.comparisons[0].deciding_items


def test_every_number_of_trec_eval(folder):
    """As `trec_eval -q -m all_trec` prints them, to its four decimals."""
    printed = read_logs([folder / "trec_eval" / "out.test.aq"])[0]
    run, qrels = str(folder / "trec_eval" / "results.test"), str(folder / "trec_eval" / "qrels.test")
    checked = 0
    for name, measure in printed.measures.items():
        called = measure_of(name)
        if called is None:
            continue
        own = evaluate_run(run, qrels, called)
        values = dict(zip(own.ids.texts(), own.measures[called].values.tolist(), strict=True))
        for query, value in zip(printed.ids.texts(), measure.values.tolist(), strict=True):
            assert values[query] == pytest.approx(value, abs=5.1e-5), (name, query)
            checked += 1
    assert checked >= 90


def naive_ndcg(ranked: list[str], judged: dict[str, int], depth: int) -> float:
    gains = [max(0, judged.get(name, 0)) / math.log2(place + 2) for place, name in enumerate(ranked[:depth])]
    best = sorted((max(0, grade) for grade in judged.values()), reverse=True)[:depth]
    ideal = sum(grade / math.log2(place + 2) for place, grade in enumerate(best))
    return sum(gains) / ideal if ideal else 0.0


def naive_ap(ranked: list[str], judged: dict[str, int]) -> float:
    relevant = {name for name, grade in judged.items() if grade > 0}
    hits = [place for place, name in enumerate(ranked, 1) if name in relevant]
    return sum(count / place for count, place in enumerate(hits, 1)) / len(relevant) if relevant else 0.0


GRADES = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 3), min_size=1)
ORDERS = st.permutations("abcdefgh").flatmap(lambda order: st.integers(1, 8).map(lambda size: list(order)[:size]))


@settings(max_examples=60)
@given(st.lists(st.tuples(GRADES, ORDERS), min_size=1, max_size=4))
def test_measures_are_those_of_their_formulas(tmp_path_factory, queries):
    place = tmp_path_factory.mktemp("trec")
    judged = "".join(
        f"{query} 0 {name} {grade}\n" for query, (grades, _) in enumerate(queries) for name, grade in grades.items()
    )
    ranked = "".join(
        f"{query} Q0 {name} {rank} {-rank} me\n" for query, (_, order) in enumerate(queries) for rank, name in enumerate(order)
    )
    (place / "qrels").write_text(judged)
    (place / "run").write_text(ranked)
    own = evaluate_run(str(place / "run"), str(place / "qrels"), None)
    ndcg, ap = own.measures["nDCG@10"].values, own.measures["AP"].values
    assert ndcg.tolist() == pytest.approx([naive_ndcg(order, grades, 10) for grades, order in queries])
    assert ap.tolist() == pytest.approx([naive_ap(order, grades) for grades, order in queries])


def written(folder: Path, run: str = "q1 Q0 d1 1 2.5 me\n", qrels: str = "q1 0 d1 1\nq2 0 d1 1\n") -> tuple[str, str]:
    (folder / "run.trec").write_text(run)
    (folder / "qrels.txt").write_text(qrels)
    return str(folder / "run.trec"), str(folder / "qrels.txt")


def test_a_query_that_is_not_answered_counts_as_zero(tmp_path):
    own = evaluate_run(*written(tmp_path), "RR")
    assert own.measures["RR"].values.tolist() == [1.0, 0.0]
    assert any("1 of 2 judged queries" in note for note in own.notes)


@pytest.mark.parametrize(
    ("files", "line"),
    [
        ({"run": "q1 Q0 d1 1 2.5\n"}, 1),
        ({"run": "q1 Q0 d1 1 2.5 me\nq1 Q0 d2 2 high me\n"}, 2),
        ({"run": "q1 Q0 d1 1 2.5 me\nq1 Q0 d1 2 2.4 me\n"}, 2),
        ({"run": ""}, None),
        ({"run": "q9 Q0 d1 1 2.5 me\n"}, None),
        ({"qrels": "q1 0 d1\n"}, 1),
        ({"qrels": "q1 0 d1 1\nq1 0 d2 good\n"}, 2),
        ({"qrels": "q1 0 d1 1\nq1 0 d1 0\n"}, 2),
    ],
)
def test_damaged_files_are_refused_with_their_line(tmp_path, files, line):
    with pytest.raises(OutscoreError) as caught:
        evaluate_run(*written(tmp_path, **files), "AP")
    assert caught.value.line == line
    assert caught.value.file


@pytest.mark.parametrize(
    "name",
    [
        "nDGC@10",
        "P@x",
        "P@-1",
        "AP(foo=1)",
        "P(5)",
        "1 + 1",
        "",
        "P@5@6",
        "a.b",
        "[",
        pytest.param("P@" + 9_000 * "-" + "1", id="deep"),
    ],
)
def test_a_measure_that_does_not_exist_is_refused(tmp_path, name):
    with pytest.raises(OutscoreError) as caught:
        evaluate_run(*written(tmp_path), name or "@")
    assert caught.value.parameter == "metric"


@pytest.mark.parametrize("name", ["RBP(p=.8)", "alpha_nDCG@10"])
def test_a_measure_that_cannot_be_computed_here_is_refused(tmp_path, name):
    with pytest.raises(OutscoreError, match="ir-measures cannot compute") as caught:
        evaluate_run(*written(tmp_path), name)
    assert caught.value.parameter == "metric"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.skipif(sys.version_info >= (3, 14), reason="the parser of ir-measures itself asks for what Python 3.14 lacks")
@pytest.mark.parametrize(
    "name", ["nDCG@10", "AP", "AP(rel=2)@100", "SetF(beta=0.5)", "nDCG(dcg='exp-log2', gains={0: 0, 1: 2})@10", "IPrec@.1"]
)
def test_measures_are_called_as_ir_measures_calls_them(name):
    assert _measure(ir_measures, name) == ir_measures.parse_measure(name)


def test_a_run_without_judgements_asks_for_them(tmp_path):
    run, _ = written(tmp_path)
    with pytest.raises(OutscoreError, match="--qrels QRELS") as caught:
        osc.compare(run, run)
    assert caught.value.parameter == "qrels"
