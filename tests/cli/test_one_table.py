"""One table with the answers of several systems: the same diff as from a file for each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.variants import a_few

from outscore import diff

GOLD = ["yes", "no", "yes", "no", "yes", "maybe"]
ANSWERS = {"old": ["no", "no", "yes", "yes", "yes", "no"], "new": ["yes", "no", "yes", "no", "no", "maybe"], "third": GOLD}


def wide(ids=True):
    header = [*(["id"] if ids else []), "gold", "topic", *ANSWERS]
    rows = zip(*([f"q{i}" for i in range(6)],) * ids, GOLD, ["law", "art"] * 3, *ANSWERS.values(), strict=True)
    return "\n".join(",".join(row) for row in [header, *rows]) + "\n"


def long():
    rows = [
        {"id": f"q{i}", "system": name, "prediction": answers[i], "gold": GOLD[i], "topic": ("law", "art")[i % 2]}
        for name, answers in ANSWERS.items()
        for i in range(6)
    ]
    return "".join(f"{json.dumps(row)}\n" for row in rows)


TABLES = {"wide.csv": wide(), "places.csv": wide(ids=False), "long.jsonl": long()}


@pytest.mark.parametrize("name", a_few(TABLES, 1))
def test_the_same_diff_as_from_lists(tmp_path, name):
    path = tmp_path / name
    path.write_text(TABLES[name])
    found, expected = diff(path, [], task="label"), diff(GOLD, ANSWERS, task="label")
    assert found.systems == list(ANSWERS)
    assert (found.scores, found.agreement) == (expected.scores, expected.agreement)
    assert [(pair.p, pair.outcomes) for pair in found.pairs] == [(pair.p, pair.outcomes) for pair in expected.pairs]
    assert found.notes[0].kind == "reading"
    assert "`gold` holds the right answers, " in found.notes[0].text
    parts = diff(path, [], task="label", slices="topic").pairs[0].slices
    assert {(part.value, part.n) for part in parts} == {("art", 3), ("law", 3)}


def test_the_command_line_takes_one_table(tmp_path, outscore, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(wide())
    text = " ".join(outscore("diff", "--task", "label", "t.csv").stdout.split())
    assert "`t.csv`: `gold` holds the right answers, `old`, `new` and `third` are the systems' answers." in text
    again = json.loads(outscore("diff", "--task", "label", "t.csv", "--format", "json").stdout)
    assert again["systems"] == ["old", "new", "third"]


@pytest.mark.parametrize(
    ("content", "asked", "message"),
    [
        ("id,old,new\nq1,a,b\n", {}, "has no column of right answers among `id`, `old` and `new`"),
        ("id,gold,comment\nq1,a,why not\nq2,b,because\n", {}, "has no column with answers like those of `gold` among `id` and"),
        (
            "id,system,prediction,gold\nq1,a,x,x\nq1,b,x,y\n",
            {},
            "line 3: the right answer to `q1` is `y`, but earlier it was `x`",
        ),
        (wide(), {"names": "a,b"}, "A single table already names its systems"),
        (wide(), {"task": "pos"}, "1 file named, but gold and at least one system are needed"),
    ],
)
def test_tables_that_are_refused(tmp_path, content, asked, message, refusal):
    (tmp_path / "t.csv").write_text(content)
    options = [part for name, value in asked.items() if name != "task" for part in (f"--{name}", value)]
    assert message in refusal("diff", "--task", asked.get("task", "label"), str(tmp_path / "t.csv"), *options)


def test_evidence_at_every_look(pair_files, outscore, refusal):
    done = outscore("compare", "-v", "table.csv", "--anytime", "--format", "json")
    found = json.loads(done.stdout)["comparisons"][0]["anytime"]
    assert {"e_value", "p", "low", "high", "stopped_at"} <= set(found)
    assert json.loads(outscore("compare", "-v", "table.csv", "--format", "json").stdout)["comparisons"][0]["anytime"] is None
    text = " ".join(outscore("compare", "-v", "table.csv", "--anytime").stdout.split())
    assert "any time" in text
    assert "confidence sequence" in text
    assert "which must be random" in text
    assert refusal("compare", "-v", "table.csv", "--bounds", "0", "1").startswith(
        "--bounds is for a margin, a one-sided --delta, --anytime or --missing zero"
    )


def test_different_items_are_compared_and_pairs_refused(outscore, refusal, pair_files):
    (pair_files / "few.txt").write_text("1\n0\n1\n1\n0\n")
    found = outscore("compare", "a.txt", "few.txt", "--unpaired")
    assert found.exit_code == 0
    assert "exact Fisher test" in " ".join(found.stdout.split())
    assert refusal("compare", "table.csv", "--unpaired").startswith(
        "Both systems have 40 items, such as `q0`: these are pairs."
    )
    assert refusal("compare", "a.txt", "few.txt", "--unpaired", "--anytime").startswith("--anytime needs the same items")
    assert refusal("compare", "a.txt", "few.txt", "--unpaired", "--test", "sign").startswith("`sign` needs pairs")


def test_right_answers_have_one_name_in_every_command(outscore, refusal, tmp_path, monkeypatch):
    """`--gold-column` names the column everywhere, and so does `--gold` where no file is called like it."""
    monkeypatch.chdir(tmp_path)
    Path("wide.csv").write_text(wide().replace("gold", "truth"))
    named = ("wide.csv", "--system", "new", "--system", "old")
    for command in ("compare", "score", "rank", "gate"):
        more = ("--margin", "0.1") if command == "gate" else ()
        found = outscore(command, *named, *more, "--gold-column", "truth", "--format", "json").stdout
        assert "truth" in found
        assert outscore(command, *named, *more, "--gold", "truth", "--format", "json").stdout == found
    assert "`untruth` does not exist" in refusal("rank", *named, "--gold", "untruth")
    Path("asked.yaml").write_text("gold-column: truth\n")
    by_config = outscore("compare", *named, "--config", "asked.yaml").stdout
    assert by_config == outscore("compare", *named, "--gold", "truth").stdout
