"""Documents that texts name are swapped as one, and blank references of several are missing ones."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

pytest.importorskip("sacrebleu")

import sacrebleu
from click.testing import CliRunner

import outscore as osc
from outscore.cli.app import app

WORDS = ["the", "cat", "sat", "on", "a", "mat", "near", "big", "old", "house", "with", "red", "door", "and", "blue", "sky"]


def lines(seed: int, count: int = 24) -> list[str]:
    rng = random.Random(seed)  # noqa: S311 - no secret
    return [" ".join(rng.choices(WORDS, k=rng.randrange(4, 9))) for _ in range(count)]


def noisy(texts: list[str], seed: int, share: float) -> list[str]:
    rng = random.Random(seed)  # noqa: S311 - no secret
    return [" ".join(word if rng.random() > share else rng.choice(WORDS) for word in text.split()) for text in texts]


REFERENCE = lines(1)
SYSTEMS = {"a": noisy(REFERENCE, 2, 0.15), "b": noisy(REFERENCE, 3, 0.3)}


def write_jsonl(folder: Path, document) -> list[str]:
    paths = []
    for name, texts in SYSTEMS.items():
        rows = [
            {"id": f"s{i}", "mt": text, "ref": REFERENCE[i], **({} if document is None else {"document": document(i)})}
            for i, text in enumerate(texts)
        ]
        path = folder / f"{name}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        paths.append(str(path))
    return paths


def compared(paths: list[str], *more: str):
    done = CliRunner().invoke(app, ["compare", *paths, "--reference", paths[0], "--metric", "ter", "--format", "json", *more])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)["comparisons"][0]


def test_documents_of_a_file_are_clusters(tmp_path):
    paths = write_jsonl(tmp_path, lambda i: f"d{i // 4}")
    (tmp_path / "docs.txt").write_text("".join(f"d{i // 4}\n" for i in range(len(REFERENCE))))
    own, named = compared(paths), compared(paths, "--documents", str(tmp_path / "docs.txt"))
    assert own["clusters"] == 6
    assert own["p"] == named["p"]
    assert own["interval"] == named["interval"]
    assert any("--cluster none" in note["text"] for note in own["notes"])
    for option in ("--cluster", "--documents"):
        alone = compared(paths, option, "none")
        assert alone["clusters"] is None
        assert alone["p"] != own["p"]
    assert compared(paths, "--cluster", str(tmp_path / "docs.txt"))["p"] == own["p"]


@pytest.mark.parametrize("command", ["rank", "gate"])
def test_other_commands_swap_documents_too(command, tmp_path):
    paths = write_jsonl(tmp_path, lambda i: f"d{i // 4}")
    words = [command, *paths, "--reference", paths[0], "--metric", "ter", "--format", "json"]
    words += ["--margin", "5"] if command == "gate" else []
    clusters = []
    for more in ([], ["--cluster", "none"]):
        done = CliRunner().invoke(app, [*words, *more])
        assert done.exit_code in (0, 1, 3), done.output
        found = json.loads(done.stdout)
        clusters.append(found["design"]["clusters"] if command == "rank" else found["comparison"]["clusters"])
    assert clusters == [6, None]


@pytest.mark.parametrize("document", [None, lambda _: "d", lambda i: f"d{i}"])
def test_documents_that_group_nothing_are_no_clusters(document, tmp_path):
    """One document for all, or one for each segment."""
    assert compared(write_jsonl(tmp_path, document))["clusters"] is None


def test_units_take_the_place_of_documents(tmp_path):
    paths = write_jsonl(tmp_path, lambda i: f"d{i // 4}")
    assert compared(paths, "--unit-size", "2")["clusters"] is None


GAPS = [
    [text if i % 3 else "" for i, text in enumerate(noisy(REFERENCE, 4, 0.2))],
    ["" if i != 5 else "a cat" for i in range(24)],
]
"""Two further references, of which a third and nearly all lines are blank."""


def score_of_sacrebleu(metric: str, texts: list[str], references: list[list[str]]) -> float:
    """With None for a reference that a segment lacks, as its API has it."""
    scorer = {"bleu": sacrebleu.BLEU, "chrf": sacrebleu.CHRF, "ter": sacrebleu.TER}[metric]()
    return float(scorer.corpus_score(texts, [[line or None for line in reference] for reference in references]).score)


@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter"])
def test_blank_references_are_missing_ones(metric, tmp_path):
    files = {"ref0": REFERENCE, "ref1": GAPS[0], "ref2": GAPS[1], **SYSTEMS}
    for name, texts in files.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(texts) + "\n")
    references = [tmp_path / f"ref{k}.txt" for k in range(3)]
    found = osc.compare_texts(tmp_path / "a.txt", tmp_path / "b.txt", references, metrics=[metric]).comparisons[0]
    expected = [score_of_sacrebleu(metric, texts, [REFERENCE, *GAPS]) for texts in SYSTEMS.values()]
    assert [score.value for score in found.scores] == pytest.approx(expected, abs=1e-9)
    assert any("31 blank lines" in note.text and "missing" in note.text for note in found.notes)
    assert "nrefs:var" in str(found.signature)


def test_other_metrics_leave_blank_references_out():
    """A metric of the best reference does not change if a blank one is left out by hand; WER takes one reference only."""
    texts = {name: texts[:6] for name, texts in SYSTEMS.items()}
    whole = [REFERENCE[:6], REFERENCE[1:6] + REFERENCE[:1]]
    some = [REFERENCE[:6], ["" for _ in range(6)]]
    for metric in ("rougeL", "meteor", "nist", "sentence-ter"):
        alone = osc.compare_texts(texts["a"], texts["b"], whole[0], metrics=[metric]).comparisons[0]
        gaps = osc.compare_texts(texts["a"], texts["b"], some, metrics=[metric]).comparisons[0]
        assert [one.value for one in gaps.scores] == pytest.approx([one.value for one in alone.scores])


def test_a_blank_line_of_the_only_reference_is_an_empty_one():
    found = osc.compare_texts(["a b", "c"], ["a", "c"], ["a b", ""], metrics=["ter"]).comparisons[0]
    assert [one.value for one in found.scores] == [50.0, 100.0]
