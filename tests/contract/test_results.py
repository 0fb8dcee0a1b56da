"""Every kind of result shows itself shortly, turns into every form, and is the same after saving and loading."""

from __future__ import annotations

import csv
import inspect
import io
import json
import re
import typing
from dataclasses import fields, is_dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.plans import plan_numbers as plan
from tests.report.diff_making import make_diff, make_units
from tests.report.making import make_full
from tests.report.ranking_making import MADE
from tests.variants import crossed

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.core.records import MAX_REPR
from outscore.report import build
from outscore.report.build.common import Kind
from outscore.report.render import BUILDERS, render
from outscore.report.render import kind_of as reported_as
from outscore.results import saved
from outscore.results.analysis import PowerPoint
from outscore.results.comparison import Margin, SystemScore, TestResult
from outscore.results.gate import GateResult
from outscore.results.logs import LoggedEvaluation, LoggedScore, Logs
from outscore.results.note import Note, Signature
from outscore.results.plan import SimulatedCurve, StudyDesign
from outscore.results.pvalue import Interval, PValue
from outscore.results.saved import kind_names, kind_of, schema_text
from outscore.results.score import Detectable, Noise, ScoredSystem, ScorePart, ScoreResult
from outscore.web.worker import answer
from outscore.workflows.plan.answer import possible_p, possible_table

HOSTILE = "<script>alert('x')</script> & \"long\" " + "name " * 60
P = PValue(0.0123, 0.0123, 0.0123, -1.910094888560602, "exact", "lattice", n=80, statistic=0.5, dropped={"ties": 3}, mid=0.012)
INTERVAL = Interval(None, 0.0161, 0.95, "inversion", dual=True, estimate=0.01)


def hostile_ranking():
    ranking = MADE["datasets"]()
    first = ranking.scores[0].system
    named = json.loads(json.dumps(ranking.to_dict()).replace(json.dumps(first)[1:-1], json.dumps(HOSTILE)[1:-1]))
    return osc.Ranking.from_dict(named)


def hostile_diff():
    diff = make_diff(make_units())
    first = diff.systems[0]
    named = json.loads(json.dumps(diff.to_dict()).replace(f'"{first}"', json.dumps(HOSTILE)))
    return osc.Diff.from_dict(named)


def hostile_comparison():
    c = make_full().comparisons[0]
    scores = (SystemScore(HOSTILE, 0.9543, 0.9494, 0.9592), c.scores[1])
    return replace(c, systems=(HOSTILE, "B"), scores=scores, metric=HOSTILE, notes=[Note("data", HOSTILE)], headline=HOSTILE)


def make_logs(name):
    scores = [LoggedScore("exact_match", 0.9, 0.9, True, {"errored": 2}), LoggedScore("bleu", None, 23.1, True, {}, True)]
    evaluations = [LoggedEvaluation("lm-eval", name, name, filtered, 40, 1.5, 60, scores) for filtered in (None, name)]
    return Logs(evaluations, f"outscore compare {name}", f"1 system: {name}", {"files": [name]}, [Note("data", name)])


def make_scores(name):
    noise, reach = Noise(3.0, 0.01, 0.03, 0.02, 0.2, 3, 1), Detectable(0.1, 0.07, 0.5, False, 0.8, 0.05)
    parts = [ScorePart(name, name, 20, 0.7, 0.5, None)]
    system = ScoredSystem(name, 0.8, 0.7, 0.9, 40, 120, 8, 3.0, {name: 2}, 0.05, 0.3, 0.06, 0.03, reach, noise, parts, parts)
    words = {"headline": f"{name} scores .8", "reason": name, "sentence": name, "signature": Signature([("metric", "mean")])}
    return ScoreResult(
        [system, replace(system, system="B", low=None, high=None, noise=None)],
        *(name, True, 0.05, "items-and-runs", "runs", "seed", "Student's t"),
        **words,
        next_command=f"outscore rank {name}",
        notes=[Note("data", name)],
        settings={"files": [name]},
    )


def make_preference(name):
    """Three systems with everything there is to say about battles."""
    first, second = ["x", "y", "z"] * 20, [name, "z", name] * 20
    winner = ["model_a", "model_b", "tie", "model_b", "model_a"] * 12
    votes = {"prompt": [i // 4 for i in range(60)], "model_a": first, "model_b": second, "winner": winner}
    votes |= {"judge": [f"j{i % 2}" for i in range(60)], "length_a": [9 + i % 5 for i in range(60)], "length_b": [9] * 60}
    return osc.prefer(pl.DataFrame(votes), order="random")


def make_gate(c):
    c = replace(c, margin=Margin(0.02, P, P))
    words = {"headline": f"Fail: {c.systems[0]}", "reason": c.systems[0], "sentence": c.systems[0]}
    return GateResult(
        *("inconclusive", 0.02, 0.05, False, c, INTERVAL, 420, "pass", 0.8, "fail"),
        **words,
        notes=[Note("data", c.systems[0])],
        settings={"files": ["a"]},
    )


# Each kind twice: as usual, and with names that come from outside at their worst.
KINDS = {
    "Comparison": (lambda: make_full().comparisons[0], hostile_comparison),
    "Comparisons": (
        make_full,
        lambda: replace(make_full(), comparisons=[hostile_comparison(), make_full().comparisons[0]]),
    ),
    "Ranking": (MADE["datasets"], hostile_ranking),
    "Diff": (lambda: make_diff(make_units()), hostile_diff),
    "PlanResult": (
        lambda: plan(StudyDesign(sd=0.3), effect=0.02),
        lambda: replace(plan(StudyDesign(sd=0.3), effect=0.02), notes=[Note("data", HOSTILE)], verdict=HOSTILE),
    ),
    "PossibleP": (
        lambda: possible_p("87.1", "86.4", 1000),
        lambda: replace(possible_p("87.1", "86.4", 1000), notes=[Note("data", HOSTILE)], verdict=HOSTILE),
    ),
    "PossibleTable": (
        lambda: possible_table({"amber": "87.1", "birch": "86.4"}, 1000, alpha=0.05),
        lambda: possible_table({HOSTILE: "87.1", "birch": "86.4"}, 1000, alpha=0.05),
    ),
    "Preference": (lambda: make_preference("w"), lambda: make_preference(HOSTILE)),
    "Logs": (lambda: make_logs("amber"), lambda: make_logs(HOSTILE)),
    "GateResult": (lambda: make_gate(make_full().comparisons[0]), lambda: make_gate(hostile_comparison())),
    "ScoreResult": (lambda: make_scores("amber"), lambda: make_scores(HOSTILE)),
    "PValue": (lambda: P, lambda: replace(P, test=HOSTILE, kernel=HOSTILE)),
    "Interval": (lambda: INTERVAL, lambda: replace(INTERVAL, method=HOSTILE)),
    "TestResult": (
        lambda: TestResult(P, INTERVAL, [Note("data", "Few items.")]),
        lambda: TestResult(replace(P, test=HOSTILE), INTERVAL, [Note("data", HOSTILE)]),
    ),
    "SystemScore": (lambda: SystemScore("new", 0.9, 0.8, 0.95), lambda: SystemScore(HOSTILE, 0.9)),
    "SimulatedCurve": (
        lambda: SimulatedCurve("normal", "permutation", 0.1, 50, "items", 99, 0, [PowerPoint(50, 0.8, 0.7, 0.9)], "A note."),
        lambda: SimulatedCurve("normal", HOSTILE, 0.1, 50, "items", 99, 0, [PowerPoint(50, 0.8)], HOSTILE),
    ),
}
EACH = [
    pytest.param(make, id=f"{kind}-{name}")
    for kind, both in KINDS.items()
    for name, make in zip(("usual", "hostile"), both, strict=True)
]
FORMS = ("text", "markdown", "latex", "html", "csv")


def test_every_kind_is_here():
    """A kind of result that can be saved has to be tested, and everything `load` returns is public."""
    kinds = typing.get_args(saved.Saved)
    assert {kind.__name__ for kind in kinds} == set(KINDS)
    assert {kind.__name__ for kind in kinds} <= set(osc.__all__)
    assert all(getattr(osc, kind.__name__) is kind for kind in kinds)


def test_every_kind_says_how_it_is_reported():
    """What can be saved has its builder, and what has none is refused instead of being taken for something else."""
    kinds = {kind.__name__ for kind in (osc.Comparison, *saved.SAVED.values())}
    assert set(BUILDERS) == kinds
    modules = Path(build.__file__).parent.glob("*.py")
    with_kind = {f"{build.__name__}.{path.stem}" for path in modules if "\nKIND = " in path.read_text(encoding="utf-8")}
    assert set(BUILDERS.values()) == with_kind
    for make, _ in KINDS.values():
        result = make()
        assert isinstance(reported_as(result), Kind)

    class Forecast(SystemScore):
        """A kind that nobody has said how to report."""

    with pytest.raises(TypeError, match=r"how a Forecast is reported"):
        reported_as(Forecast("new", 0.9))


NAMED = {
    **dict.fromkeys(("Comparison", "Comparisons", "GateResult"), ("A", "B")),
    **dict.fromkeys(("PlanResult", "PossibleP"), ()),
    "Ranking": ("north", "south", "east", "west", "centre"),
    "Diff": ("Baseline", "Newer"),
    "PossibleTable": ("amber", "birch"),
    "Preference": ("x", "w", "y", "z"),
    "Logs": ("amber",),
    "ScoreResult": ("amber", "B"),
}


def test_what_a_list_of_results_says_of_every_kind(tmp_path):
    """A headline and names of systems, from which downloads have their names; never how an object looks in Python."""
    assert set(NAMED) == {kind.__name__ for kind in (*typing.get_args(saved.Document), osc.Comparison)}
    for kind, names in NAMED.items():
        path = KINDS[kind][0]().save(tmp_path / "saved.json")
        about = answer({"task": "reload", "folder": str(tmp_path), "file": path.name, "target": "."}, io.StringIO())["answer"]
        assert tuple(about["systems"]) == names, kind
        assert about["headline"], kind
        assert not re.search(r"\w\(\w+=", about["headline"]), kind


@pytest.fixture(scope="module")
def validators():
    """A validator of each shipped schema, by the schema a file names."""
    import jsonschema

    made = {}
    for name in saved.SAVED:
        schema = json.loads(schema_text(kind_of(name)))
        jsonschema.Draft202012Validator.check_schema(schema)
        made[name] = jsonschema.Draft202012Validator(schema)
    return made


@pytest.fixture(scope="module")
def complete():
    """The schemas that are known to miss each of their entries."""
    return set()


@pytest.mark.parametrize("make", EACH)
def test_saved_results_fit_their_schema(make, validators, complete, tmp_path):
    made = make()
    content = json.loads(made.save(tmp_path / "result.json").read_text(encoding="utf-8"))
    validator = validators[content["schema"]]
    assert [error.message for error in validator.iter_errors(content)] == []
    for name in validator.schema["required"] if content["schema"] not in complete else []:
        assert not validator.is_valid({key: value for key, value in content.items() if key != name}), name
    assert not validator.is_valid({**content, "schema": "outscore/other/1"})
    complete.add(content["schema"])


@pytest.mark.parametrize("path", sorted((Path(__file__).parents[1] / "saved").glob("*.json")), ids=lambda path: path.stem)
def test_results_of_released_versions_fit_when_they_are_saved_again(path, validators, tmp_path):
    content = json.loads(osc.load(path).save(tmp_path / "again.json").read_text(encoding="utf-8"))
    assert [error.message for error in validators[content["schema"]].iter_errors(content)] == []


def test_a_schema_knows_types_and_words(validators):
    good = {"schema": "outscore/p-value/1", **P.to_dict()}
    for key, bad in (("value", "0.01"), ("method", "guessed"), ("n", 1.5), ("dropped", [1]), ("mid", "none")):
        assert validators["outscore/p-value/1"].is_valid(good)
        assert not validators["outscore/p-value/1"].is_valid({**good, key: bad}), key


def test_every_kind_has_a_schema_on_the_command_line():
    from click.testing import CliRunner

    from outscore.cli.app import app

    run = CliRunner()
    listed = run.invoke(app, ["schema"]).output
    assert sorted(map(kind_of, saved.SAVED)) == [line.split()[0] for line in listed.splitlines()] == kind_names()
    for kind in kind_names():
        assert run.invoke(app, ["schema", kind]).output == schema_text(kind)
    refused = run.invoke(app, ["schema", "rankings"])
    assert (refused.exit_code, refused.output) == (
        2,
        "outscore: There is no kind of result `rankings`. Did you mean `ranking`?\n",
    )


@pytest.mark.parametrize("make", EACH)
def test_repr_is_short(make):
    result = make()
    assert repr(result).startswith(f"<{type(result).__name__} ")
    assert repr(result).endswith(">")
    assert len(repr(result)) <= MAX_REPR
    assert "\n" not in repr(result)


@pytest.mark.parametrize(("kind", "form"), crossed(KINDS, FORMS))
def test_every_form(kind, form, tmp_path):
    result = KINDS[kind][0]()
    text = getattr(result, f"to_{form}")()
    assert isinstance(text, str)
    assert text
    suffix = {"text": ".txt", "markdown": ".md", "latex": ".tex", "html": ".html", "csv": ".csv"}[form]
    path = result.save(tmp_path / f"result{suffix}")
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("kind", KINDS)
def test_print_shows_the_report(kind):
    result = KINDS[kind][0]()
    assert str(result) == render(result, "screen").rstrip("\n")
    assert f"{result}" == str(result)
    assert len(str(result)) < 20_000


@pytest.mark.parametrize("make", EACH)
def test_the_card_is_escaped_and_holds_no_script(make):
    card = make()._repr_html_()
    assert card.startswith("<div>")
    assert card.endswith("</div>")
    assert "<table>" in card
    assert "<script" not in card
    assert "<style" not in card


@pytest.mark.parametrize("make", EACH)
def test_saved_and_loaded_it_is_equal(make, tmp_path):
    result = make()
    path = result.save(tmp_path / "result.json")
    assert path == tmp_path / "result.json"
    found = osc.load(path)
    assert type(found) is type(result)
    assert found == result
    assert found.save(tmp_path / "again.json").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("make", EACH)
def test_dictionaries_hold_everything(make):
    result = make()
    assert type(result).from_dict(json.loads(json.dumps(result.to_dict()))) == result


@pytest.mark.parametrize("kind", KINDS)
def test_charts(kind):
    charts = KINDS[kind][0]().charts()
    drawn = {
        "Comparison",
        "Comparisons",
        "Ranking",
        "Diff",
        "PlanResult",
        "PossibleP",
        "Preference",
        "ScoreResult",
        "GateResult",
    }
    assert bool(charts) == (kind in drawn)
    assert all(chart.to_svg().startswith("<svg") for chart in charts[:1])


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_is_documented(kind):
    """numpydoc: the section Attributes names each field."""
    documented = getattr(osc, kind)
    for part in {documented, *_records_in(documented)}:
        _, attributes, text = inspect.cleandoc(str(part.__doc__)).partition("Attributes\n")
        assert attributes, part
        headings = (line for line in text.splitlines() if line[:1] not in ("", " ", "-"))
        named = {name.strip() for line in headings for name in line.split(",")}
        own = {f.name for f in fields(part)} if is_dataclass(part) else set(part.__struct_fields__)
        assert own <= named, f"{part.__name__}: {sorted(own - named)}"


def _records_in(kind, known=None):
    """The records of this package that the fields of a record hold."""
    known = set() if known is None else known
    for hint in typing.get_type_hints(kind).values():
        for part in _parts(hint):
            record = isinstance(part, type) and (is_dataclass(part) or hasattr(part, "__struct_fields__"))
            if record and part not in known:
                known.add(part)
                _records_in(part, known)
    return known


def _parts(hint):
    return [hint] if not typing.get_args(hint) else [part for inner in typing.get_args(hint) for part in _parts(inner)]


def test_a_comparison_stays_one_and_several_stay_several(tmp_path):
    whole = make_full()
    assert len(whole.comparisons) == 1
    assert isinstance(osc.load(whole.save(tmp_path / "several.json")), osc.Comparisons)
    assert isinstance(osc.load(whole.comparisons[0].save(tmp_path / "one.json")), osc.Comparison)
    one = json.loads((tmp_path / "one.json").read_text(encoding="utf-8"))
    assert one["schema"] == "outscore/result/1"
    # Readers that do not know the added key see the comparisons they expect.
    assert osc.Comparisons.from_dict(one).comparisons == whole.comparisons


def test_what_python_computes_is_saved_and_loaded(tmp_path):
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 2, 60), rng.integers(0, 2, 60)
    results = [
        osc.compare(a, b, test="all", margin=0.2),
        osc.compare(rng.random(40), rng.random(40), metric="mean", test="bayes"),
        osc.rank({"x": a, "y": b, "z": rng.integers(0, 2, 60)}),
        osc.diff(list("ABCABC"), {"s": list("ABBABC"), "t": list("ABCCCC")}, task="label"),
        osc.permutation_test(a, b),
    ]
    for i, result in enumerate(results):
        assert osc.load(result.save(tmp_path / f"{i}.json")) == result


def test_unknown_suffixes_are_refused_and_nothing_is_left(tmp_path):
    with pytest.raises(OutscoreError, match="the ending decides the form"):
        P.save(tmp_path / "p.docx")
    with pytest.raises(OutscoreError, match="could not be written"):
        P.save(tmp_path / "missing" / "p.json")
    assert not list(tmp_path.iterdir())


def test_frames():
    ranking = MADE["datasets"]()
    systems, pairs = ranking.to_frame(), ranking.to_frame("pairs")
    assert systems["system"].to_list()[: len(ranking.systems)] == ranking.systems
    assert pairs.height == len(ranking.pairs) + sum(len(part.pairs) for part in (*ranking.datasets, *ranking.metrics))
    diff = make_diff(make_units())
    assert diff.to_frame()["difference"][0] == diff.pairs[0].difference
    assert diff.to_frame("labels")["value"].to_list()[: len(diff.pairs[0].labels)] == [
        part.value for part in diff.pairs[0].labels
    ]
    shifts = sum(len(rows) for pair in diff.pairs for rows in pair.transitions.values())
    assert diff.to_frame("transitions").height == shifts
    whole = make_full()
    assert whole.to_frame()["p"].to_list() == [c.p.value for c in whole.comparisons]
    assert osc.Comparisons([], {}).to_frame().height == 0
    with pytest.raises(OutscoreError, match="There is no table `words`"):
        ranking.to_frame("words")


def test_a_ranking_saves_its_pairs(tmp_path):
    ranking = MADE["datasets"]()
    rows = list(csv.DictReader(io.StringIO(ranking.save(tmp_path / "x-pairs.csv").read_text(encoding="utf-8"))))
    assert {"first", "second", "p_adjusted"} <= set(rows[0])


def test_what_goes_in_is_shown_shortly_too(tmp_path):
    (tmp_path / "scores.csv").write_text(
        "item,system,score,topic\n" + "".join(f"q{i},{s},{i},t\n" for i in range(99) for s in "ab")
    )
    (tmp_path / "words.conllu").write_text("1\tthe\t_\tDET\t_\t_\t0\troot\t_\t_\n\n")
    values = [
        *osc.read(tmp_path / "scores.csv"),
        osc.read(tmp_path / "words.conllu"),
        osc.null_distribution(np.arange(50)),
        osc.null_distribution(np.ones((5, 2), dtype=int)),
    ]
    for value in values:
        assert repr(value).startswith(f"<{type(value).__name__} ")
        assert len(repr(value)) <= MAX_REPR
    assert repr(values[0]) == "<Scores a: 99 scores, mean 49>"
