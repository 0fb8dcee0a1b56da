"""The document of comparisons: one of them, several side by side, several metrics as one answer, or slices of one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal

from outscore.inference.populations import claim_of
from outscore.language import numbers, phrases
from outscore.language.verdict.comparison import stored_verdict
from outscore.report import document as doc
from outscore.report.build import common
from outscore.report.build.common import Kind, Line
from outscore.report.citations import uses_of_comparisons
from outscore.report.rows import facts, parts
from outscore.report.rows.columns import Column, alpha_of, interval_head, score_columns, texts, words
from outscore.report.rows.comparison import (
    adjusted,
    advice,
    checks,
    comparisons,
    deciding_items,
    effects,
    estimates,
    every_test,
    family_note,
    fourfold,
    nlpstattest,
    other_estimand,
    path,
    power,
    results,
    score_lines,
    scores,
    scores_of,
    summaries,
    tests_used,
    unit_advice,
)
from outscore.results.comparison import Bayes, Comparison, Comparisons, JointClaim, SystemScore
from outscore.results.note import BESIDE_VERDICT, NoteKind, note_texts

MAX_IN_LINE = 4
"""How many metrics the line beside the headline has."""
MAX_COMPARISONS = 12
"""How many comparisons a card shows."""
CLAIMS = {
    "better": "Significant difference",
    "undecided": "Undecided",
    "equivalent": "Equivalent within the margin",
    "non-inferior": "Not inferior within the margin",
}


def build(whole: Comparisons) -> doc.Document:
    """All comparisons of a result."""
    table = parts.slices(whole)
    # A whole is the heading of its slices; a comparison alone has nothing below it.
    top = table is not None or len(whole.comparisons) == 1
    each = [_comparison(c, whole, i, depth=1 if top and i == 1 else 2) for i, c in enumerate(whole.comparisons, 1)]
    closing = list(_closing(whole))
    if parts.is_family_of_metrics(whole):
        # On a screen the metrics are one answer.
        each = [article.but("text", level="brief") for article in each]
        articles = [_metrics(whole), *_words(whole), *each, *closing]
    elif table is not None:
        # So are slices, as a table below the whole.
        sliced = doc.Section("slices", "", lambda: [table]).only("text").brief()
        answer = replace(each[0], sections=(*each[0].sections, sliced))
        closing[0] = closing[0].but("text", level="brief")
        others = [article.but("text", level="brief") for article in each[1:]]
        articles = [answer, replace(_overview(whole, answered=True), title=table.title, depth=2), *others, *closing]
    else:
        articles = [_overview(whole), *each, *_words(whole), *closing]
    if whole.claim is not None:
        articles.insert(1, _claim(whole.claim, alpha_of(whole)))
    subject = parts.metric_table(whole).title if parts.is_family_of_metrics(whole) else ""
    return doc.Document(_title(whole), tuple(articles), subject)


def _claim(claim: JointClaim, alpha: float | None) -> doc.Article:
    """The one claim about several measures, with the p of each part."""
    table = parts.claim_table(claim, alpha)
    return doc.Article("claim", table.title, (doc.Section("claim", "", lambda: [replace(table, heading="none")]),), 2)


def _title(whole: Comparisons) -> str:
    if parts.is_family_of_metrics(whole):
        return parts.metrics_verdict(whole).headline
    alone = len(whole.comparisons) == 1 or parts.slices(whole) is not None
    return facts.heading(whole.comparisons[0]) if alone else f"{len(whole.comparisons)} comparisons"


def _overview(whole: Comparisons, *, answered: bool = False) -> doc.Article:
    """All comparisons in one table; a paper needs it for a single one too.

    Below the answer, only a paper repeats how the input was read: it has no other place for it.
    """
    forms = ("latex", "markdown", "html") if len(whole.comparisons) != 1 else ("latex",)
    sentences = [doc.Quote(facts.paper_sentence(c)) for c in whole.comparisons]
    reading = doc.Section(
        "reading",
        "",
        lambda: common.read_as(whole.comparisons[0].reading, whole.comparisons[0].notes) if whole.comparisons else [],
    )
    sections = (
        reading.only("latex") if answered else reading,
        doc.Section("results", "", lambda: [_leading(replace(results(whole), heading="none"), whole)]),
        doc.Section("sentences", "", lambda: sentences).only("latex"),
    )
    return doc.Article("", _title(whole), sections).only(*forms)


def _metrics(whole: Comparisons) -> doc.Article:
    """Several metrics as one answer, followed by each of them."""
    compared, first = whole.comparisons, whole.comparisons[0]
    verdict, table = parts.metrics_verdict(whole), parts.metric_table(whole)
    sentence_of_all = verdict.text if verdict.reason else f"{verdict.headline}."
    line = tuple(
        doc.clean(
            f"{c.metric} {numbers.format_number(c.difference, phrases.decimals_of(c), sign=True)}, adj. p {adjusted(c.p)}"
        )
        for c in compared[:MAX_IN_LINE]
    )
    answer = doc.Verdict((sentence_of_all,), verdict.headline, verdict.reason, table.title, tone="told", line=line)
    # What undermines one metric undermines the answer; several metrics may have the same caveat.
    caveats = list(dict.fromkeys(block for c in compared for block in _caveats(c, told=("warning",))))
    # Each metric has contradictions of its own.
    against = [doc.Paragraph(text, "warning") for text in parts.metric_contradictions(whole)]
    signatures = doc.Code("\n".join(parts.metric_signatures(whole)))
    words = parts.metric_sentence(whole)
    sentence = common.quotes(
        words, " ".join([words, *(text for c in compared for text in facts.effect_and_power(c, named=True))])
    )
    excerpt = [parts.segments(first, parts.MAX_BRIEF, whole=False)] if first.segments else []
    own = [replace(t, title=_of_metric(t, c)) for c in compared for t in _asked_for(c, whole)]
    sections = (
        doc.Section("answer", "", lambda: [answer, *against, *caveats]).but("latex"),
        doc.Section("reading", "", lambda: common.read_as(first.reading, [note for c in compared for note in c.notes])),
        doc.Section("metrics", "", lambda: [_leading(replace(table, heading="bold", label="results"), whole)]),
        doc.Section("sentence", "", lambda: sentence).but("text"),
        # One screen: what was requested, and the segments behind the first metric.
        doc.Section("evidence", "", lambda: [common.facts_block(parts.metric_facts(whole)), *sentence, signatures])
        .only("text")
        .brief(),
        doc.Section("tables", "", lambda: own).only("text").brief(),
        doc.Section("segments", "", lambda: excerpt).only("text").brief(),
    )
    return doc.Article("", verdict.headline, sections)


def _leading(table: doc.Table, whole: Comparisons) -> doc.Table:
    """A table of all comparisons whose rows link to each of them, on a page."""
    return replace(table, links={i: f"c{i + 1}" for i in range(len(whole.comparisons))}, named_by="metric")


def _of_metric(table: doc.Table, c: Comparison) -> str:
    """The title of a table among those of other metrics; that of buckets names the metric anyway."""
    return table.title if table.key == "buckets" else doc.clean(f"{table.title}: {c.metric}")


def _asked_for(c: Comparison, whole: Comparisons) -> list[doc.Table]:
    """Tables that exist only because the user asked for them, so no form leaves them out."""
    alpha = alpha_of(whole)
    tests = [every_test(c, alpha)] if c.tests else []
    buckets = [parts.bucket_table(c, alpha)] if c.buckets else []
    return [*tests, *buckets, *([unit_advice(c)] if c.unit_advice else [])]


def _comparison(c: Comparison, whole: Comparisons, number: int, *, depth: int) -> doc.Article:
    """One comparison: the verdict first, the evidence below it, the signature last."""
    alpha = alpha_of(whole)

    def tables(*candidates: doc.Table | None) -> list[doc.Table]:
        present = [table for table in candidates if table is not None and table.rows]
        return [replace(table, about=facts.heading(c), label=f"{table.key}-{number}") for table in present]

    def only_full(*candidates: doc.Table | None) -> list[doc.Table]:
        return [table.full() for table in tables(*candidates)]

    # On a screen, a line of its own shows the way from rows to units.
    steps = [table.but("text", "latex", level="brief") for table in tables(path(c))]
    cited = common.paper(c.sentence, str(c.signature), facts.paper_sentence(c))
    # The reading is shown once: with the only comparison, in the overview of several, or, on a screen, with the first.
    read = common.read_as(c.reading, c.notes) if depth == 1 else []
    if depth > 1 and number == 1 and not parts.is_family_of_metrics(whole):
        read = [block.only("text") for block in common.read_as(c.reading, c.notes)]
    # Segments are shown with their texts, which say more than their scores.
    items = [] if c.segments else only_full(replace(deciding_items(c), links=parts.question_links(c, parts.MAX_SHOWN)))
    listing = doc.Section("segments", parts.segments_title(c), lambda: _segments(c))
    told = doc.Section("answer", "", lambda: [_verdict(c, whole, nested=depth > 1), *_caveats(c), *_next_step(c), *read])
    answer, pictures = common.illustrated(told.but("latex"), "comparison.CHARTS", (c, whole), "difference", instead=fourfold(c))
    sections = (
        answer,
        doc.Section("scores", "", lambda: _scores(c, alpha)).only("text", "markdown"),
        pictures,
        doc.Section(
            "evidence",
            "Evidence",
            lambda: [
                _cards(c, whole),
                *_facts(c, whole),
                *[t.only("html") for t in (*steps, *only_full(effects(c)), *tables(every_test(c, alpha)))],
            ],
            joined=True,
        ).but("latex"),
        cited.only("text"),
        doc.Section("tables", "", lambda: [*steps, *only_full(effects(c)), *tables(every_test(c, alpha))]).but("html"),
        doc.Section("buckets", "Subsets", lambda: tables(parts.bucket_table(c, alpha))),
        listing.only("html"),
        doc.Section("questions", parts.TITLE, lambda: _questions(c)).but("latex"),
        doc.Section(
            "analysis",
            "Analysis of the data",
            lambda: [*only_full(*(make(c) for make in (summaries, checks, advice, nlpstattest))), *tables(unit_advice(c))],
        ),
        doc.Section("power", "Power", lambda: _power(c, only_full(power(c)))),
        doc.Section("items", "What drove the difference", lambda: items),
        listing.but("html"),
        doc.Section("signature", "", lambda: [doc.Code(doc.clean(str(c.signature)))]).only("latex"),
        cited.only("markdown", "html"),
    )
    return doc.Article(f"c{number}", facts.heading(c), sections, depth, facts.headline(c)[0])


def _verdict(c: Comparison, whole: Comparisons, *, nested: bool) -> doc.Verdict:
    top, reason = facts.headline(c)
    kind = facts.heading(c) if nested else CLAIMS[c.decision.claim]
    return doc.Verdict(
        (c.verdict,),
        top,
        reason,
        kind,
        strong=top,
        plain=(reason,) if reason else (),
        tone="won" if c.decision.winner is not None else "",
        opening=top,
        named=common.begins_with_name(reason, c.systems),
        line=_line(c, whole),
    )


def _line(c: Comparison, whole: Comparisons) -> tuple[str, ...]:
    """P and the difference with its interval."""
    decimals = phrases.decimals_of(c)
    difference = numbers.format_number(c.difference, decimals, sign=True)
    interval = "" if c.interval is None or other_estimand(c) is not None else phrases.interval_phrase(c.interval, decimals)
    p = numbers.format_p(c.p, alpha_of(whole), brief=True)
    return (doc.clean(p), doc.clean(", ".join(filter(None, (difference, interval)))))


def _next_step(c: Comparison) -> list[doc.Block]:
    """What to do if nothing was decided; other forms say it with the power."""
    return [doc.Paragraph(f"{line}.", "to-do").only("html") for line in facts.next_step(c)]


def _caveats(c: Comparison, told: Sequence[NoteKind] = BESIDE_VERDICT) -> list[doc.Block]:
    """What a reader must know before believing the verdict; on a screen, the evidence below contains it anyway."""
    warnings = [doc.Paragraph(facts.first_sentence(doc.clean(text)), "warning").only("html") for text in facts.warning_lines(c)]
    return [*common.warnings_of(note for note in c.notes if note.kind in told), *warnings]


def _scores(c: Comparison, alpha: float | None) -> list[doc.Block]:
    lines = doc.Facts((doc.Fact("scores", tuple(score_lines(c, alpha))),))
    return [lines.only("text"), replace(scores(c, alpha), heading="none").only("markdown")]


def _facts(c: Comparison, whole: Comparisons) -> Iterable[doc.Block]:
    plain, detailed = doc.Facts(tuple(facts.evidence(c, whole))), doc.Facts(tuple(facts.evidence(c, whole, verbose=True)))
    # One screen has room for what is wrong; what to do about it is in the other forms and in the verbose text.
    yield doc.Facts(tuple(facts.short_evidence(c, whole))).only("text").brief()
    yield plain.only("markdown").brief()
    yield detailed.only("text", "markdown").full()
    method = c.scores[0].method if c.scores[0].low is not None else ""
    intervals = [doc.Fact("intervals", (f"for single scores: {method}",))] if method else []
    yield replace(plain, facts=(*plain.facts, *intervals)).only("html")


def _power(c: Comparison, curves: list[doc.Table]) -> Iterable[doc.Block]:
    """The curve; on a page, its numbers are folded away below the statements about it."""
    for table in curves:
        yield table.but("html")
        yield from (doc.Paragraph(line[:1].upper() + line[1:]).only("html") for line in facts.power_lines(c))
        yield from (doc.Paragraph(note, "note").only("html") for note in table.notes)
        yield replace(table, notes=(), fold="The curve in numbers", heading="none").only("html")


def _questions(c: Comparison) -> Iterable[doc.Block]:
    for most, full in ((parts.MAX_BRIEF, False), (parts.MAX_SHOWN, True)):
        shown = parts.questions(c, most)
        if shown is not None:
            yield shown.full().but("html") if full else shown.brief()
    # A page always shows everything, and has room for whole texts.
    texts = parts.questions(c, parts.MAX_SHOWN, whole=True)
    if texts is not None:
        yield texts.only("html")


def _segments(c: Comparison) -> Iterable[doc.Block]:
    if c.segments:
        yield parts.segments(c, parts.MAX_BRIEF, whole=False).only("text").brief()
        yield parts.segments(c, parts.MAX_BRIEF).only("markdown").brief()
        yield parts.segments(c, parts.MAX_SHOWN).full()


def _cards(c: Comparison, whole: Comparisons) -> doc.Cards:
    """The numbers everybody looks for first; an interval only below the number it is about."""
    decimals, alpha = phrases.decimals_of(c), alpha_of(whole)
    roles: tuple[Literal["a", "b"], ...] = ("a", "b")
    cards = [
        doc.Card(
            doc.clean(s.system),
            numbers.format_number(s.value, decimals),
            (doc.clean(f"{c.score_name}, {phrases.better(higher=c.higher_is_better)}"), *_ends(s, alpha, decimals)),
            role,
        )
        for s, role in zip(c.scores, roles, strict=True)
    ]
    for i, (name, value, interval, places) in enumerate(estimates(c)):
        shown = "unknown" if value is None else numbers.format_number(value, places, sign=True)
        about = ["no interval"] if c.interval is None else []
        if interval is not None:
            about = [f"{phrases.interval_noun(interval)} {numbers.format_interval(interval, places)}"]
        cards.append(doc.Card(name, shown, tuple(about), key="" if i else "difference"))
    if c.bayes is not None:
        cards.append(_posterior(c.bayes))
    error = numbers.format_p_error(c.p)
    claim = phrases.claim_phrase(c.population, c.design)
    about_p = (*([error] if error else []), phrases.method_phrase(c.p), *([f"about {claim}"] if claim else []))
    cards.append(doc.Card("p", numbers.format_p_number(c.p, alpha), about_p, key="p"))
    return doc.Cards(tuple(cards), pair=True).only("html")


def _ends(score: SystemScore, alpha: float | None, decimals: int) -> list[str]:
    shown = numbers.interval_ends(score.low, score.high, decimals)
    return [f"{interval_head(alpha)} {shown}"] if shown else []


def _posterior(bayes: Bayes) -> doc.Card:
    equal = [f"practically equal (within {bayes.rope:g}) {numbers.format_probability(bayes.equal)}"] if bayes.rope else []
    others = (*equal, f"B better {numbers.format_probability(bayes.b_better)}")
    return doc.Card("posterior: A better", numbers.format_probability(bayes.a_better), others)


def _words(whole: Comparisons) -> Iterable[doc.Article]:
    """Which words make the difference, if requested."""
    words = whole.words
    if words is not None:
        tables = [table for table in (parts.word_table(whole, words), *parts.ngram_tables(whole, words)) if table.rows]
        yield doc.Article("words", "Which words make the difference", (doc.Section("words", "", lambda: tables),), 2)


def _closing(whole: Comparisons) -> Iterable[doc.Article]:
    family = family_note(whole)
    repeated = common.settings(whole.settings, note=family)
    corrected = doc.Facts((doc.Fact("family", (family,)),)) if family else None
    sections = (doc.Section("family", "", lambda: [corrected]).only("text"),)
    # Tables of slices and metrics have a note about the correction.
    below_table = parts.is_family_of_metrics(whole) or parts.slices(whole) is not None
    note = doc.Article("", "", sections)
    yield note.but("text", level="brief") if below_table else note
    yield doc.Article("", "", (*common.references(uses_of_comparisons, whole), repeated))


def card(whole: Comparisons) -> doc.Document:
    """The verdict and its numbers, for notebooks; several comparisons get a row each."""
    if len(whole.comparisons) == 1:
        return _card_of_one(whole.comparisons[0])
    shown = whole.comparisons[:MAX_COMPARISONS]
    systems = shown[0].systems if shown else ("", "")
    columns: list[Column[Comparison]] = [
        words("", lambda c: c.score_name + ("" if c.slice is None else f", {c.slice.column} = {c.slice.value}")),
        *score_columns((*systems, phrases.difference_called(systems)), scores_of),
        words("p", lambda c: c.p, numbers.format_p_number),
        words("adjusted p", lambda c: c.p.adjusted, numbers.format_probability),
        words("", lambda c: stored_verdict(c).headline),
    ]
    table = common.card_table(columns if shown else [], shown)
    left = (len(whole.comparisons) - len(shown), "comparison")
    reading = shown[0].reading if shown else None
    return common.card_document(numbers.count(len(whole.comparisons), "comparison"), "", table, left=left, reading=reading)


def _card_of_one(c: Comparison) -> doc.Document:
    verdict = stored_verdict(c)
    decimals = phrases.decimals_of(c)
    rows = [
        (s.system, numbers.format_number(s.value, decimals), numbers.interval_ends(s.low, s.high, decimals)) for s in c.scores
    ]
    for name, value, interval, places in estimates(c):
        low, high = (None, None) if interval is None else (interval.low, interval.high)
        shown = "" if value is None else numbers.format_number(value, places, sign=True)
        rows.append((name, shown, "" if interval is None else numbers.interval_ends(low, high, places)))
    rows.append(("p", numbers.format_p_number(c.p), phrases.method_phrase(c.p)))
    if c.p.adjusted is not None:
        rows.append(("adjusted p", numbers.format_probability(c.p.adjusted), ""))
    level = "interval" if c.interval is None else f"{numbers.format_percent(c.interval.level)} CI"
    table = common.card_table(texts("", c.score_name, level), rows)
    return common.card_document(verdict.headline, verdict.reason, table, note_texts(c.notes), reading=c.reading)


def screen(whole: Comparisons) -> doc.Screen:
    """Who won, the scores, p, how the input was read, and what to do next."""
    if parts.is_family_of_metrics(whole):
        return _screen_of_metrics(whole)
    if not whole.comparisons:
        return doc.Screen("No comparisons", ())
    table = parts.slices(whole)
    if len(whole.comparisons) > 1 and table is None:
        return _screen_of_several(whole)
    c = whole.comparisons[0]
    tables = _bare_tables(c, whole)
    if table is not None:
        tables.append(common.bare(table, title=table.title, notes=table.notes[:1]))
    return doc.Screen(
        _short_headline(c),
        _screen_facts(c, whole),
        common.warnings_on_screen(
            [note for c in whole.comparisons for note in c.notes], map(facts.first_sentence, facts.warning_lines(c))
        ),
        tone="won" if c.decision.winner is not None else "",
        below=tuple(tables),
    )


def _short_headline(c: Comparison) -> str:
    """Who won, with both names where the lines below shorten them."""
    top, names = facts.headline(c)[0], phrases.short_names(c.systems)
    if c.identical:
        return f"{top}: {c.systems[0]} and {c.systems[1]} scored identically on every item"
    if c.decision.winner is None and any(names[name] != name for name in c.systems):
        return f"{top}: {c.systems[0]} against {c.systems[1]}"
    return top


def _bare_tables(c: Comparison, whole: Comparisons) -> list[doc.Table]:
    return [common.bare(table, title=table.title) for table in _asked_for(c, whole)]


def _screen_facts(c: Comparison, whole: Comparisons) -> tuple[doc.Fact, ...]:
    return doc.statements(
        (c.score_name, [doc.PART.join(_score_parts(c))]),
        (numbers.format_p(c.p, alpha_of(whole), brief=True), [_how(c, whole)]),
        ("also", [_other_claims(c, alpha_of(whole))]),
        ("margin", facts.margin_lines(c, alpha_of(whole))),
        ("bayes", facts.bayes_lines(c)),
        ("any time", facts.anytime_lines(c, alpha_of(whole))[:1]),
        ("datasets", facts.dataset_lines(c)[:1]),
        ("items", facts.lost_items(c, whole.settings)),
        ("read as", common.short_read_as(c.reading)),
        ("others", [doc.clean(note.text) for note in c.notes if note.kind == "peer"]),
        ("next", facts.next_step(c, short=True)),
    )


def _score_parts(c: Comparison) -> list[str]:
    """Both scores, the difference and its interval."""
    scores = {score.system: score.value for score in c.scores}
    told, places = common.answer_parts(scores, c.difference, None if other_estimand(c) else c.interval)
    return told if c.interval is None else [*told, phrases.interval_phrase(c.interval, places)]


def _how(c: Comparison, whole: Comparisons) -> str:
    """The test, what it counts, and what p is about where that could be several things."""
    units = facts.units_phrase(c)
    claim = phrases.claim_phrase(c.population, c.design, c.design.noun)
    delta = whole.settings.get("delta")
    side = "" if facts.alternative_of(c, whole) == "two-sided" else facts.sides(c, whole)
    against = f", against a difference of {delta:g}" if delta else ""
    adjusted_p = f"; adjusted p = {adjusted(c.p)}" if c.p.adjusted is not None else ""
    return f"{phrases.method_phrase(c.p)}{side}{against}, {units}{f'; about {claim}' if claim else ''}{adjusted_p}"


def _other_claims(c: Comparison, alpha: float | None) -> str:
    """What p would be for other populations."""
    kind = c.design.repeat_kind
    if kind is None or not c.other_populations:
        return ""
    return "; ".join(
        f"{numbers.format_p(other.p, alpha, brief=True)} about {claim_of(other.population, kind)}"
        for other in c.other_populations
    )


def _screen_of_metrics(whole: Comparisons) -> doc.Screen:
    first, verdict, table = whole.comparisons[0], parts.metrics_verdict(whole), parts.metric_table(whole)
    notes = [note for c in whole.comparisons for note in c.notes if note.kind != "contradiction"]
    claim = [] if whole.claim is None else parts.claim_table(whole.claim, alpha_of(whole)).notes[:1]
    found = {fact.label: fact.lines for fact in parts.metric_facts(whole)}
    further = [facts.first_sentence(text) for c in whole.comparisons for text in facts.warning_lines(c)]
    told = doc.statements(
        ("p", [parts.methods_of(whole)]),
        ("adj. p", [parts.correction_of(whole)]),
        ("claim", claim),
        ("margin", found.get("margin", ())),
        ("bayes", found.get("bayes", ())),
        ("read as", common.short_read_as(first.reading)),
    )
    tables = [common.bare(table, title=table.title)]
    tables += [replace(t, title=_of_metric(t, c)) for c in whole.comparisons for t in _bare_tables(c, whole)]
    warnings = common.warnings_on_screen(notes, [*parts.metric_contradictions(whole), *further])
    return doc.Screen(verdict.headline, told, warnings, tuple(tables), "told")


def _screen_of_several(whole: Comparisons) -> doc.Screen:
    table = results(whole)
    told = doc.statements(
        ("p", [tests_used(whole), family_note(whole)]),
        ("read as", common.short_read_as(whole.comparisons[0].reading)),
    )
    notes = [note for c in whole.comparisons for note in c.notes]
    further = [facts.first_sentence(text) for c in whole.comparisons for text in facts.warning_lines(c)]
    warnings = common.warnings_on_screen(notes, further)
    return doc.Screen(f"{len(whole.comparisons)} comparisons", told, warnings, (common.bare(table),), "told")


def lines(whole: Comparisons) -> list[Line]:
    """Every comparison as keys and values."""
    return [line_of(c) for c in whole.comparisons]


def line_of(c: Comparison) -> Line:
    """One comparison as keys and values, with an interval if it is of the difference."""
    winner = "" if c.decision.winner is None else c.systems[c.decision.winner]
    interval = None if other_estimand(c) is not None else c.interval
    return common.line_of(winner, c.metric, [score.value for score in c.scores], c.difference, interval, c.p, c.n)


KIND = Kind(
    build,
    card,
    {"comparisons": comparisons},
    "comparison.CHARTS",
    parts=lambda whole: [(c, whole) for c in whole.comparisons],
    screen=screen,
    lines=lines,
)
