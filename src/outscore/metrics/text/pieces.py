"""Pieces of words by a sentencepiece model from a file: spBLEU is BLEU over those of FLORES (Goyal et al., 2022).

SacreBLEU would fetch the model from the network. Here the user names its file, and its fingerprint is part of the signature.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from outscore.core.errors import OutscoreError
from outscore.core.options import OptionValue
from outscore.metrics.text.entry import Foreign, load

__all__ = ["SPM", "Pieces", "mark", "of_model"]

SPM = "spm"
HINT = "Write spbleu:model=FILE; FLORES-200's is at https://tinyurl.com/flores200sacrebleuspm."


class Pieces:
    """A tokeniser as sacreBLEU takes it: a line to its pieces with spaces between them."""

    def __init__(self, processor: Foreign) -> None:
        self._processor = processor

    def __call__(self, line: str) -> str:
        """The pieces of a line."""
        return " ".join(self._processor.encode(line, out_type=str))


def of_model(model: OptionValue) -> Pieces:
    """The tokeniser of a model file."""
    return _loaded(str(_file(model)))


def mark(model: OptionValue) -> str:
    """How a signature names the model: by its file, and the beginning of its fingerprint."""
    path = _file(model)
    return f"spm[{path.stem},{_fingerprint(str(path))}]"


def _file(model: OptionValue) -> Path:
    if model is None:
        raise OutscoreError("BLEU with tokenize=spm needs its sentencepiece model.", HINT, parameter="metric")
    path = Path(str(model))
    if not path.is_file():
        raise OutscoreError(f"There is no sentencepiece model `{model}`.", HINT, parameter="metric")
    return path


@cache
def _fingerprint(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:8]


@cache
def _loaded(path: str) -> Pieces:
    library = load("sentencepiece", "spbleu", extra="spm")
    try:
        return Pieces(library.SentencePieceProcessor(model_file=path))
    except (RuntimeError, OSError):
        raise OutscoreError(f"`{path}` is not a sentencepiece model.", HINT, parameter="metric") from None
