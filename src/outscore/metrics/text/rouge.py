"""ROUGE-1, ROUGE-2, ROUGE-L and ROUGE-Lsum (Lin, 2004): the mean of the segments' F-measures, as rouge-score computes them.

Its own tokeniser keeps a-z and 0-9 only: for other alphabets choose one of sacreBLEU's. ROUGE-Lsum compares summaries sentence
by sentence; plain files, which hold a summary per line, leave full stops to tell sentences apart.
"""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np

from outscore.core.numeric import Array
from outscore.core.options import Option
from outscore.metrics.entry import Options
from outscore.metrics.text import sacre
from outscore.metrics.text.entry import Foreign, Lines, References, TextMetric, load, segment_mean, segments, to_rows, version

OWN = "rouge"
# Shorter words have no ending to lose, as in ROUGE-1.5.5.
MIN_STEMMED = 4

ROUGE_OPTIONS = (
    Option("tokenize", str, OWN, "rouge keeps a-z and 0-9 only; the others are sacreBLEU's", choices=(OWN, *sacre.TOKENISERS)),
    Option("use_stemmer", bool, False, "compare English words by their stems"),
)


SPLIT = Option(
    "split",
    str,
    "newline",
    "where sentences end: newline, at line breaks within a segment; stop, after full stops, question and exclamation marks",
    choices=("newline", "stop"),
)
_STOP = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*")


def _tokeniser(options: Options, metric: str) -> Foreign:
    """What rouge-score takes for a tokeniser; each distinct word is stemmed once."""
    stemmer = sacre.stemmer(metric) if options["use_stemmer"] else None
    if options["tokenize"] == OWN:
        split = load("rouge_score.tokenize", metric).tokenize
        return SimpleNamespace(tokenize=lambda text: split(text, stemmer))
    words = sacre.tokeniser(str(options["tokenize"]), metric, lowercase=True)
    stem = stemmer.stem if stemmer else str
    return SimpleNamespace(tokenize=lambda text: [stem(w) if len(w) >= MIN_STEMMED else w for w in words(text)])


def _sentences(lines: Lines, options: Options) -> Lines:
    r"""Segments with a line break between sentences, which is where rouge-score parts them.

    Examples
    --------
    >>> _sentences(["It rained 3.5 mm. Who knew?"], {"split": "stop"})
    ['It rained 3.5 mm.\nWho knew?']
    """
    if options.get(SPLIT.name) != "stop":
        return lines
    return ["\n".join(part for part in _STOP.split(line) if part) for line in lines]


def _f_measures(name: str, scorer: Foreign, hypotheses: Lines, references: References) -> list[float]:
    """The F-measure of each segment against its best reference."""
    pairs = segments(hypotheses, references)
    return [float(scorer.score_multi(list(others), line)[name].fmeasure) for line, others in pairs]


MEAN_F1 = r"\frac{1}{n} \sum_{i} \frac{2 P_i R_i}{P_i + R_i}"


def _entry(name: str, summary: str, units: str, *, more: tuple[Option, ...] = ()) -> TextMetric:
    def scorer(**settings: object) -> Foreign:
        return load("rouge_score.rouge_scorer", name).RougeScorer([name], **settings)

    def statistics(hypotheses: Lines, references: References, options: Options, _: object = None) -> Array:
        texts, *golds = (_sentences(lines, options) for lines in (hypotheses, *references))
        return to_rows(_f_measures(name, scorer(tokenizer=_tokeniser(options, name)), texts, golds))

    def corpus_score(hypotheses: Lines, references: References, options: Options) -> float:
        # With its own tokeniser the library is asked without ours.
        own = options["tokenize"] == OWN
        rouge = scorer(use_stemmer=options["use_stemmer"]) if own else scorer(tokenizer=_tokeniser(options, name))
        texts, *golds = (_sentences(lines, options) for lines in (hypotheses, *references))
        return float(np.mean(_f_measures(name, rouge, texts, golds)))

    def signature(options: Options, references: int | str) -> str:
        words = f"tok:{options['tokenize']}|stem:{'porter' if options['use_stemmer'] else 'no'}"
        if more:
            words += f"|split:{options[SPLIT.name]}"
        versions = f"rouge-score:{version('rouge-score', name)}"
        if options["tokenize"] != OWN:
            versions += f"|sacrebleu:{version('sacrebleu', name)}"
        return f"{name}|nrefs:{references}|case:lc|{words}|score:fmeasure|{versions}"

    return TextMetric(
        name=name,
        label=name.replace("rouge", "ROUGE-"),
        summary=summary,
        formula=rf"{MEAN_F1} , P , R \text{{ of {units}}}",
        citations=("lin2004",),
        direction="higher",
        unit="fraction",
        library="rouge-score",
        statistics=statistics,
        make=lambda _: segment_mean(name),
        signature=signature,
        corpus_score=corpus_score,
        options=(*ROUGE_OPTIONS, *more),
    )


ENTRIES = (
    _entry("rouge1", "mean of the segments' F-measure of words", "single words"),
    _entry("rouge2", "mean of the segments' F-measure of word pairs", "pairs of words"),
    _entry(
        "rougeL",
        "mean of the segments' F-measure of the longest common subsequence",
        "the longest common subsequence",
    ),
    _entry(
        "rougeLsum",
        "mean of the segments' F-measure of common subsequences, sentence by sentence",
        "common subsequences of each sentence with all others",
        more=(SPLIT,),
    ),
)
