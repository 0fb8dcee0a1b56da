"""From settings and files to a request, and what is refused on the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from outscore.web.form import form
from outscore.web.messages import HTTPProblem
from outscore.web.store import Upload
from outscore.web.submission import submit


def made(command, parts, **settings):
    uploads = {part: [Upload(name, Path("x"), name, 1) for name in names] for part, names in parts.items()}
    return submit(command, settings, uploads)


TEXTS = {"files": ["a", "b"], "reference": ["r"]}
MID_P = "compare --test mcnemar --set variant=mid-p t"


@pytest.mark.parametrize(
    ("command", "parts", "settings", "line"),
    [
        ("compare", {"files": ["a.txt", "b.txt"]}, {}, "compare a.txt b.txt"),
        ("compare", {"files": ["my scores.csv"]}, {"alpha": 0.05, "seed": 0}, "compare 'my scores.csv'"),
        ("compare", {"files": ["t.csv"]}, {"system": ["-x", "y"]}, "compare --system=-x --system y t.csv"),
        ("compare", {"files": ["t"]}, {"metric": "fbeta", "metric.fbeta.beta": "2"}, "compare --metric fbeta:beta=2 t"),
        ("compare", {"files": ["t"]}, {"test": "bayes", "set.rope": ".01"}, "compare --test bayes --set rope=.01 t"),
        ("compare", {"files": ["t"]}, {"set.variant": "mid-p", "test": "mcnemar"}, MID_P),
        ("compare", {"files": ["t"]}, {"test": "sign", "metric": "mean"}, "compare --metric mean --test sign t"),
        ("compare", {"files": ["t"]}, {"unit-size": "15", "unit-advice": True}, "compare --unit-size 15 --unit-advice t"),
        ("compare", {"files": ["t"]}, {"resamples": "5e3", "delta": "-0.1"}, "compare --delta=-0.1 --resamples 5000 t"),
        ("texts", TEXTS, {"metric": ["bleu", "ter"]}, "compare --metric bleu,ter --reference r a b"),
        ("texts", TEXTS, {"lengths": "true"}, "compare --reference r --buckets length a b"),
        ("diff", {"files": ["s"], "gold": ["g"]}, {"task": "pos"}, "diff --task pos g s"),
        ("rank", {"files": ["s", "t"], "gold": ["g"]}, {"task": "ner"}, "rank --task ner --gold g s t"),
        ("plan", {"pilot": ["a", "b"]}, {"effect": ".02"}, "plan --effect 0.02 --pilot a --pilot b"),
        ("plan", {}, {"scores": ".871 .864", "n": 1000}, "plan --n 1000 --scores .871 .864"),
        ("report", {"files": ["r.json"]}, {}, "report r.json"),
    ],
)  # fmt: skip
def test_command_lines(command, parts, settings, line):
    outputs = " -o result.json -o result.html" if command == "diff" else " -o result.json"
    assert made(command, parts, **settings).line == f"outscore {line}{outputs}"


@pytest.mark.parametrize(
    ("command", "parts", "settings", "sentence"),
    [
        ("compare", {}, {}, "Scores: 0 files were given, expected: 1 to 2."),
        ("compare", {"files": ["a"], "config": ["b"]}, {}, "There are no files `config`."),
        ("compare", {"files": ["a"]}, {"config": "x"}, "There is no setting `config`."),
        ("compare", {"files": ["a"]}, {"output": "/etc/passwd"}, "There is no setting `output`."),
        ("compare", {"files": ["a"]}, {"reference": "/etc/passwd"}, "There is no setting `reference`."),
        ("rank", {"files": ["a"]}, {"dask": "tcp://evil.example:1"}, "There is no setting `dask`."),
        ("rank", {"files": ["a"]}, {"pairs": "x.parquet"}, "There is no setting `pairs`."),
        ("diff", {"files": ["a"], "gold": ["b"]}, {"changes": "x.jsonl"}, "There is no setting `changes`."),
        ("compare", {"files": ["a"]}, {"alpha": "low"}, "Level: Option `alpha` is 'low'."),
        ("compare", {"files": ["a"]}, {"alpha": "1_0"}, "Level: Option `alpha` is '1_0'."),
        ("compare", {"files": ["a"]}, {"alpha": "nan"}, "Level: `alpha` is nan."),
        ("compare", {"files": ["a"]}, {"unit-size": 1.5}, "Unit size: Option `unit_size` is 1.5."),
        ("compare", {"files": ["a"]}, {"seed": True}, "Seed: Option `seed` is True."),
        ("compare", {"files": ["a"]}, {"test": "bayes", "set.rope": -1}, "Rope: Option `rope` is -1."),
        ("compare", {"files": ["a"]}, {"test": "--help"}, "Test: '--help' was given."),
        ("compare", {"files": ["a"]}, {"item": ["x", "y"]}, "Items: 2 values were given."),
        ("compare", {"files": ["a"]}, {"item": "x\ny"}, "Items: 'x\\ny' was given."),
        ("compare", {"files": ["a"]}, {"unit-advice": "maybe"}, "Try other unit sizes: Option `unit_advice` is 'maybe'."),
        ("compare", {"files": ["a"]}, {"set.zeros": "pratt"}, "Zeros: this applies only to `wilcoxon`."),
        ("compare", {"files": ["a"]}, {"metric": "fbeta", "metric.fbeta.beta": "1:x=2"}, "Beta: '1:x=2' was given."),
        ("plan", {}, {"scores": [".8"]}, "Printed scores: '.8' was given."),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(command, parts, settings, sentence):
    with pytest.raises(HTTPProblem) as refusal:
        made(command, parts, **settings)
    assert refusal.value.status == 422
    assert refusal.value.message == sentence
    blamed = next((one.label for one in form(command) if one.name == refusal.value.setting), None)
    assert blamed is None or sentence.startswith(f"{blamed}: ")
    assert (blamed is None) == sentence.startswith(("There", "Scores: 0"))


def test_files_of_one_name_stand_in_folders():
    def upload(i, name):
        return Upload(str(i), Path("x"), name, 1)

    names = ["2", "x", "x", "x", "3", "2"]
    parts = {"files": [upload(i, name) for i, name in enumerate(names)]}
    places = list(submit("rank", {}, parts).places)
    assert places == ["2", "x", "3/x", "4/x", "3/3", "3/2"]
    folders = {place.partition("/")[0] for place in places if "/" in place}
    assert not folders & {place for place in places if "/" not in place}


def test_names_that_mean_something_else_to_the_command_line():
    lines = {
        made("diff", {"files": ["result.html", "s"], "gold": ["g"]}, task="pos").line,
        made("texts", {**TEXTS, "buckets": ["length"]}).line,
        made("compare", {"files": ["result.json", "result-2.json"]}).line,
    }
    assert lines == {
        "outscore diff --task pos g result.html s -o result-2.json -o result-2.html",
        "outscore compare --reference r --buckets ./length a b -o result.json",
        "outscore compare result.json result-2.json -o result-3.json",
    }


@pytest.mark.parametrize("setting", ["gold", "cluster", "roster"])
@pytest.mark.parametrize("path", ["/etc/passwd", "../secret.txt", "a/../../secret.txt"])
def test_no_setting_reads_a_file_that_was_not_uploaded(setting, path):
    """These may name a column or a file, which is one of those that were uploaded."""
    with pytest.raises(HTTPProblem) as refusal:
        made("compare", {"files": ["a.csv", "b.csv"]}, **{setting: path})
    assert (refusal.value.status, refusal.value.setting) == (422, setting)
