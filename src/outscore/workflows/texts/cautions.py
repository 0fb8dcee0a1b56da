"""Warnings about texts whose scores mean less than they seem to: shown beside the verdict, because no number reveals it."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence

from outscore.core.brief import count_of
from outscore.core.options import OptionValue
from outscore.language.phrases import equals_gold
from outscore.metrics.text.entry import TextMetric
from outscore.metrics.text.ngrams import SPACELESS
from outscore.results.note import Note

Lines = Sequence[str]
Chosen = Sequence[tuple[TextMetric, Mapping[str, OptionValue]]]

_BY_SPACES = ("13a", "none", "intl", "rouge")
"""Tokenisers that need spaces between words."""
SPACELESS_SHARE, TOKENISED_SHARE, NORMAL_SHARE, STEMMED_SHARE = 0.3, 0.5, 0.02, 0.02
FEWEST = 3
"""The number of lines from which a habit of writing is not just chance."""


def cautions(chosen: Chosen, systems: Mapping[str, Sequence[Lines]], references: Sequence[Lines]) -> list[Note]:
    """Warnings for these metrics on these texts; `systems` holds the runs of each.

    Examples
    --------
    >>> from outscore.metrics.text.registry import text_metric
    >>> lines = ["this is tokenised .", "so is this ."] * 2
    >>> print(cautions([text_metric("bleu")], {"A": [lines], "B": [lines]}, [lines])[-1])
    BLEU separates words from punctuation, but these texts are already tokenised (A, B and the reference): ...
    """
    texts = {name: [line for run in runs for line in run] for name, runs in systems.items()}
    gold = [line for lines in references for line in lines]
    texts_of_notes = [
        _tokenised(chosen, texts, gold),
        _spaceless(chosen, gold),
        _unlike_forms(texts, gold),
        _stemmed(chosen, gold),
    ]
    texts_of_notes.append(_unbroken(chosen, texts, gold))
    beware = [Note("reading", text) for text in texts_of_notes if text]
    warned = [*_given_twice(systems, references), *_missing_references(references)]
    return [*(Note("warning", text) for text in warned), *beware]


def _missing_references(references: Sequence[Lines]) -> list[str]:
    """How many lines of several references are blank, which segments then lack."""
    held = [[bool(line.strip()) for line in of_segment] for of_segment in zip(*references, strict=True)]
    blank = sum(of_segment.count(False) for of_segment in held if any(of_segment))
    if not blank:
        return []
    lines = f"{count_of(blank, 'blank line')} in {len(references)} references"
    return [f"{lines}: these are taken as missing references of their segments, not as empty ones."]


def _given_twice(systems: Mapping[str, Sequence[Lines]], references: Sequence[Lines]) -> list[str]:
    """Systems whose every segment is that of a reference."""
    return [
        equals_gold(name, len(runs[0]), "segments", "the reference")
        for name, runs in systems.items()
        if any(len(run) and list(run) == list(lines) for run in runs for lines in references)
    ]


def _named(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _tokenised(chosen: Chosen, texts: Mapping[str, Lines], gold: Lines) -> str:
    """SacreBLEU warns here too: tokenising texts twice gives scores that nobody else can reproduce."""
    labels = [entry.label for entry, options in chosen if options.get("tokenize") == "13a"]
    if not labels:
        return ""
    split = [name for name, lines in {**texts, "the reference": gold}.items() if _ends_tokenised(lines)]
    if not split:
        return ""
    verb = "separates" if len(labels) == 1 else "separate"
    return (
        f"{_named(labels)} {verb} words from punctuation, but these texts are already tokenised ({_named(split)}): "
        "give untokenised texts, or set tokenize=none."
    )


def _ends_tokenised(lines: Lines) -> bool:
    ends = [line.rstrip() for line in lines]
    full_stops = sum(line.endswith(".") for line in ends)
    apart = sum(line.endswith(" .") for line in ends)
    return apart >= FEWEST and apart > TOKENISED_SHARE * full_stops


def _spaceless(chosen: Chosen, gold: Lines) -> str:
    """Without spaces a whole sentence is one word, which hardly ever matches."""
    by_spaces = [entry.label for entry, options in chosen if _needs_spaces(entry, options)]
    text = "".join(gold)
    # Most texts have no such character, and this is faster than counting letters.
    if not by_spaces or not SPACELESS.search(text):
        return ""
    letters = sum(map(str.isalpha, text))
    if not letters or len(SPACELESS.findall(text)) < SPACELESS_SHARE * letters:
        return ""
    cure = "set tokenize=zh, ja-mecab or char, or use chrF"
    if {"TER", "WER"} & set(by_spaces):
        cure = f"{cure}; use CER instead of WER, and ter:normalized=true:asian_support=true to split characters"
    verb = "splits" if len(by_spaces) == 1 else "split"
    return f"The reference is written without spaces between words, but {_named(by_spaces)} {verb} words at spaces: {cure}."


def _needs_spaces(entry: TextMetric, options: Mapping[str, OptionValue]) -> bool:
    if "tokenize" in options:
        return options["tokenize"] in _BY_SPACES
    if "asian_support" in options:
        return not (options["asian_support"] and options["normalized"])
    return entry.name == "wer"


def _unlike_forms(texts: Mapping[str, Lines], gold: Lines) -> str:
    """Letters with accents can be written as one character (NFC) or as two (NFD), which look the same and never match."""
    shares = {name: _decomposed(lines) for name, lines in {**texts, "the reference": gold}.items()}
    low, high = min(shares.values()), max(shares.values())
    if high - low < NORMAL_SHARE:
        return ""
    different = [name for name, share in shares.items() if share - low >= NORMAL_SHARE]
    verb = "writes" if len(different) == 1 else "write"
    return (
        f"{_named(different)} {verb} accents as separate characters (Unicode NFD) in up to {100 * high:.0f}% of the "
        "segments, and other texts do not, so the same words do not match. Save all files in NFC."
    )


def _decomposed(lines: Lines) -> float:
    unlike = sum(not line.isascii() and not unicodedata.is_normalized("NFC", line) for line in lines)
    return unlike / max(1, len(lines))


def _stemmed(chosen: Chosen, gold: Lines) -> str:
    """METEOR stems English unless told otherwise; letters that English has not are the sign of another language."""
    labels = [entry.label for entry, options in chosen if options.get("language") == "english"]
    if not labels:
        return ""
    letters = [character for line in gold for character in line if character.isalpha()]
    foreign = sum(not character.isascii() for character in letters)
    if foreign <= STEMMED_SHARE * len(letters):
        return ""
    return f"{_named(labels)} stems words as English, but the reference does not look English: set language=german or another."


def _unbroken(chosen: Chosen, texts: Mapping[str, Lines], gold: Lines) -> str:
    """ROUGE-Lsum splits sentences at line breaks, which a segment of a plain file cannot contain."""
    labels = [entry.label for entry, options in chosen if options.get("split") == "newline"]
    if not labels or any("\n" in line for lines in (*texts.values(), gold) for line in lines):
        return ""
    return f"No segment contains a line break, so {_named(labels)} treats each as one sentence: set split=stop."
