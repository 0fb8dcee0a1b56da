"""All formats of logs, in the order in which they are asked whether a file is theirs."""

from __future__ import annotations

from outscore.formats.logs.base.entry import LogEntry
from outscore.formats.logs.harnesses import (
    code_tasks,
    comet,
    every_eval_ever,
    helm,
    inspect_ai,
    lighteval,
    lm_eval,
    openai_evals,
    promptfoo,
    swe_bench,
)

__all__ = ["LOGS"]

LOGS: dict[str, LogEntry] = {
    entry.name: entry
    for entry in (
        LogEntry(
            "lm-eval",
            "lm-evaluation-harness",
            "samples_<task>_<time>.jsonl, with results_<time>.json beside it",
            lm_eval.looks_like_samples,
            lm_eval.read_samples,
            ("results_*.json",),
        ),
        LogEntry(
            "every-eval-ever",
            "Every Eval Ever",
            "<id>_samples.jsonl, with the aggregate <id>.json beside it",
            every_eval_ever.looks_like_samples,
            every_eval_ever.read_samples,
            ("*.json",),
        ),
        LogEntry(
            "openai-evals",
            "OpenAI evals",
            "the record of a run as JSON lines: a specification, then events",
            openai_evals.looks_like_record,
            openai_evals.read_record,
        ),
        LogEntry(
            "inspect",
            "Inspect",
            "an .eval archive",
            inspect_ai.looks_like_archive,
            inspect_ai.read_archive,
        ),
        LogEntry(
            "inspect-json",
            "Inspect",
            "a log with its samples as one JSON document",
            inspect_ai.looks_like_json,
            inspect_ai.read_json,
        ),
        LogEntry(
            "helm",
            "HELM",
            "per_instance_stats.json of a run folder, with run_spec.json beside it",
            helm.looks_like_stats,
            helm.read_stats,
            ("*.json",),
        ),
        LogEntry(
            "swe-bench",
            "SWE-bench",
            "a report with lists of resolved and submitted instances, or several parts of one",
            swe_bench.looks_like_report,
            swe_bench.read_report,
        ),
        LogEntry(
            "evalplus",
            "EvalPlus",
            "<model>_eval_results.json, in the older and the newer layout",
            code_tasks.looks_like_evalplus,
            code_tasks.read_evalplus,
        ),
        LogEntry(
            "bigcodebench",
            "BigCodeBench",
            "<model>--bigcodebench-..._eval_results.json",
            code_tasks.looks_like_bigcodebench,
            code_tasks.read_bigcodebench,
            ("*_pass_at_k.json",),
        ),
        LogEntry(
            "promptfoo",
            "promptfoo",
            "the JSON of an evaluation, versions 1 to 3",
            promptfoo.looks_like_results,
            promptfoo.read_results,
        ),
        LogEntry(
            "lighteval",
            "lighteval",
            "details_<task>_<time>.parquet",
            lighteval.looks_like_details,
            lighteval.read_details,
            ("*/results_*.json", "results_*.json"),
        ),
        LogEntry(
            "comet",
            "COMET",
            "what `comet-score --to_json` writes",
            comet.looks_like_scores,
            comet.read_scores,
        ),
    )
}
