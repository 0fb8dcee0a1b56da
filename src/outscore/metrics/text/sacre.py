"""What BLEU, chrF and TER share of sacreBLEU (Post, 2018), and its tokenisers, which other metrics use too."""

from __future__ import annotations

from collections.abc import Callable

from outscore.errors import OutscoreError
from outscore.metrics.text.entry import Foreign, Lines, References, load
from outscore.options import Option

__all__ = ["LOWERCASE", "TOKENIZE", "corpus_score", "scorer", "signature_of", "tokeniser"]

# Those that work from what is installed: sentence-piece models would be fetched from the network on first use.
TOKENISERS = ("13a", "none", "intl", "char", "zh", "ja-mecab", "ko-mecab")
TOKENIZE = Option("tokenize", str, "13a", "sacreBLEU's tokeniser; none splits at spaces", choices=TOKENISERS)
LOWERCASE = Option("lowercase", bool, False, "ignore case")


def scorer(kind: str, metric: str, **settings: object) -> Foreign:
    """A scorer of sacreBLEU: `kind` is BLEU, CHRF or TER."""
    made: Callable[..., Foreign] = getattr(load("sacrebleu.metrics", metric), kind)
    try:
        return made(**settings)
    except RuntimeError as error:
        # sacreBLEU's message names the extra that brings the missing tokeniser.
        raise OutscoreError(f"{metric} cannot tokenise with `{settings['tokenize']}`: {error}") from None


def corpus_score(scorer: Foreign, hypotheses: Lines, references: References) -> float:
    """SacreBLEU's own score of a corpus."""
    return float(scorer.corpus_score(list(hypotheses), [list(lines) for lines in references]).score)


def signature_of(scorer: Foreign, name: str, references: int) -> str:
    """The signature as sacreBLEU prints it; the number of references is otherwise known only after scoring."""
    scorer.num_refs = references
    return f"{name}|{scorer.get_signature().format()}"


def tokeniser(name: str, metric: str, *, lowercase: bool) -> Callable[[str], list[str]]:
    """Words of a line as BLEU sees them."""
    split: Callable[[str], str] = scorer("BLEU", metric, tokenize=name).tokenizer

    def words(line: str) -> list[str]:
        return split((line.lower() if lowercase else line).rstrip()).split()

    return words
