"""`--segments FILE.csv`: the score of every segment, by every metric, of every system."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

pytest.importorskip("sacrebleu")

import sacrebleu

import outscore as osc

REFERENCE = ["the cat sat on the mat today", "it was late and dark outside", "we all go home now", "soon"]
A = ["the cat sat on the mat", "it was late and dark outside", "we go home now", "soon"]
B = ["a cat sat on mat today", "it was dark and late out there", "we all go home right now", "very soon"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, lines in {"ref": REFERENCE, "=a": A, "b": B, "docs": list("xxyy")}.items():
        Path(f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    Path("a.comet").write_text("0.5\n0.6\n0.7\n0.8\n")
    return tmp_path


def rows(path: str) -> list[dict[str, str]]:
    with Path(path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_compare_writes_sacrebleus_segment_scores(outscore):
    words = ["compare", "-v", "--reference", "ref.txt", "=a.txt", "b.txt", "--metric", "bleu,chrf,ter", "--segments", "s.csv"]
    done = outscore(*words, "--documents", "docs.txt", "--scores", "COMET=a.comet,a.comet", "--jobs", "1")
    assert done.exit_code == 0, done.stderr
    found = rows("s.csv")
    assert [row["segment"] for row in found] == [f"segment {i}" for i in range(1, 5)]
    assert [row["document"] for row in found] == list("xxyy")
    scorers = {"BLEU": sacrebleu.BLEU(effective_order=True), "chrF": sacrebleu.CHRF(), "TER": sacrebleu.TER()}
    for label, scorer in scorers.items():
        for i, row in enumerate(found):
            for system, lines in (("=a", A), ("b", B)):
                assert float(row[f"{label}: {system}"]) == pytest.approx(scorer.sentence_score(lines[i], [REFERENCE[i]]).score)
    assert [float(row["COMET: b"]) for row in found] == [0.5, 0.6, 0.7, 0.8]
    # What hangs on a segment: the strongest are those that the report shows.
    pulls = [abs(float(row["BLEU: influence"])) for row in found]
    assert f"1. segment {1 + pulls.index(max(pulls))} moves BLEU" in done.stdout


def test_what_is_written_is_compared_in_the_direction_of_its_metric(outscore):
    words = ["compare", "--reference", "ref.txt", "=a.txt", "b.txt", "--metric", "ter", "--segments", "s.csv"]
    assert outscore(*words, "--jobs", "1").exit_code == 0
    done = outscore("compare", "s.csv", "--format", "json")
    assert done.exit_code == 0, done.stderr
    (again,) = json.loads(done.stdout)["comparisons"]
    # The influence of segments is no third system.
    assert again["systems"] == ["TER: =a", "TER: b"]
    assert again["higher_is_better"] is False
    assert not [note for note in again["notes"] if note["kind"] == "warning" and "systems in" in note["text"]]


def test_several_runs_are_averaged_and_datasets_named(outscore):
    for k, lines in enumerate((A, B)):
        for d, part in (("x", slice(0, 2)), ("y", slice(2, 4))):
            Path(f"n.{d}.{k}").write_text("\n".join(lines[part]) + "\n")
            Path(f"o.{d}.{k}").write_text("\n".join(B[part]) + "\n")
            Path(f"r.{d}").write_text("\n".join(REFERENCE[part]) + "\n")
    files = ["n.{dataset}.*", "o.{dataset}.*"]
    done = outscore("compare", "--reference", "r.{dataset}", *files, "--metric", "ter", "--segments", "s.csv", "--jobs", "1")
    assert done.exit_code == 0, done.stderr
    found = rows("s.csv")
    assert [(row["dataset"], row["segment"]) for row in found] == [
        ("x", "x, segment 1"),
        ("x", "x, segment 2"),
        ("y", "y, segment 1"),
        ("y", "y, segment 2"),
    ]
    score = sacrebleu.TER().sentence_score
    assert float(found[0]["TER: n"]) == pytest.approx(
        (score(A[0], [REFERENCE[0]]).score + score(B[0], [REFERENCE[0]]).score) / 2
    )


def test_rank_writes_them_for_all_systems(outscore):
    Path("c.txt").write_text(Path("b.txt").read_text())
    done = outscore("rank", "--reference", "ref.txt", "=a.txt", "b.txt", "c.txt", "--metric", "ter", "--segments", "s.csv")
    assert done.exit_code == 0, done.stderr
    found = rows("s.csv")
    assert set(found[0]) == {"segment", "TER: =a", "TER: b", "TER: c"}
    assert [row["TER: b"] for row in found] == [row["TER: c"] for row in found]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["compare", "--reference", "ref.txt", "=a.txt", "b.txt", "--segments", "s.json"], "Name a file that ends in .csv"),
        (["compare", "--reference", "ref.txt", "=a.txt", "b.txt", "--segments", "no/s.csv"], "there is no folder"),
        (["compare", "a.comet", "a.comet", "--segments", "s.csv"], "--segments is for texts"),
        (["rank", "a.comet", "a.comet", "--segments", "s.csv"], "--segments is for texts"),
    ],
)
def test_what_cannot_be_written_is_refused_before_any_work(refusal, words, said):
    assert said in refusal(*words)
    assert not Path("s.csv").exists()


def test_python_writes_the_same_file(outscore):
    asked = ["--reference", "ref.txt", "=a.txt", "b.txt", "--metric", "chrf", "--jobs", "1"]
    for command in ("compare", "rank"):
        assert outscore(command, *asked, "--segments", f"{command}.csv").exit_code == 0
    osc.compare_texts("=a.txt", "b.txt", "ref.txt", metrics=["chrf"], segments="compared.csv")
    osc.rank(["=a.txt", "b.txt"], reference="ref.txt", metric="chrf", segments=Path("ranked.csv"))
    assert Path("compared.csv").read_bytes() == Path("compare.csv").read_bytes()
    assert Path("ranked.csv").read_bytes() == Path("rank.csv").read_bytes()


def test_python_refuses_what_the_command_line_refuses():
    with pytest.raises(osc.OutscoreError, match="--segments is for texts") as refused:
        osc.rank({"a": [1, 0, 1], "b": [0, 0, 1]}, segments="s.csv")
    assert refused.value.parameter == "segments"
    with pytest.raises(osc.OutscoreError, match=r"Name a file that ends in .csv"):
        osc.compare_texts(A, B, REFERENCE, segments="s.txt")
    with pytest.raises(osc.OutscoreError, match="is an input and would be overwritten"):
        osc.rank(["=a.txt", "b.txt"], reference=Path("docs.txt").rename("ref.csv"), segments="ref.csv")
