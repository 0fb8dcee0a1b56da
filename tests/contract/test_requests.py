"""One declaration per command: an option stands in one place and shows everywhere."""

from __future__ import annotations

import ast
import dataclasses
import importlib.util
import json
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner
from tests.variants import a_few

import outscore as osc
from outscore.cli.app import app
from outscore.cli.declared import config_option, declared_options, given_of
from outscore.core.errors import OutscoreError
from outscore.core.options import Option
from outscore.core.records import dataclass
from outscore.workflows.requests.base import Request, declare
from outscore.workflows.requests.registry import FILE_REQUESTS
from outscore.workflows.requests.registry import REQUESTS as ANSWERED
from outscore.workflows.requests.settings_file import entries_of_yaml, settings_yaml

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "outscore"
REQUESTS = {**ANSWERED, **FILE_REQUESTS}
DUMMY = Option("dummy_size", int, 37, "Only a dummy.", minimum=2, label="Dummy", group="test")


def script(name: str):
    """A module of the documentation, which is no package."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "docs")
        spec.loader.exec_module(module)
    return module


def extended(request: type[Request]) -> type[Request]:
    """A request with one option more."""

    @dataclass(frozen=True)
    class Extended(request):
        dummy_size: int = declare(DUMMY)

    return Extended


@pytest.fixture(params=REQUESTS)
def request_type(request) -> type[Request]:
    return extended(REQUESTS[request.param])


@pytest.fixture
def command(request_type):
    @click.command()
    @declared_options(request_type.options(), without=request_type.positional)
    @config_option
    def run(**asked) -> None:
        given = given_of(request_type.options(), asked)
        click.echo(request_type.from_written(given).value("dummy_size"))

    return run


NEEDED = {"diff": ["--task", "pos"]}


class TestOneMoreOption:
    def test_it_is_in_the_help(self, command):
        assert "--dummy-size INTEGER RANGE" in CliRunner().invoke(command, ["--help"]).output

    def test_it_is_read_from_the_command_line_and_from_a_config(self, command, request_type, tmp_path):
        (tmp_path / "c.yaml").write_text("dummy-size: 5\n")
        needed = NEEDED.get(request_type.command, [])
        assert CliRunner().invoke(command, [*needed, "--dummy-size", "4"]).output == "4\n"
        assert CliRunner().invoke(command, [*needed, "--config", str(tmp_path / "c.yaml")]).output == "5\n"
        assert CliRunner().invoke(command, needed).output == "37\n"

    def test_it_is_saved(self, request_type):
        saved = request_type.from_written({"dummy-size": "5"}).settings()
        assert saved.get("dummy_size", saved.get("dummy-size")) == 5

    def test_it_is_a_keyword_in_python(self, request_type):
        writer = script("write_api")
        front = next(front for front in writer.FRONTS if front.request is REQUESTS[request_type.command])
        text = writer.function(dataclasses.replace(front, request=request_type), "call")
        assert "dummy_size: int = 37" in text
        assert "dummy_size=dummy_size" in text
        assert "dummy_size : int, default 37\n        Only a dummy." in text
        assert request_type.from_python({"dummy_size": 4}).value("dummy_size") == 4

    def test_it_is_in_the_list_of_the_docs(self, request_type):
        listed = script("build").option_list(request_type.options())
        assert "- `--dummy-size`: Only a dummy. Default: `37`.\n" in listed

    def test_it_is_checked(self, request_type):
        for wrong in ("1", "x", "2.5"):
            with pytest.raises(OutscoreError) as refused:
                request_type.from_written({"dummy-size": wrong})
            assert refused.value.parameter == "dummy_size"

    def test_it_is_in_the_calls_to_copy(self, request_type):
        request = request_type.from_written({"dummy-size": "5"})
        assert "--dummy-size 5" in request.command_line()
        assert "dummy_size=5" in request.python_call()
        assert "dummy" not in request_type().command_line()


GIVEN = {
    "compare": {
        "files": ["a.txt", "b.txt"],
        "set": ["zeros=pratt"],
        "names": "new, old",
        "alpha": "1e-3",
        "seed": "9" * 19,
    },
    "texts": {"files": ["a", "b"], "reference": ["r", "s"], "metric": "bleu:tokenize=none,chrf", "buckets": ["length"]},
    "score": {"files": ["t.csv"], "slice": "topic", "power": "0.9", "names": "new"},
    "gate": {"files": ["a.csv", "b.csv"], "margin": "0.02", "inconclusive": "pass", "names": "old,new"},
    "rank": {"files": ["t.csv"], "critical-difference": "true", "score": ["tp", "fp"]},
    "diff": {"gold": "g", "files": ["a", "b"], "task": "dep", "punct": "true", "map": ["a=b"]},
    "plan": {"scores": ".871 .864", "n": "1000"},
    "prefer": {"files": ["votes.csv"], "winner": ["human", "gpt"], "names": "new,old", "strength": "3", "people": "human"},
    "show": {"files": ["runs", "log.eval"], "reader": "inspect"},
    "convert": {"files": ["runs"], "reader": "helm", "system": ["amber", "birch"], "log-task": "sums"},
}


class TestWritten:
    @pytest.mark.parametrize("name", REQUESTS)
    def test_text_survives_the_way_there_and_back(self, name):
        request = REQUESTS[name].from_written(GIVEN[name])
        assert REQUESTS[name].from_written(request.written()) == request
        assert json.loads(json.dumps(request.written())) == request.written()
        assert set(request.written()) == {key.replace("-", "_") for key in GIVEN[name]}

    @pytest.mark.parametrize("name", REQUESTS)
    def test_yaml_survives_the_way_there_and_back(self, name):
        request = REQUESTS[name].from_written(GIVEN[name])
        entries = entries_of_yaml(settings_yaml(request), "s.yaml")
        assert REQUESTS[name].from_written({key: entry.value for key, entry in entries.items()}) == request

    @pytest.mark.parametrize("name", REQUESTS)
    def test_an_unknown_option_is_named(self, name):
        with pytest.raises(OutscoreError, match="has no option `aplha`") as refused:
            REQUESTS[name].from_written({"aplha": "1"})
        assert refused.value.parameter == "aplha"

    @pytest.mark.parametrize(
        ("name", "given", "parameter"),
        [
            ("compare", {"files": ["a"], "alpha": "2"}, "alpha"),
            ("compare", {"files": ["a"], "test": "anova"}, "test"),
            ("compare", {"files": ["a"], "metric": "meen"}, "metric"),
            ("compare", {"files": ["a"], "margin": "-1"}, "margin"),
            ("compare", {"files": ["a"], "shuffle": "3"}, "shuffle"),
            ("compare", {}, "files"),
            ("texts", {"files": ["a", "b"]}, "reference"),
            ("texts", {"files": ["a", "b"], "reference": ["r"], "compat": "moses"}, "compat"),
            ("rank", {"files": ["a"], "correction": "max-t"}, "correction"),
            ("rank", {"files": ["a"], "gold": "g"}, "task"),
            ("diff", {"gold": "g", "files": ["a"], "task": "pos", "punct": "true"}, "punct"),
            ("diff", {"gold": "g", "files": ["a"], "task": "pos", "min-support": "0"}, "min_support"),
            ("plan", {"scores": ".8 .7"}, "n"),
            ("prefer", {}, "files"),
            ("prefer", {"files": ["a"], "alpha": "2"}, "alpha"),
            ("prefer", {"files": ["a"], "length": ["x"]}, "length"),
            ("prefer", {"files": ["a"], "order": "swapped"}, "order"),
            ("prefer", {"files": ["a"], "correction": "max-t"}, "correction"),
            ("prefer", {"files": ["a"], "labels": "b", "people": "c"}, "people"),
            ("plan", {"effect": ".1", "replicates": "9"}, "replicates"),
        ],
    )
    def test_errors_name_the_parameter_before_any_file_is_opened(self, name, given, parameter):
        with pytest.raises(OutscoreError) as refused:
            REQUESTS[name].from_written(given).validate()
        assert refused.value.parameter == parameter


class TestModes:
    """What an option is for is declared with it, and one function refuses it elsewhere."""

    @pytest.mark.parametrize("name", REQUESTS)
    def test_a_refusal_names_the_option_and_a_cure(self, name):
        facts = {"log": "a log", "measures": 2, "task": "pos", "test": "sign"}
        for option in REQUESTS[name].options():
            for mode in option.only_for:
                with pytest.raises(OutscoreError) as refused:
                    mode.refuse(option, "given", **facts)
                assert refused.value.parameter == option.name, mode.name
                assert any(word in refused.value.message for word in (f"--{option.long} ", f"`{option.keyword}`")), mode.name
                assert refused.value.hint, mode.name
                assert "{" not in str(refused.value), mode.name

    def test_what_is_given_outside_its_mode_is_refused(self):
        request = REQUESTS["compare"].from_written({"files": ["a", "b"], "unpaired": "true", "unit-size": "2"})
        with pytest.raises(OutscoreError, match="--unit-size needs the same items") as refused:
            request.validate()
        assert refused.value.parameter == "unit_size"

    def test_options_of_scores_or_of_texts_alone_say_so(self):
        """`outscore compare` has the options of both, and refuses those of the kind that is not asked."""
        of_scores, of_texts = ({o.name: o for o in REQUESTS[name].options()} for name in ("compare", "texts"))
        # Clusters of texts are their documents.
        assert all(of_scores[name].mode("scores") for name in of_scores.keys() - of_texts.keys() - {"cluster"})
        assert all(of_texts[name].mode("texts") for name in of_texts.keys() - of_scores.keys() - {"reference"})


SEEDS = ("seed", "shuffle")
SHARES = ("alpha", "normality_alpha", "power")
COUNTS = ("unit_size", "resamples", "min_support", "strength", "n", "repeats", "replicates")
NUMBERS = (
    "delta", "margin", "bounds", "effect", "sd", "discordance", "accuracy", "within", "cluster_size", "icc",
    "price_item", "price_run", "budget",
)  # fmt: skip
SENSELESS = {
    **dict.fromkeys(SEEDS, ("-1", str(2**128), "1.5", "nan", "1e5000", "9" * 5_000)),
    **dict.fromkeys(SHARES, ("0", "1", "nan", "5", "-1", "1e-400", "1e5000", "inf", "9" * 5_000)),
    **dict.fromkeys(COUNTS, ("0", "-1", "1.5", "nan", "1e5000", str(10**30), "9" * 5_000)),
    **dict.fromkeys(NUMBERS, ("nan", "inf", "-inf", "1e5000", "9" * 5_000)),
}
NUMERIC = [(name, option) for name, request in REQUESTS.items() for option in request.options() if option.type in (int, float)]


class TestSenselessNumbers:
    """They are refused where they are declared, and alike from the command line, Python, the page and files of settings."""

    @pytest.mark.parametrize(("name", "option"), NUMERIC, ids=lambda one: getattr(one, "name", one))
    def test_as_text(self, name, option):
        for written in SENSELESS[option.name]:
            with pytest.raises(OutscoreError) as refused:
                REQUESTS[name].from_written({option.name: [written] * max(1, option.least)})
            assert refused.value.parameter == option.name
            assert len(str(refused.value)) < 500

    @pytest.mark.parametrize(("name", "option"), NUMERIC, ids=lambda one: getattr(one, "name", one))
    def test_in_python(self, name, option):
        given = [float(written) for written in SENSELESS[option.name]]
        wholes = [-1, 2**128, 10**400, 10**5000] if option.name in SEEDS else [-(10**5000), 10**5000]
        for value in (*given, *(whole for whole in wholes if option.type is int), "x", True if option.name == "seed" else "y"):
            with pytest.raises(OutscoreError) as refused:
                REQUESTS[name].of({option.name: (value, value) if option.least == 2 else value})
            assert refused.value.parameter == option.name
            assert len(str(refused.value)) < 500

    def test_options_of_tests_and_metrics(self):
        for options in ({"resamples": str(10**30)}, {"resamples": "-1"}, {"resamples": "1e5000"}):
            with pytest.raises(OutscoreError, match="resamples"):
                osc.compare([1, 0, 1], [0, 1, 1], options=options)
        for beta in ("1e999999999", "1e-999999999", "9" * 5_000, "nan"):
            with pytest.raises(OutscoreError, match="beta"):
                osc.compare([[1, 0], [1, 1]], [[0, 1], [1, 0]], metric=f"fbeta:beta={beta}")
        with pytest.raises(OutscoreError, match="rope"):
            osc.compare([1, 0, 1], [0, 1, 1], test="bayes", options={"rope": "1e5000"})


def defaults(path: Path):
    """Parameters and fields with a literal for a default: their names and the literals."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            given, asked = node.args, [*node.args.posonlyargs, *node.args.args]
            pairs = [
                *zip(reversed(asked), reversed(given.defaults), strict=False),
                *zip(given.kwonlyargs, given.kw_defaults, strict=True),
            ]
            found = [(argument.arg, default) for argument, default in pairs]
        elif isinstance(node, ast.ClassDef):
            fields = [one for one in node.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)]
            found = [(one.target.id, one.value) for one in fields]
        else:
            continue
        for name, default in found:
            if isinstance(default, ast.Constant):
                yield name, default.value


DECLARED = {o.name: o.default for r in REQUESTS.values() for o in r.options() if o.default not in (None, False, (), {})}


def stated_elsewhere(*rooms: str) -> list[str]:
    """Where a parameter of an option's name has a default of its own."""
    files = [path for room in rooms for path in (SOURCE / room).rglob("*.py")]
    return [
        f"{path.relative_to(SOURCE)}: {name} = {value!r}"
        for path in files
        if "requests" not in path.parts
        for name, value in defaults(path)
        if name in DECLARED and value not in (None, False)
    ]


class TestGroups:
    """Options that come together are fields of a request that others inherit."""

    @dataclass(frozen=True)
    class First(Request):
        files: tuple[str, ...] = declare(Option("files", str, (), ""))
        size: int = declare(Option("size", int, 1, "The first."))

    @dataclass(frozen=True)
    class Second(Request):
        side: str = declare(Option("side", str, "", ""), after="files")
        seed: int = declare(Option("seed", int, 0, ""))

    def test_options_come_from_left_to_right_and_what_is_declared_again_keeps_its_place(self):
        @dataclass(frozen=True)
        class Both(self.First, self.Second):
            deep: int = declare(Option("deep", int, 0, ""), after="early")
            early: int = declare(Option("early", int, 0, ""), after="size")
            size: int = declare(Option("size", int, 2, "The second."))
            names: str = declare(Option("names", str, "", ""))

        assert [option.name for option in Both.options()] == ["files", "side", "size", "early", "deep", "seed", "names"]
        assert Both.option("size").help == "The second."
        assert (Both().size, self.First().size) == (2, 1)
        assert [option.name for option in self.First.options()] == ["files", "size"]

    def test_an_option_that_follows_none_is_refused(self):
        with pytest.raises(ValueError, match=r"Second has no options that side could follow"):
            self.Second.options()

    def test_no_option_is_a_field_of_three_requests(self):
        """Two may differ in its place; what is stated a third time belongs into a group."""
        classes = {one for request in REQUESTS.values() for one in request.__mro__ if issubclass(one, Request)}
        stated = Counter(
            repr(field.metadata["option"])
            for one in classes
            for field in dataclasses.fields(one)
            if field.name in one.__annotations__ and "option" in field.metadata
        )
        assert len(stated) > 100
        assert [option for option, times in stated.items() if times > 2] == []


def test_defaults_are_declared_once():
    assert {"alpha", "normality_alpha", "unit_size", "min_support", "power", "test"} <= set(DECLARED)
    assert stated_elsewhere("workflows", "cli", "web") == []


def test_the_search_for_defaults_finds_some(tmp_path):
    path = tmp_path / "x.py"
    path.write_text("def f(a, *, alpha=0.05, seed: int = 0): ...\nclass C:\n    power: float = 0.8\n    n: int\n")
    assert set(defaults(path)) == {("alpha", 0.05), ("seed", 0), ("power", 0.8)}


def test_the_public_functions_are_up_to_date(capsys):
    assert script("write_api").main(["--check"]) == 0, capsys.readouterr().out


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Files of every kind, in the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OUTSCORE_CACHE", str(tmp_path / "cache"))
    rows = [f"q{i},{(i * 7) % 5},{(i * 3) % 4},{'xy'[i % 2]}" for i in range(24)]
    Path("table.csv").write_text("\n".join(["id,new,old,task", *rows]) + "\n")
    Path("a.txt").write_text("".join(f"{(i * 7) % 5}\n" for i in range(24)))
    Path("b.txt").write_text("".join(f"{(i * 3) % 4}\n" for i in range(24)))
    words = ["the cat sat on the mat", "it was late", "we go home now", "a dog ran", "she sings", "all is well"]
    Path("ref.txt").write_text("\n".join(words) + "\n")
    Path("one.txt").write_text("\n".join(word.replace("the", "a") for word in words) + "\n")
    Path("two.txt").write_text("\n".join(" ".join(word.split()[:2]) for word in words) + "\n")
    for name, step in (("gold", 99), ("first", 3), ("second", 5)):
        labels = [f"q{i},{'no' if i % step == 0 and name != 'gold' else 'yes'}" for i in range(30)]
        column = "gold" if name == "gold" else "prediction"
        Path(f"{name}.csv").write_text("\n".join([f"id,{column}", *labels]) + "\n")
    votes = [f"p{i % 12},{'xy'[i % 2]},{'yx'[i % 2]},{('x', 'y', 'tie', 'x')[i % 4]},{i % 7},{i % 5}" for i in range(24)]
    Path("votes.csv").write_text("\n".join(["prompt,model_a,model_b,winner,length_a,length_b", *votes]) + "\n")
    return tmp_path


SAME = {
    "compare": (["a.txt", "b.txt", "--alpha", "0.1"], lambda: osc.compare("a.txt", "b.txt", alpha=0.1)),
    "compare a table": (
        ["table.csv", "--item", "id", "--slice", "task", "--seed", "3", "--set", "resamples=99"],
        lambda: osc.compare("table.csv", items="id", slices="task", seed=3, options={"resamples": 99}),
    ),
    "texts": (
        ["one.txt", "two.txt", "--reference", "ref.txt", "--metric", "ter,wer", "--buckets", "length"],
        lambda: osc.compare_texts("one.txt", "two.txt", "ref.txt", metrics=["ter", "wer"], buckets="length"),
    ),
    "score": (
        ["table.csv", "--item", "id", "--slice", "task", "--alpha", "0.1"],
        lambda: osc.score("table.csv", items="id", slices="task", alpha=0.1),
    ),
    "gate": (
        ["a.txt", "b.txt", "--margin", "0.5", "--inconclusive", "fail"],
        lambda: osc.gate("a.txt", "b.txt", margin=0.5, inconclusive="fail"),
    ),
    "gate a table": (["table.csv", "--item", "id", "--margin", "2"], lambda: osc.gate("table.csv", items="id", margin=2.0)),
    "rank": (["table.csv", "--correction", "bh"], lambda: osc.rank("table.csv", correction="bh")),
    "rank texts": (
        ["one.txt", "two.txt", "--reference", "ref.txt", "--metric", "wer"],
        lambda: osc.rank(["one.txt", "two.txt"], reference="ref.txt", metric="wer"),
    ),
    "rank outputs": (
        ["first.csv", "second.csv", "--gold", "gold.csv", "--task", "label"],
        lambda: osc.rank(["first.csv", "second.csv"], gold="gold.csv", task="label"),
    ),
    "prefer": (["votes.csv", "--alpha", "0.1"], lambda: osc.prefer("votes.csv", alpha=0.1)),
    "diff": (
        ["gold.csv", "first.csv", "second.csv", "--task", "label", "--min-support", "5"],
        lambda: osc.diff("gold.csv", ["first.csv", "second.csv"], task="label", min_support=5),
    ),
    "plan": (["--effect", "0.03", "--sd", "0.3"], lambda: osc.plan(effect=0.03, sd=0.3)),
    "plan from a pilot": (
        ["--effect", "0.5", "--pilot", "a.txt", "--pilot", "b.txt"],
        lambda: osc.plan(effect=0.5, pilot=["a.txt", "b.txt"]),
    ),
    "plan a review": (["--scores", ".871", ".864", "--n", "1000"], lambda: osc.plan(scores=(".871", ".864"), n=1000)),
}


@pytest.mark.parametrize("name", a_few(SAME, 6))
def test_python_and_the_command_line_give_the_same_json(files, name):
    words, call = SAME[name]
    done = CliRunner().invoke(app, [{"texts": "compare"}.get(name, name.split()[0]), *words, "--format", "json"])
    assert done.exit_code in (0, 1, 3), done.stderr
    printed = json.loads(done.stdout)
    found = json.loads(json.dumps(call().to_dict()))
    if name == "compare":
        # One comparison stands for itself in Python.
        assert found == printed["comparisons"][0]
    else:
        assert found == printed


@pytest.mark.parametrize("name", a_few(SAME, 6))
def test_the_calls_to_copy_do_the_same(files, name):
    words, call = SAME[name]
    kind = {"compare a table": "compare", "gate a table": "gate", "rank texts": "rank", "rank outputs": "rank"}.get(
        name, name.split()[0]
    )
    found: dict[str, object] = {}
    request = _request_of(kind, words)
    exec(request.python_call(), found)  # noqa: S102 - what a reader would run
    assert found["result"].to_dict() == call().to_dict()


def test_the_call_to_copy_gives_several_logs_as_the_one_argument_that_takes_them():
    request = REQUESTS["show"].from_written({"files": ["a.json", "b.json"]})
    assert request.python_call().endswith("osc.show(['a.json', 'b.json'])")


def _request_of(kind: str, words: list[str]) -> Request:
    """The request that the words of a command line ask for."""
    given: dict[str, list[str]] = {}
    name, rest = None, list(words)
    while rest:
        word = rest.pop(0)
        if word.startswith("--"):
            name = word.removeprefix("--")
            wanted = 2 if name == "scores" else 1
            given.setdefault(name, []).extend(rest.pop(0) for _ in range(wanted))
        else:
            given.setdefault("files", []).append(word)
    if kind == "diff":
        given["gold"] = [given["files"].pop(0)]
    return REQUESTS[kind].from_written(given)


NUMBERS = {bool: [True, False], int: [0, 3], float: [0.25, 2.0], Fraction: [0.5]}
SCALARS = {bool: [np.bool_], int: [np.int64, np.int32], float: [np.float64, np.float32], Fraction: [np.float64, np.float32]}


def made_of(request, keyword, number):
    """The request, or the sentence that refuses the number."""
    try:
        return request.from_python({keyword: number})
    except OutscoreError as refusal:
        return refusal.message


@pytest.mark.parametrize("name", REQUESTS)
def test_scalars_of_numpy_are_numbers(name):
    """For every option that takes numbers: one of numpy makes the request that one of Python makes, or the same refusal."""
    request = REQUESTS[name]
    numeric = [option for option in request.options() if option.type in NUMBERS and option.keyword is not None]
    for option in numeric:
        for number in NUMBERS[option.type]:
            for scalar in SCALARS[option.type]:
                plain, given = number, scalar(number)
                if isinstance(option.default, tuple):
                    plain, given = (plain, plain), np.array([given, given])
                made, expected = (made_of(request, option.keyword, x) for x in (given, plain))
                assert made == expected, option.name
                if isinstance(expected, str):
                    continue
                value, wanted = made.value(option.name), expected.value(option.name)
                assert (type(value), repr(value)) == (type(wanted), repr(wanted)), option.name
                assert json.dumps(made.saved_options()) == json.dumps(expected.saved_options())
                assert made.command_line() == expected.command_line()


@pytest.mark.parametrize(
    "name", [name for name, request in REQUESTS.items() if "metric" in {o.keyword for o in request.options()}]
)
@pytest.mark.parametrize("metric", [5, np.float64(0.5), ["accuracy"], object()])
def test_what_is_no_metric_is_refused_in_one_sentence(name, metric):
    with pytest.raises(OutscoreError, match="which is not a metric") as caught:
        REQUESTS[name].from_python({"metric": metric})
    assert caught.value.parameter == "metric"
