"""Where a score of ours is not the library's, the library counts, and the result says so."""

from __future__ import annotations

import pytest
from tests.variants import a_few

import outscore as osc
from outscore.engine.engines import SERIAL
from outscore.engine.progress import Progress
from outscore.metrics.cache import StatisticsCache
from outscore.metrics.text import error_rates as ter
from outscore.metrics.text.entry import rows_of_library
from outscore.workflows.texts import statistics
from outscore.workflows.texts.members import members_of

sacrebleu = pytest.importorskip("sacrebleu")

PLAIN = [f"a plain line that is number {i} of this text" for i in range(30)]
BLOCK, REST = " ".join(f"b{i}" for i in range(14)), " ".join(f"r{i}" for i in range(15))
MOVED = [*PLAIN[:20], f"{BLOCK} {REST}", *PLAIN[21:]]
REFERENCE = [*PLAIN[:20], f"{REST} {BLOCK}", *PLAIN[21:]]
SHORTENED = [*REFERENCE[:-1], "a plain line"]


@pytest.fixture
def long_shifts(monkeypatch):
    """A mistake: blocks of any length are shifted as one."""
    monkeypatch.setattr(ter, "LONGEST", 50)


def by_sacrebleu(lines):
    return sacrebleu.metrics.TER().corpus_score(lines, [REFERENCE]).score


def scores(result):
    return pytest.approx([score.value for score in result.comparisons[0].scores], rel=1e-12)


def test_the_library_counts_and_the_report_says_so(long_shifts, tmp_path):
    cache = StatisticsCache(tmp_path)
    for _ in range(2):
        # What differed is not kept, so that the second answer says the same.
        result = osc.compare_texts(MOVED, SHORTENED, REFERENCE, metrics=["ter"], cache=cache)
        assert scores(result) == [by_sacrebleu(MOVED), by_sacrebleu(SHORTENED)]
        said = [note.text for note in result.comparisons[0].notes if "itself" in note.text]
        assert len(said) == 1
        assert said[0].startswith(f"The statistics of TER are those of sacrebleu {sacrebleu.__version__} itself")
        assert "segment 21" in said[0]


def test_what_the_library_counted_is_kept(long_shifts, tmp_path, monkeypatch):
    counted = []

    def count(*given):
        counted.append(given)
        return rows_of_library(*given)

    monkeypatch.setattr(statistics, "rows_of_library", count)
    cache = StatisticsCache(tmp_path)
    first, second = (osc.compare_texts(MOVED, SHORTENED, REFERENCE, metrics=["ter"], cache=cache) for _ in range(2))
    assert len(counted) == 2
    assert first == second


def test_a_doubt_about_one_system_is_one_about_all(long_shifts):
    """Also about those that were counted before."""
    result = osc.compare_texts(SHORTENED, MOVED, REFERENCE, metrics=["ter", "bleu"], cache=StatisticsCache(None))
    assert scores(result) == [by_sacrebleu(SHORTENED), by_sacrebleu(MOVED)]
    assert [sum("itself" in note.text for note in c.notes) for c in result.comparisons] == [1, 0]


def test_a_ranking_says_so(long_shifts):
    systems = {"moved": MOVED, "shortened": SHORTENED}
    texts = statistics.texts_given(systems, [REFERENCE])
    ((member,), _) = members_of(texts, ["ter"], {}, statistics.Statistics(SERIAL, StatisticsCache(None), Progress()))
    assert sum("itself" in note.text for note in member.notes) == 1


def test_nothing_is_said_where_all_agree():
    result = osc.compare_texts(MOVED, SHORTENED, REFERENCE, metrics=["ter"], cache=StatisticsCache(None))
    assert scores(result) == [by_sacrebleu(MOVED), by_sacrebleu(SHORTENED)]
    assert not any("itself" in note.text for note in result.comparisons[0].notes)


@pytest.mark.parametrize(
    ("spec", "files", "expected"),
    a_few(
        [
            ("ter", ("k.ref", "k.A", "k.B"), 2.853260869565217),
            ("ter", ("s.ref", "s.A", "s.B"), 58.333333333333336),
            ("ter:normalized=true", ("ref.txt", "b.txt", "a.txt"), 22.22222222222222),
        ],
        1,
    ),
)
def test_files_that_were_refused_or_scored_wrongly(spec, files, expected, shared_data):
    """The last file of each by `sacrebleu REF -i FILE -m ter -b -w 10`."""
    folder = shared_data / "repro" / "texts"
    reference, a, b = (folder / name for name in files)
    result = osc.compare_texts(a, b, reference, metrics=[spec], cache=StatisticsCache(None))
    assert result.comparisons[0].scores[1].value == pytest.approx(expected, rel=1e-12)
    assert not any("itself" in note.text for note in result.comparisons[0].notes)
