"""What BLEU, chrF and TER share of sacreBLEU (Post, 2018), and its tokenisers, which other metrics use too."""

from __future__ import annotations

from collections.abc import Callable

from outscore.core.errors import OutscoreError
from outscore.core.options import Option
from outscore.metrics.text.entry import Foreign, Lines, References, load, version_of

__all__ = ["LOWERCASE", "TOKENIZE", "case", "corpus_score", "scorer", "signature", "tokeniser", "tokeniser_mark"]

# Those that work from what is installed: sentence-piece models would be fetched from the network on first use.
WITH_DICTIONARY = ("ja-mecab", "ko-mecab")
TOKENISERS = ("13a", "none", "intl", "char", "zh", *WITH_DICTIONARY)
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


def signature(name: str, references: int, **fields: object) -> str:
    """The signature as sacreBLEU prints it, written here because loading sacreBLEU takes longer than reading the cache.

    Examples
    --------
    >>> signature("TER", 2, case="lc", norm=False).rpartition("|")[0]
    'TER|nrefs:2|case:lc|norm:no'
    """
    told = (f"{key}:{('no', 'yes')[value] if isinstance(value, bool) else value}" for key, value in fields.items())
    return "|".join([name, f"nrefs:{references}", *told, f"version:{version_of('sacrebleu', name)}"])


def case(*, lowercase: object) -> str:
    """How a signature names capitals that count, or do not."""
    return "lc" if lowercase else "mixed"


def tokeniser_mark(name: str, metric: str) -> str:
    """How a signature names a tokeniser; those with a dictionary know its version only once they are loaded."""
    return str(scorer("BLEU", metric, tokenize=name).tokenizer.signature()) if name in WITH_DICTIONARY else name


def tokeniser(name: str, metric: str, *, lowercase: bool) -> Callable[[str], list[str]]:
    """Words of a line as BLEU sees them."""
    split: Callable[[str], str] = scorer("BLEU", metric, tokenize=name).tokenizer

    def words(line: str) -> list[str]:
        return split((line.lower() if lowercase else line).rstrip()).split()

    return words
