"""Files and options that `outscore diff` refuses, each with its exact sentence: golden/cli/diff-refused.txt holds them all."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import polars as pl
import pytest
from tests.coref_documents import write_documents
from tests.diff_files import as_json_lines, write_entities, write_labels, write_trees
from tests.variants import crossed

NAMES = {"pos": "conllu", "dep": "conllu", "ner": "bio", "label": "csv", "coref": "conll"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Good files of every kind: gold, old, new."""
    made = tmp_path_factory.mktemp("files")
    write_trees(made, sentences=12)
    write_entities(made, sentences=12)
    write_labels(made, items=30)
    paths = write_documents(made, documents=3, phrases=10)
    for name, other in (("plain", "old"), ("better", "new")):
        paths[name].rename(made / f"{other}.conll")
    for name in ("gold", "old"):
        (made / f"{name}.jsonl").write_text(as_json_lines(made / f"{name}.csv"))
        buffer = io.BytesIO()
        pl.read_csv(made / f"{name}.csv").write_parquet(buffer)
        (made / f"{name}.parquet").write_bytes(buffer.getvalue())
    return made


def _sentences(text: str, order: list[int]) -> str:
    pieces = text.rstrip("\n").split("\n\n")
    return "\n\n".join(pieces[i] for i in order) + "\n\n"


ALL = list(range(12))
# What became of a system's file: its task, and the change.
DAMAGED = {
    "cut inside a line": ("pos", lambda text: text[: text.index("w6.3") + 12]),
    "cut after a sentence": ("pos", lambda text: _sentences(text, ALL[:6])),
    "empty": ("pos", lambda _: ""),
    "blank lines": ("dep", lambda _: "\n\n"),
    "one line": ("pos", lambda text: text.split("\n")[2] + "\n"),
    "no sentence ends": ("dep", lambda text: text.replace("\n\n", "\n")),
    "a head outside the sentence": ("dep", lambda text: text.replace("\t0\t", "\t99\t", 1)),
    "no heads": ("dep", lambda text: "\n".join("\t".join(_blanked(line)) for line in text.split("\n"))),
    "nine columns": ("pos", lambda text: text.replace("\t_\t_\n", "\t_\n", 1)),
    "Latin-1": ("pos", lambda text: text.replace("w1.1", "h\xf6her").encode("latin-1")),
    "UTF-16": ("pos", lambda text: text.encode("utf-16")[:-1]),
    "a cut archive": ("pos", lambda text: gzip.compress(text.encode(), mtime=0)[:-9]),
    "entities, cut": ("ner", lambda text: text[:60]),
    "entities, shuffled": ("ner", lambda text: _sentences(text, ALL[::-1])),
    "entities, empty": ("ner", lambda _: ""),
    "entities, another scheme": ("ner", lambda text: text.replace(" B-", " X-")),
    "entities, words alone": ("ner", lambda text: "\n".join(line.split(" ")[0] for line in text.split("\n"))),
    "labels, cut": ("label", lambda text: "\n".join(text.split("\n")[:10])),
    "labels, a ragged line": ("label", lambda text: text + "q99,yes\n"),
    "labels, empty": ("label", lambda _: ""),
    "labels, names alone": ("label", lambda text: text.split("\n")[0] + "\n"),
    "labels, other ids": ("label", lambda text: text.replace("\nq", "\nx")),
    "labels, no ids": ("label", lambda text: "\n".join(line.split(",")[1] for line in text.split("\n") if line)),
    "labels, one item twice": ("label", lambda text: text + "q1,yes,t1,?\nq1,no,t1,?\n"),
    "labels, no predictions": ("label", lambda text: text.replace("prediction", "points", 1)),
    "labels, two predictions": ("label", lambda text: text.replace("topic", "predicted", 1)),
    "coreference, cut": ("coref", lambda text: text[: len(text) // 2].rpartition("\n")[0] + "\n"),
    "coreference, a document less": ("coref", lambda text: text[: text.rindex("#begin")]),
    "coreference, words in another order": ("coref", lambda text: "\n".join(_swapped(text.split("\n")))),
    "coreference, a word less": ("coref", lambda text: "\n".join(line for i, line in enumerate(text.split("\n")) if i != 2)),
    "coreference, an open bracket": ("coref", lambda text: text.replace("(0)", "(0", 1)),
    "coreference, no brackets": ("coref", lambda text: text.replace("\t-\n", "\tx\n", 1)),
    "coreference, empty": ("coref", lambda _: ""),
}


# What is read nevertheless, and told first: how many of gold's words have no counterpart.
TOLERATED = {
    "sentences in another order": ("pos", lambda text: _sentences(text, [1, 0, *ALL[2:]]), 8),
    "a sentence less": ("pos", lambda text: _sentences(text, [0, *ALL[2:]]), 8),
    "words in another order": ("pos", lambda text: text.replace("w2.0", "?").replace("w2.1", "w2.0").replace("?", "w2.1"), 1),
    "another word": ("dep", lambda text: text.replace("w3.4", "else"), 1),
    "more text": ("dep", lambda text: text + "1\tmore\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n", 0),
}


def _blanked(line: str) -> list[str]:
    cells = line.split("\t")
    return [*cells[:6], "_", "_", *cells[8:]] if len(cells) == 10 else cells


def _swapped(lines: list[str]) -> list[str]:
    """The words of the second and third line exchanged."""
    one, two = lines[1].split("\t"), lines[2].split("\t")
    one[3], two[3] = two[3], one[3]
    return [lines[0], "\t".join(one), "\t".join(two), *lines[3:]]


# Files of one task given to another.
WRONG_TASK = [
    ("pos", "csv"), ("pos", "jsonl"), ("pos", "parquet"), ("pos", "conll"), ("dep", "csv"), ("dep", "bio"), ("ner", "conllu"),
    ("ner", "csv"), ("ner", "parquet"), ("label", "conllu"), ("label", "bio"), ("label", "conll"), ("coref", "conllu"),
    ("coref", "csv"), ("coref", "jsonl"), ("coref", "parquet"), ("coref", "bio"),
]  # fmt: skip
OPTIONS = {
    "pos": [
        ["--criterion", "las"], ["--criterion", "tag"], ["--criterion", "feats"], ["--cluster", "topic"], ["--cluster", ""],
        ["--map", "DET"], ["--map", "=X"], ["--map", "DTE=X"], ["--map", "other:DET=X"], ["--map", "NO=X"],
        ["--map", "DET=X", "--map", "DET=Y"], ["--punct"], ["--subtypes"], ["--lenient"], ["--repair"], ["--slice", "topic"],
        ["--top", "0"], ["--min-support", "0"], ["--correction", "holms"], ["--alpha", "5"], ["--alpha", "nan"],
        ["--names", "one"], ["--names", "a,a"], ["--names", "gold,a"], ["--sort", "size"], ["--table", "label"],
        ["--table", "keys"], ["--table", "scores", "--format", "json"], ["--changes", "gold.conllu"],
        ["--changes", "absent/x.jsonl"], ["--charts", "old.conllu"], ["-o", "x.pdf"], ["-o", "absent/x.html"],
        ["--config", "absent.yaml"],
    ],
    "dep": [["--criterion", "upos"], ["--lenient"], ["--repair"], ["--map", "DET=X"], ["--slice", "topic"]],
    "ner": [
        ["--criterion", "upos"], ["--punct"], ["--repair"], ["--cluster", "document"], ["--map", "GPE=LOC"],
        ["--slice", "change"],
    ],
    "label": [
        ["--criterion", "las"], ["--subtypes"], ["--cluster", "sentence"], ["--map", "jes=yes"], ["--slice", "kind"],
        ["-o", "gold.csv"],
    ],
    "coref": [["--criterion", "muc"], ["--cluster", "none"], ["--map", "tp=fn"], ["--slice", "kind"], ["--punct"]],
}  # fmt: skip


def test_every_damaged_file_gets_its_sentence(folder, monkeypatch, refusal, golden):
    monkeypatch.chdir(folder)
    found = []
    for what, (task, damage) in DAMAGED.items():
        ending = NAMES[task]
        content = damage(Path(f"old.{ending}").read_text())
        Path(f"x.{ending}").write_bytes(content.encode() if isinstance(content, str) else content)
        found.append(f"{what}\n    {refusal('diff', '--task', task, f'gold.{ending}', f'new.{ending}', f'x.{ending}')}")
        Path(f"x.{ending}").unlink()
    golden("cli/diff-damaged.txt", "\n".join(found))


def test_texts_that_nearly_fit_are_told_first(folder, monkeypatch, outscore):
    monkeypatch.chdir(folder)
    for task, damage, lost in TOLERATED.values():
        Path("x.conllu").write_text(damage(Path("old.conllu").read_text()))
        text = " ".join(outscore("diff", "-v", "--task", task, "gold.conllu", "new.conllu", "x.conllu").stdout.split())
        Path("x.conllu").unlink()
        assert text.startswith(f"The text of x differs from gold's: {lost} of 96 gold words")


def test_every_wrong_task_gets_its_sentence(folder, monkeypatch, refusal, golden):
    monkeypatch.chdir(folder)
    found = [f"{task}: {end}\n    {refusal('diff', '--task', task, f'gold.{end}', f'old.{end}')}" for task, end in WRONG_TASK]
    Path("scores.txt").write_text("0.5\n0.25\n")
    Path("header.tsv").write_text("Token\tPOS\nIt\tPRON\n")
    found.append(f"label: scores\n    {refusal('diff', '--task', 'label', 'gold.csv', 'scores.txt')}")
    found.append(f"pos: a header\n    {refusal('diff', '--task', 'pos', 'header.tsv', 'header.tsv')}")
    golden("cli/diff-wrong-task.txt", "\n".join(found))


def test_every_wrong_option_gets_its_sentence(folder, monkeypatch, refusal, golden):
    monkeypatch.chdir(folder)
    found = []
    for task, cases in OPTIONS.items():
        whole = ["--task", task, *(f"{name}.{NAMES[task]}" for name in ("gold", "old", "new"))]
        found += [f"{task} {' '.join(case)}\n    {refusal('diff', *whole, *case)}" for case in cases]
    others = (
        [], ["--task", "pos"], ["--task", "pos", "gold.conllu"], ["gold.conllu", "old.conllu"],
        ["--task", "tags", "gold.conllu", "old.conllu"], ["--task", "pos", "gold.conllu", "absent.conllu"],
        ["--task", "pos", "gold.conllu", "odl.conllu"], ["--task", "pos", "gold.conllu", "."], ["--task", "pos", "-", "-"],
        ["--task", "pos", "gold.conllu", "old.conllu", "--changes", "x.jsonl"],
        ["--task", "pos", "gold.conllu", "old.conllu", "--charts", "charts"],
    )  # fmt: skip
    found += [f"{' '.join(arguments)}\n    {refusal('diff', *arguments)}" for arguments in others]
    golden("cli/diff-refused.txt", "\n".join(found))


@pytest.mark.parametrize(("packing", "task"), crossed(["bom", "crlf", "gzip"], ["pos", "ner", "label", "coref"]))
def test_packings_make_no_difference(folder, tmp_path, outscore, task, packing):
    pack = {"bom": lambda raw: b"\xef\xbb\xbf" + raw, "crlf": lambda raw: raw.replace(b"\n", b"\r\n"), "gzip": gzip.compress}
    ending = NAMES[task]
    other = tmp_path / f"old.{ending}{'.gz' if packing == 'gzip' else ''}"
    other.write_bytes(pack[packing]((folder / f"old.{ending}").read_bytes()))
    gold, plain, new = (folder / f"{name}.{ending}" for name in ("gold", "old", "new"))
    tables = ("--table", "scores", "--table", "pairs", "--names", "old,new")
    first, second = (outscore("diff", "--task", task, gold, system, new, *tables) for system in (plain, other))
    assert (first.exit_code, first.stdout) == (0, second.stdout)


def test_one_file_may_come_from_standard_input(folder, outscore):
    gold, old, new = (folder / f"{name}.conllu" for name in ("gold", "old", "new"))
    direct = outscore("diff", "--task", "pos", gold, old, new, "--names", "a,b")
    piped = outscore("diff", "--task", "pos", gold, "-", new, "--names", "a,b", stdin=old.read_bytes())
    assert piped.exit_code == 0
    assert piped.stdout.replace("`-`", "`old.conllu`").split() == direct.stdout.split()
