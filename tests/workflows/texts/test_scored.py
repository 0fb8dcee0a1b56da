"""Segment scores of other metrics join the metrics of texts in one family."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

pytest.importorskip("sacrebleu")

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.workflows.rank.run import run as run_rank
from outscore.workflows.requests.compare import TextsRequest
from outscore.workflows.requests.rank import RankRequest
from outscore.workflows.texts.run import run

REFERENCE = ["the cat sat", "it was late", "we go home", "all is well", "see you soon", "so it goes"]
A, B = [0.9, 0.8, 0.85, 0.7, 0.95, 0.9], [0.5, 0.6, 0.55, 0.4, 0.65, 0.5]


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("ref.txt").write_text("\n".join(REFERENCE) + "\n")
    Path("a.txt").write_text("\n".join(REFERENCE) + "\n")
    Path("b.txt").write_text("\n".join(line.replace("is", "was") for line in REFERENCE) + "\n")
    return tmp_path


def write(form: str) -> tuple[str, str]:
    """Both systems' scores as a tool writes them; some tools write one file for all."""
    for name, values in (("a", A), ("b", B)):
        rows = {
            "plain": [str(x) for x in values],
            "metricx": [json.dumps({"hypothesis": "x", "prediction": x}) for x in values],
            "printed": [f"{name}.txt\tSegment {i}\tscore: {x}" for i, x in enumerate(values)] + [f"{name}.txt\tscore: 0.8"],
            "mtme": [f"{name}\t{x}" for x in values],
        }.get(form, [])
        Path(f"{name}.scores").write_text("\n".join(rows) + "\n")
    both = zip(("a", "b"), (A, B), strict=True)
    if form == "comet-json":
        found = {f"{name}.txt": [{"src": "s", "mt": "m", "COMET": x} for x in values] for name, values in both}
        Path("a.scores").write_text(json.dumps(found))
        return "a.scores", "a.scores"
    if form == "seg-score":
        rows = [f"COMET\ten-de\twmt\t{name}\t{i}\t{x}" for name, values in both for i, x in enumerate(values, 1)]
        Path("a.scores").write_text("\n".join(rows) + "\n")
        return "a.scores", "a.scores"
    return "a.scores", "b.scores"


def compared(*scores: str):
    files = {"files": ["a.txt", "b.txt"], "reference": ["ref.txt"], "metric": "bleu"}
    return run(TextsRequest.from_written({**files, "scores": list(scores)}))


@pytest.mark.parametrize("form", ["plain", "metricx", "printed", "mtme", "comet-json", "seg-score"])
def test_every_form_gives_the_same_family(folder, form):
    found = compared(f"COMET={','.join(write(form))}")
    assert [c.metric for c in found.comparisons] == ["BLEU", "COMET"]
    assert found.family.m == 2
    comet = found.comparisons[1]
    assert [score.value for score in comet.scores] == pytest.approx([0.85, 0.5333333])
    assert comet.p.value == 2 / 2**6
    assert "COMET ↑" in found.to_text()
    assert len(found.settings["inputs"]) == 5 if form not in ("comet-json", "seg-score") else True


def test_direction(folder):
    files = ",".join(write("plain"))
    assert not compared(f"MQM(lower)={files}").comparisons[1].higher_is_better
    assert not compared(f"MetricX-24={files}").comparisons[1].higher_is_better
    told = "Lower is better for MetricX-24, as its name says; --scores 'MetricX-24(higher)=...' overrides this."
    assert told in [note.text for note in compared(f"MetricX-24={files}").comparisons[1].notes]
    worse = compared(f"Loss(lower)={files}").comparisons[1]
    assert worse.metric == "Loss"
    assert worse.difference > 0


def negate() -> str:
    """The scores as errors below 0, of which `a` has fewer."""
    for name, values in (("a", B), ("b", A)):
        Path(f"{name}.mqm").write_text("".join(f"{-x}\n" for x in values))
    return "a.mqm,b.mqm"


@pytest.mark.parametrize("name", ["MQM", "MetricX-24", "human mqm", "HTER"])
def test_errors_below_zero_are_better_if_higher(folder, name):
    """As published by mt-metrics-eval; the comparison of the files alone agrees."""
    member = compared(f"{name}={negate()}").comparisons[1]
    assert member.higher_is_better
    assert member.difference > 0
    told = f"Higher is better for {name}, because no score is above 0, so that they do not count errors;"
    assert [note.kind for note in member.notes if note.text.startswith(told)] == ["reading"]
    alone = osc.compare("a.mqm", "b.mqm")
    assert (alone.decision.winner, alone.p.value) == (0, member.p.value)
    assert (alone.reading.direction, alone.reading.direction_source) == ("higher", "data")


def test_an_unclear_name_is_asked_about_with_commands_that_run(folder):
    """MQM above 0 may count errors, or be what they leave of a hundred."""
    files = ",".join(write("plain"))
    with pytest.raises(OutscoreError, match="It is not clear from the name `MQM`") as caught:
        compared(f"MQM={files}")
    commands = str(caught.value).split("`")[3::2]
    directions = []
    for command in commands:
        words = shlex.split(command)
        (scores,) = (words[i + 1] for i, word in enumerate(words) if word == "--scores")
        directions.append(compared(scores).comparisons[1].higher_is_better)
    assert directions == [False, True]
    asked = {"files": ["a.txt", "b.txt"], "reference": ["ref.txt"], "metric": "bleu", "scores": [f"MQM={files}"]}
    with pytest.raises(OutscoreError, match="outscore rank"):
        run_rank(RankRequest.from_written(asked))
    for name in ("a", "b"):
        Path(f"{name}.mqm").write_text(Path(f"{name}.scores").read_text())
    with pytest.raises(OutscoreError, match=r"name `.mqm`"):
        osc.compare("a.mqm", "b.mqm")


@pytest.mark.parametrize("form", ["plain", "seg-score", "comet-json"])
def test_a_ranking_has_the_same_family(folder, form):
    files = list(write(form))
    Path("c.txt").write_text(Path("b.txt").read_text().replace("so", "oh"))
    scores = Path("a.scores").read_text()
    if form == "plain":
        Path("c.scores").write_text("\n".join(str(x / 2) for x in B) + "\n")
        files.append("c.scores")
    elif form == "seg-score":
        more = [f"COMET\ten-de\twmt\tc\t{i}\t{x / 2}" for i, x in enumerate(B, 1)]
        Path("a.scores").write_text(scores + "\n".join(more) + "\n")
    else:
        more = {"c.txt": [{"src": "s", "mt": "m", "COMET": x / 2} for x in B]}
        Path("a.scores").write_text(json.dumps({**json.loads(scores), **more}))
    # A file of all systems is named once.
    named = ",".join(dict.fromkeys(files))
    asked = {"files": ["a.txt", "b.txt", "c.txt"], "reference": ["ref.txt"], "metric": "bleu", "scores": [f"COMET={named}"]}
    found = run_rank(RankRequest.from_written(asked))
    assert found.family.m == 6
    (comet,) = found.metrics
    assert (comet.metric, comet.systems) == ("COMET", ["a", "b", "c"])
    pair = next(pair for pair in comet.pairs if pair.systems == ("a", "b"))
    alone = compared(f"COMET={','.join(write(form))}").comparisons[1]
    assert (pair.difference, pair.p.value) == (pytest.approx(alone.difference), alone.p.value)
    assert any("COMET|scores:" in note.text for note in found.notes)
    assert set(dict.fromkeys(files)) <= {Path(one["path"]).name for one in found.settings["inputs"]}


def test_a_ranking_keeps_the_direction_and_is_repeated_from_its_settings(folder):
    files = ",".join(write("plain"))
    asked = {"files": ["a.txt", "b.txt"], "reference": ["ref.txt"], "metric": "bleu", "scores": [f"MQM(lower)={files}"]}
    request = RankRequest.from_written(asked)
    found = run_rank(request)
    assert (found.metrics[0].metric, found.metrics[0].higher_is_better, found.metrics[0].systems) == ("MQM", False, ["b", "a"])
    assert found.settings["scores"] == {"MQM(lower)": files}
    assert RankRequest.from_written(request.written()) == request
    by_name = osc.rank(["a.txt", "b.txt"], reference="ref.txt", metric="bleu", metric_scores={"MQM(lower)": files})
    assert by_name.metrics == found.metrics


def test_scores_of_metrics_are_for_texts(folder):
    Path("t.csv").write_text("item,a,b\n1,1,0\n2,0,1\n")
    with pytest.raises(OutscoreError, match="--scores is for texts"):
        run_rank(RankRequest.from_written({"files": ["t.csv"], "scores": ["COMET=x,y"]}))


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("COMET=a.scores", "does not say whose"),
        ("COMET=a,b,c", "names 3 files, but there are 2 systems"),
        ("COMET=a.scores,short", "2 scores of COMET for 6 segments"),
        ("COMET=a.scores,words", "line 1: found none"),
        ("COMET=a.scores,absent", "does not exist"),
    ],
)
def test_wrong_files_are_refused(folder, written, said):
    write("plain")
    Path("short").write_text("0.1\n0.2\n")
    Path("words").write_text("none\n" * 6)
    with pytest.raises(OutscoreError, match=said):
        compared(written)
