"""What a printed table implies: which pairs differ in every case, and how many items there may be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from outscore.language.numbers import count, format_level, format_p_number, format_probability
from outscore.language.phrases import corrected_by
from outscore.language.verdict.plan import fitting_sentence
from outscore.report import document as doc
from outscore.report.build import common
from outscore.report.document import clean
from outscore.report.rows.columns import Column, Text, between, digits, not_shown, tabulate, words
from outscore.results.note import ON_SCREEN, note_texts
from outscore.results.plan import PossiblePair, PossibleTable, PrintedScore
from outscore.results.pvalue import PValue

TITLE = "What a printed table implies"
MAX_SHOWN, MAX_ON_SCREEN = 30, 10
"""How many pairs a brief text and one screen show."""
COLUMNS = (
    "first", "second", "p_lowest", "p_highest", "p_independent", "p_adjusted_lowest", "p_adjusted_highest", "outcome",
)  # fmt: skip
SCORE_COLUMNS = ("system", "score", "right_fewest", "right_most")


def score_table(table: PossibleTable) -> doc.Table:
    """The printed scores, best first, with the numbers of right answers that fit them."""
    columns: list[Column[PrintedScore]] = [
        words("system", lambda printed: printed.system),
        # More right answers, higher score: the counts sort it, however it is printed.
        Column("score", lambda printed: Text(printed.score, printed.right and printed.right[0])),
        Column("right", lambda printed: printed.right and between(*printed.right)),
    ]
    notes = [] if table.n is None else [f"Right: counts out of {count(table.n, 'item')} that round to the printed score."]
    return tabulate("scores", "Printed scores", columns, table.systems, notes)


def pair_table(table: PossibleTable, most: int | None = None) -> doc.Table:
    """The range of p of every pair, uncorrected and corrected."""

    def alone(p: PValue) -> str:
        return format_p_number(p, table.alpha)

    def adjusted(p: float) -> str:
        return format_probability(p, 3)

    columns: list[Column[PossiblePair]] = [
        words("first", lambda pair: pair.systems[0]),
        words("second", lambda pair: pair.systems[1]),
        Column("lowest p", lambda pair: pair.lowest, alone),
        Column("highest p", lambda pair: pair.highest, alone),
        Column("independent", lambda pair: pair.independent, alone),
        Column("adj. low", lambda pair: pair.adjusted_lowest, adjusted),
        Column("adj. high", lambda pair: pair.adjusted_highest, adjusted),
        words("significant", lambda pair: pair.outcome),
    ]
    notes = []
    if table.family is not None:
        family, level = corrected_by(table.family, "pair"), format_level(table.alpha)
        notes += [
            "p: exact McNemar test, two-sided, over all counts of right answers and overlaps of errors that fit the scores.",
            f"Adjusted: {family}, for all lowest and all highest p. Significant: adjusted p <= {level}.",
        ]
    notes.append(not_shown(len(table.pairs), most, "pair", " (-v shows all)"))
    return tabulate("pairs", "Possible p-values", columns, table.pairs[:most], notes)


def facts(table: PossibleTable) -> tuple[doc.Fact, ...]:
    """What the answer rests on."""
    return doc.statements(("items", [fitting_sentence(table.fitting)]), ("notes", note_texts(table.notes)))


def records(table: PossibleTable) -> doc.Records:
    """One record per pair; without a number of items, one per system."""
    if table.n is None:
        return doc.Records(SCORE_COLUMNS, tuple(digits(printed, "system", "score") for printed in table.systems))
    return doc.Records(COLUMNS, tuple(map(_record, table.pairs)))


def _record(pair: PossiblePair) -> doc.Record:
    return {
        "first": pair.systems[0],
        "second": pair.systems[1],
        **digits(pair, p_lowest="lowest.value", p_highest="highest.value", p_independent="independent.value"),
        **digits(pair, "outcome", p_adjusted_lowest="adjusted_lowest", p_adjusted_highest="adjusted_highest"),
    }


def build(printed: PossibleTable) -> doc.Document:
    """The whole answer."""
    signature = doc.Section("signature", "Signature", lambda: [doc.Code(clean(str(printed.signature)))], joined=True)
    sections = (
        doc.Section("answer", "", lambda: [_verdict(printed), *common.read_as(printed.reading, printed.notes)]),
        doc.Section("scores", "", lambda: [score_table(printed)]),
        doc.Section("pairs", "", lambda: _pairs(printed)),
        doc.Section("facts", "", lambda: [common.facts_block(facts(printed))]).but("latex"),
        signature,
        common.settings(printed.settings, "possible-settings"),
    )
    return doc.Document(TITLE, (doc.Article("", TITLE, sections),))


def _pairs(printed: PossibleTable) -> Iterable[doc.Block]:
    if printed.pairs:
        whole = replace(pair_table(printed), label="possible-pairs")
        yield pair_table(printed, MAX_SHOWN).only("text").brief()
        yield whole.only("text").full()
        yield whole.but("text")


def card(printed: PossibleTable) -> doc.Document:
    """The answer and its table, for notebooks."""
    table = pair_table(printed, MAX_SHOWN) if printed.pairs else score_table(printed)
    return common.short_document([_verdict(printed), table])


def _verdict(printed: PossibleTable) -> doc.Verdict:
    return common.verdict_of(printed, TITLE, plain=(clean(printed.verdict),), tone="told")


def screen(printed: PossibleTable) -> doc.Screen:
    """The verdict with the first pairs, or with the scores if the number of items is not known."""
    table = pair_table(printed) if printed.pairs else score_table(printed)
    noted = [clean(note.text) for note in printed.notes if note.kind not in ON_SCREEN]
    told = (
        ("items", [fitting_sentence(printed.fitting)]),
        ("read as", common.short_read_as(printed.reading)),
        ("notes", noted),
    )
    warnings = common.warnings_on_screen(printed.notes)
    return doc.Screen(
        clean(printed.verdict), doc.statements(*told), warnings, (common.bare(table, most=MAX_ON_SCREEN),), "told"
    )


def lines(printed: PossibleTable) -> list[common.Line]:
    """Every pair as keys and values; without a number of items, the smallest one that fits."""
    if not printed.pairs:
        return [{"smallest": printed.fitting.smallest, "systems": len(printed.systems)}]
    return [
        {"first": pair.systems[0], "second": pair.systems[1], "significant": pair.outcome, "lowest": pair.adjusted_lowest,
         "highest": pair.adjusted_highest, "n": printed.n}
        for pair in printed.pairs
    ]  # fmt: skip


KIND = common.Kind(build, card, {"pairs": records}, screen=screen, lines=lines)
