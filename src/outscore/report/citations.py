"""Whom to cite for what a result used: its test and interval, its metrics, its correction, and whatever else appears in it.

The works are kept as BibTeX: an entry to copy, and a line to read.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import TYPE_CHECKING

from outscore.core.records import dataclass
from outscore.inference.populations import own_test
from outscore.report.document import Fact
from outscore.results.comparison import Comparison, Comparisons
from outscore.results.pvalue import CONVOLUTIONS, Interval, PValue

if TYPE_CHECKING:
    from outscore.results.diff import Diff
    from outscore.results.plan import PlanResult, PossibleP
    from outscore.results.preference import Preference
    from outscore.results.ranking import Ranking
    from outscore.results.score import ScoreResult

ENTRY = re.compile(r"^@(\w+)\{(\w+),\n(.*?)\n\}$", re.DOTALL | re.MULTILINE)
FIELD = re.compile(r"^  (\w+) = \{(.*)\},?$", re.MULTILINE)
# The letters of our file that ASCII lacks, as every version of BibTeX reads them.
LETTERS = {r"{\v{s}}": "š", r"{\v{c}}": "č", r"{\'c}": "ć", r"{\'e}": "é", r"{\o}": "ø", r"\&": "&", "--": "–"}
MAX_NAMED = 4
Uses = Iterable[tuple[str, str]]
"""What for, and the key of the work."""

WORKS_ON_INTERVALS = {
    "Tango": "tango1998",
    "bootstrap": "efron1993",
    "Welch": "welch1947",
    "Miettinen": "miettinen1985",
    "Hodges": "hodges1963",
}
"""Works by a word in the name of the method."""
WORKS_ON_MARGINS = {"bounded-mean": ("gaffke2005",), "bounded-means": ("gaffke2005", "fay2015"), "crashes": ("gaffke2005",)}
"""Works on the test at a margin, by its kernel."""
WORKS_ON_REDUCTIONS = {"pass@": ("chen2021",), "pass^": ("yao2024",), "majority": ("wang2022",)}
"""Works on scores of several runs, without the number of these."""
WORDS = dict.fromkeys(("las", "uas", "upos", "xpos", "feats"), ("zeman2018",))
"""Scores of words and trees, as the shared tasks on universal dependencies define them."""


@dataclass(frozen=True)
class Work:
    """One entry of the bibliography: its kind and key, its fields as BibTeX has them, and the entry itself."""

    kind: str
    key: str
    fields: Mapping[str, str]
    bibtex: str

    @property
    def line(self) -> str:
        """The work as a reader wants it.

        Examples
        --------
        >>> works()["dixon1946"].line
        'Dixon, Mood (1946): The Statistical Sign Test. Journal of the American Statistical Association 41, 557–566.'
        """
        plain = {name: _plain(value) for name, value in self.fields.items()}
        title = plain["title"] + ("" if plain["title"].endswith("?") else ".")
        return f"{self._authors} ({plain['year']}): {title} {_place(self.kind, plain)}."

    @property
    def _authors(self) -> str:
        names = [_plain(name.partition(", ")[0]) for name in self.fields["author"].split(" and ")]
        return ", ".join(names) if len(names) <= MAX_NAMED else f"{names[0]} et al."


def _place(kind: str, plain: Mapping[str, str]) -> str:
    """Where the work can be found: journal, proceedings, publisher or school."""
    match kind:
        case "article":
            return f"{plain['journal']} {plain['volume']}, {plain['pages']}"
        case "inproceedings":
            return f"{plain['booktitle']}, {plain['pages']}"
        case "phdthesis":
            return f"PhD thesis, {plain['school']}"
        case "book":
            return plain["publisher"]
        case _:
            return plain["howpublished"]


def _plain(value: str) -> str:
    for tex, letter in LETTERS.items():
        value = value.replace(tex, letter)
    return re.sub(r"[{}]", "", value)


@functools.cache
def works() -> Mapping[str, Work]:
    """All works by key."""
    text = files("outscore.report").joinpath("works.bib").read_text(encoding="utf-8")
    return {match[2]: Work(match[1], match[2], dict(FIELD.findall(match[3])), match[0]) for match in ENTRY.finditer(text)}


def works_on_test(name: str) -> tuple[str, ...]:
    """Keys of the works that a test's entry names; none for a name from another version.

    Examples
    --------
    >>> works_on_test("wilcoxon"), works_on_test("new")
    (('wilcoxon1945',), ())
    """
    from outscore.inference.registry import TESTS

    entry = own_test(name)
    if entry is not None:
        return entry.citations
    return TESTS[name].citations if name in TESTS else ()


def works_on_metric(name: str) -> tuple[str, ...]:
    """Keys of the works that define a metric; none where shares of right answers need none.

    Examples
    --------
    >>> works_on_metric("bleu"), works_on_metric("las"), works_on_metric("accuracy")
    (('papineni2002', 'post2018'), ('zeman2018',), ())
    """
    from outscore.metrics.outputs import COREF_CITATIONS
    from outscore.metrics.registry import METRICS
    from outscore.metrics.text.registry import find_metric

    entry = METRICS.get(name) or find_metric(name)
    if entry is not None:
        return entry.citations
    return {**COREF_CITATIONS, **WORDS}.get(name, ())


def uses_of_comparisons(whole: Comparisons) -> Uses:
    """The works behind one comparison or several."""
    for c in whole.comparisons:
        yield from _of_comparison(c)
    if whole.claim is not None:
        yield "claim about several measures", "berger1982"
    if whole.family is not None:
        yield from _of_correction(whole.family.correction)


def _of_comparison(c: Comparison) -> Uses:
    yield from _of_p(c.p)
    yield from _of_interval(c.interval)
    yield from _of_metric(c.metric)
    if c.bayes is not None:
        yield from _each("posterior probabilities", works_on_test("bayes"))
    if c.margin is not None:
        yield "equivalence", "schuirmann1987"
        yield from _each("test at the margin", WORKS_ON_MARGINS.get(c.margin.noninferiority.kernel, ()))
    if c.anytime is not None:
        yield from _each("evidence at every look", ("ville1939", "waudbysmith2024"))
    if any(effect.name in ("cohen_dz", "cohen_d") for effect in c.effects):
        yield "effect size", "cohen1988"
    for p in c.tests:
        yield from _each(f"{p.test} test", works_on_test(p.test))
    if c.runs is not None:
        yield "several runs", "clark2011"
    if c.replicability is not None:
        yield from _each("replicability", ("benjamini2008", "dror2017"))
    if c.analysis is not None:
        yield "analysis of the data", "zhu2020"


def uses_of_ranking(ranking: Ranking) -> Uses:
    """The works behind a ranking."""
    yield from _each("test", works_on_test(ranking.test))
    yield from _of_correction(ranking.family.correction)
    for metric in (ranking.metric, *(standing.metric for standing in ranking.metrics)):
        yield from _of_metric(metric)
    if ranking.baseline is None and ranking.groups:
        yield "groups", "piepho2004"
    # The intervals hold at once only where the family-wise error rate is controlled.
    if ranking.baseline is None and ranking.family.error_rate == "FWER":
        yield "rank intervals", "almohamad2022"
    if ranking.replicability:
        yield from _each("replicability", ("benjamini2008", "dror2017"))
    if ranking.joint is not None:
        yield from _each("simultaneous intervals", ("montielolea2019",))
    if ranking.critical_difference is not None:
        yield from _each("critical difference", ("friedman1937", "nemenyi1963", "demsar2006"))


def uses_of_preference(result: Preference) -> Uses:
    """The works behind an analysis of battles."""
    if any(pair.by != "model" and pair.p is not None for pair in result.pairs):
        yield from _each("test", works_on_test("permutation"))
        yield "exact p", "zmigrod2022"
    yield "interval of a win rate", "wilson1927"
    yield "clusters", "bell2002"
    if len(result.systems) > 2:
        yield "strengths", "bradley1952"
        yield "tests and intervals of strengths", "bell2002"
        yield from _of_correction(result.family.correction)
        if result.groups:
            yield "groups", "piepho2004"
        if result.family.error_rate == "FWER":
            yield "rank intervals", "almohamad2022"
    if result.settings.get("ties") == "davidson":
        yield "ties", "davidson1970"
    if result.judges is not None:
        yield from _each("agreement of judges", ("cohen1960", "krippendorff2011"))
    if result.labels is not None:
        yield "labels of people", "angelopoulos2023"
    if result.intransitivity is not None and result.intransitivity.p is not None:
        yield "circles", "boos1992"


def uses_of_diff(diff: Diff) -> Uses:
    """The works behind a comparison of outputs."""
    yield "comparison of outputs", "tuggener2017"
    for metric in dict.fromkeys(metric for values in diff.scores.values() for metric in values):
        yield from _of_metric(metric)
    for pair in diff.pairs:
        yield from _of_p(pair.p)
        yield from _of_interval(pair.interval)
        for family in pair.families.values():
            yield from _of_correction(family.correction)


def uses_of_plan(result: PlanResult | PossibleP) -> Uses:
    """The works behind a plan."""
    from outscore.results.plan import PossibleP

    if isinstance(result, PossibleP):
        yield from _each("test", works_on_test("mcnemar"))
        return
    formulas = {"normal": "connor1987" if result.design.basis == "discordance" else "miller2024", "t": "cohen1988"}
    formulas["permutation"] = "miller2024"
    if result.method in formulas:
        yield "power", formulas[result.method]
    if result.method in ("permutation", "exact"):
        tests = ("two-sample permutation", "fisher") if result.design.unpaired else ("permutation", "mcnemar")
        yield from _each("test", works_on_test(tests[result.method == "exact"]))
    if result.method == "margin":
        yield "test at the margin", "tango1998" if result.design.basis == "discordance" else "gaffke2005"
    if result.design.cluster_size > 1:
        yield "clusters", "kish1965"
    if result.design.cluster_cv:
        yield "clusters of unequal size", "eldridge2006"
    if result.retrospective:
        yield "simulated power", "zhu2020"


def uses_of_scores(result: ScoreResult) -> Uses:
    """The works behind scores of single systems."""
    yield from _of_metric(result.metric)
    if "Wilson" in result.interval:
        yield "interval", "wilson1927"
    if "jackknife" in result.interval:
        yield "interval", "efron1993"
    if any(one.clusters is not None for one in result.systems):
        yield "clusters", "bell2002"
    if result.repeat_kind is not None:
        yield from _each("repeats", ("searle1992", "miller2024"))
    if result.population != "items":
        yield "new runs", "satterthwaite1946"


def _of_p(p: PValue) -> Uses:
    from outscore.inference.registry import TESTS

    yield from _each("test", works_on_test(p.test))
    method = "exact" if p.kernel in CONVOLUTIONS else p.method
    if p.test in TESTS and method in TESTS[p.test].method_citations:
        yield TESTS[p.test].method_citations[method]


def _of_interval(interval: Interval | None) -> Uses:
    for word, key in WORKS_ON_INTERVALS.items():
        if interval is not None and word in interval.method:
            yield "interval", key


def _of_metric(name: str) -> Uses:
    bare = name.partition(":")[0].partition(" (")[0]
    return _each(bare, works_on_metric(bare) or WORKS_ON_REDUCTIONS.get(bare.rstrip("0123456789"), ()))


def _of_correction(name: str) -> Uses:
    from outscore.inference.families import CORRECTIONS

    return _each("correction", CORRECTIONS[name].citations if name in CORRECTIONS else ())


def _each(use: str, keys: Iterable[str]) -> Uses:
    return [(use, key) for key in keys]


def cited(uses: Uses) -> tuple[list[Fact], str]:
    """Every work once, with all it is cited for, and their BibTeX in the same order."""
    result: dict[str, list[str]] = {}
    for use, key in uses:
        known = result.setdefault(key, [])
        known += [] if use in known else [use]
    facts = [Fact(", ".join(purposes), (works()[key].line,)) for key, purposes in result.items()]
    return facts, "\n\n".join(works()[key].bibtex for key in result)
