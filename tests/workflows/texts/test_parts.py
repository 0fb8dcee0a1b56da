"""What a score is made of, the source beside examples, and lengths where no spaces stand between words."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sacrebleu")

import jiwer
import sacrebleu

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.workflows.requests.compare import TextsRequest
from outscore.workflows.texts.labels import length_bands
from outscore.workflows.texts.run import run

REFERENCE = [
    "the cat sat on the mat today",
    "it was late and dark outside",
    "we all go home now",
    "see you very soon my friend",
]
A = ["the cat sat on the mat", "it was late and dark outside", "we go home now", "see you very soon my friend"]
B = ["a cat sat on mat today", "it was dark and late out there", "we all go home right now", "see you soon friend"]


def compared(*metrics: str, a=A, b=B, **asked):
    return osc.compare_texts(a, b, REFERENCE, metrics=list(metrics), **asked).comparisons


class TestParts:
    @pytest.mark.parametrize("metric", ["bleu", "bleu:smooth_method=floor", "bleu:max_ngram_order=2"])
    def test_bleu_is_that_of_sacrebleu(self, metric):
        (found,) = compared(metric)
        asked = {"smooth_method=floor": {"smooth_method": "floor"}, "max_ngram_order=2": {"max_ngram_order": 2}}
        scorer = sacrebleu.BLEU(**asked.get(metric.partition(":")[2], {}))
        parts = {part.name: (part.a, part.b) for part in found.parts}
        for place, lines in enumerate((A, B)):
            whole = scorer.corpus_score(lines, [REFERENCE])
            assert parts["length ratio"][place] == pytest.approx(whole.ratio)
            assert parts["brevity penalty"][place] == pytest.approx(whole.bp)
            precisions = [values[place] for name, values in parts.items() if "precision" in name]
            assert precisions == pytest.approx(whole.precisions)

    def test_error_rates_add_up(self):
        (found,) = compared("wer")
        for place, lines in enumerate((A, B)):
            whole = jiwer.process_words(REFERENCE, lines)
            words = whole.hits + whole.substitutions + whole.deletions
            parts = {part.name: (part.a, part.b)[place] for part in found.parts}
            assert parts["substitutions"] == pytest.approx(whole.substitutions / words)
            assert sum(parts.values()) == pytest.approx(found.scores[place].value)

    def test_means_over_runs_and_datasets(self):
        (runs,) = compared("bleu", a=[A, B], b=[B, B])
        one, other = compared("bleu")[0].parts, compared("bleu", a=B)[0].parts
        assert [p.a for p in runs.parts] == pytest.approx([(p.a + q.a) / 2 for p, q in zip(one, other, strict=True)])
        (sets,) = compared("bleu", dataset=["x", "x", "y", "y"])
        halves = [
            osc.compare_texts(A[i : i + 2], B[i : i + 2], REFERENCE[i : i + 2], metrics=["bleu"]).comparisons[0] for i in (0, 2)
        ]
        wanted = [np.mean(values) for values in zip(*([p.a for p in c.parts] for c in halves), strict=True)]
        assert [p.a for p in sets.parts] == pytest.approx(wanted)

    def test_the_report_says_it_and_files_keep_it(self, tmp_path):
        both = osc.compare_texts(A, B, REFERENCE, metrics=["bleu", "chrf"])
        text = both.to_text()
        assert "length ratio" in text
        assert "brevity penalty" in text
        assert osc.load(both.save(tmp_path / "r.json")) == both
        assert "brevity penalty" in both.comparisons[0].to_html()
        assert both.comparisons[1].parts == []


@pytest.mark.usefixtures("folder")
class TestSource:
    SOURCE = ("die Katze sass", "es war spät", "wir gehen heim", "bis bald <b>")

    @pytest.fixture
    def folder(self, tmp_path, monkeypatch) -> Path:
        monkeypatch.chdir(tmp_path)
        for name, lines in {"ref": REFERENCE, "a": A, "b": B, "src": self.SOURCE}.items():
            Path(f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return tmp_path

    def test_a_table_says_it(self):
        rows = [{"src": s, "ref": r, "mt": m} for s, r, m in zip(self.SOURCE, REFERENCE, A, strict=True)]
        Path("a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        found = run(TextsRequest.from_written({"files": ["a.jsonl", "b.txt"], "reference": ["a.jsonl"], "metric": "bleu"}))
        self.check_parts(found)

    def test_a_file_says_it(self):
        asked = {"files": ["a.txt", "b.txt"], "reference": ["ref.txt"], "metric": "bleu", "source": "src.txt"}
        found = run(TextsRequest.from_written(asked))
        self.check_parts(found)
        assert found == osc.compare_texts("a.txt", "b.txt", "ref.txt", metrics=["bleu"], source="src.txt")
        by_hand = osc.compare_texts(A, B, REFERENCE, metrics=["bleu"], source=list(self.SOURCE))
        assert by_hand.comparisons[0].segments == found.comparisons[0].segments
        assert any(one["path"].endswith("src.txt") for one in found.settings["inputs"])
        Path("src.txt").write_text("one line\n")
        with pytest.raises(OutscoreError, match=r"`src\.txt` has 1 segment, `ref\.txt` has 4"):
            run(TextsRequest.from_written(asked))

    def check_parts(self, found):
        shown = {segment.item: segment.source for segment in found.comparisons[0].segments}
        assert shown["segment 1"] == "die Katze sass"
        assert re.search(r"source +wir gehen heim\n +reference +we all go home", found.to_text())
        assert "bis bald &lt;b&gt;" in found.to_html()
        assert osc.load(found.save("r.json")) == found

    def test_without_a_source_nothing_is_said(self):
        found = compared("bleu")[0]
        assert {segment.source for segment in found.segments} == {None}
        assert "source" not in found.to_text().split("Segments that moved")[1]


def test_lengths_of_writing_without_spaces_are_counted_by_characters():
    assert length_bands(["猫坐在垫子上了今天下午三点钟", "今日は 雨", "a b c", "猫 sat here"]) == [
        "11-20",
        "1-10",
        "1-10",
        "1-10",
    ]
    assert length_bands(["이것은 문장입니다"]) == ["1-10"]
