"""Simulated data to try before you have your own: one set for each kind of input, with its parameters stated.

Each set is small and shows one thing. This package does not import the rest of the library: an example is a
few files and the command that reads them, which `outscore demo` runs and the page offers to try.

Examples
--------
>>> example = EXAMPLES["counts"]
>>> print("outscore", *example.command())
outscore compare --names A,B entities.tsv
>>> print(*example.files(0)["entities.tsv"].split()[4:8])
8 1 7 3

Recipes are the files that the documentation works on: invented systems, in the layouts of the harnesses that people use.
`outscore demo --recipes` writes them, and the documentation is made by running its commands on them. The rows and files of the
harnesses, of answers that were made up, serve the tests of readers, too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from outscore.core.errors import require_polars
from outscore.examples import outputs, scores
from outscore.examples.entry import chance_of, random_stream
from outscore.examples.texts import TEXTS

ORDER = (
    "scores clusters ratings repeats noise gate tagging counts texts tags trees entities coreference labels leaderboard budget"
    " items battles probabilities people plan reviewer"
)
"""The order in which they are listed."""
EXAMPLES = {name: ({"texts": TEXTS} | scores.EXAMPLES | outputs.EXAMPLES)[name] for name in ORDER.split()}


SKILLS = {"amber": 1.0, "birch": 0.45}
REPOSITORIES = ["anvil", "brook", "clasp", "delta", "ember", "flint", "grain", "hinge", "ivory", "joint", "knoll", "ladle"]
STAMP = "2026-01-02T03-04-05.678901"


class Sample(NamedTuple):
    """One answer to one question; `more` is what else the question has, the passage it is about for instance."""

    id: str
    question: str
    target: str
    answer: str
    right: bool
    epoch: int = 1
    more: Mapping[str, str] = {}


def digest(text: str) -> str:
    """What logs say instead of the text."""
    return hashlib.sha256(text.encode()).hexdigest()


def lm_eval_row(number: int, sample: Sample, filtered: str) -> dict[str, Any]:
    """A line of the samples of lm-evaluation-harness, read by one filter."""
    return {
        "doc_id": number,
        "doc": {"question": sample.question, **sample.more},
        "target": sample.target,
        "arguments": {"gen_args_0": {"arg_0": sample.question}},
        "resps": [[sample.answer]],
        "filtered_resps": [sample.answer],
        "filter": filtered,
        "metrics": ["exact_match"],
        "doc_hash": digest(sample.question),
        "target_hash": digest(sample.target),
        "exact_match": float(sample.right),
    }


def lm_eval_results(model: str, task: str, scores: Mapping[str, float], *, shots: int, version: float) -> dict[str, Any]:
    """The results beside them, with the score by each filter."""
    return {
        "results": {task: {f"exact_match,{filtered}": score for filtered, score in scores.items()}},
        "higher_is_better": {task: {"exact_match": True}},
        "n-shot": {task: shots},
        "versions": {task: version},
        "config": {"limit": None},
        "model_name": model,
    }


def inspect_log(model: str, task: str, samples: Sequence[Sample], *, status: str = "success") -> dict[str, Any]:
    """One log as Inspect's JSON has it; archives hold the same in members."""
    ids = list(dict.fromkeys(sample.id for sample in samples))
    plan = {
        "eval_id": digest(model)[:8],
        "run_id": digest(model)[8:16],
        "task": task,
        "task_version": 0,
        "model": model,
        "dataset": {"samples": len(ids), "sample_ids": ids},
        "config": {"epochs": max(sample.epoch for sample in samples)},
        "scorers": [{"name": "match"}],
    }
    accuracy = float(np.mean([sample.right for sample in samples]))
    scores = [{"name": "match", "scorer": "match", "metrics": {"accuracy": {"value": accuracy}}}]
    rows = [_inspect_sample(sample) for sample in samples]
    return {"version": 2, "status": status, "eval": plan, "results": {"scores": scores}, "samples": rows}


def _inspect_sample(sample: Sample) -> dict[str, Any]:
    return {
        "id": sample.id,
        "epoch": sample.epoch,
        "input": sample.question,
        "target": sample.target,
        **({"metadata": dict(sample.more)} if sample.more else {}),
        "scores": {"match": {"value": "C" if sample.right else "I", "answer": sample.answer}},
    }


def swe_bench_report(resolved: Mapping[str, bool], total: int) -> dict[str, Any]:
    """A report of SWE-bench: whether each submitted instance was resolved, and how many instances there are."""
    done = [name for name, verdict in resolved.items() if verdict]
    return {
        "total_instances": total,
        "submitted_instances": len(resolved),
        "resolved_instances": len(done),
        "submitted_ids": list(resolved),
        "resolved_ids": done,
        "unresolved_ids": [name for name, verdict in resolved.items() if not verdict],
        "empty_patch_ids": [],
        "error_ids": [],
    }


def write_recipe_files(folder: Path) -> None:
    """Write all of them."""
    for write in (write_harness, write_inspect, write_comet, write_swe_bench, write_attempts, write_rows):
        write(folder)


def right_or_wrong(name: str, systems: dict[str, float], items: int, runs: int = 1) -> dict[str, np.ndarray]:
    """Who is right, (items, runs) for each system: the logit of a right answer is the system's skill plus the item's ease."""
    rng = random_stream(f"recipe {name}", 0)
    ease = rng.normal(0, 1.4, (items, 1))
    return {system: rng.random((items, runs)) < chance_of(skill + ease) for system, skill in systems.items()}


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def write_harness(folder: Path) -> None:
    """`results/`: lm-evaluation-harness with `--log_samples`, one task read by two filters."""
    strict_too = random_stream("recipe filters", 0).random(400) < 0.8
    for system, right in right_or_wrong("harness", SKILLS, 400).items():
        verdicts_by_filter = {"flexible-extract": right[:, 0], "strict-match": right[:, 0] & strict_too}
        rows = [
            lm_eval_row(item, _sum(item, right=verdict), kind)
            for kind, verdicts in verdicts_by_filter.items()
            for item, verdict in enumerate(verdicts.tolist())
        ]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        _write(folder / "results" / f"org__{system}" / f"samples_gsm8k_{STAMP}.jsonl", text)
        scores = {kind: float(verdicts.mean()) for kind, verdicts in verdicts_by_filter.items()}
        results = lm_eval_results(f"org/{system}", "gsm8k", scores, shots=5, version=3.0)
        _write(folder / "results" / f"org__{system}" / f"results_{STAMP}.json", json.dumps(results))


def _sum(item: int, *, right: bool) -> Sample:
    answer = str(2 * item + 3 + 4 * (not right))
    return Sample(str(item), f"How much is {item} + {item + 3}?", str(2 * item + 3), answer, right)


def write_inspect(folder: Path) -> None:
    """`logs/`: Inspect's JSON logs, four epochs."""
    for system, right in right_or_wrong("inspect", SKILLS, 90, 4).items():
        samples = [
            Sample(f"q{item}", f"Question {item}", "yes", "yes" if verdict else "no", verdict, run + 1)
            for item, verdicts in enumerate(right.tolist())
            for run, verdict in enumerate(verdicts)
        ]
        _write(folder / "logs" / f"{system}.json", json.dumps(inspect_log(f"org/{system}", "questions", samples)))


def write_comet(folder: Path) -> None:
    """`texts/`: the demonstration's texts; `new.comet` and `old.comet`: a score for each of their segments."""
    texts = TEXTS.files(0)
    for name, text in texts.items():
        _write(folder / "texts" / name, text)
    reference = texts["reference.txt"].splitlines()
    rng = random_stream("recipe comet", 0)
    for system in ("new", "old"):
        alike = [
            sum(a == b for a, b in zip(one.split(), other.split(), strict=False)) / max(1, len(other.split()))
            for one, other in zip(texts[f"{system}.txt"].splitlines(), reference, strict=True)
        ]
        scores = np.clip(0.62 + 0.3 * np.array(alike) + rng.normal(0, 0.04, len(alike)), 0, 1)
        (folder / f"{system}.comet").write_text("".join(f"{score:.4f}\n" for score in scores), encoding="utf-8")


def write_swe_bench(folder: Path) -> None:
    """`reports/`: three reports of a SWE-bench board of twelve repositories."""
    skills = {"amber": 0.1, "birch": -0.25, "cedar": -1.1}
    for system, right in right_or_wrong("board", skills, 300).items():
        ids = [f"{REPOSITORIES[item % 12]}__{REPOSITORIES[item % 12]}-{item}" for item in range(300)]
        report = swe_bench_report(dict(zip(ids, right[:, 0].tolist(), strict=True)), 300)
        _write(folder / "reports" / f"{system}.run1.json", json.dumps(report))


def write_attempts(folder: Path) -> None:
    """`attempts.csv`: eight attempts of two systems at each of 80 problems."""
    drawn = right_or_wrong("attempts", {"amber": -0.2, "birch": -0.6}, 80, 8)
    rows = ["task_id,model,sample,passed"]
    for item in range(80):
        for system, right in drawn.items():
            rows += [f"p{item + 1},{system},{run + 1},{int(right[item, run])}" for run in range(8)]
    (folder / "attempts.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")


def write_rows(folder: Path) -> None:
    """`parts/`: a million right-or-wrong rows of four systems, in five Parquet files."""
    require_polars("write Parquet files")
    import polars as pl

    skills = {"amber": 0.70, "birch": 0.69, "cedar": 0.69, "dune": 0.6}
    rng = random_stream("recipe rows", 0)
    (folder / "parts").mkdir(parents=True, exist_ok=True)
    for part in range(5):
        items = np.arange(50_000) + 50_000 * part
        ease = rng.random(50_000)
        columns = {
            "item": np.tile(items, 4),
            "system": np.repeat(list(skills), 50_000),
            "score": np.concatenate(
                [np.where(rng.random(50_000) < 0.9, ease < s, rng.random(50_000) < s) for s in skills.values()]
            ),
        }
        pl.DataFrame(columns).with_columns(pl.col("score").cast(pl.Int8)).write_parquet(
            folder / "parts" / f"part-{part}.parquet"
        )
