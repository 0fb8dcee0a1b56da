"""What a comparison has besides its answer, in rows: several metrics on the same texts, segments, words, slices, buckets."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from outscore.language import numbers, phrases
from outscore.language.verdict.comparison import agreement
from outscore.language.verdict.contradiction import Contradiction
from outscore.report.document import Example, Examples, Fact, Table, Words, clean, statements
from outscore.report.rows import comparison as rows
from outscore.report.rows.columns import Column, Text, alpha_of, number, score_columns, tabulate, words
from outscore.report.rows.facts import evidence, first_sentence, sides
from outscore.results.analysis import Bucket, Ngram, WordBucket, WordStudy
from outscore.results.comparison import Claimed, Comparison, Comparisons, JointClaim
from outscore.results.design import DecidingItem, Segment, Verdict
from outscore.results.note import Signature, texts_below
from outscore.results.pvalue import Interval, PValue


def is_family_of_metrics(whole: Comparisons) -> bool:
    """Whether there are several comparisons, corrected together, that differ in nothing but the metric."""
    if whole.family is None or len(whole.comparisons) < 2:
        return False
    shared = {(c.systems, c.dataset, c.n, c.clusters) for c in whole.comparisons}
    names = {c.metric for c in whole.comparisons if c.slice is None}
    return len(shared) == 1 and len(names) == len(whole.comparisons)


def metrics_verdict(whole: Comparisons) -> Verdict:
    """Whether the metrics agree."""
    verdict = agreement(whole.comparisons, _correction(whole), whole.claim)
    if whole.headline:
        verdict = replace(verdict, headline=whole.headline, reason=whole.reason)
    return replace(verdict, headline=clean(verdict.headline), reason=clean(verdict.reason))


def _correction(whole: Comparisons) -> str:
    assert whole.family is not None
    return phrases.correction_name(whole.family.correction)


def metric_table(whole: Comparisons) -> Table:
    """One row per metric, as narrow as a screen."""
    compared, systems = whole.comparisons, whole.comparisons[0].systems
    columns: list[Column[Comparison]] = [
        words("metric", lambda c: f"{c.metric} {'↑' if c.higher_is_better else '↓'}"),
        *rows.answer_columns(compared, alpha_of(whole), (*phrases.sides_called(systems), phrases.difference_called(systems))),
        words("winner", lambda c: "none" if c.decision.winner is None else c.systems[c.decision.winner]),
    ]
    notes = [f"p: {methods_of(whole)}.", f"adj. p: {correction_of(whole)}."]
    return tabulate("metrics", f"{phrases.legend(systems)}, on {size_of(compared)}", columns, compared, notes)


def claim_table(claim: JointClaim, alpha: float | None) -> Table:
    """What is claimed about each measure, and what follows for all of them."""
    columns: list[Column[Claimed]] = [
        words("measure", lambda part: part.measure),
        words("claim", lambda part: part.hypothesis),
        Column("margin", lambda part: part.margin, "{:g}".format),
        Column("p", lambda part: part.p, lambda p: numbers.format_p_number(p, alpha)),
    ]
    verdict = f"The claim that {claim.claim} (compared with {claim.other}) {'is shown' if claim.holds else 'is not shown'}"
    number = numbers.format_p_number(claim.p, alpha)
    p = f"p {number}" if number.startswith("<") else f"p = {number}"
    why = "Each part is one-sided and uncorrected, because all of them must hold (intersection-union test; Berger, 1982)."
    notes = [
        f"{verdict} at alpha = {numbers.format_level(claim.alpha)}: {p}, the largest of its parts.",
        f"Null hypothesis: {claim.null}. {why}",
    ]
    return tabulate("claim", "One claim about all measures", columns, claim.parts, notes)


def _about(comparisons: Sequence[Comparison]) -> Comparison:
    """The comparison that knows the kind of items."""
    # Identical outputs leave no segment that made a difference, so any of the comparisons may know.
    return next((c for c in comparisons if c.design.noun != "item"), comparisons[0])


def size_of(comparisons: Sequence[Comparison]) -> str:
    """On how many segments, or on how many items of whatever kind."""
    about = _about(comparisons)
    size, groups = about.design.unit_size, about.clusters
    if size > 1:
        return f"{numbers.count(about.n, 'unit')} of {numbers.count(size, about.design.noun)}"
    runs = phrases.runs_clause(about.design, about.systems)
    where = "" if groups is None else f" in {numbers.count(groups, about.design.group)}"
    where += f" from {about.design.datasets} datasets (macro average)" if about.design.datasets > 1 else ""
    return numbers.count(about.n, about.design.noun) + where + (f", {runs}" if runs else "")


def metric_facts(whole: Comparisons) -> tuple[Fact, ...]:
    """What was asked for and what to beware of, each line with its metric."""
    lines: dict[str, list[str]] = {"runs": [], "datasets": [], "parts": [], "margin": [], "bayes": []}
    for c in whole.comparisons:
        for fact in evidence(c, whole):
            if fact.label in lines:
                lines[fact.label] += [f"{c.metric}, {line}" for line in fact.lines]
    lines["notes"] = [first_sentence(note) for note in metric_notes(whole)]
    return statements(*lines.items())


def correction_of(whole: Comparisons) -> str:
    """How p is corrected for the number of metrics."""
    return phrases.corrected_by(whole.family, "metric", len(whole.comparisons))


def methods_of(whole: Comparisons) -> str:
    """Each way in which p was computed, with its metrics and the error of sampling."""
    by_method: dict[str, list[str]] = {}
    for c in whole.comparisons:
        error = numbers.format_p_error(c.p, bounds=c.p.method == "certified")
        by_method.setdefault(phrases.method_phrase(c.p) + sides(c, whole), []).append(f"{c.metric} {error}".strip())
    return "; ".join(f"{method} ({', '.join(metrics)})" for method, metrics in by_method.items())


def metric_sentence(whole: Comparisons) -> str:
    """What a paper says about all metrics together, in one sentence."""
    comparisons, alpha = whole.comparisons, alpha_of(whole)
    level = "" if alpha is None else f" at the {numbers.format_level(alpha)} level"
    clauses = []
    for w in (0, 1):
        won = [c for c in comparisons if c.decision.winner == w]
        if won:
            better, worse = comparisons[0].systems[w], comparisons[0].systems[1 - w]
            clauses.append(f"{better} is better than {worse}{level} in {phrases.join_words(_numbers(c, w) for c in won)}")
    open_ = [c for c in comparisons if c.decision.winner is None]
    if open_:
        a, b = comparisons[0].systems
        s, are = ("s", "are") if len(open_) > 1 else ("", "is")
        subject = f"the difference{s} between {a} and {b} in {phrases.join_words(_numbers(c, 0) for c in open_)}"
        clauses.append(f"{subject} {are} not statistically significant{level}")
    used: dict[str, list[str]] = {}
    for c in comparisons:
        used.setdefault(phrases.method_phrase(c.p) + sides(c, whole), []).append(c.metric)
    tests = "; ".join(f"{test}, for {phrases.join_words(metrics)}" if len(used) > 1 else test for test, metrics in used.items())
    adjusted_by = f"adjusted for {numbers.count(len(comparisons), 'metric')}, {_correction(whole)}"
    evidence = f"{tests}; p {'not corrected' if _correction(whole) == phrases.NO_CORRECTION else adjusted_by}"
    further = "".join(f"; {clause}" for c in comparisons for clause in _further_clauses(c, alpha))
    claim = phrases.claim_phrase(comparisons[0].population, comparisons[0].design, _about(comparisons).design.noun)
    about = f"; the claim is about {claim}" if claim else ""
    return clean(f"On {size_of(comparisons)}, {'; '.join(clauses)} ({evidence}){about}{further}.")


def _further_clauses(c: Comparison, alpha: float | None) -> list[str]:
    """What a margin shows where nobody won, what contradicts the verdict, and the posterior probabilities, if asked for."""
    clauses = []
    if c.margin is not None and (shown := phrases.margin_clause(c.decision.claim, c.margin, c.systems, alpha)):
        clauses.append(f"in {c.metric} {shown}")
    if c.contradiction:
        clauses.append(f"however, in {c.metric} {c.contradiction}")
    if c.bayes is not None:
        clauses.append(f"posterior probabilities in {c.metric}: {phrases.posterior_phrase(c.bayes, c.systems)}")
    return clauses


def _numbers(c: Comparison, first: int) -> str:
    """A metric with both scores, that of system `first` first, and the p that counts."""
    values = [numbers.format_number(c.scores[i].value, phrases.decimals_of(c)) for i in (first, 1 - first)]
    p = numbers.format_p_number(c.p) if c.p.adjusted is None else numbers.format_probability(c.p.adjusted)
    return f"{c.metric} ({values[0]} against {values[1]}, adjusted p {p if p.startswith('<') else f'= {p}'})"


def metric_notes(whole: Comparisons) -> list[str]:
    """The warnings and notes of all metrics, shared ones once."""
    metrics_by_text: dict[str, list[str]] = {}
    for c in whole.comparisons:
        warnings = [] if c.analysis is None else c.analysis.warnings
        for text in (*warnings, *texts_below(c.notes)):
            metrics_by_text.setdefault(text, []).append(c.metric)
    # What single runs do not show is noted with the first metric and applies to all of them.
    general = {note.text for c in whole.comparisons for note in c.notes if note.kind == "runs"}
    general |= {text for text, metrics in metrics_by_text.items() if len(metrics) == len(whole.comparisons)}
    return [clean(text if text in general else f"{', '.join(metrics)}: {text}") for text, metrics in metrics_by_text.items()]


def metric_contradictions(whole: Comparisons) -> list[str]:
    """What contradicts the verdict by a metric, each with its metric."""
    against = [
        Contradiction(f"in {c.metric} {c.contradiction}", decided=c.decision.winner is not None)
        for c in whole.comparisons
        if c.contradiction
    ]
    return [clean(one.note.text) for one in against]


def metric_signatures(whole: Comparisons) -> list[str]:
    """What all metrics share in one line, and each metric's own signature, as its library writes it, in a line below.

    Where a metric has no signature of its own, its whole line is given: nothing that reproduces a number may be lost.
    """
    split = [c.signature.before_and_after("outscore") for c in whole.comparisons]
    if not all(own for _, own in split):
        return [clean(str(c.signature)) for c in whole.comparisons]
    values: dict[str, list[str]] = {}
    for head, _ in split:
        for key, value in head.parts:
            values.setdefault(key, []).append(value)
    # The metric is in its own line; the method and its kernel differ between metrics, and are given under the table.
    alike = {key: seen[0] for key, seen in values.items() if len(seen) == len(split) and len(set(seen)) == 1}
    shared = [(key, value) for key, value in alike.items() if key != "metric"]
    return [clean(str(Signature(shared))), *(clean(str(own)) for _, own in split)]


# The segments, questions and words that made the difference.
#
# Segments show the reference and both outputs below each other, with marked words; items of logs show the question, the
# expected answer and both systems' answers; words and n-grams are tables of frequencies.


# Chinese and Japanese are written without spaces, so each of their characters is a word; so is each punctuation mark.
SINGLE = "\u3001-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff65!-/:-@\\[-`{-~\u2010-\u2027\u00ab\u00bb\u00bf\u00a1"
WORD = re.compile(rf"(?:[{SINGLE}]|[^\s{SINGLE}]+)\s*")
LONG = 1500
"""Outputs of more words are compared less finely: the time grows with the square of their length."""
BEFORE = 5
"""How many words an excerpt shows before the first difference."""
MAX_BRIEF, MAX_SHOWN = 3, 10
SHORT = 40
"""How many words of an output a brief report shows; the verbose text and the page have all of them."""
EMPTY: Words = (("(empty)", False),)
TITLE = "Questions that made the difference"
SHORT_TEXT, LONG_TEXT = 40, 2_000
"""How many words of a text are shown, briefly and in full: prompts may be books."""
PLACES = 4
"""Decimals of shares that are compared with each other."""


def marked_words(references: Sequence[str], a: str, b: str) -> tuple[Words, Words]:
    """The words of both outputs, marked where they do not line up with the nearest reference.

    Examples
    --------
    >>> a, b = marked_words(["the cat sat"], "the dog sat", "the cat sat")
    >>> a
    (('the ', False), ('dog ', True), ('sat', False))
    >>> [word for word, marked in b if marked]
    []
    """
    return _marked(references, a), _marked(references, b)


def _marked(references: Sequence[str], output: str) -> Words:
    words = plain_words(output)
    bare = [word.strip() for word, _ in words]
    # `autojunk` matches frequent words only beside rarer ones. That misses some, and is worth it only where time would be felt.
    junk = len(bare) > LONG
    wanted = ([word.strip() for word in WORD.findall(reference)] for reference in references)
    matchers = [SequenceMatcher(None, reference, bare, autojunk=junk) for reference in wanted]
    nearest = max(matchers, key=lambda matcher: matcher.ratio())
    matching = {i for block in nearest.get_matching_blocks() for i in range(block.b, block.b + block.size)}
    return tuple((word, i not in matching) for i, (word, _) in enumerate(words))


def plain_words(text: str) -> Words:
    """A text as words without a mark."""
    return tuple((word, False) for word in WORD.findall(" ".join(text.split())))


def window(a: Words, b: Words, size: int) -> slice:
    """Where to look in two long outputs: `size` words from shortly before their first difference.

    Examples
    --------
    >>> a, b = plain_words("one two three four five six seven"), plain_words("one two three four five six eight")
    >>> window(a, b, 4), window(a, b, 9)
    (slice(1, 5, None), slice(0, 9, None))
    """
    if max(len(a), len(b)) <= size:
        return slice(0, size)
    same = next((i for i, (left, right) in enumerate(zip(a, b, strict=False)) if left != right), min(len(a), len(b)))
    start = max(same - BEFORE, 0)
    return slice(start, start + size)


def cut(words: Words, part: slice) -> Words:
    """The words of a window, with dots where some were left out."""
    kept = words[part]
    before = (("… ", False),) if part.start > 0 and words else ()
    if part.stop is None or part.stop >= len(words):
        return (*before, *kept)
    gap = " " if kept and kept[-1][0] == kept[-1][0].rstrip() else ""
    return (*before, *kept, (f"{gap}…", False))


def segments(c: Comparison, most: int, *, whole: bool = True) -> Examples:
    """At most `most` segments, the winner's first; without `whole`, long texts are cut around the first difference."""
    # The largest influence has two digits, and the others as many decimals.
    decimals = max(numbers.decimals_for(*(s.influence for s in c.segments)) - 2, 0)
    several = "" if c.runs is None else " Only the first of several runs is shown."
    return Examples(
        segments_title(c),
        tuple(Example(_title(c, s, decimals), _texts(c, s, whole=whole)) for s in c.segments[:most]),
        f"{{marked}} do not line up with the reference.{several}",
        " ".join(rows.favour_lines(c)),
    )


def segments_title(c: Comparison) -> str:
    """What the listing shows."""
    return f"Segments that moved {clean(c.metric)} most"


def _title(c: Comparison, segment: Segment, decimals: int) -> str:
    favoured = c.systems[(segment.influence > 0) != c.higher_is_better]
    size = numbers.format_number(abs(segment.influence), decimals)
    # Not "favours": a good output can pull the difference the other way, if its lead is smaller than on other segments.
    return clean(f"{segment.item} moves {c.metric} by {size} towards {favoured}")


def _texts(c: Comparison, segment: Segment, *, whole: bool) -> tuple[tuple[str, Words], ...]:
    a, b = marked_words(segment.references, segment.a, segment.b)
    part = slice(0, None) if whole else window(a, b, SHORT)
    several = len(segment.references) > 1
    lines = [(f"reference {i}" if several else "reference", plain_words(text)) for i, text in enumerate(segment.references, 1)]
    lines += [(clean(c.systems[0]), a), (clean(c.systems[1]), b)]
    # A source is cut at its end: its words do not line up with those of the outputs.
    beginning = slice(0, None if whole else SHORT)
    source = [] if segment.source is None else [("source", cut(plain_words(segment.source), beginning) or EMPTY)]
    return (*source, *((label, cut(words, part) or EMPTY) for label, words in lines))


def questions(c: Comparison, most: int, *, whole: bool = False) -> Examples | None:
    """At most `most` items with their texts, cut unless `whole`, the winner's first; None where the input has no texts."""
    items = _with_texts(c)
    if not items:
        return None
    decimals = numbers.decimals_for(*(x for item in items.values() for x in (item.a, item.b)))
    note = "Only the first of several runs of an item is shown." if c.design.repeats > 1 else ""
    shown = list(items.items())[:most]
    return Examples(
        TITLE, tuple(_example(c, i, item, decimals, whole=whole) for i, item in shown), note, " ".join(rows.favour_lines(c))
    )


def question_links(c: Comparison, most: int) -> dict[int, str]:
    """The keys of at most `most` items with texts, by their place among all deciding items."""
    return {i: _key(i) for i in list(_with_texts(c))[:most]}


def _with_texts(c: Comparison) -> dict[int, DecidingItem]:
    """The items that have texts, by their place."""
    return {i: item for i, item in enumerate(c.deciding_items) if item.answers is not None or item.question is not None}


def _key(place: int) -> str:
    return f"question-{place + 1}"


def _example(c: Comparison, place: int, item: DecidingItem, decimals: int, *, whole: bool) -> Example:
    scores = (
        f"{c.systems[0]} {numbers.format_number(item.a, decimals)}, {c.systems[1]} {numbers.format_number(item.b, decimals)}"
    )
    answers = item.answers or (None, None)
    texts = (("question", item.question), ("expected", item.target), *zip(c.systems, answers, strict=True))
    shown = tuple((clean(label), _words(text, whole=whole)) for label, text in texts if text is not None)
    return Example(clean(f"{item.item}: {scores}"), shown, _key(place))


def _words(text: str, *, whole: bool) -> Words:
    return cut(plain_words(clean(text)), slice(0, LONG_TEXT if whole else SHORT_TEXT)) or EMPTY


def word_table(whole: Comparisons, study: WordStudy) -> Table:
    """Words by how rare they are, with the F1 of both systems."""
    systems = whole.comparisons[0].systems
    sides = phrases.sides_called(systems)
    columns: list[Column[WordBucket]] = [
        words("frequency", lambda bucket: bucket.value),
        Column("words", lambda bucket: bucket.words),
        Column(sides[0], lambda bucket: bucket.a, number(PLACES)),
        Column(sides[1], lambda bucket: bucket.b, number(PLACES)),
        Column(phrases.difference_called(systems), lambda bucket: bucket.difference, number(PLACES, sign=True)),
        *rows.p_columns(alpha_of(whole), "adj. p", lambda bucket: bucket.p),
    ]
    meaning = (
        f"{sides[0]}, {sides[1]}: F1 of words, each counted as often as output and reference both have it; p from swapping"
        " segments"
    )
    by, corrected = whole.settings.get("correction", "holm"), any(bucket.p.adjusted is not None for bucket in study.buckets)
    family = f", adj. p over {len(study.buckets)} ranges ({phrases.correction_name(str(by))})" if corrected else ""
    title = f"Words by frequency in {study.counted_in}, {phrases.legend(systems)}"
    return tabulate("words", title, columns, study.buckets, [f"{meaning}{family}."])


def ngram_tables(whole: Comparisons, study: WordStudy) -> list[Table]:
    """N-grams that one system gets right more often than the other."""
    systems = whole.comparisons[0].systems
    sides = zip(("a", "b"), systems, (study.ngrams_a, study.ngrams_b), strict=True)
    return [
        _ngrams(f"ngrams-{key}", system, listed, phrases.sides_called(systems), several=whole.comparisons[0].runs is not None)
        for key, system, listed in sides
    ]


def _ngrams(key: str, system: str, listed: Sequence[Ngram], sides: tuple[str, str], *, several: bool) -> Table:
    columns: list[Column[Ngram]] = [
        words("n-gram", lambda ngram: ngram.text),
        Column("reference", lambda ngram: ngram.reference),
        Column(sides[0], lambda ngram: ngram.a),
        Column(sides[1], lambda ngram: ngram.b),
    ]
    meaning = (
        f"Reference: how often it occurs there; {sides[0]}, {sides[1]}: how often it is found. The clearest differences first;"
        " nothing is tested here."
    )
    runs = "Only the first of several runs is counted." if several else ""
    return tabulate(key, f"N-grams that {system} gets right more often", columns, listed, [meaning, runs])


# The same comparison on subsets of the data: slices of items, buckets of segments.


CENTRED = "centred bootstrap"
"""The method of an interval that needs more than a few units."""


def slices(whole: Comparisons) -> Table | None:
    """One row per slice, as narrow as a screen; None where there are no slices, or other comparisons between them."""
    parts = [(c, c.slice.value) for c in whole.comparisons[1:] if c.slice is not None]
    if not parts or len(parts) + 1 < len(whole.comparisons):
        return None
    first = parts[0][0]
    column = "" if first.slice is None else first.slice.column
    sides = (*phrases.sides_called(first.systems), phrases.difference_called(first.systems))
    columns: list[Column[Comparison]] = [
        words(column, lambda c: c.slice and c.slice.value),
        Column(rows.units_of(first)[1], lambda c: rows.units_of(c)[0]),
        *rows.answer_columns([c for c, _ in parts], alpha_of(whole), sides),
    ]
    title = f"{first.metric} by {column}, {phrases.legend(first.systems)}"
    notes = [_winners(parts), *_margins(parts, alpha_of(whole)), rows.family_note(whole)]
    return tabulate("slices", title, columns, [c for c, _ in parts], notes)


def _winners(parts: Sequence[tuple[Comparison, str]]) -> str:
    """Who won on which slices, by the adjusted p."""
    won = [
        f"{c.systems[w]} outscored {c.systems[1 - w]} on {', '.join(value for d, value in parts if d.decision.winner == w)}"
        for w in (0, 1)
        if (c := next((d for d, _ in parts if d.decision.winner == w), None)) is not None
    ]
    return f"{'; '.join(won)}." if won else "No slice has a winner by its adjusted p."


def _margins(parts: Sequence[tuple[Comparison, str]], alpha: float | None) -> list[str]:
    """On which slices the margin is shown, each with its p; empty where no margin was requested."""
    margins = [(c.margin, value) for c, value in parts if c.margin is not None]
    if not margins or alpha is None:
        return []
    (a, b), size = parts[0][0].systems, f"{margins[0][0].value:g}"
    claims = (
        (f"{a} worse than {b} by less than {size}", [(margin.noninferiority, value) for margin, value in margins]),
        (f"{a} and {b} apart by less than {size}", [(margin.equivalence, value) for margin, value in margins]),
    )
    return [clean(f"{claim}: {_by_outcome(p_values, alpha)}.") for claim, p_values in claims]


def _by_outcome(p_values: Sequence[tuple[PValue, str]], alpha: float) -> str:
    """Slices by whether the claim is shown on them, by the adjusted p where there is one."""
    outcomes = []
    for word, wanted in (("shown", True), ("not shown", False)):
        here = [f"{value} ({_counted(p)})" for p, value in p_values if p.rejects(alpha) is wanted]
        outcomes += [f"{word} on {', '.join(here)}"] if here else []
    return "; ".join(outcomes)


def _counted(p: PValue) -> str:
    """The p that decides."""
    return f"p = {numbers.format_p_number(p)}" if p.adjusted is None else f"adj. p = {rows.adjusted(p)}"


def bucket_table(c: Comparison, alpha: float | None) -> Table:
    """The same comparison on parts of the segments; p is corrected over each column of labels."""
    labels = list(dict.fromkeys(bucket.column for bucket in c.buckets))
    several = len(labels) > 1
    records: list[Bucket | str] = []
    for label in labels:
        # Labels of several kinds get a line above them, which leaves the numbers more room than a column would.
        records += [f"{label}:"] if several else []
        records += [bucket for bucket in _in_order(c.buckets) if bucket.column == label]

    def limits(bucket: Bucket) -> Text | None:
        shown = _has_interval(bucket, c.interval)
        return Text(numbers.format_ends(bucket.low, bucket.high, _places(bucket)), bucket.low) if shown else None

    heads = (*phrases.sides_called(c.systems), phrases.difference_called(c.systems))
    columns: list[Column[Bucket]] = [
        words("part" if several else "".join(labels), lambda bucket: bucket.value),
        Column(f"{c.design.noun}s", lambda bucket: bucket.n),
        *score_columns(heads, lambda bucket: (bucket.first, bucket.second, bucket.difference)),
        Column(phrases.interval_noun(c.interval), limits),
        *rows.p_columns(alpha, "adj. p", lambda bucket: bucket.p),
    ]
    title = f"{c.metric} by {' and by '.join(labels)}, {phrases.legend(c.systems)}"
    notes = (
        [] if c.margin is None else [f"The margin of {c.margin.value:g} is tested on all {c.design.noun}s, not part by part."]
    )
    return tabulate("buckets", title, columns, records, notes)


def _places(bucket: Bucket) -> int:
    return numbers.decimals_for(bucket.first, bucket.second, difference=bucket.difference)


def _has_interval(bucket: Bucket, whole: Interval | None) -> bool:
    """Whether a bucket has an interval; without ends it is unbounded, but with few segments a resampled one is missing."""
    ends = bucket.low is not None or bucket.high is not None
    return ends or (whole is not None and whole.method != CENTRED)


def _in_order(buckets: Sequence[Bucket]) -> list[Bucket]:
    """Values that begin with a number, such as bands of length, from the smallest up; the others after them, in their order."""

    def start(bucket: Bucket) -> float:
        number = re.match(r"\d{1,15}", bucket.value)
        return math.inf if number is None else float(number[0])

    return sorted(buckets, key=start)
