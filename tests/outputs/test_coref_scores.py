"""MUC, B³, CEAFe, LEA and their mean: reference cases, naive twins, and what sums over documents promise."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.coref_documents import RESPONSES, write_documents
from tests.variants import a_few

import outscore as osc
from outscore.formats.readers import read_chains
from outscore.metrics.outputs import COREF, COREF_PARTS
from outscore.outputs.coreference import coref_statistics
from outscore.outputs.mentions import align_mentions
from outscore.outputs.model import Chains
from outscore.scores.system import Labels

TOLERANCE = 0.0002
OFFICIAL = {"muc": "muc", "bcub": "b3", "ceafe": "ceafe"}
# Marked as comments in the reference scorer's configuration, so never checked there: B1 and C1 are not perfect answers, and the
# chains of D1 and E1 cannot be matched one to one.
NOT_EXPECTED = {("B1", "muc"), ("B1", "bcub"), ("C1", "muc"), ("C1", "bcub"), ("D1", "ceafe"), ("E1", "ceafe")}
REPEATED = {"A7", "A8", "A9"}

# Recall and precision of LEA on the same cases as the authors' scorer (CoVal) expects them.
LEA = {
    "A1": (1, 1), "A2": ("1/3", 1), "A3": (1, "4/9"), "A4": ("1/2", "2/7"), "A5": ("1/2", "5/24"), "A6": ("1/2", "1/4"),
    "A7": ("1/2", "2/7"), "A10": ("1/6", "1/6"), "A11": ("5/6", "4/15"), "A12": ("1/6", "1/7"), "A13": ("1/6", "1/21"),
    "B1": ("1/5", "2/5"), "C1": ("3/7", "4/7"), "D1": (1, "13/18"), "E1": (1, "29/54"), "F1": ("1/3", 1), "G1": (1, "1/3"),
    "H1": (1, 1), "I1": ("1/3", 1), "J1": ("1/3", 1), "K1": ("1/7", "1/3"), "L1": ("5/21", "3/7"), "M1": (1, 1), "M2": (0, 0),
    "M3": ("4/15", "5/6"), "M4": ("1/5", "1/5"), "M5": (0, 0), "M6": ("1/15", "1/3"), "N1": (1, 1), "N2": (0, 0),
    "N3": ("1/6", "1/6"), "N4": ("1/2", "1/2"), "N5": (0, 0), "N6": (0, 0),
}  # fmt: skip


def scores(statistics: Mapping[str, np.ndarray], measure: str) -> list[float]:
    totals = statistics[measure].sum(axis=0)
    return [float(COREF[measure][part].score(totals)) for part in COREF_PARTS if part in COREF[measure]]


@pytest.fixture(scope="module")
def official(shared_data):
    folder = shared_data / "coref-official"
    found = {}
    for case in json.loads((folder / "expected.json").read_text(encoding="utf-8")):
        response = read_chains(folder / case["response"], repair=case["id"] in REPEATED)
        table = align_mentions(read_chains(folder / case["key"]), [response])
        found[case["id"]] = (case["expected"], coref_statistics(table))
    return found


def test_against_the_reference_scorer(official):
    checked = 0
    for case, (expected, statistics) in official.items():
        for theirs, ours in OFFICIAL.items():
            if theirs in expected and (case, theirs) not in NOT_EXPECTED:
                assert scores(statistics, ours) == pytest.approx(expected[theirs], abs=TOLERANCE), (case, ours)
                checked += 1
    assert checked == 56


def test_lea_against_the_authors_scorer(official):
    assert set(LEA) == set(official) - {"A8", "A9"}
    for case, (recall, precision) in LEA.items():
        r, p = Fraction(recall), Fraction(precision)
        f1 = 2 * r * p / (r + p) if r + p else 0
        assert scores(official[case][1], "lea") == pytest.approx([float(r), float(p), float(f1)], abs=1e-12), case


MEASURES = {**OFFICIAL, "lea": "lea"}


@pytest.mark.parametrize(
    ("settings_name", "asked"),
    a_few(
        [
            ("exact, singletons kept", {}),
            ("exact, singletons dropped", {"singletons": "drop"}),
            ("head, singletons kept", {"match": "head"}),
        ],
        1,
    ),
)
def test_against_the_scorer_of_corefud(shared_data, settings_name, asked):
    """Zeros, discontinuous mentions and heads; zeros without parents are matched by their places ("linear")."""
    folder = shared_data / "corefud-official"
    cases = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    for case in cases:
        (found,) = osc.diff(folder / case["key"], [folder / case["response"]], task="coref", **asked).scores.values()
        for theirs, ours in MEASURES.items():
            shown = [round(100 * getattr(found[ours], part), 2) for part in COREF_PARTS]
            assert shown == case[settings_name][theirs], (case["response"], ours)
    assert len(cases) == 43


@pytest.mark.parametrize("case", sorted(REPEATED))
def test_repeated_mentions_stop_by_default(shared_data, case):
    with pytest.raises(osc.OutscoreError, match="the mention of tokens 3 to 6 of its document is in chain 1"):
        read_chains(shared_data / "coref-official" / f"TC-A-{case[1]}.response")


# Partitions: for each document a chain or none for each of its places, in gold and in the response.
PLACES = st.lists(st.tuples(*[st.sampled_from([None, 0, 1, 2, 3])] * 2), min_size=1, max_size=9)
DOCUMENTS = st.lists(PLACES, min_size=1, max_size=3).filter(lambda d: any(k is not None for places in d for k, _ in places))


def chains_of(name: str, documents: list[list[tuple]], side: int) -> Chains:
    rows = [(d, i, places[i][side]) for d, places in enumerate(documents) for i in range(len(places))]
    kept = [row for row in rows if row[2] is not None]
    codes, starts, chains = np.array(kept, dtype=np.int64).reshape(-1, 3).T
    return Chains(name, Labels(codes, tuple(f"d{i}" for i in range(len(documents)))), starts, starts, codes * 10 + chains)


def table_of(documents):
    return align_mentions(chains_of("gold", documents, 0), [chains_of("system", documents, 1)])


def sets_of(places: list[tuple], side: int) -> list[frozenset[int]]:
    return [
        frozenset(i for i, both in enumerate(places) if both[side] == chain)
        for chain in sorted({both[side] for both in places if both[side] is not None})
    ]


def naive_muc(key, response) -> Fraction:
    """Links that remain when each key chain is cut up by the response (Vilain et al., 1995)."""
    total = 0
    for k in key:
        parts = {next((j for j, r in enumerate(response) if m in r), ("alone", m)) for m in k}
        total += len(k) - len(parts)
    return Fraction(total)


def naive_b_cubed(key, response) -> Fraction:
    return sum((Fraction(len(k & r), len(k)) for k in key for r in response for m in k & r), Fraction(0))


def naive_ceafe(key, response) -> Fraction:
    if len(key) > len(response):
        key, response = response, key
    return max(
        sum((Fraction(2 * len(k & r), len(k) + len(r)) for k, r in zip(key, chosen, strict=True)), Fraction(0))
        for chosen in itertools.permutations(response, len(key))
    )


def naive_links(chain) -> set:
    return {(m, m) for m in chain} if len(chain) == 1 else set(itertools.combinations(sorted(chain), 2))


def naive_lea(key, response) -> Fraction:
    """Importance of a chain times the share of its links that chains of the response hold (Moosavi, Strube, 2016)."""
    return sum(
        (len(k) * sum(Fraction(len(naive_links(k) & naive_links(r)), len(naive_links(k))) for r in response) for k in key),
        Fraction(0),
    )


@settings(max_examples=80)
@given(documents=DOCUMENTS)
def test_statistics_against_their_definitions(documents):
    statistics = coref_statistics(table_of(documents))
    for d, places in enumerate(documents):
        key, response = sets_of(places, 0), sets_of(places, 1)
        links = [sum(len(c) - 1 for c in chains) for chains in (key, response)]
        mentions = [sum(map(len, chains)) for chains in (key, response)]
        assert statistics["muc"][d].tolist() == [naive_muc(key, response), *links]
        assert naive_muc(key, response) == naive_muc(response, key)
        for measure, naive in (("b3", naive_b_cubed), ("lea", naive_lea)):
            expected = [naive(key, response), mentions[0], naive(response, key), mentions[1]]
            assert statistics[measure][d].tolist() == pytest.approx([float(x) for x in expected], abs=1e-12)
        expected = [float(naive_ceafe(key, response)), len(key), len(response)]
        assert statistics["ceafe"][d].tolist() == pytest.approx(expected, abs=1e-12)
        assert statistics["conll"][d].tolist() == [*statistics["muc"][d], *statistics["b3"][d], *statistics["ceafe"][d]]


@settings(max_examples=40)
@given(documents=DOCUMENTS)
def test_exchanging_key_and_response_exchanges_recall_and_precision(documents):
    table = table_of(documents)
    one, other = coref_statistics(table, 0, 1), coref_statistics(table, 1, 0)
    for measure in COREF:
        if measure == "conll":
            assert scores(one, measure) == pytest.approx(scores(other, measure), abs=1e-12)
        else:
            (r, p, f1), (p2, r2, f2) = scores(one, measure), scores(other, measure)
            assert (r, p, f1) == pytest.approx((r2, p2, f2), abs=1e-12)


@settings(max_examples=40)
@given(documents=DOCUMENTS)
def test_any_antecedent_is_muc(documents):
    """Right antecedents by the loose criterion are MUC's common links."""
    statistics = coref_statistics(table_of(documents))
    tp, wl, fn, fp = statistics["arcs-any"].T
    assert np.stack([tp, tp + wl + fn, tp + wl + fp], axis=1).tolist() == statistics["muc"].tolist()


@settings(max_examples=60)
@given(documents=DOCUMENTS, measure=st.sampled_from(sorted(COREF)))
def test_floats_against_exact_arithmetic(documents, measure):
    totals = coref_statistics(table_of(documents))[measure].sum(axis=0)
    metric = COREF[measure]["f1"]
    if metric.precise is not None:
        exact = float(metric.precise([Fraction(float(x)) for x in totals]))
        assert float(metric.score(totals)) == pytest.approx(exact, abs=1e-12)


@settings(max_examples=40)
@given(documents=DOCUMENTS)
def test_a_perfect_response(documents):
    statistics = coref_statistics(align_mentions(chains_of("gold", documents, 0), [chains_of("twin", documents, 0)]))
    for measure in ("b3", "ceafe", "lea"):
        assert scores(statistics, measure) == pytest.approx([1, 1, 1])
    links = statistics["muc"].sum(axis=0)[1] > 0
    assert scores(statistics, "muc") == [links, links, links]


def test_conll_is_the_mean_of_three():
    statistics = coref_statistics(table_of([[(0, 0), (0, 0), (0, 1), (1, 1), (1, None)], [(None, 0), (0, 0), (1, 2), (1, 2)]]))
    mean = sum(scores(statistics, measure)[2] for measure in ("muc", "b3", "ceafe")) / 3
    assert scores(statistics, "conll") == pytest.approx([mean])


def test_arcs_arithmetic():
    totals = np.array([3981, 900, 1980, 1713])
    found = [round(100 * float(COREF["arcs-nom"][part].score(totals)), 2) for part in COREF_PARTS]
    assert found == [58.02, 60.37, 59.18]


def test_a_response_without_mentions_scores_zero():
    statistics = coref_statistics(table_of([[(0, None), (0, None)]]))
    assert all(score == 0 for measure in COREF for score in scores(statistics, measure))


def test_every_measure_has_its_statistics():
    statistics = coref_statistics(table_of([[(0, 0), (0, 0)]]))
    assert set(statistics) == set(COREF)
    for measure, parts in COREF.items():
        assert all(len(metric.columns) == statistics[measure].shape[1] for metric in parts.values())


def test_islands_of_chains_against_whole_documents(tmp_path):
    """The matching found island by island is that of the whole documents."""
    from scipy.optimize import linear_sum_assignment

    paths = write_documents(tmp_path, documents=6, phrases=80, seed=3)
    table = align_mentions(read_chains(paths["gold"]), [read_chains(paths["plain"])])
    statistics = coref_statistics(table)["ceafe"]
    for d in range(6):
        wanted, given_ = table.chains[table.documents.codes == d].T
        keys, responses = (np.unique(x[x >= 0]) for x in (wanted, given_))
        similarity = np.array(
            [
                [2 * np.sum((wanted == k) & (given_ == r)) / (np.sum(wanted == k) + np.sum(given_ == r)) for r in responses]
                for k in keys
            ]
        )
        best = similarity[linear_sum_assignment(similarity, maximize=True)].sum()
        assert statistics[d].tolist() == pytest.approx([best, len(keys), len(responses)])


def test_significance_over_documents(tmp_path):
    """Rows of documents go into a comparison as they are: p is the share of all exchanges of whole documents."""
    paths = write_documents(tmp_path, documents=8, phrases=30, seed=1)
    table = align_mentions(read_chains(paths["gold"]), [read_chains(paths[name]) for name in RESPONSES])
    plain, best = coref_statistics(table, 0, 1), coref_statistics(table, 0, 3)
    swaps = np.array(list(itertools.product([0, 1], repeat=8)))[:, :, None]
    for measure, parts in COREF.items():
        a, b, metric = best[measure], plain[measure], parts["f1"]
        found = osc.compare(a, b, metric=metric)
        differences = metric.score(np.where(swaps, b, a).sum(axis=1)) - metric.score(np.where(swaps, a, b).sum(axis=1))
        assert found.difference == pytest.approx(float(differences[0]), abs=1e-12)
        p = np.mean(np.abs(differences) >= abs(differences[0]) - 1e-12)
        assert found.p.lower - 1e-12 <= p <= found.p.upper + 1e-12, measure
