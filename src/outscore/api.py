"""The public functions. Written from the requests by `make api`: change the declarations, not this file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from outscore.core.metric import AdditiveMetric
    from outscore.engine.engines import Engine
    from outscore.engine.progress import Progress
    from outscore.formats.segments import Segments
    from outscore.metrics.cache import StatisticsCache
    from outscore.results.comparison import Comparison, Comparisons
    from outscore.results.diff import Diff
    from outscore.results.gate import GateResult
    from outscore.results.logs import Logs
    from outscore.results.plan import PlanResult, PossibleP, PossibleTable
    from outscore.results.preference import Preference
    from outscore.results.pvalue import PValue
    from outscore.results.ranking import Ranking
    from outscore.results.score import ScoreResult
    from outscore.scores.system import Scores

    Path = str | os.PathLike[str]
    Texts = Sequence[str] | Sequence[Sequence[str]] | Sequence[os.PathLike[str]] | Segments | Path
    Table = Any  # a dataframe of whichever library: anything with named columns

__all__ = ["compare", "compare_texts", "convert", "diff", "gate", "permutation_test", "plan", "prefer", "rank", "score", "show"]


@overload
def compare(
    a: ArrayLike | Mapping[str, ArrayLike] | Scores | Path | Table,
    b: ArrayLike | Mapping[str, ArrayLike] | Scores | Path | Table | None = None,
    *,
    metric: str | AdditiveMetric | None = None,
    direction: Literal["auto", "higher", "lower"] = "auto",
    test: Literal[
        "permutation",
        "permutation-median",
        "student",
        "wilcoxon",
        "sign",
        "mcnemar",
        "bootstrap",
        "bootstrap-t",
        "bootstrap-median",
        "block-bootstrap",
        "bayes",
        "all",
    ] = "permutation",
    options: Mapping[str, object] | None = None,
    population: Literal["items", "items-and-runs", "these-items"] | None = None,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    alpha: float = 0.05,
    delta: float = 0.0,
    margin: float | None = None,
    not_worse: Mapping[str, float] | None = None,
    anytime: bool = False,
    bounds: tuple[float, float] | None = None,
    unpaired: bool = False,
    assume: Literal["symmetric", "equal-crashes"] | None = None,
    unit_size: int = 1,
    unit_statistic: Literal["mean", "median"] = "mean",
    shuffle: int | None = None,
    unit_advice: bool = False,
    normality_alpha: float = 0.05,
    correction: Literal["bonferroni", "holm", "hochberg", "hommel", "max-t", "bh", "by", "none"] = "holm",
    seed: int = 0,
    systems: Sequence[str] = (),
    items: ArrayLike | str | None = None,
    score: str | Sequence[str] = (),
    measure: tuple[()] = (),
    system_column: str | None = None,
    clusters: ArrayLike | str | None = None,
    weights: ArrayLike | str | None = None,
    repeat: str | None = None,
    repeats: Literal["epochs", "runs"] | None = None,
    reduce: Literal["mean", "pass@K", "pass^K", "max", "min", "majority"] = "mean",
    equal_runs: bool = False,
    slices: None = None,
    dataset: str | None = None,
    transpose: bool = False,
    prediction: str | None = None,
    gold: str | None = None,
    duplicates: Literal["stop", "mean", "first", "last"] = "stop",
    reader: Literal[
        "auto",
        "parquet",
        "jsonl",
        "csv",
        "tsv",
        "scores",
        "score-pairs",
        "f1-counts",
        "lm-eval",
        "every-eval-ever",
        "openai-evals",
        "inspect",
        "inspect-json",
        "helm",
        "swe-bench",
        "swe-bench-board",
        "terminal-bench",
        "harbor",
        "tau-bench",
        "livecodebench",
        "bfcl",
        "evalplus",
        "bigcodebench",
        "promptfoo",
        "lighteval",
        "trec-eval",
        "ranx",
        "comet",
        "deepeval",
        "opencompass",
        "explainaboard",
        "zeroeval",
    ] = "auto",
    log_task: str | None = None,
    filter: str | None = None,
    missing: Literal["stop", "drop", "zero"] | None = None,
    force_same: bool = False,
    roster: str | None = None,
    qrels: str | None = None,
    compat: Literal["sacrebleu-ar", "sacrebleu-bs", "nlpstattest", "paired-perm-test"] | None = None,
    names: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
) -> Comparison: ...


@overload
def compare(
    a: ArrayLike | Mapping[str, ArrayLike] | Scores | Path | Table,
    b: ArrayLike | Mapping[str, ArrayLike] | Scores | Path | Table | None = None,
    *,
    metric: str | AdditiveMetric | None = None,
    direction: Literal["auto", "higher", "lower"] = "auto",
    test: Literal[
        "permutation",
        "permutation-median",
        "student",
        "wilcoxon",
        "sign",
        "mcnemar",
        "bootstrap",
        "bootstrap-t",
        "bootstrap-median",
        "block-bootstrap",
        "bayes",
        "all",
    ] = "permutation",
    options: Mapping[str, object] | None = None,
    population: Literal["items", "items-and-runs", "these-items"] | None = None,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    alpha: float = 0.05,
    delta: float = 0.0,
    margin: float | None = None,
    not_worse: Mapping[str, float] | None = None,
    anytime: bool = False,
    bounds: tuple[float, float] | None = None,
    unpaired: bool = False,
    assume: Literal["symmetric", "equal-crashes"] | None = None,
    unit_size: int = 1,
    unit_statistic: Literal["mean", "median"] = "mean",
    shuffle: int | None = None,
    unit_advice: bool = False,
    normality_alpha: float = 0.05,
    correction: Literal["bonferroni", "holm", "hochberg", "hommel", "max-t", "bh", "by", "none"] = "holm",
    seed: int = 0,
    systems: Sequence[str] = (),
    items: ArrayLike | str | None = None,
    score: str | Sequence[str] = (),
    measure: tuple[()] = (),
    system_column: str | None = None,
    clusters: ArrayLike | str | None = None,
    weights: ArrayLike | str | None = None,
    repeat: str | None = None,
    repeats: Literal["epochs", "runs"] | None = None,
    reduce: Literal["mean", "pass@K", "pass^K", "max", "min", "majority"] = "mean",
    equal_runs: bool = False,
    slices: ArrayLike | Mapping[str, ArrayLike] | str,
    dataset: str | None = None,
    transpose: bool = False,
    prediction: str | None = None,
    gold: str | None = None,
    duplicates: Literal["stop", "mean", "first", "last"] = "stop",
    reader: Literal[
        "auto",
        "parquet",
        "jsonl",
        "csv",
        "tsv",
        "scores",
        "score-pairs",
        "f1-counts",
        "lm-eval",
        "every-eval-ever",
        "openai-evals",
        "inspect",
        "inspect-json",
        "helm",
        "swe-bench",
        "swe-bench-board",
        "terminal-bench",
        "harbor",
        "tau-bench",
        "livecodebench",
        "bfcl",
        "evalplus",
        "bigcodebench",
        "promptfoo",
        "lighteval",
        "trec-eval",
        "ranx",
        "comet",
        "deepeval",
        "opencompass",
        "explainaboard",
        "zeroeval",
    ] = "auto",
    log_task: str | None = None,
    filter: str | None = None,
    missing: Literal["stop", "drop", "zero"] | None = None,
    force_same: bool = False,
    roster: str | None = None,
    qrels: str | None = None,
    compat: Literal["sacrebleu-ar", "sacrebleu-bs", "nlpstattest", "paired-perm-test"] | None = None,
    names: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
) -> Comparisons: ...


@overload
def compare(
    a: ArrayLike | Mapping[str, ArrayLike] | Scores | Path | Table,
    b: ArrayLike | Mapping[str, ArrayLike] | Scores | Path | Table | None = None,
    *,
    metric: str | AdditiveMetric | None = None,
    direction: Literal["auto", "higher", "lower"] = "auto",
    test: Literal[
        "permutation",
        "permutation-median",
        "student",
        "wilcoxon",
        "sign",
        "mcnemar",
        "bootstrap",
        "bootstrap-t",
        "bootstrap-median",
        "block-bootstrap",
        "bayes",
        "all",
    ] = "permutation",
    options: Mapping[str, object] | None = None,
    population: Literal["items", "items-and-runs", "these-items"] | None = None,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    alpha: float = 0.05,
    delta: float = 0.0,
    margin: float | None = None,
    not_worse: Mapping[str, float] | None = None,
    anytime: bool = False,
    bounds: tuple[float, float] | None = None,
    unpaired: bool = False,
    assume: Literal["symmetric", "equal-crashes"] | None = None,
    unit_size: int = 1,
    unit_statistic: Literal["mean", "median"] = "mean",
    shuffle: int | None = None,
    unit_advice: bool = False,
    normality_alpha: float = 0.05,
    correction: Literal["bonferroni", "holm", "hochberg", "hommel", "max-t", "bh", "by", "none"] = "holm",
    seed: int = 0,
    systems: Sequence[str] = (),
    items: ArrayLike | str | None = None,
    score: str | Sequence[str] = (),
    measure: list[str],
    system_column: str | None = None,
    clusters: ArrayLike | str | None = None,
    weights: ArrayLike | str | None = None,
    repeat: str | None = None,
    repeats: Literal["epochs", "runs"] | None = None,
    reduce: Literal["mean", "pass@K", "pass^K", "max", "min", "majority"] = "mean",
    equal_runs: bool = False,
    slices: None = None,
    dataset: str | None = None,
    transpose: bool = False,
    prediction: str | None = None,
    gold: str | None = None,
    duplicates: Literal["stop", "mean", "first", "last"] = "stop",
    reader: Literal[
        "auto",
        "parquet",
        "jsonl",
        "csv",
        "tsv",
        "scores",
        "score-pairs",
        "f1-counts",
        "lm-eval",
        "every-eval-ever",
        "openai-evals",
        "inspect",
        "inspect-json",
        "helm",
        "swe-bench",
        "swe-bench-board",
        "terminal-bench",
        "harbor",
        "tau-bench",
        "livecodebench",
        "bfcl",
        "evalplus",
        "bigcodebench",
        "promptfoo",
        "lighteval",
        "trec-eval",
        "ranx",
        "comet",
        "deepeval",
        "opencompass",
        "explainaboard",
        "zeroeval",
    ] = "auto",
    log_task: str | None = None,
    filter: str | None = None,
    missing: Literal["stop", "drop", "zero"] | None = None,
    force_same: bool = False,
    roster: str | None = None,
    qrels: str | None = None,
    compat: Literal["sacrebleu-ar", "sacrebleu-bs", "nlpstattest", "paired-perm-test"] | None = None,
    names: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
) -> Comparisons: ...


def compare(
    a: ArrayLike | Mapping[str, ArrayLike] | Scores | Path | Table,
    b: ArrayLike | Mapping[str, ArrayLike] | Scores | Path | Table | None = None,
    *,
    metric: str | AdditiveMetric | None = None,
    direction: Literal["auto", "higher", "lower"] = "auto",
    test: Literal[
        "permutation",
        "permutation-median",
        "student",
        "wilcoxon",
        "sign",
        "mcnemar",
        "bootstrap",
        "bootstrap-t",
        "bootstrap-median",
        "block-bootstrap",
        "bayes",
        "all",
    ] = "permutation",
    options: Mapping[str, object] | None = None,
    population: Literal["items", "items-and-runs", "these-items"] | None = None,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    alpha: float = 0.05,
    delta: float = 0.0,
    margin: float | None = None,
    not_worse: Mapping[str, float] | None = None,
    anytime: bool = False,
    bounds: tuple[float, float] | None = None,
    unpaired: bool = False,
    assume: Literal["symmetric", "equal-crashes"] | None = None,
    unit_size: int = 1,
    unit_statistic: Literal["mean", "median"] = "mean",
    shuffle: int | None = None,
    unit_advice: bool = False,
    normality_alpha: float = 0.05,
    correction: Literal["bonferroni", "holm", "hochberg", "hommel", "max-t", "bh", "by", "none"] = "holm",
    seed: int = 0,
    systems: Sequence[str] = (),
    items: ArrayLike | str | None = None,
    score: str | Sequence[str] = (),
    measure: str | Sequence[str] = (),
    system_column: str | None = None,
    clusters: ArrayLike | str | None = None,
    weights: ArrayLike | str | None = None,
    repeat: str | None = None,
    repeats: Literal["epochs", "runs"] | None = None,
    reduce: Literal["mean", "pass@K", "pass^K", "max", "min", "majority"] = "mean",
    equal_runs: bool = False,
    slices: ArrayLike | Mapping[str, ArrayLike] | str | None = None,
    dataset: str | None = None,
    transpose: bool = False,
    prediction: str | None = None,
    gold: str | None = None,
    duplicates: Literal["stop", "mean", "first", "last"] = "stop",
    reader: Literal[
        "auto",
        "parquet",
        "jsonl",
        "csv",
        "tsv",
        "scores",
        "score-pairs",
        "f1-counts",
        "lm-eval",
        "every-eval-ever",
        "openai-evals",
        "inspect",
        "inspect-json",
        "helm",
        "swe-bench",
        "swe-bench-board",
        "terminal-bench",
        "harbor",
        "tau-bench",
        "livecodebench",
        "bfcl",
        "evalplus",
        "bigcodebench",
        "promptfoo",
        "lighteval",
        "trec-eval",
        "ranx",
        "comet",
        "deepeval",
        "opencompass",
        "explainaboard",
        "zeroeval",
    ] = "auto",
    log_task: str | None = None,
    filter: str | None = None,
    missing: Literal["stop", "drop", "zero"] | None = None,
    force_same: bool = False,
    roster: str | None = None,
    qrels: str | None = None,
    compat: Literal["sacrebleu-ar", "sacrebleu-bs", "nlpstattest", "paired-perm-test"] | None = None,
    names: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
) -> Comparison | Comparisons:
    """Compare two systems: scores, difference with its interval, p-value, effects, power and a verdict in words.

    H0 is that of the test; for the default test, the two systems are exchangeable on every item.

    Parameters
    ----------
    a : ArrayLike | Mapping[str, ArrayLike] | Scores | Path | Table
        The scores of system A: one row per item, (n,) scores, or counts (n, 2) tp, errors; (n, 3) tp, fp, fn;
        (n, 4) tp, fp, fn, tn. Or what `read` returns, the path of a file, or a table (pandas, polars ...),
        which may contain both systems. A dictionary names a system by its scores, or both systems.
    b : ArrayLike | Mapping[str, ArrayLike] | Scores | Path | Table | None, default None
        The scores of system B, in the same form and order as `a`; pandas Series are matched by their index.
    metric : str | AdditiveMetric | None, default None
        A name with options such as ``"fbeta:beta=2"``, or an `AdditiveMetric`. None is the mean, or F1 for
        counts of a file.
    direction : str, default "auto"
        Which scores are better, ``"higher"`` or ``"lower"``. ``"auto"`` goes by the name of the score column,
        or the ending of files of bare numbers (wer, loss, latency and the like are better when lower); if
        that does not settle it, higher is better.
    test : str, default "permutation"
        A name from ``outscore tests``. ``"all"`` decides by `permutation` and shows the others beside it.
    options : Mapping[str, object] | None, default None
        The test's own options by name, such as ``{"resamples": 999}``; ``outscore tests`` lists them.
    population : str | None, default None
        What the claim is about: ``"items"`` are new items with the runs at hand, ``"items-and-runs"`` newly
        trained systems on new items, ``"these-items"`` new runs of exactly these items. None is
        ``"items-and-runs"`` if the repeats are runs, otherwise ``"items"``.
    alternative : str, default "two-sided"
        ``"two-sided"``, ``"greater"`` (A is *better*) or ``"less"``.
    alpha : float, default 0.05
        The significance level; the interval has level 1 - alpha and the same design as p.
    delta : float, default 0.0
        Test whether A - B is `delta` instead of 0. Two-sided, differences are assumed to be symmetric about
        it; one-sided, nothing is, as for a margin. Right-or-wrong items get Tango's score test, which is
        asymptotic.
    margin : float | None, default None
        Also test whether A is worse than B by less than this margin, and whether the two are equivalent
        within it.
    not_worse : Mapping[str, float] | None, default None
        Margins by measure: claim that A is better on the other measures, and worse on these by less than the
        margin (intersection-union test).
    anytime : bool, default False
        Also show evidence valid at every look, for items in random order: e-value, anytime p, confidence
        sequence.
    bounds : tuple[float, float] | None, default None
        The smallest and the largest score that an item can have, for margins, a one-sided `delta` and
        `anytime`. None is what the metric says, or 0 and 1 if all scores lie there.
    unpaired : bool, default False
        Compare two samples of different items; items are not matched, and shared ids are refused.
    assume : str | None, default None
        What the test at a margin, or of a one-sided `delta`, may assume: ``"symmetric"`` differences, as
        flips of signs do, or ``"equal-crashes"``, that a crash hits one item as likely as another, for F1 and
        its kin. None assumes nothing.
    unit_size : int, default 1
        Adjacent items that form an evaluation unit.
    unit_statistic : str, default "mean"
        How the items of a unit are summarised.
    shuffle : int | None, default None
        Shuffle the items with this seed before units are formed.
    unit_advice : bool, default False
        Also show how spread, effect size and p depend on the unit size; choose the size for what it means,
        not for p.
    normality_alpha : float, default 0.05
        Level of the normality test in the data analysis; the decision does not depend on it.
    correction : str, default "holm"
        Multiplicity correction for the p-values of slices.
    seed : int, default 0
        Seed for everything that is sampled at random.
    systems : Sequence[str], default ()
        Which systems of the table to use.
    items : ArrayLike | str | None, default None
        A label per row: rows of one item are repeats and are averaged first. For a file or table, the column
        of item ids, or ``"none"`` if every row is a separate item.
    score : str | Sequence[str], default ()
        Column of the scores; several make counts (tp, fp, fn).
    measure : str | Sequence[str], default ()
        Several measures of the same items, tested as one family: columns of a file or table, or scores of
        logs; ``"latency(lower)"`` says that lower is better. The result is then a `Comparisons`.
    system_column : str | None, default None
        Column of the systems' names.
    clusters : ArrayLike | str | None, default None
        A label per row: rows of one cluster are swapped as one. For a file or table, the column of clusters,
        or ``"none"``.
    weights : ArrayLike | str | None, default None
        A weight per row, the same for all systems and runs of an item, or the column of a file or table: the
        score is the weighted mean of the items.
    repeat : str | None, default None
        Column of epochs, seeds, samples: averaged per item.
    repeats : str | None, default None
        What the rows of one item are: ``"epochs"`` are unrelated from item to item, ``"runs"`` span all
        items, as training seeds do. None goes by the column's name: seed and run are runs.
    reduce : str, default "mean"
        How several runs of an item become one score: ``"mean"``, ``"pass@2"`` (the chance that at least one
        of two runs is right), ``"pass^2"`` (that both are), ``"max"``, ``"min"``, or ``"majority"`` (whether
        the answer that most runs give is right).
    equal_runs : bool, default False
        If some systems ran more often on an item than others, use equally many runs of each: the first ones.
    slices : ArrayLike | Mapping[str, ArrayLike] | str | None, default None
        A label per row, alone or by the name of its column, or the column of a file: every value is compared
        on its own too.
    dataset : str | None, default None
        Column of the dataset each item belongs to; for texts, a file with a label per line; none: pool all
        items.
    transpose : bool, default False
        The rows of the table are systems and its columns are items.
    prediction : str | None, default None
        Column of answers: an item scores 1 if its answer is right.
    gold : str | None, default None
        For a file, the column of the right answers that predictions, or the columns of systems, are compared
        with.
    duplicates : str, default "stop"
        What to do with rows of a file that share an id: refuse them, or use their mean, the first or the
        last.
    reader : str, default "auto"
        The format of the files, a name from ``outscore formats``.
    log_task : str | None, default None
        Logs: which task to compare, if they contain several.
    filter : str | None, default None
        Logs: the filter that extracted the scored answers, if they contain several.
    missing : str | None, default None
        Rows without a score: stop, drop them, or count them as zero, the worst score. None means: stop; zero
        where the harness counts so.
    force_same : bool, default False
        Logs: compare logs even if their questions or settings differ.
    roster : str | None, default None
        Logs that leave out what failed: a file with the ids of all items, one per line, or their number.
    qrels : str | None, default None
        TREC runs: the file of relevance judgements; `metric` names measures such as nDCG@10,AP.
    compat : str | None, default None
        ``"sacrebleu-ar"``, ``"sacrebleu-bs"`` (of texts), ``"nlpstattest"`` or ``"paired-perm-test"`` (of
        scores): also show what that program prints. It does not affect the verdict.
    names : Sequence[str] | None, default None
        What to call the systems. None uses the names in the data (header, file or `Scores`), otherwise A and
        B.
    labels : Sequence[str] | None, default None
        What to call the rows of arrays; files and `Scores` have item ids.

    Returns
    -------
    Comparison | Comparisons
        The comparison; with `slices`, the whole and every slice, and with `measure`, every measure, as one
        family.

    Raises
    ------
    OutscoreError
        If the data or an option cannot be used; the message says why.

    Examples
    --------
    >>> result = compare([0.9, 0.7, 0.8, 0.9, 1.0, 0.6], [0.5, 0.4, 0.7, 0.6, 0.8, 0.5], names=("new", "old"))
    >>> result.verdict.split(":")[0], result.p.value
    ('new outscored old', 0.03125)
    >>> parts = compare([3, 4, 5, 1], [1, 2, 1, 2], slices={"topic": ["x", "x", "x", "y"]})
    >>> [(part.slice.value, part.p.value, part.p.adjusted) for part in parts.comparisons[1:]]
    [('x', 0.25, 0.5), ('y', 1.0, 1.0)]
    """
    from outscore.workflows.compare.run import call

    return call(
        a,
        b,
        metric=metric,
        direction=direction,
        test=test,
        options=options,
        population=population,
        alternative=alternative,
        alpha=alpha,
        delta=delta,
        margin=margin,
        not_worse=not_worse,
        anytime=anytime,
        bounds=bounds,
        unpaired=unpaired,
        assume=assume,
        unit_size=unit_size,
        unit_statistic=unit_statistic,
        shuffle=shuffle,
        unit_advice=unit_advice,
        normality_alpha=normality_alpha,
        correction=correction,
        seed=seed,
        systems=systems,
        items=items,
        score=score,
        measure=measure,
        system_column=system_column,
        clusters=clusters,
        weights=weights,
        repeat=repeat,
        repeats=repeats,
        reduce=reduce,
        equal_runs=equal_runs,
        slices=slices,
        dataset=dataset,
        transpose=transpose,
        prediction=prediction,
        gold=gold,
        duplicates=duplicates,
        reader=reader,
        log_task=log_task,
        filter=filter,
        missing=missing,
        force_same=force_same,
        roster=roster,
        qrels=qrels,
        compat=compat,
        names=names,
        labels=labels,
    )


def show(
    paths: Path | Sequence[Path],
    *,
    reader: Literal[
        "auto",
        "lm-eval",
        "every-eval-ever",
        "openai-evals",
        "inspect",
        "inspect-json",
        "helm",
        "swe-bench",
        "swe-bench-board",
        "terminal-bench",
        "harbor",
        "tau-bench",
        "livecodebench",
        "bfcl",
        "evalplus",
        "bigcodebench",
        "promptfoo",
        "lighteval",
        "trec-eval",
        "ranx",
        "comet",
        "deepeval",
        "opencompass",
        "explainaboard",
        "zeroeval",
    ] = "auto",
) -> Logs:
    """List what evaluation logs contain: systems, tasks, filters, scores, items and rows without a score.

    Parameters
    ----------
    paths : Path | Sequence[Path]
        A log, a folder of logs, or several of them.
    reader : str, default "auto"
        The format of the logs, a name from ``outscore formats``.

    Returns
    -------
    Logs
        The listing, with the command that compares the systems in it.

    Raises
    ------
    OutscoreError
        If the data or an option cannot be used; the message says why.

    Examples
    --------
    >>> show("no-such-log.json")
    Traceback (most recent call last):
    ...
    outscore.core.errors.OutscoreError: `no-such-log.json` does not exist. ...
    """
    from outscore.workflows.show.run import call

    return call(paths, reader=reader)


def convert(
    paths: Path | Sequence[Path],
    output: Path,
    *,
    reader: Literal[
        "auto",
        "lm-eval",
        "every-eval-ever",
        "openai-evals",
        "inspect",
        "inspect-json",
        "helm",
        "swe-bench",
        "swe-bench-board",
        "terminal-bench",
        "harbor",
        "tau-bench",
        "livecodebench",
        "bfcl",
        "evalplus",
        "bigcodebench",
        "promptfoo",
        "lighteval",
        "trec-eval",
        "ranx",
        "comet",
        "deepeval",
        "opencompass",
        "explainaboard",
        "zeroeval",
    ] = "auto",
    systems: Sequence[str] = (),
    log_task: str | None = None,
    filter: str | None = None,
) -> Logs:
    """Write logs of evaluation harnesses as Every Eval Ever: a line per item and score, and the totals beside them.

    Both files are written, or neither, and read back with the same systems, items, scores and repeats.

    Parameters
    ----------
    paths : Path | Sequence[Path]
        A log, a folder of logs, or several of them.
    output : Path
        The file of samples, `NAME_samples.jsonl`; `NAME.json` is written beside it.
    reader : str, default "auto"
        The format of the logs, a name from ``outscore formats``.
    systems : Sequence[str], default ()
        Convert these systems only.
    log_task : str | None, default None
        Convert this task only.
    filter : str | None, default None
        Convert the scores of this filter only.

    Returns
    -------
    Logs
        What was written, as `show` lists it.

    Raises
    ------
    OutscoreError
        If the data or an option cannot be used; the message says why.

    Examples
    --------
    >>> convert("no-such-log.json", "new_samples.jsonl")
    Traceback (most recent call last):
    ...
    outscore.core.errors.OutscoreError: `no-such-log.json` does not exist. ...
    """
    from outscore.workflows.convert import call

    return call(paths, output, reader=reader, systems=systems, log_task=log_task, filter=filter)


def score(
    scores: ArrayLike | Mapping[str, ArrayLike] | Scores | Sequence[Scores] | Sequence[Path] | Path | Table,
    *,
    metric: str | AdditiveMetric | None = None,
    direction: Literal["auto", "higher", "lower"] = "auto",
    alpha: float = 0.05,
    power: float = 0.8,
    population: Literal["items", "items-and-runs", "these-items"] | None = None,
    systems: Sequence[str] = (),
    items: ArrayLike | str | None = None,
    score: str | Sequence[str] = (),
    system_column: str | None = None,
    clusters: ArrayLike | str | None = None,
    weights: ArrayLike | str | None = None,
    repeat: str | None = None,
    repeats: Literal["epochs", "runs"] | None = None,
    reduce: Literal["mean", "pass@K", "pass^K", "max", "min", "majority"] = "mean",
    equal_runs: bool = False,
    slices: ArrayLike | Mapping[str, ArrayLike] | str | None = None,
    dataset: ArrayLike | str | None = None,
    transpose: bool = False,
    prediction: str | None = None,
    gold: str | None = None,
    duplicates: Literal["stop", "mean", "first", "last"] = "stop",
    reader: Literal[
        "auto",
        "parquet",
        "jsonl",
        "csv",
        "tsv",
        "scores",
        "score-pairs",
        "f1-counts",
        "lm-eval",
        "every-eval-ever",
        "openai-evals",
        "inspect",
        "inspect-json",
        "helm",
        "swe-bench",
        "swe-bench-board",
        "terminal-bench",
        "harbor",
        "tau-bench",
        "livecodebench",
        "bfcl",
        "evalplus",
        "bigcodebench",
        "promptfoo",
        "lighteval",
        "trec-eval",
        "ranx",
        "comet",
        "deepeval",
        "opencompass",
        "explainaboard",
        "zeroeval",
    ] = "auto",
    reference: Path | Sequence[object] | None = None,
    documents: Sequence[object] | Segments | Path | None = None,
    text_column: Mapping[str, str] | None = None,
    log_task: str | None = None,
    filter: str | None = None,
    missing: Literal["stop", "drop", "zero"] | None = None,
    force_same: bool = False,
    roster: str | None = None,
    qrels: str | None = None,
    names: Sequence[str] | None = None,
) -> ScoreResult:
    """Score one system, or several separately: interval, noise floor, and the smallest detectable difference.

    An interval is about one system alone; `compare` and `rank` answer whether two systems differ.

    Parameters
    ----------
    scores : ArrayLike | Mapping[str, ArrayLike] | Scores | Sequence[Scores] | Sequence[Path] | Path | Table
        The scores of one system, (n,) or counts (n, k); a dictionary of them by system; what `read` returns;
        a table (pandas, polars ...); or paths: a table, a log, or a file for each system.
    metric : str | AdditiveMetric | None, default None
        A name with options such as ``"fbeta:beta=2"``, or an `AdditiveMetric`. None is the mean, or F1 for
        counts of a file.
    direction : str, default "auto"
        Which scores are better, ``"higher"`` or ``"lower"``. ``"auto"`` goes by the name of the score column,
        or the ending of files of bare numbers (wer, loss, latency and the like are better when lower); if
        that does not settle it, higher is better.
    alpha : float, default 0.05
        Intervals have level 1 - alpha; this is also the significance level for comparing two runs.
    power : float, default 0.8
        Probability of detecting the smallest detectable difference.
    population : str | None, default None
        What the claim is about: ``"items"`` are new items with the runs at hand, ``"items-and-runs"`` newly
        trained systems on new items, ``"these-items"`` new runs of exactly these items. None is
        ``"items-and-runs"`` if the repeats are runs, otherwise ``"items"``.
    systems : Sequence[str], default ()
        Score these systems only.
    items : ArrayLike | str | None, default None
        A label per row: rows of one item are repeats and are averaged first. For a file or table, the column
        of item ids, or ``"none"`` if every row is a separate item.
    score : str | Sequence[str], default ()
        Column of the scores; several make counts (tp, fp, fn).
    system_column : str | None, default None
        Column of the systems' names.
    clusters : ArrayLike | str | None, default None
        A label per row: items of one cluster depend on one another. For a file or table, the column of
        clusters, or ``"none"``.
    weights : ArrayLike | str | None, default None
        A weight per row, the same for all systems and runs of an item, or the column of a file or table: the
        score is the weighted mean of the items.
    repeat : str | None, default None
        Column of epochs, seeds, samples: averaged per item.
    repeats : str | None, default None
        What the rows of one item are: ``"epochs"`` are unrelated from item to item, ``"runs"`` span all
        items, as training seeds do. None goes by the column's name: seed and run are runs.
    reduce : str, default "mean"
        How several runs of an item become one score: ``"mean"``, ``"pass@2"`` (the chance that at least one
        of two runs is right), ``"pass^2"`` (that both are), ``"max"``, ``"min"``, or ``"majority"`` (whether
        the answer that most runs give is right).
    equal_runs : bool, default False
        If some systems ran more often on an item than others, use equally many runs of each: the first ones.
    slices : ArrayLike | Mapping[str, ArrayLike] | str | None, default None
        A label per row, alone or by the name of its column, or the column of a file: each value is also
        scored alone.
    dataset : ArrayLike | str | None, default None
        A label per row, or the column of a file or table: the dataset of each row. The score is the mean over
        datasets.
    transpose : bool, default False
        The rows of the table are systems and its columns are items.
    prediction : str | None, default None
        Column of answers: an item scores 1 if its answer is right.
    gold : str | None, default None
        For a file, the column of the right answers that predictions, or the columns of systems, are compared
        with.
    duplicates : str, default "stop"
        What to do with rows of a file that share an id: refuse them, or use their mean, the first or the
        last.
    reader : str, default "auto"
        The format of the files, a name from ``outscore formats``.
    reference : Path | Sequence[object] | None, default None
        Texts: a reference.
    documents : Sequence[object] | Segments | Path | None, default None
        The document of each segment, or the path of a file of them: documents are swapped and resampled as
        one.
    text_column : Mapping[str, str] | None, default None
        Columns of a table of texts by their role: ``hypothesis``, ``reference``, ``source``, ``system``,
        ``document`` or ``item`` (``none``: every row is a segment). None recognises them by their names.
    log_task : str | None, default None
        Logs: the task to score; several tasks are scored as datasets.
    filter : str | None, default None
        Logs: the filter that extracted the scored answers, if they contain several.
    missing : str | None, default None
        Rows without a score: stop, drop them, or count them as zero, the worst score. None means: stop; zero
        where the harness counts so.
    force_same : bool, default False
        Logs: compare logs even if their questions or settings differ.
    roster : str | None, default None
        Logs that leave out what failed: a file with the ids of all items, one per line, or their number.
    qrels : str | None, default None
        TREC runs: the file of relevance judgements; `metric` names measures such as nDCG@10,AP.
    names : Sequence[str] | None, default None
        What to call the systems. None uses the names in the data (header, file or `Scores`), otherwise A and
        B.

    Returns
    -------
    ScoreResult
        A score with its interval for each system, and what the test set can detect.

    Raises
    ------
    OutscoreError
        If the data or an option cannot be used; the message says why.

    Examples
    --------
    >>> found = score([1, 0, 1, 1, 1, 0, 1, 1] * 5, names=["new"])
    >>> found.systems[0].value, round(found.systems[0].low, 3), round(found.systems[0].detectable.independent, 3)
    (0.75, 0.598, 0.331)
    """
    from outscore.workflows.score.run import call

    return call(
        scores,
        metric=metric,
        direction=direction,
        alpha=alpha,
        power=power,
        population=population,
        systems=systems,
        items=items,
        score=score,
        system_column=system_column,
        clusters=clusters,
        weights=weights,
        repeat=repeat,
        repeats=repeats,
        reduce=reduce,
        equal_runs=equal_runs,
        slices=slices,
        dataset=dataset,
        transpose=transpose,
        prediction=prediction,
        gold=gold,
        duplicates=duplicates,
        reader=reader,
        reference=reference,
        documents=documents,
        text_column=text_column,
        log_task=log_task,
        filter=filter,
        missing=missing,
        force_same=force_same,
        roster=roster,
        qrels=qrels,
        names=names,
    )


def gate(
    baseline: ArrayLike | Mapping[str, ArrayLike] | Scores | Path | Table | Texts,
    candidate: ArrayLike | Mapping[str, ArrayLike] | Scores | Path | Table | Texts | None = None,
    *,
    margin: float | None = None,
    alpha: float = 0.05,
    inconclusive: Literal["pass", "fail"] | None = None,
    assume: Literal["symmetric", "equal-crashes"] | None = None,
    bounds: tuple[float, float] | None = None,
    metric: str | AdditiveMetric | None = None,
    direction: Literal["auto", "higher", "lower"] = "auto",
    test: Literal["permutation", "student", "mcnemar", "bootstrap", "bootstrap-t", "block-bootstrap"] | None = None,
    options: Mapping[str, object] | None = None,
    population: Literal["items", "items-and-runs", "these-items"] | None = None,
    unpaired: bool = False,
    seed: int = 0,
    systems: Sequence[str] = (),
    items: ArrayLike | str | None = None,
    score: str | Sequence[str] = (),
    system_column: str | None = None,
    clusters: ArrayLike | str | None = None,
    weights: ArrayLike | str | None = None,
    repeat: str | None = None,
    repeats: Literal["epochs", "runs"] | None = None,
    reduce: Literal["mean", "pass@K", "pass^K", "max", "min", "majority"] = "mean",
    equal_runs: bool = False,
    slices: str | None = None,
    dataset: str | None = None,
    transpose: bool = False,
    prediction: str | None = None,
    gold: str | None = None,
    duplicates: Literal["stop", "mean", "first", "last"] = "stop",
    reader: Literal[
        "auto",
        "parquet",
        "jsonl",
        "csv",
        "tsv",
        "scores",
        "score-pairs",
        "f1-counts",
        "lm-eval",
        "every-eval-ever",
        "openai-evals",
        "inspect",
        "inspect-json",
        "helm",
        "swe-bench",
        "swe-bench-board",
        "terminal-bench",
        "harbor",
        "tau-bench",
        "livecodebench",
        "bfcl",
        "evalplus",
        "bigcodebench",
        "promptfoo",
        "lighteval",
        "trec-eval",
        "ranx",
        "comet",
        "deepeval",
        "opencompass",
        "explainaboard",
        "zeroeval",
    ] = "auto",
    reference: Path | Sequence[object] | None = None,
    documents: Sequence[object] | Segments | Path | None = None,
    text_column: Mapping[str, str] | None = None,
    log_task: str | None = None,
    filter: str | None = None,
    missing: Literal["stop", "drop", "zero"] | None = None,
    force_same: bool = False,
    roster: str | None = None,
    qrels: str | None = None,
    baseline_file: Path | None = None,
    names: Sequence[str] | None = None,
) -> GateResult:
    """Decide whether a candidate may replace a baseline: pass, fail or inconclusive, for continuous integration.

    With Δ the candidate's lead and m the margin: pass where Δ <= -m is rejected, else fail where Δ >= 0 is, both
    one-sided at `alpha`, else inconclusive. H0 at -m is tested without assuming a shape where the range of the
    scores is known (Gaffke's bounded mean), by Tango's score test for right-or-wrong items, by the bootstrap for
    metrics that are not means; in no case does a loss that has not shown count as absent.

    Parameters
    ----------
    baseline : ArrayLike | Mapping[str, ArrayLike] | Scores | Path | Table | Texts
        The scores of the baseline, in any form that `compare` takes; with `reference` its texts. A file or
        table alone contains both systems, the baseline first.
    candidate : ArrayLike | Mapping[str, ArrayLike] | Scores | Path | Table | Texts | None, default None
        The scores of the candidate, in the same form.
    margin : float | None, default None
        How much worse the candidate may be, in units of the metric. Required, because no default suits every
        metric.
    alpha : float, default 0.05
        The level of each one-sided test; at most .25.
    inconclusive : str | None, default None
        What the outcome "inconclusive" counts as: ``"pass"``, ``"fail"``, or neither.
    assume : str | None, default None
        What the test at a margin, or of a one-sided `delta`, may assume: ``"symmetric"`` differences, as
        flips of signs do, or ``"equal-crashes"``, that a crash hits one item as likely as another, for F1 and
        its kin. None assumes nothing.
    bounds : tuple[float, float] | None, default None
        The smallest and the largest score that an item can have, for margins, a one-sided `delta` and
        `anytime`. None is what the metric says, or 0 and 1 if all scores lie there.
    metric : str | AdditiveMetric | None, default None
        A name with options such as ``"fbeta:beta=2"``, or an `AdditiveMetric`. None is the mean, or F1 for
        counts of a file.
    direction : str, default "auto"
        Which scores are better, ``"higher"`` or ``"lower"``. ``"auto"`` goes by the name of the score column,
        or the ending of files of bare numbers (wer, loss, latency and the like are better when lower); if
        that does not settle it, higher is better.
    test : str | None, default None
        A test that takes a margin. None is `permutation`, or `bootstrap` if the metric is not a mean over
        items.
    options : Mapping[str, object] | None, default None
        The test's own options by name, such as ``{"resamples": 999}``; ``outscore tests`` lists them.
    population : str | None, default None
        What the claim is about: ``"items"`` are new items with the runs at hand, ``"items-and-runs"`` newly
        trained systems on new items, ``"these-items"`` new runs of exactly these items. None is
        ``"items-and-runs"`` if the repeats are runs, otherwise ``"items"``.
    unpaired : bool, default False
        Compare two samples of different items; items are not matched, and shared ids are refused.
    seed : int, default 0
        Seed for everything that is sampled at random.
    systems : Sequence[str], default ()
        Systems of the table, the baseline first.
    items : ArrayLike | str | None, default None
        A label per row: rows of one item are repeats and are averaged first. For a file or table, the column
        of item ids, or ``"none"`` if every row is a separate item.
    score : str | Sequence[str], default ()
        Column of the scores; several make counts (tp, fp, fn).
    system_column : str | None, default None
        Column of the systems' names.
    clusters : ArrayLike | str | None, default None
        A label per row: rows of one cluster are swapped as one. For a file or table, the column of clusters,
        or ``"none"``.
    weights : ArrayLike | str | None, default None
        A weight per row, the same for all systems and runs of an item, or the column of a file or table: the
        score is the weighted mean of the items.
    repeat : str | None, default None
        Column of epochs, seeds, samples: averaged per item.
    repeats : str | None, default None
        What the rows of one item are: ``"epochs"`` are unrelated from item to item, ``"runs"`` span all
        items, as training seeds do. None goes by the column's name: seed and run are runs.
    reduce : str, default "mean"
        How several runs of an item become one score: ``"mean"``, ``"pass@2"`` (the chance that at least one
        of two runs is right), ``"pass^2"`` (that both are), ``"max"``, ``"min"``, or ``"majority"`` (whether
        the answer that most runs give is right).
    equal_runs : bool, default False
        If some systems ran more often on an item than others, use equally many runs of each: the first ones.
    slices : str | None, default None
        The column of a file or table: every value is shown too, with a warning where the candidate is worse
        by more than the margin. The outcome is that of the whole.
    dataset : str | None, default None
        Column of the dataset each item belongs to; for texts, a file with a label per line; none: pool all
        items.
    transpose : bool, default False
        The rows of the table are systems and its columns are items.
    prediction : str | None, default None
        Column of answers: an item scores 1 if its answer is right.
    gold : str | None, default None
        For a file, the column of the right answers that predictions, or the columns of systems, are compared
        with.
    duplicates : str, default "stop"
        What to do with rows of a file that share an id: refuse them, or use their mean, the first or the
        last.
    reader : str, default "auto"
        The format of the files, a name from ``outscore formats``.
    reference : Path | Sequence[object] | None, default None
        For texts: a reference, its path or its segments, or several as a list of lists or of `pathlib.Path`.
    documents : Sequence[object] | Segments | Path | None, default None
        The document of each segment, or the path of a file of them: documents are swapped and resampled as
        one.
    text_column : Mapping[str, str] | None, default None
        Columns of a table of texts by their role: ``hypothesis``, ``reference``, ``source``, ``system``,
        ``document`` or ``item`` (``none``: every row is a segment). None recognises them by their names.
    log_task : str | None, default None
        Logs: which task to compare, if they contain several.
    filter : str | None, default None
        Logs: the filter that extracted the scored answers, if they contain several.
    missing : str | None, default None
        Rows without a score: stop, drop them, or count them as zero, the worst score. None means: stop; zero
        where the harness counts so.
    force_same : bool, default False
        Logs: compare logs even if their questions or settings differ.
    roster : str | None, default None
        Logs that leave out what failed: a file with the ids of all items, one per line, or their number.
    qrels : str | None, default None
        TREC runs: the file of relevance judgements; `metric` names measures such as nDCG@10,AP.
    baseline_file : Path | None, default None
        The path of scores that ``outscore gate `update``` wrote; then only the candidate is given, as a path.
    names : Sequence[str] | None, default None
        What to call the baseline and the candidate. None uses the names in the data.

    Returns
    -------
    GateResult
        The outcome, with the comparison behind it; scripts need its `passed` or `exit_code`.

    Raises
    ------
    OutscoreError
        If the data or an option cannot be used; the message says why.

    Examples
    --------
    >>> old, new = [1, 0, 1, 1] * 100, [1, 0, 1, 1] * 99 + [1, 1, 1, 0]
    >>> found = gate(old, new, margin=0.02)
    >>> found.outcome, found.exit_code, round(found.not_worse.value, 4)
    ('pass', 0, 0.0036)
    """
    from outscore.workflows.gate import call

    return call(
        baseline,
        candidate,
        margin=margin,
        alpha=alpha,
        inconclusive=inconclusive,
        assume=assume,
        bounds=bounds,
        metric=metric,
        direction=direction,
        test=test,
        options=options,
        population=population,
        unpaired=unpaired,
        seed=seed,
        systems=systems,
        items=items,
        score=score,
        system_column=system_column,
        clusters=clusters,
        weights=weights,
        repeat=repeat,
        repeats=repeats,
        reduce=reduce,
        equal_runs=equal_runs,
        slices=slices,
        dataset=dataset,
        transpose=transpose,
        prediction=prediction,
        gold=gold,
        duplicates=duplicates,
        reader=reader,
        reference=reference,
        documents=documents,
        text_column=text_column,
        log_task=log_task,
        filter=filter,
        missing=missing,
        force_same=force_same,
        roster=roster,
        qrels=qrels,
        baseline_file=baseline_file,
        names=names,
    )


def compare_texts(
    a: Texts,
    b: Texts,
    reference: Texts,
    *,
    metrics: Sequence[str] | None = None,
    test: Literal[
        "permutation",
        "permutation-median",
        "student",
        "wilcoxon",
        "sign",
        "mcnemar",
        "bootstrap",
        "bootstrap-t",
        "bootstrap-median",
        "block-bootstrap",
        "bayes",
    ] = "permutation",
    options: Mapping[str, object] | None = None,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    alpha: float = 0.05,
    delta: float = 0.0,
    margin: float | None = None,
    assume: Literal["symmetric"] | None = None,
    population: Literal["items", "items-and-runs", "these-items"] | None = None,
    unit_size: int = 1,
    unit_statistic: Literal["mean", "median"] = "mean",
    shuffle: int | None = None,
    normality_alpha: float = 0.05,
    correction: Literal["bonferroni", "holm", "hochberg", "hommel", "max-t", "bh", "by", "none"] = "holm",
    seed: int = 0,
    source: Sequence[str] | Segments | Path | None = None,
    documents: Sequence[object] | Segments | Path | None = None,
    dataset: Sequence[object] | Segments | Path | None = None,
    buckets: Mapping[str, Sequence[object] | Segments | Path] | Sequence[Path] | Path | None = None,
    explain: bool = False,
    corpus: Path | None = None,
    compat: Literal["sacrebleu-ar", "sacrebleu-bs", "nlpstattest", "paired-perm-test"] | None = None,
    scores: Mapping[str, str] | None = None,
    systems: Sequence[str] = (),
    reader: Literal["auto", "text", "sgml", "xml", "jsonl", "tsv", "csv"] = "auto",
    text_column: Mapping[str, str] | None = None,
    names: Sequence[str] | None = None,
    unit_advice: bool = False,
    jobs: int | None = None,
    cache: StatisticsCache | Path | None = None,
    segments: Path | None = None,
    progress: Progress | None = None,
) -> Comparisons:
    """Compare two systems' texts, metric by metric, with p-values corrected for the number of metrics.

    Parameters
    ----------
    a : Texts
        The output of system A: a list of segments, or the path of a text file. A list of lists, or of
        `pathlib.Path`, is several runs. A single string is a path, a string in a list is a segment.
    b : Texts
        The output of system B, in the same form.
    reference : Texts
        The reference, in the same form; a list of lists or of `pathlib.Path` is several.
    metrics : Sequence[str] | None, default None
        Names, with options such as ``"bleu:tokenize=none"``; ``outscore metrics`` lists them. None is BLEU
        and chrF.
    test : str, default "permutation"
        A name from ``outscore tests``. ``"all"`` decides by `permutation` and shows the others beside it.
    options : Mapping[str, object] | None, default None
        The test's own options by name, such as ``{"resamples": 999}``; ``outscore tests`` lists them.
    alternative : str, default "two-sided"
        ``"two-sided"``, ``"greater"`` (A is *better*) or ``"less"``.
    alpha : float, default 0.05
        The significance level; the interval has level 1 - alpha and the same design as p.
    delta : float, default 0.0
        Test whether A - B is `delta` instead of 0. Two-sided, differences are assumed to be symmetric about
        it; one-sided, nothing is, as for a margin. Right-or-wrong items get Tango's score test, which is
        asymptotic.
    margin : float | None, default None
        Also test whether A is worse than B by less than this margin, and whether the two are equivalent
        within it.
    assume : str | None, default None
        What the test at a margin, or of a one-sided `delta`, may assume: ``"symmetric"`` differences, as
        flips of signs do, or ``"equal-crashes"``, that a crash hits one item as likely as another, for F1 and
        its kin. None assumes nothing.
    population : str | None, default None
        What the claim is about: ``"items"`` are new items with the runs at hand, ``"items-and-runs"`` newly
        trained systems on new items, ``"these-items"`` new runs of exactly these items. None is
        ``"items-and-runs"`` if the repeats are runs, otherwise ``"items"``.
    unit_size : int, default 1
        Adjacent items that form an evaluation unit.
    unit_statistic : str, default "mean"
        How the items of a unit are summarised.
    shuffle : int | None, default None
        Shuffle the items with this seed before units are formed.
    normality_alpha : float, default 0.05
        Level of the normality test in the data analysis; the decision does not depend on it.
    correction : str, default "holm"
        Multiplicity correction for the p-values of the metrics.
    seed : int, default 0
        Seed for everything that is sampled at random.
    source : Sequence[str] | Segments | Path | None, default None
        The source text or the path of its file, shown beside the segments that moved a score. None uses the
        source column of a table of texts, if there is one.
    documents : Sequence[object] | Segments | Path | None, default None
        The document of each segment, or the path of a file of them: documents are swapped and resampled as
        one.
    dataset : Sequence[object] | Segments | Path | None, default None
        The test set or language pair of each segment, or the path of a file of them: the verdict is about the
        macro average of the datasets. None uses the dataset column of a table, if it has one; ``"none"``
        pools all segments.
    buckets : Mapping[str, Sequence[object] | Segments | Path] | Sequence[Path] | Path | None, default None
        Labels of the segments by the name of their column, paths of files of labels, or ``"length"`` for the
        length of the reference: each value is compared separately, and each column of labels is a family.
    explain : bool, default False
        Texts: also show which words make the difference: by frequency, and as n-grams.
    corpus : Path | None, default None
        Texts, with `explain`: the text in which to count word frequencies, e.g. training data, instead of the
        reference.
    compat : str | None, default None
        ``"sacrebleu-ar"``, ``"sacrebleu-bs"`` (of texts), ``"nlpstattest"`` or ``"paired-perm-test"`` (of
        scores): also show what that program prints. It does not affect the verdict.
    scores : Mapping[str, str] | None, default None
        Segment scores from other metrics, which join the family: files for A and B by the metric's name,
        ``{"COMET": "a.comet,b.comet"}``; ``"MetricX(lower)"`` says that lower is better.
    systems : Sequence[str], default ()
        Which systems of the table to use.
    reader : str, default "auto"
        The format of the files, a name from ``outscore formats``.
    text_column : Mapping[str, str] | None, default None
        Columns of a table of texts by their role: ``hypothesis``, ``reference``, ``source``, ``system``,
        ``document`` or ``item`` (``none``: every row is a segment). None recognises them by their names.
    names : Sequence[str] | None, default None
        What to call the systems. None uses the names in the data (header, file or `Scores`), otherwise A and
        B.
    unit_advice : bool, default False
        Also show how spread, effect size and p depend on the unit size; choose the size for what it means,
        not for p.
    jobs : int | None, default None
        How many processes compute the statistics: None or 1 is this process alone, 0 is one for each
        processor.
    cache : StatisticsCache | Path | None, default None
        Where to keep statistics: a folder or a `StatisticsCache`; None is the default folder.
    segments : Path | None, default None
        For texts, a CSV file to write the score of every segment by every metric to.
    progress : Progress | None, default None
        What to report progress to. Results do not depend on it.

    Returns
    -------
    Comparisons
        A comparison for each metric, as one family.

    Raises
    ------
    OutscoreError
        If the data or an option cannot be used; the message says why.

    Examples
    --------
    >>> reference = ["the cat sat on the mat", "it was late", "we go home now"]
    >>> a, b = ["the cat sat on a mat", "it was late", "we go home"], ["a cat is on mat", "it late", "we go"]
    >>> found = compare_texts(a, b, reference, metrics=["ter", "wer"])
    >>> [(c.metric, c.difference < 0, c.p.value, c.p.method) for c in found.comparisons]
    [('TER', True, 0.25, 'exact'), ('WER', True, 0.25, 'exact')]
    """
    from outscore.workflows.texts.run import call

    return call(
        a,
        b,
        reference,
        metrics=metrics,
        test=test,
        options=options,
        alternative=alternative,
        alpha=alpha,
        delta=delta,
        margin=margin,
        assume=assume,
        population=population,
        unit_size=unit_size,
        unit_statistic=unit_statistic,
        shuffle=shuffle,
        normality_alpha=normality_alpha,
        correction=correction,
        seed=seed,
        source=source,
        documents=documents,
        dataset=dataset,
        buckets=buckets,
        explain=explain,
        corpus=corpus,
        compat=compat,
        scores=scores,
        systems=systems,
        reader=reader,
        text_column=text_column,
        names=names,
        unit_advice=unit_advice,
        jobs=jobs,
        cache=cache,
        segments=segments,
        progress=progress,
    )


def rank(
    scores: Mapping[str, ArrayLike] | Mapping[str, Texts] | Sequence[Scores] | Sequence[Path] | Path | Table,
    *,
    metric: str | AdditiveMetric | None = None,
    direction: Literal["auto", "higher", "lower"] = "auto",
    test: Literal[
        "permutation",
        "permutation-median",
        "student",
        "wilcoxon",
        "sign",
        "mcnemar",
        "bootstrap",
        "bootstrap-t",
        "bootstrap-median",
        "block-bootstrap",
        "bayes",
    ] = "permutation",
    options: Mapping[str, object] | None = None,
    population: Literal["items", "items-and-runs", "these-items"] | None = None,
    alpha: float = 0.05,
    correction: Literal["bonferroni", "holm", "shaffer", "hochberg", "hommel", "max-t", "bh", "by", "none"] = "holm",
    baseline: str | None = None,
    critical_difference: bool = False,
    joint: bool = False,
    not_worse: Mapping[str, float] | None = None,
    unit_size: int = 1,
    unit_statistic: Literal["mean", "median"] = "mean",
    shuffle: int | None = None,
    seed: int = 0,
    systems: Sequence[str] = (),
    items: ArrayLike | str | None = None,
    score: str | Sequence[str] = (),
    measure: str | Sequence[str] = (),
    system_column: str | None = None,
    clusters: ArrayLike | str | None = None,
    weights: ArrayLike | str | None = None,
    repeat: str | None = None,
    repeats: Literal["epochs", "runs"] | None = None,
    reduce: Literal["mean", "pass@K", "pass^K", "max", "min", "majority"] = "mean",
    equal_runs: bool = False,
    slices: str | None = None,
    dataset: ArrayLike | str | None = None,
    transpose: bool = False,
    prediction: str | None = None,
    gold_column: str | None = None,
    duplicates: Literal["stop", "mean", "first", "last"] = "stop",
    reader: Literal[
        "auto",
        "parquet",
        "jsonl",
        "csv",
        "tsv",
        "scores",
        "score-pairs",
        "f1-counts",
        "lm-eval",
        "every-eval-ever",
        "openai-evals",
        "inspect",
        "inspect-json",
        "helm",
        "swe-bench",
        "swe-bench-board",
        "terminal-bench",
        "harbor",
        "tau-bench",
        "livecodebench",
        "bfcl",
        "evalplus",
        "bigcodebench",
        "promptfoo",
        "lighteval",
        "trec-eval",
        "ranx",
        "comet",
        "deepeval",
        "opencompass",
        "explainaboard",
        "zeroeval",
    ] = "auto",
    reference: Path | Sequence[object] | None = None,
    documents: Sequence[object] | Segments | Path | None = None,
    text_column: Mapping[str, str] | None = None,
    metric_scores: Mapping[str, str] | None = None,
    task: Literal["label", "pos", "dep", "ner"] | None = None,
    gold: object = None,
    log_task: str | None = None,
    filter: str | None = None,
    missing: Literal["stop", "drop", "zero"] | None = None,
    force_same: bool = False,
    roster: str | None = None,
    qrels: str | None = None,
    names: Sequence[str] | None = None,
    segments: Path | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Ranking:
    """Rank many systems: scores with intervals, all pairs tested and corrected, groups that cannot be told apart.

    H0 of each pair is that of the test; systems are compared on the items both have. Several datasets are ranked
    separately, and together by their macro average, which is tested as its own statistic. With `reference`, texts
    are ranked instead of scores; with `gold` and `task`, outputs.

    Parameters
    ----------
    scores : Mapping[str, ArrayLike] | Mapping[str, Texts] | Sequence[Scores] | Sequence[Path] | Path | Table
        A dictionary of arrays by system, (n,) scores or (n, k) counts of the same items in the same order;
        what `read` returns; a table (pandas, polars ...), long (item, system, score) or wide (a column per
        system); or paths: a table, a file for each system or dataset, a folder of Parquet parts. Texts and
        outputs are given by system, or as paths.
    metric : str | AdditiveMetric | None, default None
        A name with options such as ``"fbeta:beta=2"``, or an `AdditiveMetric`. None is the mean, or F1 for
        counts of a file.
    direction : str, default "auto"
        Which scores are better, ``"higher"`` or ``"lower"``. ``"auto"`` goes by the name of the score column,
        or the ending of files of bare numbers (wer, loss, latency and the like are better when lower); if
        that does not settle it, higher is better.
    test : str, default "permutation"
        A name from ``outscore tests``.
    options : Mapping[str, object] | None, default None
        The test's own options by name, such as ``{"resamples": 999}``; ``outscore tests`` lists them.
    population : str | None, default None
        What the claim is about: ``"items"`` are new items with the runs at hand, ``"items-and-runs"`` newly
        trained systems on new items, ``"these-items"`` new runs of exactly these items. None is
        ``"items-and-runs"`` if the repeats are runs, otherwise ``"items"``.
    alpha : float, default 0.05
        The level of all claims together; each interval on its own has level 1 - alpha.
    correction : str, default "holm"
        Multiplicity correction for the number of pairs.
    baseline : str | None, default None
        Compare every system with this one only.
    critical_difference : bool, default False
        Also report Friedman's test and Nemenyi's critical difference, over datasets, or over items of one
        dataset.
    joint : bool, default False
        Also resample the items for all systems at once: simultaneous intervals of the differences, how often
        each system is best, Borda scores and mean win rates.
    not_worse : Mapping[str, float] | None, default None
        Margins by measure: a system that dominates another is better on the other measures, and worse on
        these by less than the margin (intersection-union test).
    unit_size : int, default 1
        Adjacent items that form an evaluation unit.
    unit_statistic : str, default "mean"
        How the items of a unit are summarised.
    shuffle : int | None, default None
        Shuffle the items with this seed before units are formed.
    seed : int, default 0
        Seed for everything that is sampled at random.
    systems : Sequence[str], default ()
        Rank these systems only.
    items : ArrayLike | str | None, default None
        A label per row: rows of one item are repeats and are averaged first. For a file or table, the column
        of item ids, or ``"none"`` if every row is a separate item.
    score : str | Sequence[str], default ()
        Column of the scores; several make counts (tp, fp, fn).
    measure : str | Sequence[str], default ()
        Several measures of the same items: columns of a file or table, or scores of logs; ``"cost(lower)"``
        says that lower is better. The first sets the order, and the result says which systems no other
        dominates.
    system_column : str | None, default None
        Column of the systems' names.
    clusters : ArrayLike | str | None, default None
        A label per row: rows of one cluster are swapped as one. For a file or table, the column of clusters,
        or ``"none"``.
    weights : ArrayLike | str | None, default None
        A weight per row, the same for all systems and runs of an item, or the column of a file or table: the
        score is the weighted mean of the items.
    repeat : str | None, default None
        Column of epochs, seeds, samples: averaged per item.
    repeats : str | None, default None
        What the rows of one item are: ``"epochs"`` are unrelated from item to item, ``"runs"`` span all
        items, as training seeds do. None goes by the column's name: seed and run are runs.
    reduce : str, default "mean"
        How several runs of an item become one score: ``"mean"``, ``"pass@2"`` (the chance that at least one
        of two runs is right), ``"pass^2"`` (that both are), ``"max"``, ``"min"``, or ``"majority"`` (whether
        the answer that most runs give is right).
    equal_runs : bool, default False
        If some systems ran more often on an item than others, use equally many runs of each: the first ones.
    slices : str | None, default None
        The column of a file or table: every value is also ranked on its own.
    dataset : ArrayLike | str | None, default None
        A label per row, or the column of a file or table: the dataset of each row. For texts, a label per
        segment or the path of a file of them; ``"none"`` pools all segments.
    transpose : bool, default False
        The rows of the table are systems and its columns are items.
    prediction : str | None, default None
        Column of answers: an item scores 1 if its answer is right.
    gold_column : str | None, default None
        For a file, the column of the right answers that predictions, or the columns of systems, are compared
        with.
    duplicates : str, default "stop"
        What to do with rows of a file that share an id: refuse them, or use their mean, the first or the
        last.
    reader : str, default "auto"
        The format of the files, a name from ``outscore formats``.
    reference : Path | Sequence[object] | None, default None
        Rank texts: a reference, its path or its segments, or several as a list of lists or of `pathlib.Path`.
    documents : Sequence[object] | Segments | Path | None, default None
        The document of each segment, or the path of a file of them: documents are swapped and resampled as
        one.
    text_column : Mapping[str, str] | None, default None
        Columns of a table of texts by their role: ``hypothesis``, ``reference``, ``source``, ``system``,
        ``document`` or ``item`` (``none``: every row is a segment). None recognises them by their names.
    metric_scores : Mapping[str, str] | None, default None
        For texts, segment scores from other metrics, which join the family: a file for each system, or one
        for all, by the metric's name, ``{"COMET": "a.comet,b.comet,c.comet"}``; ``"MetricX(lower)"`` says
        that lower is better.
    task : str | None, default None
        Outputs: what the files contain; needs `gold`.
    gold : object, default None
        Rank outputs: the right answers, as `diff` takes them.
    log_task : str | None, default None
        Logs: which task to compare, if they contain several.
    filter : str | None, default None
        Logs: the filter that extracted the scored answers, if they contain several.
    missing : str | None, default None
        Rows without a score: stop, drop them, or count them as zero, the worst score. None means: stop; zero
        where the harness counts so.
    force_same : bool, default False
        Logs: compare logs even if their questions or settings differ.
    roster : str | None, default None
        Logs that leave out what failed: a file with the ids of all items, one per line, or their number.
    qrels : str | None, default None
        TREC runs: the file of relevance judgements; `metric` names measures such as nDCG@10,AP.
    names : Sequence[str] | None, default None
        What to call the systems. None uses the names in the data (header, file or `Scores`), otherwise A and
        B.
    segments : Path | None, default None
        For texts, a CSV file to write the score of every segment by every metric to.
    engine : Engine | None, default None
        What does the work; None is this process. Results do not depend on it.
    progress : Progress | None, default None
        What to report progress to. Results do not depend on it.

    Returns
    -------
    Ranking
        The systems, best first, with all pairs and groups.

    Raises
    ------
    OutscoreError
        If the data or an option cannot be used; the message says why.

    Examples
    --------
    >>> right = {"new": [1, 1, 1, 1, 1, 1, 1, 1], "old": [0, 0, 0, 0, 0, 0, 0, 1], "base": [0, 0, 0, 0, 0, 0, 0, 0]}
    >>> found = rank(right, metric="accuracy")
    >>> found.systems, [pair.p.adjusted for pair in found.pairs], found.groups
    (['new', 'old', 'base'], [0.03125, 0.0234375, 1.0], [['new'], ['old', 'base']])
    """
    from outscore.workflows.rank.run import call

    return call(
        scores,
        metric=metric,
        direction=direction,
        test=test,
        options=options,
        population=population,
        alpha=alpha,
        correction=correction,
        baseline=baseline,
        critical_difference=critical_difference,
        joint=joint,
        not_worse=not_worse,
        unit_size=unit_size,
        unit_statistic=unit_statistic,
        shuffle=shuffle,
        seed=seed,
        systems=systems,
        items=items,
        score=score,
        measure=measure,
        system_column=system_column,
        clusters=clusters,
        weights=weights,
        repeat=repeat,
        repeats=repeats,
        reduce=reduce,
        equal_runs=equal_runs,
        slices=slices,
        dataset=dataset,
        transpose=transpose,
        prediction=prediction,
        gold_column=gold_column,
        duplicates=duplicates,
        reader=reader,
        reference=reference,
        documents=documents,
        text_column=text_column,
        metric_scores=metric_scores,
        task=task,
        gold=gold,
        log_task=log_task,
        filter=filter,
        missing=missing,
        force_same=force_same,
        roster=roster,
        qrels=qrels,
        names=names,
        segments=segments,
        engine=engine,
        progress=progress,
    )


def prefer(
    battles: Path | Sequence[Path] | Table | Mapping[str, Sequence[object]],
    *,
    labels: Path | Table | None = None,
    people: str | None = None,
    order: Literal["auto", "random", "fixed", "unrecorded"] = "auto",
    strength: int = 1,
    ties: Literal["half", "davidson"] = "half",
    decide_by: Literal["auto", "strengths", "games"] = "auto",
    alpha: float = 0.05,
    correction: Literal["bonferroni", "holm", "shaffer", "hochberg", "hommel", "max-t", "bh", "by", "none"] = "holm",
    seed: int = 0,
    systems: Sequence[str] = (),
    judges: str | Sequence[str] = (),
    first: str | None = None,
    second: str | None = None,
    winner: str | Sequence[str] = (),
    prompt: str | None = None,
    judge: str | None = None,
    category: str | None = None,
    cluster: str | None = None,
    position: str | None = None,
    length: Sequence[str] = (),
    baseline: str | None = None,
    reader: Literal["auto", "arena-hard", "mt-bench", "alpaca-eval", "arena-hard-battles", "arena", "battles"] = "auto",
    names: Sequence[str] | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Preference:
    """Analyse battles between systems: win rates, strengths and places, with prompts as the units of resampling.

    H0 for two systems: they are exchangeable on every prompt, so swapping their names flips all verdicts on it.
    Votes on one prompt, whatever their order or judge, are swapped as one.

    Parameters
    ----------
    battles : Path | Sequence[Path] | Table | Mapping[str, Sequence[object]]
        Battles: a file or a folder of files, several of them, or a table (pandas, polars, a dictionary of
        columns) with columns such as prompt, model_a, model_b and winner.
    labels : Path | Table | None, default None
        People's verdicts on some of the prompts, a file or table of battles: the model's verdicts on all
        prompts then help to estimate the win rate that people would give.
    people : str | None, default None
        The name of the judge in the battles that stands for people, instead of `labels`.
    order : str, default "auto"
        How it was decided which answer is shown first: ``"random"`` at random, ``"fixed"`` one fixed order
        for each prompt (then orders are exchanged between prompts), ``"unrecorded"`` both orders or at
        random, but the file does not record the order. ``"auto"`` uses what the file shows, and refuses a
        file that always names one first.
    strength : int, default 1
        Arena-Hard: how many wins a strong verdict (A>>B) counts for.
    ties : str, default "half"
        Strengths: count a tie as half a win for each, or use Davidson's model.
    decide_by : str, default "auto"
        What decides ranks, groups and the headline of three systems or more: ``"strengths"``, tested over all
        battles, or ``"games"``, the direct games of each pair. ``"auto"`` takes strengths unless the test
        against circles rejects one strength per system, or all systems met one baseline and nobody else.
    alpha : float, default 0.05
        The level of all claims together; each interval on its own has level 1 - alpha.
    correction : str, default "holm"
        Multiplicity correction for the number of pairs.
    seed : int, default 0
        Seed for everything that is sampled at random.
    systems : Sequence[str], default ()
        Use battles between these systems only.
    judges : str | Sequence[str], default ()
        Use verdicts of these judges only.
    first : str | None, default None
        Column of the systems shown first.
    second : str | None, default None
        Column of the systems shown second.
    winner : str | Sequence[str], default ()
        Column of the verdicts; several columns are one judge each.
    prompt : str | None, default None
        Column of the prompts; none: every battle has its own.
    judge : str | None, default None
        Column of the judges; or none.
    category : str | None, default None
        Column of the prompts' categories; or none.
    cluster : str | None, default None
        Column of clusters that are swapped as one, instead of prompts. None means: the prompt.
    position : str | None, default None
        Column of the system that was shown first; or none.
    length : Sequence[str], default ()
        Column of the first answer's length, then that of the second's.
    baseline : str | None, default None
        Arena-Hard: what to call the baseline, which the files do not name.
    reader : str, default "auto"
        The format of the files, a name from ``outscore formats``.
    names : Sequence[str] | None, default None
        What to call the systems. None uses the names in the data (header, file or `Scores`), otherwise A and
        B.
    engine : Engine | None, default None
        What counts the battles of Parquet files in parts, on a cluster or beyond memory; None is this
        process.
    progress : Progress | None, default None
        What to report progress to. Results do not depend on it.

    Returns
    -------
    Preference
        Pairs, strengths, and how verdicts depend on position, length and judge.

    Raises
    ------
    OutscoreError
        If the data or an option cannot be used; the message says why.

    Examples
    --------
    >>> import polars as pl
    >>> first, second, winner = ["new"] * 7 + ["old"] * 7, ["old"] * 7 + ["new"] * 7, ["new"] * 6 + ["tie"] + ["new"] * 7
    >>> votes = {"prompt": [*range(7)] * 2, "model_a": first, "model_b": second, "winner": winner}
    >>> found = prefer(pl.DataFrame(votes))
    >>> found.headline, round(found.pairs[0].win_rate, 4), found.pairs[0].p.value
    ('new is preferred to old', 0.9643, 0.015625)
    """
    from outscore.workflows.prefer.run import call

    return call(
        battles,
        labels=labels,
        people=people,
        order=order,
        strength=strength,
        ties=ties,
        decide_by=decide_by,
        alpha=alpha,
        correction=correction,
        seed=seed,
        systems=systems,
        judges=judges,
        first=first,
        second=second,
        winner=winner,
        prompt=prompt,
        judge=judge,
        category=category,
        cluster=cluster,
        position=position,
        length=length,
        baseline=baseline,
        reader=reader,
        names=names,
        engine=engine,
        progress=progress,
    )


def diff(
    gold: object,
    systems: object,
    *,
    task: Literal["pos", "dep", "ner", "label", "coref"],
    criterion: str | Sequence[str] | None = None,
    cluster: str | None = None,
    map: Mapping[str, str] | str | Sequence[str] | None = None,
    columns: str | None = None,
    punct: bool = False,
    subtypes: bool = False,
    lenient: bool = False,
    log_task: str | None = None,
    filter: str | None = None,
    force_same: bool = False,
    singletons: Literal["keep", "drop"] = "keep",
    match: Literal["exact", "head"] = "exact",
    repair: bool = False,
    slices: ArrayLike | Mapping[str, ArrayLike] | str | None = None,
    min_support: int = 20,
    correction: Literal["bonferroni", "holm", "hochberg", "hommel", "bh", "by", "none"] = "holm",
    alpha: float = 0.05,
    seed: int = 0,
) -> Diff:
    """Compare the outputs of systems, unit by unit: what each corrected, broke and changed, and whether it is real.

    Parameters
    ----------
    gold : object
        The right answers: a path, `Outputs`, or (for ``task="label"``) a list of labels.
    systems : object
        The outputs of one system or more, in the same form: one, a list, or a dictionary.
    task : str
        What the files contain.
    criterion : str | Sequence[str] | None, default None
        What makes an answer right, one or several of the task's criteria; the first is the primary one.
    cluster : str | None, default None
        What is swapped as one: ``"sentence"``, ``"document"``, for coreference ``"topic"`` or ``"subtopic"``,
        a column of labels, or ``"none"``; None is the task's default.
    map : Mapping[str, str] | str | Sequence[str] | None, default None
        Labels to rename before comparing, ``{"old": "new"}`` or ``["gold:old=new"]``.
    columns : str | None, default None
        The columns of plain files in order, such as ``"id,word,lemma,upos,_,_,head,deprel"``; ``_`` for
        others.
    punct : bool, default False
        Trees: keep punctuation.
    subtypes : bool, default False
        Trees: keep relation subtypes (nmod:poss).
    lenient : bool, default False
        Entities: read broken tag sequences leniently, as conlleval does.
    log_task : str | None, default None
        Logs: which task to compare, if they contain several.
    filter : str | None, default None
        Logs: the filter that extracted the scored answers, if they contain several.
    force_same : bool, default False
        Logs: compare logs even if their questions or settings differ.
    singletons : str, default "keep"
        For coreference: whether chains of one mention count (``"keep"``) or are left out of all files
        (``"drop"``).
    match : str, default "exact"
        For coreference: mentions are the same if they have the same words (``"exact"``), or the same head
        (``"head"``), which CorefUD files name.
    repair : bool, default False
        Coreference: if a mention is in two chains, keep the first.
    slices : ArrayLike | Mapping[str, ArrayLike] | str | None, default None
        Columns whose values are also compared separately.
    min_support : int, default 20
        Rows with fewer units are listed but not tested.
    correction : str, default "holm"
        Multiplicity correction for the p-values of a table's rows.
    alpha : float, default 0.05
        The level of all decisions.
    seed : int, default 0
        Seed for p-values and intervals that are sampled at random.

    Returns
    -------
    Diff
        The scores of all systems, and what changed between each pair.

    Raises
    ------
    OutscoreError
        If the data or an option cannot be used; the message says why.

    Examples
    --------
    >>> found = diff(list("ABCDE"), {"S1": list("ABCXY"), "S2": list("ZBCDU")}, task="label")
    >>> pair = found.pairs[0]
    >>> pair.differ, pair.outcomes.correction, pair.outcomes.new_error, found.oracle.all.rate
    (0.6, 1, 1, 0.8)
    """
    from outscore.workflows.diff.run import call

    return call(
        gold,
        systems,
        task=task,
        criterion=criterion,
        cluster=cluster,
        map=map,
        columns=columns,
        punct=punct,
        subtypes=subtypes,
        lenient=lenient,
        log_task=log_task,
        filter=filter,
        force_same=force_same,
        singletons=singletons,
        match=match,
        repair=repair,
        slices=slices,
        min_support=min_support,
        correction=correction,
        alpha=alpha,
        seed=seed,
    )


@overload
def plan(
    *,
    effect: float | None = None,
    n: int | None = None,
    power: float = 0.8,
    margin: float | None = None,
    sd: float | None = None,
    discordance: float | None = None,
    accuracy: float | None = None,
    unpaired: bool = False,
    pilot: Path | Sequence[ArrayLike | Scores | Path] | None = None,
    repeats: int | None = None,
    within: float | None = None,
    cluster_size: float | None = None,
    icc: float | None = None,
    price_item: float | None = None,
    price_run: float | None = None,
    budget: float | None = None,
    scores: None = None,
    table: None = None,
    retrospective: bool = False,
    test: Literal[
        "permutation",
        "permutation-median",
        "student",
        "wilcoxon",
        "sign",
        "mcnemar",
        "bootstrap",
        "bootstrap-t",
        "bootstrap-median",
        "block-bootstrap",
        "bayes",
    ]
    | None = None,
    replicates: int | None = None,
    reference: str | Path | Sequence[str | Path] = (),
    metric: str | None = None,
    systems: Sequence[str] = (),
    items: ArrayLike | str | None = None,
    score: str | None = None,
    clusters: ArrayLike | str | None = None,
    repeat: str | None = None,
    direction: Literal["auto", "higher", "lower"] = "auto",
    unit_size: int = 1,
    unit_statistic: Literal["mean", "median"] = "mean",
    shuffle: int | None = None,
    delta: float = 0.0,
    method: Literal["auto", "permutation", "normal", "t", "exact"] = "auto",
    anytime: bool = False,
    bounds: tuple[float, float] | None = None,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    alpha: float = 0.05,
    seed: int = 0,
    progress: Progress | None = None,
) -> PlanResult: ...


@overload
def plan(
    *,
    effect: float | None = None,
    n: int | None = None,
    power: float = 0.8,
    margin: float | None = None,
    sd: float | None = None,
    discordance: float | None = None,
    accuracy: float | None = None,
    unpaired: bool = False,
    pilot: Path | Sequence[ArrayLike | Scores | Path] | None = None,
    repeats: int | None = None,
    within: float | None = None,
    cluster_size: float | None = None,
    icc: float | None = None,
    price_item: float | None = None,
    price_run: float | None = None,
    budget: float | None = None,
    scores: tuple[str | float, str | float],
    table: None = None,
    retrospective: bool = False,
    test: Literal[
        "permutation",
        "permutation-median",
        "student",
        "wilcoxon",
        "sign",
        "mcnemar",
        "bootstrap",
        "bootstrap-t",
        "bootstrap-median",
        "block-bootstrap",
        "bayes",
    ]
    | None = None,
    replicates: int | None = None,
    reference: str | Path | Sequence[str | Path] = (),
    metric: str | None = None,
    systems: Sequence[str] = (),
    items: ArrayLike | str | None = None,
    score: str | None = None,
    clusters: ArrayLike | str | None = None,
    repeat: str | None = None,
    direction: Literal["auto", "higher", "lower"] = "auto",
    unit_size: int = 1,
    unit_statistic: Literal["mean", "median"] = "mean",
    shuffle: int | None = None,
    delta: float = 0.0,
    method: Literal["auto", "permutation", "normal", "t", "exact"] = "auto",
    anytime: bool = False,
    bounds: tuple[float, float] | None = None,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    alpha: float = 0.05,
    seed: int = 0,
    progress: Progress | None = None,
) -> PossibleP: ...


@overload
def plan(
    *,
    effect: float | None = None,
    n: int | None = None,
    power: float = 0.8,
    margin: float | None = None,
    sd: float | None = None,
    discordance: float | None = None,
    accuracy: float | None = None,
    unpaired: bool = False,
    pilot: Path | Sequence[ArrayLike | Scores | Path] | None = None,
    repeats: int | None = None,
    within: float | None = None,
    cluster_size: float | None = None,
    icc: float | None = None,
    price_item: float | None = None,
    price_run: float | None = None,
    budget: float | None = None,
    scores: None = None,
    table: Path | Mapping[str, str | float],
    retrospective: bool = False,
    test: Literal[
        "permutation",
        "permutation-median",
        "student",
        "wilcoxon",
        "sign",
        "mcnemar",
        "bootstrap",
        "bootstrap-t",
        "bootstrap-median",
        "block-bootstrap",
        "bayes",
    ]
    | None = None,
    replicates: int | None = None,
    reference: str | Path | Sequence[str | Path] = (),
    metric: str | None = None,
    systems: Sequence[str] = (),
    items: ArrayLike | str | None = None,
    score: str | None = None,
    clusters: ArrayLike | str | None = None,
    repeat: str | None = None,
    direction: Literal["auto", "higher", "lower"] = "auto",
    unit_size: int = 1,
    unit_statistic: Literal["mean", "median"] = "mean",
    shuffle: int | None = None,
    delta: float = 0.0,
    method: Literal["auto", "permutation", "normal", "t", "exact"] = "auto",
    anytime: bool = False,
    bounds: tuple[float, float] | None = None,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    alpha: float = 0.05,
    seed: int = 0,
    progress: Progress | None = None,
) -> PossibleTable: ...


def plan(
    *,
    effect: float | None = None,
    n: int | None = None,
    power: float = 0.8,
    margin: float | None = None,
    sd: float | None = None,
    discordance: float | None = None,
    accuracy: float | None = None,
    unpaired: bool = False,
    pilot: Path | Sequence[ArrayLike | Scores | Path] | None = None,
    repeats: int | None = None,
    within: float | None = None,
    cluster_size: float | None = None,
    icc: float | None = None,
    price_item: float | None = None,
    price_run: float | None = None,
    budget: float | None = None,
    scores: tuple[str | float, str | float] | None = None,
    table: Path | Mapping[str, str | float] | None = None,
    retrospective: bool = False,
    test: Literal[
        "permutation",
        "permutation-median",
        "student",
        "wilcoxon",
        "sign",
        "mcnemar",
        "bootstrap",
        "bootstrap-t",
        "bootstrap-median",
        "block-bootstrap",
        "bayes",
    ]
    | None = None,
    replicates: int | None = None,
    reference: str | Path | Sequence[str | Path] = (),
    metric: str | None = None,
    systems: Sequence[str] = (),
    items: ArrayLike | str | None = None,
    score: str | None = None,
    clusters: ArrayLike | str | None = None,
    repeat: str | None = None,
    direction: Literal["auto", "higher", "lower"] = "auto",
    unit_size: int = 1,
    unit_statistic: Literal["mean", "median"] = "mean",
    shuffle: int | None = None,
    delta: float = 0.0,
    method: Literal["auto", "permutation", "normal", "t", "exact"] = "auto",
    anytime: bool = False,
    bounds: tuple[float, float] | None = None,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    alpha: float = 0.05,
    seed: int = 0,
    progress: Progress | None = None,
) -> PlanResult | PossibleP | PossibleTable:
    """Plan a comparison: required items, detectable difference or power; or which p two printed scores allow.

    Give `effect` to learn how many items detect it, `n` to learn what they can detect, or both to learn the
    power. The spread comes from `sd`, `discordance` or `accuracy`, or from a pilot.

    Parameters
    ----------
    effect : float | None, default None
        The difference A - B to detect; in standard deviations if no spread is given.
    n : int | None, default None
        How many items there are.
    power : float, default 0.8
        Probability of detecting the difference.
    margin : float | None, default None
        Plan a gate with this margin: the number of items after which it passes if the true difference is
        `effect`, which is 0 by default.
    sd : float | None, default None
        Standard deviation of the difference A - B between items.
    discordance : float | None, default None
        Share of right-or-wrong items that only one of the two systems gets right.
    accuracy : float | None, default None
        The baseline's accuracy; without `discordance`, errors are assumed to be independent.
    unpaired : bool, default False
        Plan for systems that have items of their own: so many of each. `sd` is then that of a system's
        scores.
    pilot : Path | Sequence[ArrayLike | Scores | Path] | None, default None
        Scores to estimate the spread from: a file with both systems, or a list of two files, arrays or
        `Scores`.
    repeats : int | None, default None
        Runs of each system per item. None means: 1.
    within : float | None, default None
        Standard deviation of the difference between two runs on one item.
    cluster_size : float | None, default None
        Items per cluster, such as a document. None means: 1.
    icc : float | None, default None
        Correlation of differences within a cluster. None means: 0.
    price_item : float | None, default None
        The price of an item. With prices, the plan is the cheapest combination of items and runs per item.
    price_run : float | None, default None
        Price of one run of one system on an item.
    budget : float | None, default None
        Money to spend: with prices, find the items and runs that detect the smallest difference for it.
    scores : tuple[str | float, str | float] | None, default None
        Two printed accuracies, as text to keep trailing zeros: which p-values do they allow? Needs `n`.
    table : Path | Mapping[str, str | float] | None, default None
        A printed table of accuracies, the path of a file with a system and its score in each line, or scores
        by system: which numbers of items fit the decimals, and with `n`, which p-values can each pair have?
    retrospective : bool, default False
        With `pilot`: try out a test on samples resembling the pilot.
    test : str | None, default None
        The test to try out; see `outscore tests`. None means: permutation.
    replicates : int | None, default None
        Number of samples to try it on, for each size. None means: 200.
    reference : str | Path | Sequence[str | Path], default ()
        The references of a pilot of texts, as paths.
    metric : str | None, default None
        The metric of texts. None means: bleu for texts.
    systems : Sequence[str], default ()
        Which systems of the table to use.
    items : ArrayLike | str | None, default None
        A label per row: rows of one item are repeats and are averaged first. For a file or table, the column
        of item ids, or ``"none"`` if every row is a separate item.
    score : str | None, default None
        Column of the scores.
    clusters : ArrayLike | str | None, default None
        A label per row: rows of one cluster are swapped as one. For a file or table, the column of clusters,
        or ``"none"``.
    repeat : str | None, default None
        Column of epochs, seeds, samples.
    direction : str, default "auto"
        Which scores are better, ``"higher"`` or ``"lower"``. ``"auto"`` goes by the name of the score column,
        or the ending of files of bare numbers (wer, loss, latency and the like are better when lower); if
        that does not settle it, higher is better.
    unit_size : int, default 1
        Items of the pilot per evaluation unit.
    unit_statistic : str, default "mean"
        How the items of a unit are summarised.
    shuffle : int | None, default None
        Shuffle the items with this seed before units are formed.
    delta : float, default 0.0
        Test whether A - B is `delta` instead of 0. Two-sided, differences are assumed to be symmetric about
        it; one-sided, nothing is, as for a margin. Right-or-wrong items get Tango's score test, which is
        asymptotic.
    method : str, default "auto"
        ``"auto"`` for the test that `compare` runs by default: ``"exact"`` (McNemar) for right-or-wrong items
        without clusters, else ``"permutation"``. ``"t"`` is the paired t test, and ``"normal"`` the closed
        formula, which treats the spread as known and counts rejections in the right direction only.
    anytime : bool, default False
        Also say after how many items an anytime-valid test is expected to stop.
    bounds : tuple[float, float] | None, default None
        The smallest and the largest score that an item can have, for margins, a one-sided `delta` and
        `anytime`. None is what the metric says, or 0 and 1 if all scores lie there.
    alternative : str, default "two-sided"
        ``"two-sided"``, ``"greater"`` (A is *better*) or ``"less"``.
    alpha : float, default 0.05
        The level of the test.
    seed : int, default 0
        Seed for everything that is sampled at random.
    progress : Progress | None, default None
        What to report progress to. Results do not depend on it.

    Returns
    -------
    PlanResult | PossibleP | PossibleTable
        The plan; with `scores` or `table`, the range of p-values they allow.

    Raises
    ------
    OutscoreError
        If the data or an option cannot be used; the message says why.

    Examples
    --------
    >>> plan(effect=0.03, sd=1 / 3).items
    971
    >>> plan(scores=(".871", ".864"), n=1000).verdict.split(",")[0]
    'p lies between .016 and .71'
    """
    from outscore.workflows.plan.run import call

    return call(
        effect=effect,
        n=n,
        power=power,
        margin=margin,
        sd=sd,
        discordance=discordance,
        accuracy=accuracy,
        unpaired=unpaired,
        pilot=pilot,
        repeats=repeats,
        within=within,
        cluster_size=cluster_size,
        icc=icc,
        price_item=price_item,
        price_run=price_run,
        budget=budget,
        scores=scores,
        table=table,
        retrospective=retrospective,
        test=test,
        replicates=replicates,
        reference=reference,
        metric=metric,
        systems=systems,
        items=items,
        score=score,
        clusters=clusters,
        repeat=repeat,
        direction=direction,
        unit_size=unit_size,
        unit_statistic=unit_statistic,
        shuffle=shuffle,
        delta=delta,
        method=method,
        anytime=anytime,
        bounds=bounds,
        alternative=alternative,
        alpha=alpha,
        seed=seed,
        progress=progress,
    )


def permutation_test(
    a: ArrayLike | Scores,
    b: ArrayLike | Scores,
    *,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    delta: float = 0.0,
    items: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    seed: int = 0,
    metric: str | AdditiveMetric = "mean",
    method: Literal["auto", "exact", "spectral", "certified", "dp", "fft", "monte-carlo"] = "auto",
    resamples: int | None = None,
) -> PValue:
    """The p-value of the paired permutation test, exact wherever possible.

    H0: the two systems are exchangeable on every item. p is the share of all swaps with a difference in `metric`
    at least as extreme as the observed one, ties included (Zmigrod, Vieira and Cotterell, 2022).

    Parameters
    ----------
    a : ArrayLike | Scores
        The scores of system A, as in `compare`.
    b : ArrayLike | Scores
        The scores of system B, in the same form and order as `a`.
    alternative : str, default "two-sided"
        ``"two-sided"``, ``"greater"`` (A is *better*) or ``"less"``.
    delta : float, default 0.0
        Test whether A - B is `delta` instead of 0. Two-sided, differences are assumed to be symmetric about
        it; one-sided, nothing is, as for a margin. Right-or-wrong items get Tango's score test, which is
        asymptotic.
    items : ArrayLike | str | None, default None
        A label per row: rows of one item are repeats and are averaged first. For a file or table, the column
        of item ids, or ``"none"`` if every row is a separate item.
    clusters : ArrayLike | str | None, default None
        A label per row: rows of one cluster are swapped as one. For a file or table, the column of clusters,
        or ``"none"``.
    seed : int, default 0
        Seed for everything that is sampled at random.
    metric : str | AdditiveMetric, default "mean"
        A name with options such as ``"fbeta:beta=2"``, or an `AdditiveMetric`.
    method : str, default "auto"
        How p is computed. A method that does not work for the data is an error, never replaced silently.
    resamples : int | None, default None
        How many swaps Monte Carlo draws if no exact method works; None is the test's default.

    Returns
    -------
    PValue
        The p-value with its bounds and how it was computed.

    Raises
    ------
    OutscoreError
        If the data or an option cannot be used; the message says why.

    Examples
    --------
    >>> p = permutation_test([1, 1, 0, 1, 1, 1], [0, 0, 0, 1, 0, 0])
    >>> float(p), p.method
    (0.125, 'exact')
    """
    from outscore.workflows.compare.arrays import permutation_test

    return permutation_test(
        a,
        b,
        alternative=alternative,
        delta=delta,
        items=items,
        clusters=clusters,
        seed=seed,
        metric=metric,
        method=method,
        resamples=resamples,
    )
