"""Logs of answers and judgements: DeepEval, OpenCompass, ExplainaBoard, and the tables of RAGAS."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.log_files import deepeval, opencompass, swe_bench_board, write

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.formats.logs.find import read_logs
from outscore.formats.tables.labels import exact_and_f1, normalised


def judged(score: float | None, threshold: float, *, success: bool, error: str | None = None) -> dict[str, object]:
    return {"name": "Hallucination", "score": score, "threshold": threshold, "success": success, "error": error}


def run_of(*judgements: dict[str, object], name: str = "test_hotel") -> dict[str, object]:
    cases = [
        {
            "name": name,
            "input": f"q{order}",
            "actualOutput": "a",
            "success": one["success"],
            "metricsData": [one],
            "order": order,
        }
        for order, one in enumerate(judgements)
    ]
    return {"testCases": cases, "conversationalTestCases": [], "metricsScores": []}


def test_the_threshold_of_deepeval_says_which_scores_are_better(tmp_path):
    """Hallucination passes below its threshold; a case whose metric failed has no score, and tests may share a name."""
    path = write(tmp_path / "test_run_1.json", run_of(
        judged(0.2, 0.5, success=True), judged(0.9, 0.5, success=False), judged(None, 0.5, success=False, error="no key")
    ))  # fmt: skip
    (found,) = read_logs([path])
    assert found.measures["Hallucination"].higher_is_better is False
    assert found.measures["success"].higher_is_better is True
    assert found.ids.names == ("test_hotel 0", "test_hotel 1", "test_hotel 2")
    assert found.missing("Hallucination") == {"errored": 1}


def test_a_score_at_the_threshold_says_nothing_about_the_direction(tmp_path):
    (found,) = read_logs([write(tmp_path / "a.json", run_of(judged(0.5, 0.5, success=True)))])
    assert found.measures["Hallucination"].higher_is_better is None


def old_run(*scores: float, least: float | None = 0.5) -> dict[str, object]:
    """As deepeval/test_run.py writes it (confident-ai/deepeval bf6cb37); later with a threshold and success instead."""
    cases = []
    for number, score in enumerate(scores):
        passed = {"threshold": 0.5, "success": score <= 0.5} if least is None else {"minimumScore": least}
        judged = [{"metric": "Toxicity", "score": score, **passed}]
        case = {"name": f"test_case_{number}", "input": f"q{number}", "actualOutput": "a", "success": score >= 0.5}
        cases.append({**case, "metricsMetadata": judged, "runDuration": 0.1})
    totals = [{"metric": "Toxicity", "score": sum(scores) / len(scores)}]
    return {"testFile": "test_hotel.py", "testCases": cases, "metricScores": totals, "configurations": {}}


@pytest.mark.parametrize(("least", "higher"), [(0.5, True), (None, False)])
def test_the_older_layout_of_deepeval(least, higher, tmp_path):
    (found,) = read_logs([write(tmp_path / "20240101_120000", old_run(0.75, 0.25, 1.0, least=least))])
    assert (found.harness, found.task, found.ids.names[0]) == ("deepeval", "test_hotel.py", "test_case_0")
    measure = found.measures["Toxicity"]
    assert (measure.values.tolist(), measure.higher_is_better) == ([0.75, 0.25, 1.0], higher)
    assert measure.total == pytest.approx(2 / 3)
    assert found.measures["success"].values.tolist() == [1, 0, 1]


def test_totals_of_deepeval_are_checked(tmp_path):
    paths = deepeval(tmp_path)
    content = json.loads(paths[0].read_text())
    content["testRunData"]["metricsScores"][0]["scores"][0] = 0.0
    paths[0].write_text(json.dumps(content))
    with pytest.raises(OutscoreError, match="but its log reports"):
        osc.compare(*paths, metric="Correctness [GEval]")


def test_details_of_opencompass_by_number(tmp_path):
    """As `AccwithDetailsEvaluator` (116536f) and `format_details` (03edec8) write them."""
    first = {"type": "GEN", "0": {"prompt": "1+1?", "pred": "2", "refr": "2", "is_correct": True}}
    second = {"1": {"prompt": "2+2?", "pred": "5", "refr": "4", "is_correct": False}}
    path = write(tmp_path / "results" / "amber" / "sums.json", {"accuracy": 50.0, "details": {**first, **second}})
    (found,) = read_logs([path])
    assert (found.system, found.task, found.ids.names) == ("amber", "sums", ("0", "1"))
    assert found.measures["correct"].values.tolist() == [1, 0]
    assert found.measures["correct"].total == 0.5
    assert found.exchanges is not None
    assert found.exchanges([1]) == [("2+2?", "4", "5")]


def test_runs_of_opencompass_are_repeats(tmp_path):
    amber, _ = read_logs([opencompass(tmp_path)[0].parents[1]])
    assert amber.repeats is not None
    assert amber.repeats.names == ("1", "2")


def test_details_without_a_verdict_are_not_judged_here(tmp_path):
    """Evaluators that dump no verdict compare answers in their own ways."""
    content = {"score": 50.0, "details": {"type": "GEN", "0": {"prompt": "?", "predictions": "2", "references": "2"}}}
    paths = [write(tmp_path / name / "sums.json", content) for name in ("amber", "birch")]
    with pytest.raises(OutscoreError, match="contains no score of amber at all"):
        osc.compare(*paths)


def board(*predictions: dict[str, object]) -> dict[str, object]:
    about = {"task_name": "question-answering-extractive", "model_name": "amber", "dataset_name": "xquad", "language": "en"}
    return {"user_defined_metadata_configs": about, "predictions": list(predictions)}


def asked(right: list[str], given_: str) -> dict[str, object]:
    texts = {"answer_start": [-1] * len(right), "text": right}
    return {"id": "0", "question": "?", "answers": texts, "predicted_answers": {"text": given_}}


def test_questions_of_explainaboard_are_compared_as_those_of_squad(tmp_path):
    """As data/system_outputs/multilingual/json/mlpp/xquad/test-en_8235.json (7eeab91), in which all ids are 0."""
    path = write(tmp_path / "a.json", board(asked(["the Rhine"], "Rhine."), asked(["upper Rhine", "1853"], "middle Rhine")))
    (found,) = read_logs([path])
    assert (found.system, found.task) == ("amber", "xquad en")
    assert found.measures["exact_match"].values.tolist() == [1, 0]
    assert found.measures["f1"].values.tolist() == [1, 0.5]


def test_choices_of_explainaboard_are_compared_by_their_index(tmp_path):
    """As data/system_outputs/fig_qa/fig_qa-bert-output.json (82fe678), with the right ones beside."""
    options = [
        {"answers": {"option_index": 1}, "predicted_answers": {"text": "it was hot", "option_index": one}} for one in (1, 0)
    ]
    (found,) = read_logs([write(tmp_path / "a.json", board(*options))])
    assert found.measures["correct"].values.tolist() == [1, 0]


def naive(accepted: list[str], answer: str) -> tuple[float, float]:
    """Exact match and F1 as evaluate-v2.0.py of SQuAD defines them, word by word."""
    empty = "(none)"
    right = [text for text in accepted if text != empty] or [empty]
    best = 0.0
    for text in right:
        if empty in (text, answer):
            best = max(best, float(text == answer))
            continue
        left = text.split()
        shared = 0
        for word in answer.split():
            if word in left:
                left.remove(word)
                shared += 1
        best = max(best, 2 * shared / (len(text.split()) + len(answer.split())))
    return float(answer in right), best


_WORDS = st.lists(st.sampled_from(["a", "rhine", "upper", "1853", "the"]), max_size=4).map(" ".join).map(normalised)


@given(st.lists(_WORDS, min_size=1, max_size=3), _WORDS)
def test_exact_match_and_f1_of_words(accepted, answer):
    assert exact_and_f1(accepted, answer) == pytest.approx(naive(accepted, answer), abs=1e-12)


RAGAS = "user_input,retrieved_contexts,response,reference,faithfulness,answer_relevancy\n"


def ragas(folder: Path, name: str, scores: list[tuple[float, float]]) -> str:
    """As `EvaluationResult.to_pandas().to_csv()` writes it (explodinggradients/ragas 01b7cac, src/ragas/dataset_schema.py)."""
    rows = (f"q{item},\"['x, y', 'z']\",answer {item},\"right, {item}\",{a},{b}\n" for item, (a, b) in enumerate(scores))
    path = folder / f"{name}.csv"
    path.write_text(RAGAS + "".join(rows))
    return str(path)


def test_tables_of_ragas_are_matched_by_their_questions(tmp_path):
    a = ragas(tmp_path, "a", [(0.9, 0.5), (0.8, 0.5), (0.7, 0.25), (1, 0.5)])
    b = ragas(tmp_path, "b", [(0.4, 0.5), (0.8, 0.25), (0.1, 0.5), (0.5, 0.5)])
    found = osc.compare(a, b, measure=["faithfulness", "answer_relevancy"]).comparisons
    assert [[score.value for score in one.scores] for one in found] == [
        pytest.approx([0.85, 0.45]),
        pytest.approx([0.4375, 0.4375]),
    ]


@pytest.mark.parametrize("entry", ["nan", "x", "astro__sum-99"])
@pytest.mark.parametrize("newer", [False, True])
def test_an_entry_of_the_board_that_is_no_instance_is_refused(entry, newer, tmp_path):
    """One that looks like the others is an item that only this system has where nothing lists all instances."""
    paths = swe_bench_board(tmp_path)
    for path in paths:
        content = json.loads(path.read_text())
        if newer:
            content = {name: content[name] for name in ("no_generation", "resolved")}
        if path is paths[0]:
            content["resolved"][5] = entry
        path.write_text(json.dumps(content))
    if newer and entry.startswith("astro"):
        found = osc.compare(*paths, roster="12")
        assert [score.value for score in found.scores] == [0.75, 0.5]
        return
    with pytest.raises(OutscoreError, match=f"`{entry}`") as caught:
        osc.compare(*paths, roster="12" if newer else None)
    assert caught.value.file == str(paths[0])


def record(dataset: str, output: str, **right: object) -> dict[str, object]:
    asked = {"session_id": "s", "chat_history": ["?"], "model_input": "n/a", "output": [output], "generator": "x/y"}
    return {**asked, "dataset": dataset, "question": "?", **right}


def said(answer: object) -> str:
    return f"```json\n{json.dumps({'reasoning': 'So.', 'answer': answer}, indent=4)}\n```"


ZERO = [
    # Numbers, as gsm_eval.py (yuchenlin/ZeroEval 0997ceb) compares them.
    ("gsm", said("18"), {"answer": "# 18"}, 1),
    ("gsm", said("$70,000 profit"), {"answer": "# 70000"}, 1),
    ("gsm", said(18.0), {"answer": "# 18"}, 1),
    ("gsm", said("1/2"), {"answer": "# 0.5"}, 1),
    ("gsm", '{"answer": "7"} or rather {"answer": "8"}', {"answer": "# 8"}, 0),
    ("gsm", 'cut: "answer": 12, "reas', {"answer": "# 12"}, 1),
    ("gsm", "It is 18.", {"answer": "# 18"}, 0),
    # Values as Python writes them (crux_eval.py, 0fb4800).
    ("crux", said("abc"), {"answer": "'abc'"}, 1),
    ("crux", said("[1, 2]"), {"answer": "[1, 2]"}, 1),
    ("crux", said("12"), {"answer": "12"}, 1),
    ("crux", said("'abc'"), {"answer": "'abc'"}, 0),
    # Letters of choices, in the last object (mcqa_eval.py, 00e432c).
    ("mmlu-redux", said("B"), {"choices": ["x", "y"], "correct_answer": "y"}, 1),
    ("mmlu-redux", '{"answer": "A"} no, {"answer": "B"}', {"choices": ["x", "y"], "correct_answer": "y"}, 1),
    ("mmlu-redux", said("A"), {"choices": ["x", "y"], "correct_answer": "y"}, 0),
]


@pytest.mark.parametrize(("dataset", "output", "right", "verdict"), ZERO)
def test_answers_of_zeroeval_are_judged_as_it_does(dataset, output, right, verdict, tmp_path):
    (found,) = read_logs([write(tmp_path / "amber.json", [record(dataset, output, id="q1", **right)])])
    assert (found.system, found.task, found.ids.names) == ("amber", dataset, ("q1",))
    assert found.measures["correct"].values.tolist() == [verdict]


def test_other_datasets_of_zeroeval_are_not_judged_here(tmp_path):
    path = write(tmp_path / "amber.json", [record("zebra-grid", said("x"), id="q1", solution={})])
    with pytest.raises(OutscoreError, match="only those on gsm, crux, mmlu-redux are judged here"):
        osc.score(path)
