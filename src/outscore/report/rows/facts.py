"""A comparison in short statements, the most important first: what the text shows and the other forms list as evidence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from outscore.inference.populations import ITEMS_AND_RUNS, THESE_ITEMS, claim_of, question_of
from outscore.language import numbers, phrases
from outscore.language.verdict.comparison import stored_verdict
from outscore.report.document import PART, Fact, clean, statements
from outscore.report.rows import comparison
from outscore.report.rows.columns import alpha_of
from outscore.results.analysis import Power
from outscore.results.comparison import Comparison, Comparisons, PopulationAnswer
from outscore.results.design import Missing
from outscore.results.note import Signature, texts_below
from outscore.results.pvalue import PValue

SENTENCE_END = re.compile(r"(?<=[.]) (?=[A-Z])")
TREATMENTS = {"drop": "left out", "zero": "they count as 0"}
MAX_NAMED = 6
"""How many datasets are named; the rest is counted."""


def headline(c: Comparison) -> tuple[str, str]:
    """The verdict in two parts, who won and why: the headline, and the text below it."""
    verdict = stored_verdict(c)
    return clean(verdict.headline), clean(verdict.reason)


def heading(c: Comparison) -> str:
    """What was compared, as a title."""
    a, b = c.systems
    return clean(f"{a} against {b}: {comparison.subject(c)}")


def evidence(c: Comparison, whole: Comparisons, *, verbose: bool = False) -> tuple[Fact, ...]:
    """Everything that supports the verdict in a line or two, without what is missing."""
    alpha = alpha_of(whole)
    return statements(
        ("difference", _difference(c, verbose=verbose)),
        ("p-value", _p(c, whole, verbose=verbose)),
        ("spreads", _spreads(c, alpha)),
        ("claims", _claims(c, alpha)),
        ("datasets", dataset_lines(c)),
        ("parts", _parts(c)),
        ("margin", _margin(c, alpha)),
        ("bayes", bayes_lines(c)),
        ("any time", anytime_lines(c, alpha)),
        ("effect size", _effects(c)),
        ("power", power_lines(c)),
        ("fragility", _fragility(c)),
        ("design", _design(c)),
        ("runs", _run_lines(c, alpha)),
        ("alignment", _alignment(c, verbose=verbose)),
        ("warnings", warning_lines(c)),
        ("notes", texts_below(c.notes)),
    )


def short_evidence(c: Comparison, whole: Comparisons) -> list[Fact]:
    """The same for one screen: warnings without their cures, and the way from rows to units in one line."""
    facts = []
    for fact in evidence(c, whole):
        lines = tuple(map(first_sentence, fact.lines)) if fact.label == "warnings" else fact.lines
        facts.append(Fact(fact.label, lines))
        if fact.label == "design":
            facts.append(Fact("", tuple(comparison.path_line(c))))
    return facts


def first_sentence(text: str) -> str:
    """A warning says what is wrong, then what to do about it; a screen has room for the first."""
    return SENTENCE_END.split(text, maxsplit=1)[0]


def _difference(c: Comparison, *, verbose: bool) -> list[str]:
    decimals = phrases.decimals_of(c)
    a, b = c.systems
    rows = [f"{numbers.format_number(c.difference, decimals, sign=True)}   ({clean(a)} - {clean(b)})"]
    if c.interval is None:
        return [*rows, "no interval for this test and metric"]
    # Everybody expects an interval to agree with its test, so only the exception is worth a mention.
    dual = ", dual to the test" if verbose else ""
    if not c.interval.dual:
        dual = ", not dual to the test"
    return [*rows, f"{phrases.interval_phrase(c.interval, decimals)}   ({c.interval.method}{dual})"]


def sides(c: Comparison, whole: Comparisons) -> str:
    """How many sides the test had; for a one-sided test, who is better, which `greater` and `less` alone do not say."""
    alternative = alternative_of(c, whole)
    if alternative in ("greater", "less"):
        return f", one-sided ({clean(c.systems[alternative == 'less'])} better)"
    return f", {alternative}" if alternative else ""


def alternative_of(c: Comparison, whole: Comparisons) -> str:
    """Which side the test looked at, from the settings, or from the signature of a comparison without settings."""
    return str(whole.settings.get("alternative") or Signature.parse(str(c.signature)).value("alternative") or "")


def _p(c: Comparison, whole: Comparisons, *, verbose: bool) -> list[str]:
    p = c.p
    middle = "" if p.mid is None else f", mid-p = {numbers.format_mid_p(p.mid, p.mid_log10)}"
    rows = [f"{numbers.format_p(p, alpha_of(whole))}{middle}; {phrases.method_phrase(p)}{sides(c, whole)}"]
    if p.adjusted is not None:
        rows.append(f"adjusted p = {numbers.format_probability(p.adjusted)}")
    rows += [f"{number:,} left out: {reason}" for reason, number in p.dropped.items()]
    if verbose:
        rows.append(f"kernel {p.kernel}, value {p.value!r}, log10 {p.log10!r}, statistic {p.statistic!r}")
    return rows


def _claims(c: Comparison, alpha: float | None) -> list[str]:
    """What p is about, and what it would be for other populations, each with its question."""
    kind = c.design.repeat_kind
    if kind is None:
        return []
    lines: list[str] = []
    answers = [PopulationAnswer(c.population, c.p, c.interval, c.smallest_p), *c.other_populations]
    for answer in answers:
        a, b = map(clean, c.systems)
        wanted = question_of(answer.population, kind, (a, b))
        question = f" ({wanted})" if wanted else ""
        decides = "; this claim decides" if len(answers) > 1 and not lines else ""
        result = f"{numbers.format_p(answer.p, alpha, brief=True)}, {phrases.method_phrase(answer.p)}"
        if lines and answer.interval is not None:
            result += f", {phrases.interval_phrase(answer.interval, phrases.decimals_of(c))}"
        result += f"; {floor}" if (floor := _floor(answer, c, alpha)) else ""
        lines.append(f"{claim_of(answer.population, kind)}{question}: {result}{decides}")
    return [*lines, *_unanswered(c, kind)]


def _level(c: Comparison, alpha: float | None) -> float | None:
    """Alpha, from the signature of a comparison made in Python, which has no settings."""
    level = c.signature.value("alpha") if alpha is None else None
    return alpha if level is None else float(level)


def _floor(answer: PopulationAnswer, c: Comparison, alpha: float | None) -> str:
    """The smallest p that a claim can reach, and whether it rules the claim out."""
    if answer.smallest_p is None:
        return "any p is possible" if answer.population == ITEMS_AND_RUNS else ""
    least, alpha = numbers.format_probability(answer.smallest_p), _level(c, alpha)
    if alpha is None or answer.smallest_p <= alpha:
        return f"no p is below {least}"
    enough = numbers.count(answer.p.n, "item" if c.clusters is None else "cluster")
    if answer.population == THESE_ITEMS and c.design.repeats_of is not None:
        times = dict.fromkeys(f"{number:g}" for number in c.design.repeats_of)
        enough = f"{' and '.join(times)} {c.design.repeat_kind}"
    return f"cannot be shown with {enough}, as no p is below {least}"


def _unanswered(c: Comparison, kind: str) -> list[str]:
    """Populations that one score for all runs of an item says nothing about, each with its question."""
    if not c.design.reduced:
        return []
    a, b = map(clean, c.systems)
    why = f"no answer, because {c.design.reduced} is one score for all runs of an item; --reduce mean gives one"
    populations = [ITEMS_AND_RUNS, THESE_ITEMS] if kind == "runs" else [THESE_ITEMS]
    return [f"{claim_of(name, kind)} ({question_of(name, kind, (a, b))}): {why}" for name in populations]


def dataset_lines(c: Comparison) -> list[str]:
    """On how many datasets the system ahead is better, and on which."""
    shown = c.replicability
    if shown is None:
        return []
    first, second = map(clean, shown.systems)
    lines = []
    # Bonferroni holds for independent datasets, too: Fisher is worth a word only where it finds more, and none is no news.
    more = shown.fisher > shown.bonferroni
    if shown.bonferroni:
        independent = f", {shown.fisher} if they are independent (Fisher)" if more else ""
        lines.append(f"{first} is better on at least {shown.bonferroni} of {shown.datasets} datasets (Bonferroni){independent}")
    elif more:
        lines.append(
            f"{first} is better on at least {shown.fisher} of {shown.datasets} datasets, if they are independent (Fisher)"
        )
    for name, where in ((first, shown.holm), (second, shown.worse)):
        if where:
            on = phrases.join_words(where, MAX_NAMED)
            lines.append(clean(f"{name} is significantly better on {on} (Holm over datasets)"))
    return lines


def _parts(c: Comparison) -> list[str]:
    """What each system's score is made of."""
    lines = []
    for system, place in zip(c.systems, ("a", "b"), strict=True):
        values = [
            f"{part.name} {numbers.format_number(getattr(part, place), numbers.decimals_for(part.a, part.b))}"
            for part in c.parts
        ]
        if values:
            lines.append(clean(f"{system}: {', '.join(values)}"))
    return lines


def _margin(c: Comparison, alpha: float | None) -> list[str]:
    margin = c.margin
    if margin is None:
        return []
    alpha = _level(c, alpha)
    a, b = map(clean, c.systems)
    estimand = comparison.other_estimand(c)
    size = f"{margin.value:g}" if estimand is None else f"{margin.value:g} in the {estimand[0]}"
    claims = (
        (f"non-inferior ({a} worse than {b} by less than {size})", margin.noninferiority, phrases.noninferiority_phrase),
        (f"equivalent (apart by less than {size})", margin.equivalence, phrases.equivalence_phrase),
    )
    lines = [f"{phrases.shown_prefix(p, alpha)}{claim}: {phrase(p, alpha)}" for claim, p, phrase in claims]
    if margin.limit is not None:
        end = phrases.margin_limit_phrase(margin.limit, phrases.decimals_of(c), higher_is_better=c.higher_is_better)
        lines.append(f"{a} - {b} {end} (one-sided limit)")
    if margin.needed is not None:
        lines.append(f"about {numbers.count(margin.needed, c.design.noun)} like these would show non-inferiority with power .8")
    return lines


def bayes_lines(c: Comparison) -> list[str]:
    """Posterior probabilities, if asked for."""
    if c.bayes is None:
        return []
    a, b = map(clean, c.systems)
    return [f"posterior probabilities: {phrases.posterior_phrase(c.bayes, (a, b))}"]


def anytime_lines(c: Comparison, alpha: float | None) -> list[str]:
    """Evidence that is valid at every look."""
    anytime = c.anytime
    if anytime is None:
        return []
    decimals = phrases.decimals_of(c)
    unit = "item" if c.clusters is None else "cluster"
    ends = numbers.format_ends(anytime.low, anytime.high, decimals)
    stop = f"no reason to stop within {numbers.count(anytime.units, unit)}"
    if anytime.stopped_at is not None:
        stop = f"could have stopped after {anytime.stopped_at:,} of {numbers.count(anytime.units, unit)}"
    level = "" if alpha is None else f" (1/alpha = {1 / alpha:.4g})"
    how = "right-or-wrong items" if anytime.binary else f"bets on differences of at most {anytime.bound:g}"
    return [
        f"{stop}: e = {anytime.e_value:.4g}{level}, anytime p = {numbers.format_probability(anytime.p)}, {how}",
        f"confidence sequence {ends}; valid at every look, and not dual to p",
    ]


def _effects(c: Comparison, *, level: bool = False) -> list[str]:
    """The standardised effect in one line; the table of effects has them all."""
    first = next((e for e in c.effects if e.name == "cohen_dz"), c.effects[0] if c.effects else None)
    if first is None or not (value := comparison.effect_value(first)):
        return []
    ends = comparison.effect_ends(first)
    if level and ends and c.interval is not None:
        ends = f"{numbers.format_percent(c.interval.level)} CI {ends}"
    return [f"{comparison.effect_name(first.name)} {value}" + (f" ({ends})" if ends else "")]


def paper_sentence(c: Comparison) -> str:
    """The sentence for a paper, and what else a paper should report: effect size and power (Zhu et al., 2020)."""
    return clean(" ".join([c.sentence, *effect_and_power(c)]))


def effect_and_power(c: Comparison, *, named: bool = False) -> list[str]:
    """A sentence on the effect size and what could be detected, if there is anything to say; it may name the metric."""
    about = f" in {c.metric}" if named else ""
    effect = [f"The effect size{about} is {found}" for found in _effects(c, level=True)]
    power = [] if c.power is None else _detectable(c, c.power)
    said = "; ".join([*effect, *power])
    return [f"{said}."] if said else []


def power_lines(c: Comparison) -> list[str]:
    """What this number of items could have shown."""
    if c.power is None or not (c.power.curve or c.power.needed):
        return []
    return [*_detectable(c, c.power), *next_step(c)]


def _detectable(c: Comparison, power: Power) -> list[str]:
    size, unit = comparison.units_of(c)
    # Where items have no scores of their own, the reader should know where the spread comes from.
    by = " (spread estimated by the jackknife)" if power.jackknife else ""
    away = power.detectable_effect
    if not power.curve:
        return []
    if away is None:
        kept = " as long as the systems differ on as few items as here" if c.p.kernel == "binomial" else ""
        return [f"{size:,} {unit} cannot detect any difference with power .80{kept}{by}"]
    decimals = numbers.decimals_for(*(s.value for s in c.scores), difference=away)
    found = numbers.format_number(away, decimals)
    if power.delta:
        found += f" from the tested {power.delta:g}"
    return [f"{size:,} {unit} can detect a true difference of {found} with power .80{by}"]


def next_step(c: Comparison, *, short: bool = False) -> list[str]:
    """How many units a true difference of the observed size would take, where nothing was decided; in `short`, on one line."""
    power = c.power
    if power is None or power.needed is None or c.decision.claim != "undecided":
        return []
    about = f"about {power.needed:,} {comparison.units_of(c)[1]}{' of each system' if c.unpaired is not None else ''}"
    if c.population == ITEMS_AND_RUNS:
        about += ", with as many runs as here"
    if short:
        return [f"{about} would show such a difference (power .80)"]
    return [f"detecting a true difference as large as the observed one would take {about} (power .80)"]


def _fragility(c: Comparison) -> list[str]:
    k = c.fragility
    if k is None:
        return []
    unit = comparison.units_of(c)[1].removesuffix("s")
    return [f"the verdict would change if the scores of {k:,} {unit}{'' if k == 1 else 's'} were swapped"]


def _spreads(c: Comparison, alpha: float | None) -> list[str]:
    """For unpaired items: how much each system's vary, and the result of Welch's test, which allows unequal spreads."""
    unpaired = c.unpaired
    if unpaired is None:
        return []
    a, b = map(clean, c.systems)
    spreads = [f"sd {sd:.4g} for {name}" for sd, name in zip(unpaired.sd, (a, b), strict=True) if sd is not None]
    lines = [", ".join(spreads)] if spreads else []
    if unpaired.welch is not None and unpaired.welch != c.p:
        ends = (
            ""
            if unpaired.welch_interval is None
            else f", {phrases.interval_phrase(unpaired.welch_interval, phrases.decimals_of(c))}"
        )
        p = f"{numbers.format_p(unpaired.welch, alpha, brief=True)}, {phrases.method_phrase(unpaired.welch)}"
        lines.append(f"allowing unequal spreads: {p}{ends}")
    return lines


def margin_lines(c: Comparison, alpha: float | None) -> list[str]:
    """Whether a loss and a difference within the margin are shown, as questions with answers."""
    margin, alpha = c.margin, _level(c, alpha)
    if margin is None or alpha is None:
        return []
    claims = ((f"loss below {margin.value:g} shown?", margin.noninferiority), ("equivalent?", margin.equivalence))
    return [PART.join(answered(question, p, alpha) for question, p in claims)]


def answered(question: str, p: PValue, alpha: float) -> str:
    """A question and its answer, without a double negative.

    Examples
    --------
    >>> answered("loss below 0.02 shown?", PValue(0.31, 0.31, 0.31, -0.5, "asymptotic", "tango"), 0.05)
    'loss below 0.02 shown? no, p = .310'
    """
    return f"{question} {'yes' if p.rejects(alpha) else 'no'}, {numbers.format_p(p, alpha, brief=True)}"


def units_phrase(c: Comparison) -> str:
    """On how many items, and in how many clusters.

    Examples
    --------
    >>> from outscore import compare
    >>> units_phrase(compare([1, 0, 1, 1], [0, 0, 1, 0]))
    '4 items'
    """
    if c.unpaired is not None:
        groups = c.unpaired.clusters
        inside = "" if groups is None else f" in {groups[0]:,} and {numbers.count(groups[1], c.design.group)}"
        return f"{numbers.count(c.unpaired.n[0], c.design.noun)} and {c.unpaired.n[1]:,} others{inside}"
    size = c.design.unit_size
    units = numbers.count(c.n, "unit" if size > 1 else c.design.noun)
    inside = f" in {numbers.count(c.clusters, c.design.group)}" if c.clusters is not None else ""
    return f"{units}{inside}{f' from {c.design.datasets} datasets' if c.design.datasets > 1 else ''}"


def _design(c: Comparison) -> list[str]:
    if c.unpaired is not None:
        a, b = map(clean, c.systems)
        n_a, n_b = c.unpaired.n
        units = f"{numbers.count(n_a, c.design.noun)} of {a} and {n_b:,} others of {b}, unpaired"
        if c.unpaired.clusters is not None:
            second = numbers.count(c.unpaired.clusters[1], c.design.group)
            units += f", in {c.unpaired.clusters[0]:,} and {second} that are kept whole"
        return [units]
    size = c.design.unit_size
    word = "unit" if size > 1 else c.design.noun
    units = f"{numbers.count(c.n, word)}{f' of {size} {c.design.noun}s each' if size > 1 else ''}, paired"
    if c.clusters is not None:
        units += f", in {numbers.count(c.clusters, c.design.group)}, each swapped as a whole"
    if c.design.repeat_kind is not None:
        column = f" (column {clean(c.design.repeat_column)})" if c.design.repeat_column else ""
        units += f", {phrases.repeats_phrase(c.design, c.systems)}{column}"
    elif c.design.repeats != 1:
        units += f", {c.design.repeats:.4g} repeats each on average"
    if c.design.between is not None and c.design.within is not None:
        units += f"; variance of the difference {c.design.between:.3g} between items, {c.design.within:.3g} from run to run"
    if c.design.remainder:
        units += f"; {numbers.count(c.design.remainder, c.design.noun)} left over and not used"
    return [units]


def _alignment(c: Comparison, *, verbose: bool) -> list[str]:
    x = c.alignment
    if c.unpaired is not None:
        duplicates = [f"{x.duplicates:,} duplicates"] if x.duplicates else []
        return [*duplicates, *map(_missing, x.missing)]
    if not (verbose or x.only_a or x.only_b or x.duplicates or x.missing):
        return []
    return [_common(c, c.systems), *map(_missing, x.missing)]


def lost_items(c: Comparison, settings: Mapping[str, Any]) -> list[str]:
    """What the pairing left out, for one screen: nothing where all items have a partner, and short names.

    Rows that count as 0 without being asked for have a warning.
    """
    if c.unpaired is not None:
        return _alignment(c, verbose=False)
    x, names = c.alignment, phrases.short_names(c.systems)
    lost = [_common(c, (names[c.systems[0]], names[c.systems[1]]))] if x.only_a or x.only_b or x.duplicates else []
    told = settings.get("missing") is None
    return lost + [_missing(one, names.get(one.system)) for one in x.missing if not (told and one.treatment == "zero")]


def _common(c: Comparison, names: tuple[str, str]) -> str:
    x = c.alignment
    a, b = map(clean, names)
    text = f"{x.common:,} in common, {x.only_a:,} only in {a}, {x.only_b:,} only in {b}, {x.duplicates:,} duplicates"
    return text + (f", {x.conflicts:,} in conflict" if x.conflicts else "")


def _missing(missing: Missing, name: str | None = None) -> str:
    reasons = ", ".join(f"{number:,} {reason}" for reason, number in missing.reasons.items())
    return f"rows of {clean(name or missing.system)} without a score: {reasons}; {TREATMENTS[missing.treatment]}"


def warning_lines(c: Comparison) -> list[str]:
    """What about the data may undermine the verdict."""
    return [] if c.analysis is None else list(c.analysis.warnings)


def _run_lines(c: Comparison, alpha: float | None) -> list[str]:
    """What several runs add: their scores, where the spread comes from, and the test over runs alone."""
    runs = c.runs
    if runs is None:
        return []
    decimals = numbers.decimals_for(*runs.a, *runs.b, difference=c.difference)
    lines = [
        f"{clean(name)}: {', '.join(numbers.format_number(value, decimals) for value in values)}"
        for name, values in zip(c.systems, (runs.a, runs.b), strict=True)
    ]
    spread = [
        f"{numbers.format_number(error, numbers.finer(decimals, error))} from the choice of {source}"
        for error, source in ((runs.test_set, comparison.units_of(c)[1]), (runs.runs, "runs"))
        if error is not None
    ]
    if spread:
        lines.append(f"standard error of the difference: {', '.join(spread)}")
    how = "all ways" if runs.p.exact else "random ways"
    return [*lines, f"{numbers.format_p(runs.p, alpha)} for the runs alone, over {how} to exchange runs between the systems"]
