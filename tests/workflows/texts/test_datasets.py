"""Several test sets or language pairs of texts: their macro average decides, in `compare` and in `rank`."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sacrebleu")

import sacrebleu
from tests.variants import a_few

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.workflows.rank.run import run as run_rank
from outscore.workflows.requests.compare import TextsRequest
from outscore.workflows.requests.rank import RankRequest
from outscore.workflows.texts.run import run

REFERENCE = {
    "news": ["the cat sat on the mat today", "it was late and dark outside", "we all go home now", "see you very soon"],
    "talks": ["all is well that ends well", "thank you for your attention", "this is where it begins"],
}


def spoiled(lines: list[str], every: int) -> list[str]:
    """Every so-manieth line without its second word."""
    shorter = [" ".join(word for k, word in enumerate(line.split()) if k != 1) for line in lines]
    return [shorter[i] if i % every == 0 else line for i, line in enumerate(lines)]


OUTPUTS = {
    "a": {name: spoiled(lines, 3) for name, lines in REFERENCE.items()},
    "b": {name: spoiled([line.replace("the", "a") for line in lines], 1) for name, lines in REFERENCE.items()},
}
WHERE = [name for name, lines in REFERENCE.items() for _ in lines]


def all_of(texts: dict[str, list[str]]) -> list[str]:
    return [line for lines in texts.values() for line in lines]


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, texts in {"ref": REFERENCE, **OUTPUTS}.items():
        for dataset, lines in texts.items():
            Path(f"{name}.{dataset}.txt").write_text("\n".join(lines) + "\n")
        Path(f"{name}.txt").write_text("\n".join(all_of(texts)) + "\n")
    Path("where.txt").write_text("\n".join(WHERE) + "\n")
    rows = zip(WHERE, all_of(REFERENCE), all_of(OUTPUTS["a"]), all_of(OUTPUTS["b"]), strict=True)
    table = [
        {"testset": where, "id": 1 + i % 4, "system": name, "ref": ref, "mt": mt}
        for i, (where, ref, a, b) in enumerate(rows)
        for name, mt in (("a", a), ("b", b))
    ]
    Path("t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in table))
    return tmp_path


WAYS = {
    "pattern": {"files": ["a.{dataset}.txt", "b.{dataset}.txt"], "reference": ["ref.{dataset}.txt"]},
    "labels": {"files": ["a.txt", "b.txt"], "reference": ["ref.txt"], "dataset": "where.txt"},
    "table": {"files": ["t.jsonl"], "reference": ["t.jsonl"]},
}


def compared(way: str = "pattern", **asked):
    return run(TextsRequest.from_written({**WAYS[way], "metric": "bleu,ter", **asked})).comparisons


def ranked(way: str = "pattern", **asked):
    return run_rank(RankRequest.from_written({**WAYS[way], "metric": "bleu,ter", **asked}))


@pytest.mark.parametrize("way", a_few(WAYS, 2))
def test_scores_are_the_mean_of_the_datasets_corpus_scores(folder, way):
    comparisons, ranking = compared(way), ranked(way)
    for made, metric in ((sacrebleu.BLEU(), 0), (sacrebleu.TER(), 1)):
        wanted = {
            name: np.mean([made.corpus_score(texts[d], [REFERENCE[d]]).score for d in REFERENCE])
            for name, texts in OUTPUTS.items()
        }
        found = comparisons[metric]
        assert {one.system: one.value for one in found.scores} == pytest.approx(wanted)
        assert found.difference == pytest.approx(wanted["a"] - wanted["b"])
        assert found.design.datasets == 2
        standing = [ranking, *ranking.metrics][metric]
        assert {one.system: one.value for one in standing.scores} == pytest.approx(wanted)


def test_p_swaps_segments_within_datasets(folder):
    """All 2^7 swaps of TER by hand."""
    made = sacrebleu.TER()
    edits, lengths = [], []
    for d, lines in REFERENCE.items():
        total = sum(len(line.split()) for line in lines)
        for i, line in enumerate(lines):
            edits.append(np.diff([made.sentence_score(OUTPUTS[s][d][i], [line]).num_edits for s in "ba"])[0])
            lengths.append(total)
    weights = np.array(edits) / np.array(lengths) / len(REFERENCE)
    laws = [abs((np.array(signs) * weights).sum()) for signs in itertools.product((1, -1), repeat=len(weights))]
    p = np.mean(np.array(laws) >= abs(weights.sum()) - 1e-12)
    ter = compared()[1]
    assert ter.p.value == pytest.approx(p)
    assert ranked().metrics[0].pairs[0].p.value == pytest.approx(p)
    assert ter.p.adjusted is not None


@pytest.mark.parametrize("metric", a_few(["nist", "chrf", "wer", "sentence-bleu"], 2))
def test_each_dataset_is_scored_by_itself(folder, metric):
    """NIST weighs n-grams by how often the references have them, so one dataset must not change another's scores."""
    (whole,) = compared(metric=metric)
    alone = {
        d: run(
            TextsRequest.from_written({"files": [f"a.{d}.txt", f"b.{d}.txt"], "reference": [f"ref.{d}.txt"], "metric": metric})
        ).comparisons[0]
        for d in REFERENCE
    }
    assert whole.difference == pytest.approx(np.mean([one.difference for one in alone.values()]))
    assert {(b.column, b.value): b.difference for b in whole.buckets} == pytest.approx(
        {("dataset", d): one.difference for d, one in alone.items()}
    )
    assert {b.value: b.p.value for b in whole.buckets} == pytest.approx({d: one.p.value for d, one in alone.items()})


def test_replicability_is_the_same_in_both_commands(folder):
    for name, texts in {"ref": REFERENCE, **OUTPUTS}.items():
        for dataset, lines in texts.items():
            Path(f"{name}.{dataset}.txt").write_text("\n".join(lines * 8) + "\n")
    found = compared(metric="ter")[0]
    (row,) = ranked(metric="ter").replicability
    assert found.replicability == row
    bleu = compared(metric="bleu")[0].p
    assert (bleu.method, bleu.kernel, bleu.lower < bleu.value < bleu.upper) == ("monte-carlo", "sign-flips:9999", True)
    assert (row.datasets, row.bonferroni, row.holm) == (2, 2, ["news", "talks"])
    assert "better on at least 2 of 2 datasets" in found.to_text()


def test_segments_are_named_with_their_dataset_and_pull_the_macro_average(folder):
    pulls = {segment.item: segment.influence for segment in compared(metric="ter")[0].segments}
    assert {"news, segment 1", "talks, segment 2"} <= set(pulls)

    def mean_without(left_out: str) -> float:
        """The macro difference with one segment left out."""
        found = []
        for d, lines in REFERENCE.items():
            kept = [i for i in range(len(lines)) if f"{d}, segment {i + 1}" != left_out]
            both = [sacrebleu.TER().corpus_score([OUTPUTS[s][d][i] for i in kept], [[lines[i] for i in kept]]) for s in "ab"]
            found.append(both[0].score - both[1].score)
        return float(np.mean(found))

    whole = mean_without("")
    by_hand = {item: whole - mean_without(item) for item in pulls}
    assert sorted(pulls, key=pulls.get) == sorted(by_hand, key=by_hand.get)
    assert all(np.sign(pulls[item]) == np.sign(by_hand[item]) for item in pulls)


def test_every_metric_is_named_in_the_datasets_of_a_ranking(folder):
    text = ranked().to_text()
    assert "news, BLEU" in text
    assert "talks, TER" in text
    assert "datasets:2, macro average|correction:holm|m:2|outscore:" in str(compared()[0].signature)


def test_labels_from_python_give_the_same(folder):
    texts = [all_of(OUTPUTS["a"]), all_of(OUTPUTS["b"]), all_of(REFERENCE)]
    (found,) = osc.compare_texts(*texts, metrics=["ter"], dataset=WHERE, names=("a", "b")).comparisons
    wanted = compared(metric="ter")[0]
    assert (found.difference, found.p, found.replicability) == (wanted.difference, wanted.p, wanted.replicability)
    board = osc.rank({"a": texts[0], "b": texts[1]}, reference=texts[2], dataset=WHERE, metric="ter")
    assert board.pairs[0].p.value == wanted.p.value
    assert [part.name for part in board.datasets] == ["news", "talks"]


def test_documents_do_not_reach_across_datasets(folder):
    """Document 1 of one dataset is not document 1 of another."""
    for d, labels in {"news": "1122", "talks": "122"}.items():
        Path(f"docs.{d}.txt").write_text("\n".join(labels) + "\n")
    assert compared(metric="ter", documents="docs.{dataset}.txt")[0].clusters == 4
    assert ranked(metric="ter", documents="docs.{dataset}.txt").design.clusters == 4


def test_scores_of_other_metrics_come_by_dataset(folder):
    for name, up in (("a", 0.2), ("b", 0.0)):
        for d, lines in REFERENCE.items():
            Path(f"{name}.{d}.comet").write_text("".join(f"{up + len(line) / 100}\n" for line in lines))
    comet = compared(metric="bleu", scores=["COMET=a.{dataset}.comet,b.{dataset}.comet"])[1]
    assert comet.metric == "COMET"
    assert comet.difference == pytest.approx(0.2)
    assert comet.p.value == 2 / 2**7


def test_runs_come_by_dataset(folder):
    for name in ("a", "b"):
        for d, k in itertools.product(REFERENCE, range(3)):
            lines = OUTPUTS[name][d]
            Path(f"{name}.{d}.run{k}").write_text("\n".join(lines[:k] + REFERENCE[d][k:]) + "\n")
    files = ["a.{dataset}.run*", "b.{dataset}.run*"]
    both = compared(files=files, metric="ter")[0]
    assert both.population == "items-and-runs"
    board = ranked(files=files, metric="ter")
    assert board.systems in (["a", "b"], ["b", "a"])
    assert both.p.value == pytest.approx(board.pairs[0].p.value)


@pytest.mark.usefixtures("folder")
class TestWhatIsSaid:
    def test_datasets_that_some_files_lack_are_named(self):
        Path("a.more.txt").write_text("x\n")
        Path("ref.more.txt").write_text("x\n")
        found = compared(metric="ter")[0]
        assert found.design.datasets == 2
        assert any("`more`" in note.text and "b.{dataset}.txt" in note.text for note in found.notes)

    def test_nothing_in_common(self):
        with pytest.raises(
            OutscoreError, match=r"No dataset has files for all of `ref\.\{dataset\}\.txt`, `a\.\{dataset\}\.txt`, `c\."
        ):
            compared(files=["a.{dataset}.txt", "c.{dataset}.txt"])

    def test_all_files_come_by_dataset_or_none(self):
        with pytest.raises(OutscoreError, match=r"`b\.txt` does not contain \{dataset\}"):
            compared(files=["a.{dataset}.txt", "b.txt"])

    def test_unequal_files_are_named(self):
        Path("b.talks.txt").write_text("one line\n")
        with pytest.raises(OutscoreError, match=r"`b\.talks\.txt` has 1 segment, `ref\.talks\.txt` has 3"):
            compared()

    def test_labels_are_counted(self):
        Path("where.txt").write_text("x\ny\n")
        with pytest.raises(OutscoreError, match=r"`where\.txt` has 2 lines for 7 segments"):
            compared("labels")

    def test_a_macro_average_has_sides_but_no_margin(self):
        two, more, less = (compared(metric="ter", alternative=side)[0] for side in ("two-sided", "greater", "less"))
        assert two.design.datasets == more.design.datasets == 2
        assert min(more.p.value, less.p.value) == pytest.approx(two.p.value / 2, abs=0.01)
        assert more.p.value + less.p.value >= 1
        with pytest.raises(OutscoreError, match="macro average over datasets takes neither a margin"):
            compared(metric="bleu", delta="0.1")

    def test_max_t_is_refused(self):
        with pytest.raises(OutscoreError, match="max-t"):
            compared(correction="max-t")

    def test_the_peer_has_one_test_set(self):
        found = compared(metric="ter", compat="sacrebleu-ar")[0]
        assert any("one test set" in note.text for note in found.notes)

    def test_the_systems_of_a_pattern(self):
        for d in REFERENCE:
            Path("x").mkdir(exist_ok=True)
            Path("y").mkdir(exist_ok=True)
            Path(f"x/{d}.txt").write_text(Path(f"a.{d}.txt").read_text())
            Path(f"y/{d}.txt").write_text(Path(f"b.{d}.txt").read_text())
            for s in "ab":
                Path(f"{d}.{s}").write_text(Path(f"{s}.{d}.txt").read_text())
        assert compared(files=["x/{dataset}.txt", "y/{dataset}.txt"])[0].systems == ("x", "y")
        assert compared(files=["{dataset}.a", "{dataset}.b"])[0].systems == ("a", "b")

    def test_the_table_says_where_datasets_come_from(self):
        assert any("`testset`" in note.text for note in compared("table")[0].notes)


def test_documents_follow_their_segments(tmp_path, monkeypatch):
    """A file in another order than the reference says of each segment which document it is of, not of each line."""
    monkeypatch.chdir(tmp_path)
    lines = all_of(REFERENCE)
    docs = ["x", "x", "y", "y", "z", "z", "z"]
    order = [6, 0, 5, 1, 4, 2, 3]
    gold = [{"id": i, "doc": docs[i], "ref": line} for i, line in enumerate(lines)]
    Path("ref.jsonl").write_text("".join(json.dumps(row) + "\n" for row in gold))
    for name, texts in OUTPUTS.items():
        rows = [{"id": i, "doc": docs[i], "mt": all_of(texts)[i]} for i in (order if name == "b" else range(len(lines)))]
        Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    Path("docs.txt").write_text("\n".join(docs) + "\n")
    asked = {"files": ["a.jsonl", "b.jsonl"], "reference": ["ref.jsonl"], "metric": "ter"}
    found, wanted = (run(TextsRequest.from_written({**asked, "documents": d})).comparisons[0] for d in ("b.jsonl", "docs.txt"))
    assert (found.clusters, found.p.value) == (wanted.clusters, wanted.p.value)
