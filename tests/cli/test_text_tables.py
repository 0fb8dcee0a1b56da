"""Tables of texts: the content says that a file is one, and ids say which rows belong together, through pipes as in files."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from tests.cli.test_pipes import written_to

pytest.importorskip("jiwer")

SEGMENTS = 30
WORDS = ("the", "cat", "sat", "on", "a", "mat", "near", "old", "house", "by", "river", "today")
DRAW = random.Random(3)  # noqa: S311 - a seeded example
REFERENCE = [" ".join(DRAW.choices(WORDS, k=8)) for _ in range(SEGMENTS)]
GOOD = [" ".join(word if DRAW.random() > 0.05 else "um" for word in text.split()) for text in REFERENCE]
BAD = [" ".join(word if DRAW.random() > 0.4 else "um" for word in text.split()) for text in REFERENCE]
ORDER = list(range(SEGMENTS))
SHUFFLED = DRAW.sample(ORDER, k=SEGMENTS)
METRIC = ("--metric", "wer", "--jobs", "1")


def table(columns: Mapping[str, Sequence[str]], order: Sequence[int] = ORDER, separator: str = ",") -> str:
    """A table with these columns, its rows in this order."""
    rows = [separator.join(cells[i] for cells in columns.values()) for i in order]
    return "\n".join([separator.join(columns), *rows]) + "\n"


def outputs(texts: Sequence[str], order: Sequence[int] = ORDER, *, ids: str = "uid", separator: str = ",") -> str:
    return table({ids: [f"u{i}" for i in ORDER], "hypothesis": texts}, order, separator)


def references(order: Sequence[int] = ORDER, *, ids: str = "uid", separator: str = ",") -> str:
    return table({ids: [f"u{i}" for i in ORDER], "reference": REFERENCE}, order, separator)


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def writer(**texts: str) -> None:
        for name, text in texts.items():
            Path(name.replace("__", ".")).write_text(text)

    return writer


@contextlib.contextmanager
def piped(*texts: str) -> Iterator[list[str]]:
    """Pipes as the shell hands them over for `<(…)`."""
    with contextlib.ExitStack() as stack:
        places = []
        for text in texts:
            reading, writing = os.pipe()
            stack.callback(os.close, reading)
            stack.enter_context(written_to(writing, text.encode()))
            places.append(f"/dev/fd/{reading}")
        yield places


def rates(result) -> list[float]:
    assert result.exit_code == 0, result.stderr
    return [one["value"] for one in json.loads(result.stdout)["comparisons"][0]["scores"]]


@pytest.fixture
def plain_rates(write, outscore) -> list[float]:
    """The word error rates of the texts as plain lines, which is what every table of them has to give."""
    write(g__txt="\n".join(GOOD) + "\n", b__txt="\n".join(BAD) + "\n", r__txt="\n".join(REFERENCE) + "\n")
    found = rates(outscore("compare", "g.txt", "b.txt", "--reference", "r.txt", *METRIC, "--format", "json"))
    assert found[0] < found[1] - 0.2
    return found


@pytest.mark.parametrize("separator", [",", "\t"])
def test_a_table_through_a_pipe_is_a_table(separator, plain_rates, outscore):
    texts = [outputs(GOOD, separator=separator), outputs(BAD, separator=separator), references(separator=separator)]
    with piped(*texts) as (good, bad, gold):
        done = outscore("compare", good, bad, "--reference", gold, *METRIC, "--format", "json")
    assert rates(done) == plain_rates
    Path("b.csv").write_text(texts[1])
    Path("r.csv").write_text(texts[2])
    done = outscore("compare", "-", "b.csv", "--reference", "r.csv", *METRIC, "--format", "json", stdin=texts[0])
    assert rates(done) == plain_rates


@pytest.mark.parametrize("name", ["good.txt", "good", "good.hyp", "good.CSV"])
def test_the_ending_of_a_table_says_nothing(name, plain_rates, write, outscore):
    write(**{name: outputs(GOOD)}, bad__csv=outputs(BAD), r__out=references())
    assert rates(outscore("compare", name, "bad.csv", "--reference", "r.out", *METRIC, "--format", "json")) == plain_rates


def test_a_gate_sees_the_same_table_in_a_file_and_in_a_pipe(write, outscore):
    """The rows of the bad system are long in other columns, which as lines of text would decide."""
    noise = {"good": ["x " * 30 for _ in ORDER], "bad": ["y" for _ in ORDER]}
    columns = {name: {"uid": [f"u{i}" for i in ORDER], "extra": noise[name]} for name in noise}
    good, bad = table({**columns["good"], "hypothesis": GOOD}), table({**columns["bad"], "hypothesis": BAD})
    write(good__csv=good, bad__csv=bad, good__txt=good, bad__txt=bad, r__csv=references())
    options = ("--reference", "r.csv", "--metric", "wer", "--margin", ".1")
    for ending in ("csv", "txt"):
        assert outscore("gate", f"good.{ending}", f"bad.{ending}", *options).exit_code == 1
        assert outscore("gate", f"bad.{ending}", f"good.{ending}", *options).exit_code == 0
    for texts, code in (((good, bad), 1), ((bad, good), 0)):
        with piped(*texts) as (baseline, candidate):
            assert outscore("gate", baseline, candidate, *options).exit_code == code


def test_a_table_with_unusual_names_is_refused_whatever_its_name(write, outscore, refusal):
    texts = {
        name: table({"uid": [f"u{i}" for i in ORDER], "truth": REFERENCE, "said": said})
        for name, said in (("a", GOOD), ("b", BAD))
    }
    write(a=texts["a"], b=texts["b"])
    said = refusal("compare", "a", "b", "--reference", "a", *METRIC)
    assert said.startswith("`a` is a table without a column of outputs or references; its columns are `uid`, `truth`, `said`.")
    command = shlex.split(said.split("`")[-2])
    found = rates(outscore(*command[1:], "--format", "json"))
    assert found[0] < found[1] - 0.2


def test_a_damaged_table_is_no_text(write, refusal):
    write(a=outputs(GOOD).replace(GOOD[4], f"{GOOD[4]}, and more"), b=outputs(BAD), r=references())
    said = refusal("compare", "a", "b", "--reference", "r", *METRIC)
    assert said.startswith("`a`, line 6: found 3 columns, but the header has 2.")
    assert "--reader text" in said
    with piped(Path("a").read_text()) as (pipe,):
        assert "line 6: found 3 columns" in refusal("compare", pipe, "b", "--reference", "r", *METRIC)


def test_a_table_with_semicolons_is_refused_whatever_its_name(write, refusal):
    write(a=outputs(GOOD, separator=";"), b=outputs(BAD), r=references())
    assert refusal("compare", "a", "b", "--reference", "r", *METRIC).startswith("`a` is a table with semicolons")
