"""Every format of logs: recognised, read, its totals checked, and refused in one sentence where it is damaged."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
from tests.log_files import ITEMS, SYSTEMS, WRITERS, inspect_archive, promptfoo, verdicts
from tests.variants import a_few

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.formats.logs.choose import check_total
from outscore.formats.logs.find import find_logs, read_logs
from outscore.formats.logs.registry import LOGS

REPEATED = {"inspect", "inspect-json", "bigcodebench", "terminal-bench", "tau-bench", "livecodebench", "opencompass"}
MEASURE = {"evalplus": "base", "promptfoo": "success", "deepeval": "success"}


def test_every_format_is_tried():
    assert WRITERS.keys() == LOGS.keys()


@pytest.mark.parametrize("name", LOGS)
def test_written_and_read(name, tmp_path):
    paths = WRITERS[name](tmp_path)
    assert {entry.name for path in paths for _, entry in find_logs(path)} == {name}
    evaluations = read_logs([tmp_path])
    assert [one.system.split("/")[-1] for one in evaluations] == [system.split("/")[1] for system in SYSTEMS]
    runs = 2 if name in REPEATED else 1
    for evaluation, right in zip(evaluations, verdicts(runs), strict=True):
        measure = MEASURE.get(name, next(iter(evaluation.measures)))
        assert evaluation.measures[measure].values.tolist() == right.ravel().tolist()
        assert len(evaluation.ids.names) == ITEMS
        assert evaluation.missing(measure) == {}
        check_total(evaluation, measure)


WITH_TEXTS = [name for name, entry in LOGS.items() if entry.format.exchange is not None]


def test_formats_that_hold_questions_and_answers_show_them():
    judged = {"deepeval", "explainaboard", "opencompass", "zeroeval"}
    samples = {"every-eval-ever", "inspect", "inspect-json", "lighteval", "lm-eval", "openai-evals", "promptfoo", "tau-bench"}
    assert {"comet", *judged, *samples} <= set(WITH_TEXTS)


@pytest.mark.parametrize("name", WITH_TEXTS)
def test_questions_and_answers_are_read_again(name, tmp_path):
    WRITERS[name](tmp_path)
    first = read_logs([tmp_path])[0]
    exchange = first.exchanges([0, first.rows - 1])
    assert exchange[0].answer == "1"
    assert exchange[1].answer == "41"


def damaged(data: bytes, rng: random.Random) -> bytes:
    """A file cut short, with bytes changed, lost or doubled, or with a number replaced."""
    at, length = rng.randrange(len(data)), rng.randrange(1, 40)
    kind = rng.randrange(5)
    if kind == 0:
        return data[:at]
    if kind == 1:
        return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]
    if kind == 2:
        return data[:at] + data[at + length :]
    if kind == 3:
        return data[: at + length] + data[at:]
    return data.replace(
        rng.choice([b"1.0", b"true", b'"', b"[", b"0"]), rng.choice([b"NaN", b"null", b'"x"', b"{}", b"[" * 3000]), 1
    )


@pytest.mark.parametrize("name", a_few(LOGS, 8))
def test_damaged_logs_are_refused_in_one_sentence(name, tmp_path):
    rng = random.Random(name)  # noqa: S311 - a seeded choice of damage
    paths = WRITERS[name](tmp_path)
    file = Path(find_logs(paths[0])[0][0])
    whole = file.read_bytes()
    for _ in range(60):
        file.write_bytes(damaged(whole, rng))
        refusal = None
        try:
            LOGS[name].format.read(str(file))
        except OutscoreError as error:
            refusal = str(error)
        assert refusal is None or ("\n" not in refusal and len(refusal) < 600)


def test_frames_of_an_archive_are_read_across(tmp_path):
    inspect_archive(tmp_path, frame=100)
    whole = read_logs([tmp_path])
    assert [one.rows for one in whole] == [24, 24]


def test_unscored_samples_are_not_zero(tmp_path):
    (path, _) = WRITERS["inspect-json"](tmp_path)
    log = json.loads(path.read_text())
    log["samples"][0]["scores"]["match"]["value"] = float("nan")
    log["samples"][1]["scores"] = {}
    log["samples"][1]["error"] = "timed out"
    path.write_text(json.dumps(log))
    (evaluation,) = read_logs([path])
    assert evaluation.missing("match") == {"unscored": 1, "errored": 1}
    assert np.isnan(evaluation.measures["match"].values[:2]).all()


def test_two_runs_of_one_system_are_not_pooled(tmp_path):
    WRITERS["lm-eval"](tmp_path / "one")
    WRITERS["lm-eval"](tmp_path / "two")
    with pytest.raises(OutscoreError, match="both contain maker/amber on sums"):
        read_logs([tmp_path])


@pytest.mark.parametrize("name", ["expected", "target", "answerKey", "gold_index", "y_true", "expected_output", "label"])
def test_a_right_answer_is_never_offered_as_a_cluster(name, tmp_path):
    """Items with the same right answer do not depend on one another."""
    (path,) = promptfoo(tmp_path)
    log = json.loads(path.read_text())
    for item, result in enumerate(log["results"]["results"]):
        result["testCase"]["metadata"][name] = "yes" if item % 2 else "no"
    path.write_text(json.dumps(log))
    (offer,) = (note.text for note in osc.compare(path, metric="score").notes if "group items by" in note.text)
    assert "`passage`" in offer
    assert name not in offer


def test_a_log_of_two_systems_is_one_file_with_the_rows_of_both(tmp_path):
    (path,) = promptfoo(tmp_path)
    found = osc.score(path, metric="score")
    (file,) = found.settings["inputs"]
    assert file["rows"] == found.reading.rows == sum(system.rows for system in found.systems)
    ranked = osc.rank(path, metric="score")
    assert (ranked.reading.rows, ranked.settings["inputs"]) == (found.reading.rows, [file])
