"""Small logs in the layouts of evaluation harnesses, written here so that every reader is tried on the whole of its format.

Two systems answer sums; `verdicts` says who is right. Each writer makes the files of both systems below a folder and returns
the paths to compare, first of the better system.
"""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from outscore.examples.registry import Sample, digest, lm_eval_results, lm_eval_row, swe_bench_report
from outscore.examples.registry import inspect_log as inspect_layout

ITEMS, RUNS = 12, 2
SYSTEMS = ("maker/amber", "maker/birch")


def verdicts(runs: int = 1) -> np.ndarray:
    """(2, items, runs) of 0 and 1: amber is right on all but three items, birch on six of twelve."""
    right = np.ones((2, ITEMS, runs), dtype=int)
    right[0, 9:] = 0
    right[1, [0, 1, 2, 3, 4, 10]] = 0
    if runs > 1:
        right[1, 5, 1] = 0
    return right


def question(item: int) -> str:
    return f"What is {item} + {item * 2 + 1}?"


def answer(item: int, right: int) -> str:
    return str(item * 3 + 1 + (0 if right else 7))


def sample(item: int, right: int, epoch: int = 1) -> Sample:
    more = {"passage": f"p{item // 3}"}
    return Sample(f"sum-{item}", question(item), answer(item, 1), answer(item, right), bool(right), epoch, more)


def write(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def lines(records: Sequence[object]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def lm_eval(folder: Path, *, filters: Sequence[str] = ("none",), task: str = "sums") -> list[Path]:
    found = []
    for name, right in zip(SYSTEMS, verdicts()[:, :, 0], strict=True):
        place = folder / name.replace("/", "__")
        rows = [lm_eval_row(item, sample(item, right[item]), kind) for kind in filters for item in range(ITEMS)]
        results = lm_eval_results(name, task, dict.fromkeys(filters, float(right.mean())), shots=0, version=1.0)
        write(place / f"samples_{task}_2026-01-02T03-04-05.678901.jsonl", lines(rows))
        write(place / "results_2026-01-02T03-04-05.678901.json", results)
        found.append(place)
    return found


def zstd_archive(path: Path, members: dict[str, bytes], frame: int | None = None) -> Path:
    """A zip whose members are compressed by method 93, in frames of `frame` bytes; `zipfile` cannot write these."""
    import zstandard

    path.parent.mkdir(parents=True, exist_ok=True)
    out, directory = io.BytesIO(), []
    for name, data in members.items():
        size = frame or max(1, len(data))
        packed = b"".join(zstandard.ZstdCompressor().compress(data[i : i + size]) for i in range(0, max(1, len(data)), size))
        crc, encoded, offset = zipfile.crc32(data), name.encode(), out.tell()  # type: ignore[attr-defined]
        head = struct.pack("<HHHHHIIIHH", 63, 0, 93, 0, 33, crc, len(packed), len(data), len(encoded), 0)
        out.write(b"PK\x03\x04" + head + encoded + packed)
        directory.append(b"PK\x01\x02" + struct.pack("<H", 63) + head + struct.pack("<HHHII", 0, 0, 0, 0, offset) + encoded)
    start = out.tell()
    body = b"".join(directory)
    out.write(body)
    out.write(b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, len(directory), len(directory), len(body), start, 0))
    path.write_bytes(out.getvalue())
    return path


def inspect_log(name: str, right: np.ndarray, *, status: str = "success") -> dict[str, object]:
    """One log as Inspect's JSON has it; archives hold the same in members."""
    samples = [sample(item, verdict, run + 1) for item, row in enumerate(right.tolist()) for run, verdict in enumerate(row)]
    return inspect_layout(name, "sums", samples, status=status)


def inspect_archive(folder: Path, *, runs: int = RUNS, frame: int | None = None) -> list[Path]:
    found = []
    for name, right in zip(SYSTEMS, verdicts(runs), strict=True):
        log = inspect_log(name, right)
        samples = log.pop("samples")
        members = {
            "_journal/start.json": json.dumps({"eval": log["eval"]}).encode(),
            "summaries.json": json.dumps(samples).encode(),
            "header.json": json.dumps(log).encode(),
        }
        found.append(zstd_archive(folder / f"{name.split('/')[1]}.eval", members, frame))
    return found


def inspect_json(folder: Path) -> list[Path]:
    logs = zip(SYSTEMS, verdicts(RUNS), strict=True)
    return [write(folder / f"{name.split('/')[1]}.json", inspect_log(name, right)) for name, right in logs]


def helm(folder: Path) -> list[Path]:
    found = []
    for name, right in zip(SYSTEMS, verdicts()[:, :, 0], strict=True):
        place = folder / f"sums:model={name.replace('/', '_')}"
        instances = [
            {
                "instance_id": f"id{item}",
                "train_trial_index": 0,
                "stats": [
                    {"name": {"name": "num_references", "split": "test"}, "mean": 4.0, "count": 1},
                    {"name": {"name": "exact_match", "split": "test"}, "mean": float(right[item]), "count": 1},
                ],
            }
            for item in range(ITEMS)
        ]
        spec = {
            "name": f"sums:kind=easy,model={name.replace('/', '_')}",
            "adapter_spec": {"model": name, "max_train_instances": 5},
            "metric_specs": [{"args": {"names": ["exact_match"]}}],
        }
        write(place / "per_instance_stats.json", instances)
        write(place / "run_spec.json", spec)
        write(place / "stats.json", [{"name": {"name": "exact_match", "split": "test"}, "mean": float(right.mean())}])
        found.append(place)
    return found


def promptfoo(folder: Path) -> list[Path]:
    results = [
        {
            "success": bool(right),
            "score": float(right),
            "prompt": {"raw": question(item), "label": "What is {{a}} + {{b}}?"},
            "provider": {"id": "adder", "label": name},
            "vars": {"a": item, "b": item * 2 + 1},
            "failureReason": 0 if right else 1,
            "testCase": {"metadata": {"passage": f"p{item // 3}"}},
            "gradingResult": {"reason": "All assertions passed"},
            "response": {"output": answer(item, right)},
        }
        for name, rows in zip(SYSTEMS, verdicts()[:, :, 0], strict=True)
        for item, right in enumerate(rows.tolist())
    ]
    passed = sum(result["success"] for result in results)
    stats = {"successes": passed, "failures": len(results) - passed, "errors": 0}
    return [
        write(
            folder / "sums.json", {"evalId": "e", "results": {"version": 3, "prompts": [], "results": results, "stats": stats}}
        )
    ]


def swe_bench(folder: Path) -> list[Path]:
    found = []
    for name, right in zip(SYSTEMS, verdicts()[:, :, 0], strict=True):
        ids = [f"{'astro' if item < 6 else 'web'}__sum-{item}" for item in range(ITEMS)]
        report = swe_bench_report(dict(zip(ids, right.tolist(), strict=True)), 500)
        found.append(write(folder / f"{name.split('/')[1]}.run1.json", report))
    return found


def evalplus(folder: Path) -> list[Path]:
    found = []
    for name, right in zip(SYSTEMS, verdicts()[:, :, 0], strict=True):
        words = np.where(right, "pass", "fail").tolist()
        tasks = {
            f"HumanEval/{item}": [{"task_id": f"HumanEval/{item}", "solution": "", "base_status": word, "plus_status": word}]
            for item, word in enumerate(words)
        }
        content = {"date": "2026", "eval": tasks, "pass_at_k": {"base": {"pass@1": float(right.mean())}}}
        found.append(write(folder / f"{name.split('/')[1]}_eval_results.json", content))
    return found


def bigcodebench(folder: Path) -> list[Path]:
    found = []
    for name, right in zip(SYSTEMS, verdicts(RUNS), strict=True):
        tasks = {
            f"BigCodeBench/{item}": [
                {"task_id": f"BigCodeBench/{item}", "solution": "", "status": "pass" if verdict else "fail"} for verdict in row
            ]
            for item, row in enumerate(right.tolist())
        }
        path = folder / f"{name.split('/')[1]}--bigcodebench-complete--x_eval_results.json"
        found.append(write(path, {"date": "2026", "eval": tasks}))
        write(Path(str(path).replace("_eval_results", "_pass_at_k")), {"pass@1": float(right.mean())})
    return found


def openai_evals(folder: Path) -> list[Path]:
    found = []
    for name, right in zip(SYSTEMS, verdicts()[:, :, 0], strict=True):
        events = [
            {"sample_id": f"sums.{item}", "type": "match", "data": {"correct": bool(verdict), "sampled": answer(item, verdict)}}
            for item, verdict in enumerate(right.tolist())
        ]
        spec = {"spec": {"completion_fns": [name], "eval_name": "sums.dev.v0", "split": "dev"}}
        report = {"final_report": {"accuracy": float(right.mean())}}
        # The report stands wherever a flush happened to put it.
        found.append(write(folder / f"{name.split('/')[1]}.jsonl", lines([spec, *events[:4], report, *events[4:]])))
    return found


def lighteval(folder: Path) -> list[Path]:
    import polars as pl

    found = []
    for name, right in zip(SYSTEMS, verdicts()[:, :, 0], strict=True):
        place = folder / "details" / name / "2026-01-02T03-04-05.678901"
        place.mkdir(parents=True)
        frame = pl.DataFrame(
            {
                "doc": [
                    {
                        "id": str(item),
                        "query": question(item),
                        "task_name": "custom|sums|0",
                        "choices": [answer(item, 1)],
                        "gold_index": 0,
                        "specific": {"passage": f"p{item // 3}"},
                    }
                    for item in range(ITEMS)
                ],
                "model_response": [{"text": [answer(item, verdict)]} for item, verdict in enumerate(right.tolist())],
                "metric": [{"extractive_match": float(verdict)} for verdict in right],
            }
        )
        frame.write_parquet(place / "details_custom|sums|0_2026-01-02T03-04-05.678901.parquet")
        results = {
            "config_general": {"model_name": name},
            "results": {"custom:sums:0": {"extractive_match": float(right.mean())}},
        }
        write(folder / "results" / name / "results_2026-01-02T03-04-05.678901.json", results)
        found.append(place)
    return found


def every_eval_ever(folder: Path) -> list[Path]:
    found = []
    for name, right in zip(SYSTEMS, verdicts()[:, :, 0], strict=True):
        samples = [
            {
                "schema_version": "0.3.0",
                "evaluation_id": "e",
                "model_id": name,
                "evaluation_name": "sums",
                "evaluation_result_id": None,
                "sample_id": str(item),
                "sample_hash": digest(question(item)),
                "input": {"raw": question(item), "reference": [answer(item, 1)]},
                "output": {"raw": [answer(item, verdict)]},
                "evaluation": {"score": float(verdict), "is_correct": bool(verdict)},
                "error": None,
                "metadata": {},
            }
            for item, verdict in enumerate(right.tolist())
        ]
        result = {
            "evaluation_name": "sums",
            "metric_config": {"lower_is_better": False},
            "score_details": {"score": float(right.mean())},
        }
        found.append(write(folder / name / "uuid_samples.jsonl", lines(samples)))
        write(folder / name / "uuid.json", {"schema_version": "0.3.0", "evaluation_results": [result]})
    return found


def comet(folder: Path) -> list[Path]:
    segments = {
        name.split("/")[1] + ".txt": [
            {"src": question(item), "ref": answer(item, 1), "mt": answer(item, verdict), "COMET": float(verdict)}
            for item, verdict in enumerate(right.tolist())
        ]
        for name, right in zip(SYSTEMS, verdicts()[:, :, 0], strict=True)
    }
    return [write(folder / "comet.json", segments)]


def swe_bench_board(folder: Path) -> list[Path]:
    """After the board's results.json (Aider-AI/aider-swe-bench 6e98cd6)."""
    found = []
    for name, right in zip(SYSTEMS, verdicts()[:, :, 0], strict=True):
        ids = [f"astro__sum-{item}" for item in range(ITEMS)]
        resolved = [one for one, verdict in zip(ids, right.tolist(), strict=True) if verdict]
        board = {"no_generation": [], "generated": ids, "no_apply": [], "applied": ids, "resolved": resolved}
        found.append(write(folder / name.split("/")[1] / "results" / "results.json", board))
    return found


def terminal_bench(folder: Path) -> list[Path]:
    """After results.json of a run (laude-institute/terminal-bench-leaderboard 8e1925a)."""
    found = []
    for name, right in zip(SYSTEMS, verdicts(2), strict=True):
        trials = [
            {"id": f"{item}-{run}", "trial_name": f"sum-{item}.{run + 1}-of-2.first", "task_id": f"sum-{item}"}
            | {"is_resolved": bool(right[item, run]), "failure_mode": "unset", "parser_results": None}
            for item in range(ITEMS)
            for run in range(2)
        ]
        accuracy = float(right.mean())
        found.append(write(folder / name.split("/")[1] / "results.json", {"results": trials, "accuracy": accuracy}))
    return found


def harbor(folder: Path) -> list[Path]:
    """After `TrialResult` (src/harbor/models/trial/result.py as of UniPat-AI/harbor_multiturn bd2c50b)."""
    for name, right in zip(SYSTEMS, verdicts()[:, :, 0], strict=True):
        system = name.split("/")[1]
        for item, verdict in enumerate(right.tolist()):
            trial = {"id": "0", "task_name": f"sum-{item:02}", "trial_name": f"sum-{item:02}__x", "task_checksum": "0"}
            trial |= {"source": "sums", "agent_info": {"name": system, "version": "1", "model_info": None}}
            trial |= {"verifier_result": {"rewards": {"reward": verdict}}, "exception_info": None}
            write(folder / system / f"sum-{item:02}__x" / "result.json", trial)
    return [folder / name.split("/")[1] for name in SYSTEMS]


def tau_bench(folder: Path) -> list[Path]:
    """After `EnvRunResult` as tau_bench/run.py writes it (sierra-research/tau-bench 01ed5e3)."""
    found = []
    for name, right in zip(SYSTEMS, verdicts(2), strict=True):
        conversations = [
            {
                "task_id": item,
                "reward": float(right[item, run]),
                "info": {"task": {"instruction": question(item)}},
                "trial": run,
            }
            | {
                "traj": [
                    {"role": "assistant", "content": answer(item, int(right[item, run]))},
                    {"role": "user", "content": "stop"},
                ]
            }
            for item in range(ITEMS)
            for run in range(2)
        ]
        found.append(write(folder / f"{name.split('/')[1]}_range_0--1_user-x-llm_0101.json", conversations))
    return found


def livecodebench(folder: Path) -> list[Path]:
    """A list with `graded_list` per problem, as programs that read LiveCodeBench's `*_eval_all.json` expect it."""
    found = []
    for name, right in zip(SYSTEMS, verdicts(2), strict=True):
        problems = [
            {"question_id": f"abc{item}", "platform": "atcoder", "difficulty": "easy", "code_list": ["", ""]}
            | {"graded_list": right[item].astype(bool).tolist(), "pass@1": float(right[item].mean())}
            for item in range(ITEMS)
        ]
        found.append(write(folder / name.split("/")[1] / "Scenario.codegeneration_2_0.2_eval_all.json", problems))
    return found


def bfcl(folder: Path) -> list[Path]:
    """After the runners of eval_checker/eval_runner.py (ShishirPatil/gorilla 0dc53e3)."""
    found = []
    for name, right in zip(SYSTEMS, verdicts()[:, :, 0], strict=True):
        system, correct = name.split("/")[1], int(right.sum())
        results = [{"id": f"simple_{item}", "result": ""} for item in range(ITEMS)]
        wrong = [{"id": f"simple_{item}", "valid": False} for item in range(ITEMS) if not right[item]]
        counts = {"accuracy": correct / ITEMS, "correct_count": correct, "total_count": ITEMS}
        write(folder / "result" / system / "BFCL_v3_simple_result.json", lines(results))
        found.append(write(folder / "score" / system / "BFCL_v3_simple_score.json", lines([counts, *wrong])))
    return found


def trec_eval(folder: Path) -> list[Path]:
    """After `trec_eval -q` (usnistgov/trec_eval f425365, test/out.test.aq)."""
    found = []
    for name, right in zip(SYSTEMS, verdicts()[:, :, 0], strict=True):
        rows = [f"P_1                   \t{item}\t{one:.4f}\n" for item, one in enumerate(right.tolist())]
        total = f"P_1                   \tall\t{right.mean():.4f}\n"
        found.append(write(folder / f"{name.split('/')[1]}.txt", "".join([*rows, total])))
    return found


def ranx(folder: Path) -> list[Path]:
    """Scores by measure and query, the form in which ranx returns those of a run."""
    found = []
    for name, right in zip(SYSTEMS, verdicts()[:, :, 0], strict=True):
        scores = {"precision@1": {f"q_{item}": float(one) for item, one in enumerate(right.tolist())}}
        found.append(write(folder / f"{name.split('/')[1]}.json", scores))
    return found


def deepeval(folder: Path) -> list[Path]:
    """After `.latest_test_run.json` (SayamAlt/RAG-Evaluation-using-DeepEval 48c0fed) and deepeval/test_run/api.py (08080fc)."""
    found = []
    for name, right in zip(SYSTEMS, verdicts()[:, :, 0], strict=True):
        cases = [
            {"name": f"test_case_{item}", "input": question(item), "actualOutput": answer(item, verdict)}
            | {"expectedOutput": answer(item, 1), "flaky": False, "success": bool(verdict), "order": item}
            | {
                "metricsData": [
                    {"name": "Correctness [GEval]", "threshold": 0.5, "success": bool(verdict), "score": float(verdict)}
                ]
            }
            for item, verdict in enumerate(right.tolist())
        ]
        scores = [
            {"metric": "Correctness [GEval]", "scores": right.astype(float).tolist(), "passes": 0, "fails": 0, "errors": 0}
        ]
        run = {"testCases": cases, "conversationalTestCases": [], "metricsScores": scores}
        found.append(write(folder / f"{name.split('/')[1]}.json", {"testRunData": run}))
    return found


def opencompass(folder: Path) -> list[Path]:
    """After what `BaseEvaluator.evaluate` returns and `OpenICLEvalTask` dumps (open-compass/opencompass 0a24b2e, 03edec8)."""
    found = []
    for name, right in zip(SYSTEMS, verdicts(2), strict=True):
        details = [
            {"example_abbr": f"sums_{item}", "pred": [answer(item, int(one)) for one in right[item]]}
            | {"answer": [answer(item, 1)] * 2, "correct": right[item].astype(bool).tolist()}
            for item in range(ITEMS)
        ]
        results = {"accuracy (2 runs average)": 100 * float(right.mean()), "details": details}
        found.append(write(folder / "results" / name.split("/")[1] / "sums.json", results))
    return found


def explainaboard(folder: Path) -> list[Path]:
    """After data/system_outputs/multilingual/json/mlpp/xnli/test-en_7872.json (neulab/ExplainaBoard e35e778)."""
    found = []
    for name, right in zip(SYSTEMS, verdicts()[:, :, 0], strict=True):
        about = {"task_name": "text-classification", "system_name": name, "dataset_name": "sums", "language": "en"}
        predictions = [
            {"text": question(item), "true_label": answer(item, 1), "predicted_label": answer(item, verdict)}
            for item, verdict in enumerate(right.tolist())
        ]
        content = {"user_defined_metadata_configs": about, "predictions": predictions}
        found.append(write(folder / f"{name.split('/')[1]}.json", content))
    return found


def zeroeval(folder: Path) -> list[Path]:
    """After result_dirs/gsm/gpt-4o-2024-08-06.json (yuchenlin/ZeroEval b4c9f2c), judged as its gsm_eval.py (0997ceb) does."""
    found = []
    for name, right in zip(SYSTEMS, verdicts()[:, :, 0], strict=True):
        records = []
        for item, verdict in enumerate(right.tolist()):
            given = f'{{\n    "reasoning": "Add.",\n    "answer": "{answer(item, verdict)}"\n}}'
            records.append(
                {"session_id": f"gsm8k-#{item}", "chat_history": [question(item)], "model_input": "n/a"}
                | {"output": [f"```json\n{given}\n```"], "generator": name}
                | {"configs": {"engine": "x", "repetition_penalty": 1.0, "temperature": 0.0, "max_tokens": 4096}}
                | {"dataset": "gsm", "id": f"gsm8k-#{item}", "question": question(item), "answer": f"# {answer(item, 1)}"}
            )
        found.append(write(folder / f"{name.split('/')[1]}.json", records))
    return found


WRITERS: dict[str, Callable[[Path], list[Path]]] = {
    "lm-eval": lm_eval,
    "every-eval-ever": every_eval_ever,
    "openai-evals": openai_evals,
    "inspect": inspect_archive,
    "inspect-json": inspect_json,
    "helm": helm,
    "swe-bench": swe_bench,
    "swe-bench-board": swe_bench_board,
    "terminal-bench": terminal_bench,
    "harbor": harbor,
    "tau-bench": tau_bench,
    "livecodebench": livecodebench,
    "bfcl": bfcl,
    "evalplus": evalplus,
    "bigcodebench": bigcodebench,
    "promptfoo": promptfoo,
    "lighteval": lighteval,
    "trec-eval": trec_eval,
    "ranx": ranx,
    "comet": comet,
    "deepeval": deepeval,
    "opencompass": opencompass,
    "explainaboard": explainaboard,
    "zeroeval": zeroeval,
}
METRIC = {
    "evalplus": ("--metric", "base"),
    "promptfoo": ("--metric", "success"),
    "helm": ("--metric", "exact_match"),
    "deepeval": ("--metric", "success"),
}
"""Which of several scores is compared."""
