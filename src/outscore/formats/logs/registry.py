"""All formats of logs, in the order in which they are asked whether a file is theirs.

Their modules are imported when a file is at hand that may be a log: numbers in plain files are none.
"""

from __future__ import annotations

from outscore.formats.logs.base.entry import LogEntry

LOGS: dict[str, LogEntry] = {
    entry.name: entry
    for entry in (
        LogEntry(
            "lm-eval",
            "lm-evaluation-harness",
            "samples_<task>_<time>.jsonl, with results_<time>.json beside it",
            "outscore.formats.logs.harnesses.lm_eval",
            "samples",
            ("results_*.json",),
        ),
        LogEntry(
            "every-eval-ever",
            "Every Eval Ever",
            "<id>_samples.jsonl, with the aggregate <id>.json beside it",
            "outscore.formats.logs.harnesses.every_eval_ever",
            "samples",
            ("*.json",),
        ),
        LogEntry(
            "openai-evals",
            "OpenAI evals",
            "the record of a run as JSON lines: a specification, then events",
            "outscore.formats.logs.harnesses.openai_evals",
            "record",
        ),
        LogEntry(
            "inspect",
            "Inspect",
            "an .eval archive",
            "outscore.formats.logs.harnesses.inspect_ai",
            "archive",
        ),
        LogEntry(
            "inspect-json",
            "Inspect",
            "a log with its samples as one JSON document",
            "outscore.formats.logs.harnesses.inspect_ai",
            "json",
        ),
        LogEntry(
            "helm",
            "HELM",
            "per_instance_stats.json of a run folder, with run_spec.json beside it",
            "outscore.formats.logs.harnesses.helm",
            "stats",
            ("*.json",),
        ),
        LogEntry(
            "swe-bench",
            "SWE-bench",
            "a report with lists of resolved and submitted instances, or several parts of one",
            "outscore.formats.logs.harnesses.swe_bench",
            "report",
        ),
        LogEntry(
            "evalplus",
            "EvalPlus",
            "<model>_eval_results.json, in the older and the newer layout",
            "outscore.formats.logs.harnesses.code_tasks",
            "evalplus",
        ),
        LogEntry(
            "bigcodebench",
            "BigCodeBench",
            "<model>--bigcodebench-..._eval_results.json",
            "outscore.formats.logs.harnesses.code_tasks",
            "bigcodebench",
            ("*_pass_at_k.json",),
        ),
        LogEntry(
            "promptfoo",
            "promptfoo",
            "the JSON of an evaluation, versions 1 to 3",
            "outscore.formats.logs.harnesses.promptfoo",
            "results",
        ),
        LogEntry(
            "lighteval",
            "lighteval",
            "details_<task>_<time>.parquet",
            "outscore.formats.logs.harnesses.lighteval",
            "details",
            ("*/results_*.json", "results_*.json"),
        ),
        LogEntry(
            "comet",
            "COMET",
            "what `comet-score --to_json` writes",
            "outscore.formats.logs.harnesses.comet",
            "scores",
        ),
    )
}
