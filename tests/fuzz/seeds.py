"""Small right inputs of every kind, each with a command that reads it: what mutations begin with."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import zstandard
from tests.coref_documents import write_documents
from tests.diff_files import write_entities, write_labels, write_trees

SAVED = Path(__file__).parents[1] / "saved"
PACKERS: Mapping[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda content: zstandard.ZstdCompressor(write_checksum=True).compress(content),
}
ITEMS = 12


@dataclass(frozen=True)
class Seed:
    """A command, the files it reads by name, and those of them that may be mutated (the first) or must stay.

    `format` is the entry of a registry that reads the first file, such as ``"scores: csv"``.
    """

    arguments: tuple[str, ...]
    files: Mapping[str, bytes]
    stdin: bool = False
    format: str = ""

    @property
    def target(self) -> str:
        return next(iter(self.files))


def make_seeds(folder: Path) -> dict[str, Seed]:
    """All seeds by name; `folder` is where files are written that are made as files."""
    outputs = {**_outputs(folder), **_outputs_in_json_and_brackets()}
    texts = {**_texts(), **_texts_in_markup_and_tables()}
    return {**_scores(), **_tables(), **texts, **outputs, **_battles(), **_saved(), **_packed()}


def _numbers() -> list[list[float]]:
    return np.random.default_rng(5).random((ITEMS, 3)).round(2).tolist()


def _lines(rows: list[list[object]], separator: str) -> bytes:
    return "".join(separator.join(map(str, row)) + "\n" for row in rows).encode()


def _scores() -> dict[str, Seed]:
    rows = _numbers()
    one, other = (_lines([[row[k]] for row in rows], " ") for k in (0, 1))
    pairs, counts = (
        _lines([row[:2] for row in rows], "\t"),
        _lines([[i % 3, i % 2, (i + 1) % 3, i % 4] for i in range(ITEMS)], " "),
    )
    whole = _lines([[i % 2, (i // 2) % 2] for i in range(ITEMS)], ",")
    return {
        "one file each": Seed(("compare", "a.txt", "b.txt"), {"a.txt": one, "b.txt": other}, format="scores: scores"),
        "pairs": Seed(("compare", "a.txt"), {"a.txt": pairs}, format="scores: score-pairs"),
        "whole numbers": Seed(("compare", "a.txt"), {"a.txt": b"x,y\n" + whole}),
        "counts": Seed(("compare", "a.txt"), {"a.txt": counts}, format="scores: f1-counts"),
        "standard input": Seed(("compare", "-"), {"a.txt": pairs}, stdin=True),
        "pilot": Seed(("plan", "--pilot", "a.txt", "--effect", "0.1"), {"a.txt": pairs}),
        "rank files": Seed(("rank", "a.txt", "b.txt"), {"a.txt": one, "b.txt": other}),
        "unit sizes": Seed(("compare", "a.txt", "--unit-size", "2", "--test", "student"), {"a.txt": pairs}),
    }


def _tables() -> dict[str, Seed]:
    rows = _numbers()
    wide = [["id", "new", "old", "third"], *([f"q{i}", *row] for i, row in enumerate(rows))]
    long = [["id", "model", "score", "doc"]]
    long += [[f"q{i}", name, row[k], f"d{i // 3}"] for i, row in enumerate(rows) for k, name in enumerate(("new", "old"))]
    objects = "".join(f'{{"id": "q{i}", "new": {r[0]}, "old": {r[1]}, "note": "n {i}"}}\n' for i, r in enumerate(rows)).encode()
    chosen = ("--system", "new", "--system", "old")
    return {
        "csv": Seed(("compare", "t.csv", *chosen), {"t.csv": _lines(wide, ",")}, format="scores: csv"),
        "semicolons": Seed(("compare", "t.csv", *chosen), {"t.csv": _lines(wide, ";")}),
        "tsv": Seed(("rank", "t.tsv"), {"t.tsv": _lines(wide, "\t")}, format="scores: tsv"),
        "long csv": Seed(("compare", "t.csv", "--test", "bootstrap", "--resamples", "200"), {"t.csv": _lines(long, ",")}),
        "long rank": Seed(("rank", "t.csv", "--cluster", "doc"), {"t.csv": _lines(long, ",")}),
        "jsonl": Seed(("compare", "t.jsonl"), {"t.jsonl": objects}, format="scores: jsonl"),
        "jsonl rank": Seed(("rank", "t.jsonl"), {"t.jsonl": objects}),
        "parquet": Seed(("compare", "t.parquet", *chosen), {"t.parquet": _parquet(wide)}, format="scores: parquet"),
        "long parquet": Seed(("rank", "t.parquet"), {"t.parquet": _parquet(long)}),
        "long parquet, t test": Seed(("compare", "t.parquet", "--test", "student"), {"t.parquet": _parquet(long)}),
        "table on standard input": Seed(("rank", "-"), {"t.csv": _lines(wide, ",")}, stdin=True),
    }


def _parquet(rows: list[list[object]]) -> bytes:
    buffer = io.BytesIO()
    header, *body = rows
    pl.DataFrame({str(name): [row[k] for row in body] for k, name in enumerate(header)}).write_parquet(buffer)
    return buffer.getvalue()


def _texts() -> dict[str, Seed]:
    words = ["the", "a", "cat", "dog", "sat", "ran", "here", "there", "big", "small", "."]
    rng = np.random.default_rng(3)
    texts = ["".join(" ".join(rng.choice(words, 6)) + "\n" for _ in range(ITEMS)).encode() for _ in range(3)]
    files = dict(zip(("new.txt", "old.txt", "ref.txt"), texts, strict=True))
    metrics = ("--metric", "bleu,chrf,ter", "--resamples", "200")
    return {
        "texts": Seed(("compare", "new.txt", "old.txt", "--reference", "ref.txt", *metrics), files, format="texts: text"),
        "reference": Seed(
            ("compare", "new.txt", "old.txt", "--reference", "ref.txt", "--metric", "wer"), dict(reversed(files.items()))
        ),
    }


def _texts_in_markup_and_tables() -> dict[str, Seed]:
    lines = [(f"the cat {i} sat", f"a cat {i} sat", f"the cat {i} ran") for i in range(6)]

    def sgml(kind: str, system: int) -> bytes:
        segments = "".join(f'<seg id="{i}">{line[system]}</seg>\n' for i, line in enumerate(lines, 1))
        known = f'<{kind} setid="s" srclang="de" trglang="en">\n<doc docid="d1" sysid="s{system}">\n'
        return f"{known}{segments}</doc>\n</{kind}>\n".encode()

    def xml(tag: str, name: str, system: int) -> str:
        segments = "".join(f'<seg id="{i}">{line[system]}</seg>' for i, line in enumerate(lines, 1))
        return f'<{tag} lang="en"{name}><p>{segments}</p></{tag}>\n'

    parts = xml("src", "", 0) + xml("ref", ' translator="A"', 0)
    systems = xml("hyp", ' system="new"', 1) + xml("hyp", ' system="old"', 2)
    document = f'<doc origlang="de" id="d1">\n{parts}{systems}</doc>'
    whole = f"<?xml version='1.0' encoding='utf-8'?>\n<dataset id=\"t\">\n{document}\n</dataset>\n".encode()
    cells: list[list[object]] = [["reference", "system", "hypothesis"]]
    cells += [[line[0], name, line[k]] for k, name in ((1, "new"), (2, "old")) for line in lines]
    objects = "".join(
        json.dumps(dict(zip(("reference", "system", "hypothesis"), row, strict=True))) + "\n" for row in cells[1:]
    )

    def seed(name: str, content: bytes, format: str) -> Seed:
        return Seed(("compare", name, "--reference", name, "--metric", "wer"), {name: content}, format=f"texts: {format}")

    return {
        "sgml texts": Seed(
            ("compare", "new.sgm", "old.sgm", "--reference", "ref.sgm", "--metric", "wer"),
            {"new.sgm": sgml("tstset", 1), "old.sgm": sgml("tstset", 2), "ref.sgm": sgml("refset", 0)},
            format="texts: sgml",
        ),
        "xml texts": seed("t.xml", whole, "xml"),
        "json texts": seed("t.jsonl", objects.encode(), "jsonl"),
        "tsv texts": seed("t.tsv", _lines(cells, "\t"), "tsv"),
        "csv texts": seed("t.csv", _lines(cells, ","), "csv"),
    }


def _outputs(folder: Path) -> dict[str, Seed]:
    trees = write_trees(folder, sentences=6, words=4)
    entities = write_entities(folder, sentences=6)
    labels = write_labels(folder, items=ITEMS)
    chains = write_documents(folder, documents=2, phrases=8)

    def seed(task: str, paths: Mapping[str, Path], first: str, *others: str, format: str = "") -> Seed:
        files = {paths[name].name: paths[name].read_bytes() for name in (first, *others)}
        order = sorted(files, key=lambda name: not name.startswith("gold"))
        return Seed(("diff", "--task", task, *order), files, format=format)

    return {
        "tags": seed("pos", trees, "new", "old", "gold", format="outputs: conllu"),
        "trees": seed("dep", trees, "gold", "new", "old"),
        "entities": seed("ner", entities, "new", "old", "gold", format="outputs: word-columns"),
        "gold entities": seed("ner", entities, "gold", "new", "old"),
        "labels": seed("label", labels, "new", "old", "gold", format="outputs: labels"),
        "gold labels": seed("label", labels, "gold", "new"),
        "chains": seed("coref", chains, "better", "plain", "gold", format="outputs: conll2012"),
        "gold chains": seed("coref", chains, "gold", "better", "plain"),
    }


WORDS = ("Ann", "saw", "Bob", "near", "Rome", "today")
TAGS = ("PROPN", "VERB", "PROPN", "ADP", "PROPN", "NOUN")
ENTITIES = ("B-PER", "O", "B-PER", "O", "B-LOC", "O")
HEADS = (2, 0, 2, 5, 2, 2)


def _spacy(heads: tuple[int, ...], entities: tuple[str, ...]) -> dict[str, object]:
    """A document as `Doc.to_json` of spaCy writes it."""
    starts = [sum(len(word) + 1 for word in WORDS[:i]) for i in range(len(WORDS))]
    spans = [{"start": start, "end": start + len(word)} for start, word in zip(starts, WORDS, strict=True)]
    parts = zip(spans, TAGS, heads, strict=True)
    tokens = [
        {"id": i, **span, "tag": tag[:2], "pos": tag, "morph": "", "lemma": "x", "dep": "dep", "head": head - 1 if head else i}
        for i, (span, tag, head) in enumerate(parts)
    ]
    found = [{**span, "label": tag[2:]} for span, tag in zip(spans, entities, strict=True) if tag != "O"]
    return {
        "text": " ".join(WORDS),
        "ents": found,
        "sents": [{"start": 0, "end": 12}, {"start": 12, "end": 29}],
        "tokens": tokens,
    }


def _stanza(heads: tuple[int, ...], entities: tuple[str, ...]) -> list[list[dict[str, object]]]:
    """A document as `Document.to_dict` of Stanza writes it, with a token of two words."""
    words = [
        {"id": i, "text": word, "upos": tag, "xpos": tag[:2], "feats": "_", "head": head, "deprel": "dep", "ner": entity}
        for i, (word, tag, head, entity) in enumerate(zip(WORDS, TAGS, heads, entities, strict=True), 1)
    ]
    return [[*words[:4], {"id": [5, 6], "text": "Romes", "ner": "B-LOC"}, *words[4:]], words]


def _outputs_in_json_and_brackets() -> dict[str, Seed]:
    """Words and chains as JSON, words with slashes, and CorefUD: gold and two systems each."""
    other, tags = (2, 0, 2, 2, 4, 2), ("B-PER", "O", "B-LOC", "O", "B-LOC", "B-LOC")
    lists = [{"tokens": WORDS, "ner_tags": ENTITIES, "pos_tags": TAGS}] * 3
    wrong = [{**lists[0], "ner_tags": tags, "pos_tags": TAGS[::-1]}, *lists[1:]]
    trees, trees_of_other = ((_spacy(HEADS, ENTITIES), _spacy(other, tags)), (_stanza(HEADS, ENTITIES), _stanza(other, tags)))
    chains = {"doc_key": "d1", "sentences": [WORDS[:3], WORDS[3:]], "clusters": [[[0, 0], [2, 3]], [[1, 1], [4, 5]]]}
    found = {**chains, "predicted_clusters": [[[0, 0], [2, 3], [4, 5]]]}
    slashes = " ".join(f"{word}/{tag}" for word, tag in zip(WORDS, TAGS, strict=True)) + "\n"
    entity = "".join(
        f"{i}\t{word}\t_\t{tag}\t_\t_\t{head}\tdep\t_\tEntity=(e{i % 2}-x-1-)\n"
        for i, (word, tag, head) in enumerate(zip(WORDS, TAGS, HEADS, strict=True), 1)
    )
    corefud = f"# newdoc id = d1\n# global.Entity = eid-etype-head-other\n{entity}\n"

    def seed(task: str, name: str, right: str, own: str, format: str) -> Seed:
        files = {f"new{name}": own, f"old{name}": right, f"gold{name}": right}
        return Seed(
            ("diff", "--task", task, *reversed(files)), {key: text.encode() for key, text in files.items()}, format=format
        )

    def lines(values: list[dict[str, object]]) -> str:
        return "".join(json.dumps(value) + "\n" for value in values)

    words, coref = "outputs: json-words", "outputs: coref-jsonl"
    texts = [json.dumps(tree) for tree in (*trees, *trees_of_other)]
    return {
        "token lists": seed("ner", ".jsonl", lines(lists), lines(wrong), words),
        "token lists in a list": seed("pos", ".json", json.dumps(lists), json.dumps(wrong), words),
        "spacy": seed("dep", ".json", texts[0], texts[1], words),
        "spacy lines": seed("ner", ".jsonl", f"{texts[0]}\n" * 2, f"{texts[1]}\n{texts[0]}\n", words),
        "stanza": seed("dep", ".json", texts[2], texts[3], words),
        "stanza tags": seed("ner", ".json", texts[2], texts[3], words),
        "json chains": seed("coref", ".jsonl", lines([chains]), lines([found]), coref),
        "json chains in a list": seed("coref", ".json", json.dumps([chains]), json.dumps([found]), coref),
        "words with slashes": seed("pos", ".txt", slashes * 2, slashes.replace("/VERB", "/NOUN") * 2, "outputs: tagged-lines"),
        "corefud": seed("coref", ".conllu", corefud, corefud.replace("(e1", "(e2", 1), "outputs: corefud"),
        "label lines": seed(
            "label",
            ".jsonl",
            lines([{"id": f"q{i}", "label": "no" if i % 2 else "yes"} for i in range(ITEMS)]),
            lines([{"id": f"q{i}", "label": "no" if i % 3 else "yes"} for i in range(ITEMS)]),
            "outputs: labels",
        ),
    }


def _battles() -> dict[str, Seed]:
    """Verdicts in the layout of every tool."""
    order = [("new", "old") if i % 3 else ("old", "new") for i in range(ITEMS)]
    table = [["prompt", "model_a", "model_b", "winner", "judge", "length_a", "length_b"]]
    table += [[f"p{i}", a, b, ("model_a", "model_b", "tie")[i % 3], "ann", 5 + i, 9] for i, (a, b) in enumerate(order)]
    arena = [
        {
            "question_id": str(i),
            "model_a": a,
            "model_b": b,
            "winner": ("model_a", "model_b", "tie (bothbad)")[i % 3],
            "judge": "u1",
            "turn": 1,
            "conversation_a": [{"role": "user", "content": f"hi {i}"}, {"role": "assistant", "content": "x" * i}],
            "conversation_b": [{"role": "user", "content": f"hi {i}"}, {"role": "assistant", "content": "y" * 5}],
        }
        for i, (a, b) in enumerate(order)
    ]
    pairs = [
        {
            "question_id": i,
            "model_1": "new",
            "model_2": "old",
            "g1_winner": ("model_1", "model_2", "tie")[i % 3],
            "g2_winner": "model_1",
            "judge": ["gpt-4", "pair-v2"],
            "turn": 1,
        }
        for i in range(ITEMS)
    ]
    games = [
        {"question_id": f"q{i}", "model": "new", "judge": "gpt", "games": [{"score": "A>>B"}, {"score": ("A>B", "B=A")[i % 2]}]}
        for i in range(ITEMS)
    ]
    pooled = [
        {"question_id": i // 2, "model_a": "base", "model_b": "new", "winner": ("model_a", "model_b")[i % 3 > 0]}
        for i in range(ITEMS)
    ]
    annotations = [
        {"instruction": f"say {i}", "generator_1": "base", "generator_2": "new", "preference": 1 + i % 3 / 2, "annotator": "a"}
        for i in range(ITEMS)
    ]

    def seed(name: str, content: bytes, format: str) -> Seed:
        return Seed(("prefer", name), {name: content}, format=f"battles: {format}")

    def lines(rows: list[dict[str, object]]) -> bytes:
        return "".join(json.dumps(row) + "\n" for row in rows).encode()

    return {
        "battles": seed("votes.csv", _lines(table, ","), "battles"),
        "arena": seed("arena.jsonl", lines(arena), "arena"),
        "mt-bench": seed("gpt-4_pair.jsonl", lines(pairs), "mt-bench"),
        "arena-hard": seed("new.jsonl", lines(games), "arena-hard"),
        "arena-hard battles": seed("arena_hard_battles.jsonl", lines(pooled), "arena-hard-battles"),
        "alpaca-eval": seed("annotations.json", json.dumps(annotations).encode(), "alpaca-eval"),
    }


def _saved() -> dict[str, Seed]:
    shown = {
        f"saved {path.stem}": Seed(("report", path.name), {path.name: path.read_bytes()})
        for path in sorted(SAVED.glob("*.json"))
    }
    pairs = _lines([row[:2] for row in _numbers()], " ")
    again = {
        f"config {name}": Seed((command, "--config", f"{name}.json"), {f"{name}.json": (SAVED / f"{name}.json").read_bytes()})
        for name, command in (("rank", "rank"), ("compare", "compare"), ("plan", "plan"), ("diff-pos", "diff"))
    }
    yaml = b"test: student\nalpha: 0.01\nnames: [one, two]\nseed: 3\n"
    return {
        **shown,
        **again,
        "config yaml": Seed(("compare", "a.txt", "--config", "c.yaml"), {"c.yaml": yaml, "a.txt": pairs}),
    }


def _packed() -> dict[str, Seed]:
    """One table in every packing, and JSON lines in one."""
    made = {}
    for suffix, pack in PACKERS.items():
        files = {f"t.csv.{suffix}": pack(_tables()["csv"].files["t.csv"])}
        made[f"packed {suffix}"] = Seed(("rank", f"t.csv.{suffix}"), files)
    return made
