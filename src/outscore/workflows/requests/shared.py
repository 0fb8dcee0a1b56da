"""Options that several commands have, each declared once, and every word a choice can be.

Nothing here imports a registry: choices that come from one are functions.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from outscore.core.options import Mode, check_count, check_level, check_seed
from outscore.core.reduction import REDUCTIONS
from outscore.workflows.requests import base
from outscore.workflows.requests.base import make_option

ALTERNATIVES = ("two-sided", "greater", "less")
ASSUMPTIONS = ("symmetric", "equal-crashes")
ASSUMPTIONS_OF_TEXTS = ("symmetric",)
"""A brevity penalty makes crashes unequal: BLEU would pass a loss of the margin in up to .12 of cases instead of .05."""
METHODS = ("auto", "exact", "certified", "dp", "fft", "monte-carlo")
STATISTICS = ("mean", "median")
POOLED = "none"
"""The value of `dataset` that makes all segments of texts one dataset."""
EACH_DATASET = "{dataset}"
"""The placeholder for the name of each test set in the file names of texts."""


NAMES_COLUMN = (base.FILES, base.TABLES, base.NO_OUTPUTS)
"""What options that name a column of a table are for; some of them also have a meaning in tables of texts."""


def in_texts(part: str) -> Mode:
    """Scores, with the part that the option would name in a table of texts."""
    return base.SCORES.cured(f"Name the column with --text-column {part}={{value}}.")


def known_tests() -> dict[str, str]:
    """Tests by name."""
    from outscore.inference.registry import TESTS

    return {name: entry.summary for name, entry in TESTS.items()}


def every_test() -> dict[str, str]:
    """Tests by name, and `all`."""
    return {**known_tests(), "all": "every test that suits the data"}


def pair_corrections() -> dict[str, str]:
    """Corrections for several comparisons of two systems."""
    from outscore.inference.families import CORRECTIONS

    return {name: entry.summary for name, entry in CORRECTIONS.items() if not entry.all_pairs}


def known_corrections() -> dict[str, str]:
    """Corrections for pairs of many systems."""
    from outscore.inference.families import CORRECTIONS

    return {name: entry.summary for name, entry in CORRECTIONS.items()}


def _populations() -> dict[str, str]:
    from outscore.inference.populations import POPULATIONS

    return {name: entry.summary for name, entry in POPULATIONS.items()}


def _formats() -> dict[str, str]:
    from outscore.formats.logs.registry import LOGS
    from outscore.formats.registry import FORMATS

    known = {name: entry.summary for name, entry in FORMATS.items()}
    return {"auto": "recognise it", **known, **{name: f"{entry.title}: {entry.summary}" for name, entry in LOGS.items()}}


def _text_formats() -> dict[str, str]:
    from outscore.formats.texts import TEXT_FORMATS

    return {"auto": "recognise it", **TEXT_FORMATS}


def _metrics() -> dict[str, str]:
    from outscore.metrics.registry import METRICS

    return {name: entry.summary for name, entry in METRICS.items()}


of_test, of_data = partial(make_option, group="test"), partial(make_option, group="data")
of_logs, of_units = partial(make_option, group="logs"), partial(make_option, group="units")
FILES = make_option("files", "", kind="file", many=True, least=1, metavar="", always_saved=True)
METRIC = of_test(
    "metric",
    "A metric from `outscore metrics`; texts take several.",
    choices=_metrics,
    form_help="What the rows add up to; empty: mean, or F1 for counts.",
    only_for=(base.SINGLE,),
    kind="metric",
    metavar="NAME[:key=value],...",
    default_text="mean; f1 for counts",
    annotation="str | AdditiveMetric | None",
    doc='A name with options such as ``"fbeta:beta=2"``, or an `AdditiveMetric`. None is the mean, or F1 for counts of a file.',
)
DIRECTION = of_data(
    "direction",
    "Which scores are better; auto: lower ones if the name of the column or file says so (wer, loss ...), else higher ones.",
    default="auto",
    choices=("auto", "higher", "lower"),
    label="Better scores",
    only_for=(base.SCORES, base.NO_OUTPUTS),
    always_saved=False,
    shortcuts=(("lower-is-better", "lower"), ("higher-is-better", "higher")),
    doc='Which scores are better, ``"higher"`` or ``"lower"``. ``"auto"`` goes by the name of the score column, or the ending\n'
    "of files of bare numbers (wer, loss, latency and the like are better when lower); if that does not settle it, higher\n"
    "is better.",
)
TEST = of_test(
    "test",
    "A test from `outscore tests`, or all of them.",
    default="permutation",
    choices=every_test,
    form_help="How p is computed.",
    metavar="NAME",
    doc='A name from ``outscore tests``. ``"all"`` decides by `permutation` and shows the others beside it.',
)
SET = of_test(
    "set",
    "An option of the test; repeatable.",
    label="Options of the test",
    kind="settings",
    metavar="KEY=VALUE",
    python="options",
    annotation="Mapping[str, object] | None",
    doc='The test\'s own options by name, such as ``{"resamples": 999}``; ``outscore tests`` lists them.',
    always_saved=True,
)
METHOD = of_test(
    "method",
    "How permutation computes p.",
    default="auto",
    choices=METHODS,
    only_for=(base.of_values("test", ("permutation",)),),
    python=None,
)
ALTERNATIVE = of_test(
    "alternative",
    "Which difference counts; greater: A is better.",
    default="two-sided",
    choices=ALTERNATIVES,
    label="Question",
    form_help="Which difference counts.",
    doc='``"two-sided"``, ``"greater"`` (A is *better*) or ``"less"``.',
)
ALPHA = of_test(
    "alpha",
    "Significance level.",
    default=0.05,
    check=check_level,
    label="Level",
    doc="The significance level; the interval has level 1 - alpha and the same design as p.",
)
FAMILY_ALPHA = replace(ALPHA, doc="The level of all claims together; each interval on its own has level 1 - alpha.")
DELTA = of_test(
    "delta",
    "Test the difference A - B against this.",
    default=0.0,
    label="Difference",
    only_for=(base.PAIRED, base.ONE_LOOK),
    doc="Test whether A - B is `delta` instead of 0. Two-sided, differences are assumed to be symmetric about it; one-sided,\n"
    "nothing is, as for a margin. Right-or-wrong items get Tango's score test, which is asymptotic.",
)
MARGIN = of_test(
    "margin",
    "Also test non-inferiority and equivalence within this margin.",
    type=float,
    only_for=(base.SINGLE.cured("Give each measure its own with --not-worse NAME=MARGIN."),),
    doc="Also test whether A is worse than B by less than this margin, and whether the two are equivalent within it.",
)
ASSUME = of_test(
    "assume",
    "What the test at a margin may assume: symmetric differences, or crashes that hit all items alike.",
    choices=ASSUMPTIONS,
    label="What may be assumed",
    form_help="Empty: nothing. Rare large losses are then never taken for absent because they have not shown.",
    only_for=(base.SHIFTED,),
    metavar="symmetric|equal-crashes",
    default_text="nothing",
    always_saved=False,
    doc='What the test at a margin, or of a one-sided `delta`, may assume: ``"symmetric"`` differences, as flips of signs\n'
    'do, or ``"equal-crashes"``, that a crash hits one item as likely as another, for F1 and its kin. None assumes nothing.',
)
ANYTIME = of_test(
    "anytime",
    "Also show evidence valid at every look, for items in random order: e-value, anytime p, confidence sequence.",
    label="Look early",
    only_for=(base.PAIRED, base.SCORES),
    kind="flag",
    always_saved=False,
)
UNPAIRED = of_test(
    "unpaired",
    "The systems were scored on different items: permute scores between the systems, without matching items.",
    label="Different items",
    form_help="The systems were scored on different items, so items cannot be matched.",
    only_for=(base.SCORES,),
    kind="flag",
    always_saved=False,
    doc="Compare two samples of different items; items are not matched, and shared ids are refused.",
)
BOUNDS = of_test(
    "bounds",
    "The smallest and the largest possible score of an item, for margins, a one-sided --delta and --anytime.",
    type=float,
    default=(),
    label="Bounds of scores",
    form_help="For margins and for looking early: the smallest and the largest score that an item can have, such as 0 100.",
    only_for=(base.BOUNDED, base.SCORES),
    least=2,
    most=2,
    metavar="LOW HIGH",
    default_text="0 and 1",
    always_saved=False,
    annotation="tuple[float, float] | None",
    doc="The smallest and the largest score that an item can have, for margins, a one-sided `delta` and `anytime`. None is\n"
    "what the metric says, or 0 and 1 if all scores lie there.",
)
UNIT_SIZE = of_units(
    "unit_size",
    "Adjacent items that form an evaluation unit.",
    default=1,
    check=check_count,
    only_for=(base.PAIRED, base.ONE_LOOK, base.ALL_ROWS),
)
UNIT_STATISTIC = of_units(
    "unit_statistic",
    "How the items of a unit are summarised.",
    default="mean",
    choices=STATISTICS,
    only_for=(base.PAIRED,),
)
SHUFFLE = of_units(
    "shuffle",
    "Shuffle the items with this seed before units are formed.",
    type=int,
    check=check_seed,
    only_for=(base.PAIRED,),
    metavar="SEED",
)
UNIT_ADVICE = of_units(
    "unit_advice",
    "Also show how spread, effect size and p depend on the unit size.",
    label="Try other unit sizes",
    only_for=(base.PAIRED, base.SCORES),
    kind="flag",
    doc="Also show how spread, effect size and p depend on the unit size; choose the size for what it\nmeans, not for p.",
)
NORMALITY_ALPHA = of_units(
    "normality_alpha",
    "Level of the normality test in the data analysis; the decision does not depend on it.",
    default=0.05,
    check=check_level,
    label="Level of the normality test",
    only_for=(base.PAIRED,),
)
RESAMPLES = of_test("resamples", "Number of random swaps or resamples to draw.", type=int, check=check_count, python=None)
CORRECTION = of_test(
    "correction",
    "Multiplicity correction for the p-values of slices.",
    default="holm",
    choices=pair_corrections,
    metavar="NAME",
)
FAMILY_CORRECTION = replace(CORRECTION, help="Multiplicity correction for the number of pairs.", choices=known_corrections)
SEED = of_test(
    "seed",
    "Seed for everything that is sampled at random.",
    default=0,
    check=check_seed,
)
SYSTEM = make_option(
    "system",
    "Which systems of the table to use; give the option twice.",
    label="Systems",
    only_for=(base.FILES,),
    kind="system",
    many=True,
    python="systems",
    annotation="Sequence[str]",
)
ITEM = make_option(
    "item",
    "Column of the item ids; none: every row is an item.",
    label="Items",
    only_for=(*NAMES_COLUMN, in_texts("item")),
    kind="column",
    python="items",
    annotation="ArrayLike | str | None",
    doc="A label per row: rows of one item are repeats and are averaged first. For a file or table, the column of item ids,\n"
    'or ``"none"`` if every row is a separate item.',
)
SCORE = make_option(
    "score",
    "Column of the scores; several make counts (tp, fp, fn).",
    label="Scores",
    only_for=(*NAMES_COLUMN, base.SCORES, base.SINGLE),
    kind="column",
    many=True,
)
MEASURE = make_option(
    "measure",
    "Compare several measures of the same items, corrected together: columns such as quality and 'latency(lower)'.",
    label="Measures",
    form_help="Columns of several measures of the same items, tested as one family: quality, latency(lower).",
    only_for=(base.FILES, base.PAIRED, base.SCORES),
    kind="column",
    many=True,
    doc="Several measures of the same items, tested as one family: columns of a file or table, or scores of logs;\n"
    '``"latency(lower)"`` says that lower is better. The result is then a `Comparisons`.',
)
NOT_WORSE = of_test(
    "not_worse",
    "With --measure: claim that A is better on the other measures and not worse on this one by the margin: latency=5.",
    label="Not worse by",
    only_for=(base.MEASURES, base.PAIRED, base.SCORES),
    kind="settings",
    metavar="NAME=MARGIN",
    annotation="Mapping[str, float] | None",
    doc="Margins by measure: claim that A is better on the other measures, and worse on these by less than the margin\n"
    "(intersection-union test).",
)
SYSTEM_COLUMN = make_option(
    "system_column",
    "Column of the systems' names.",
    label="Systems' names",
    only_for=(*NAMES_COLUMN, in_texts("system")),
    kind="column",
)
CLUSTER = make_option(
    "cluster",
    "Column of documents, conversations ... swapped as one, or for texts a file of them; or none.",
    label="Clusters",
    form_help="Column of documents, conversations … swapped as one; or none.",
    only_for=(base.FILES, base.SCORES),
    kind="column",
    metavar="COLUMN|FILE",
    python="clusters",
    annotation="ArrayLike | str | None",
    doc='A label per row: rows of one cluster are swapped as one. For a file or table, the column of clusters, or ``"none"``.',
)
REPEAT = make_option(
    "repeat",
    "Column of epochs, seeds, samples: averaged per item.",
    label="Repeats",
    only_for=(*NAMES_COLUMN, base.SCORES),
    kind="column",
)
REPEATS = of_data(
    "repeats",
    "What the repeats are: epochs of each item, or runs that span all items.",
    choices=lambda: {"epochs": "of each item separately: samples, attempts", "runs": "over all items: seeds, reruns"},
    label="Kind of repeats",
    form_help="Epochs of each item separately, or runs that span all items; empty: decided by the column's name.",
    only_for=(base.PAIRED, base.SCORES, base.ALL_ROWS),
    metavar="epochs|runs",
    default_text="decided by the column's name",
    always_saved=False,
    doc='What the rows of one item are: ``"epochs"`` are unrelated from item to item, ``"runs"``\n'
    "span all items, as training seeds do. None goes by the column's name: seed and run are runs.",
)
POPULATION = of_test(
    "population",
    "What the claim is about: new items, new items and new runs, or new runs of these items.",
    choices=_populations,
    form_help="What the claim is about; empty: new items and new runs where repeats are runs, otherwise new items.",
    only_for=(base.PAIRED, base.ALL_ROWS),
    metavar="items|items-and-runs|these-items",
    default_text="items; items-and-runs if the repeats are runs",
    always_saved=False,
    doc='What the claim is about: ``"items"`` are new items with the runs at hand, ``"items-and-runs"`` newly trained\n'
    'systems on new items, ``"these-items"`` new runs of exactly these items. None is ``"items-and-runs"`` if the repeats\n'
    'are runs, otherwise ``"items"``.',
)
REDUCE = of_data(
    "reduce",
    "How several runs of an item become one score: mean, pass@K, pass^K, max, min or majority.",
    default="mean",
    choices=lambda: REDUCTIONS,
    label="Score of several runs",
    only_for=(base.PAIRED, base.SCORES, base.NO_OUTPUTS, base.ALL_ROWS),
    metavar="mean|pass@K|pass^K|max|min|majority",
    always_saved=False,
    doc='How several runs of an item become one score: ``"mean"``, ``"pass@2"`` (the chance that at least one of two runs\n'
    'is right), ``"pass^2"`` (that both are), ``"max"``, ``"min"``, or ``"majority"`` (whether the answer that most runs\n'
    "give is right).",
)
EQUAL_RUNS = of_data(
    "equal_runs",
    "Use equally many runs of each item for every system: the first ones.",
    label="Equally many runs",
    only_for=(base.PAIRED, base.SCORES, base.NO_OUTPUTS, base.ALL_ROWS),
    kind="flag",
    always_saved=False,
    doc="If some systems ran more often on an item than others, use equally many runs of each: the first ones.",
)
NO_REDUCTION = base.without("reduce")
WEIGHT = make_option(
    "weight",
    "Column of the items' weights: means are weighted by it.",
    label="Weights",
    only_for=(base.PAIRED, base.SCORES, base.NO_OUTPUTS, base.TABLES, base.ALL_ROWS, NO_REDUCTION),
    kind="column",
    python="weights",
    annotation="ArrayLike | str | None",
    doc="A weight per row, the same for all systems and runs of an item, or the column of a file or table: the score is the\n"
    "weighted mean of the items.",
)
SLICE = make_option(
    "slice",
    "Also compare on each value of this column separately.",
    label="Slices",
    only_for=(base.PAIRED, base.SCORES, base.SINGLE),
    kind="column",
    python="slices",
    annotation="ArrayLike | Mapping[str, ArrayLike] | str | None",
    doc="A label per row, alone or by the name of its column, or the column of a file: every value is compared on its own too.",
)
DATASET = make_option(
    "dataset",
    "Column of the dataset each item belongs to; for texts, a file with a label per line; none: pool all items.",
    label="Datasets",
    form_help="Column of the dataset each item belongs to; none: pool all items.",
    only_for=(*NAMES_COLUMN, base.PAIRED),
    kind="column",
)
PREDICTION = make_option(
    "prediction",
    "Column of answers: an item scores 1 if its answer is right.",
    label="Predictions",
    only_for=(*NAMES_COLUMN, base.SINGLE, in_texts("hypothesis")),
    kind="column",
)
GOLD = make_option(
    "gold",
    "Column of the right answers, or a file of them if the inputs are files of answers.",
    label="Right answers",
    form_help="Column of the right answers that predictions are compared with.",
    only_for=(*NAMES_COLUMN, base.SINGLE, in_texts("reference")),
    kind="column",
    metavar="COLUMN|FILE",
    also=("gold-column",),
    doc="For a file, the column of the right answers that predictions, or the columns of systems, are compared with.",
)
DUPLICATES = of_data(
    "duplicates",
    "What to do with ids that occur more than once.",
    default="stop",
    choices=("stop", "mean", "first", "last"),
    label="Repeated ids",
    only_for=(base.SCORES, base.NO_OUTPUTS),
    doc="What to do with rows of a file that share an id: refuse them, or use their mean, the first or the last.",
)
READER = of_data(
    "reader",
    "A format from `outscore formats`.",
    default="auto",
    choices=_formats,
    label="Format",
    form_help="Format of the files of scores.",
    only_for=(base.FILES, base.NO_OUTPUTS),
    metavar="FORMAT",
    doc="The format of the files, a name from ``outscore formats``.",
)
LOG_TASK = of_logs(
    "log_task",
    "Logs: which task to compare, if they contain several.",
    label="Task of the logs",
    only_for=(base.LOGS, base.SCORES),
    metavar="NAME",
    always_saved=False,
)
FILTER = of_logs(
    "filter",
    "Logs: the filter that extracted the scored answers, if they contain several.",
    only_for=(base.LOGS, base.SCORES),
    metavar="NAME",
    always_saved=False,
)
MISSING = of_data(
    "missing",
    "Rows without a score: stop, drop them, or count them as zero, the worst score.",
    choices=("stop", "drop", "zero"),
    label="Rows without a score",
    only_for=(base.SCORES, base.FILES),
    default_text="stop; zero where the harness counts so",
    always_saved=False,
)
FORCE_SAME = of_logs(
    "force_same",
    "Logs: compare logs even if their questions or settings differ.",
    label="Compare logs that differ",
    only_for=(base.LOGS, base.SCORES),
    kind="flag",
    always_saved=False,
)
ROSTER = of_logs(
    "roster",
    "Logs that leave out what failed: a file with the ids of all items, one per line, or their number.",
    label="All items",
    only_for=(base.LOGS, base.SCORES),
    metavar="FILE|N",
    always_saved=False,
)
QRELS = of_logs(
    "qrels",
    "TREC runs: the file of relevance judgements; --metric names measures such as nDCG@10,AP.",
    label="Relevance judgements",
    form_help="The file of relevance judgements of TREC runs; the metric is then one of retrieval, such as nDCG@10.",
    only_for=(base.FILES, base.SCORES),
    kind="file",
    most=None,
)
TRANSPOSE = of_data(
    "transpose",
    "The rows of the table are systems and its columns are items.",
    label="Rows are systems",
    only_for=(*NAMES_COLUMN, base.SCORES),
    kind="flag",
    always_saved=False,
)
REFERENCE = make_option(
    "reference",
    "Texts: a reference; repeatable.",
    label="References",
    form_help="The reference text, one segment per line; you may give several references.",
    kind="file",
    many=True,
)
TEXT_READER = replace(
    READER,
    help="Texts: format of the files: text, sgml, xml, jsonl, tsv or csv.",
    choices=_text_formats,
    always_saved=False,
)
TEXT_COLUMN = of_data(
    "text_column",
    "Texts: a column of a table, such as hypothesis=answer; repeatable.",
    label="Columns of texts",
    form_help="What the columns of a table contain: hypothesis, reference, source, system, document, item (none: no ids).",
    only_for=(base.TEXTS,),
    kind="settings",
    metavar="PART=COLUMN",
    annotation="Mapping[str, str] | None",
    doc="Columns of a table of texts by their role: ``hypothesis``, ``reference``, ``source``, ``system``,\n"
    "``document`` or ``item`` (``none``: every row is a segment). None recognises them by their names.",
)
SCORES = of_data(
    "scores",
    "Texts: a metric's segment scores, COMET=a.comet,b.comet; MetricX(lower)=... if lower is better; repeatable.",
    label="Segment scores",
    only_for=(base.TEXTS,),
    kind="settings",
    metavar="NAME=A,B",
    annotation="Mapping[str, str] | None",
    doc="Segment scores from other metrics, which join the family: files for A and B by the metric's name,\n"
    '``{"COMET": "a.comet,b.comet"}``; ``"MetricX(lower)"`` says that lower is better.',
)
SOURCE = make_option(
    "source",
    "Texts: the source text, one segment per line, shown beside the segments that moved a score.",
    only_for=(base.TEXTS,),
    kind="file",
    annotation="Sequence[str] | Segments | Path | None",
    doc="The source text or the path of its file, shown beside the segments that moved a score. None uses the source column\n"
    "of a table of texts, if there is one.",
)
EXPLAIN = of_data(
    "explain",
    "Texts: also show which words make the difference: by frequency, and as n-grams.",
    label="Which words",
    only_for=(base.TEXTS,),
    kind="flag",
    always_saved=False,
)
CORPUS = make_option(
    "corpus",
    "Texts, with --explain: the text in which to count word frequencies, e.g. training data, instead of the reference.",
    label="Text to count words in",
    form_help="Where to count word frequencies, for example training data; empty: in the reference.",
    only_for=(base.EXPLAINED, base.TEXTS),
    kind="file",
    annotation="Path | None",
)
DOCUMENTS = make_option(
    "documents",
    "Texts: the document of each segment, one per line; documents are swapped as one; or none.",
    only_for=(base.TEXTS,),
    kind="file",
    annotation="Sequence[object] | Segments | Path | None",
    doc="The document of each segment, or the path of a file of them: documents are swapped and resampled as one.",
)
BUCKETS = make_option(
    "buckets",
    "Texts: also compare by reference length, or by labels, one per line.",
    label="Labels",
    form_help="A label for each segment, one per line: every label is compared separately.",
    only_for=(base.TEXTS,),
    kind="file",
    many=True,
    metavar="length|FILE",
    annotation="Mapping[str, Sequence[object] | Segments | Path] | Sequence[Path] | Path | None",
    doc='Labels of the segments by the name of their column, paths of files of labels, or ``"length"`` for the length of the\n'
    "reference: each value is compared separately, and each column of labels is a family.",
)
COMPAT = of_test(
    "compat",
    "Also show what others print: sacrebleu-ar and sacrebleu-bs of texts, nlpstattest and paired-perm-test of scores.",
    choices=lambda: {
        "sacrebleu-ar": "sacreBLEU, approximate randomisation",
        "sacrebleu-bs": "sacreBLEU, bootstrap",
        "nlpstattest": "NLPStatTest",
        "paired-perm-test": "paired-perm-test",
    },
    label="Compare with",
    form_help="Also show what another program prints; it does not affect the verdict.",
    metavar="NAME",
    always_saved=False,
    doc='``"sacrebleu-ar"``, ``"sacrebleu-bs"`` (of texts), ``"nlpstattest"`` or ``"paired-perm-test"`` (of scores): also\n'
    "show what that program prints. It does not affect the verdict.",
)
NAMES = of_data(
    "names",
    "What to call the systems, separated by commas.",
    default=(),
    only_for=(base.ALL_ROWS,),
    kind="names",
    metavar="A,B",
    default_text="header or file names",
    doc="What to call the systems. None uses the names in the data (header, file or `Scores`), otherwise A and B.",
)
BASELINE = of_test("baseline", "Compare every system with this one only.", kind="system")
CRITICAL_DIFFERENCE = of_test(
    "critical_difference",
    "Also report Friedman's test and Nemenyi's critical difference, over datasets, or over items of one dataset.",
    only_for=(base.ALL_ROWS,),
    kind="flag",
)
JOINT = of_test(
    "joint",
    "Also resample the same items for all systems: simultaneous intervals, P(best), Borda scores, win rates.",
    label="All systems at once",
    only_for=(base.ALL_ROWS,),
    kind="flag",
    always_saved=False,
    doc="Also resample the items for all systems at once: simultaneous intervals of the differences, how often each\n"
    "system is best, Borda scores and mean win rates.",
)
MIN_SUPPORT = of_test(
    "min_support",
    "Rows with fewer units are listed but not tested.",
    default=20,
    check=check_count,
    label="Fewest units",
)
