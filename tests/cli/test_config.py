"""`--config`: a YAML file of options, or a saved result to repeat."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.variants import a_few

BAD = {
    "unknown key": "tets: student",
    "unknown key on line 3": "test: student\n# a comment\nunit_sise: 5",
    "wrong type": "alpha: five",
    "a fraction for a whole number": "unit-size: 2.5",
    "no choice": "alternative: better",
    "no truth value": "unit-advice: perhaps",
    "a list for one value": "alpha: [0.05, 0.01]",
    "a table for one value": "test: {name: student}",
    "nested too deeply": "set: {zeros: {how: pratt}}",
    "much too deeply": "set: " + "[" * 5_000,
    "an alias": "files: &both [a.txt, b.txt]\nsystem: *both",
    "twice": "alpha: 0.05\ntest: student\nalpha: 0.01",
    "a tag": "test: !!python/name:os.system ''",
    "broken": "test: [student\nalpha: 1",
    "broken differently": "test: student: yes",
    "a tab": "set:\n\tzeros: pratt",
    "a list": "- test",
    "one word": "student",
    "empty": "# nothing\n",
    "two documents": "test: student\n---\ntest: sign",
    "control characters": "test: \x01",
    "an unknown test": "test: studnet",
    "another schema": '{"schema": "outscore/ranking/1", "settings": {}}',
    "a result without files": '{"schema": "outscore/result/1", "settings": {"seed": 0}}',
    "a path that is no text": '{"schema": "outscore/result/1", "settings": {"inputs": [{"path": {}, "sha256": "x"}]}}',
    "a config in a config": "config: other.yaml",
}


def test_every_bad_config_gets_its_sentence(pair_files, refusal, golden):
    found = []
    for what, text in BAD.items():
        Path("c.yaml").write_text(text)
        found.append(f"{what}\n    {refusal('compare', 'a.txt', 'b.txt', '--config', 'c.yaml')}")
    Path("c.yaml").write_bytes(b"test: h\xf6her")
    found.append(f"Latin-1\n    {refusal('compare', 'a.txt', 'b.txt', '--config', 'c.yaml')}")
    Path("c.yaml").write_text("test: student\n" + "#" * 70_000)
    found.append(f"too large\n    {refusal('compare', 'a.txt', 'b.txt', '--config', 'c.yaml')}")
    found.append(f"absent\n    {refusal('compare', 'a.txt', 'b.txt', '--config', 'absent.yaml')}")
    golden("cli/bad-config.txt", "\n".join(found))


def settings(result) -> dict:
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)["settings"]


def test_options_come_from_the_file_and_the_command_line_wins(pair_files, outscore):
    Path("c.yaml").write_text(
        "files: [a.txt, b.txt]\ntest: wilcoxon\nset: {zeros: pratt}\nalpha: .01\nnames: [yes, no]\nformat: json\n"
        "unit_size: 2\nmargin:\n"
    )
    found = settings(outscore("compare", "--config", "c.yaml", "--alpha", "0.1"))
    expected = {
        "files": ["a.txt", "b.txt"], "test": "wilcoxon", "set": {"zeros": "pratt"}, "alpha": 0.1, "names": ["yes", "no"],
        "unit_size": 2, "margin": None,
    }  # fmt: skip
    assert {key: found[key] for key in expected} == expected
    assert settings(outscore("compare", "b.txt", "a.txt", "--config", "c.yaml"))["files"] == ["b.txt", "a.txt"]


REPEATED = {
    "bare": ["a.txt", "b.txt"],
    "named": ["a.txt", "b.txt", "--names", "new, old", "--seed", "7", "--alternative", "greater", "--delta", "0.01"],
    "sampled": ["a.txt", "b.txt", "--test", "bootstrap", "--resamples", "99", "--set", "interval=bca", "--seed", "3"],
    "units": ["a.txt", "b.txt", "--unit-size", "4", "--unit-statistic", "median", "--shuffle", "5", "--unit-advice"],
    "table": [
        "table.csv", "--item", "id", "--system", "old", "--system", "new", "--slice", "task", "--correction", "bh",
        "--normality-alpha", "0.2", "--margin", "0.1", "--duplicates", "first", "--reader", "csv", "--method", "exact",
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", a_few(REPEATED, 2))
def test_a_saved_result_repeats_byte_for_byte(pair_files, outscore, name):
    done = outscore("compare", *REPEATED[name], "-o", "result.json", "--format", "json")
    assert done.exit_code == 0, done.stderr
    again = outscore("compare", "--config", "result.json", "--format", "json", "-o", "again.json")
    assert again.exit_code == 0, again.stderr
    assert again.stdout == done.stdout
    assert Path("again.json").read_bytes() == Path("result.json").read_bytes()


def test_a_changed_input_is_noted(pair_files, outscore):
    outscore("compare", "a.txt", "b.txt", "-o", "result.json")
    Path("a.txt").write_text(Path("a.txt").read_text() + "1\n")
    Path("b.txt").write_text(Path("b.txt").read_text() + "0\n")
    found = json.loads(outscore("compare", "--config", "result.json", "--format", "json").stdout)["comparisons"][0]
    assert found["n"] == 41
    changed = [f"`{name}` has changed since `result.json` was saved." for name in ("a.txt", "b.txt")]
    assert [note["text"] for note in found["notes"][-2:]] == changed
    other = json.loads(outscore("compare", "b.txt", "a.txt", "--config", "result.json", "--format", "json").stdout)
    assert "changed" in other["comparisons"][0]["notes"][-1]["text"]
    fresh = outscore("compare", "table.csv", "--config", "result.json")
    assert "changed" not in fresh.stdout


def test_names_in_a_list_are_told_as_on_the_command_line(pair_files, refusal):
    Path("c.yaml").write_text("names: [A, A]\n")
    assert '--names is "A,A".' in refusal("compare", "a.txt", "b.txt", "--config", "c.yaml")
