"""Epochs and runs: how they are told apart, which population decides, and what is said of each."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.special
import scipy.stats

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.core.rows import Runs
from outscore.inference.base.question import TestRequest
from outscore.inference.describe.repeats import run_interval, run_test
from outscore.inference.runs import exchange_of
from outscore.inference.two_way import two_way_of_means


def right(seed: int = 2, n: int = 80, runs: tuple[int, int] = (3, 3), sd: float = 0.4, lead: float = 0.0):
    """(n, K) right-or-wrong scores of two systems whose whole runs differ."""
    rng = np.random.default_rng(seed)
    logit = rng.normal(1.0, 1.5, (n, 1))
    return [
        (rng.random((n, k)) < scipy.special.expit(logit + shift + rng.normal(0, sd, k))).astype(int)
        for k, shift in zip(runs, (lead, 0.0), strict=True)
    ]


def written(path, tables, column: str = "seed", cluster=None) -> str:
    """A long table of both systems' runs."""
    head = f"id,model,{column},correct" + ("" if cluster is None else ",document")
    lines = [head]
    for name, table in zip(("new", "old"), tables, strict=True):
        for (i, r), x in np.ndenumerate(table):
            lines.append(f"q{i},{name},{r + 1},{x}" + ("" if cluster is None else f",d{cluster[i]}"))
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def test_seeds_are_drawn_anew_by_default(tmp_path):
    a, b = right()
    found = osc.compare(written(tmp_path / "seeds.csv", (a, b)))
    crossed = two_way_of_means(a.astype(float), b.astype(float))
    assert found.population == "items-and-runs"
    assert found.p.value == pytest.approx(crossed.p().value, rel=1e-9)
    interval = crossed.interval()
    assert (found.interval.low, found.interval.high) == pytest.approx((interval.low, interval.high))
    other, these = found.other_populations
    assert (these.population, these.p) == ("these-items", found.runs.p)
    items = osc.permutation_test(a.ravel(), b.ravel(), items=np.repeat(np.arange(80), 3))
    assert (other.population, other.p) == ("items", items)
    assert "averaged over 3 runs of each system" in found.sentence
    assert "the claim is about new items and new runs" in found.sentence
    assert "a claim about new items and new runs" in found.verdict
    assert "repeats:3 runs|population:items-and-runs" in str(found.signature)
    assert found.runs.a == pytest.approx(a.mean(axis=0).tolist())
    assert [step.view for step in found.design.path] == ["rows", "items", "items-and-runs"]
    text = found.to_text()
    assert "would a newly trained new and a newly trained old differ on new items?" in " ".join(text.split())
    assert (found.fragility, found.power, found.pictures.sizes) == (None, None, [])


def test_the_population_asked_for_decides(tmp_path):
    path = written(tmp_path / "seeds.csv", right())
    usual, items = osc.compare(path), osc.compare(path, population="items")
    assert items.p == usual.other_populations[0].p
    assert items.other_populations[0].p == usual.p
    assert items.other_populations[0].interval == usual.interval
    assert "the claim is about new items and these runs" in items.sentence


def test_epochs_are_averaged_as_ever(tmp_path):
    a, b = right()
    found = osc.compare(written(tmp_path / "epochs.csv", (a, b), "epoch"))
    assert found.p == osc.permutation_test(a.ravel(), b.ravel(), items=np.repeat(np.arange(80), 3))
    assert found.population == "items"
    assert [(one.population, one.p.test) for one in found.other_populations] == [("these-items", "exchange")]
    assert "averaged over 3 epochs of each item" in found.sentence
    assert "the claim is about new items." in found.sentence
    assert osc.compare(written(tmp_path / "e.csv", (a, b), "epoch"), repeats="runs").population == "items-and-runs"
    assert osc.compare(written(tmp_path / "s.csv", (a, b), "seed"), repeats="epochs").population == "items"


def test_arrays_have_epochs_unless_they_are_called_runs():
    a, b = right()
    items = np.repeat(np.arange(80), 3)
    epochs = osc.compare(a.ravel(), b.ravel(), items=items)
    runs = osc.compare(a.ravel(), b.ravel(), items=items, repeats="runs")
    assert (epochs.design.repeat_kind, epochs.population) == ("epochs", "items")
    assert runs.p.value == pytest.approx(two_way_of_means(a.astype(float), b.astype(float)).p().value)


def test_unequally_many_runs(tmp_path):
    a, b = right(runs=(3, 5), lead=0.5)
    found = osc.compare(written(tmp_path / "seeds.csv", (a, b)), metric="accuracy")
    assert found.p.value == pytest.approx(two_way_of_means(a.astype(float), b.astype(float)).p().value)
    assert "3 runs of new and 5 runs of old" in found.sentence
    assert found.other_populations[0].p.test == "permutation"


def test_clusters(tmp_path):
    a, b = right()
    cluster = np.repeat(np.arange(10), [1, 2, 3, 4, 5, 9, 10, 12, 14, 20])
    found = osc.compare(written(tmp_path / "seeds.csv", (a, b), cluster=cluster))
    assert found.p.value == pytest.approx(two_way_of_means(a.astype(float), b.astype(float), cluster).p().value)
    assert found.p.n == 10


@pytest.mark.parametrize(("direction", "alternative"), [("higher", "greater"), ("lower", "less")])
def test_sides_margins_and_directions(tmp_path, direction, alternative):
    a, b = right(lead=0.8)
    found = osc.compare(
        written(tmp_path / "seeds.csv", (a, b)), alternative=alternative, direction=direction, delta=0.01, margin=0.3
    )
    crossed = two_way_of_means(a.astype(float), b.astype(float))
    side = 1 if direction == "higher" else -1
    means, metric = (a.mean(axis=1), b.mean(axis=1)), f"mean:direction={direction}"

    def over_items(delta, alternative):
        """The bound of a bounded mean on the items' means, which a shifted question asks as well."""
        return osc.permutation_test(*means, delta=delta, alternative=alternative, metric=metric).value

    expected = max(crossed.p(TestRequest("greater", 0.01)).value, over_items(0.01, alternative))
    assert found.p.value == pytest.approx(expected)
    by_runs = crossed.p(TestRequest("greater", -0.3 * side), orientation=side).value
    assert found.margin.noninferiority.value == pytest.approx(max(by_runs, over_items(-0.3 * side, "greater")))


@pytest.mark.parametrize(
    ("keep", "reason"),
    [
        (lambda line: not line.startswith("q3,new,2,"), "new lacks runs of some items"),
        (lambda line: ",old,2," not in line and ",old,3," not in line, "old has a single run"),
    ],
)
def test_without_a_whole_table_the_claim_is_about_these_runs(tmp_path, keep, reason):
    path = tmp_path / "seeds.csv"
    written(path, right())
    path.write_text("\n".join(filter(keep, path.read_text().splitlines())) + "\n")
    found = osc.compare(str(path))
    assert (found.population, found.other_populations) == ("items", [])
    assert any(note.text == f"The claim is about these runs, not about new ones: {reason}." for note in found.notes)
    assert "the claim is about new items and these runs" in found.sentence
    with pytest.raises(OutscoreError, match=f"Population items-and-runs is not available: {reason}"):
        osc.compare(str(path), population="items-and-runs")


def test_two_runs_carry_a_note(tmp_path):
    found = osc.compare(written(tmp_path / "seeds.csv", right(runs=(2, 3))))
    assert any("Two runs say little about" in note.text for note in found.notes)
    three = osc.compare(written(tmp_path / "seeds.csv", right(runs=(3, 3))))
    assert not any("Two runs say little about" in note.text for note in three.notes)


def test_a_named_test_answers_for_items(tmp_path):
    path = written(tmp_path / "seeds.csv", right())
    found = osc.compare(path, test="student")
    assert (found.p.test, found.population, found.other_populations[0].p.test) == ("student", "items", "two-way")
    with pytest.raises(OutscoreError, match="`student` is about new items") as refusal:
        osc.compare(path, test="student", population="items-and-runs")
    assert refusal.value.parameter == "population"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"population": "these"}, "`population` is 'these'"),
        ({"repeats": "seeds"}, "`repeats` is 'seeds'"),
        ({"repeats": "epochs", "population": "items-and-runs"}, "`seed` contains epochs"),
    ],
)
def test_what_cannot_be_asked_is_refused(tmp_path, asked, message):
    with pytest.raises(OutscoreError, match=message):
        osc.compare(written(tmp_path / "seeds.csv", right(n=10)), **asked)


def test_items_scored_once_have_no_repeats():
    with pytest.raises(OutscoreError, match="There are no repeats"):
        osc.compare([1, 0, 1], [0, 0, 1], repeats="runs")
    with pytest.raises(OutscoreError, match="each item was scored once"):
        osc.compare([1, 0, 1], [0, 0, 1], population="items-and-runs")


def test_slices_are_judged_by_the_same_population(tmp_path):
    a, b = right(n=60)
    path = tmp_path / "seeds.csv"
    written(path, (a, b))
    head, *lines = path.read_text().splitlines()
    path.write_text(
        "\n".join([f"{head},topic", *(f"{x},{'even' if int(x[1 : x.index(',')]) % 2 == 0 else 'odd'}" for x in lines)])
    )
    whole, even, odd = osc.compare(str(path), slices="topic").comparisons
    for part, rows in ((even, slice(0, None, 2)), (odd, slice(1, None, 2))):
        assert part.population == whole.population == "items-and-runs"
        assert part.p.value == pytest.approx(two_way_of_means(a[rows].astype(float), b[rows].astype(float)).p().value)
    with pytest.raises(OutscoreError, match="swaps items, but the claims are about new runs too"):
        osc.compare(str(path), slices="topic", correction="max-t")


def test_counts_are_judged_by_the_scores_of_runs(tmp_path):
    rng = np.random.default_rng(1)
    lines = ["id,model,run,tp,fp,fn"]
    for name in ("new", "old"):
        lines += [f"q{i},{name},{r},{','.join(map(str, rng.poisson(3, 3)))}" for i in range(30) for r in range(3)]
    path = tmp_path / "counts.csv"
    path.write_text("\n".join(lines))
    found = osc.compare(str(path), score=["tp", "fp", "fn"], metric="f1")
    assert (found.p.test, found.population) == ("two-way", "items-and-runs")
    assert found.difference == pytest.approx((found.interval.low + found.interval.high) / 2)


def test_identical_runs_have_p_one(tmp_path):
    a, _ = right()
    found = osc.compare(written(tmp_path / "seeds.csv", (a, a)))
    assert found.p.value == 1.0


def test_the_json_names_the_populations(tmp_path):
    found = osc.compare(written(tmp_path / "seeds.csv", right()))
    found.save(tmp_path / "found.json")
    saved = json.loads((tmp_path / "found.json").read_text())["comparisons"][0]
    assert saved["population"] == "items-and-runs"
    assert [one["population"] for one in saved["other_populations"]] == ["items", "these-items"]
    assert saved["other_populations"][0]["p"]["value"] == found.other_populations[0].p.value
    assert osc.load(tmp_path / "found.json") == found


def test_few_items_of_unequally_many_runs_are_warned_of(tmp_path):
    rng = np.random.default_rng(4)
    rate = rng.beta(9, 0.5, (15, 1))
    a, b = rng.binomial(1, np.repeat(rate, 10, axis=1)), rng.binomial(1, rate)
    found = osc.compare(written(tmp_path / "few.csv", (a, b), "epoch"))
    assert found.p.test == "permutation"
    texts = [note.text for note in found.notes]
    assert any("Items were run 10 times by new and once by old" in text for text in texts)
    assert any("p may be far too small" in text for text in texts)


def test_compare_and_plan_agree_on_the_variances(tmp_path):
    path = written(tmp_path / "seeds.csv", right(lead=0.5))
    found, plan = osc.compare(path), osc.plan(pilot=path, effect=0.05, repeats=3)
    assert (found.design.between, found.design.within) == pytest.approx((plan.design.sd**2, plan.design.within**2))


def test_a_plan_says_what_whole_runs_leave_out_of_reach(tmp_path):
    notes = [n.text for n in osc.plan(pilot=written(tmp_path / "s.csv", right(sd=1.0)), effect=0.05).notes if n.kind == "runs"]
    assert len(notes) == 1
    assert "the plan is for new items and these runs" in notes[0]
    assert "or fewer, no number of items is enough" in notes[0]
    epochs = osc.plan(pilot=written(tmp_path / "e.csv", right(), "epoch"), effect=0.05)
    assert not any(note.kind == "runs" for note in epochs.notes)


def test_new_runs_of_these_very_items(tmp_path):
    a, b = right(lead=0.6, runs=(4, 4))
    path = written(tmp_path / "epochs.csv", (a, b), "epoch")
    usual, found = osc.compare(path), osc.compare(path, population="these-items", margin=0.2)
    codes = np.repeat(np.arange(80), 4)
    exchange = exchange_of(Runs(a.ravel(), codes), Runs(b.ravel(), codes))
    assert (found.population, found.p) == ("these-items", exchange.p())
    assert (usual.population, usual.other_populations[0].p) == ("items", found.p)
    assert found.other_populations[0].p == usual.p
    assert found.interval == exchange.interval(TestRequest(), exchange.p())
    assert usual.other_populations[0].interval == found.interval
    assert [(score.low, score.high) for score in found.scores] == list(exchange.own(0.05))
    assert found.margin.noninferiority.value == pytest.approx(exchange.p(TestRequest("greater", -0.2)).value)
    assert "a claim about these items and new runs" in found.verdict
    assert "the claim is about these items and new runs" in found.sentence
    assert "population:these-items" in str(found.signature)
    assert (found.power, found.fragility) == (None, None)
    assert [step.view for step in found.design.path] == ["rows", "items", "these-items"]
    assert sum(found.pictures.null.density) * found.pictures.null.width == pytest.approx(1, abs=1e-4)
    for text in (found.to_text(), found.to_markdown(), found.to_html(), found.to_latex()):
        words = " ".join(text.split())
        assert "exact exchange of runs within items" in words
        assert "Welch t test" in words
        assert "or was it chance?" in words or "booktabs" in words
    assert osc.load(found.save(tmp_path / "found.json")) == found


def test_whole_runs_are_exchanged_whole(tmp_path):
    a, b = right(lead=0.9, runs=(4, 4))
    found = osc.compare(written(tmp_path / "seeds.csv", (a, b)), population="these-items")
    scores = a.mean(axis=0), b.mean(axis=0)
    assert found.p == run_test(*scores)
    assert found.interval == run_interval(*scores)
    assert [one.population for one in found.other_populations] == ["items", "items-and-runs"]
    assert "exact exchange of whole runs" in found.sentence
    few = osc.compare(written(tmp_path / "few.csv", right(runs=(3, 3))), population="these-items")
    assert any(note.text == "Exchanging 3 and 3 whole runs cannot give a p-value below .100." for note in few.notes)
    assert (few.interval.low, few.interval.high) == (None, None)


def test_unequally_many_runs_of_these_items_carry_a_warning(tmp_path):
    a, b = right(runs=(2, 5), lead=0.5)
    found = osc.compare(written(tmp_path / "epochs.csv", (a, b), "epoch"), population="these-items")
    codes = [np.repeat(np.arange(80), k) for k in (2, 5)]
    assert found.p == exchange_of(Runs(a.ravel(), codes[0]), Runs(b.ravel(), codes[1])).p()
    assert any("With unequal numbers of runs per item, the test asks whether" in note.text for note in found.notes)


def test_a_system_that_ran_these_items_once_is_judged_by_its_own_spread(tmp_path):
    """14 of 30 single runs right, against four nearly perfect runs: Wilson for A, whatever B's runs show."""
    once, four_times = (np.arange(30) % 2 == 0)[:, None].astype(int), np.ones((30, 4), dtype=int)
    once[0] = 0
    four_times[:4, 0] = 0
    found = osc.compare(written(tmp_path / "one.csv", (once, four_times), "epoch"), population="these-items")
    own = found.scores[0]
    assert (own.low, own.high) == pytest.approx((0.302, 0.639), abs=5e-4)
    expected = scipy.stats.ttest_1samp(once[:, 0] - four_times.mean(axis=1), 0.0).confidence_interval()
    assert (found.interval.low, found.interval.high) == pytest.approx((expected.low, expected.high))
    assert any("A single run of an item does not show how much runs of it differ" in note.text for note in found.notes)
    several = osc.compare(written(tmp_path / "epochs.csv", right(runs=(2, 4)), "epoch"), population="these-items")
    assert not any("single run" in note.text for note in several.notes)


def test_every_claim_says_which_p_it_can_reach(tmp_path):
    """Three runs of each system leave no p below .1 for these items, however far apart they are."""
    path = written(tmp_path / "seeds.csv", right(lead=1.5, sd=0.0))
    found = osc.compare(path)
    assert found.smallest_p is None
    assert [(one.population, one.smallest_p) for one in found.other_populations] == [
        ("items", pytest.approx(2.0**-79)),
        ("these-items", pytest.approx(0.1)),
    ]
    text = " ".join(found.to_text().split())
    assert "cannot be shown with 3 runs, as no p is below .100" in text
    assert "any p is possible; this claim decides" in text
    asked = osc.compare(path, population="these-items")
    assert asked.smallest_p == pytest.approx(0.1)
    assert "cannot be shown with 3 runs, as no p is below .100; this claim decides" in " ".join(asked.to_text().split())
    epochs = osc.compare(written(tmp_path / "epochs.csv", right(n=2, runs=(2, 2)), "epoch"))
    assert epochs.smallest_p == pytest.approx(0.5)
    assert epochs.other_populations[0].smallest_p == pytest.approx(2 / 36)
    assert "cannot be shown with 2 items, as no p is below .500" in " ".join(epochs.to_text().split())


def test_the_price_of_new_runs_is_said_where_it_decided(tmp_path):
    found = osc.compare(written(tmp_path / "dear.csv", right(seed=7, n=100, sd=0.6, lead=0.6)))
    assert found.other_populations[0].p.value <= 0.05 < found.p.value
    assert any("A claim about new runs costs power" in note.text for note in found.notes)
    sure = osc.compare(written(tmp_path / "sure.csv", right(lead=1.5, sd=0.0)))
    assert not any("costs power" in note.text for note in sure.notes)


def test_slices_of_these_items(tmp_path):
    a, b = right(lead=0.6)
    path = written(tmp_path / "epochs.csv", (a, b), "epoch", cluster=np.arange(80) % 2)
    found = osc.compare(path, population="these-items", slices="document", clusters="none")
    codes = np.repeat(np.arange(40), 3)
    parts = [exchange_of(Runs(a[k::2].ravel(), codes), Runs(b[k::2].ravel(), codes)).p().value for k in (0, 1)]
    assert [c.p.value for c in found.comparisons[1:]] == pytest.approx(parts)
    with pytest.raises(OutscoreError, match="swaps items"):
        osc.compare(path, population="these-items", slices="document", clusters="none", correction="max-t")


def test_these_items_need_repeats():
    for given in ({}, {"unit_size": 2}):
        with pytest.raises(
            OutscoreError, match="Population these-items is not available: each item was scored once"
        ) as refusal:
            osc.compare([1, 0, 1, 1], [0, 0, 1, 0], population="these-items", **given)
        assert refusal.value.parameter == "population"
        assert "several runs of each item" in refusal.value.hint
    with pytest.raises(OutscoreError, match="units of several items"):
        osc.compare([1, 0, 1, 1], [0, 0, 1, 0], items=[1, 1, 2, 2], population="these-items", unit_size=2)


def test_counts_are_exchanged_at_random(tmp_path):
    """F1 is no mean over items: runs are exchanged by sampling, said so, and no interval is made up."""
    rng = np.random.default_rng(4)
    a, b = (np.stack([rng.binomial(9, rate, 60), rng.integers(0, 5, 60)], axis=1) for rate in (0.6, 0.5))
    found = osc.compare(a, b, items=np.repeat(np.arange(20), 3), metric="f1", population="these-items")
    assert (found.p.method, found.p.kernel, found.interval) == ("monte-carlo", "divisions:9999", None)
    assert any("not a mean over items, so its runs are exchanged at random" in note.text for note in found.notes)
    with pytest.raises(OutscoreError, match="can only test for no difference"):
        osc.compare(a, b, items=np.repeat(np.arange(20), 3), metric="f1", population="these-items", margin=0.1)


def test_aime(shared_data):
    """o3-mini (high) against o1 (medium): p = .0368 on these items, .109 on items like these."""
    path = str(shared_data / "llm-scores" / "aime-2025-II.csv")
    found = osc.compare(path, systems=["o3-mini (high)", "o1 (medium)"], population="these-items")
    assert found.p.value == pytest.approx(0.036825, abs=5e-7)
    assert found.other_populations[0].p.value == pytest.approx(0.109375, abs=1e-12)


def test_items_run_unequally_often_are_counted_as_items(tmp_path):
    """Means of items are no rows of the data, and what the exchange of runs counts are runs."""
    path = written(tmp_path / "epochs.csv", right(n=8, runs=(5, 3)), "epoch")
    found = osc.compare(path, population="these-items")
    assert [(step.view, step.n) for step in found.design.path] == [("items", 8), ("these-items", 64)]
    text = " ".join(found.to_text().split())
    assert "over 8 items," in text
    assert "over 64 runs of these items" in text
    assert "|n:64|unit:runs|" in str(found.signature)
    assert "|n:8|unit:items|" in str(osc.compare(path).signature)


def test_one_item_is_no_plural(tmp_path):
    found = osc.compare(written(tmp_path / "epochs.csv", [np.ones((1, 4), int), np.zeros((1, 4), int)], "epoch"))
    assert "1 over 1 item: the last one decides" in " ".join(found.to_text().split())
