"""Which harness wrote a file: one answer, whatever the folder holds beside it."""

from __future__ import annotations

import gzip
import json
from itertools import product
from pathlib import Path

import pytest
from tests.kind_files import RIGHT, inspect_logs
from tests.log_files import WRITERS, write
from tests.variants import a_few

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.formats.logs.document import LogPeek
from outscore.formats.logs.find import find_logs, peek_at, read_logs, recognise
from outscore.formats.logs.registry import LOGS

FOLDERS = {
    "bigcodebench": "bigcodebench",
    "evalplus": "evalplus",
    "every_eval_ever": "every-eval-ever",
    "helm": "helm",
    "lighteval": "lighteval",
    "lm_eval": "lm-eval",
    "openai-evals": "openai-evals",
    "promptfoo": "promptfoo",
    "swe-bench": "swe-bench",
}


def test_no_real_file_is_taken_for_two_formats(shared_data):
    wrong = []
    for path in sorted(file for file in (shared_data / "harness-logs").rglob("*") if file.is_file()):
        found = [entry.name for entry in LOGS.values() if entry.format.recognise(peek_at(path))]
        if len(found) > 1:
            wrong.append((path, found))
    assert wrong == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_real_folders_are_of_their_harness(shared_data, folder):
    assert {entry.name for _, entry in find_logs(shared_data / "harness-logs" / folder)} == {FOLDERS[folder]}


def test_a_file_like_two_formats_is_refused_with_both(tmp_path):
    path = write(
        tmp_path / "a.json", {"eval": {"a": [{"task_id": "a", "status": "pass"}]}, "resolved_ids": [], "unresolved_ids": []}
    )
    with pytest.raises(OutscoreError, match="looks like a log in 2 formats: swe-bench and bigcodebench") as error:
        recognise(path)
    assert "--reader swe-bench" in str(error.value)


@pytest.mark.parametrize("name", WRITERS)
def test_a_first_line_with_another_kind_of_value_is_no_crash(name, tmp_path):
    WRITERS[name](tmp_path)
    for path in filter(Path.is_file, tmp_path.rglob("*")):
        first = peek_at(path).first_line
        for key, value in product(first, (True, 3, "x", [], None)):
            peek = LogPeek(str(path), json.dumps(first | {key: value}).encode())
            assert {entry.format.recognise(peek) for entry in LOGS.values()} <= {True, False}


@pytest.mark.parametrize("name", a_few([name for name in LOGS if name != "lighteval"], 8))
def test_compressed_logs_are_the_same(name, tmp_path):
    WRITERS[name](tmp_path)
    before = read_logs([tmp_path])
    texts = [None if one.exchanges is None else one.exchanges([0, 5]) for one in before]
    for path, _ in find_logs(tmp_path):
        Path(f"{path}.gz").write_bytes(gzip.compress(Path(path).read_bytes()))
        Path(path).unlink()
    after = read_logs([tmp_path])
    assert [(one.system, one.task, one.rows) for one in after] == [(one.system, one.task, one.rows) for one in before]
    for old, new, asked in zip(before, after, texts, strict=True):
        assert {name: measure.values.tolist() for name, measure in new.measures.items()} == {
            name: measure.values.tolist() for name, measure in old.measures.items()
        }
        assert {name: measure.total for name, measure in new.measures.items()} == {
            name: measure.total for name, measure in old.measures.items()
        }
        assert asked is None or new.exchanges([0, 5]) == asked


CUT = {
    "lm-eval": (b"", b"{"),
    "inspect": (b"", b"PK\x03\x04"),
    "helm": (b"", b"["),
    "evalplus": (b"", b"{"),
    "bigcodebench": (b"", b"{"),
    "lighteval": (b"", b"PAR1"),
    "every-eval-ever": (b"", b"{"),
}


@pytest.mark.parametrize(("name", "content"), [(name, content) for name, cut in CUT.items() for content in cut])
def test_a_damaged_log_of_a_folder_is_not_passed_over(name, content, tmp_path):
    WRITERS[name](tmp_path)
    path = Path(find_logs(tmp_path)[0][0])
    path.write_bytes(content)
    with pytest.raises(OutscoreError) as error:
        read_logs([tmp_path])
    assert path.name[-30:] in str(error.value)


def test_a_compressed_log_of_a_folder_that_is_damaged_is_not_passed_over(tmp_path):
    WRITERS["swe-bench"](tmp_path)
    path = next(tmp_path.glob("amber*"))
    Path(f"{path}.gz").write_bytes(gzip.compress(path.read_bytes())[:20])
    path.unlink()
    with pytest.raises(OutscoreError, match=r"amber.run1.json.gz` is damaged"):
        read_logs([tmp_path])


def test_all_damaged_logs_of_a_folder_are_named_at_once(tmp_path):
    """Each with its reason, before a single one of the others is used; mended or gone, the folder is read."""
    for name in ("lm-eval", "swe-bench", "inspect"):
        WRITERS[name](tmp_path / name)
    bad = [next(tmp_path.rglob("samples_*")), next(tmp_path.rglob("amber.run1.json")), next(tmp_path.rglob("*.eval"))]
    kept = [path.read_bytes() for path in bad]
    for path in bad[:2]:
        path.write_bytes(path.read_bytes()[:-20])
    packed = Path(f"{bad[2]}.gz")
    packed.write_bytes(gzip.compress(kept[2])[:20])
    for paths in ([tmp_path], sorted(tmp_path.iterdir())):
        with pytest.raises(OutscoreError) as error:
            read_logs(paths)
        said = str(error.value)
        assert said.startswith("3 files cannot be used: ")
        assert all(path.name in said for path in (*bad[:2], packed))
        assert "is not whole JSON" in said
        assert "is damaged" in said
        assert error.value.hint == (
            "Repair them, or move them out of the folder: what is left out of a comparison should be your choice."
        )
    packed.unlink()
    bad[0].write_bytes(kept[0])
    with pytest.raises(OutscoreError, match=r"amber.run1.json`.* is not whole JSON.* Or move it out of the folder"):
        read_logs([tmp_path])
    bad[1].unlink()
    assert {one.harness for one in read_logs([tmp_path])} == {"lm-eval", "swe-bench", "inspect"}


def test_of_many_damaged_logs_the_first_are_named(tmp_path):
    for number in range(9):
        (tmp_path / f"{number}.run1.json").write_text('{"resolved_ids": [], "unresolved_ids": [], ')
    with pytest.raises(OutscoreError) as error:
        read_logs([tmp_path])
    assert "9 files cannot be used: " in error.value.message
    assert "4.run1.json" in error.value.message
    assert error.value.message.endswith(" And 4 more.")


def test_a_damaged_log_that_comes_first_does_not_hide_the_folder(tmp_path):
    WRITERS["swe-bench"](tmp_path)
    (tmp_path / "a.json.gz").write_bytes(gzip.compress(b"{}")[:10])
    with pytest.raises(OutscoreError, match=r"a.json.gz` is damaged.* Or move it out of the folder"):
        osc.compare(tmp_path)


def test_a_folder_is_read_in_the_format_that_is_asked_for(tmp_path):
    WRITERS["swe-bench"](tmp_path / "one")
    WRITERS["openai-evals"](tmp_path / "two")
    assert {one.harness for one in read_logs([tmp_path], "swe-bench")} == {"swe-bench"}
    with pytest.raises(OutscoreError, match="contains no log of HELM"):
        read_logs([tmp_path], "helm")


class TestOneTask:
    """`--log-task` looks at that task only: what is wrong with logs of others is nobody's business, but said."""

    @pytest.fixture(autouse=True)
    def _logs(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        inspect_logs(["one", "two"], RIGHT)

    def double(self, path: str) -> None:
        """A log in which an item occurs twice."""
        log = json.loads(Path(path).read_text())
        log["samples"].append(log["samples"][0])
        Path(path).write_text(json.dumps(log))

    def means(self, task: str, *logs: str) -> list[float]:
        return [score.value for score in osc.compare(*(logs or ["logs"]), log_task=task).scores]

    @pytest.mark.parametrize("name", ["grab_amber.json", "three.json"])
    def test_a_log_of_another_task_with_a_doubled_item(self, name):
        """Also of a task that no sound log is of, under a name that says nothing."""
        inspect_logs(["grab"], {"amber": RIGHT["amber"]})
        Path("logs", "grab_amber.json").rename(Path("logs", name))
        self.double(f"logs/{name}")
        found = osc.compare("logs", log_task="one")
        assert [score.value for score in found.scores] == pytest.approx([right.mean() for right in RIGHT.values()])
        said = [note.text for note in found.notes if "cannot be read" in note.text]
        assert said == [f"Only logs of one were looked at; `logs/{name}` cannot be read, but is of other tasks."]
        with pytest.raises(OutscoreError, match=name):
            osc.compare("logs", log_task="grab")

    def test_a_log_of_another_task_that_is_cut(self):
        whole = Path("logs", "two_amber.json").read_text()
        Path("logs", "two_amber.json").write_text(whole[: len(whole) // 2])
        assert self.means("one") == pytest.approx([right.mean() for right in RIGHT.values()])
        with pytest.raises(OutscoreError, match="is not whole JSON"):
            osc.compare("logs", log_task="two")

    def test_a_log_that_may_be_of_this_task_is_refused(self):
        inspect_logs(["grab"], {"amber": RIGHT["amber"]})
        whole = Path("logs", "grab_amber.json").read_text()
        Path("logs", "grab_amber.json").write_text(whole[: len(whole) // 2])
        with pytest.raises(OutscoreError, match=r"grab_amber\.json"):
            osc.compare("logs", log_task="one")

    def test_other_tasks_may_have_been_run_twice(self):
        again = Path("logs", "two_amber.json").read_text()
        Path("logs", "two_amber_again.json").write_text(again)
        with pytest.raises(OutscoreError, match="both contain maker/amber on two"):
            osc.compare("logs", log_task="two")
        assert self.means("one") == pytest.approx([right.mean() for right in RIGHT.values()])

    def test_a_task_that_is_not_there_is_refused_with_those_that_are(self):
        with pytest.raises(OutscoreError, match="no task `won`"):
            osc.compare("logs", log_task="won")
