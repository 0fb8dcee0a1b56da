"""Which scores are better: asked for, fixed by the metric, or told by the name of the column; and what turns with it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.variants import crossed

import outscore as osc
from outscore.cli.app import app
from outscore.core.errors import OutscoreError
from outscore.formats.tables.measures import LOWER_IS_BETTER, is_better_lower
from outscore.inference.registry import TESTS
from outscore.workflows.reading import resolve_direction

RNG = np.random.default_rng(3)
GOOD = RNG.integers(0, 30, 60) / 100
BAD = GOOD + RNG.integers(-2, 12, 60) / 100


@pytest.fixture
def errors(tmp_path, monkeypatch) -> Path:
    """A current folder with error rates in every form; `good` has the lower ones."""
    monkeypatch.chdir(tmp_path)
    for name, rates in (("good", GOOD), ("bad", BAD)):
        pl.DataFrame({"id": range(60), "wer": rates}).write_csv(f"{name}.csv")
    both = {"id": [*range(60)] * 2, "model": ["good"] * 60 + ["bad"] * 60, "wer": [*GOOD, *BAD]}
    pl.DataFrame(both).write_csv("long.csv")
    pl.DataFrame({"id": range(60), "good": GOOD, "bad": BAD}).write_csv("wide.csv")
    return tmp_path


def run(*words: str):
    result = CliRunner().invoke(app, [*words, "-v"], prog_name="outscore")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.mark.parametrize(
    "files",
    [["good.csv", "bad.csv"], ["bad.csv", "good.csv"], ["long.csv"], ["wide.csv", "--lower-is-better"]],
)
def test_the_system_with_the_lower_error_rate_wins_a_comparison(errors, files):
    text = run("compare", *files).output
    assert "good outscored bad" in " ".join(text.split())
    assert "lower is better" in text
    assert "for a paper On 60 items, good (mean" in " ".join(text.split())


@pytest.mark.parametrize("words", [["long.csv"], ["wide.csv", "--lower-is-better"], ["good.csv", "bad.csv"]])
def test_the_system_with_the_lower_error_rate_leads_a_ranking(errors, words):
    text = run("rank", *words).output
    assert text.startswith("good leads")
    assert "lower is better" in text


def test_who_said_so_is_told_where_nobody_asked(errors):
    told = "Lower is better, according to the column name `wer`"
    for command in (["compare", "long.csv"], ["rank", "long.csv"], ["plan", "--pilot", "long.csv"]):
        assert told in " ".join(run(*command).output.split())
    assert told not in " ".join(run("compare", "wide.csv", "--lower-is-better").output.split())


def test_the_caller_has_the_last_word(errors):
    assert run("compare", "long.csv", "--higher-is-better").output.startswith("bad outscored good")
    assert run("compare", "wide.csv", "--metric", "mean:direction=lower").output.startswith("good outscored bad")
    assert osc.compare("long.csv", direction="higher").decision.winner == 1
    assert osc.rank("wide.csv", direction="lower").systems[0] == "good"


def test_flags_that_contradict_each_other_are_refused(errors):
    for words in (["--lower-is-better", "--higher-is-better"], ["--direction", "lower", "--higher-is-better"]):
        result = run("compare", "wide.csv", *words)
        assert result.exit_code == 2
        assert "contradict each other" in result.output


@pytest.mark.parametrize("command", ["compare", "rank"])
def test_a_metric_that_has_a_direction_keeps_it(errors, command):
    result = run(command, "wide.csv", "--metric", "accuracy", "--lower-is-better")
    assert result.exit_code == 2
    assert "A higher `accuracy` is better by definition" in result.output
    assert resolve_direction("error-rate", "lower", scores=None).source == "metric"


def test_score_columns_that_disagree_are_refused(errors):
    pl.DataFrame({"id": range(60), "acc": BAD}).write_csv("other.csv")
    result = run("compare", "good.csv", "other.csv")
    assert result.exit_code == 2
    assert "lower is better for `wer`, but `acc` does not say" in result.output


def test_a_saved_comparison_and_a_config_repeat_the_direction(errors):
    run("compare", "wide.csv", "--lower-is-better", "-o", "found.json")
    assert json.loads(Path("found.json").read_text())["settings"]["direction"] == "lower"
    assert run("compare", "--config", "found.json").output.startswith("good outscored bad")
    assert run("compare", "--config", "found.json", "--higher-is-better").output.startswith("bad outscored good")
    Path("options.yaml").write_text("direction: lower\n")
    assert run("compare", "wide.csv", "--config", "options.yaml").output.startswith("good outscored bad")


def test_parts_of_a_table_are_ranked_by_the_same_direction(errors):
    table = pl.read_csv("long.csv")
    Path("parts").mkdir()
    for i in range(2):
        table.filter(pl.col("id") % 2 == i).write_parquet(f"parts/{i}.parquet")
    assert run("rank", "parts").output.startswith("good leads")
    assert run("rank", "parts", "--higher-is-better").output.startswith("bad leads")


def test_names_that_say_lower_is_better():
    known = {"wer", "ter", "cer", "loss", "nll", "ppl", "perplexity", "mae", "rmse", "error", "latency", "brier"}
    assert known <= LOWER_IS_BETTER
    assert all(map(is_better_lower, ("WER", "Error Rate", "eval_loss", "scores.ppl")))
    assert not any(map(is_better_lower, ("score", "no_error", "no_errors", "lossless", "answer", "after", "comet")))

    assert all(map(is_better_lower, ("MetricX", "metricx-24", "metricx_23_qe", "is_wrong", "incorrect", "failed", "mean rank")))
    assert not any(map(is_better_lower, ("rank_svm", "page_rank", "not_failed", "fidelity", "metric")))


UNCLEAR = ["neg_log_loss", "neg_mean_squared_error", "no_error", "error_free", "-loss", "1-wer", "1 - WER", "wer_reduction"]
UNCLEAR += ["time_saved", "error_recall", "toxicity detection accuracy", "non-toxicity", "bias"]
UNCLEAR += ["error_handling", "error_recovery", "errors_fixed", "crashes_found", "cost_efficiency", "cost_effectiveness"]
UNCLEAR += ["cost_savings", "time_efficiency", "time_series_score", "loss_prevention", "toxicity_avoidance"]


@pytest.mark.parametrize(("column", "command"), crossed(UNCLEAR, ["compare", "rank", "score"]))
def test_a_name_that_turns_an_error_around_must_say_which_is_better(errors, command, column):
    """All of them were taken for errors once, of which lower ones win."""
    table = {"id": [*range(60)] * 2, "system": ["high"] * 60 + ["low"] * 60, column: [*BAD, *GOOD]}
    pl.DataFrame(table).write_csv("turned.csv")
    refused = run(command, "turned.csv", "--score", column)
    assert refused.exit_code == 2
    assert f"It is not clear from the name `{column}` whether lower or higher scores are better." in " ".join(
        refused.output.split()
    )
    said = run(command, "turned.csv", "--score", column, "--higher-is-better").output
    assert said.startswith({"compare": "high outscored low", "rank": "high leads", "score": "2 systems"}[command])


@pytest.mark.parametrize("names", [("new_neg_loss", "old_neg_loss"), ("no-loss", "with-loss"), ("loss_free", "loss_a")])
def test_systems_whose_names_turn_an_error_around_must_say_which_is_better(errors, names):
    pl.DataFrame({"id": range(60), names[0]: GOOD, names[1]: BAD}).write_csv("turned.csv")
    assert "It is not clear from the name" in " ".join(run("compare", "turned.csv").output.split())


def test_numbers_of_systems_turn_nothing_around(errors):
    pl.DataFrame({"id": range(60), "wer_1": GOOD, "wer_2": BAD}).write_csv("numbered.csv")
    assert run("compare", "numbered.csv").output.startswith("wer_1 outscored wer_2")


@settings(max_examples=20)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=6, max_size=30), st.sampled_from(["greater", "less"]))
def test_lower_is_better_is_the_comparison_of_negated_scores(pairs, side):
    a, b = np.array(pairs).T
    for test in ("permutation", "student", "sign", "wilcoxon", "bootstrap"):
        more = {"margin": 1.5} if TESTS[test].delta else {}
        try:
            low = osc.compare(a, b, direction="lower", test=test, alternative=side, **more)
        except osc.OutscoreError:
            continue
        high = osc.compare(-a, -b, test=test, alternative=side, **more)
        assert low.p.value == pytest.approx(high.p.value, rel=1e-9)
        assert low.decision == high.decision
        assert low.difference == pytest.approx(-high.difference)
        if more:
            assert low.margin.noninferiority.value == pytest.approx(high.margin.noninferiority.value, rel=1e-9)
            assert low.margin.equivalence.value == pytest.approx(high.margin.equivalence.value, rel=1e-9)


@pytest.mark.parametrize(
    ("command", "names"),
    crossed(
        ["compare", "rank"],
        [
            *(("wer_good", "wer_bad"), ("good_wer", "bad_wer"), ("Loss good", "Loss bad")),
            *(("eval_loss_good", "eval_loss_bad"), ("good.mean_squared_error", "bad.mean_squared_error")),
            *(("valLossGood", "valLossBad"), ("metricx_good", "metricx_bad"), ("n_errors_good", "n_errors_bad")),
        ],
    ),
)
def test_columns_of_systems_that_are_named_after_an_error(errors, command, names):
    pl.DataFrame({"id": range(60), names[0]: GOOD, names[1]: BAD}).write_csv("named.csv")
    said = " ".join(run(command, "named.csv").output.split())
    assert "lower is better (from the column name" in said
    assert f"{names[0]} outscored {names[1]}" in said or f"{names[0]} leads" in said


@pytest.mark.parametrize("shared", ["focal_loss", "bias", "MQM", "no_error", "neg_log_loss", "fid"])
def test_systems_that_share_a_word_that_may_be_an_error_must_say_which_is_better(errors, shared):
    pl.DataFrame({"id": range(60), f"{shared}_large": GOOD, f"{shared}_small": BAD}).write_csv("named.csv")
    for command in ("compare", "rank"):
        assert f"It is not clear from the name `{shared}_large`" in " ".join(run(command, "named.csv").output.split())
    assert run("compare", "named.csv", "--higher-is-better").output.startswith(f"{shared}_small outscored")


def test_one_system_named_after_its_loss_must_say_which_is_better(errors):
    pl.DataFrame({"id": range(60), "loss_weighted": GOOD, "plain": BAD}).write_csv("named.csv")
    assert "`plain` does not say" in run("compare", "named.csv").output
    assert "higher is better" in run("compare", "named.csv", "--higher-is-better").output


@pytest.mark.parametrize(("mark", "name"), [(",", "bare.csv"), ("\t", "bare.tsv"), (" ", "bare.txt")])
@pytest.mark.parametrize("command", ["compare", "rank"])
def test_a_header_over_bare_numbers_names_the_error(errors, command, mark, name):
    rows = [f"{good:.2f}{mark}{bad:.2f}" for good, bad in zip(GOOD, BAD, strict=True)]
    Path(name).write_text("\n".join([f"wer_good{mark}wer_bad", *rows]))
    said = " ".join(run(command, name).output.split())
    assert "wer_good outscored wer_bad" in said or "wer_good leads" in said
    assert "lower is better" in said


def test_a_file_for_each_system_names_the_error(errors):
    for name, scores in (("good", GOOD), ("bad", BAD)):
        Path(f"wer_{name}.txt").write_text("\n".join(f"{x:.2f}" for x in scores))
        Path(f"{name}.txt").write_text("\n".join(["WER", *(f"{x:.2f}" for x in scores)]))
    assert "wer_good outscored wer_bad" in run("compare", "wer_good.txt", "wer_bad.txt").output
    assert "good outscored bad" in run("compare", "good.txt", "bad.txt").output


def write_bare(first: str, second: str) -> None:
    """Write `good.txt` and `bad.txt`, each a column of error rates below a name."""
    for name, header, rates in (("good", first, GOOD), ("bad", second, BAD)):
        Path(f"{name}.txt").write_text("\n".join([header, *(f"{rate:.2f}" for rate in rates)]))


@pytest.mark.parametrize(
    ("header", "command"),
    crossed(
        ["val_error", "mean_squared_error", "abs_error", "error_count", "toxicity_score", "# val_error"], ["compare", "rank"]
    ),
)
def test_a_name_over_one_column_says_what_it_says_in_a_table(errors, command, header):
    """The other system won, because only some of the names were looked at."""
    write_bare(header, header)
    said = " ".join(run(command, "good.txt", "bad.txt").output.split())
    assert said.startswith("good outscored bad" if command == "compare" else "good leads")
    assert "lower is better (from the column name)" in said


@pytest.mark.parametrize("header", ["MQM", "bias", "no_error", "error_handling", "lossReduction"])
def test_an_unclear_name_over_one_column_must_say_which_is_better(errors, header):
    write_bare(header, header)
    refused = run("compare", "good.txt", "bad.txt")
    assert refused.exit_code == 2
    assert f"It is not clear from the name `{header}`" in " ".join(refused.output.split())
    assert run("compare", "good.txt", "bad.txt", "--higher-is-better").output.startswith("bad outscored good")


def test_a_name_over_one_column_that_says_nothing_leaves_it_to_the_files(errors):
    write_bare("score", "score")
    assert "higher is better" in " ".join(run("compare", "good.txt", "bad.txt").output.split())
    for name in ("good", "bad"):
        Path(f"{name}.txt").rename(f"{name}.wer")
    assert "lower is better (from the file extension)" in " ".join(run("compare", "good.wer", "bad.wer").output.split())


def test_names_over_one_column_that_disagree_must_say_which_is_better(errors):
    write_bare("loss_weighted", "plain")
    refused = run("compare", "good.txt", "bad.txt")
    assert refused.exit_code == 2
    assert "lower is better for `loss_weighted`, but `plain` does not say" in " ".join(refused.output.split())


def test_arrays_of_systems_that_are_named_after_an_error():
    assert osc.compare(GOOD, BAD, names=("wer_good", "wer_bad")).headline == "wer_good outscored wer_bad"
    assert osc.rank({"wer_good": GOOD, "wer_bad": BAD}).headline.startswith("wer_good leads")


@pytest.mark.parametrize("said", ["LOWER", "down", "lower-is-better"])
def test_a_direction_that_is_none_is_refused(said):
    for call in (
        lambda: osc.compare(GOOD, BAD, direction=said),
        lambda: osc.rank({"a": GOOD, "b": BAD}, direction=said),
        lambda: osc.plan(pilot=(GOOD, BAD), effect=0.1, direction=said),
    ):
        with pytest.raises(osc.OutscoreError, match=r"`direction` is .*auto, higher, lower"):
            call()


@pytest.mark.parametrize("names", [("new", "old_loss"), ("acc_x", "wer_y")])
def test_systems_of_which_some_are_named_after_an_error_are_refused(names, tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(",".join(("id", *names)) + "\n" + "".join(f"q{i},{i / 30},{(i * 7 % 30) / 30}\n" for i in range(30)))
    for ask in (osc.compare, osc.rank):
        with pytest.raises(OutscoreError, match=f"lower is better for `{names[1]}`, but `{names[0]}` does not say"):
            ask(path)
    assert not osc.compare(path, direction="lower").higher_is_better


def test_series_are_called_by_their_measure():
    first, second = (pd.Series([x / 20 for x in range(20)], name="wer") + shift for shift in (0.0, 0.01))
    pair = osc.compare(first, second)
    assert (pair.higher_is_better, pair.reading.direction_source) == (False, "column")
    assert osc.rank({"a": first, "b": second}).systems[0] == "a"
    assert osc.compare(first.rename("new"), second.rename("old")).higher_is_better


def test_a_time_alone_is_what_was_measured(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("id,latency\n" + "".join(f"q{i},{i / 7}\n" for i in range(9)))
    assert not osc.compare(tmp_path / "a.csv", tmp_path / "b.csv").higher_is_better


@pytest.mark.parametrize(("ending", "command"), crossed(["wer", "WER", "ter.gz", "eval_loss"], ["compare", "rank", "score"]))
def test_the_ending_of_files_names_the_error(errors, ending, command):
    """As a column of that name does; what decided it stands in the line of the data and in a note."""
    for name, rates in (("good", GOOD), ("bad", BAD)):
        text = "".join(f"{rate}\n" for rate in rates).encode()
        Path(f"{name}.{ending}").write_bytes(gzip.compress(text) if ending.endswith(".gz") else text)
    said = " ".join(run(command, f"bad.{ending}", f"good.{ending}").output.split())
    shown = f".{ending}".removesuffix(".gz")
    assert "lower is better (from the file extension)" in said
    assert f"Lower is better, according to the file ending `{shown}`; --higher-is-better overrides this." in said
    assert "outscored" not in said or "good outscored bad" in said
    assert "higher is better (as requested)" in " ".join(
        run(command, f"bad.{ending}", f"good.{ending}", "--higher-is-better").output.split()
    )


def test_two_columns_of_a_file_that_ends_like_an_error(errors):
    Path("both.wer").write_text("".join(f"{good} {bad}\n" for good, bad in zip(GOOD, BAD, strict=True)))
    said = " ".join(run("compare", "both.wer").output.split())
    assert "lower is better (from the file extension)" in said


def test_files_that_end_differently_must_say_which_is_better(errors):
    for name, rates in (("good.wer", GOOD), ("bad.txt", BAD)):
        Path(name).write_text("".join(f"{rate}\n" for rate in rates))
    refused = run("compare", "good.wer", "bad.txt")
    assert refused.exit_code == 2
    assert "The files end in `.wer` and `.txt`: lower is better for `.wer`, but `.txt` does not say." in refused.output
    assert run("compare", "good.wer", "bad.txt", "--lower-is-better").exit_code == 0


def test_the_name_of_a_column_goes_before_the_ending_of_its_file(errors):
    Path("good.csv").rename("good.loss")
    Path("bad.csv").rename("bad.loss")
    assert "lower is better (from the column name)" in " ".join(run("compare", "good.loss", "bad.loss").output.split())


CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "array": np.array,
    "Series": pd.Series,
    "objects": lambda values: pd.Series(list(values), dtype=object),
    "polars": pl.Series,
}


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.integers(-30, 0), st.integers(1, 9)), min_size=6, max_size=20), st.sampled_from(sorted(CONTAINERS))
)
def test_negated_errors_are_read_alike_in_every_container(pairs, container):
    """Of `wer` below 0 higher is better, whatever holds the numbers."""
    into = CONTAINERS[container]
    high = np.array([low for low, _ in pairs], dtype=float)
    low = high - np.array([less for _, less in pairs])
    a, b = into(high.tolist()), into(low.tolist())
    names = ("wer_high", "wer_low")
    assert osc.compare(a, b, names=names).higher_is_better
    gate = osc.gate(b, a, margin=0.1, names=names[::-1])
    assert gate.comparison.higher_is_better
    assert gate == osc.gate(low, high, margin=0.1, names=names[::-1])
    ranking = osc.rank({"wer_low": b, "wer_high": a})
    assert ranking.systems[0] == "wer_high"
    scored = osc.score({"wer_low": b, "wer_high": a})
    assert scored.higher_is_better


def test_negated_errors_lead_in_parts_as_in_one_table(errors):
    """Parts of a table named the other winner, because nobody looked at their scores."""
    table = pl.read_csv("long.csv").with_columns(-pl.col("wer"))
    table.write_csv("negated.csv")
    Path("parts").mkdir()
    for i in range(2):
        table.filter(pl.col("id") % 2 == i).write_parquet(f"parts/{i}.parquet")
    for words in (["rank", "negated.csv"], ["rank", "parts"]):
        said = " ".join(run(*words).output.split())
        assert said.startswith("good leads")
        assert "Higher is better, because no score of `wer` is above 0" in said
    assert run("rank", "parts", "--lower-is-better").output.startswith("bad leads")


def test_parts_with_an_unclear_name_must_say_which_is_better(errors):
    Path("parts").mkdir()
    pl.read_csv("long.csv").rename({"wer": "no_error"}).write_parquet("parts/0.parquet")
    refused = run("rank", "parts", "--score", "no_error")
    assert refused.exit_code == 2
    assert "It is not clear from the name `no_error`" in " ".join(refused.output.split())


ASSUMED = "higher is better (assumed; --lower-is-better if not)"


@pytest.fixture
def bare(tmp_path, monkeypatch) -> Path:
    """A current folder with error rates that only the ending of their files names."""
    monkeypatch.chdir(tmp_path)
    for name, rates in (("good", GOOD), ("bad", BAD)):
        Path(f"{name}.wer").write_text("".join(f"{rate}\n" for rate in rates))
    both = "".join(f"{a},{b}\n" for a, b in zip(GOOD, BAD, strict=True))
    Path("both.wer").write_text(f"good,bad\n{both}")
    return tmp_path


def piped(*words: str, file: str):
    """Run a command that reads a file from standard input."""
    result = CliRunner().invoke(app, [*words, "-v"], prog_name="outscore", input=Path(file).read_bytes())
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_a_direction_that_a_pipe_loses_is_said_to_be_assumed(bare):
    """Only the name of the file says that low rates are good."""
    assert "good outscored bad" in run("compare", "both.wer").output
    assert "lower is better (from the file extension)" in " ".join(run("compare", "both.wer").output.split())
    lost = " ".join(piped("compare", "-", file="both.wer").output.split())
    assert ASSUMED in lost
    assert "good outscored bad" in piped("compare", "-", "--lower-is-better", file="both.wer").output
    for command in ("score", "rank"):
        assert ASSUMED in " ".join(piped(command, "-", file="both.wer").output.split()), command


def test_a_file_that_names_nothing_is_assumed_to_be_better_if_higher(bare):
    for name in ("good", "bad"):
        Path(name).write_text(Path(f"{name}.wer").read_text())
    for words in (("compare",), ("gate", "--margin", ".01"), ("rank",), ("plan", "--effect", ".01", "--pilot")):
        said = " ".join(run(*words, "good", "bad").output.split())
        assert ASSUMED in said, words
        told = " ".join(run(*words, "good", "bad", "--lower-is-better").output.split())
        assert "assumed" not in told, words
        assert "lower is better (as requested)" in told, words
    assert run("gate", "good", "bad", "--margin", ".01", "--lower-is-better").exit_code == 1
    assert run("gate", "good.wer", "bad.wer", "--margin", ".01").exit_code == 1


def test_one_file_that_ends_in_an_error_rate_asks_about_a_pipe(bare):
    for words in (("compare",), ("gate", "--margin", ".01"), ("rank",)):
        done = piped(*words, "good.wer", "-", file="bad.wer")
        assert done.exit_code == 2
        assert "Lower is better for a file that ends in `.wer`, but another has no ending that says so." in done.stderr
        assert "--lower-is-better" in done.stderr
    assert piped("gate", "good.wer", "-", "--margin", ".01", "--lower-is-better", file="bad.wer").exit_code == 1


def test_a_name_of_scores_is_no_assumption(errors):
    pl.DataFrame({"id": range(60), "accuracy": GOOD}).write_csv("accuracy.csv")
    assert "higher is better\n" in run("score", "accuracy.csv").output
    assert "(assumed;" not in run("score", "accuracy.csv").output + run("score", "good.csv").output


@pytest.mark.parametrize(
    ("command", "column"),
    crossed(
        ["compare", "rank"],
        [
            *("WordErrorRate", "errorRate", "valLoss", "editDistance", "latencyMs"),
            *(
                "incorrect_rate",
                "miss_rate",
                "mistakes",
                "fpr",
                "false_positive_rate",
                "hallucination",
                "crash_rate",
                "edit_dist",
            ),
        ],
    ),
)
def test_an_error_rate_is_one_however_its_name_is_written(errors, command, column):
    pl.read_csv("long.csv").rename({"wer": column}).write_csv("named.csv")
    text = " ".join(run(command, "named.csv").output.split())
    assert ("good outscored bad" if command == "compare" else "good leads") in text
    assert "lower is better (from the column name)" in text


@pytest.mark.parametrize("column", ["negLogLoss", "lossReduction", "noErrorRate"])
def test_capitals_do_not_hide_a_word_that_turns_an_error_around(errors, column):
    pl.read_csv("long.csv").rename({"wer": column}).write_csv("named.csv")
    result = run("compare", "named.csv")
    assert result.exit_code == 2
    assert f"It is not clear from the name `{column}`" in result.output


def test_capitals_within_a_name_are_no_error():
    assert not [name for name in ("BERTScore", "MetricY", "rougeL", "DeepSeek", "LossLess") if is_better_lower(name)]


def test_systems_that_are_named_after_what_they_were_trained_with_are_no_errors(errors):
    pl.DataFrame({"id": range(60), "FocalLoss": BAD, "DiceLoss": GOOD}).write_csv("trained.csv")
    text = " ".join(run("compare", "trained.csv").output.split())
    assert text.startswith("FocalLoss outscored DiceLoss")
    assert "higher is better (assumed; --lower-is-better if not)" in text


@pytest.mark.parametrize("column", ["attack_success_rate", "my_metric", "refusals"])
def test_a_name_that_is_not_known_leaves_the_direction_assumed(errors, column):
    pl.read_csv("long.csv").rename({"wer": column}).write_csv("named.csv")
    for command in ("compare", "rank", "score"):
        assert "higher is better (assumed; --lower-is-better if not)" in " ".join(run(command, "named.csv").output.split())
    known = pl.read_csv("long.csv").rename({"wer": "nDCG@10"})
    known.write_csv("known.csv")
    assert "(assumed;" not in run("compare", "known.csv", "--score", "nDCG@10").output
