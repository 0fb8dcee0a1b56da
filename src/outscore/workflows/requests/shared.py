"""Options that several commands have, each declared once, and every word a choice can be.

Nothing here imports a registry: choices that come from one are functions.
"""

from __future__ import annotations

from dataclasses import replace

from outscore.core.errors import OutscoreError
from outscore.core.options import Mode, Option, check_count, check_level, check_seed
from outscore.core.reduction import REDUCTIONS
from outscore.workflows.requests import base

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


FILES = Option("files", str, (), "", group="files", kind="file", many=True, least=1)
METRIC = Option(
    "metric",
    str,
    None,
    "A metric from `outscore metrics`; texts take several.",
    _metrics,
    form_help="What the rows add up to; empty: mean, or F1 for counts.",
    group="test",
    only_for=(base.SINGLE,),
    kind="metric",
    metavar="NAME[:key=value],...",
    default_text="mean; f1 for counts",
    annotation="str | AdditiveMetric | None",
    doc='A name with options such as ``"fbeta:beta=2"``, or an `AdditiveMetric`. None is the mean, or F1 for counts of a file.',
)
DIRECTION = Option(
    "direction",
    str,
    "auto",
    "Which scores are better; auto: lower ones if the name of the column or file says so (wer, loss ...), else higher ones.",
    ("auto", "higher", "lower"),
    label="Better scores",
    form_help="Higher or lower; auto: lower if the name of the column or file says so (wer, loss, latency …), else higher.",
    group="data",
    only_for=(base.SCORES, base.NO_OUTPUTS),
    always_saved=False,
    shortcuts=(("lower-is-better", "lower"), ("higher-is-better", "higher")),
    doc='Which scores are better, ``"higher"`` or ``"lower"``. ``"auto"`` goes by the name of the score column, or the ending\n'
    "of files of bare numbers (wer, loss, latency and the like are better when lower); if that does not settle it, higher\n"
    "is better.",
)
TEST = Option(
    "test",
    str,
    "permutation",
    "A test from `outscore tests`, or all of them.",
    every_test,
    form_help="How p is computed.",
    group="test",
    metavar="NAME",
    doc='A name from ``outscore tests``. ``"all"`` decides by `permutation` and shows the others beside it.',
)
SET = Option(
    "set",
    str,
    {},
    "An option of the test; repeatable.",
    label="Options of the test",
    group="test",
    kind="settings",
    many=True,
    metavar="KEY=VALUE",
    python="options",
    annotation="Mapping[str, object] | None",
    doc='The test\'s own options by name, such as ``{"resamples": 999}``; ``outscore tests`` lists them.',
)
METHOD = Option(
    "method",
    str,
    "auto",
    "How permutation computes p.",
    METHODS,
    group="test",
    only_for=(base.of_values("test", ("permutation",)),),
    python=None,
)
ALTERNATIVE = Option(
    "alternative",
    str,
    "two-sided",
    "Which difference counts; greater: A is better.",
    ALTERNATIVES,
    label="Question",
    form_help="Which difference counts.",
    group="test",
    doc='``"two-sided"``, ``"greater"`` (A is *better*) or ``"less"``.',
)
ALPHA = Option(
    "alpha",
    float,
    0.05,
    "Significance level.",
    check=check_level,
    label="Level",
    group="test",
    doc="The significance level; the interval has level 1 - alpha and the same design as p.",
)
FAMILY_ALPHA = replace(ALPHA, doc="The level of all claims together; each interval on its own has level 1 - alpha.")
DELTA = Option(
    "delta",
    float,
    0.0,
    "Test the difference A - B against this.",
    label="Difference",
    group="test",
    only_for=(base.PAIRED, base.ONE_LOOK),
    doc="Test whether A - B is `delta` instead of 0. Two-sided, differences are assumed to be symmetric about it; one-sided,\n"
    "nothing is, as for a margin. Right-or-wrong items get Tango's score test, which is asymptotic.",
)
MARGIN = Option(
    "margin",
    float,
    None,
    "Also test non-inferiority and equivalence within this margin.",
    group="test",
    only_for=(base.SINGLE.cured("Give each measure its own with --not-worse NAME=MARGIN."),),
    doc="Also test whether A is worse than B by less than this margin, and whether the two are equivalent within it.",
)
ASSUME = Option(
    "assume",
    str,
    None,
    "What the test at a margin may assume: symmetric differences, or crashes that hit all items alike.",
    ASSUMPTIONS,
    label="What may be assumed",
    form_help="Empty: nothing. Rare large losses are then never taken for absent because they have not shown.",
    group="test",
    only_for=(base.SHIFTED,),
    metavar="symmetric|equal-crashes",
    default_text="nothing",
    always_saved=False,
    doc='What the test at a margin, or of a one-sided `delta`, may assume: ``"symmetric"`` differences, as flips of signs\n'
    'do, or ``"equal-crashes"``, that a crash hits one item as likely as another, for F1 and its kin. None assumes nothing.',
)
ANYTIME = Option(
    "anytime",
    bool,
    False,
    "Also show evidence valid at every look: e-value, anytime p, confidence sequence, and where you could have stopped.",
    label="Look early",
    form_help="Also show evidence that is valid at every look; the items must be in random order.",
    group="test",
    only_for=(base.PAIRED, base.SCORES),
    kind="flag",
    always_saved=False,
    doc="Also give evidence that is valid at every look, for items in the order of the data, which must be random.",
)
UNPAIRED = Option(
    "unpaired",
    bool,
    False,
    "The systems were scored on different items: permute scores between the systems, without matching items.",
    label="Different items",
    form_help="The systems were scored on different items, so items cannot be matched.",
    group="test",
    only_for=(base.SCORES,),
    kind="flag",
    always_saved=False,
    doc="Compare two samples of different items; items are not matched, and shared ids are refused.",
)
BOUNDS = Option(
    "bounds",
    float,
    (),
    "The smallest and the largest possible score of an item, for margins, a one-sided --delta and --anytime.",
    label="Bounds of scores",
    form_help="For margins and for looking early: the smallest and the largest score that an item can have, such as 0 100.",
    group="test",
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
UNIT_SIZE = Option(
    "unit_size",
    int,
    1,
    "Items per evaluation unit.",
    check=check_count,
    group="units",
    only_for=(base.PAIRED, base.ONE_LOOK, base.ALL_ROWS),
    doc="The number of adjacent items that form an evaluation unit.",
)
UNIT_STATISTIC = Option(
    "unit_statistic",
    str,
    "mean",
    "How the items of a unit are summarised.",
    STATISTICS,
    group="units",
    only_for=(base.PAIRED,),
)
SHUFFLE = Option(
    "shuffle",
    int,
    None,
    "Shuffle the items before units are formed.",
    check=check_seed,
    form_help="Shuffle the items with this seed before units are formed.",
    group="units",
    only_for=(base.PAIRED,),
    metavar="SEED",
    doc="Shuffle the items with this seed before units are formed.",
)
UNIT_ADVICE = Option(
    "unit_advice",
    bool,
    False,
    "Also show how spread, effect size and p depend on the unit size.",
    label="Try other unit sizes",
    form_help="How spread, effect size and p depend on the unit size.",
    group="units",
    only_for=(base.PAIRED, base.SCORES),
    kind="flag",
    doc="Also show how spread, effect size and p depend on the unit size; choose the size for what it\nmeans, not for p.",
)
NORMALITY_ALPHA = Option(
    "normality_alpha",
    float,
    0.05,
    "Level of the normality test in the data analysis.",
    check=check_level,
    label="Level of the normality test",
    form_help="For the data analysis; the decision does not depend on it.",
    group="units",
    only_for=(base.PAIRED,),
    doc="The level at which the analysis rejects normality of the differences; the decision does not depend on it.",
)
RESAMPLES = Option(
    "resamples",
    int,
    None,
    "Number of random swaps or resamples to draw.",
    check=check_count,
    group="test",
    python=None,
)
CORRECTION = Option(
    "correction",
    str,
    "holm",
    "Multiplicity correction for the p-values of slices.",
    pair_corrections,
    group="test",
    metavar="NAME",
)
FAMILY_CORRECTION = replace(CORRECTION, help="Multiplicity correction for the number of pairs.", choices=known_corrections)
SEED = Option(
    "seed",
    int,
    0,
    "Seed for Monte Carlo and the bootstrap.",
    check=check_seed,
    form_help="For everything that is sampled at random.",
    group="test",
)
SYSTEM = Option(
    "system",
    str,
    (),
    "Name of a system in the table; give the option twice.",
    label="Systems",
    form_help="Which systems of the table to use.",
    group="data",
    only_for=(base.FILES,),
    kind="system",
    many=True,
    metavar="NAME",
    python="systems",
    annotation="Sequence[str]",
    doc="Which systems of a file to use.",
)
ITEM = Option(
    "item",
    str,
    None,
    "Column of the item ids; none: every row is an item.",
    label="Items",
    form_help="Column of the item ids; none: every row is a separate item.",
    group="data",
    only_for=(*NAMES_COLUMN, in_texts("item")),
    kind="column",
    metavar="COLUMN",
    always_saved=False,
    python="items",
    annotation="ArrayLike | str | None",
    doc="A label per row: rows of one item are repeats and are averaged first. For a file or table, the column of item ids,\n"
    'or ``"none"`` if every row is a separate item.',
)
SCORE = Option(
    "score",
    str,
    (),
    "Column of the scores; several make counts (tp, fp, fn).",
    label="Scores",
    group="data",
    only_for=(*NAMES_COLUMN, base.SCORES, base.SINGLE),
    kind="column",
    many=True,
    metavar="COLUMN",
    always_saved=False,
    annotation="str | Sequence[str]",
)
MEASURE = Option(
    "measure",
    str,
    (),
    "Compare several measures of the same items, corrected together: columns such as quality and 'latency(lower)'.",
    label="Measures",
    form_help="Columns of several measures of the same items, tested as one family: quality, latency(lower).",
    group="data",
    only_for=(base.FILES, base.PAIRED, base.SCORES),
    kind="column",
    many=True,
    metavar="COLUMN",
    always_saved=False,
    annotation="str | Sequence[str]",
    doc="Several measures of the same items, tested as one family: columns of a file or table, or scores of logs;\n"
    '``"latency(lower)"`` says that lower is better. The result is then a `Comparisons`.',
)
NOT_WORSE = Option(
    "not_worse",
    str,
    {},
    "With --measure: claim that A is better on the other measures and not worse on this one by the margin: latency=5.",
    label="Not worse by",
    form_help="Claim that A is better on the other measures and not worse on these by a margin: latency=5.",
    group="test",
    only_for=(base.MEASURES, base.PAIRED, base.SCORES),
    kind="settings",
    many=True,
    metavar="NAME=MARGIN",
    always_saved=False,
    annotation="Mapping[str, float] | None",
    doc="Margins by measure: claim that A is better on the other measures, and worse on these by less than the margin\n"
    "(intersection-union test).",
)
SYSTEM_COLUMN = Option(
    "system_column",
    str,
    None,
    "Column of the systems' names.",
    label="Systems' names",
    group="data",
    only_for=(*NAMES_COLUMN, in_texts("system")),
    kind="column",
    metavar="COLUMN",
    always_saved=False,
)
CLUSTER = Option(
    "cluster",
    str,
    None,
    "Column of documents, conversations ... swapped as one, or for texts a file of them; or none.",
    label="Clusters",
    form_help="Column of documents, conversations … swapped as one; or none.",
    group="data",
    only_for=(base.FILES, base.SCORES),
    kind="column",
    metavar="COLUMN|FILE",
    always_saved=False,
    python="clusters",
    annotation="ArrayLike | str | None",
    doc='A label per row: rows of one cluster are swapped as one. For a file or table, the column of clusters, or ``"none"``.',
)
REPEAT = Option(
    "repeat",
    str,
    None,
    "Column of epochs, seeds, samples: averaged per item.",
    label="Repeats",
    group="data",
    only_for=(*NAMES_COLUMN, base.SCORES),
    kind="column",
    metavar="COLUMN",
    always_saved=False,
)
REPEATS = Option(
    "repeats",
    str,
    None,
    "What the repeats are: epochs of each item, or runs that span all items.",
    lambda: {"epochs": "of each item separately: samples, attempts", "runs": "over all items: seeds, reruns"},
    label="Kind of repeats",
    form_help="Epochs of each item separately, or runs that span all items; empty: decided by the column's name.",
    group="data",
    only_for=(base.PAIRED, base.SCORES, base.ALL_ROWS),
    metavar="epochs|runs",
    default_text="decided by the column's name",
    always_saved=False,
    doc='What the rows of one item are: ``"epochs"`` are unrelated from item to item, ``"runs"``\n'
    "span all items, as training seeds do. None goes by the column's name: seed and run are runs.",
)
POPULATION = Option(
    "population",
    str,
    None,
    "What the claim is about: new items, new items and new runs, or new runs of these items.",
    _populations,
    form_help="What the claim is about; empty: new items and new runs where repeats are runs, otherwise new items.",
    group="test",
    only_for=(base.PAIRED, base.ALL_ROWS),
    metavar="items|items-and-runs|these-items",
    default_text="items; items-and-runs if the repeats are runs",
    always_saved=False,
    doc='What the claim is about: ``"items"`` are new items with the runs at hand, ``"items-and-runs"`` newly trained\n'
    'systems on new items, ``"these-items"`` new runs of exactly these items. None is ``"items-and-runs"`` if the repeats\n'
    'are runs, otherwise ``"items"``.',
)
REDUCE = Option(
    "reduce",
    str,
    "mean",
    "How several runs of an item become one score: mean, pass@K, pass^K, max, min or majority.",
    lambda: REDUCTIONS,
    label="Score of several runs",
    form_help="How several runs of an item become one score; K is a number: pass@2.",
    group="data",
    only_for=(base.PAIRED, base.SCORES, base.NO_OUTPUTS, base.ALL_ROWS),
    metavar="mean|pass@K|pass^K|max|min|majority",
    always_saved=False,
    doc='How several runs of an item become one score: ``"mean"``, ``"pass@2"`` (the chance that at least one of two runs\n'
    'is right), ``"pass^2"`` (that both are), ``"max"``, ``"min"``, or ``"majority"`` (whether the answer that most runs\n'
    "give is right).",
)
EQUAL_RUNS = Option(
    "equal_runs",
    bool,
    False,
    "Use equally many runs of each item for every system: the first ones.",
    label="Equally many runs",
    group="data",
    only_for=(base.PAIRED, base.SCORES, base.NO_OUTPUTS, base.ALL_ROWS),
    kind="flag",
    always_saved=False,
    doc="If some systems ran more often on an item than others, use equally many runs of each: the first ones.",
)
NO_REDUCTION = base.without("reduce")
WEIGHT = Option(
    "weight",
    str,
    None,
    "Column of the items' weights: means are weighted by it.",
    label="Weights",
    group="data",
    only_for=(base.PAIRED, base.SCORES, base.NO_OUTPUTS, base.TABLES, base.ALL_ROWS, NO_REDUCTION),
    kind="column",
    metavar="COLUMN",
    always_saved=False,
    python="weights",
    annotation="ArrayLike | str | None",
    doc="A weight per row, the same for all systems and runs of an item, or the column of a file or table: the score is the\n"
    "weighted mean of the items.",
)
SLICE = Option(
    "slice",
    str,
    None,
    "Also compare on each value of this column separately.",
    label="Slices",
    group="data",
    only_for=(base.FILES, base.PAIRED, base.SCORES, base.SINGLE),
    kind="column",
    metavar="COLUMN",
    always_saved=False,
    python="slices",
    annotation="ArrayLike | Mapping[str, ArrayLike] | str | None",
    doc="A label per row, alone or by the name of its column, or the column of a file: every value is compared on its own too.",
)
DATASET = Option(
    "dataset",
    str,
    None,
    "Column of the dataset each item belongs to; for texts, a file with a label per line; none: pool all items.",
    label="Datasets",
    form_help="Column of the dataset each item belongs to; none: pool all items.",
    group="data",
    only_for=(*NAMES_COLUMN, base.PAIRED),
    kind="column",
    metavar="COLUMN",
    always_saved=False,
)
PREDICTION = Option(
    "prediction",
    str,
    None,
    "Column of answers: an item scores 1 if its answer is right.",
    label="Predictions",
    group="data",
    only_for=(*NAMES_COLUMN, base.SINGLE, in_texts("hypothesis")),
    kind="column",
    metavar="COLUMN",
    always_saved=False,
    doc="For a file, the column of a system's answers: an item scores 1 if its answer is right.",
)
GOLD = Option(
    "gold",
    str,
    None,
    "Column of the right answers, or a file of them if the inputs are files of answers.",
    label="Right answers",
    form_help="Column of the right answers that predictions are compared with.",
    group="data",
    only_for=(*NAMES_COLUMN, base.SINGLE, in_texts("reference")),
    kind="column",
    metavar="COLUMN|FILE",
    also=("gold-column",),
    always_saved=False,
    doc="For a file, the column of the right answers that predictions, or the columns of systems, are compared with.",
)
DUPLICATES = Option(
    "duplicates",
    str,
    "stop",
    "What to do with repeated ids.",
    ("stop", "mean", "first", "last"),
    label="Repeated ids",
    form_help="What to do with ids that occur more than once.",
    group="data",
    only_for=(base.SCORES, base.NO_OUTPUTS),
    doc="What to do with rows of a file that share an id: refuse them, or use their mean, the first or the last.",
)
READER = Option(
    "reader",
    str,
    "auto",
    "A format from `outscore formats`.",
    _formats,
    label="Format",
    form_help="Format of the files of scores.",
    group="data",
    only_for=(base.FILES, base.NO_OUTPUTS),
    metavar="FORMAT",
    doc="The format of the files, a name from ``outscore formats``.",
)
LOG_TASK = Option(
    "log_task",
    str,
    None,
    "Logs: the task to compare.",
    label="Task of the logs",
    form_help="Which task of the logs to compare, if they contain several.",
    group="logs",
    only_for=(base.LOGS, base.SCORES),
    metavar="NAME",
    always_saved=False,
)
FILTER = Option(
    "filter",
    str,
    None,
    "Logs: the filter that extracted the scored answers.",
    form_help="The filter that extracted the answers, if the logs contain scores for several filters.",
    group="logs",
    only_for=(base.LOGS, base.SCORES),
    metavar="NAME",
    always_saved=False,
)
MISSING = Option(
    "missing",
    str,
    None,
    "Rows without a score: stop, drop them, or count them as zero, the worst score.",
    ("stop", "drop", "zero"),
    label="Rows without a score",
    form_help="Rows that failed or were never scored: stop, leave them out, or count them as the worst score.",
    group="data",
    only_for=(base.SCORES, base.FILES),
    default_text="stop; zero where the harness counts so",
    always_saved=False,
)
FORCE_SAME = Option(
    "force_same",
    bool,
    False,
    "Logs: compare them even if their questions or settings differ.",
    label="Compare logs that differ",
    form_help="Compare logs even if their questions or settings differ.",
    group="logs",
    only_for=(base.LOGS, base.SCORES),
    kind="flag",
    always_saved=False,
)
ROSTER = Option(
    "roster",
    str,
    None,
    "Logs that name only some items: a file with all of them, one id per line, or their number.",
    label="All items",
    form_help="A file with the ids of all items, or their number, for logs that leave out what failed.",
    group="logs",
    only_for=(base.LOGS, base.SCORES),
    metavar="FILE|N",
    always_saved=False,
)
QRELS = Option(
    "qrels",
    str,
    None,
    "TREC runs: the file of relevance judgements; --metric names measures such as nDCG@10,AP.",
    label="Relevance judgements",
    form_help="The file of relevance judgements of TREC runs; the metric is then one of retrieval, such as nDCG@10.",
    group="logs",
    only_for=(base.FILES, base.SCORES),
    kind="file",
    metavar="FILE",
    always_saved=False,
)
TRANSPOSE = Option(
    "transpose",
    bool,
    False,
    "The rows of the table are systems and its columns are items.",
    label="Rows are systems",
    group="data",
    only_for=(*NAMES_COLUMN, base.SCORES),
    kind="flag",
    always_saved=False,
    doc="The rows of the file or table are systems and its columns are items.",
)
REFERENCE = Option(
    "reference",
    str,
    (),
    "Texts: a reference; repeatable.",
    label="References",
    form_help="The reference text, one segment per line; you may give several references.",
    group="files",
    kind="file",
    many=True,
    metavar="FILE",
    always_saved=False,
)
TEXT_READER = replace(
    READER,
    help="Texts: format of the files: text, sgml, xml, jsonl, tsv or csv.",
    choices=_text_formats,
    form_help="Format of the files of texts.",
    always_saved=False,
    doc="The format of files of texts: ``text``, ``sgml``, ``xml``, ``jsonl``, ``tsv`` or ``csv``.",
)
TEXT_COLUMN = Option(
    "text_column",
    str,
    {},
    "Texts: a column of a table, such as hypothesis=answer; repeatable.",
    label="Columns of texts",
    form_help="What the columns of a table contain: hypothesis, reference, source, system, document, item (none: no ids).",
    group="data",
    only_for=(base.TEXTS,),
    kind="settings",
    many=True,
    metavar="PART=COLUMN",
    always_saved=False,
    annotation="Mapping[str, str] | None",
    doc="Columns of a table of texts by their role: ``hypothesis``, ``reference``, ``source``, ``system``,\n"
    "``document`` or ``item`` (``none``: every row is a segment). None recognises them by their names.",
)
SCORES = Option(
    "scores",
    str,
    {},
    "Texts: a metric's segment scores, COMET=a.comet,b.comet; MetricX(lower)=... if lower is better; repeatable.",
    label="Segment scores",
    group="data",
    only_for=(base.TEXTS,),
    kind="settings",
    many=True,
    metavar="NAME=A,B",
    always_saved=False,
    annotation="Mapping[str, str] | None",
    doc="Segment scores from other metrics, which join the family: files for A and B by the metric's name,\n"
    '``{"COMET": "a.comet,b.comet"}``; ``"MetricX(lower)"`` says that lower is better.',
)
SOURCE = Option(
    "source",
    str,
    None,
    "Texts: the source text, one segment per line, shown beside the segments that moved a score.",
    group="files",
    only_for=(base.TEXTS,),
    kind="file",
    most=1,
    metavar="FILE",
    always_saved=False,
    annotation="Sequence[str] | Segments | Path | None",
    doc="The source text or the path of its file, shown beside the segments that moved a score. None uses the source column\n"
    "of a table of texts, if there is one.",
)
EXPLAIN = Option(
    "explain",
    bool,
    False,
    "Texts: also show which words make the difference: by frequency, and as n-grams.",
    label="Which words",
    group="data",
    only_for=(base.TEXTS,),
    kind="flag",
    always_saved=False,
    doc="Also study which words make the difference: by frequency, and n-grams that one system gets right more often.",
)
CORPUS = Option(
    "corpus",
    str,
    None,
    "Texts, with --explain: the text in which to count word frequencies, e.g. training data, instead of the reference.",
    label="Text to count words in",
    form_help="Where to count word frequencies, for example training data; empty: in the reference.",
    group="files",
    only_for=(base.EXPLAINED, base.TEXTS),
    kind="file",
    most=1,
    metavar="FILE",
    always_saved=False,
    annotation="Path | None",
    doc="The path of a text in which to count word frequencies, for example training data; None is the reference.",
)
DOCUMENTS = Option(
    "documents",
    str,
    None,
    "Texts: the document of each segment, one per line; documents are swapped as one; or none.",
    group="files",
    only_for=(base.TEXTS,),
    kind="file",
    most=1,
    metavar="FILE",
    always_saved=False,
    annotation="Sequence[object] | Segments | Path | None",
    doc="The document of each segment, or the path of a file of them: documents are swapped and resampled as one.",
)
BUCKETS = Option(
    "buckets",
    str,
    (),
    "Texts: also compare by reference length, or by labels, one per line.",
    label="Labels",
    form_help="A label for each segment, one per line: every label is compared separately.",
    group="files",
    only_for=(base.TEXTS,),
    kind="file",
    many=True,
    metavar="length|FILE",
    always_saved=False,
    annotation="Mapping[str, Sequence[object] | Segments | Path] | Sequence[Path] | Path | None",
    doc='Labels of the segments by the name of their column, paths of files of labels, or ``"length"`` for the length of the\n'
    "reference: each value is compared separately, and each column of labels is a family.",
)
COMPAT = Option(
    "compat",
    str,
    None,
    "Also show what others print: sacrebleu-ar and sacrebleu-bs of texts, nlpstattest and paired-perm-test of scores.",
    lambda: {
        "sacrebleu-ar": "sacreBLEU, approximate randomisation",
        "sacrebleu-bs": "sacreBLEU, bootstrap",
        "nlpstattest": "NLPStatTest",
        "paired-perm-test": "paired-perm-test",
    },
    label="Compare with",
    form_help="Also show what another program prints; it does not affect the verdict.",
    group="test",
    metavar="NAME",
    always_saved=False,
    doc='``"sacrebleu-ar"``, ``"sacrebleu-bs"`` (of texts), ``"nlpstattest"`` or ``"paired-perm-test"`` (of scores): also\n'
    "show what that program prints. It does not affect the verdict.",
)
NAMES = Option(
    "names",
    str,
    (),
    "What to call the systems.",
    form_help="What to call the systems, separated by commas.",
    group="data",
    only_for=(base.ALL_ROWS,),
    kind="names",
    metavar="A,B",
    default_text="header or file names",
    doc="What to call the systems. None uses the names in the data (header, file or `Scores`), otherwise A and B.",
)
BASELINE = Option(
    "baseline",
    str,
    None,
    "Compare every system with this one only.",
    group="test",
    kind="system",
    metavar="NAME",
)
CRITICAL_DIFFERENCE = Option(
    "critical_difference",
    bool,
    False,
    "Also report Friedman's test and Nemenyi's critical difference.",
    group="test",
    only_for=(base.ALL_ROWS,),
    kind="flag",
    doc="Also give Friedman's test and Nemenyi's critical difference, over datasets, or over items if there is one dataset.",
)
JOINT = Option(
    "joint",
    bool,
    False,
    "Also resample the same items for all systems: simultaneous intervals, P(best), Borda scores, win rates.",
    label="All systems at once",
    group="test",
    only_for=(base.ALL_ROWS,),
    kind="flag",
    always_saved=False,
    doc="Also resample the items for all systems at once: simultaneous intervals of the differences, how often each\n"
    "system is best, Borda scores and mean win rates.",
)
MIN_SUPPORT = Option(
    "min_support",
    int,
    20,
    "Rows with fewer units are listed but not tested.",
    check=check_count,
    label="Fewest units",
    group="test",
    doc="The smallest number of units with which a row is tested; rows with fewer are listed.",
)


def check_assumption(assume: str, known: tuple[str, ...]) -> None:
    """Refuse an assumption that is not known, or that texts do not bear out."""
    if assume not in known:
        raise OutscoreError(f"`assume` is {assume!r}.", f"Choose one of: {', '.join(known)}.", parameter="assume")
