"""What BLEU, chrF and TER share of sacreBLEU (Post, 2018); its tokenisers and a stemmer serve other metrics too.

A sentencepiece model from a file cuts words into pieces: spBLEU is BLEU over those of FLORES (Goyal et al., 2022). SacreBLEU
would fetch the model from the network. Here its file is named, and its fingerprint stands in the signature.
"""

from __future__ import annotations

import hashlib
import string
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.options import Option, OptionValue
from outscore.metrics.entry import Options
from outscore.metrics.text.entry import Foreign, Lines, References, TextMetric, load, version

# Those that work from what is installed: sentencepiece models would be fetched from the network on first use, so
# that BLEU takes one from a file.
WITH_DICTIONARY = ("ja-mecab", "ko-mecab")
TOKENISERS = ("13a", "none", "intl", "char", "zh", *WITH_DICTIONARY)
AUTO = "auto"
"""The tokeniser of the language that names of files or test sets say."""
BY_LANGUAGE = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
TOKENIZE = Option("tokenize", str, "13a", "sacreBLEU's tokeniser; none splits at spaces", choices=TOKENISERS)
MARKS = frozenset(string.punctuation) - frozenset("'-")
"""What 13a splits off the word in front of it."""
MAX_CHUNKS, MAX_LINES = 2**18, 2**16
"""What is remembered of texts."""
LOWERCASE = Option("lowercase", bool, False, "ignore case")
SPM = "spm"
HINT = "Write spbleu:model=FILE; FLORES-200's is at https://tinyurl.com/flores200sacrebleuspm."


def corpus_metric(
    library_scorer: Callable[[Options], Foreign],
    *,
    citation: str,
    times_references: bool = False,
    **given: Any,  # noqa: ANN401 - the other fields of the entry
) -> TextMetric:
    """A metric of sacreBLEU's: points of a hundred, checked against its own corpus score and cited with it.

    `times_references` says that the rows are sacreBLEU's times the number of references.
    """

    def library_rows(hypotheses: Lines, references: References, options: Options) -> Array:
        rows = segment_rows(library_scorer(options), hypotheses, references)
        whole: Array = np.rint(rows * len(references) if times_references else rows).astype(np.int64)
        return whole

    return TextMetric(
        unit="points",
        library="sacrebleu",
        corpus_score=lambda hypotheses, references, options: corpus_score(library_scorer(options), hypotheses, references),
        citations=(citation, "post2018"),
        tested_by=("sacrebleu",),
        library_rows=library_rows,
        times_references=times_references,
        **given,
    )


def scorer(kind: str, metric: str, **settings: object) -> Foreign:
    """A scorer of sacreBLEU: `kind` is BLEU, CHRF or TER."""
    return _made(getattr(load("sacrebleu.metrics", metric), kind), metric, **settings)


@lru_cache(maxsize=8)
def _made(kind: Callable[..., Foreign], metric: str, **settings: object) -> Foreign:
    """One scorer for all pieces and systems: its tokeniser remembers lines, so that references are tokenised once."""
    try:
        return kind(**settings)
    except RuntimeError as error:
        # sacreBLEU's message names the extra that brings the missing tokeniser.
        raise OutscoreError(f"{metric} cannot tokenise with `{settings['tokenize']}`: {error}") from None


def corpus_score(scorer: Foreign, hypotheses: Lines, references: References) -> float:
    """SacreBLEU's own score of a corpus."""
    return float(scorer.corpus_score(list(hypotheses), [list(lines) for lines in references]).score)


def segment_rows(scorer: Foreign, hypotheses: Lines, references: References) -> Array:
    """SacreBLEU's own statistics of each segment, in its order of columns, which is ours."""
    # Its own test of systems takes them from there, too.
    found = scorer._extract_corpus_statistics(list(hypotheses), [list(lines) for lines in references])  # noqa: SLF001
    return np.array(found, dtype=np.float64)


def signature(name: str, references: int | str, **fields: object) -> str:
    """The signature as sacreBLEU prints it, written here because loading sacreBLEU takes longer than reading the cache.

    Examples
    --------
    >>> signature("TER", 2, case="lc", norm=False).rpartition("|")[0]
    'TER|nrefs:2|case:lc|norm:no'
    """
    written = (f"{key}:{('no', 'yes')[value] if isinstance(value, bool) else value}" for key, value in fields.items())
    return "|".join([name, f"nrefs:{references}", *written, f"version:{version('sacrebleu', name)}"])


def case(*, lowercase: object) -> str:
    """How a signature names capitals that count, or do not."""
    return "lc" if lowercase else "mixed"


def tokeniser_mark(name: str, metric: str) -> str:
    """How a signature names a tokeniser; those with a dictionary know its version only once they are loaded."""
    return str(scorer("BLEU", metric, tokenize=name).tokenizer.signature()) if name in WITH_DICTIONARY else name


def tokeniser(name: str, metric: str, *, lowercase: bool) -> Callable[[str], list[str]]:
    """Words of a line as BLEU sees them."""
    split: Callable[[str], str] = scorer("BLEU", metric, tokenize=name).tokenizer
    return (_by_chunks if name == "13a" else words_by)(split, lowercase=lowercase)


def words_by(split: Callable[[str], str], *, lowercase: bool) -> Callable[[str], list[str]]:
    """Words of a line, split as sacreBLEU splits them with one of its tokenisers."""
    return lambda line: split((line.lower() if lowercase else line).rstrip()).split()


class Chunks(dict[str, tuple[str, ...]]):
    """The words of each chunk between spaces, by 13a: split once, wherever it occurs.

    Its rules look at a character and its neighbour, and treat a space like any other character that is not a digit: they do
    not reach from one word into the next. Letters and digits stay as they are, and one mark behind them is a word of its own.
    """

    def __init__(self, split: Callable[[str], str]) -> None:
        super().__init__()
        self._split = split

    def __missing__(self, chunk: str) -> tuple[str, ...]:
        if len(self) >= MAX_CHUNKS:
            self.clear()
        body, mark = chunk[:-1], chunk[-1]
        if chunk.isalnum():
            words: tuple[str, ...] = (chunk,)
        elif mark in MARKS and body.isalnum():
            words = (body, mark)
        else:
            words = tuple(self._split(chunk).split())
        self[chunk] = words
        return words


@lru_cache(maxsize=8)
def _by_chunks(split: Callable[[str], str], *, lowercase: bool) -> Callable[[str], list[str]]:
    """Words of a line by 13a. It remembers lines, since all systems are held against the same references."""
    whole, parts = words_by(split, lowercase=lowercase), Chunks(split)

    @lru_cache(maxsize=MAX_LINES)
    def words(line: str) -> list[str]:
        if "\n" in line:
            # A hyphen at its end joins it to the next line.
            return whole(line)
        return [word for chunk in (line.lower() if lowercase else line).split() for word in parts[chunk]]

    return words


STEMMED = (
    "danish", "dutch", "english", "finnish", "french", "german", "hungarian", "italian", "norwegian", "portuguese",
    "romanian", "russian", "spanish", "swedish",
)  # fmt: skip
"""Languages that nltk has stemmers for: Porter's own for English, Snowball's for the others."""
UNSTEMMED = "none"


def stemmer(metric: str, language: str = "english") -> Foreign:
    """What stems each distinct word once (Porter, 1980 and 2001, in nltk's versions): a test set repeats its words."""
    stem: Callable[[str], str] = str
    if language == "english":
        stem = load("nltk.stem.porter", metric).PorterStemmer().stem
    elif language != UNSTEMMED:
        stem = load("nltk.stem.snowball", metric).SnowballStemmer(language).stem
    return SimpleNamespace(stem=cache(stem))


def pieces_by(model: OptionValue) -> Callable[[str], str]:
    """The tokeniser of a model file as sacreBLEU takes it: a line to its pieces with spaces between them."""
    return _loaded(str(_file(model)))


def model_mark(model: OptionValue) -> str:
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
def _loaded(path: str) -> Callable[[str], str]:
    library = load("sentencepiece", "spbleu", extra="spm")
    try:
        processor = library.SentencePieceProcessor(model_file=path)
    except (RuntimeError, OSError):
        raise OutscoreError(f"`{path}` is not a sentencepiece model.", HINT, parameter="metric") from None
    return lambda line: " ".join(processor.encode(line, out_type=str))
