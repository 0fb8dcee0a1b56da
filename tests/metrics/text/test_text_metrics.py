"""Every metric of texts against the same properties; a new entry is covered the day it is added."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from functools import cache

import numpy as np
import pytest
from tests.variants import a_few, crossed

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.core.options import complete
from outscore.metrics.text.entry import find_doubt
from outscore.metrics.text.registry import TEXT_METRICS, segment_statistics, text_metric

SEGMENTS = 120
# Lines that break tokenisers and divisions: nothing, blanks, one word, another alphabet, combined letters, an emoji, escapes.
ODD_HYPOTHESES = ["", "Haus", "", "   ", "Ein Haus .", "北京 是 首都 。", "naïve café", "👍 gut", "a &amp; b", "x " * 60]
ODD_REFERENCES = ["Ein Haus.", "", "", "Haus", "Ein Haus.", "北京是首都。", "naïve café", "👍 gut", "a & b", "x " * 70]
OTHER_REFERENCES = ["Das Haus.", "Haus", "", "", "Ein Haus .", "首都是北京。", "a naive cafe", "sehr gut", "a and b", "y " * 65]

each = pytest.mark.parametrize("name", TEXT_METRICS)
CHECKED = [name for name, entry in TEXT_METRICS.items() if entry.corpus_score is not None]
NUMEROUS = [name for name, entry in TEXT_METRICS.items() if entry.max_references is None]


def rows_of(name, hypotheses, references):
    metric, options = text_metric(name)
    return segment_statistics(name, hypotheses, references, options, metric.prepare(references, options))


def additive(name):
    metric, options = text_metric(name)
    return metric.make(options)


def score_of(name, hypotheses, references):
    return float(additive(name).score(rows_of(name, hypotheses, references).sum(axis=0)))


@pytest.fixture(scope="module")
def tables(wmt17):
    """The statistics of a system, computed once."""

    @cache
    def table(name, system="LIUM-NMT"):
        return rows_of(name, wmt17(system, SEGMENTS), [wmt17("ref", SEGMENTS)])

    return table


def test_the_metrics_there_are():
    expected = "bleu chrf chrf++ ter wer cer nist meteor meteor-corpus rouge1 rouge2 rougeL rougeLsum"
    expected = f"{expected} sentence-bleu sentence-chrf sentence-ter"
    assert list(TEXT_METRICS) == expected.split()


@each
def test_entries_describe_themselves(name):
    entry = TEXT_METRICS[name]
    defaults = {option.name: option.default for option in entry.options}
    assert entry.name == name
    assert entry.summary
    assert not entry.summary.endswith(".")
    assert complete(name, entry.options, {}) == defaults
    for option in entry.options:
        assert option.help
        assert option.read(option.default) == option.default
    made = entry.make(defaults)
    assert (made.name, made.direction) == (name, entry.direction)


@each
def test_signatures_name_references_and_versions(name):
    metric, options = text_metric(name)
    from importlib.metadata import version

    signature = metric.signature(options, 3)
    assert "nrefs:3" in signature
    assert version(metric.library) in signature
    assert "\n" not in signature


# An option that changes the score and leaves no trace in the signature makes it irreproducible; sacreBLEU writes β into the
# name, and its smoothing value only where the method has one. A model of word pieces is named where there is one.
SHOWN = [
    (name, option)
    for name, entry in TEXT_METRICS.items()
    for option in entry.options
    if option.name not in {"smooth_value", "synonyms", "model"}
]


@pytest.mark.parametrize(("name", "option"), SHOWN, ids=lambda x: x if isinstance(x, str) else x.name)
def test_every_option_shows_in_the_signature(name, option):
    metric, options = text_metric(name)
    usable = [choice for choice in option.choices if choice != option.default]
    other = usable[0] if usable else (not option.default if option.type is bool else option.default + 1)
    assert metric.signature({**options, option.name: other}, 1) != metric.signature(options, 1)


@each
def test_tables_have_the_metric_s_columns(name, tables):
    rows = tables(name)
    assert rows.shape == (SEGMENTS, len(additive(name).columns))
    assert rows.dtype in (np.int64, np.float64)
    assert np.isfinite(rows).all()
    assert (rows >= 0).all()


def test_scores_no_library_has():
    """Their own tests compare them by hand, with a naive twin and segment by segment."""
    assert set(TEXT_METRICS) - set(CHECKED) == {"nist", "meteor-corpus"}


SYSTEMS = {"LIUM-NMT": 150, "PROMT-Rule-based": 50}


@pytest.mark.parametrize(("name", "system"), crossed(CHECKED, SYSTEMS))
def test_against_the_library(name, system, wmt17):
    segments = SYSTEMS[system]
    metric, options = text_metric(name)
    hypotheses, references = wmt17(system, segments), [wmt17("ref", segments)]
    assert score_of(name, hypotheses, references) == pytest.approx(
        metric.corpus_score(hypotheses, references, options), rel=1e-9
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKED)
def test_against_the_library_on_all_segments(name, wmt17):
    metric, options = text_metric(name)
    hypotheses, references = wmt17("LIUM-NMT"), [wmt17("ref")]
    rows = rows_of(name, hypotheses, references)
    assert find_doubt(metric, hypotheses, references, rows, options, segments=len(rows)) is None


@pytest.mark.parametrize("name", a_few(NUMEROUS, 6))
def test_against_the_library_with_several_references(name, wmt17):
    metric, options = text_metric(name)
    hypotheses, references = wmt17("LIUM-NMT", 40), [wmt17(other, 40) for other in ("ref", "online-A", "FBK")]
    rows = rows_of(name, hypotheses, references)
    assert find_doubt(metric, hypotheses, references, rows, options, segments=40) is None
    alone = additive(name).score(rows_of(name, hypotheses, references[:1]).sum(axis=0))
    better = additive(name).score(rows.sum(axis=0))
    assert (better < alone) if metric.direction == "lower" else (better > alone)


@each
def test_odd_lines_are_legal(name):
    metric, options = text_metric(name)
    references = [ODD_REFERENCES, OTHER_REFERENCES] if metric.max_references is None else [ODD_REFERENCES]
    rows = rows_of(name, ODD_HYPOTHESES, references)
    assert find_doubt(metric, ODD_HYPOTHESES, references, rows, options) is None
    assert np.isfinite(additive(name).score(rows)).all()


@each
def test_one_segment(name):
    metric, options = text_metric(name)
    hypotheses, references = ["the cat sat on the mat"], [["the cat sat on a mat today"]]
    rows = rows_of(name, hypotheses, references)
    assert find_doubt(metric, hypotheses, references, rows, options) is None


@each
def test_pieces_make_the_whole(name, tables, wmt17):
    first, references = wmt17("LIUM-NMT", SEGMENTS), [wmt17("ref", SEGMENTS)]
    metric, options = text_metric(name)
    prepared = pickle.loads(pickle.dumps(metric.prepare(references, options)))  # noqa: S301
    pieces = [
        segment_statistics(name, first[i : i + 50], [lines[i : i + 50] for lines in references], options, prepared)
        for i in range(0, SEGMENTS, 50)
    ]
    np.testing.assert_array_equal(np.concatenate(pieces), tables(name))


@each
def test_scores_are_vectorised_over_leading_axes(name, tables):
    a, b = tables(name), tables(name, "FBK")
    totals = np.stack([[a[:40].sum(0), b[:40].sum(0), a.sum(0)], [b.sum(0), a[40:].sum(0), a[0]]])
    scores = additive(name).score(totals)
    assert scores.shape == (2, 3)
    single = [[float(additive(name).score(row)) for row in rows] for rows in totals]
    np.testing.assert_allclose(scores, single, rtol=1e-14)


@each
def test_a_corpus_twice_scores_as_once(name, tables):
    totals = tables(name).sum(axis=0)
    assert float(additive(name).score(2 * totals)) == pytest.approx(float(additive(name).score(totals)), rel=1e-12)


@each
def test_the_reference_is_its_own_best_translation(name, tables, wmt17):
    reference = wmt17("ref", SEGMENTS)
    perfect, other = score_of(name, reference, [reference]), float(additive(name).score(tables(name).sum(axis=0)))
    assert (perfect < other) if TEXT_METRICS[name].direction == "lower" else (perfect > other)
    top = {"points": 100.0, "fraction": 1.0}.get(TEXT_METRICS[name].unit)
    if TEXT_METRICS[name].direction == "lower":
        assert perfect == 0
    elif top is not None and not name.startswith("meteor"):
        assert perfect == pytest.approx(top, rel=1e-12)


@each
@pytest.mark.parametrize(("changed", "least"), [(0, 1.0), (1, 1.0), (3, 0.25), (5, 0.0625)])
def test_few_changed_segments_prove_little(name, changed, least, tables):
    a, b = tables(name), tables(name, "FBK")
    mixed = a.copy()
    places = np.flatnonzero((a != b).any(axis=1))[:changed]
    mixed[places] = b[places]
    p = osc.permutation_test(a, mixed, metric=additive(name))
    # Sampled p-values carry their own interval.
    assert p.value >= least if p.exact else p.upper >= least


def test_specs():
    metric, options = text_metric("bleu:tokenize=none:lowercase=yes")
    assert (metric.name, options["tokenize"], options["lowercase"]) == ("bleu", "none", True)
    with pytest.raises(OutscoreError, match="Did you mean `bleu`"):
        text_metric("blue")
    with pytest.raises(OutscoreError, match=r"Run it elsewhere and give its scores: --scores COMET=A\.scores,B\.scores\."):
        text_metric("COMET")
    with pytest.raises(OutscoreError, match="has no option `tokenise`"):
        text_metric("bleu:tokenise=none")
    with pytest.raises(OutscoreError, match="one of 13a, none"):
        text_metric("bleu:tokenize=moses")


def test_start_up_loads_no_library():
    code = "import json, sys, outscore.metrics.text; print(json.dumps(sorted(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in json.loads(found.stdout)}
    assert not loaded & {"sacrebleu", "jiwer", "nltk", "rouge_score", "rapidfuzz", "scipy"}
