"""`tokenize=auto`: the tokeniser of the language that names say, test set by test set; 13a where they say none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("sacrebleu")

import sacrebleu
from click.testing import CliRunner

import outscore as osc
from outscore.cli.app import app
from outscore.workflows.texts.checks import tokeniser_of

CHINESE = {
    "ref": ["今天天气很好", "我们去公园散步", "他喜欢读书"],
    "a": ["今天天气不错", "我们去公园", "他喜欢看书"],
    "b": ["今天很好", "我们散步", "他读书"],
}
GERMAN = {
    "ref": ["Das Haus ist rot.", "Wir gehen nach Hause.", "Er liest gern."],
    "a": ["Das Haus ist rot.", "Wir gehen heim.", "Er liest gern."],
    "b": ["Haus rot.", "Wir gehen.", "Er liest viel."],
}


def write(folder: Path, language: str, texts: dict[str, list[str]]) -> None:
    for name, lines in texts.items():
        (folder / f"{name}.{language}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def compared(*words: str):
    done = CliRunner().invoke(app, ["compare", *words, "--metric", "bleu:tokenize=auto", "--format", "json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)["comparisons"][0]


def bleu(texts: dict[str, list[str]], system: str, tokenize: str) -> float:
    return float(sacrebleu.BLEU(tokenize=tokenize).corpus_score(texts[system], [texts["ref"]]).score)


@pytest.mark.parametrize(
    ("names", "tokeniser"),
    [
        (["newstest.en-zh.ref.txt", "a.txt"], "zh"),
        (["wmt/generaltest2023.en-ja.hyp.GPT4"], "ja-mecab"),
        (["x_en-ko.txt"], "ko-mecab"),
        (["newstest2017.en-de.txt"], "13a"),
        (["en-zh/ref.txt"], "zh"),
        (["my-set/ref.en-zh.txt"], "zh"),
        (["ref.txt"], None),
        (["ref.en-zh.txt", "a.en-ja.txt"], None),
    ],
)
def test_the_language_is_that_of_the_names(names, tokeniser):
    assert tokeniser_of(names) == tokeniser


def test_one_test_set(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "en-zh", CHINESE)
    found = compared("a.en-zh.txt", "b.en-zh.txt", "--reference", "ref.en-zh.txt")
    assert [one["value"] for one in found["scores"]] == pytest.approx([bleu(CHINESE, name, "zh") for name in "ab"])
    assert "tok:zh" in json.dumps(found)


def test_each_test_set_has_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "en-zh", CHINESE)
    write(tmp_path, "en-de", GERMAN)
    found = compared("a.{dataset}.txt", "b.{dataset}.txt", "--reference", "ref.{dataset}.txt")
    expected = [(bleu(CHINESE, name, "zh") + bleu(GERMAN, name, "13a")) / 2 for name in "ab"]
    assert [one["value"] for one in found["scores"]] == pytest.approx(expected)
    said = " ".join(note["text"] for note in found["notes"])
    assert "en-de 13a" in said
    assert "en-zh zh" in said


def test_an_unknown_language_is_13a_and_said():
    found = osc.compare_texts(GERMAN["a"], GERMAN["b"], GERMAN["ref"], metrics=["bleu:tokenize=auto"]).comparisons[0]
    assert found.scores[0].value == pytest.approx(bleu(GERMAN, "a", "13a"))
    assert any("neither the files nor their names say one language, so 13a is taken" in note.text for note in found.notes)


def sgml(kind: str, languages: str, lines: list[str]) -> str:
    segments = "".join(f'<seg id="{i}">{line}</seg>' for i, line in enumerate(lines, 1))
    return f'<{kind}set setid="t" {languages} sysid="{kind}"><doc docid="d" origlang="en">{segments}</doc></{kind}set>'


def xml(language: str) -> str:
    right = segments_of(CHINESE["ref"])
    parts = [f'<src lang="en">{right}</src>', f'<ref lang="{language}">{right}</ref>']
    parts += [f'<hyp system="{name}" language="{language}">{segments_of(CHINESE[name])}</hyp>' for name in "ab"]
    return f'<?xml version="1.0"?><dataset id="t"><doc id="d" origlang="en">{"".join(parts)}</doc></dataset>'


def segments_of(lines: list[str]) -> str:
    return "<p>" + "".join(f'<seg id="{i}">{line}</seg>' for i, line in enumerate(lines, 1)) + "</p>"


def test_the_language_is_that_of_attributes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, kind in (("ref", "ref"), ("a", "tst"), ("b", "tst")):
        Path(f"{name}.sgm").write_text(sgml(kind, 'srclang="any" trglang="zh-CN"', CHINESE[name]), encoding="utf-8")
    found = compared("a.sgm", "b.sgm", "--reference", "ref.sgm")
    expected = pytest.approx([bleu(CHINESE, name, "zh") for name in "ab"])
    assert [one["value"] for one in found["scores"]] == expected
    Path("t.xml").write_text(xml("zh"), encoding="utf-8")
    found = compared("t.xml", "--reference", "t.xml")
    assert [one["value"] for one in found["scores"]] == expected
    said = " ".join(note["text"] for note in found["notes"])
    assert "is tokenised by zh: the files or their names say the language." in said
    ranked = osc.rank(["t.xml"], reference="t.xml", metric="bleu:tokenize=auto")
    assert dict(zip(ranked.systems, (one.value for one in ranked.scores), strict=True)) == pytest.approx(
        {name: bleu(CHINESE, name, "zh") for name in "ab"}
    )


def test_attributes_that_do_not_agree_are_13a_and_said(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, kind, language in (("ref", "ref", "de"), ("a", "tst", "ja"), ("b", "tst", "de")):
        Path(f"{name}.sgm").write_text(sgml(kind, f'srclang="en" trglang="{language}"', GERMAN[name]), encoding="utf-8")
    found = compared("a.sgm", "b.sgm", "--reference", "ref.sgm")
    assert [one["value"] for one in found["scores"]] == pytest.approx([bleu(GERMAN, name, "13a") for name in "ab"])
    assert any("neither the files nor their names say one language" in note["text"] for note in found["notes"])
