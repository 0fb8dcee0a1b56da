"""Comparisons of texts in every form: several metrics as one answer, segments, buckets and runs."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import make_comparison, make_p
from tests.report.forms import latex, markdown, render_html, text, without_script
from tests.report.making import SETTINGS
from tests.report.test_html import HOSTILE, Page

from outscore.language.verdict.comparison import agreement
from outscore.report.document import mark_up
from outscore.report.rows.parts import (
    cut,
    is_family_of_metrics,
    marked_words,
    metric_notes,
    metric_sentence,
    metric_signatures,
    plain_words,
    segments,
    window,
)
from outscore.results.analysis import Bucket, Subset
from outscore.results.comparison import Bayes, Comparison, Comparisons, Margin, Runs, SystemScore
from outscore.results.design import Decision, Family, Segment
from outscore.results.note import Note, Signature
from outscore.results.pvalue import Interval

LONG = " ".join(f"word{i}" for i in range(60))
SEGMENTS = [
    Segment("segment 7", ["Die Katze saß auf der Matte."], "Die Katze saß auf der Matte.", "Eine Katze ist auf Matte.", 0.031),
    Segment("segment 2", ["Es war spät."], "", "Es war spät.", -0.012),
    Segment("segment 9", [LONG], LONG, f"{LONG} extra", 0.0021),
    Segment("segment 4", ["Gut."], "Schlecht.", "Gut.", -0.001),
]
BUCKETS = [
    Bucket("length", "41 and more", 66, 25.25, 23.66, 1.59, None, None, make_p(0.174, adjusted=0.348)),
    Bucket("length", "1-10", 729, 25.16, 26.06, -0.9, -1.87, 0.08, make_p(0.074, adjusted=0.296)),
]
RUNS = Runs([26.1, 26.5], [27.2, 27.6], 0.21, 0.11, make_p(1 / 3, test="permutation of runs", kernel="enumeration"))


def scored(metric: str, a: float, b: float, winner: int | None, *, higher: bool = True, **more) -> Comparison:
    difference = a - b
    made = {
        "signature": Signature.parse(
            f"metric:{metric}|test:permutation|n:2000|alpha:0.05|seed:0|outscore:0|{metric.upper()}|nrefs:1|version:2"
        ),
        "interval": Interval(difference - 0.5, difference + 0.5, 0.95, "inversion", dual=True),
        "decision": Decision(winner, "undecided" if winner is None else "better"),
    }
    return make_comparison(
        systems=("new", "old"),
        metric=metric,
        higher_is_better=higher,
        scores=(SystemScore("new", a), SystemScore("old", b)),
        difference=difference,
        **made | more,
    )


def make_texts(**first) -> Comparisons:
    """bleu and ter of the same texts; changes to the first may be given by name."""
    sampled = make_p(0.0123, "monte-carlo", 0.0098, 0.0152, kernel="sign-flips:9999", adjusted=0.0246)
    parts = {
        "segments": SEGMENTS,
        "buckets": BUCKETS,
        "runs": RUNS,
        "notes": [Note("data", "The metric is not linear. More of that.")],
    }
    bleu = scored("bleu", 27.4, 26.3, 0, p=sampled, **parts | first)
    ter = scored("ter", 62.7, 63.0, None, higher=False, p=make_p(0.645, adjusted=0.645), segments=SEGMENTS[:1])
    made = [replace(c, design=replace(c.design, noun="segment")) for c in (bleu, ter)]
    return Comparisons(made, SETTINGS, Family("holm", "FWER", 2))


words = st.lists(st.sampled_from(["a", "b", "c,", "d.", "漢字", "x-y"]), max_size=12).map(" ".join)


@given(st.lists(words, min_size=1, max_size=3), words, words)
def test_words_that_are_not_marked_stand_in_a_reference_in_order(references, a, b):
    for output, found in zip((a, b), marked_words(references, a, b), strict=True):
        assert "".join(word for word, _ in found) == output
        kept = [word.strip() for word, marked in found if not marked]
        assert any(is_subsequence(kept, [word.strip() for word, _ in plain_words(text)]) for text in references)
        assert not any(marked for _, marked in found) or output not in references


def is_subsequence(short: list[str], long: list[str]) -> bool:
    rest = iter(long)
    return all(word in rest for word in short)


def test_punctuation_and_characters_without_spaces_are_words():
    a, b = marked_words(["Das Haus, klein.", "猫は黒い"], "Das Haus klein", "犬は黒い")
    assert [word for word, marked in a if marked] == []
    assert b == (("犬", True), ("は", False), ("黒", False), ("い", False))


def test_frequent_words_of_a_long_text_still_match():
    long = " ".join(["the cat"] * 200)
    assert not any(marked for _, marked in marked_words([long], long, long)[0])


@given(words, words, st.integers(1, 8))
def test_a_window_holds_the_first_difference(a, b, size):
    first, second = plain_words(a), plain_words(b)
    part = window(first, second, size)
    assert part.stop - part.start == size
    for kept in (cut(first, part), cut(second, part)):
        assert len(kept) <= size + 2
    if max(len(first), len(second)) <= size:
        assert cut(first, part) == first


def test_every_form_marks_and_escapes():
    a, _ = marked_words(["x"], "x <b>* & end", "")
    assert mark_up(a, "[{}]".format, str) == "x [<b>* & end]"
    whole = make_texts(segments=[Segment("s", ["x"], "x new_word <script>", HOSTILE, 0.1)])
    assert "new: x <b>new\\_word \\<script\\></b>" in markdown.render(whole)
    assert r"\item[new] x \textbf{new\_word \textless{}script\textgreater{}}" in latex.render(whole, verbose=True)
    page = render_html(whole)
    assert "x <mark>new_word &lt;script&gt;</mark>" in page
    assert "<script" not in without_script(page)
    assert '<dd dir="auto" class="a">' in page


def test_stars_only_where_they_open_and_close():
    whole = make_texts(segments=[Segment("s", ["Es war spät."], "Es, war früh.", "Es war spät.", 0.1)])
    assert "new: Es<b>,</b> war **früh**." in markdown.render(whole)


def test_the_sign_of_an_influence_is_said_in_words():
    titles = [view.title for view in segments(make_texts().comparisons[0], 10).examples]
    assert titles[:2] == ["segment 7 moves bleu by 0.031 towards new", "segment 2 moves bleu by 0.012 towards old"]
    assert segments(make_texts().comparisons[1], 10).examples[0].title == "segment 7 moves ter by 0.031 towards old"


def listing(c, *, verbose) -> list[str]:
    """The lines from the heading of the segments on."""
    lines = text.render(c, verbose=verbose).splitlines()
    return lines[lines.index("Segments that moved bleu most") :]


def test_few_segments_on_a_screen_and_all_on_request():
    c = make_texts().comparisons[0]
    few, many = ("\n".join(listing(c, verbose=verbose)) for verbose in (False, True))
    assert "4. " not in few
    assert "4. " in many
    assert "old        … word54 word55 word56 word57 word58 word59 [extra]" in few
    assert "word53" not in few
    assert "word53" in many
    assert "new        (empty)" in few
    assert "old        [Eine] Katze [ist] auf Matte." in few
    assert "Segments that moved" not in text.render(replace(c, segments=[]), verbose=True)


def test_several_references_are_all_shown():
    c = scored("bleu", 2.0, 1.0, 0, segments=[Segment("s", ["one two", "three four"], "three four", "x four", 0.1)])
    assert listing(c, verbose=False)[-4:] == [
        "   reference 1  one two",
        "   reference 2  three four",
        "   new          three four",
        "   old          [x] four",
    ]


def test_a_long_name_stands_above_its_segment():
    c = scored("bleu", 2.0, 1.0, 0, segments=[Segment("s", ["three four"], "three four", "x four", 0.1)])
    name = "a-system-with-a-name-of-many-words"
    shown = text.render(replace(c, systems=(name, "old"), scores=(replace(c.scores[0], system=name), c.scores[1])))
    assert shown.rstrip().splitlines()[-4:] == [
        "   reference         three four",
        f"   {name}",
        "                     three four",
        "   old               [x] four",
    ]


@pytest.mark.parametrize("verbose", [False, True])
def test_text(golden, verbose):
    golden(f"report/texts{'-verbose' if verbose else ''}.txt", text.render(make_texts(), verbose=verbose))


def test_other_forms(golden):
    golden("report/texts.md", markdown.render(make_texts()))
    golden("report/texts.tex", latex.render(make_texts(), verbose=True))


def test_several_metrics_fit_one_screen():
    shown = text.render(make_texts(segments=[], buckets=[], runs=None))
    assert shown.startswith("Both metrics favour new, 1 of 2 significantly after correction (Holm).\n\nA = new, B = old, on ")
    assert len(shown.partition("\nSegments")[0].splitlines()) <= 24


def test_the_parts_of_the_sentence():
    assert metric_sentence(make_texts()) == (
        "On 2,000 segments, new is better than old at the .05 level in bleu (27.40 against 26.30, adjusted p = .0246); the "
        "difference between new and old in ter (62.70 against 63.00, adjusted p = .645) is not statistically significant at "
        "the .05 level (Monte Carlo paired permutation test, two-sided, for bleu; exact paired permutation test, two-sided, "
        "for ter; p adjusted for 2 metrics, Holm)."
    )


def test_notes_are_said_once():
    whole = make_texts()
    bleu, ter = whole.comparisons
    same, own, runs = Note("data", "The metric is x."), Note("data", "Own."), Note("runs", "Single runs.")
    told = replace(whole, comparisons=[replace(bleu, notes=[same, runs]), replace(ter, notes=[same, own])])
    assert metric_notes(told) == ["The metric is x.", "Single runs.", "ter: Own."]
    alone = replace(whole, comparisons=[replace(bleu, notes=[same]), replace(ter, notes=[])])
    assert metric_notes(alone) == ["bleu: The metric is x."]


def test_signatures_lose_nothing():
    whole = make_texts()
    assert metric_signatures(whole) == [
        "test:permutation|n:2000|alpha:0.05|seed:0|outscore:0",
        "BLEU|nrefs:1|version:2",
        "TER|nrefs:1|version:2",
    ]
    bare = [replace(c, signature=Signature.parse(f"metric:{c.metric}|outscore:0")) for c in whole.comparisons]
    assert metric_signatures(replace(whole, comparisons=bare)) == ["metric:bleu|outscore:0", "metric:ter|outscore:0"]


def said(found) -> str:
    verdict = agreement(found, "Holm")
    return verdict.text if verdict.reason else f"{verdict.headline}."


def test_agreement():
    ahead, behind, won = scored("x", 2, 1, None), scored("y", 1, 2, None), scored("z", 2, 1, 0)
    lost, even = scored("v", 1, 2, 1), scored("w", 1, 1, None)
    lower = scored("u", 1, 2, None, higher=False)
    assert said([ahead, won, lower]) == "All 3 metrics favour new, 1 of 3 significantly after correction (Holm)."
    assert said([ahead, lower]) == "Both metrics favour new, none significantly after correction (Holm)."
    assert said([ahead, behind]) == "No winner by either metric after correction (Holm)."
    assert said([won, even]) == (
        "1 of 2 metrics favours new, 1 of 2 significantly after correction (Holm); the other sees no difference."
    )
    assert said([ahead, lower, even]).startswith("2 of 3 metrics favour new, none significantly")
    assert said([ahead, even, even]).endswith("; the other 2 see no difference.")
    # A lead that is not significant contradicts nothing.
    assert said([won, behind, even]).startswith("new wins by 1 of 3 significantly after correction (Holm); the other 2 show no")
    assert said([won, lost]).startswith("The metrics contradict each other")
    assert said([even, even]) == "Neither metric sees a difference."
    assert said([even, even, even]) == "None of the 3 metrics sees a difference."


def test_what_is_no_family_of_metrics():
    whole = make_texts()
    bleu, ter = whole.comparisons
    assert is_family_of_metrics(whole)
    for others in (
        [bleu],
        [bleu, bleu],
        [bleu, replace(ter, systems=("new", "x"))],
        [bleu, replace(ter, slice=Subset("a", "b"))],
    ):
        assert not is_family_of_metrics(replace(whole, comparisons=others))
    assert not is_family_of_metrics(replace(whole, family=None))


def test_labels_of_several_kinds_stand_apart_and_numbers_in_order():
    other = msgspec.structs.replace(BUCKETS[0], column="genre", value="law")
    shown = text.render(make_texts(buckets=[*BUCKETS, other]))
    rows = [line.split("  ")[0] for line in shown[shown.index("bleu by length and by genre") :].splitlines()]
    assert [row for row in rows[2:] if row][:5] == ["length:", "1-10", "41 and more", "genre:", "law"]


def test_a_part_without_ends_is_unbounded_unless_it_may_lack_an_interval():
    assert "unbounded on both" in text.render(make_texts())
    resampled = Interval(0.6, 1.6, 0.95, "centred bootstrap", dual=False)
    assert "unbounded" not in text.render(make_texts(interval=resampled))


MARGIN = Margin(2.0, make_p(0.0004), make_p(0.21))


def test_several_metrics_show_what_was_asked_for():
    whole = make_texts(margin=MARGIN, bayes=Bayes(0.97, 0.0, 0.03, 0.0), tests=[make_p(0.2, test="sign")])
    shown = " ".join(text.render(whole).split())
    assert "bleu, shown: non-inferior (new worse than old by less than 2): p = .000400" in shown
    assert "bleu, not shown: equivalent (apart by less than 2): p = .210" in shown
    assert "bleu, posterior probabilities: new better .970, old better .0300" in shown
    assert "All tests: bleu" in shown


def test_the_sentence_names_what_a_margin_shows():
    decision = Decision(None, "non-inferior")
    said = metric_sentence(make_texts(margin=MARGIN, decision=decision))
    assert said.endswith(
        "; in bleu new is non-inferior to old with a margin of 2 (p = .000400, one-sided exact paired permutation test)."
    )
    equivalent = Margin(2.0, make_p(0.0004), make_p(0.01))
    said = metric_sentence(
        make_texts(margin=equivalent, decision=Decision(None, "equivalent"), bayes=Bayes(0.5, 0.0, 0.5, 0.0))
    )
    assert "in bleu the two are equivalent within a margin of 2 (p = .0100" in said
    assert said.endswith("; posterior probabilities in bleu: new better .500, old better .500.")


def test_contradictions_are_shown_as_the_result_has_them():
    """The report looks at no part of the data again, by which it may find what a test against a delta does not say."""
    lost = [Bucket("dataset", "de-en", 66, 20.0, 25.0, -5.0, None, None, make_p(1e-9))]
    assert "however" not in metric_sentence(make_texts(buckets=lost))
    whole = make_texts(contradiction="old is significantly better than new on de-en")
    assert metric_sentence(whole).endswith("; however, in bleu old is significantly better than new on de-en.")
    told = "Against this verdict, in bleu old is significantly better than new on de-en."
    assert told in " ".join(text.render(whole).split())


def test_documents_and_units_have_one_name_in_every_form():
    whole = make_texts(clusters=40)
    whole = replace(whole, comparisons=[replace(c, clusters=40) for c in whole.comparisons])
    for form in (text.render(whole, verbose=True), markdown.render(whole), Page(render_html(whole)).words):
        assert "in 40 documents, each swapped as a whole" in " ".join(form.split())
        # A page explains the word for who meets it elsewhere.
        assert "cluster" not in form.partition("What the terms mean")[0]
        assert "from the choice of documents" in " ".join(form.split())
    units = [replace(c, design=replace(c.design, unit_size=5, remainder=2)) for c in make_texts().comparisons]
    shown = " ".join(text.render(replace(whole, comparisons=units)).split())
    assert "on 2,000 units of 5 segments" in shown
    single = " ".join(text.render(Comparisons(units[:1], SETTINGS)).split())
    assert "2,000 units of 5 segments each, paired; 2 segments left over and not used" in single


def test_markdown_headings_name_the_metric_and_sentences_do_not_run_together():
    shown = markdown.render(
        make_texts(
            notes=[Note("data", "A note."), Note("data", "Another.")], verdict="No winner: the data cannot tell; p = .5."
        )
    )
    assert "## new against old: bleu\n\n**No winner**: the data cannot tell; p = .5." in shown
    assert "- **notes**: A note. Another." in shown
    assert ".;" not in shown


def test_the_page():
    source = render_html(make_texts())
    page = Page(source)
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    assert all(later - earlier <= 1 for earlier, later in pairwise(page.headings))
    assert source.count("<mark>") == len(re.findall(r"</mark>", source)) > 3
    assert sum(1 for tag, attributes in page.tags if tag == "dd" and attributes.get("dir") == "auto") == 3 * (4 + 1)
    for part in (
        "Both metrics favour new",
        "bleu by length",
        "for the runs alone",
        "Only the first of several runs is shown",
        "(empty)",
    ):
        assert part in page.words


def test_a_saved_result_gives_the_same_bytes():
    whole = make_texts()
    again = Comparisons.from_dict(whole.to_dict())
    assert render_html(again) == render_html(whole)
    for verbose in (False, True):
        for module in (text, markdown, latex):
            assert module.render(again, verbose=verbose) == module.render(whole, verbose=verbose)


names = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z", "M"]), min_size=1, max_size=90)


@pytest.mark.parametrize("verbose", [False, True])
@given(name=names, width=st.integers(60, 100))
def test_no_line_is_too_long(verbose, name, width):
    segment = Segment(name, [name], f"{name} {name}", "x", 0.1)
    c = replace(make_texts(segments=[segment]).comparisons[0], systems=(name, "B"), metric=name)
    other = replace(c, metric=f"{name}2")
    shown = text.render(Comparisons([c, other], SETTINGS, Family("holm", "FWER", 2)), width=width, verbose=verbose)
    assert max(len(line) for line in shown.splitlines()) <= width


@pytest.mark.slow
def test_it_compiles(tmp_path):
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    body = latex.render(make_texts(segments=[*SEGMENTS, Segment("s_1", ["[x]"], "[x] 5% & _", "# {", 0.1)]), verbose=True)
    page = f"\\documentclass{{article}}\n\\usepackage{{booktabs}}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
    (tmp_path / "x.tex").write_text(page, encoding="utf-8")
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "x.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull" not in done.stdout
