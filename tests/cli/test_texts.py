"""`outscore compare --reference`: what is refused, what is said, and what can be repeated."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import pytest
from tests.variants import a_few

pytest.importorskip("sacrebleu")

REFERENCE = ["the cat sat on the mat", "it was late", "we go home now", "", "all is well that ends well", "see you soon"]
FIRST = ["the cat sat on a mat", "it was late", "we go home", "", "all is well", "see you soon"]
SECOND = ["a cat is on mat", "it late", "we go", "", "is well that ends", "see me soon"]


@pytest.fixture
def texts(tmp_path, monkeypatch) -> Path:
    """A current folder with a reference, two outputs, and files that go wrong."""
    monkeypatch.chdir(tmp_path)
    for name, lines in {
        "ref.txt": REFERENCE, "a.txt": FIRST, "b.txt": SECOND, "short.txt": SECOND[:4], "blank.txt": [""] * 6,
        "one-ref.txt": REFERENCE[:1], "one-a.txt": FIRST[:1], "one-b.txt": SECOND[:1], "few.txt": ["x", "y"],
        "docs.txt": ["x", "x", "y", "y", "z", "z"],
    }.items():  # fmt: skip
        Path(name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    Path("empty.txt").write_bytes(b"")
    Path("latin.txt").write_bytes("schön\n".encode("latin-1") * 6)
    Path("nul.txt").write_bytes(b"a\nb\x00\n" * 3)
    Path("late-nul.txt").write_bytes(b"x" * 70_000 + b"\n\x00\n")
    return tmp_path


BAD = {
    "unequal line counts": ["a.txt", "short.txt"],
    "a reference of another length": ["a.txt", "b.txt", "--reference", "short.txt"],
    "missing file": ["a.txt", "absent.txt"],
    "missing reference": ["a.txt", "b.txt", "--reference", "reff.txt"],
    "Latin-1": ["a.txt", "latin.txt"],
    "a NUL byte": ["a.txt", "nul.txt"],
    "a NUL byte behind the first block": ["a.txt", "late-nul.txt"],
    "empty file": ["a.txt", "empty.txt"],
    "a folder": ["a.txt", "."],
    "no file fits": ["a.txt", "run*.txt"],
    "one system": ["a.txt"],
    "three systems": ["a.txt", "b.txt", "short.txt"],
    "standard input twice": ["-", "-"],
    "unknown metric": ["a.txt", "b.txt", "--metric", "bleuu"],
    "metric of scores": ["a.txt", "b.txt", "--metric", "accuracy"],
    "the same metric twice": ["a.txt", "b.txt", "--metric", "ter,ter"],
    "no metric": ["a.txt", "b.txt", "--metric", ","],
    "unknown option of a metric": ["a.txt", "b.txt", "--metric", "bleu:token=none"],
    "too many references": ["a.txt", "b.txt", "--metric", "wer", "--reference", "a.txt"],
    "too few documents": ["a.txt", "b.txt", "--documents", "few.txt"],
    "too few labels": ["a.txt", "b.txt", "--buckets", "few.txt"],
    "buckets twice": ["a.txt", "b.txt", "--buckets", "length", "--buckets", "length"],
    "columns": ["a.txt", "b.txt", "--item", "id"],
    "a column of systems": ["a.txt", "b.txt", "--system-column", "model"],
    "a system of a table": ["a.txt", "b.txt", "--system", "new"],
    "a rule for duplicates": ["a.txt", "b.txt", "--duplicates", "first"],
    "a reader": ["a.txt", "b.txt", "--reader", "csv"],
    "advice on units": ["a.txt", "b.txt", "--unit-advice"],
    "units and documents": ["a.txt", "b.txt", "--unit-size", "2", "--documents", "docs.txt"],
    "units that are too large": ["a.txt", "b.txt", "--unit-size", "7"],
    "a statistic of no units": ["a.txt", "b.txt", "--unit-statistic", "median"],
    "a test of scores": ["a.txt", "b.txt", "--test", "student", "--metric", "bleu"],
    "unknown correction": ["a.txt", "b.txt", "--correction", "homl"],
    "no processes": ["a.txt", "b.txt", "--jobs", "-1"],
}


def test_every_bad_request_gets_its_sentence(texts, refusal, golden):
    found = [f"{what}\n    {refusal('compare', '--reference', 'ref.txt', *words)}" for what, words in BAD.items()]
    for option, value in (("--documents", "docs.txt"), ("--buckets", "length"), ("--compat", "x"), ("--metric", "bleu,ter")):
        said = refusal("compare", "a.txt", "b.txt", option, value)
        found += [f"{option} without a reference\n    {said}"]
    for option, value in (("--documents", "docs.txt"), ("--metric", "ter")):
        found += [f"{option} without a reference, rank\n    {refusal('rank', 'a.txt', 'b.txt', option, value)}"]
    said = refusal("compare", "a.txt", "b.txt", "--metric", "f1", "--metric", "accuracy")
    found.append(f"two metrics of scores\n    {said}")
    for option, value in (("--reader", "csv"), ("--duplicates", "first")):
        said = refusal("rank", "--reference", "ref.txt", "a.txt", "b.txt", option, value)
        found.append(f"{option} for texts, rank\n    {said}")
    empty = refusal("compare", "--reference", "blank.txt", "a.txt", "b.txt", "--metric", "ter")
    found.append(f"nothing but empty references\n    {empty}")
    golden("cli/bad-texts.txt", "\n".join(found))


def test_a_file_name_that_is_not_utf_8_is_not_called_bad_text(texts, refusal):
    name = os.fsdecode(b"bad\xff.txt")
    Path(name).write_text("x\n")
    assert refusal("compare", "--reference", "ref.txt", "a.txt", name).startswith(
        "The name of the file `bad?.txt` is not UTF-8."
    )


WRITTEN_OVER = {
    "the reference": ["compare", "a.txt", "b.txt", "-o", "ref.txt"],
    "the documents": ["compare", "a.txt", "b.txt", "--documents", "docs.txt", "-o", "docs.txt"],
    "the buckets": ["compare", "a.txt", "b.txt", "--buckets", "docs.txt", "-o", "./docs.txt"],
    "a run": ["compare", "[a].t?t", "b.txt", "-o", "a.txt"],
    "the reference of a ranking": ["rank", "a.txt", "b.txt", "-o", "ref.txt"],
    "the documents of a ranking": ["rank", "a.txt", "b.txt", "--documents", "docs.txt", "-o", "docs.txt"],
}


@pytest.mark.parametrize("what", WRITTEN_OVER)
def test_no_input_is_written_over(texts, refusal, what):
    command, *words = WRITTEN_OVER[what]
    before = {path: path.read_bytes() for path in texts.iterdir()}
    assert "is an input and would be overwritten." in refusal(command, "--reference", "ref.txt", *words)
    assert {path: path.read_bytes() for path in texts.iterdir()} == before


def test_gold_and_parts_are_not_written_over(texts, refusal):
    words = ["rank", "--task", "label", "--gold", "ref.txt", "a.txt", "b.txt", "-o", "ref.txt"]
    assert "`ref.txt` is an input and would be overwritten." in refusal(*words)
    Path("parts").mkdir()
    Path("parts/1.parquet").write_bytes(b"PAR1")
    assert "is an input and would be overwritten." in refusal("rank", "parts", "--pairs", "parts/1.parquet")


def results(outscore, *words: str) -> dict:
    done = outscore("compare", *words, "--format", "json", "--jobs", "1")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def test_several_metrics_of_two_texts(texts, outscore):
    found = results(outscore, "--reference", "ref.txt", "a.txt", "b.txt", "--metric", "bleu, chrf,ter")
    assert [c["metric"] for c in found["comparisons"]] == ["BLEU", "chrF", "TER"]
    assert found["family"]["m"] == 3
    ter = found["comparisons"][2]
    assert (ter["systems"], ter["n"], ter["p"]["method"]) == (["a", "b"], 6, "exact")
    assert found["settings"]["reference"] == ["ref.txt"]
    assert [i["path"] for i in found["settings"]["inputs"]] == ["a.txt", "b.txt", "ref.txt"]


def test_repeated_metrics_are_all_asked_for(texts, outscore):
    words = ["--reference", "ref.txt", "a.txt", "b.txt", "--metric", "wer,ter", "--metric", "cer"]
    assert [c["metric"] for c in results(outscore, *words)["comparisons"]] == ["WER", "TER", "CER"]
    Path("c.yaml").write_text("metric: [wer, ter]\n")
    assert results(outscore, *words[:4], "--config", "c.yaml")["settings"]["metric"] == "wer,ter"
    ranked = outscore("rank", *words, "--format", "json", "--jobs", "1")
    assert json.loads(ranked.stdout)["settings"]["metric"] == "wer,ter,cer"


def test_metrics_without_being_asked(texts, outscore):
    found = results(outscore, "--reference", "ref.txt", "a.txt", "b.txt")
    assert [c["metric"] for c in found["comparisons"]] == ["BLEU", "chrF"]


def test_the_reference_itself_and_a_single_segment(texts, outscore):
    itself = results(outscore, "--reference", "ref.txt", "ref.txt", "a.txt", "--metric", "bleu,ter")["comparisons"]
    assert [round(c["scores"][0]["value"], 9) for c in itself] == [100, 0]
    twice = results(outscore, "--reference", "ref.txt", "ref.txt", "ref.txt", "--metric", "bleu")["comparisons"][0]
    assert (twice["systems"], twice["p"]["value"]) == (["ref", "ref (2)"], 1)
    alone = results(outscore, "--reference", "one-ref.txt", "one-a.txt", "one-b.txt", "--metric", "bleu,ter")["comparisons"]
    assert [(c["n"], c["p"]["value"]) for c in alone] == [(1, 1), (1, 1)]


def test_an_output_of_empty_lines_is_an_output(texts, outscore):
    found = results(outscore, "--reference", "ref.txt", "a.txt", "blank.txt", "--metric", "bleu,ter")["comparisons"]
    assert [c["scores"][1]["value"] for c in found] == [0, 100]


def test_standard_input_is_a_text(texts, outscore):
    done = outscore("compare", "-v", "--reference", "ref.txt", "-", "b.txt", "--metric", "ter", stdin="\n".join(FIRST) + "\n")
    assert done.exit_code == 0
    assert "ter" in done.stdout


def test_documents_buckets_and_references(texts, outscore):
    words = ["--reference", "ref.txt", "--reference", "a.txt", "a.txt", "b.txt", "--metric", "ter"]
    found = results(outscore, *words, "--documents", "docs.txt", "--buckets", "length", "--buckets", "docs.txt")
    ter = found["comparisons"][0]
    assert ter["clusters"] == 3
    assert "nrefs:2" in ter["signature"]
    assert {b["column"] for b in ter["buckets"]} == {"reference length", "docs"}
    assert sum(b["n"] for b in ter["buckets"] if b["column"] == "docs") == 6
    inputs = {i["path"] for i in found["settings"]["inputs"]}
    assert inputs == {"a.txt", "b.txt", "ref.txt", "docs.txt"}


def test_units_of_segments(texts, outscore):
    words = ["--reference", "ref.txt", "a.txt", "b.txt", "--metric", "bleu,ter", "--unit-size", "2"]
    found = results(outscore, *words)["comparisons"]
    assert [(c["n"], c["design"]["unit_size"], c["p"]["value"] * 2**3 % 1) for c in found] == [(3, 2, 0), (3, 2, 0)]
    assert "on 3 units of 2 segments" in outscore("compare", *words).stdout


def test_buckets_are_in_the_table_for_spreadsheets(texts, outscore):
    words = ["--reference", "ref.txt", "a.txt", "b.txt", "--metric", "ter,wer", "--buckets", "docs.txt", "-o", "x.csv"]
    ter = results(outscore, *words)["comparisons"][0]
    rows = list(csv.DictReader(Path("x.csv").read_text(encoding="utf-8").splitlines()))
    assert [(row["metric"], row["slice_column"], row["slice"]) for row in rows][:5] == [
        ("TER", "", ""), ("TER", "docs", "x"), ("TER", "docs", "y"), ("TER", "docs", "z"), ("WER", "", ""),
    ]  # fmt: skip
    for row, bucket in zip(rows[1:4], ter["buckets"], strict=True):
        assert (float(row["difference"]), float(row["p"])) == (bucket["difference"], bucket["p"]["value"])


def test_the_state_of_the_cache_is_no_part_of_a_result(texts, outscore, monkeypatch):
    words = ["compare", "--reference", "ref.txt", "a.txt", "b.txt", "--metric", "ter", "--format", "json"]
    without = outscore(*words)
    monkeypatch.setenv("OUTSCORE_CACHE", str(texts / "a.txt" / "folder"))
    refused = outscore(*words)
    assert refused.stdout == without.stdout
    assert (without.stderr, refused.stderr.count("cannot be used")) == ("", 1)


def test_a_quoted_pattern_stands_for_runs(texts, outscore):
    for i, lines in enumerate((FIRST, [*FIRST[:5], "see me"])):
        Path(f"new.{i}.txt").write_text("\n".join(lines) + "\n")
        Path(f"old-{i}.txt").write_text("\n".join([*SECOND[:5], "soon"][: 6 - i] + ["x"] * i) + "\n")
    ter = results(outscore, "--reference", "ref.txt", "new.*.txt", "old-*.txt", "--metric", "ter")["comparisons"][0]
    assert ter["systems"] == ["new", "old"]
    others = results(outscore, "--reference", "ref.txt", "new.?.txt", "[ab].txt", "--metric", "ter")["comparisons"][0]
    assert others["systems"] == ["new", "[ab]"]
    for side, key in enumerate("ab"):
        assert ter["scores"][side]["value"] == pytest.approx(sum(ter["runs"][key]) / 2)
    assert ter["runs"]["p"]["value"] in (1 / 3, 2 / 3, 1)


REPEATED = {
    "plain": ["a.txt", "b.txt", "--metric", "bleu:tokenize=none,ter", "--seed", "4", "--resamples", "99"],
    "parts": [
        "a.txt", "b.txt", "--metric", "ter", "--documents", "docs.txt", "--buckets", "length", "--names", "new,old",
        "--reference", "a.txt",
    ],
    "runs": ["[ab].txt", "b*.txt", "--metric", "ter", "--correction", "bh"],
}  # fmt: skip


@pytest.mark.parametrize("name", a_few(REPEATED, 1))
def test_a_saved_result_repeats_byte_for_byte(texts, outscore, name):
    done = outscore("compare", "--reference", "ref.txt", *REPEATED[name], "-o", "result.json")
    assert done.exit_code == 0, done.stderr
    again = outscore("compare", "--config", "result.json", "-o", "again.json")
    assert again.exit_code == 0, again.stderr
    assert again.stdout == done.stdout
    assert Path("again.json").read_bytes() == Path("result.json").read_bytes()
