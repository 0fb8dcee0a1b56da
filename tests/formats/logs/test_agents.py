"""Logs of agents: the runs of boards, patterns of files, rosters, and the numbers of real ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.log_files import bfcl, swe_bench_board, terminal_bench

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.formats.logs.find import read_logs, read_runs

GPT, SONNET, ORCHESTRATOR = "20250924_droid_gpt-5", "20250923_droid_claude-4-sonnet", "20250902_orchestrator_claude-4-sonnet"


@pytest.mark.parametrize(
    ("first", "second", "means", "p"),
    [
        (f"{GPT}/*/results.json", f"{SONNET}/*/results.json", (0.525, 0.505), 0.596999594708905),
        (f"{GPT}/*/results.json", f"{ORCHESTRATOR}/results.json", (0.525, 0.36), 2.01080180204e-05),
        (f"{SONNET}/*/results.json", f"{ORCHESTRATOR}/results.json", (0.505, 0.36), 0.000254328849),
    ],
)
def test_five_runs_of_terminal_bench(shared_data, first, second, means, p):
    folder = shared_data / "repro" / "agents" / "terminal-bench"
    result = osc.compare(str(folder / first), str(folder / second))
    assert tuple(score.value for score in result.scores) == pytest.approx(means)
    assert result.p.value == pytest.approx(p, rel=1e-9)
    assert any("count as 0" in note.text for note in result.notes)


def test_one_run_of_terminal_bench(shared_data):
    folder = shared_data / "repro" / "agents" / "terminal-bench"
    first, second = folder / GPT / "tb_rc2_g5_1" / "results.json", folder / SONNET / "tb_rc2_sonnet_1" / "results.json"
    result = osc.compare(str(first), str(second))
    assert tuple(score.value for score in result.scores) == pytest.approx((0.4875, 0.5375))
    assert result.p.value == pytest.approx(0.424, abs=5e-4)


def test_the_board_of_swe_bench(shared_data):
    aider = read_logs([shared_data / "repro" / "agents" / "swe-bench-experiments" / "aider-results.json"])[0]
    assert aider.rows == 300
    assert aider.missing("resolved") == {"empty": 10}
    assert (aider.measures["resolved"].values == 1).sum() == 79


def test_a_pattern_names_the_runs_of_a_system(tmp_path):
    terminal_bench(tmp_path / "one")
    terminal_bench(tmp_path / "two")
    (joined,) = read_runs(str(tmp_path / "*" / "amber" / "results.json"))
    assert joined.system == "amber"
    assert joined.repeats is not None
    assert joined.repeats.names == ("1.1", "1.2", "2.1", "2.2")
    assert joined.measures["resolved"].total == pytest.approx(0.75)


def newer_board(folder: Path) -> list[Path]:
    """As the board has been written since it lists no instance that failed the tests."""
    paths = swe_bench_board(folder)
    for path in paths:
        board = json.loads(path.read_text())
        path.write_text(json.dumps({"no_generation": [], "no_logs": [], "resolved": board["resolved"]}))
    return paths


def test_a_log_that_leaves_out_failures_needs_a_roster(tmp_path):
    first, second = map(str, newer_board(tmp_path))
    with pytest.raises(OutscoreError, match="names only 9 items") as caught:
        osc.compare(first, second)
    assert caught.value.parameter == "roster"
    counted = osc.compare(first, second, roster="12")
    (tmp_path / "roster.txt").write_text("".join(f"astro__sum-{item}\n" for item in range(12)))
    listed = osc.compare(first, second, roster=str(tmp_path / "roster.txt"))
    for result in (counted, listed):
        assert tuple(score.value for score in result.scores) == pytest.approx((9 / 12, 6 / 12))
    assert counted.p.value == listed.p.value


@pytest.mark.parametrize("roster", ["3", "short.txt"])
def test_a_roster_that_is_too_short_is_refused(roster, tmp_path):
    first, second = map(str, newer_board(tmp_path))
    (tmp_path / "short.txt").write_text("astro__sum-1\n")
    with pytest.raises(OutscoreError) as caught:
        osc.compare(first, second, roster=roster if roster.isdecimal() else str(tmp_path / roster))
    assert caught.value.parameter == "roster"


def test_scores_of_calls_need_their_results(tmp_path):
    first, _ = bfcl(tmp_path)
    (tmp_path / "result" / "amber" / "BFCL_v3_simple_result.json").unlink()
    with pytest.raises(OutscoreError, match="below a folder `result`"):
        read_logs([first])
