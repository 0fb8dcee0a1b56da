"""Files that earlier versions saved stay readable, and what they hold can be reported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.variants import a_few

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.results import saved
from outscore.results.saved import DOCUMENTS, read_saved

FILES = sorted((Path(__file__).parent.parent / "saved").glob("*.json"))
LATER = {"outscore/gate/1", "outscore/logs/1", "outscore/possible-table/1", "outscore/preference/1", "outscore/score/1"}
"""Kinds of documents that the first version did not have."""


def test_every_kind_of_document_is_kept():
    kept = {json.loads(path.read_text(encoding="utf-8"))["schema"] for path in FILES}
    assert kept == set(DOCUMENTS) - LATER
    tasks = {osc.load(path).task for path in FILES if path.name.startswith("diff")}
    assert tasks == {"pos", "dep", "ner", "label", "coref"}


@pytest.mark.parametrize("path", a_few(FILES, 8), ids=lambda path: path.stem)
def test_files_of_the_first_version(path, tmp_path):
    then = json.loads(path.read_text(encoding="utf-8"))
    result = read_saved(path)
    assert then["schema"] in DOCUMENTS
    assert type(result) is DOCUMENTS[then["schema"]]
    _same(then, result.to_dict())
    assert osc.load(result.save(tmp_path / "again.json")) == result
    for form in ("text", "markdown", "latex", "csv"):
        assert getattr(result, f"to_{form}")()
    assert result.to_html().startswith("<!doctype html>")
    assert len(repr(result)) <= 200
    assert result._repr_html_()


def _same(then, now, key=""):
    """All that was saved is still there; keys may be added, and a note has become an object."""
    if isinstance(then, dict):
        assert set(then) <= set(now)
        for name, value in then.items():
            _same(value, now[name], name)
    elif isinstance(then, list):
        if key == "notes":
            assert now == [{"kind": "general", "text": text} for text in then]
            return
        assert len(now) == len(then)
        for one, other in zip(then, now, strict=True):
            _same(one, other)
    else:
        assert now == then


def test_older_schemas_are_migrated(monkeypatch):
    plan = next(path for path in FILES if path.stem == "plan")
    older = {**json.loads(plan.read_text(encoding="utf-8")), "schema": "outscore/plan/0"}
    assert saved.from_saved(older) is None
    monkeypatch.setitem(saved.MIGRATIONS, "outscore/plan/0", lambda data: {**data, "schema": "outscore/plan/1"})
    assert saved.from_saved(older) == osc.load(plan)


def test_broken_and_foreign_files_are_refused(tmp_path):
    path = tmp_path / "x.json"
    for content, message in [
        (b"[1", "is not JSON"),
        (b"[1]", "is not a saved result"),
        (b'{"schema": "else"}', "is not a saved result"),
        (b'{"schema": "outscore/result/9"}', "was saved by a different version"),
        (b'{"schema": "outscore/result/1", "comparisons": 3}', r"is a broken result: Expected `array`"),
    ]:
        path.write_bytes(content)
        with pytest.raises(OutscoreError, match=message):
            osc.load(path)
    with pytest.raises(OutscoreError, match="No such file"):
        osc.load(tmp_path / "missing.json")
