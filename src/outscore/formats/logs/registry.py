"""All formats of logs, in the order in which they are asked whether a file is theirs.

Their modules are imported when a file is at hand that may be a log: numbers in plain files are none. There a format is declared
as the constant that is called like it.
"""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING

from outscore.core.records import dataclass

if TYPE_CHECKING:
    from outscore.formats.logs.engine import LogFormat


@dataclass(frozen=True)
class LogEntry:
    """What the lists say of a format of logs.

    Parameters
    ----------
    name
        What `--reader` and `outscore formats` call it.
    title
        The harness, as sentences name it.
    summary
        What its files look like, in one line.
    module
        Where it is declared.

    Examples
    --------
    >>> LOGS["helm"].format.harness
    'helm'
    """

    name: str
    title: str
    summary: str
    module: str = "outscore.formats.logs.declarations"

    @cached_property
    def format(self) -> LogFormat:
        """The format itself."""
        declared: LogFormat = getattr(import_module(self.module), self.name.upper().replace("-", "_"))
        return declared


_LM_EVAL = "outscore.formats.logs.lm_eval"
_SCHEMA = "outscore.formats.logs.every_eval_ever"
_INSPECT = "outscore.formats.logs.inspect_ai"
_AGENTS = "outscore.formats.logs.agents"
_RETRIEVAL = "outscore.formats.logs.retrieval"
_JUDGED = "outscore.formats.logs.judged"
_ENTRIES = (
    LogEntry("lm-eval", "lm-evaluation-harness", "samples_<task>_<time>.jsonl, with results_<time>.json beside it", _LM_EVAL),
    LogEntry("every-eval-ever", "Every Eval Ever", "<id>_samples.jsonl, with the aggregate <id>.json beside it", _SCHEMA),
    LogEntry("openai-evals", "OpenAI evals", "the record of a run as JSON lines: a specification, then events"),
    LogEntry("inspect", "Inspect", "an .eval archive", _INSPECT),
    LogEntry("inspect-json", "Inspect", "a log with its samples as one JSON document", _INSPECT),
    LogEntry("helm", "HELM", "per_instance_stats.json of a run folder, with run_spec.json beside it"),
    LogEntry("swe-bench", "SWE-bench", "a report with lists of resolved and submitted instances, or its parts", _AGENTS),
    LogEntry("swe-bench-board", "SWE-bench board", "results.json of the public board: instances by outcome", _AGENTS),
    LogEntry("terminal-bench", "Terminal-Bench", "results.json of a run: trials with is_resolved", _AGENTS),
    LogEntry("harbor", "Harbor", "result.json of each trial, below the folder of a job", _AGENTS),
    LogEntry("tau-bench", "tau-bench", "a list of conversations with their rewards", _AGENTS),
    LogEntry("livecodebench", "LiveCodeBench", "*_eval_all.json: problems with graded samples", _AGENTS),
    LogEntry("bfcl", "BFCL", "score/<model>/*_score.json, with result/<model>/*_result.json beside", _AGENTS),
    LogEntry("evalplus", "EvalPlus", "<model>_eval_results.json, in the older and the newer layout", _AGENTS),
    LogEntry("bigcodebench", "BigCodeBench", "<model>--bigcodebench-..._eval_results.json", _AGENTS),
    LogEntry("promptfoo", "promptfoo", "the JSON of an evaluation, versions 1 to 3"),
    LogEntry("lighteval", "lighteval", "details_<task>_<time>.parquet"),
    LogEntry("trec-eval", "trec_eval", "a measure, a query and a number per line: trec_eval -q, ir_measures -q", _RETRIEVAL),
    LogEntry("ranx", "ranx", "the scores of a run as JSON, by measure and query", _RETRIEVAL),
    LogEntry("comet", "COMET", "what `comet-score --to_json` writes"),
    LogEntry("deepeval", "DeepEval", ".latest_test_run.json or test_run_<time>.json: test cases with metricsData", _JUDGED),
    LogEntry("opencompass", "OpenCompass", "results/<model>/<dataset>.json with details", _JUDGED),
    LogEntry("explainaboard", "ExplainaBoard", "predictions beside true labels or accepted answers, as JSON", _JUDGED),
    LogEntry("zeroeval", "ZeroEval", "a list of records with session_id, output and the right answer", _JUDGED),
)
LOGS: dict[str, LogEntry] = {entry.name: entry for entry in _ENTRIES}
