"""Two systems' texts against references: several metrics, one family, and warnings about scores that mislead."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.options import OptionValue
from outscore.core.records import count_of
from outscore.exact.binomial import log_two_sided
from outscore.formats.segments import Segments
from outscore.inference.base.influence import strongest
from outscore.inference.families import MAX_T, correct_family
from outscore.inference.originals import COMPAT, SACREBLEU_SEED
from outscore.inference.populations import ITEMS
from outscore.language.numbers import count
from outscore.language.phrases import SINGLE_RUNS, equals_gold, join_words
from outscore.language.verdict.comparison import Numbers
from outscore.metrics.registry import resolve
from outscore.metrics.text.entry import SEGMENT_COLUMNS, TextMetric
from outscore.metrics.text.ngrams import BANDS, SPACELESS, band_name, better_ngrams, count_words, frequency_rows
from outscore.metrics.text.registry import TEXT_METRICS
from outscore.results.analysis import DATASET, Bucket, WordBucket, WordStudy
from outscore.results.design import Direction, Family, ScorePart, Segment
from outscore.results.note import Note
from outscore.results.pvalue import PValue
from outscore.scores.panel import Panel, Part
from outscore.workflows.compare.arrays import compare_panel, permutation_test
from outscore.workflows.compare.evidence import favoured_by
from outscore.workflows.compare.families import as_family, compare_slices, refuse_new_runs, swap_together
from outscore.workflows.question import Question
from outscore.workflows.reading import reading_of
from outscore.workflows.requests.compare import TextsRequest
from outscore.workflows.texts.checks import chosen_metrics, compat_rules
from outscore.workflows.texts.labels import Labels, in_bands, mean_of_runs, panels_of_runs, runs_of
from outscore.workflows.texts.members import Member
from outscore.workflows.texts.statistics import Lines, Texts

# Warnings about texts whose scores mean less than they seem to: shown beside the verdict, because no number reveals it.


TextLines = Sequence[str]
Chosen = Sequence[tuple[TextMetric, Mapping[str, OptionValue]]]

_BY_SPACES = ("13a", "none", "intl", "rouge")
"""Tokenisers that need spaces between words."""
SPACELESS_SHARE, TOKENISED_SHARE, NORMAL_SHARE, STEMMED_SHARE = 0.3, 0.5, 0.02, 0.02
LONG_SEGMENT, EQUAL_SHARE, FAR_MORE, SURELY = 40, 0.05, 4, 0.001
"""Segments of so many characters are compared with the reference; one system equals it in such a share of them, so many times
as often as any other, and with so small a p of the sign test."""
FEWEST = 3
"""The number of lines from which a habit of writing is not just chance."""


def cautions(chosen: Chosen, systems: Mapping[str, Sequence[TextLines]], references: Sequence[TextLines]) -> list[Note]:
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
    habits = (
        _tokenised(chosen, texts, gold),
        _spaceless(chosen, gold),
        _unlike_forms(texts, gold),
        _stemmed(chosen, gold),
        _unbroken(chosen, texts, gold),
    )
    beware = [Note("reading", text) for text in habits if text]
    warned = [*_given_twice(systems, references), *_post_edited(systems, references), *_missing_references(references)]
    return [*(Note("warning", text) for text in warned), *beware]


def _missing_references(references: Sequence[TextLines]) -> list[str]:
    """How many lines of several references are blank, which segments then lack."""
    held = [[bool(line.strip()) for line in of_segment] for of_segment in zip(*references, strict=True)]
    blank = sum(of_segment.count(False) for of_segment in held if any(of_segment))
    if not blank:
        return []
    lines = f"{count_of(blank, 'blank line')} in {len(references)} references"
    return [f"{lines}: these are taken as missing references of their segments, not as empty ones."]


def _given_twice(systems: Mapping[str, Sequence[TextLines]], references: Sequence[TextLines]) -> list[str]:
    """Systems whose every segment is that of a reference."""
    return [
        equals_gold(name, len(runs[0]), "segment", "the reference")
        for name, runs in systems.items()
        if any(len(run) and list(run) == list(lines) for run in runs for lines in references)
    ]


def _post_edited(systems: Mapping[str, Sequence[TextLines]], references: Sequence[TextLines]) -> list[str]:
    """A reference that equals one system far more often than every other: people who correct its output leave much as it is.

    Short segments are equal by themselves, and a system whose every segment is the reference is told of anyway.
    """
    for lines in references:
        long = [i for i, line in enumerate(lines) if len(line) >= LONG_SEGMENT]
        equal = {name: np.array([runs[0][i] == lines[i] for i in long]) for name, runs in systems.items()}
        (first, most), *others = sorted(equal.items(), key=lambda entry: -entry[1].sum())
        if not others or most.sum() < max(FEWEST, EQUAL_SHARE * len(long)) or len(long) == most.sum():
            continue
        _, second = others[0]
        only, other = int((most & ~second).sum()), int((second & ~most).sum())
        doubt = float(log_two_sided(np.array([only]), np.array([other]))[0])
        if most.sum() >= FAR_MORE * max(second.sum(), 1) and doubt <= math.log(SURELY):
            long_ones = f"{count(len(long), 'segment')} of {LONG_SEGMENT} or more characters"
            often = f"it equals {first} in {most.sum():,} and no other system in more than {second.sum():,}"
            return [f"The reference looks post-edited from {first}: of {long_ones}, {often}. Scores then favour {first}."]
    return []


def _tokenised(chosen: Chosen, texts: Mapping[str, TextLines], gold: TextLines) -> str:
    """SacreBLEU warns here too: tokenising texts twice gives scores that nobody else can reproduce."""
    labels = [entry.label for entry, options in chosen if options.get("tokenize") == "13a"]
    if not labels:
        return ""
    split = [name for name, lines in {**texts, "the reference": gold}.items() if _ends_tokenised(lines)]
    if not split:
        return ""
    verb = "separates" if len(labels) == 1 else "separate"
    return (
        f"{join_words(labels)} {verb} words from punctuation, but these texts are already tokenised ({join_words(split)}): "
        "give untokenised texts, or set tokenize=none."
    )


def _ends_tokenised(lines: TextLines) -> bool:
    ends = [line.rstrip() for line in lines]
    full_stops = sum(line.endswith(".") for line in ends)
    apart = sum(line.endswith(" .") for line in ends)
    return apart >= FEWEST and apart > TOKENISED_SHARE * full_stops


def _spaceless(chosen: Chosen, gold: TextLines) -> str:
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
    return f"The reference is written without spaces between words, but {join_words(by_spaces)} {verb} words at spaces: {cure}."


def _needs_spaces(entry: TextMetric, options: Mapping[str, OptionValue]) -> bool:
    if "tokenize" in options:
        return options["tokenize"] in _BY_SPACES
    if "asian_support" in options:
        return not (options["asian_support"] and options["normalized"])
    return entry.name == "wer"


def _unlike_forms(texts: Mapping[str, TextLines], gold: TextLines) -> str:
    """Letters with accents can be written as one character (NFC) or as two (NFD), which look the same and never match."""
    shares = {name: _decomposed(lines) for name, lines in {**texts, "the reference": gold}.items()}
    low, high = min(shares.values()), max(shares.values())
    if high - low < NORMAL_SHARE:
        return ""
    different = [name for name, share in shares.items() if share - low >= NORMAL_SHARE]
    verb = "writes" if len(different) == 1 else "write"
    return (
        f"{join_words(different)} {verb} accents as separate characters (Unicode NFD) in up to {100 * high:.0f}% of the "
        "segments, and other texts do not, so the same words do not match. Save all files in NFC."
    )


def _decomposed(lines: TextLines) -> float:
    unlike = sum(not line.isascii() and not unicodedata.is_normalized("NFC", line) for line in lines)
    return unlike / max(1, len(lines))


def _stemmed(chosen: Chosen, gold: TextLines) -> str:
    """METEOR stems English unless told otherwise; letters that English has not are the sign of another language."""
    labels = [entry.label for entry, options in chosen if options.get("language") == "english"]
    if not labels:
        return ""
    letters = [character for line in gold for character in line if character.isalpha()]
    foreign = sum(not character.isascii() for character in letters)
    if foreign <= STEMMED_SHARE * len(letters):
        return ""
    return (
        f"{join_words(labels)} stems words as English, but the reference does not look English: set language=german or another."
    )


def _unbroken(chosen: Chosen, texts: Mapping[str, TextLines], gold: TextLines) -> str:
    """ROUGE-Lsum splits sentences at line breaks, which a segment of a plain file cannot contain."""
    labels = [entry.label for entry, options in chosen if options.get("split") == "newline"]
    if not labels or any("\n" in line for lines in (*texts.values(), gold) for line in lines):
        return ""
    return f"No segment contains a line break, so {join_words(labels)} treats each as one sentence: set split=stop."


# Two systems' texts against references: several metrics, one family.
#
# Every metric is a table of statistics per segment whose sums make its corpus score, so the comparison of texts is the
# comparison of two such tables. What is added is where the tables come from, the correction over metrics, and the segments
# behind a score. What sacreBLEU would print for the same texts (`--compat`) appears beside the answer and never replaces
# it, and the words that make the difference (`--explain`) are shown whatever the metric.


SHOWN = 10
"""Segments of each metric, and n-grams of each system."""
FLAWS = {
    "sacrebleu-ar": "it does not count ties, so identical outputs, or outputs that differ in one segment, get the smallest"
    " possible p",
    "sacrebleu-bs": "it centres absolute differences on their own mean, and rejects a true null hypothesis about 11% of the"
    " time at the 5% level",
}
"""What is known to be wrong with each rule; `inference/originals` explains."""


def compare_corpora(
    texts: Texts, members: Sequence[Member], request: TextsRequest, question: Question
) -> tuple[list[Numbers], Family | None]:
    """Two systems' texts by the members of a family; p is corrected for their number."""
    _check_runs(texts, question)
    if request.correction == MAX_T and texts.datasets:
        raise OutscoreError(
            f"Correction `{MAX_T}` swaps the segments of one test set, but there are {len(texts.datasets)} datasets.",
            "Use `holm`.",
            parameter="correction",
        )
    compared = [_compare_by(member, texts, request, question) for member in members]
    (first, _), *others = compared
    # Warnings that do not depend on the metric appear once.
    beware = cautions(chosen_metrics(request.metrics), texts.systems, texts.references)
    found = [{**first, "notes": [*texts.notes, *beware, *first["notes"], *single_runs(texts)]}, *(one for one, _ in others)]
    if not others:
        return found, None
    resampled = None
    if request.correction == MAX_T:
        refuse_new_runs(found)
        parts = [part for _, part in compared]
        resampled = swap_together(parts, parts[0].panel.clusters, question)
    return as_family(found, request.correction, resampled)


def _compare_by(member: Member, texts: Texts, request: TextsRequest, question: Question) -> tuple[Numbers, Part]:
    metric, datasets, (runs_a, runs_b) = member.metric, texts.datasets, member.rows.values()
    (first, second), together = mean_of_runs(metric, (runs_a, runs_b))
    names = datasets.segment_names(len(texts))
    (panel,) = panels_of_runs(metric, member.rows, texts.documents, column="")
    panel = replace(panel, items=tuple(names))
    by_dataset = member.panels(texts) if datasets else []
    whole = compare_panel(panel, question, datasets=by_dataset, noun="segment", called=member.label)
    buckets, left_out = _buckets_of(panel, texts, request.correction, question)
    peers = [ask_peer(rule, metric, runs_a, runs_b, texts) for rule in compat_rules(request.compat)]
    runs = whole["runs"]
    if panel.repeats is not None and runs is None:
        # Without two runs of each system, or in units of several segments, runs cannot be resampled.
        runs = runs_of(metric, runs_a, runs_b, texts.documents, question)
    better: Direction = "higher" if metric.higher_is_better else "lower"
    numbers = {
        **whole,
        "signature": whole["signature"].replacing("unit", "items", "segments").extended(member.signature),
        "notes": [
            *member.notes,
            *whole["notes"],
            *unscored_note(metric, member.label, first, second),
            *left_out,
            *(note for _, notes in peers for note in notes),
        ],
        **_strongest_segments(texts, names, datasets.pull(first, second, together), metric),
        "buckets": buckets,
        "parts": [ScorePart(name, *both) for name, both in member.parts_of(datasets).items()],
        "tests": [*whole["tests"], *(p for p, _ in peers if p is not None)],
        "runs": runs,
        "reading": reading_of(texts.origins, rows=whole["design"].rows, direction=(better, "metric"), kind="texts"),
        "identical": bool((first == second).all()),
    }
    return numbers, Part(panel, np.arange(len(texts)))


def _buckets_of(panel: Panel, texts: Texts, correction: str, question: Question) -> tuple[list[Bucket], list[Note]]:
    """Every bucket compared separately, and a note on each that cannot be tested."""
    parts: list[Bucket] = []
    notes: list[Note] = []
    datasets = {DATASET: texts.datasets.labels} if texts.datasets else {}
    for column, values in {**datasets, **texts.buckets}.items():
        whole = replace(panel, clusters=None) if column == "document" else panel
        of_segments = np.array([str(value) for value in values], dtype=object)
        segments = {value: np.flatnonzero(of_segments == value) for value in dict.fromkeys(of_segments.tolist())}
        compared, _, left_out = compare_slices(
            column,
            {value: Part(whole.part(own), own) for value, own in segments.items()},
            whole.clusters,
            question,
            correction=correction,
        )
        parts += in_bands([_bucket(column, part) for part in compared])
        notes += left_out
    return parts, notes


def _bucket(column: str, numbers: Numbers) -> Bucket:
    (first, second), interval = numbers["scores"], numbers["interval"]
    low, high = (None, None) if interval is None else (interval.low, interval.high)
    value, n = numbers["slice"].value, numbers["n"]
    return Bucket(column, value, n, first.value, second.value, numbers["difference"], low, high, numbers["p"])


def _strongest_segments(texts: Texts, names: Sequence[str], pull: Array, metric: AdditiveMetric) -> dict[str, Any]:
    """The segments whose absence would change the difference most, from both sides, and how many there are on each.

    The first of several runs is shown.
    """
    (a, *_), (b, *_) = texts.systems.values()
    source = texts.source or [None] * len(names)
    side = np.where([one != other for one, other in zip(a, b, strict=True)], np.sign(pull), 0)
    segments = [
        Segment(names[i], [lines[i] for lines in texts.references], a[i], b[i], float(pull[i]), source[i])
        for i in strongest(pull, side, SHOWN)
    ]
    return {"segments": segments, "favoured": favoured_by(side, metric)}


def _check_runs(texts: Texts, question: Question) -> None:
    """Means of unequally many runs have unequal spread, and swapping them is not valid."""
    (first, runs_a), (second, runs_b) = ((name, len(runs)) for name, runs in texts.systems.items())
    over_runs = question.population != ITEMS and min(runs_a, runs_b) > 1
    if runs_a != runs_b and question.entry.null == "swaps" and not over_runs:
        raise OutscoreError(
            f"{first} has {count(runs_a, 'run')} and {second} {runs_b}; `{question.test}` would swap means of unequal spread.",
            "Give equally many runs, or use `bootstrap`.",
        )


def single_runs(texts: Texts) -> list[Note]:
    """A note on what a single run of a system cannot show, by any metric."""
    return [] if all(len(runs) > 1 for runs in texts.systems.values()) else [Note("runs", SINGLE_RUNS)]


def unscored_note(metric: AdditiveMetric, label: str, a: Array, b: Array) -> list[Note]:
    """Segments on which a mean of segment scores cannot see a difference, because neither system scores at all.

    Examples
    --------
    >>> import numpy as np
    >>> mean = AdditiveMetric("sentence-bleu", SEGMENT_COLUMNS, ratio=((1, 0), (0, 1)))
    >>> [note.text for note in unscored_note(mean, "sentence BLEU", np.array([[0, 1], [3, 1]]), np.array([[0, 1], [0, 1]]))]
    ['On 50.0% of the segments both systems have a sentence BLEU of 0.']
    """
    share = float(((a[:, 0] == 0) & (b[:, 0] == 0)).mean())
    if metric.columns != SEGMENT_COLUMNS or not metric.higher_is_better or not share:
        return []
    return [Note("data", f"On {100 * share:.1f}% of the segments both systems have a {label} of 0.")]


def ask_peer(
    compat: str, metric: AdditiveMetric, runs_a: Sequence[Array], runs_b: Sequence[Array], texts: Texts
) -> tuple[PValue | None, list[Note]]:
    """The peer's p, and notes on it.

    The note on the rule is the same for every metric, so that a family shows it once.
    """
    if texts.datasets:
        text = f"No p-value from {compat}: sacreBLEU compares on one test set, but there are {len(texts.datasets)}."
        return None, [Note("peer", text)]
    if len(runs_a) > 1 or len(runs_b) > 1:
        text = f"No p-value from {compat}: sacreBLEU compares single outputs, but there are several runs."
        return None, [Note("peer", text)]
    entry = TEXT_METRICS.get(metric.name)
    known = entry is not None and "sacrebleu" in entry.tested_by
    p = COMPAT[compat](runs_a[0], runs_b[0], metric.score)
    trials = p.kernel.rpartition(":")[2]
    apart = "" if texts.documents is None else " It swaps single segments, not documents."
    source = "as sacreBLEU prints it" if known else "by its rule, although sacreBLEU does not have this metric"
    p_text = f"{compat}: p = {p.value:.4f}, {source}."
    rule = (
        f"{compat}: {int(trials):,} trials with seed {SACREBLEU_SEED}; {FLAWS[compat]}. It does not affect the verdict.{apart}"
    )
    return p, [Note("peer", p_text), Note("peer", rule)]


def study_words(texts: Texts, correction: str, seed: int, corpus: Segments | None = None) -> WordStudy:
    """Words by frequency, tested by swaps of segments, and n-grams that one system gets right more often.

    Words are counted in `corpus`, or in the first reference of each dataset. If there are several runs, n-grams show the first.
    """
    runs_a, runs_b = ([_rows(run, texts, corpus) for run in runs] for runs in texts.systems.values())
    bands: dict[int, tuple[int, float, float]] = {}
    p_values = []
    for band in range(len(BANDS)):
        sides = [rows[:, band] for rows in runs_a], [rows[:, band] for rows in runs_b]
        # Where no reference has a word of this range, there is nothing to compare.
        if words := int(sides[0][0][:, [0, 2]].sum()):
            first, second, p = _word_f1(*sides, texts.documents, seed)
            bands[band] = words, first, second
            p_values.append(p)
    if bands and correction != "none":
        # Correction by joint swaps covers the metrics, not these buckets.
        p_values, _ = correct_family(p_values, "holm" if correction == MAX_T else correction)
    found = zip(bands.items(), p_values, strict=True)
    buckets = [WordBucket(band_name(band), words, x, y, x - y, p) for (band, (words, x, y)), p in found]
    (a, *_), (b, *_) = texts.systems.values()
    for_a, for_b = better_ngrams(a, b, texts.references, most=SHOWN)
    return WordStudy("the reference" if corpus is None else corpus.label, buckets, for_a, for_b)


def _rows(run: Lines, texts: Texts, corpus: Segments | None) -> Array:
    rows_of = texts.datasets.rows or {"": np.arange(len(run))}
    counts_by_band = np.zeros((len(run), len(BANDS), 3), dtype=np.int64)
    for rows in rows_of.values():
        mine = rows.tolist()
        gold = [tuple(lines[i] for i in mine) for lines in texts.references]
        counts = count_words(gold[0] if corpus is None else corpus.lines)
        counts_by_band[rows] = frequency_rows([run[i] for i in mine], gold, counts)
    return counts_by_band


def _word_f1(a: Sequence[Array], b: Sequence[Array], documents: Labels | None, seed: int) -> tuple[float, float, PValue]:
    """The F1 of words of one range of frequencies by both systems, and p."""
    # F1 does not distinguish the two kinds of errors.
    right_wrong = [[np.stack([rows[:, 0], rows[:, 1] + rows[:, 2]], axis=1) for rows in runs] for runs in (a, b)]
    metric, _, _ = resolve("f1", right_wrong[0][0], right_wrong[1][0])
    (first, second), together = mean_of_runs(metric, right_wrong)
    first_f1, second_f1 = (float(together.score(rows.sum(axis=0))) for rows in (first, second))
    p = permutation_test(
        first,
        second,
        metric=together,
        items=None,
        clusters=documents,
        method="auto",
        resamples=None,
        alternative="two-sided",
        delta=0.0,
        seed=seed,
    )
    return first_f1, second_f1, p
