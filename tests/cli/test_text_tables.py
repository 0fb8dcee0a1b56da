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
from tests.variants import a_few

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
@pytest.mark.posix
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


@pytest.mark.posix
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
    assert said.startswith(
        "`a` is a table without a column of outputs or references; its columns are `uid`, `truth` and `said`."
    )
    command = shlex.split(said.split("`")[-2])
    found = rates(outscore(*command[1:], "--format", "json"))
    assert found[0] < found[1] - 0.2


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
def test_the_command_that_is_proposed_runs_whatever_the_order_and_the_length_of_paths(order, tmp_path, outscore, refusal):
    folder = tmp_path / ("long" * 20) / ("longer" * 20)
    folder.mkdir(parents=True)
    for name, said in (("a", GOOD), ("b", BAD)):
        (folder / f"{name}.csv").write_text(table({"uid": [f"u{i}" for i in ORDER], "truth": REFERENCE, "said": said}))
    files = [str(folder / f"{name}.csv") for name in order]
    said = refusal("compare", *files, "--reference", str(folder / "a.csv"), *METRIC)
    found = rates(outscore(*shlex.split(said.split("`")[-2])[1:], "--format", "json"))
    assert (found[0] < found[1]) == (order[0] == "a")


@pytest.mark.posix
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


IDS = (
    "uid",
    "utt_id",
    "key",
    "utterance",
    "Utterance ID",
    "sentence_id",
    "sent_id",
    "segment_id",
    "seg_id",
    "doc_id",
    "qid",
    "id",
)


@pytest.mark.parametrize("ids", a_few(IDS, 5))
def test_rows_are_matched_by_id(ids, plain_rates, write, outscore):
    """In the order of the lines the good system would seem the bad one."""
    write(a__csv=outputs(GOOD, SHUFFLED, ids=ids), b__csv=outputs(BAD, ids=ids), r__csv=references(ids=ids))
    done = outscore("compare", "a.csv", "b.csv", "--reference", "r.csv", *METRIC, "--format", "json")
    assert rates(done) == plain_rates
    found = json.loads(done.stdout)["comparisons"][0]
    assert found["reading"]["item"] == [ids]
    assert any("`a.csv` were reordered by id to match `r.csv`" in note["text"] for note in found["notes"])


@pytest.mark.posix
def test_a_gate_matches_rows_by_id(write, outscore):
    good, bad = outputs(GOOD, SHUFFLED), outputs(BAD)
    write(good__csv=good, bad__csv=bad, r__csv=references())
    options = ("--reference", "r.csv", "--metric", "wer", "--margin", ".1")
    assert outscore("gate", "good.csv", "bad.csv", *options).exit_code == 1
    assert outscore("gate", "bad.csv", "good.csv", *options).exit_code == 0
    for texts, code in (((good, bad), 1), ((bad, good), 0)):
        with piped(*texts) as (baseline, candidate):
            assert outscore("gate", baseline, candidate, *options).exit_code == code


def test_the_same_rows_in_another_order_change_nothing(plain_rates, write, outscore):
    """Ids, and what a table says of each segment, travel together."""
    twice = [*ORDER[::2], *ORDER[1::2]]
    write(a__csv=outputs(GOOD, SHUFFLED), b__csv=outputs(BAD, twice), r__csv=references(SHUFFLED[::-1]))
    assert rates(outscore("compare", "a.csv", "b.csv", "--reference", "r.csv", *METRIC, "--format", "json")) == plain_rates


def test_a_segment_of_a_document_is_found_by_both(plain_rates, write, outscore):
    names = {"doc_id": [f"d{i // 3}" for i in ORDER], "segment_id": [str(i % 3) for i in ORDER]}
    write(
        a__csv=table({**names, "mt": GOOD}, SHUFFLED),
        b__csv=table({**names, "mt": BAD}),
        r__csv=table({**names, "ref": REFERENCE}),
    )
    done = outscore("compare", "a.csv", "b.csv", "--reference", "r.csv", *METRIC, "--format", "json")
    assert rates(done) == plain_rates
    assert json.loads(done.stdout)["comparisons"][0]["reading"]["item"] == ["doc_id", "segment_id"]


def test_documents_may_come_in_another_order(plain_rates, write, outscore):
    """A row is then known by its place in its document."""
    names = {"doc_id": [f"d{i // 3}" for i in ORDER]}
    moved = [*ORDER[15:], *ORDER[:15]]
    write(
        a__csv=table({**names, "mt": GOOD}, moved),
        b__csv=table({**names, "mt": BAD}),
        r__csv=table({**names, "ref": REFERENCE}),
    )
    assert rates(outscore("compare", "a.csv", "b.csv", "--reference", "r.csv", *METRIC, "--format", "json")) == plain_rates


def test_plain_references_of_tables_that_disagree_are_refused(plain_rates, write, refusal, outscore):
    write(a__csv=outputs(GOOD, SHUFFLED), b__csv=outputs(BAD), r__csv=references())
    for command in (("compare", "--metric", "wer"), ("gate", "--metric", "wer", "--margin", ".1"), ("rank", "--metric", "wer")):
        said = refusal(command[0], "a.csv", "b.csv", "--reference", "r.txt", *command[1:])
        assert said.startswith("`a.csv` and `b.csv` have the same ids in different orders, and `r.txt` has none")
        assert "a table with the columns id and reference" in said
    assert rates(outscore("compare", "a.csv", "b.csv", "--reference", "r.csv", *METRIC, "--format", "json")) == plain_rates


def test_plain_references_of_tables_that_agree_are_taken_in_their_order(plain_rates, write, outscore):
    write(a__csv=outputs(GOOD), b__csv=outputs(BAD))
    done = outscore("compare", "a.csv", "b.csv", "--reference", "r.txt", *METRIC, "--format", "json")
    assert rates(done) == plain_rates
    found = json.loads(done.stdout)["comparisons"][0]
    assert found["reading"]["item"] == []
    said = [note["text"] for note in found["notes"] if "no ids" in note["text"]]
    assert said == ["`r.txt` has no ids, so its lines were taken in the order of `a.csv` and `b.csv`, whose ids agree."]


def test_plain_outputs_are_taken_in_the_order_of_references_with_ids(plain_rates, write, outscore):
    write(a__csv=outputs(GOOD, SHUFFLED), r__csv=references())
    done = outscore("compare", "a.csv", "b.txt", "--reference", "r.csv", *METRIC, "--format", "json")
    assert rates(done) == plain_rates
    said = [note["text"] for note in json.loads(done.stdout)["comparisons"][0]["notes"]]
    assert "`b.txt` has no ids, so its lines were taken in the order of `r.csv`." in said


def test_the_line_about_the_data_says_how_rows_were_matched(write, outscore):
    write(a__csv=outputs(GOOD, SHUFFLED), b__csv=outputs(BAD), r__csv=references())
    write(g__txt="\n".join(GOOD) + "\n", h__txt="\n".join(BAD) + "\n", r__txt="\n".join(REFERENCE) + "\n")
    for command in (
        ("compare", "-v", "--metric", "wer"),
        ("rank", "-v", "--metric", "wer"),
        ("gate", "-v", "--metric", "wer", "--margin", ".1"),
    ):
        shown = outscore(command[0], "a.csv", "b.csv", "--reference", "r.csv", *command[1:]).stdout
        assert "items: `uid`;" in " ".join(shown.split()), shown
        shown = outscore(command[0], "g.txt", "h.txt", "--reference", "r.txt", *command[1:]).stdout
        assert "items: line order;" in " ".join(shown.split()), shown


@pytest.mark.parametrize(("option", "part", "column"), [("--item", "item", "take"), ("--system-column", "system", "backend")])
def test_the_column_of_a_table_of_texts_is_named_otherwise(option, part, column, plain_rates, write, refusal, outscore):
    columns = {"take": [f"u{i}" for i in ORDER]}
    write(
        a__csv=table({**columns, "hypothesis": GOOD}, SHUFFLED),
        b__csv=table({**columns, "hypothesis": BAD}),
        r__csv=table({**columns, "reference": REFERENCE, "hypothesis": REFERENCE}),
    )
    for command in ("compare", "rank", "gate"):
        margin = ("--margin", ".1") if command == "gate" else ()
        said = refusal(command, "a.csv", "b.csv", "--reference", "r.csv", "--metric", "wer", *margin, option, column)
        assert f"Name the column with --text-column {part}={column}." in said
    files = ("a.csv", "b.csv", "--reference", "r.csv", *METRIC, "--format", "json")
    assert rates(outscore("compare", *files, "--text-column", "item=take")) == plain_rates


def test_ids_that_repeat_are_refused_or_left_out(plain_rates, write, refusal, outscore):
    repeated = {"key": [f"k{i // 2}" for i in ORDER]}
    write(
        a__csv=table({**repeated, "mt": GOOD}),
        b__csv=table({**repeated, "mt": BAD}),
        r__csv=table({**repeated, "ref": REFERENCE}),
    )
    files = ("a.csv", "b.csv", "--reference", "r.csv", *METRIC)
    said = refusal("compare", *files)
    assert said.startswith("`a.csv`, line 3: segment k0 of `a` occurs a second time; it was on line 2.")
    assert "--text-column item=none" in said
    done = outscore("compare", *files, "--text-column", "item=none", "--format", "json")
    assert rates(done) == plain_rates
    assert json.loads(done.stdout)["comparisons"][0]["reading"]["item"] == []


def test_words_that_repeat_are_no_ids(plain_rates, write, outscore):
    asked = {"instruction": ["Translate this into German" for _ in ORDER]}
    write(a__csv=table({**asked, "mt": GOOD}), b__csv=table({**asked, "mt": BAD}), r__csv=table({**asked, "ref": REFERENCE}))
    assert rates(outscore("compare", "a.csv", "b.csv", "--reference", "r.csv", *METRIC, "--format", "json")) == plain_rates


@pytest.mark.parametrize("first", ["Hello,world", "ref,output", "Model, output", "Yes;no"])
def test_lines_with_a_comma_are_scored_as_lines(first, write, outscore):
    """The first line was taken for a header, although it is as good a sentence as the others."""
    mark = {"Yes;no": "; ", "ref,output": " "}.get(first, ", ")
    texts = {
        name: [first, *(text.replace(" ", mark, 1) for text in lines)]
        for name, lines in (("a__txt", GOOD), ("b__txt", BAD), ("r__txt", REFERENCE))
    }
    write(**{name: "\n".join(lines) + "\n" for name, lines in texts.items()})
    files = ("a.txt", "b.txt", "--reference", "r.txt", *METRIC, "--format", "json")
    found = rates(outscore("compare", *files))
    assert found == rates(outscore("compare", *files, "--reader", "text"))
    assert found[0] < found[1] - 0.2


@pytest.mark.parametrize("column", ["prompt", "task_id", "user_id"])
def test_what_all_segments_share_is_no_id(column, plain_rates, write, outscore):
    for name, texts, part in (("a", GOOD, "hypothesis"), ("b", BAD, "hypothesis"), ("r", REFERENCE, "reference")):
        write(**{f"{name}__jsonl": "".join(json.dumps({column: "translate", part: text}) + "\n" for text in texts)})
    done = outscore("compare", "a.jsonl", "b.jsonl", "--reference", "r.jsonl", *METRIC, "--format", "json")
    assert rates(done) == plain_rates
    assert json.loads(done.stdout)["comparisons"][0]["reading"]["item"] == []
