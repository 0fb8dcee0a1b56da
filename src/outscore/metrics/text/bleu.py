"""BLEU (Papineni et al., 2002) as sacreBLEU computes it: lengths, n-gram matches and n-gram totals of each segment.

Matches are clipped and the reference length is chosen segment by segment, so all ten columns add up.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from functools import partial

import numpy as np

from outscore.core.metric import AdditiveMetric, moving
from outscore.core.numeric import Array
from outscore.core.options import Option
from outscore.metrics.entry import Options
from outscore.metrics.text import sacre
from outscore.metrics.text.entry import Foreign, Lines, References, columns_first
from outscore.metrics.text.ngrams import matched_words

# Chen, Cherry (2014), methods 1 and 2.
SMOOTH_VALUES = {"floor": 0.1, "add-k": 1.0}
DEFAULT_ORDER = 4


def library_scorer(options: Options) -> Foreign:
    """SacreBLEU's scorer; `force` because its warning about tokenised text would only clutter the log."""
    settings = {name: value for name, value in options.items() if name != "model"}
    if options["tokenize"] != sacre.SPM:
        return sacre.scorer("BLEU", "bleu", force=True, **settings)
    bleu = copy(sacre.scorer("BLEU", "bleu", force=True, **{**settings, "tokenize": "none"}))
    bleu.tokenizer = sacre.pieces_by(options["model"])
    return bleu


def _rows(hypotheses: Lines, references: References, options: Options, _: object = None) -> Array:
    """Hypothesis length, length of the nearest reference (of two the shorter one), matches and totals of each segment."""
    words, order = _words(options), _order(options)
    said, *wanted = ([words(line) for line in lines] for lines in (hypotheses, *references))
    length, *others = (np.array([len(line) for line in lines]) for lines in (said, *wanted))
    nearest = np.sort(others, axis=0)
    nearest = np.take_along_axis(nearest, np.abs(nearest - length).argmin(axis=0)[None], axis=0)[0]
    possible = np.maximum(length[:, None] - np.arange(order), 0)
    return np.column_stack([length, nearest, matched_words(said, wanted, order), possible])


def _words(options: Options) -> Callable[[str], list[str]]:
    lowercase = bool(options["lowercase"])
    if options["tokenize"] == sacre.SPM:
        return sacre.words_by(sacre.pieces_by(options["model"]), lowercase=lowercase)
    return sacre.tokeniser(str(options["tokenize"]), "bleu", lowercase=lowercase)


def _order(options: Options) -> int:
    order = options["max_ngram_order"]
    assert isinstance(order, int)
    return order


def _smoothing(options: Options) -> tuple[str, float]:
    """The method and its strength, by default sacreBLEU's."""
    method, value = str(options["smooth_method"]), options["smooth_value"]
    return method, SMOOTH_VALUES.get(method, 0.0) if value is None else float(value)


def bleu_of_totals(totals: Array, *, order: int, smooth: str, value: float, effective: bool) -> Array:
    """BLEU of summed statistics, BP · exp(mean log pₙ), with sacreBLEU's smoothing.

    Papineni et al. (2002), section 2.3; smoothing: Chen, Cherry (2014), methods 1 (floor), 2 (add-k) and 3
    (exp). Orders from the first one without n-grams on have precision 0; with effective order they are left
    out. No match at all scores 0.

    Examples
    --------
    >>> bleu_of_totals(np.array([6, 7, 3, 1, 6, 5]), order=2, smooth="exp", value=0.0, effective=False).round(2)
    np.float64(26.77)
    """
    x = columns_first(totals)
    matched = x[2 : 2 + order].any(axis=0)
    penalty, precision, counted = _factors(x, order, smooth, value)
    precision *= 100
    with np.errstate(divide="ignore"):
        logs = np.log(precision, out=precision)
    if not effective:
        return np.where(matched, penalty * np.exp(logs.sum(axis=0) / order), 0.0)
    orders = counted.sum(axis=0)
    mean = logs.sum(axis=0, where=counted) / np.maximum(orders, 1)
    return np.where(matched & (orders > 0), penalty * np.exp(mean), 0.0)


def _factors(x: Array, order: int, smooth: str, value: float) -> tuple[Array, Array, Array]:
    """The brevity penalty, the precision of each order, and which orders have n-grams; `x` has the columns first."""
    length, reference, matches, possible = x[0], x[1], x[2 : 2 + order], x[2 + order :]
    if smooth == "add-k":
        more = np.reshape(value * (np.arange(order) > 0), (-1, *[1] * length.ndim))
        matches, possible = matches + more, possible + more
    counted, short = possible != 0, length < reference
    penalty = np.ones(length.shape)
    # Sums of a corpus hardly ever need more than the division, and thousands of them are scored.
    with np.errstate(divide="ignore", invalid="ignore"):
        if counted.all():
            precision = _smooth(matches, smooth, value, counted) / possible
        else:
            counted = np.logical_and.accumulate(counted, axis=0)
            precision = np.where(counted, _smooth(matches, smooth, value, counted) / possible, 0.0)
        if short.any():
            penalty = np.where(short, np.exp(1 - reference / length), penalty)
    return penalty, precision, counted


def _parts(options: Options, totals: Array) -> dict[str, float]:
    """Length ratio, brevity penalty and precisions, as sacreBLEU prints them.

    Examples
    --------
    >>> options = {"max_ngram_order": 2, "smooth_method": "exp", "smooth_value": None}
    >>> {name: round(value, 3) for name, value in _parts(options, np.array([6, 7, 3, 1, 6, 5])).items()}
    {'length ratio': 0.857, 'brevity penalty': 0.846, '1-gram precision': 50.0, '2-gram precision': 20.0}
    """
    order, x = _order(options), columns_first(totals)
    penalty, precision, _ = _factors(x, order, *_smoothing(options))
    ratio = float(x[0] / x[1]) if x[1] else 0.0
    by_order = {f"{n}-gram precision": 100 * float(share) for n, share in enumerate(precision, 1)}
    return {"length ratio": ratio, "brevity penalty": float(penalty), **by_order}


def _smooth(matches: Array, smooth: str, value: float, counted: Array) -> Array:
    """Matches with something in the place of each 0; 1/2, 1/4, … for each further order without a match, for example."""
    missed = counted & (matches == 0)
    if not missed.any():
        return matches
    if smooth == "exp":
        return np.where(missed, 0.5 ** missed.cumsum(axis=0), matches)
    return np.where(missed, value, matches) if smooth == "floor" else matches


def _columns(order: int) -> tuple[str, ...]:
    matches = (f"{n}-gram matches" for n in range(1, order + 1))
    return ("hypothesis length", "reference length", *matches, *(f"{n}-grams" for n in range(1, order + 1)))


def _make(options: Options) -> AdditiveMetric:
    """BLEU as a function of its ten columns."""
    order, (method, strength) = _order(options), _smoothing(options)
    effective = bool(options["effective_order"])
    # A closure could not travel to other processes.
    function = partial(bleu_of_totals, order=order, smooth=method, value=strength, effective=effective)
    columns = _columns(order)
    emptied = moving(columns, dict.fromkeys(name for name in columns if name != "reference length"))
    return AdditiveMetric("bleu", columns, function, bounds=(0.0, 100.0), emptied=emptied)


def _tokeniser_mark(options: Options) -> str:
    if options["tokenize"] == sacre.SPM:
        return sacre.model_mark(options["model"])
    return sacre.tokeniser_mark(str(options["tokenize"]), "bleu")


def _signature(options: Options, references: int | str) -> str:
    order = _order(options)
    # sacreBLEU's signature is silent on the order.
    name = "BLEU" if order == DEFAULT_ORDER else f"BLEU-{order}"
    method, strength = _smoothing(options)
    return sacre.signature(
        name,
        references,
        case=sacre.case(lowercase=options["lowercase"]),
        eff=bool(options["effective_order"]),
        tok=_tokeniser_mark(options),
        smooth=f"{method}[{strength:.2f}]" if method in SMOOTH_VALUES else method,
    )


BLEU_OPTIONS = (
    replace(
        sacre.TOKENIZE,
        help="sacreBLEU's tokeniser; none splits at spaces; spm uses the pieces of a sentencepiece model (spBLEU)",
        choices=(*sacre.TOKENISERS, sacre.SPM, sacre.AUTO),
    ),
    Option("model", str, None, "file of the sentencepiece model, for tokenize=spm", kind="file"),
    sacre.LOWERCASE,
    Option("smooth_method", str, "exp", "how orders without matches are smoothed", choices=("exp", "floor", "add-k", "none")),
    Option("smooth_value", float, None, "strength of floor (0.1) and add-k (1)", minimum=0),
    Option("max_ngram_order", int, DEFAULT_ORDER, "longest n-grams counted", minimum=1),
    Option("effective_order", bool, False, "leave out orders longer than every segment"),
)

ENTRIES = (
    sacre.corpus_metric(
        library_scorer,
        name="bleu",
        summary="n-gram precision of the corpus with a brevity penalty",
        formula=r"\text{BP} \cdot \exp ( \frac{1}{N} \sum_{n} \log p_n )",
        statistics=_rows,
        make=_make,
        signature=_signature,
        direction="higher",
        options=BLEU_OPTIONS,
        citation="papineni2002",
        label="BLEU",
        parts=_parts,
        # Segments shorter than four words would score 0 whatever they say.
        alone={"effective_order": True},
    ),
)
