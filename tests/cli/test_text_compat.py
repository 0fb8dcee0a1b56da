"""`--compat`, and `--config` on files that are no longer what they were."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("sacrebleu")

TEXTS = {
    "ref.txt": ["the cat sat on the mat", "it was late", "we go home now", "all is well that ends well", "see you soon"],
    "a.txt": ["the cat sat on a mat", "it was late", "we go home", "all is well", "see you soon"],
    "b.txt": ["a cat is on mat", "it late", "we go", "is well that ends", "see me soon"],
}
COMPARE = ["compare", "--reference", "ref.txt", "a.txt", "b.txt", "--metric", "ter"]


@pytest.fixture(autouse=True)
def texts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, lines in TEXTS.items():
        Path(name).write_text("\n".join(lines) + "\n")


def result(done) -> dict:
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("compat", ["sacrebleu-ar", "sacrebleu-bs"])
def test_the_peers_p_is_shown_and_decides_nothing(outscore, compat):
    alone = result(outscore(*COMPARE, "--format", "json"))["comparisons"][0]
    found = result(outscore(*COMPARE, "--compat", compat, "--format", "json", "-o", "result.json"))
    ter = found["comparisons"][0]
    assert [p["test"] for p in ter["tests"]] == [compat]
    assert (ter["p"], ter["verdict"]) == (alone["p"], alone["verdict"])
    assert found["settings"]["compat"] == compat
    assert compat in outscore(*COMPARE, "--compat", compat).stdout
    assert result(outscore("compare", "--config", "result.json", "--format", "json")) == found


def test_an_unknown_peer_and_no_reference(refusal):
    assert refusal(*COMPARE, "--compat", "sacrebleu") == (
        "There is no compatibility rule `sacrebleu`. Did you mean `sacrebleu-bs`?\n"
    )
    assert refusal("compare", "a.txt", "b.txt", "--compat", "sacrebleu-ar") == (
        "--compat sacrebleu-ar is for texts, but no --reference was named. Add --reference FILE, or leave --compat out.\n"
    )


def test_changed_new_and_vanished_files_are_noted(outscore):
    for name in ("new-1.txt", "new-2.txt", "old-1.txt", "old-2.txt"):
        Path(name).write_text(Path("a.txt" if "new" in name else "b.txt").read_text())
    outscore("compare", "--reference", "ref.txt", "new-*.txt", "old-*.txt", "--metric", "ter", "-o", "result.json")
    Path("ref.txt").write_text(Path("ref.txt").read_text().replace("late", "early"))
    Path("old-1.txt").rename("old-3.txt")
    found = result(outscore("compare", "--config", "result.json", "--format", "json"))
    assert [note["text"] for note in found["comparisons"][0]["notes"][-3:]] == [
        "`old-1.txt` was part of `result.json`, but no longer is.",
        "`old-3.txt` was not part of `result.json`.",
        "`ref.txt` has changed since `result.json` was saved.",
    ]
