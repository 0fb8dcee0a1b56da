"""Results stay: named, kept beyond the hour, listed, exported, shown again without their data, made once."""

from __future__ import annotations

from urllib.parse import unquote

import pytest
import yaml
from tests.web.conftest import numbers

from outscore.cli.app import app

HOSTILE = "<img src=x onerror=alert(1)> ../../etc"


def about(page, job):
    return page.get(f"/api/results/{job['result']}/about")


def change(page, job, **what):
    return page.post(f"/api/results/{job['result']}/about", json=what)


def test_a_result_is_listed_with_what_it_says_and_was_asked(page, pair):
    ids = [file["id"] for file in page.upload(pair)]
    job = page.run("compare", {"files": ids}, alpha=0.01)
    found = about(page, job).json()
    assert found["systems"] == ["a", "b"]
    assert found["headline"].startswith(page.get(f"/api/results/{job['result']}").json()["comparisons"][0]["headline"])
    assert (found["command"], found["files"], found["settings"]) == ("compare", {"files": ids}, {"alpha": ["0.01"]})
    assert found["available"]
    page.delete(f"/api/files/{ids[0]}")
    assert not about(page, job).json()["available"]


def test_a_name_is_a_line_of_text_and_names_the_downloads(page, pair):
    job = page.run("compare", {"files": pair})
    assert change(page, job, name=f"  {HOSTILE}\n\x07 ").json()["name"] == HOSTILE
    sent = unquote(page.get(f"/api/results/{job['result']}/download.json").headers["content-disposition"])
    # Folders are no part of it, and nothing of a name is lost for a slash.
    assert "<img src=x onerror=alert(1)> ..-..-etc.json" in sent
    assert "/" not in sent.partition("filename")[2].replace("utf-8''", "")
    refused = change(page, job, name="x" * 121)
    assert (refused.status_code, refused.json()["error"]) == (422, "This name has 121 characters.")
    assert change(page, job, kept=True).json()["name"] == HOSTILE


def test_downloads_are_named_after_the_systems(page, pair):
    one = {"a.txt": pair["a.txt"]}
    for command, files, settings, label in (
        ("score", {"files": one}, {}, "outscore-score-a"),
        ("gate", {"files": pair}, {"margin": 0.1}, "outscore-gate-b-vs-a"),
        ("plan", {}, {"effect": 0.1}, "outscore-plan"),
    ):
        job = page.run(command, files, **settings)
        sent = page.get(f"/api/results/{job['result']}/download.json").headers["content-disposition"]
        assert f'filename="{label}.json"' in sent


def test_what_is_kept_outlives_the_hour_until_it_is_let_go(open_page, pair):
    with open_page(lifetime=3600, max_results=2, max_kept=1) as page:
        kept = page.run("compare", {"files": pair})
        assert change(page, kept, kept=True).json()["kept"]
        later = page.run("compare", {"files": pair}, alpha=0.01)
        refused = change(page, later, kept=True)
        assert refused.json()["error"] == "1 results are kept, which is the limit."
        registry = page.service.jobs.registry
        for job in registry:
            registry._used[job.id] -= 4_000
        # Being looked at in a list is no use.
        assert about(page, later).status_code == 200
        page.service.store.sweep()
        assert about(page, later).status_code == 404
        assert about(page, kept).json()["kept"]
        # Neither do many others push it out.
        for seed in range(3):
            page.run("compare", {"files": numbers(20, seed)})
        assert about(page, kept).status_code == 200
        change(page, kept, kept=False)
        registry._used[kept["id"]] -= 4_000
        page.service.store.sweep()
        assert about(page, kept).status_code == 404


def test_it_can_be_removed(page, pair):
    job = page.run("compare", {"files": pair})
    assert page.delete(f"/api/results/{job['result']}").status_code == 204
    assert page.get(f"/api/results/{job['result']}").status_code == 404


def test_the_same_files_and_settings_are_computed_once(page, pair):
    ids = [file["id"] for file in page.upload(pair)]
    first = page.run("compare", {"files": ids}, alpha=0.01)
    assert page.start("compare", {"files": ids}, alpha="0.01").json()["result"] == first["result"]
    others = [
        page.run("compare", {"files": ids[::-1]}, alpha=0.01),
        page.run("compare", {"files": ids}, alpha=0.02),
        page.run("compare", {"files": pair}, alpha=0.01),
    ]
    assert len({job["result"] for job in (first, *others)}) == 4


def test_the_exported_file_is_imported_as_the_same_report_without_the_data(page, pair):
    job = page.run("compare", {"files": pair}, test="sign", alpha=0.01)
    change(page, job, name="Night run")
    sent = page.get(f"/api/results/{job['result']}/download.json")
    assert sent.headers["content-disposition"].endswith("Night%20run.json")
    (file,) = page.upload({"Night run.json": sent.content})
    assert file["reading"].startswith("a saved result")
    again = page.run("report", {"files": [file["id"]]})
    assert again["name"] == "Night run"
    reports = [page.get(f"/api/results/{one['result']}/download.html").text for one in (job, again)]
    assert reports[0] == reports[1]
    assert page.get(f"/api/results/{again['result']}").content == sent.content
    # The settings came along, too.
    yamls = [yaml.safe_load(page.get(f"/api/results/{one['result']}/settings.yaml").text) for one in (job, again)]
    assert yamls[0] == yamls[1] == {"files": ["a.txt", "b.txt"], "test": "sign", "alpha": 0.01}


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("scores.csv", b"item,a,b\n1,2,3\n2,3,4\n", "`scores.csv` is not JSON."),
        ("other.json", b'{"schema": "else/1"}', "`other.json` is not a saved result."),
        ("cut.json", b'{\n"schema": "outscore/result/1",\n"comparisons": [', "is incomplete or contains an error"),
        ("new.json", b'{"schema": "outscore/result/99"}', "was saved by a different version of outscore"),
    ],
)
def test_a_wrong_file_is_one_sentence(page, name, content, said):
    (file,) = page.upload({name: content})
    job = page.finished(answer.json()) if (answer := page.start("report", {"files": [file["id"]]})).status_code == 202 else {}
    sentences = [file["problem"] or "", job.get("error") or answer.json().get("error") or ""]
    assert any(said in sentence for sentence in sentences), sentences
    assert job.get("state") in (None, "failed")


def test_a_result_that_is_too_large_is_refused(page, pair, monkeypatch):
    from outscore.web import files as inspect
    from outscore.web.form import read_settings
    from outscore.workflows.show import describe

    job = page.run("compare", {"files": pair})
    path = page.service.jobs.registry.get(job["id"]).result
    monkeypatch.setattr(describe, "LARGEST_SAVED", 1 << 10)
    assert "is larger than 0 MB, which is the limit for results" in inspect.inspect(path, 1 << 30)["problem"]
    assert read_settings("compare", path)["files"] == ["a.txt", "b.txt"]


class TestSettings:
    def of(self, page, command, name, text):
        (file,) = page.upload({name: text})
        return file, page.post(f"/api/settings/{command}", json={"file": file["id"]})

    def test_the_page_takes_what_config_takes(self, page):
        text = b"files: [x.txt, y.txt]\ntest: wilcoxon\nset: {zeros: pratt}\nalpha: 0.01\nitem: no\n"
        file, answer = self.of(page, "compare", "s.yaml", text)
        assert (file["format"], file["problem"]) == ("settings", None)
        assert file["reading"] == "settings (files, test, set, alpha, item), used for the files they come with"
        expected = {"test": "wilcoxon", "set.zeros": "pratt", "alpha": "0.01", "item": "no"}
        assert answer.json() == {"settings": expected, "files": ["x.txt", "y.txt"]}

    def test_metrics_have_their_options_and_lengths_their_field(self, page):
        text = b"metric: bleu:tokenize=none,chrf\nbuckets: length\n"
        found = self.of(page, "texts", "s.yml", text)[1].json()["settings"]
        assert found == {"metric": ["bleu", "chrf"], "metric.bleu.tokenize": "none", "lengths": "true"}

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            (b"alfa: 0.01\n", "`s.yaml`, line 1: `compare` has no option `alfa`."),
            (b"test: sign\nalpha: high\n", "`s.yaml`, line 2: Option `alpha` is 'high'."),
            (b"alpha: !!python/object/apply:os.system [id]\n", "`s.yaml`, line 1: found `os.system`, expected a single value."),
            (b"a: &x [1]\nb: *x\n", "found the alias `*x`"),
            (b"- 1\n", "`s.yaml` contains no options."),
            (b"alpha: 0.01\xff\n", "`s.yaml` is not UTF-8"),
            (b"alpha: 0.01\n" + b"#" * (1 << 16), "`s.yaml` is larger than 64 kB."),
        ],
    )
    def test_what_is_wrong_is_said_with_its_line(self, page, text, said):
        file, answer = self.of(page, "compare", "s.yaml", text)
        assert answer.status_code == 422
        assert said in (file["problem"] or "") + answer.json()["error"]

    def test_a_saved_result_holds_settings(self, page, pair):
        job = page.run("compare", {"files": pair}, test="sign", alpha=0.01)
        content = page.get(f"/api/results/{job['result']}/download.json").content
        found = self.of(page, "compare", "r.json", content)[1].json()
        assert found["settings"]["test"] == "sign"
        assert found["settings"]["alpha"] == "0.01"
        refused = self.of(page, "rank", "r.json", content)[1].json()
        assert refused["error"] == "`r.json` is not a saved ranking."

    def test_what_goes_out_is_what_the_command_line_takes(self, page, pair, tmp_path, monkeypatch):
        from click.testing import CliRunner

        asked = {"test": "wilcoxon", "set.zeros": "pratt", "unit-size": 2, "alternative": "greater"}
        job = page.run("compare", {"files": pair}, settings=asked)
        text = page.get(f"/api/results/{job['result']}/settings.yaml").text
        monkeypatch.chdir(tmp_path)
        for name, content in {**pair, "s.yaml": text.encode()}.items():
            (tmp_path / name).write_bytes(content)
        told = CliRunner().invoke(app, ["compare", "--config", "s.yaml", "--format", "json"])
        assert told.output == page.get(f"/api/results/{job['result']}").text
        # And what the page takes back is what was asked.
        found = self.of(page, "compare", "s.yaml", text.encode())[1].json()["settings"]
        assert found == {name: str(value) for name, value in asked.items()}
