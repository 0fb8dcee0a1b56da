"""`outscore mcp`, asked by the client of the protocol's own package over standard input and output."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from importlib.util import find_spec
from pathlib import Path

import anyio
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from outscore.cli.app import app
from outscore.core.errors import OutscoreError
from outscore.web import mcp as served
from outscore.workflows.requests.registry import REQUESTS

pytestmark = pytest.mark.skipif(find_spec("mcp") is None, reason="needs the extra mcp")
NEW = [1] * 40 + [0] * 10
OLD = [1] * 28 + [0] * 22


def write(path: Path, **columns: list[float]) -> None:
    rows = zip(*columns.values(), strict=True)
    lines = [",".join(("id", *columns)), *(f"q{i}," + ",".join(map(str, row)) for i, row in enumerate(rows))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    write(folder / "both.csv", new=NEW, old=OLD)
    write(tmp_path / "secret.csv", new=NEW, old=OLD)
    return folder


def ask(root: Path, *calls: tuple[str, dict[str, object]]) -> list[tuple[bool, str]]:
    """What the server says to each call, and whether it is an error."""
    from mcp import Client, StdioServerParameters

    async def conversation() -> list[tuple[bool, str]]:
        # A client passes few variables on, and some of the rest choose the arithmetic of a library: its last digits.
        arguments = ["-m", "outscore", "mcp", "--root", str(root)]
        command = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))
        async with Client(command) as client:
            tools = await client.list_tools()
            assert [tool.name for tool in tools.tools] == list(REQUESTS)
            answers = [await client.call_tool(name, given) for name, given in calls]
            return [(bool(answer.is_error), answer.content[0].text) for answer in answers]

    return anyio.run(conversation)


def test_a_client_gets_the_verdict_first_and_the_same_result_as_the_command_line(root):
    gate = {"files": ["both.csv"], "margin": 0.02, "names": ["old", "new"]}
    said = ask(
        root,
        ("compare", {"files": ["both.csv"], "whole": True}),
        ("compare", {"files": [str(root / "both.csv")]}),
        ("gate", gate),
        ("rank", {"files": ["both.csv"]}),
        ("plan", {"effect": 0.02, "sd": 0.3}),
        ("compare", {"files": ["both.csv"], "alhpa": 0.1}),
        ("compare", {"files": ["both.csv"], "alpha": 7}),
        ("compare", {"files": ["../secret.csv"]}),
        ("compare", {"files": ["-"]}),
        ("nothing", {}),
    )
    answered, refused = said[:5], said[5:]
    assert not any(failed for failed, _ in answered)
    assert all(failed and text.count("\n") == 0 for failed, text in refused)
    whole, brief, gated, ranked, planned = (json.loads(text) for _, text in answered)
    assert next(iter(whole)) == "verdict"
    assert whole["verdict"] == brief["verdict"] == "new outscored old"
    with contextlib.chdir(root):
        printed = json.loads(CliRunner().invoke(app, ["compare", "both.csv", "--format", "json"]).output)
    assert whole.pop("result") == printed
    assert brief == whole
    assert brief["values"][0]["p"] == printed["comparisons"][0]["p"]["value"]
    assert gated["values"][0]["outcome"] in ("pass", "fail", "inconclusive")
    assert ranked["verdict"]
    assert "1,768" in planned["answer"]
    misspelt, senseless, outside, pipe, unknown = (text for _, text in refused)
    assert "alhpa" in misspelt
    assert "alpha" in misspelt
    assert senseless == "`alpha` is 7. Give a number between 0 and 1, such as 0.05."
    assert outside.startswith(f"`../secret.csv` is not below `{root}`")
    assert "standard input" in pipe
    assert unknown.startswith("There is no tool `nothing`.")


def test_calls_at_once_get_the_answers_of_calls_in_turn(root):
    """And a file that was changed is read again."""
    calls = [("compare", {"files": ["both.csv"]}), ("rank", {"files": ["both.csv"]}), ("compare", {"files": ["no.csv"]})]
    from mcp import Client, StdioServerParameters

    async def conversation() -> list[str]:
        # A client passes few variables on, and some of the rest choose the arithmetic of a library: its last digits.
        arguments = ["-m", "outscore", "mcp", "--root", str(root)]
        command = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))
        found: list[str] = [""] * 6
        async with Client(command) as client:

            async def call(place: int, name: str, arguments: dict[str, object]) -> None:
                found[place] = (await client.call_tool(name, arguments)).content[0].text

            async with anyio.create_task_group() as group:
                for place, (name, arguments) in enumerate([*calls, *calls[:2]]):
                    group.start_soon(call, place, name, arguments)
            write(root / "both.csv", new=OLD, old=NEW)
            await call(5, *calls[0])
        return found

    found = anyio.run(conversation)
    assert found[:2] == found[3:5]
    assert [json.loads(found[place])["verdict"] for place in (0, 5)] == ["new outscored old", "old outscored new"]
    assert "`no.csv` does not exist" in found[2]


class TestFiles:
    """Only those below the folder are read, whatever they are called."""

    @pytest.fixture(autouse=True)
    def place(self, root, monkeypatch):
        monkeypatch.chdir(root)

    @pytest.mark.parametrize(
        ("command", "given"),
        [
            ("compare", {"files": ["/etc/passwd"]}),
            ("compare", {"files": ["there/../../secret.csv"]}),
            ("compare", {"files": ["link.csv"]}),
            ("compare", {"files": ["folder"]}),
            ("rank", {"files": ["folder/*.csv"]}),
            ("rank", {"files": ["fold*/link.csv"]}),
            ("compare", {"files": ["both.csv"], "roster": "../secret.csv"}),
            ("compare", {"files": ["both.csv"], "qrels": "link.csv"}),
            ("texts", {"files": ["both.csv"], "reference": ["both.csv"], "scores": {"COMET": "both.csv,/etc/x=y.txt"}}),
            ("texts", {"files": ["both.csv"], "reference": ["both.csv"], "metric": "spbleu:model=/etc/x"}),
            ("gate", {"files": ["both.csv"], "margin": 0.02, "baseline_file": "link.csv"}),
            ("rank", {"files": ["both.csv"], "reference": ["{dataset}/link.csv"]}),
            ("show", {"files": ["logs/samples.jsonl"]}),
            ("compare", {"files": ["a\0b"]}),
        ],
    )
    def test_what_lies_outside_is_refused_before_it_is_opened(self, root, command, given):
        secret = root.parent / "secret.csv"
        for name in ("folder", "logs", "there"):
            (root / name).mkdir()
        (root / "logs" / "samples.jsonl").write_text("{}\n")
        for link in ("link.csv", "folder/link.csv", "logs/results.json"):
            (root / link).symlink_to(secret)
        secret.chmod(0)
        said, failed = served.answer(command, given, root)
        assert failed
        assert f"is not below `{root}`" in said

    def test_links_that_stay_inside_and_odd_words_are_fine(self, root):
        (root / "link.csv").symlink_to(root / "both.csv")
        (root / "a=b,c.csv").write_bytes((root / "both.csv").read_bytes())
        for name in ("link.csv", "./both.csv", "a=b,c.csv"):
            said, failed = served.answer("compare", {"files": [name], "names": ["x, y", "z:=,"]}, root)
            assert not failed, said

    def test_what_is_no_file_is_not_waited_for(self, root):
        (root / "folder").mkdir()
        os.mkfifo(root / "folder" / "pipe.csv")
        for given_files in (["folder/pipe.csv"], ["folder"], ["folder/*.csv"]):
            said, failed = served.answer("compare", {"files": given_files}, root)
            assert failed
            assert "`folder/pipe.csv` is neither a file nor a folder" in said
        # Of what lies outside, nobody is told whether it is there.
        os.mkfifo(root.parent / "pipe.csv")
        for outside in ("../pipe.csv", "../none.csv"):
            assert "is not below" in served.answer("compare", {"files": [outside]}, root)[0]

    @pytest.mark.parametrize("name", ["x" * 300, "x" * 5000, "a," * 2000, "", "b\udcff.csv"])
    @pytest.mark.parametrize("command", ["compare", "show", "rank"])
    def test_names_that_no_file_can_have_are_refused(self, root, command, name):
        said, failed = served.answer(command, {"files": [name, "both.csv"]}, root)
        assert failed
        assert "unexpectedly" not in said
        assert said.encode()

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ({"files": [["both.csv"]]}, '`files` holds ["both.csv"]'),
            ({"files": ["both.csv", None]}, "`files` holds null"),
            ({"files": ["both.csv"], "set": {"resamples": [99]}}, "`set` holds [99]"),
            ({"files": ["both.csv"], "alpha": {"a": {}}}, "`alpha` holds {}"),
            ({"files": ["both.csv"], "alpha": float("nan")}, "`alpha` is nan"),
            ({"files": ["both.csv"], "margin": True}, "`margin` is 'true'"),
            ({"files": ["both.csv"], "whole": "yes"}, "`whole` is neither true nor false"),
        ],
    )
    def test_values_of_other_types_are_refused(self, root, given, said):
        found, failed = served.answer("compare", given, root)
        assert failed
        assert said in found

    @given(st.text(alphabet="./ab,=:~*{}\0", max_size=12))
    def test_no_text_reaches_outside(self, text):
        """Against the naive rule: a text whose parts all resolve below the folder, tried one by one."""
        root = Path.cwd()
        pieces = [text[i:j] for i in range(len(text)) for j in range(i + 1, len(text) + 1)]
        at_cuts = [
            piece
            for piece in pieces
            for i in range(len(text))
            if text[i : i + len(piece)] == piece
            and (i == 0 or text[i - 1] in ",=:")
            and (i + len(piece) == len(text) or text[i + len(piece)] in ",=:")
        ]
        leaves = any("\0" in piece or not Path(os.path.normpath(root / piece)).is_relative_to(root) for piece in at_cuts)
        try:
            served.refuse_outside(root, REQUESTS["compare"].option("roster"), text)
        except OutscoreError:
            assert leaves
        else:
            assert not leaves


def test_every_option_is_an_argument_and_takes_what_python_takes():
    for command, request in REQUESTS.items():
        schema = served.schema_of(request)
        names = {option.name for option in request.options()}
        assert served.WHOLE not in names
        assert set(schema["properties"]) == {*names, served.WHOLE}, command
        assert all(entry["description"] for entry in schema["properties"].values())


def test_a_mistake_of_ours_is_said_in_one_sentence(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(served, "_written", lambda _given: 1 / 0)
    said, failed = served.answer("compare", {}, tmp_path)
    assert (failed, said.split(".")[0]) == (True, "This failed unexpectedly (ZeroDivisionError)")
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_the_folder_must_be_there(tmp_path):
    done = CliRunner().invoke(app, ["mcp", "--root", str(tmp_path / "no")])
    assert done.exit_code == 2
    assert "is not a folder" in done.output


def test_the_package_is_named_if_it_is_missing(monkeypatch, tmp_path):
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    done = CliRunner().invoke(app, ["mcp", "--root", str(tmp_path)])
    assert done.exit_code == 2
    assert "pip install 'outscore[mcp]'" in done.output
