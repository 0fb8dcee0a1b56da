"""Reading a log takes memory for its scores: texts are passed over, and read again when they are shown."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import tracemalloc

import pytest
from tests.log_files import SYSTEMS, inspect_log, lines, verdicts, write, zstd_archive
from tests.variants import a_few

from outscore.formats.logs.find import read_logs

ITEMS, TEXT = 60, "word " * 10_000
SIZE = ITEMS * len(TEXT)


def lm_eval(folder):
    rows = [
        {"doc_id": i, "metrics": ["acc"], "acc": 1.0, "doc": {"passage": "p"}, "resps": [[TEXT]], "filtered_resps": [TEXT]}
        for i in range(ITEMS)
    ]
    return write(folder / "samples_sums_2026-01-02T03-04-05.678901.jsonl", lines(rows))


def every_eval_ever(folder):
    rows = [
        {"schema_version": "0.3.0", "model_id": "a", "evaluation_name": "e", "sample_id": str(i), "evaluation": {"score": 1.0},
         "input": {"raw": "2+2"}, "output": {"raw": [TEXT]}}
        for i in range(ITEMS)
    ]  # fmt: skip
    return write(folder / "a_samples.jsonl", lines(rows))


def long_log():
    log = inspect_log(SYSTEMS[0], verdicts(ITEMS // 12)[0])
    for sample in log["samples"]:
        sample["messages"] = [{"role": "assistant", "content": TEXT}]
        sample["scores"]["match"]["answer"] = TEXT
    return log


def inspect_json(folder):
    return write(folder / "a.json", long_log())


def inspect_archive(folder):
    log = long_log()
    samples = log.pop("samples")
    texts = {f"samples/{i}_epoch_1.json": json.dumps(sample).encode() for i, sample in enumerate(samples)}
    short = [{key: value for key, value in sample.items() if key != "messages"} for sample in samples]
    for sample in short:
        sample["scores"] = {"match": {"value": "C", "answer": TEXT[:20]}}
    log["results"] = None
    members = {"summaries.json": json.dumps(short).encode(), "header.json": json.dumps(log).encode()}
    return zstd_archive(folder / "a.eval", {**members, **texts})


def promptfoo(folder):
    results = [
        {"success": True, "prompt": {"raw": "2+2"}, "vars": {"i": i}, "response": {"output": TEXT}} for i in range(ITEMS)
    ]
    return write(folder / "a.json", {"version": 2, "results": {"results": results}, "prompts": []})


def comet(folder):
    return write(folder / "a.json", {"a.txt": [{"src": "s", "mt": TEXT, "ref": "r", "COMET": 1.0}] * ITEMS})


MADE = (lm_eval, every_eval_ever, inspect_json, inspect_archive, promptfoo, comet)


@pytest.mark.parametrize("made", a_few(MADE, 3), ids=[made.__name__ for made in MADE])
def test_texts_are_not_kept(made, tmp_path):
    path = made(tmp_path)
    read_logs([path])
    gc.collect()
    tracemalloc.start()
    try:
        (found,) = read_logs([path])
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found.rows == ITEMS
    assert kept < SIZE / 20
    # A sample, a member or a line at a time.
    assert peak < SIZE / 3
    assert len(found.exchanges([ITEMS - 1])[0].answer) >= 20


LOADED = """
import sys
from outscore.formats.logs.document import Document
decode_all = Document.decode_all
def tell(document, kind):
    print(*(name for name in sys.modules if name.startswith("outscore.")), file=sys.stderr)
    return decode_all(document, kind)
Document.decode_all = tell
from outscore.cli.app import main
sys.argv[1:] = ["show", sys.argv[1]]
main()
"""


def test_little_else_is_in_memory_while_a_document_is_decoded(tmp_path):
    """A document is in memory as a whole: what describes tables and tries commands is loaded once it is gone."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED, str(inspect_json(tmp_path))], capture_output=True, text=True, check=True
    )
    loaded = done.stderr.split()
    assert "outscore.formats.logs.inspect_ai" in loaded
    assert not {"outscore.inference.registry", "outscore.workflows.show.look", "outscore.workflows.show.describe"} & {*loaded}
