"""Files of texts: the same answer whatever they are written in, and the same meaning for two systems and for many."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("sacrebleu")

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.workflows.rank.run import run as run_rank
from outscore.workflows.requests.compare import TextsRequest
from outscore.workflows.requests.rank import RankRequest, ScoreRequest
from outscore.workflows.texts.inputs import read_text_files
from outscore.workflows.texts.run import run

REFERENCE = ["the cat sat on the mat", "it was late & dark", "we go home now", "all is well that ends well", "see you soon"]
A = ["the cat sat on a mat", "it was late & dark", "we go home", "all is well", "see you soon"]
B = ["a cat is on mat", "it late", "we go", "is well that ends", "see me soon"]


def sgml(lines: list[str], kind: str, system: str, order: list[int] | None = None) -> str:
    segments = [f'<doc docid="d{i % 2}.{i}" sysid="{system}"><seg id="{i}">{lines[i]}</seg></doc>\n' for i in range(len(lines))]
    return f'<{kind} setid="x">\n' + "".join(segments[i] for i in order or range(len(lines))) + f"</{kind}>\n"


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, lines in {"ref": REFERENCE, "a": A, "b": B}.items():
        Path(f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def compared(files: list[str], reference: list[str], **asked: str):
    return run(TextsRequest.from_written({"files": files, "reference": reference, "metric": "bleu", **asked})).comparisons[0]


def scores(c):
    return [(one.system, round(one.value, 6)) for one in c.scores]


def test_every_format_gives_the_scores_of_plain_text(folder):
    plain = [round(one.value, 6) for one in compared(["a.txt", "b.txt"], ["ref.txt"]).scores]
    Path("ref.sgm").write_text(sgml(REFERENCE, "refset", "ref"))
    Path("a.sgm").write_text(sgml(A, "tstset", "sysA"))
    Path("b.sgm").write_text(sgml(B, "tstset", "sysB", [3, 1, 0, 4, 2]))
    found = compared(["a.sgm", "b.sgm"], ["ref.sgm"])
    assert scores(found) == [("sysA", plain[0]), ("sysB", plain[1])]
    said = " ".join(note.text for note in found.notes)
    assert "was read as SGML: 5 segments, 1 system" in said
    assert "`b.sgm` were reordered by id to match `ref.sgm`" in said
    Path("a.jsonl").write_text("".join(json.dumps({"mt": a, "ref": r}) + "\n" for a, r in zip(A, REFERENCE, strict=True)))
    assert scores(compared(["a.jsonl", "b.txt"], ["a.jsonl"])) == [("a", plain[0]), ("b", plain[1])]
    rows = [f"{s}\t{r}\t{h}\n" for s, h_s in (("X", A), ("Y", B)) for r, h in zip(REFERENCE, h_s, strict=True)]
    Path("t.tsv").write_text("system\tref\thyp\n" + "".join(rows))
    assert scores(compared(["t.tsv"], ["t.tsv"])) == [("X", plain[0]), ("Y", plain[1])]
    assert scores(compared(["t.tsv"], ["t.tsv"], system=["Y", "X"])) == [("Y", plain[1]), ("X", plain[0])]
    ranked = run_rank(RankRequest.from_written({"files": ["t.tsv"], "reference": ["t.tsv"], "metric": "bleu"}))
    assert ranked.systems == ["X", "Y"]
    assert osc.compare_texts("a.sgm", "b.sgm", "ref.sgm", metrics=["bleu"]).comparisons[0].scores[0].value == pytest.approx(
        plain[0]
    )


def test_documents_come_from_the_file_that_names_them(folder):
    Path("ref.sgm").write_text(sgml(REFERENCE, "refset", "ref"))
    assert compared(["a.txt", "b.txt"], ["ref.sgm"], documents="ref.sgm").clusters == 5
    with pytest.raises(OutscoreError, match="does not say which document"):
        compared(["a.txt", "b.txt"], ["ref.txt"], documents="ref.txt")


def test_segments_that_differ_by_id_are_refused(folder):
    Path("ref.sgm").write_text(sgml(REFERENCE, "refset", "ref"))
    Path("a.sgm").write_text(sgml(A, "tstset", "sysA").replace('<seg id="2">', '<seg id="7">'))
    with pytest.raises(OutscoreError, match=r"`a\.sgm` has no segment `d0\.2: 2`, but `ref\.sgm` does"):
        compared(["a.sgm", "b.txt"], ["ref.sgm"])


def test_a_pattern_stands_for_runs_of_one_system_in_both_commands(folder):
    for system, lines in (("new", A), ("old", B), ("odd", A)):
        for k in range(3):
            Path(f"{system}.{k}").write_text("\n".join(lines[k:] + lines[:k]) + "\n")
    patterns = ["new.*", "old.*", "odd.*"]
    assert {
        name: len(runs)
        for name, runs in read_text_files(ScoreRequest(files=tuple(patterns), reference=("ref.txt",))).systems.items()
    } == {
        "new": 3,
        "old": 3,
        "odd": 3,
    }
    both = compared(patterns[:2], ["ref.txt"])
    ranked = run_rank(RankRequest.from_written({"files": patterns, "reference": ["ref.txt"], "metric": "bleu"}))
    score = dict(zip(ranked.systems, (row.value for row in ranked.scores), strict=True))
    assert [score["new"], score["old"]] == pytest.approx([one.value for one in both.scores])
    with pytest.raises(OutscoreError, match="leave the quotes out"):
        run_rank(RankRequest.from_written({"files": ["new.*"], "reference": ["ref.txt"], "metric": "bleu"}))


def test_names_are_whole_file_names_where_stems_collide(folder):
    for name in ("out.new", "out.old"):
        Path(name).write_text(Path("a.txt").read_text())
    assert compared(["out.new", "out.old"], ["ref.txt"]).systems == ("out.new", "out.old")


def test_a_table_of_three_systems_asks_which_two(folder):
    rows = [f"{s}\t{r}\t{r}\n" for s in "XYZ" for r in REFERENCE]
    Path("t.tsv").write_text("system\tref\thyp\n" + "".join(rows))
    with pytest.raises(OutscoreError, match="3 systems found, but two are needed: `X`, `Y`, `Z`"):
        compared(["t.tsv"], ["t.tsv"])
