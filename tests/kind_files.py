"""Small files in the layouts of 24 kinds of published results, with the first command that anybody would write for each.

Systems are right where `RIGHT` says so, and only layouts are taken from elsewhere; every text and number is made here. A writer
makes the files of a kind in the current folder.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from tests.log_files import inspect_log, promptfoo, tau_bench, terminal_bench, trec_eval, write, zeroeval

from outscore.examples.registry import Sample
from outscore.examples.registry import inspect_log as inspect_layout

ITEMS = 40
RNG = np.random.default_rng(17)
RIGHT = {"amber": (RNG.random(ITEMS) < 0.8).astype(int), "birch": (RNG.random(ITEMS) < 0.5).astype(int)}
LETTERS = "ABCD"


class Kind(NamedTuple):
    """How the files of a kind are made, and the first command for them; `asks` if an answer has to be given first."""

    write: Callable[[], object]
    command: str
    asks: str = ""


def table(path: str, rows: Iterable[Mapping[str, object]]) -> None:
    listed = list(rows)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(listed[0]))
    writer.writeheader()
    writer.writerows(listed)
    write(Path(path), text.getvalue())


def letters(right: Sequence[int]) -> list[tuple[str, str]]:
    """The right letter of each item, and the one that was chosen."""
    return [(LETTERS[i % 4], LETTERS[(i + (0 if ok else 1)) % 4]) for i, ok in enumerate(right)]


def mmlu_pro(folder: str = ".") -> None:
    for name, right in RIGHT.items():
        records = [
            {"question_id": 70 + i, "question": f"Which is {i}?", "options": list("wxyz"), "answer": gold}
            | {"answer_index": LETTERS.index(gold), "cot_content": "", "category": "business" if i % 2 else "law"}
            | {"src": "made", "pred": chosen, "model_outputs": f"The answer is ({chosen})."}
            for i, (gold, chosen) in enumerate(letters(right))
        ]
        write(Path(folder, f"model_outputs_{name}_5shots.json"), records)


def mmlu_pro_in_archives() -> None:
    mmlu_pro("unpacked")
    for path in sorted(Path("unpacked").iterdir()):
        with zipfile.ZipFile(f"{path.stem}.zip", "w") as archive:
            archive.write(path, f"results/{path.name}")
        path.unlink()


def combined() -> None:
    rows = []
    for i in range(ITEMS):
        row: dict[str, object] = {"question_id": i, "category": "computer science", "question": f"Which is {i}?"}
        for name, right in RIGHT.items():
            row |= {f"{name}_correct": bool(right[i]), f"{name}_n_tokens": int(300 + 11 * i)}
        rows.append(row)
    write(Path("combined_dataset.json"), rows)


def inspect_logs(tasks: Sequence[str], systems: Mapping[str, Sequence[int]]) -> None:
    for task in tasks:
        for name, right in systems.items():
            samples = [Sample(f"{task}-{i}", f"{i}?", "yes", "yes" if ok else "no", bool(ok)) for i, ok in enumerate(right)]
            write(Path("logs", f"{task}_{name}.json"), inspect_layout(f"maker/{name}", task, samples))


def inspect_dictionaries() -> None:
    for name, right in RIGHT.items():
        log = inspect_log(f"maker/{name}", right[:, None])
        for record, ok in zip(log["samples"], right.tolist(), strict=True):  # type: ignore[call-overload]
            record["scores"] = {"judge": {"value": {"neutral": ok, "refused": 0}}}
        log["results"] = {"scores": []}
        write(Path(f"{name}.json"), log)


def bench_tables() -> None:
    for name, right in RIGHT.items():
        rows = [{"sample_id": f"s{i}", "model": name, "task": "tracking", "correct": bool(ok)} for i, ok in enumerate(right)]
        table(f"results_{name}.csv", rows)


SENTENCES = [f"the {noun} number {i} went home" for i, noun in enumerate(["cat", "dog", "crow", "cow"] * (ITEMS // 4))]


def heard(i: int, ok: int) -> str:
    return SENTENCES[i] if ok else SENTENCES[i].replace("went", "want")


def asr_scores() -> None:
    for name, right in RIGHT.items():
        table(
            f"{name}.csv",
            (
                {
                    "utterance_id": f"u{i}",
                    "Speaker_ID": 10 + i % 5,
                    "Speech_Duration_seconds": 2.5 + i / 10,
                    "wer": 0 if ok else 0.2,
                }
                for i, ok in enumerate(right)
            ),
        )


def asr_texts(reference: str = "reference", hypothesis: str = "hypothesis") -> None:
    for name, right in RIGHT.items():
        table(
            f"{name}.csv", ({"uid": f"u{i}", reference: SENTENCES[i], hypothesis: heard(i, ok)} for i, ok in enumerate(right))
        )


def svarah() -> None:
    table(
        "per_utterance.csv",
        (
            {"system": name, "audio_filepath": f"a{i}.wav", "reference": SENTENCES[i], "hypothesis": heard(i, ok)}
            | {"wer": 0 if ok else 0.2, "substitutions": 1 - ok, "deletions": 0, "insertions": 0, "reference_words": 5}
            for name, right in RIGHT.items()
            for i, ok in enumerate(right)
        ),
    )


def board(items: int, name: str, prefix: str) -> None:
    scores = np.random.default_rng(3).integers(0, 2, (12, items))
    table(
        name, ({"model": f"model-{s}", **{f"{prefix}{i}": int(x) for i, x in enumerate(row)}} for s, row in enumerate(scores))
    )


def live_bench() -> None:
    tasks = ("AMPS_Hard", "LCB_generation", "code_completion", "connections", "math_comp", "olympiad", "paraphrase", "plot")
    scores = np.random.default_rng(4).random((12, len(tasks)))
    table(
        "table.csv",
        ({"model": f"model-{s}", **dict(zip(tasks, row, strict=True))} for s, row in enumerate(scores.round(3) * 100)),
    )


def alpaca_eval() -> None:
    records = [
        {"instruction": f"Do {i}.", "output_1": "a", "generator_1": "davinci", "output_2": "b", "generator_2": "amber"}
        | {"annotator": "judge", "preference": 2 if ok else 1}
        for i, ok in enumerate(RIGHT["amber"].tolist())
    ]
    write(Path("annotations.json"), records)


def trivia_judges() -> None:
    table(
        "judges.csv",
        (
            {"question_id": f"t{i}", "question": f"Who is {i}?", "model": name, "response": f"person {i}", "human": int(ok)}
            | {"judge_a": int(ok) if i % 9 else 1 - int(ok), "judge_b": 1}
            for name, right in RIGHT.items()
            for i, ok in enumerate(right)
        ),
    )


def ragas() -> None:
    for name, right in RIGHT.items():
        table(
            f"{name}.csv",
            (
                {
                    "user_input": f"What is {i}?",
                    "response": "It is.",
                    "reference": "It is so.",
                    "faithfulness": 0.5 + 0.5 * int(ok),
                }
                | {"answer_relevancy": round(0.6 + i / 200, 3), "context_recall": round(0.4 + int(ok) / 4, 3)}
                for i, ok in enumerate(right)
            ),
        )


def sklearn_predictions() -> None:
    for name, right in RIGHT.items():
        table(f"{name}.csv", ({"id": i, "y_true": i % 2, "y_pred": i % 2 if ok else 1 - i % 2} for i, ok in enumerate(right)))


def nested_map() -> None:
    for name, right in RIGHT.items():
        samples = {
            str(i): {"question": f"Which is {i}?", "answer": gold, "prediction": chosen, "agreement": 0.5 + i / 100}
            for i, (gold, chosen) in enumerate(letters(right))
        }
        write(Path(f"{name}.json"), {"model": name, "dataset": "MedQA", "n_samples": ITEMS, "samples": samples})


def swe_bench_lists() -> None:
    for name, right in RIGHT.items():
        resolved = [f"astro__sum-{i}" for i, ok in enumerate(right) if ok]
        write(Path(name, "results", "results.json"), {"no_generation": [], "no_logs": [], "resolved": resolved})


def lm_eval_totals() -> None:
    for name, right in RIGHT.items():
        results = {"sums": {"alias": "sums", "acc,none": float(right.mean()), "acc_stderr,none": 0.06}}
        totals = {"results": results, "n-samples": {"sums": {"original": ITEMS, "effective": ITEMS}}, "configs": {"sums": {}}}
        totals |= {"n-shot": {"sums": 0}, "versions": {"sums": 1}, "model_name": name, "config": {"model": "hf"}}
        write(Path(name, "results_2026-01-01.json"), totals)


def mteb_folder() -> None:
    for name, right in RIGHT.items():
        for task in ("Banking", "Emotion", "Quora"):
            scores = {"test": [{"accuracy": float(right.mean()), "main_score": float(right.mean()), "languages": ["eng-Latn"]}]}
            write(Path("mleb", name, "1", f"{task}.json"), {"task_name": task, "mteb_version": "1.2", "scores": scores})


def terminal_bench_runs() -> None:
    for run in range(3):
        for system, path in zip(RIGHT, terminal_bench(Path("raw", str(run))), strict=True):
            found = json.loads(path.read_text())
            kept = [
                {**one, "id": f"{system}-{run}-{one['id']}"}
                for one in found["results"]
                if one["trial_name"].endswith("1-of-2.first")
            ]
            kept[3]["is_resolved"] = None
            right = sum(bool(one["is_resolved"]) for one in kept)
            write(Path(f"droid_{system}", f"run_{run}", "results.json"), {"results": kept, "accuracy": right / len(kept)})


SENTIMENTS = ("negative", "positive")


def label_lines() -> None:
    for name, right in RIGHT.items():
        write(
            Path(f"{name}.txt"),
            "".join(("positive" if (i % 3 == 0) == bool(ok) else "negative") + "\n" for i, ok in enumerate(right)),
        )
    write(Path("gold.txt"), "".join(("positive" if i % 3 == 0 else "negative") + "\n" for i in range(ITEMS)))


MMLU = ("model_outputs_amber_5shots", "model_outputs_birch_5shots")
TAU = ("amber_range_0--1_user-x-llm_0101.json", "birch_range_0--1_user-x-llm_0101.json")
KINDS: dict[str, Kind] = {
    "1 MMLU-Pro outputs in archives": Kind(
        mmlu_pro_in_archives, "compare model_outputs_amber_5shots.zip model_outputs_birch_5shots.zip"
    ),
    "2 MMLU-Pro outputs": Kind(mmlu_pro, "compare " + " ".join(f"{name}.json" for name in MMLU)),
    "3 combined_dataset.json": Kind(combined, "rank combined_dataset.json"),
    "4 tau-bench": Kind(
        lambda: tau_bench(Path()), "compare amber_range_0--1_user-x-llm_0101.json birch_range_0--1_user-x-llm_0101.json"
    ),
    "5 Terminal-Bench, runs": Kind(terminal_bench_runs, "compare 'droid_amber/*/results.json' 'droid_birch/*/results.json'"),
    "6 135 Inspect logs": Kind(
        lambda: inspect_logs([f"task-{t:02}" for t in range(15)], {f"model-{m}": RIGHT["amber"][: 8 + m] for m in range(9)}),
        "show logs",
    ),
    "7 results_*.csv": Kind(bench_tables, "compare results_amber.csv results_birch.csv"),
    "8 Inspect logs": Kind(lambda: inspect_logs(["sums"], RIGHT), "compare logs"),
    "9 Inspect, dictionaries": Kind(inspect_dictionaries, "compare amber.json birch.json"),
    "10 ASR, WER column": Kind(asr_scores, "compare amber.csv birch.csv"),
    "11 ASR, texts": Kind(asr_texts, "compare amber.csv birch.csv --reference amber.csv --metric wer"),
    "12 ASR, other names": Kind(
        lambda: asr_texts("normalised_transcript_raw", "hypothesis_raw"),
        "compare amber.csv birch.csv --reference amber.csv --metric wer",
    ),
    "13 Svarah": Kind(svarah, "compare per_utterance.csv"),
    "14 LiveBench": Kind(live_bench, "rank table.csv", asks="--transpose"),
    "15 IRT matrix": Kind(lambda: board(50, "irt.csv", "hellaswag_"), "rank irt.csv"),
    "16 AlpacaEval": Kind(alpaca_eval, "prefer annotations.json"),
    "17 TriviaQA judges": Kind(trivia_judges, "rank judges.csv", asks="--score human"),
    "18 RAGAS": Kind(ragas, "compare amber.csv birch.csv", asks="--measure"),
    "19 scikit-learn": Kind(sklearn_predictions, "compare amber.csv birch.csv"),
    "20 promptfoo": Kind(lambda: promptfoo(Path()), "compare sums.json"),
    "21 ZeroEval": Kind(lambda: zeroeval(Path()), "compare amber.json birch.json"),
    "22 nested map": Kind(nested_map, "compare amber.json birch.json"),
    "23 SWE-bench lists": Kind(
        swe_bench_lists, "compare amber/results/results.json birch/results/results.json", asks="--roster"
    ),
    "24 trec_eval -q": Kind(lambda: trec_eval(Path()), "compare amber.txt birch.txt"),
    "lm-eval totals": Kind(lm_eval_totals, "compare amber birch", asks="plan --scores"),
    "MTEB folder": Kind(mteb_folder, "compare mleb/amber mleb/birch", asks="plan --scores"),
    "a label per line": Kind(label_lines, "diff --task label gold.txt amber.txt birch.txt"),
}
