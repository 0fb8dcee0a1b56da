"""`compare_texts`: published p-values, few changes, runs, documents, buckets, workers, the peer's p."""

from __future__ import annotations

import itertools
import math
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.variants import a_few

import outscore as osc
from outscore import compare_texts
from outscore.core.errors import OutscoreError
from outscore.engine.engines import Processes, engine_of
from outscore.engine.progress import Progress
from outscore.inference.originals import sacrebleu_ar, sacrebleu_bs
from outscore.inference.registry import TESTS
from outscore.metrics.cache import StatisticsCache
from outscore.metrics.text.registry import TEXT_METRICS, segment_statistics, text_metric
from outscore.results.comparison import Comparisons
from outscore.results.note import note_texts
from outscore.workflows.texts.labels import length_bands
from outscore.workflows.texts.statistics import Statistics

pytest.importorskip("sacrebleu")

# Exact p-values of TER against LIUM-NMT, from an independent implementation.
TER = {
    "FBK": 0.0982158,
    "RWTH-nmt-ensemble": 0.0755599,
    "online-B": 0.8214861,
    "LMU-nmt-single": 0.0070518,
    "KIT": 4.91393e-4,
    "PROMT-Rule-based": 3.9016e-281,
}
# Published p-values of approximate randomisation, 10,000 trials, BLEU without tokenisation; .0001 is the smallest there is.
BLEU = {
    "FBK": 0.0218, "KIT": 0.0410, "LMU-nmt-reranked": 0.0903, "LMU-nmt-single": 0.585, "online-B": 0.941,
    "RWTH-nmt-ensemble": 0.0207, "SYSTRAN": 0.599, "xmu": 0.711, "C-3MA": 0.0001, "PROMT-Rule-based": 0.0001,
    "TALP-UPC": 0.0001, "online-A": 0.0001, "online-F": 0.0001, "online-G": 0.0001, "uedin-nmt": 0.0001,
}  # fmt: skip
COLOURS = ["red", "blue", "green", "black", "white", "grey", "pink", "brown", "gold", "mint", "lime", "teal"]
REFERENCE = [f"the {colour} cat number {i} sat on the old mat and slept" for i, colour in enumerate(COLOURS)]
OUTPUT = [line.replace("slept", "dreamt") for line in REFERENCE]


def worse(changed: int) -> list[str]:
    """The output with so many segments cut short, each by another length."""
    return [" ".join(line.split()[: -1 - i]) if i < changed else line for i, line in enumerate(OUTPUT)]


@pytest.fixture(scope="module")
def cache(tmp_path_factory) -> StatisticsCache:
    return StatisticsCache(tmp_path_factory.mktemp("statistics"))


@pytest.fixture(scope="module")
def wmt17(shared_data):
    def read(name, segments=None):
        path = shared_data / "wmt17-en-de" / ("ref.txt" if name == "ref" else f"systems/{name}.txt")
        return path.read_text(encoding="utf-8").split("\n")[:-1][:segments]

    return read


def compared(a, b, reference=REFERENCE, **asked) -> Comparisons:
    return compare_texts(a, b, reference, **{"cache": StatisticsCache(None), **asked})


def exact_two_sided(d: np.ndarray) -> float:
    """p of the sum of sign flips of whole numbers, by convolving the law unit by unit."""
    law = np.ones(1)
    for size in np.abs(d[d != 0]):
        wider = np.zeros(len(law) + 2 * size)
        wider[: len(law)] += law / 2
        wider[2 * size :] += law / 2
        law = wider
    values = np.arange(len(law)) - np.abs(d).sum()
    return float(law[np.abs(values) >= abs(d.sum())].sum())


class TestPublished:
    def test_against_convolution_on_a_slice(self, wmt17, cache):
        a, b, reference = (wmt17(name, 150) for name in ("FBK", "LIUM-NMT", "ref"))
        found = compare_texts(a, b, reference, metrics=["ter"], cache=cache).comparisons[0]
        rows = [segment_statistics("ter", x, [reference], text_metric("ter")[1]) for x in (a, b)]
        assert found.p.method == "exact"
        assert found.p.value == pytest.approx(exact_two_sided(rows[0][:, 0] - rows[1][:, 0]), rel=1e-9)
        assert found.n == 150
        assert not found.higher_is_better

    @pytest.mark.slow
    @pytest.mark.parametrize("system", TER)
    def test_ter_exactly(self, wmt17, cache, system):
        found = compare_texts(wmt17(system), wmt17("LIUM-NMT"), wmt17("ref"), metrics=["ter"], cache=cache).comparisons[0]
        assert found.p.method == "exact"
        assert found.p.value == pytest.approx(TER[system], rel=1e-5)

    @pytest.mark.slow
    @pytest.mark.parametrize("system", BLEU)
    def test_bleu_within_the_noise_of_the_published(self, wmt17, cache, system):
        metrics = ["bleu:tokenize=none"]
        found = compare_texts(wmt17(system), wmt17("LIUM-NMT"), wmt17("ref"), metrics=metrics, cache=cache).comparisons[0]
        published = BLEU[system]
        # Both p-values are sampled.
        noise = math.sqrt(2 * published * (1 - published) / 10_000)
        assert abs(found.p.value - published) <= 4 * noise + 1e-4


class TestFewChanges:
    @pytest.mark.parametrize(("changed", "least"), a_few([(0, 1.0), (1, 1.0), (3, 0.25), (5, 0.0625)], 2))
    def test_no_metric_finds_more_than_the_swaps_allow(self, changed, least):
        found = compared(OUTPUT, worse(changed), metrics=list(TEXT_METRICS)).comparisons
        assert [c.metric for c in found] == [entry.label for entry in TEXT_METRICS.values()]
        for c in found:
            assert c.p.exact, c.metric
            assert c.p.value >= least, c.metric
            assert c.decision.winner is None
        # The longest cuts decide: nothing smaller could be had.
        assert min(c.p.value for c in found) == least

    @pytest.mark.parametrize("test", TESTS)
    def test_identical_outputs(self, test):
        if test == "mcnemar":
            pytest.skip("takes right-or-wrong items only")
        metric = "bleu" if TESTS[test].on == "any" else "sentence-bleu"
        found = compared(OUTPUT, OUTPUT, metrics=[metric], test=test).comparisons[0]
        assert found.p.value == 1
        assert found.difference == 0
        assert "identically" in found.verdict or test == "bayes"

    def test_identical_outputs_stay_so_in_a_family(self):
        found = compared(OUTPUT, list(OUTPUT), metrics=["bleu", "ter"]).comparisons
        assert [c.p.adjusted for c in found] == [1, 1]
        assert all("scored identically" in c.verdict for c in found)

    def test_reference_as_output_and_empty_lines(self):
        reference = [*REFERENCE, "", "x"]
        found = compared(reference, [*OUTPUT, "", ""], reference, metrics=["bleu", "chrf", "ter", "wer"]).comparisons
        assert [round(c.scores[0].value, 9) for c in found] == [100, 100, 0, 0]
        assert all(c.n == 14 for c in found)

    def test_one_segment_decides_nothing(self):
        for c in compared(["a b c d e"], ["a b x"], ["a b c d e"], metrics=list(TEXT_METRICS)).comparisons:
            assert c.p.value == 1
            assert (c.interval.low, c.interval.high) == (None, None) if c.interval is not None else True


class TestFamily:
    def test_p_is_corrected_over_metrics(self):
        found = compared(OUTPUT, worse(5), metrics=["bleu", "ter", "wer"], correction="bonferroni")
        assert (found.family.correction, found.family.m) == ("bonferroni", 3)
        assert all(c.p.adjusted == min(1, 3 * c.p.value) for c in found.comparisons)
        assert all(c.systems == ("A", "B") for c in found.comparisons)

    def test_a_metric_has_the_same_p_alone_and_in_company(self, wmt17):
        """Segments that one metric cannot tell apart do not shift the swaps of the others."""
        a, b, reference = (wmt17(name, 60) for name in ("FBK", "LIUM-NMT", "ref"))
        metrics = ["bleu", "chrf", "nist"]
        asked = {"options": {"resamples": 499}, "correction": "bonferroni"}
        together = compared(a, b, reference, metrics=metrics, **asked).comparisons
        for c in together:
            alone = compared(a, b, reference, metrics=[c.metric], **asked).comparisons[0]
            assert (alone.p.value, alone.interval) == (c.p.value, c.interval)
            assert c.p.method == "monte-carlo"

    def test_a_margin_for_bleu_is_refused_in_the_users_words(self):
        with pytest.raises(OutscoreError, match=r"takes a margin .*, and bleu is not one here") as refused:
            compared(OUTPUT, worse(3), metrics=["bleu"], margin=1.0)
        assert "`bootstrap`" in refused.value.hint
        found = compared(OUTPUT, worse(3), metrics=["bleu"], margin=1.0, test="bootstrap").comparisons[0]
        assert found.margin.value == 1.0

    def test_one_metric_needs_no_correction(self):
        found = compared(OUTPUT, worse(5), metrics=["bleu"])
        assert found.family is None
        assert found.comparisons[0].p.adjusted is None

    def test_signature_names_library_and_reference(self):
        signature = compared(OUTPUT, worse(3), metrics=["bleu:tokenize=none"]).comparisons[0].signature
        assert "BLEU|nrefs:1" in signature
        assert "tok:none" in signature

    def test_segments_stand_in_the_order_of_their_pull(self):
        """The strongest of each side first; nobody won, so both sides take turns."""
        found = compared(OUTPUT, worse(4), metrics=["ter"]).comparisons[0].segments
        assert [s.item for s in found] == ["segment 4", "segment 1", "segment 3", "segment 2"]
        # Segments on which both wrote the same are not shown, whatever their weight in the corpus.
        assert len(found) == 4
        assert found[0].b == worse(4)[3]
        assert found[0].references == [REFERENCE[3]]

    def test_sentence_scores_say_where_neither_scores(self):
        nothing = ["zzz", *OUTPUT[1:]]
        notes = compared(nothing, ["qqq", *worse(3)[1:]], metrics=["sentence-bleu"]).comparisons[0].notes
        assert "On 8.3% of the segments both systems have a sentence-BLEU of 0." in note_texts(notes)


class TestSources:
    def test_workers_and_pieces_change_nothing(self, monkeypatch, wmt17):
        a, b, reference = (wmt17(name, 24) for name in ("FBK", "LIUM-NMT", "ref"))
        asked = {"metrics": ["ter", "nist"], "options": {"resamples": 499}, "cache": StatisticsCache(None)}
        whole = compare_texts(a, b, reference, jobs=1, **asked)
        monkeypatch.setattr("outscore.workflows.texts.statistics.PIECE", 8)
        monkeypatch.setattr("outscore.workflows.texts.statistics.MIN_WORK", 0.0)
        monkeypatch.setattr("outscore.workflows.texts.statistics.FIRST_LOOK", 0.0)
        assert compare_texts(a, b, reference, jobs=2, **asked) == whole

    def test_pieces_carry_only_their_own_segments(self, monkeypatch):
        """The weights of NIST, which every piece needs, travel with the function and so once to each worker."""
        monkeypatch.setattr("outscore.workflows.texts.statistics.PIECE", 3)
        sent = []

        class Watched(Processes):
            def map(self, function, tasks, *, progress=None):
                sent.append((function, tasks))
                return super().map(function, tasks, progress=progress)

        statistics = Statistics(Watched(1), StatisticsCache(None), Progress())
        rows = statistics.of(*text_metric("nist"), tuple(OUTPUT), [tuple(REFERENCE)])
        ((function, tasks),) = sent
        assert [len(hypotheses) for hypotheses, _ in tasks] == [3, 3, 3, 3]
        assert max(len(pickle.dumps(task)) for task in tasks) < len(pickle.dumps(function)) / 2
        whole = segment_statistics("nist", OUTPUT, [REFERENCE], text_metric("nist")[1])
        np.testing.assert_array_equal(rows, whole)

    def test_a_second_call_reads_the_cache(self, tmp_path):
        class Busy(Processes):
            def map(self, *_, **__):
                raise AssertionError("nothing is left to compute")

        cache, steps = StatisticsCache(tmp_path), Progress()
        rows = Statistics(engine_of(1), cache, steps).of(*text_metric("ter"), tuple(OUTPUT), [tuple(REFERENCE)])
        again = Progress()
        kept = Statistics(Busy(1), cache, again).of(*text_metric("ter"), tuple(OUTPUT), [tuple(REFERENCE)])
        np.testing.assert_array_equal(kept, rows)
        # What was read is done, too.
        assert steps.done == again.done == 1

    def test_progress_of_several_texts_never_goes_back(self, monkeypatch):
        monkeypatch.setattr("outscore.workflows.texts.statistics.PIECE", 3)
        seen = []

        class Watched(Progress):
            def advance(self, steps=1):
                super().advance(steps)
                seen.append((self.done, self.total))

        compare_texts(OUTPUT, worse(4), REFERENCE, metrics=["ter"], jobs=1, cache=StatisticsCache(None), progress=Watched())
        assert seen == [(i, 8) for i in range(1, 9)]

    def test_paths_lists_and_tuples_are_the_same(self, tmp_path):
        paths = [tmp_path / name for name in ("a", "b", "ref")]
        for path, lines in zip(paths, (OUTPUT, worse(4), REFERENCE), strict=True):
            path.write_text("\n".join(lines) + "\n")
        from_lists = compared(OUTPUT, tuple(worse(4)), metrics=["ter"])
        for given in (paths, map(str, paths)):
            from_files = compared(*given, metrics=["ter"], names=("A", "B"))
            # A result says from how many files it was read.
            assert [replace(c, reading=None) for c in from_files.comparisons] == [
                replace(c, reading=None) for c in from_lists.comparisons
            ]
            assert len(from_files.settings["inputs"]) == 3
        assert osc.compare_texts is compare_texts

    def test_several_references_help_every_metric_that_takes_them(self):
        taking = [name for name, entry in TEXT_METRICS.items() if entry.max_references is None]
        assert {"bleu", "chrf", "ter", "nist", "meteor"} <= set(taking)
        one = compared(OUTPUT, worse(3), REFERENCE, metrics=taking).comparisons
        two = compared(OUTPUT, worse(3), [REFERENCE, OUTPUT], metrics=taking).comparisons
        for before, after in zip(one, two, strict=True):
            better = after.scores[0].value - before.scores[0].value
            assert better > 0 if after.higher_is_better else better < 0, after.metric
        assert "nrefs:2" in two[0].signature

    @pytest.mark.parametrize(
        ("a", "b", "reference", "said"),
        [
            (OUTPUT, OUTPUT[1:], REFERENCE, "`B` has 11 segments, `reference 1` has 12."),
            (OUTPUT, OUTPUT, [REFERENCE, REFERENCE[1:]], "`A` has 12 segments, `reference 2` has 11."),
            (OUTPUT, [1, 2], REFERENCE, "`B` is not a list of segments."),
            (OUTPUT, [], REFERENCE, "A system or the reference has no text."),
            (OUTPUT, 7, REFERENCE, "`B` is not a list of segments."),
        ],
    )
    def test_texts_that_do_not_fit_are_refused(self, a, b, reference, said):
        with pytest.raises(OutscoreError) as refused:
            compared(a, b, reference)
        assert refused.value.message == said

    @pytest.mark.parametrize(
        ("asked", "said"),
        [
            ({"metrics": []}, "No metric was named."),
            ({"metrics": "bleu"}, "`metrics` is 'bleu'."),
            ({"metrics": ["bleu", "bleu:tokenize=13a"]}, "Metric `bleu:tokenize=13a` is named twice."),
            ({"metrics": ["blue"]}, "There is no metric `blue` of texts."),
            ({"documents": ["x"]}, "There are 1 labels of documents for 12 segments."),
            ({"buckets": {"topic": ["x"] * 11}}, "There are 11 labels of topic for 12 segments."),
            ({"compat": "moses"}, "There is no compatibility rule `moses`."),
            ({"correction": "fisher"}, "There is no correction `fisher`."),
        ],
    )
    def test_requests_that_make_no_sense_are_refused(self, asked, said):
        with pytest.raises(OutscoreError) as refused:
            compared(OUTPUT, worse(3), **asked)
        assert refused.value.message == said


class TestDependence:
    def test_documents_are_swapped_as_one(self):
        documents = ["x"] * 4 + ["y"] * 4 + ["z"] * 4
        b = [line if i % 4 == 3 else " ".join(line.split()[: -1 - i]) for i, line in enumerate(OUTPUT)]
        found = compared(OUTPUT, b, metrics=["bleu", "ter"], documents=documents).comparisons
        assert [(c.clusters, c.p.value) for c in found] == [(3, 0.25), (3, 0.25)]

    def test_block_bootstrap_says_what_dependence_does(self, wmt17, cache):
        a, b, reference = (wmt17(name, 150) for name in ("FBK", "LIUM-NMT", "ref"))
        asked = {"test": "block-bootstrap", "options": {"block_length": 10, "resamples": 499}}
        notes = compare_texts(a, b, reference, metrics=["bleu"], cache=cache, **asked).comparisons[0].notes
        assert any(note.text.startswith("Blocks of 10.0 items on average; SE(block)/SE(i.i.d.) = ") for note in notes)

    def test_buckets_are_a_family_of_their_own(self):
        labels = ["early"] * 6 + ["late"] * 6
        found = compared(OUTPUT, worse(8), metrics=["ter"], buckets={"part": labels}, correction="bonferroni").comparisons[0]
        assert [(x.column, x.value, x.n) for x in found.buckets] == [("part", "early", 6), ("part", "late", 6)]
        alone = compared(OUTPUT[:6], worse(8)[:6], REFERENCE[:6], metrics=["ter"]).comparisons[0]
        assert found.buckets[0].p.value == alone.p.value
        assert found.buckets[0].p.adjusted == min(1, 2 * alone.p.value)

    def test_buckets_stand_in_the_order_of_bands_or_of_appearance(self):
        lengths = ["41 and more", "0", "11-20"] * 4
        labels = ["2", "0", "1"] * 4
        found = compared(OUTPUT, worse(8), metrics=["ter"], buckets={"length": lengths, "part": labels}).comparisons[0]
        assert [bucket.value for bucket in found.buckets] == ["0", "11-20", "41 and more", "2", "0", "1"]

    def test_length_bands(self):
        assert length_bands(["", "a", "a " * 10, "a " * 11, "a " * 40, "a " * 41]) == [
            "0", "1-10", "1-10", "11-20", "31-40", "41 and more",
        ]  # fmt: skip


class TestRuns:
    def test_scores_are_means_of_run_scores(self):
        runs_a, runs_b = [OUTPUT, worse(2), worse(3)], [worse(5), worse(6), worse(8)]
        for c in compared(runs_a, runs_b, metrics=["bleu", "ter"], options={"resamples": 499}).comparisons:
            entry, options = text_metric(c.metric)
            a, b = ([entry.corpus_score(run, [REFERENCE], options) for run in runs] for runs in (runs_a, runs_b))
            assert [c.runs.a, c.runs.b] == [pytest.approx(a), pytest.approx(b)]
            assert [score.value for score in c.scores] == pytest.approx([np.mean(a), np.mean(b)])
            assert c.difference == pytest.approx(np.mean(a) - np.mean(b))
            assert c.runs.p.value == 0.1  # 2 of the 20 ways to divide six runs
            assert not any("Single runs" in note.text for note in c.notes)

    def test_standard_errors_of_segments_and_runs(self):
        c = compared([OUTPUT, worse(2)], [worse(5), worse(8)], metrics=["ter"]).comparisons[0]
        a, b = np.array(c.runs.a), np.array(c.runs.b)
        assert c.runs.runs == pytest.approx(math.sqrt(a.var(ddof=1) / 2 + b.var(ddof=1) / 2))
        assert c.runs.test_set > 0

    def test_a_single_run_says_what_it_cannot_show(self):
        bleu, chrf = compared(OUTPUT, worse(3)).comparisons
        assert sum(note.text.startswith("Single runs:") for note in [*bleu.notes, *chrf.notes]) == 1

    def test_unequal_numbers_of_runs_cannot_be_swapped(self):
        with pytest.raises(OutscoreError, match="A has 2 runs and B 1; `permutation` would swap means of unequal spread"):
            compared([OUTPUT, worse(1)], [worse(5)])
        found = compared([OUTPUT, worse(1)], [worse(5)], metrics=["ter"], test="bootstrap").comparisons[0]
        assert found.runs.runs is None


class TestCompat:
    @pytest.mark.parametrize(("compat", "rule"), [("sacrebleu-ar", sacrebleu_ar), ("sacrebleu-bs", sacrebleu_bs)])
    def test_the_peers_p_stands_beside_and_decides_nothing(self, compat, rule):
        alone = compared(OUTPUT, worse(3), metrics=["bleu", "wer"]).comparisons
        bleu, wer = compared(OUTPUT, worse(3), metrics=["bleu", "wer"], compat=compat).comparisons
        entry, options = text_metric("bleu")
        rows = [segment_statistics("bleu", x, [REFERENCE], options) for x in (OUTPUT, worse(3))]
        assert bleu.tests == [rule(*rows, entry.make(options).score)]
        assert (bleu.p, bleu.verdict, bleu.decision) == (alone[0].p, alone[0].verdict, alone[0].decision)
        assert f"{compat}: p = {bleu.tests[0].value:.4f}, as sacreBLEU prints it." in note_texts(bleu.notes)
        assert any("by its rule, although sacreBLEU does not have this metric" in text for text in note_texts(wer.notes))
        shown = " ".join(compared(OUTPUT, worse(3), metrics=["bleu", "wer"], compat=compat).to_text().split())
        assert shown.count("10,000 trials with seed" if compat == "sacrebleu-ar" else "1,000 trials with seed") == 1
        assert [p.kernel for p in wer.tests] == [p.kernel for p in bleu.tests]

    def test_several_rules_at_once(self):
        (bleu,) = compared(OUTPUT, worse(3), metrics=["bleu"], compat="sacrebleu-ar,sacrebleu-bs").comparisons
        assert len(bleu.tests) == 2

    def test_identical_outputs_show_the_flaw(self):
        found = compared(OUTPUT, OUTPUT, metrics=["bleu"], compat="sacrebleu-ar").comparisons[0]
        assert found.p.value == 1
        assert found.tests[0].value == 1 / 10_001

    def test_the_peer_knows_neither_runs_nor_documents(self):
        runs = compared([OUTPUT, worse(1)], [worse(4), worse(5)], metrics=["ter"], compat="sacrebleu-bs").comparisons[0]
        assert "there are several runs" in runs.notes[-2 if runs.notes[-1].text.startswith("Single") else -1].text
        documents = list(itertools.chain.from_iterable([i] * 2 for i in range(6)))
        grouped = compared(OUTPUT, worse(4), metrics=["ter"], compat="sacrebleu-bs", documents=documents).comparisons[0]
        assert any("not documents" in note.text for note in grouped.notes)


def test_the_guide_names_every_metric():
    guide = (Path(__file__).resolve().parents[3] / "docs" / "guides" / "text.md").read_text(encoding="utf-8")
    assert [name for name in TEXT_METRICS if f"`{name}`" not in guide] == []


def test_results_survive_json():
    found = compared([OUTPUT, worse(2)], [worse(5), worse(6)], metrics=["bleu", "ter"], buckets={"part": ["x", "y"] * 6})
    assert Comparisons.from_dict(found.to_dict()) == found
