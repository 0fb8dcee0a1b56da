"""What the documentation shows is what the commands say."""

from __future__ import annotations

import contextlib
import csv
import doctest
import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path, PurePath

import pytest
import yaml
from click.testing import CliRunner

import outscore as osc
from outscore.cli.app import app
from outscore.examples.registry import EXAMPLES, write_attempts, write_rows

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "benchmarks").glob("*.md"))]
PYTHON = [str(page.relative_to(ROOT)) for page in PAGES if ">>> " in page.read_text(encoding="utf-8")]


@pytest.fixture
def tool(monkeypatch):
    """The scripts of docs/ by name, without a process for each."""
    monkeypatch.syspath_prepend(ROOT / "docs")

    def load(name):
        spec = importlib.util.spec_from_file_location(f"docs_{name}", ROOT / "docs" / f"{name}.py")
        script = importlib.util.module_from_spec(spec)
        # Its records look for their own module.
        monkeypatch.setitem(sys.modules, spec.name, script)
        spec.loader.exec_module(script)
        return script

    return load


@pytest.mark.parametrize("name", sorted(path.stem for path in (ROOT / "docs").glob("*.py")))
def test_scripts_find_what_they_import(tool, name):
    """Most of them run only when the site or a release is made."""
    try:
        assert tool(name).__doc__
    except ModuleNotFoundError as error:
        if str(error.name).startswith("outscore"):
            raise
        pytest.skip(f"{error.name} comes with the extra docs")


@pytest.mark.parametrize(
    "pages", [("README", "reference", "start"), pytest.param((), marks=pytest.mark.slow)], ids=["some", "all"]
)
def test_outputs_are_up_to_date(tool, capsys, pages):
    """Those of the generated tables and the first pages; `make site` looks at all of them."""
    stale = tool("build").main(["--check", *pages])
    assert not stale, capsys.readouterr().out


def test_pictures_show_what_is_computed(tool, capsys):
    """Those that cost nothing; `make site` draws all of them."""
    stale = tool("pictures").main(["--check", "p", "ties", "bleu"])
    assert not stale, capsys.readouterr().out


def test_files_of_a_page_are_there_for_its_readers(tmp_path):
    """Pages name the command that writes what they read: that of the demonstration or that of the recipes."""
    with contextlib.chdir(tmp_path):
        done = CliRunner().invoke(app, ["demo", "--recipes"])
    assert done.exit_code == 0, done.output
    made = {path.name for path in (tmp_path / "outscore-recipes").iterdir()}
    pages = []
    for page in (page for page in PAGES if page.parent.name in ("start", "recipes")):
        text = page.read_text(encoding="utf-8")
        commands = re.findall(r"<!-- (?:run|output)(?: \d+)?: (.+?) -->|^\$ (outscore .+)$", text, re.MULTILINE)
        words = {word for found in commands for command in found for word in re.split(r"[\s=,]", command)}
        named = {PurePath(word).parts[0] for word in words if word and not word.startswith("-")}
        said = " ".join(text.split())
        if "outscore-demo" in named:
            assert "`outscore demo` writes the files used here" in said, page
        if named & made:
            assert "`outscore demo --recipes` writes the files used here to `outscore-recipes`" in said, page
            pages.append(page.stem)
    assert {"comet", "inspect", "million", "pass-at-k", "swe-bench", "logs"} <= set(pages)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A folder with the files that recipes work on, without those of the demonstration."""
    folder = tmp_path_factory.mktemp("recipes")
    for write in (write_attempts, write_rows):
        write(folder)
    return folder


@pytest.mark.parametrize("page", PYTHON)
def test_python_examples_run(page, files):
    with contextlib.chdir(files):
        outcome = doctest.testfile(str(ROOT / page), module_relative=False, encoding="utf-8")
    assert outcome.attempted > 0
    assert outcome.failed == 0


@pytest.mark.parametrize("path", sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")), ids=lambda path: path.name)
def test_notebooks_run_from_top_to_bottom(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    names = {}
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for cell in cells:
        exec(compile(cell, path.name, "exec"), names)  # noqa: S102 - our own cells
    assert len(cells) > 3
    assert [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"] == [[]] * len(cells)


def commands_in(text):
    """What is typed in blocks of a terminal, without comments."""
    for block in re.findall(r"^```(?:console|)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        for line in block.replace("\\\n", " ").splitlines():
            if found := re.match(r"\$ (outscore .*)", line):
                yield shlex.split(found[1], comments=True)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_takes_the_options_it_is_shown_with(page):
    for words in commands_in(page.read_text(encoding="utf-8")):
        command = app.get_command(None, words[1])
        assert command is not None, words
        known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)} | {"--help"}
        given = {word.split("=")[0] for word in words[2:] if re.match(r"-{1,2}[a-z]", word)}
        assert given <= known, (words, given - known)


WORKFLOWS = [
    (page, yaml.safe_load(block))
    for page in PAGES
    for block in re.findall(r"^```yaml\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    if "steps:" in block
]


def steps_of(workflow):
    return workflow.get("steps") or [step for job in workflow["jobs"].values() for step in job["steps"]]


def test_workflows_pin_what_they_use_and_name_what_there_is():
    """Whoever copies one runs what was read, asks for the rights that it needs, and gives the action inputs that it has."""
    assert {page.stem for page, _ in WORKFLOWS} >= {"leaderboard", "gate"}
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    for page, workflow in WORKFLOWS:
        for step in steps_of(workflow):
            if step.get("uses", "").endswith("/outscore@main"):
                assert set(step["with"]) <= set(action["inputs"]), page
                assert {name for name, entry in action["inputs"].items() if entry.get("required")} <= set(step["with"])
                assert workflow["permissions"] == {"contents": "read", "pull-requests": "write"}
            elif "uses" in step:
                assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", step["uses"]), (page, step)
            for named in re.findall(r"outscore\[([\w,]+)\]", step.get("run", "")):
                assert set(named.split(",")) <= set(extras), page


@pytest.mark.posix
def test_the_workflow_of_a_leaderboard_makes_the_board(tmp_path):
    """Its steps of our own are run as they stand, in a checkout that has scores."""
    (workflow,) = (workflow for page, workflow in WORKFLOWS if page.stem == "leaderboard")
    assert workflow["permissions"] == {"contents": "read", "pages": "write", "id-token": "write"}
    (folder,) = {pattern.partition("/")[0] for pattern in workflow[True]["push"]["paths"]}
    (tmp_path / folder).mkdir()
    for system, every in (("atlas", 9), ("birch", 4), ("cedar", 2)):
        rows = "".join(f"q{i},{int(i % every > 0)}\n" for i in range(90))
        (tmp_path / folder / f"{system}.csv").write_text(f"id,correct\n{rows}", encoding="utf-8")
    play = tmp_path / "bin"
    play.mkdir()
    (play / "outscore").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m outscore "$@"\n', encoding="utf-8")
    (play / "outscore").chmod(0o755)
    runs = [step["run"] for step in steps_of(workflow) if "run" in step]
    assert [run for run in runs if run.startswith("python -m pip install ")] == runs[:1]
    for run in runs[1:]:
        command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", run]
        path = f"{play}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            command, cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    (published,) = (step["with"]["path"] for step in steps_of(workflow) if "upload-pages-artifact" in step.get("uses", ""))
    made = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / published).iterdir()}
    assert set(made) == {"index.html", "board.json", "badge.svg"}
    board = json.loads(made["board.json"])
    assert [score["system"] for score in board["scores"]] == ["atlas", "birch", "cedar"]
    assert board["scores"][0]["tier"] == 1
    assert made["badge.svg"].startswith("<svg")
    assert "https://" not in re.sub(
        r"https?://(?:www\.w3\.org|doi\.org|aclanthology\.org|arxiv\.org)\S*", "", made["index.html"]
    )


def test_readme_names_the_two_commands():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "make demo" in text
    assert "make test" in text


def test_the_front_page_is_true_of_the_whole_board(tool, shared_data, tmp_path):
    """Its two files are columns of the published table, and what it says of the other models is so."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    tool("build").write_typed_files(text, tmp_path)
    with (shared_data / "llm-scores" / "aime-2025-II.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for name, column in (("o3-mini-high", "o3-mini (high)"), ("DeepSeek-R1", "DeepSeek-R1")):
        shares = [sum(float(row[column]) for row in rows if row["question"] == str(k)) / 4 for k in range(1, 16)]
        assert [float(line) for line in (tmp_path / f"{name}.txt").read_text(encoding="utf-8").split()] == shares
    board = osc.rank(shared_data / "llm-scores" / "aime-2025-II.csv")
    leading = [score for score in board.scores if score.system in board.groups[0]]
    assert (len(leading), len(board.systems)) == (15, 19)
    assert [round(score.value, 2) for score in (leading[-1], leading[0])] == [0.25, 0.93]
    pair = osc.compare(shared_data / "llm-scores" / "aime-2025-II.csv", systems=["o3-mini (medium)", "DeepSeek-R1"])
    assert round(100 * pair.difference) == 5
    assert "288" in pair.to_text()
    assert "288" in text


def commands_of_the_papers():
    text = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
    return re.findall(r"`(outscore \w+ [^`]+)`", text)


def test_benchmarks_of_the_papers_exist():
    text = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
    benchmarks = set(re.findall(r"`python -m benchmarks\.run --only (\w+)`", text))
    assert benchmarks == {"pos_table", "runtime", "figure5"}
    assert benchmarks <= set(
        re.findall(r'^    "(\w+)": lambda', (ROOT / "benchmarks" / "run.py").read_text(encoding="utf-8"), re.MULTILINE)
    )


@pytest.fixture(scope="module")
def demonstration(tmp_path_factory):
    """A folder with the data of the demonstration, without their reports."""
    folder = tmp_path_factory.mktemp("papers")
    for name, example in EXAMPLES.items():
        (folder / "outscore-demo" / name).mkdir(parents=True)
        for file, text in example.files(0).items():
            (folder / "outscore-demo" / name / file).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("command", commands_of_the_papers())
def test_every_table_and_figure_of_the_papers_has_a_command_that_runs(command, demonstration):
    if "--charts" in command:
        pytest.importorskip("vl_convert")
    with contextlib.chdir(demonstration):
        done = CliRunner().invoke(app, shlex.split(command)[1:])
    assert done.exit_code == 0, done.output
    assert len(done.output.splitlines()) > 4


def test_local_links_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


FOR_CONTRIBUTORS = ["CONTRIBUTING.md", "docs/how-it-works.md"]
MADE_LATER = {"../shared/data", "build/mutants"}


@pytest.fixture(scope="module")
def sources():
    """Every file of ours by its path, and all words that stand in them."""
    folders = ("src", "tests", "docs", "benchmarks", ".github")
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in {".py", ".yml", ".bib"}]
    paths += [path for path in ROOT.iterdir() if path.is_file() and path.suffix != ".md"]
    return paths, set(re.findall(r"\w+", " ".join(path.read_text(encoding="utf-8") for path in paths)))


@pytest.mark.parametrize("name", FOR_CONTRIBUTORS)
def test_the_files_and_names_that_contributors_are_sent_to_exist(name, sources):
    paths, words = sources
    prose = re.sub(r"^```.*?^```$", "", (ROOT / name).read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    spans = set(re.findall(r"`([^`\n]+)`", prose)) - MADE_LATER
    there = {span for span in spans if re.fullmatch(r"[\w.-]+(?:/[\w.-]+)*/?", span) and "/" in span}
    assert len(there) > 2
    bases = (ROOT, ROOT / "src" / "outscore")
    assert [span for span in there if not any((base / f"{span}{end}").exists() for base in bases for end in ("", ".py"))] == []
    files = {span for span in spans if re.fullmatch(r"\w+\.(?:py|yml|mjs|json|toml|bib|cff)", span)}
    assert files <= {path.name for path in paths}
    named = {span.split("(")[0].split(".")[-1] for span in spans if re.fullmatch(r"[A-Za-z_]\w*(?:\.\w+)*(?:\(.*\))?", span)}
    assert len(named) > 5
    assert named - words - {path.suffix[1:] for path in paths} <= {"md"}


WORDS = 37_650
"""So many words may the pages of the guides, recipes and references have; whoever adds one may have to shorten another."""


def test_the_site_does_not_grow_unnoticed():
    pages = [page for page in PAGES if "benchmarks" not in page.parts and "decisions" not in page.parts]
    assert sum(len(page.read_text(encoding="utf-8").split()) for page in pages) <= WORDS


def test_the_drawing_of_the_code_is_the_code():
    """Every path of the drawing is there, and everything that the drawing leads through is in it."""
    page = (ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8")
    (drawing,) = (block for block in re.findall(r"^```\n(.*?)^```$", page, re.DOTALL | re.MULTILINE) if "▼" in block)
    paths = re.findall(r"[\w<>]+(?:/[\w<>]+)*(?:\.py|/)", drawing)
    assert [path for path in paths if not list((ROOT / "src" / "outscore").glob(path.replace("<command>", "*")))] == []
    folders = {path.name for path in (ROOT / "src" / "outscore").iterdir() if (path / "__init__.py").exists()}
    beside = {"core", "engine", "examples", "outputs"}  # what all share, how work is shared out, and data for the demonstration
    assert folders - {path.partition("/")[0] for path in paths} == beside
    # What is said to be in a file is defined there.
    told = re.findall(r"((?:`\w+`(?: and )?)+) in `([\w/]+\.py)`", page)
    assert len(told) > 8
    for names, path in told:
        source = (ROOT / "src" / "outscore" / path).read_text(encoding="utf-8")
        assert set(re.findall(r"\w+(?=`)", names)) <= set(re.findall(r"^(?:def|class) (\w+)", source, re.MULTILINE)), path


def anchors_of(text):
    """The anchors of a page's headings: what the repository and the site make of them alike."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE), re.MULTILINE)
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower()) for heading in headings}


def test_the_overview_for_agents_leads_somewhere():
    docs = Path(__file__).resolve().parent.parent / "docs"
    targets = re.findall(r"\]\(([^)]+)\)", (docs / "llms.txt").read_text(encoding="utf-8"))
    assert len(targets) > 8
    assert [target for target in targets if not (docs / target).is_file()] == []


def test_anchors_are_headings():
    for page in [*PAGES, ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"]:
        for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)", page.read_text(encoding="utf-8")):
            there = page if not target else page.parent / target
            assert anchor in anchors_of(there.read_text(encoding="utf-8")), f"{page.name}: {target}#{anchor}"


def pages_in(navigation):
    for entry in navigation:
        inside = entry if isinstance(entry, str) else next(iter(entry.values()))
        yield from [inside] if isinstance(inside, str) else pages_in(inside)


def test_the_site_shows_every_page_once():
    named = list(pages_in(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]))
    outside = re.findall(
        r'^    "(\S+\.md)": "(\S+\.md)",$', (ROOT / "docs" / "site.py").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert [source for source, _ in outside if not (ROOT / source).exists()] == []
    written = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")}
    # Decisions are for those who change the code: their pages are read in the repository.
    decisions = {page for page in written if page.startswith("decisions/")}
    assert decisions
    assert "](docs/decisions/index.md)" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    written -= decisions
    assert sorted(named) == sorted({*written, *(target for _, target in outside)})


def test_what_neighbours_answered_stands_on_their_page():
    from benchmarks import neighbours

    page = (ROOT / "docs" / "measured" / "neighbours.md").read_text(encoding="utf-8")
    assert neighbours.text(json.loads(neighbours.RESULT.read_text(encoding="utf-8"))) in page
    assert [float(neighbours.exact(*question)) for question in neighbours.QUESTIONS.values()] == [1.0, 0.25, 0.625]
    _, ask, takes = neighbours.TOOLS["outscore"]
    assert [ask(*neighbours.QUESTIONS[name]) for name in takes] == [1.0, 0.25, 0.625]


def test_what_the_tools_of_2026_answered_stands_on_their_page():
    from benchmarks import tools_of_2026 as tools

    page = (ROOT / "docs" / "measured" / "neighbours.md").read_text(encoding="utf-8")
    results = json.loads(tools.RESULT.read_text(encoding="utf-8"))
    assert tools.text(results) in page
    for data, make in tools.DATA.items():
        exact = float(tools.exact_p(*make()))
        assert results["answers"][data]["exact"] == pytest.approx(exact, rel=1e-12)
        assert tools.TOOLS["outscore"][1](*make())[0] == pytest.approx(exact, rel=1e-9)
