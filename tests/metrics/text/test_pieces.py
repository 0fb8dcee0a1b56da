"""spBLEU: BLEU over the pieces of a sentencepiece model that is named, and nothing from the network."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

import pytest

pytest.importorskip("sacrebleu")

import sacrebleu

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.metrics.text.registry import shown_name, text_metric
from outscore.web.form import form

REFERENCE = ["the cat sat on the mat", "it was late and dark", "we all go home"]
A = ["the cat sat on a mat", "it was late and dark", "we go home now"]
B = ["a cat is on mat", "it was dark", "we all went home"]
INSTALLED = importlib.util.find_spec("sentencepiece") is not None


class Thirds:
    """Stands in for the library: pieces of three characters."""

    def __init__(self, model_file: str) -> None:
        if model_file.endswith("broken.model"):
            raise RuntimeError("not a model")

    def encode(self, line: str, out_type: type) -> list[str]:
        assert out_type is str
        marked = line.replace(" ", "▁")
        return [marked[i : i + 3] for i in range(0, len(marked), 3)]


@pytest.fixture
def model(tmp_path, monkeypatch):
    stub = ModuleType("sentencepiece")
    stub.SentencePieceProcessor = Thirds
    monkeypatch.setitem(sys.modules, "sentencepiece", stub)
    path = tmp_path / "thirds.model"
    path.write_bytes(b"a model")
    (tmp_path / "broken.model").write_bytes(b"another")
    return path


@pytest.mark.parametrize("written", ["spbleu:model={}", "spBLEU:model={}", "bleu:tokenize=spm:model={}"])
def test_it_is_bleu_of_the_pieces(model, written):
    (found,) = osc.compare_texts(A, B, REFERENCE, metrics=[written.format(model)]).comparisons
    cut = [[" ".join(Thirds("").encode(line, str)) for line in lines] for lines in (A, B, REFERENCE)]
    for score, lines in zip(found.scores, cut[:2], strict=True):
        assert score.value == pytest.approx(sacrebleu.BLEU(tokenize="none").corpus_score(lines, [cut[2]]).score)
    assert found.metric == "spBLEU"
    assert "tok:spm[thirds," in str(found.signature)


def test_another_model_is_another_score(model):
    other = model.with_name("other.model")
    other.write_bytes(b"another model")
    made = [text_metric(f"spbleu:model={path}") for path in (model, other)]
    assert len({entry.signature(options, 1) for entry, options in made}) == 2


def test_what_is_missing_is_said(model, monkeypatch):
    for spec, said in (
        ("spbleu", "needs its sentencepiece model"),
        ("spbleu:model=absent.model", "no sentencepiece model `absent.model`"),
        (f"spbleu:model={model.with_name('broken.model')}", "is not a sentencepiece model"),
    ):
        with pytest.raises(OutscoreError, match=said) as refused:
            osc.compare_texts(A, B, REFERENCE, metrics=[spec])
        assert "spbleu:model=FILE" in refused.value.hint
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(OutscoreError, match="sentencepiece must be installed") as refused:
        osc.compare_texts(A, B, REFERENCE, metrics=[f"spbleu:model={model}"])
    assert "outscore[spm]" in refused.value.hint


def test_its_name_keeps_other_options():
    assert shown_name("spbleu:model=x:lowercase=true") == "spBLEU (lowercase=true)"
    assert shown_name("sentence-bleu:tokenize=spm:model=x") == "sentence-spBLEU"


def test_the_page_asks_for_no_file_of_the_server():
    assert not [field.name for field in form("texts") if field.name.endswith(".model")]


@pytest.mark.skipif(not INSTALLED, reason="sentencepiece is not installed")
def test_a_real_model_gives_what_sacrebleu_gives(tmp_path):
    import sentencepiece
    from sacrebleu.tokenizers.tokenizer_spm import TokenizerSPM

    text = tmp_path / "train.txt"
    text.write_text("\n".join((REFERENCE + A + B) * 20))
    prefix = str(tmp_path / "small")
    sentencepiece.SentencePieceTrainer.train(
        input=str(text), model_prefix=prefix, vocab_size=40, hard_vocab_limit=False, minloglevel=2
    )
    (found,) = osc.compare_texts(A, B, REFERENCE, metrics=[f"spbleu:model={prefix}.model"]).comparisons
    tokeniser = TokenizerSPM.__new__(TokenizerSPM)
    tokeniser.sp = sentencepiece.SentencePieceProcessor(model_file=f"{prefix}.model")
    peer = sacrebleu.BLEU(tokenize="none")
    peer.tokenizer = tokeniser
    wanted = [peer.corpus_score(lines, [REFERENCE]).score for lines in (A, B)]
    assert [score.value for score in found.scores] == pytest.approx(wanted)
