"""From a request to the outcome of a gate, and the scores of a baseline that are kept beside the code."""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, cast

from outscore.core.errors import OutscoreError, ShiftError
from outscore.core.numeric import Array
from outscore.core.records import count_of
from outscore.formats.logs.find import are_logs
from outscore.formats.readers import read_scores
from outscore.inference.base.entry import NoSpreadError
from outscore.inference.populations import ITEMS
from outscore.inference.power.gate import items_by_width
from outscore.inference.shifted import unseen_share
from outscore.language.verdict.gate import gate_verdict, hidden_phrase, needed_phrase, unanswered_of, unknown_phrase
from outscore.results.comparison import Comparison, Comparisons, Margin
from outscore.results.files import check_target
from outscore.results.gate import GateResult, GateSlice, Outcome
from outscore.results.note import Note
from outscore.results.pvalue import Interval
from outscore.scores.system import Scores
from outscore.workflows.compare.run import compare_systems
from outscore.workflows.compare.unpaired import samples_given
from outscore.workflows.frames import counts_in, is_table
from outscore.workflows.load import load as load_systems
from outscore.workflows.load import pair_of_tables
from outscore.workflows.names import at_the_door, files_given, path_texts, proposing_measures
from outscore.workflows.requests import base
from outscore.workflows.requests.compare import metrics_in
from outscore.workflows.requests.gate import GateRequest
from outscore.workflows.requests.groups import METRIC_OF_TEXTS
from outscore.workflows.requests.plan import POWER
from outscore.workflows.systems import Systems, named_in, pair_given, rows_in
from outscore.workflows.texts.run import read_texts
from outscore.workflows.texts.run import run as run_texts
from outscore.workflows.texts.statistics import Texts, texts_given
from outscore.workflows.validate import refuse_paired

# Scores of a baseline that are kept beside the code: a small table of ids and scores, compared with and written by `gate`.
#
# The file holds no texts and no names of systems. Rows are in the order of their ids, so that the same scores are the same
# bytes however the candidate's file was sorted, and a difference between two commits shows the items that changed.


ITEM, SCORE = "item", "score"
LABELS = {ITEM: "ids", "dataset": "datasets", "cluster": "clusters", "repeat": "repeats"}
"""The columns of labels by what scores call them, of which a file has those that the scores have; all others are scores."""
CANDIDATE_FIRST = ("candidate", "baseline")
"""The names of systems that would have the same."""


def read_candidate(request: GateRequest) -> Systems:
    """The only system in the file of a request, or the one it chooses."""
    found = load_systems(request.comparison(PERMUTATION, names=()), alone=True)
    if len(found.scores) != 1:
        names = ", ".join(f"`{name}`" for name in found.names[:5])
        raise OutscoreError(
            f"`{request.files[0]}` contains {count_of(len(found.scores), 'system')} ({names}), but one candidate is compared"
            " with the baseline file.",
            "Choose it with --system NAME.",
            parameter="system",
        )
    (scores,) = found.scores
    if scores.ids is None:
        raise OutscoreError(
            f"{scores.label} has no ids of items, by which later scores could be matched.",
            "Give a table with a column of ids, and name it with --item if it has an unusual name.",
            parameter="item",
        )
    return found


def with_baseline_file(request: GateRequest, candidate: Systems) -> Systems:
    """The candidate and the scores of the baseline file."""
    path = str(request.baseline_file)
    if not Path(path).exists():
        raise OutscoreError(
            f"`{path}` does not exist, so there is nothing to compare with.",
            f"Write the scores of this candidate into it: `{request.command_line()} --update`.",
            parameter="baseline_file",
        )
    (scores,) = candidate.called
    baseline = _read(path)
    names = (scores.name, Path(path).stem)
    if request.names:
        names = (request.names[1], request.names[0])
    elif names[0] == names[1]:
        names = CANDIDATE_FIRST
    return Systems((scores, baseline), names, better=candidate.better, notes=candidate.notes)


def changes(request: GateRequest) -> dict[str, Any]:
    """What the comparison is asked differently: the metric of a log is one of its scores, of which the mean is compared."""
    logs = request.baseline_file is not None and are_logs(request.files, request.reader)
    return {"metric": None} if logs else {}


def _read(path: str) -> Scores:
    """The scores of a baseline file; it is a plain table, so that scores from elsewhere can be kept as well."""
    try:
        with Path(path).open(encoding="utf-8", newline="") as file:
            header = next(csv.reader(file), [])
    except (OSError, UnicodeDecodeError):
        header = []
    if ITEM not in header:
        raise OutscoreError(
            f"`{path}` is not a baseline file: its first line has no column `{ITEM}`.",
            "Name a file that `outscore gate --update` wrote, or compare two files without --baseline-file.",
            parameter="baseline_file",
        )
    columns = {name: name for name in LABELS if name in header}
    scores = tuple(name for name in header if name not in LABELS)
    (found,) = read_scores(path, score=scores, **columns)
    return found


def text_of(scores: Scores) -> str:
    r"""A baseline file with these scores: ids, labels of groups if there are any, and numbers with all their digits.

    Examples
    --------
    >>> import numpy as np
    >>> from outscore.scores.system import Labels
    >>> text_of(Scores("new", np.array([0.5, 1.0]), Labels.of(["q2", "q1"])))
    'item,score\nq1,1.0\nq2,0.5\n'
    """
    labels = {column: getattr(scores, part) for column, part in LABELS.items()}
    given = {name: one.texts() for name, one in labels.items() if one is not None}
    values = scores.values if scores.values.ndim == 2 else scores.values[:, None]
    rows = sorted(zip(*given.values(), *_written(values), strict=True))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*given, *_score_names(scores, values.shape[1])])
    writer.writerows(rows)
    return text.getvalue()


def _written(values: Array) -> list[list[str]]:
    """The numbers of each column, which are read again as the same numbers."""
    return [[repr(number) for number in column.tolist()] for column in values.T]


def _score_names(scores: Scores, columns: int) -> tuple[str, ...]:
    """The names that the candidate's file has for its scores: some tell which direction is better."""
    names = () if scores.origin is None else tuple(scores.origin.columns.get(SCORE, ()))
    if len(names) == columns and not set(names) & set(LABELS):
        return names
    return (SCORE,) if columns == 1 else ("tp", "fp", "fn")[:columns]


def check_update(request: GateRequest) -> None:
    """Refuse, before any work is done, to write scores to where they cannot be written."""
    if request.baseline_file is None:
        raise OutscoreError(
            "--update writes a baseline file, but none was named.", "Name it with --baseline-file.", parameter="baseline_file"
        )
    check_target(request.baseline_file, request.files, "--baseline-file")


# From a request to the outcome of a gate: the candidate compared with the baseline, once for both sides of the question.


CALLED = ("baseline", "candidate")
"""The names of systems that have none."""
MOSTLY = 0.5
"""Where more than this share of crashes could be hidden, next to nothing is known."""
PERMUTATION, BOOTSTRAP = "permutation", "bootstrap"
MEAN, NO_EVIDENCE = "mean", "identity"
"""The metric whose range an option tells, and the kernel of p = 1 where there is no evidence of anything."""
DROP = "drop"
"""What `missing` has to be for items without a score of the candidate to be left out of a pass."""
BY_BOOTSTRAP = "{metric} is not a mean over items, so swaps cannot test a margin; the bootstrap is used instead."
Asked = Callable[[str], Comparisons]
"""The comparison by a test."""


@at_the_door
def run(request: GateRequest, data: Systems | None = None) -> GateResult:
    """Read the files of a request, or use `data` instead, and decide whether the candidate passes.

    In `data` the candidate comes first.

    Examples
    --------
    >>> same = [1, 0, 1, 1] * 25
    >>> found = run(GateRequest(margin=0.02), pair_given(same, same, names=("new", "old")))
    >>> found.outcome, found.needed, found.exit_code
    ('inconclusive', 149, 3)
    """
    request.validate(arrays=data is not None)
    if request.reference:
        return _run_texts(request, None)
    own = changes(request)
    first = request.comparison(request.test or PERMUTATION, **own)
    given = data is not None or request.baseline_file is not None
    with proposing_measures(request):
        systems = data or load(request)
    if given:
        first.validate(arrays=True)

    def compared(test: str) -> Comparisons:
        return compare_systems(request.comparison(test, **own), systems, from_files=not given, gate=True)

    return _decided(request, compared)


def load(request: GateRequest) -> Systems:
    """The candidate and the baseline of a request's files."""
    if request.baseline_file is not None:
        return with_baseline_file(request, read_candidate(request))
    # In the files the baseline comes first, in the comparison the candidate.
    in_order = request.comparison(request.test or PERMUTATION, **changes(request), names=request.names)
    return load_systems(in_order).swap_systems()


@at_the_door
def run_and_keep(request: GateRequest) -> tuple[GateResult | None, str]:
    """The outcome, None if there is no baseline file yet, and the baseline file that the candidate's scores make."""
    check_update(request)
    request.validate()
    candidate = read_candidate(request)
    kept = text_of(candidate.scores[0])
    if not os.path.exists(str(request.baseline_file)):  # noqa: PTH110 - as the request has it
        return None, kept
    return run(request, with_baseline_file(request, candidate)), kept


def call(
    baseline: object,
    candidate: object,
    *,
    reference: object,
    documents: object,
    **given: Any,  # noqa: ANN401 - the other keywords of `outscore.gate`
) -> GateResult:
    """`outscore.gate`: paths, tables, scores, arrays or texts, with options by their Python names."""
    baseline, candidate, given["names"] = named_in(baseline, candidate, given.get("names"))
    both = [baseline] if candidate is None else [baseline, candidate]
    if reference is not None:
        return _call_texts(both, reference, documents, given)
    if documents is not None:
        raise OutscoreError(
            "`documents` is for texts, but no reference was given.",
            "Give `reference`, or leave `documents` out.",
            parameter="documents",
        )
    if isinstance(given.get("baseline_file"), os.PathLike):
        given["baseline_file"] = os.fspath(given["baseline_file"])
    paths = path_texts(both) if isinstance(baseline, (str, os.PathLike)) else None
    tables = is_table(baseline) and all(map(is_table, both)) and (candidate is None or counts_in(baseline) is None)
    if paths is not None or tables:
        request = GateRequest.from_python(given, files=paths or ())
        if paths is not None:
            return run(request)
        return _run_tables(request, both)
    if candidate is None:
        raise OutscoreError("There is no candidate.", "Give the baseline and the candidate.", parameter="candidate")
    if isinstance(candidate, (str, os.PathLike)):
        raise OutscoreError(
            "One of `baseline` and `candidate` is a file and the other is not.",
            "Give two files, or one that contains both systems.",
            parameter="candidate",
        )
    rows = rows_in(GateRequest, given)
    request = GateRequest.from_python(given)
    request.refuse_outside(base.FILES)
    request.validate(arrays=True)
    # Scores that were read bring their names.
    names = request.names or (() if isinstance(baseline, Scores) else CALLED)
    if not request.unpaired:
        return run(request, pair_given(baseline, candidate, names=names, **rows).swap_systems())
    refuse_paired({"items": rows.get("items")})
    return run(request, samples_given(baseline, candidate, clusters=rows.get("clusters"), names=names).swap_systems())


def _run_tables(request: GateRequest, both: Sequence[object]) -> GateResult:
    """A gate on dataframes: one with both systems, or one for each."""
    request.validate(arrays=True)
    with proposing_measures(request):
        in_order = request.comparison(request.test or PERMUTATION, names=request.names)
        return run(request, pair_of_tables(both, in_order).swap_systems())


def _call_texts(both: Sequence[object], reference: object, documents: object, given: dict[str, Any]) -> GateResult:
    paths = files_given(reference, files=both, documents=documents)
    if paths is not None:
        return run(GateRequest.from_python(given, **paths))
    if len(both) < 2:
        raise OutscoreError("There is no candidate.", "Give the baseline and the candidate.", parameter="candidate")
    request = GateRequest.from_python(given)
    request.validate(arrays=True)
    names = request.names or CALLED
    return _run_texts(request, texts_given({names[1]: both[1], names[0]: both[0]}, reference, documents=documents))


def _run_texts(request: GateRequest, data: Texts | None) -> GateResult:
    """A gate on texts, by one metric."""
    request.refuse_outside(base.SCORES)
    metrics = metrics_in(request.metric) if isinstance(request.metric, str) else [METRIC_OF_TEXTS]
    if len(metrics) != 1:
        raise OutscoreError(
            f"--metric names {len(metrics)} metrics, but a gate has one margin.", "Name one of them.", parameter="metric"
        )
    if data is None:
        in_order = request.texts(BOOTSTRAP, metric=metrics[0], names=request.names)
        in_order.validate()
        data = read_texts(in_order).swap_systems()

    return _decided(request, lambda test: run_texts(request.texts(test, metric=metrics[0]), data, gate=True))


def _decided(request: GateRequest, compared: Asked) -> GateResult:
    assert request.margin is not None
    comparisons, notes = _compared(request, compared)
    c = comparisons.comparisons[0]
    interval = _with_limit(c, request.alpha)
    outcome, worse_within = outcome_of(c, request.alpha)
    items, towards, needed = None, None, ""
    unanswered = unanswered_of(c)
    if outcome == "pass" and unanswered and request.missing != DROP:
        # What the candidate never answered may be what it fails on, and no number of other items tells.
        outcome, worse_within = "inconclusive", False
    elif outcome == "inconclusive":
        items, towards = _outlook(c, interval, request)
        needed = _needed(c, items, towards, request)
    words = gate_verdict(
        outcome, c, interval, margin=request.margin, alpha=request.alpha, worse_within=worse_within, needed=needed
    )
    settings = {**request.settings(), "inputs": comparisons.settings["inputs"]}
    slices = [_slice_of(part, request) for part in comparisons.comparisons[1:]]
    return GateResult(
        outcome=outcome,
        margin=request.margin,
        alpha=request.alpha,
        worse_within=worse_within,
        comparison=c,
        interval=interval,
        needed=items,
        towards=towards,
        power=POWER.default,
        inconclusive=cast("Literal['pass', 'fail'] | None", request.inconclusive),
        unanswered=unanswered,
        slices=slices,
        headline=words[0],
        reason=words[1],
        sentence=words[2],
        notes=[*_beyond(slices, c, request), *notes, *c.notes],
        settings=settings,
    )


def _slice_of(c: Comparison, request: GateRequest) -> GateSlice:
    """One slice of the comparison behind a gate."""
    assert c.slice is not None
    loss = -c.difference if c.higher_is_better else c.difference
    return GateSlice(
        slice=c.slice,
        n=c.n,
        candidate=c.scores[0].value,
        baseline=c.scores[1].value,
        difference=c.difference,
        interval=_with_limit(c, request.alpha),
        not_worse=_margin(c).noninferiority,
        worse=c.p,
        beyond=loss > _margin(c).value and c.p.rejects(request.alpha),
    )


def _beyond(slices: Sequence[GateSlice], c: Comparison, request: GateRequest) -> list[Note]:
    """A warning of the slices on which the candidate lost more than the margin, whatever the outcome on the whole."""
    lost = [f"{one.slice.column} = {one.slice.value} ({abs(one.difference):.3g})" for one in slices if one.beyond]
    if not lost:
        return []
    text = f"{c.systems[0]} is significantly worse, by more than the margin of {request.margin:g}, on {', '.join(lost)}."
    return [Note("warning", text)]


def _compared(request: GateRequest, compared: Asked) -> tuple[Comparisons, list[Note]]:
    """The comparison with its margin, and notes on how it was computed."""
    try:
        return compared(request.test or PERMUTATION), []
    except ShiftError:
        if request.test is not None:
            raise
    except NoSpreadError:
        # Outputs without a difference that could vary: swaps say that there is none, and the margin's own rule the rest.
        return compared(PERMUTATION), []
    try:
        comparisons = compared(BOOTSTRAP)
    except NoSpreadError:
        return compared(PERMUTATION), []
    return comparisons, [Note("method", BY_BOOTSTRAP.format(metric=comparisons.comparisons[0].metric))]


def _margin(c: Comparison) -> Margin:
    """The margin of a comparison behind a gate, which always has one."""
    assert c.margin is not None
    return c.margin


def _with_limit(c: Comparison, alpha: float) -> Interval | None:
    """The interval with the limit of the test at the margin as its worse end; identical graded outputs have no other.

    Without that limit they have no interval at all: that nothing differs here bounds no loss.
    """
    limit, interval = _margin(c).limit, _margin(c).interval
    empty = interval is None or (c.identical and interval.low == interval.high)
    if limit is None:
        return None if empty else interval
    if interval is None or empty:
        # With one end it holds the difference as often as its one test is right.
        interval = Interval(None, None, 1 - alpha, method="", dual=True, estimate=c.difference)
    return replace(interval, low=limit) if c.higher_is_better else replace(interval, high=limit)


def _needed(c: Comparison, items: int | None, towards: str | None, request: GateRequest) -> str:
    if (c.identical or c.unpaired is not None) and _margin(c).noninferiority.kernel == NO_EVIDENCE:
        return unknown_phrase(c.metric, cured=c.metric == MEAN and not request.bounds)
    if c.population != ITEMS and items is None:
        return "runs differ too, so a decision takes more runs as well as more items"
    phrase = needed_phrase(items, towards, c.n, POWER.default, identical=c.identical, noun=c.design.noun)
    if c.clusters is not None and items is not None and not c.identical:
        phrase += ", in clusters like these"
    if c.unpaired is not None:
        return phrase if items is None else f"{phrase}, counting those of both systems"
    share = unseen_share(c.n if c.clusters is None else c.clusters, request.alpha)
    if towards == "fail" or share > MOSTLY:
        return phrase
    return f"{phrase}; {hidden_phrase(share, c.design.noun if c.clusters is None else 'cluster')}"


def outcome_of(c: Comparison, alpha: float) -> tuple[Outcome, bool]:
    """Pass if "worse by the margin" is rejected, else fail if "not worse" is; and whether a pass is significantly worse."""
    worse = c.p.rejects(alpha)
    if _margin(c).noninferiority.rejects(alpha):
        return "pass", worse
    return ("fail" if worse else "inconclusive"), False


def _outlook(
    c: Comparison, interval: Interval | None, request: GateRequest
) -> tuple[int | None, Literal["pass", "fail"] | None]:
    """How many items would decide, and how."""
    margin = _margin(c)
    to_pass, to_fail = margin.needed, None
    if c.unpaired is not None and interval is not None and interval.estimand == "difference":
        turn = 1.0 if c.higher_is_better else -1.0
        below, above = (
            (None if end is None else abs(end - c.difference)) for end in (interval.low, interval.high)[:: int(turn)]
        )
        options: dict[str, Any] = {"alpha": request.alpha, "power": POWER.default}
        if margin.limit is None:
            to_pass = items_by_width(c.n, turn * c.difference + margin.value, below, **options)
        to_fail = items_by_width(c.n, -turn * c.difference, above, **options)
    elif c.population == ITEMS and c.power is not None and c.power.needed is not None:
        to_fail = max(c.n + 1, math.ceil(c.power.needed * c.n / (c.clusters or c.n)))
    if to_fail is None or (to_pass is not None and to_pass <= to_fail):
        return to_pass, None if to_pass is None else "pass"
    return to_fail, "fail"
