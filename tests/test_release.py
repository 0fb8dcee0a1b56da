"""What surrounds the code: citation, workflows, templates and classifiers agree with it and with each other."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from outscore import __version__

ROOT = Path(__file__).resolve().parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted(path for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

# The parts of the workflow syntax that are used here; a key that is not listed is a misspelling, or belongs in the list.
TRIGGERS = {"push", "pull_request", "schedule", "workflow_dispatch"}
TOP = {"name", "on", "permissions", "concurrency", "jobs"}
JOB = {"strategy", "environment", "permissions", "runs-on", "timeout-minutes", "steps", "needs", "if", "env"}
STEP = {"uses", "run", "with", "name", "id", "env", "if", "shell"}
FIELDS = {"textarea", "input", "dropdown", "checkboxes", "markdown"}


def problems_of(workflow):
    """What the hosts of workflows would refuse, or silently ignore."""
    # YAML 1.1 reads the key `on` as a truth value.
    workflow = {"on" if key is True else key: value for key, value in workflow.items()}
    found = [f"unknown key {key}" for key in workflow.keys() - TOP]
    found += [f"no {key}" for key in {"on", "jobs", "permissions"} - workflow.keys()]
    found += [f"unknown trigger {name}" for name in set(workflow.get("on", {})) - TRIGGERS]
    for name, job in workflow.get("jobs", {}).items():
        found += [f"{name}: unknown key {key}" for key in job.keys() - JOB]
        found += [f"{name}: no {key}" for key in {"runs-on", "steps", "timeout-minutes"} - job.keys()]
        found += [f"{name}: needs {other}" for other in set(job.get("needs", [])) - workflow["jobs"].keys()]
        matrix = job.get("strategy", {}).get("matrix", {})
        found += [f"{name}: no matrix.{key}" for key in set(re.findall(r"matrix\.(\w+)", str(job))) - matrix.keys()]
        for step in job.get("steps", []):
            found += [f"{name}: unknown key {key} of a step" for key in step.keys() - STEP]
            found += [f"{name}: a step has one of uses and run"] if ("uses" in step) == ("run" in step) else []
            uses = step.get("uses")
            pinned = uses is None or re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", uses)
            found += [] if pinned else [f"{name}: {uses} is not pinned to a commit"]
            found += [f"{name}: {target} is no target" for target in targets_in(step.get("run", "")) - targets()]
    return found


def targets_in(script):
    return {word for line in re.findall(r"^make (.*)$", script, re.MULTILINE) for word in line.split() if "=" not in word}


def targets():
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_have_the_form_of_workflows(path):
    assert problems_of(yaml.safe_load(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("runs-on: ubuntu-latest", "run-on: ubuntu-latest", "no runs-on"),
        ("matrix.python", "matrix.version", "no matrix.version"),
        ("actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683", "actions/checkout@v4", "is not pinned"),
        ("pull_request:", "pull_requests:", "unknown trigger"),
        ("      - run: make PYTHON=python site", "      - run: make PYTHON=python page", "page is no target"),
        ("permissions:\n  contents: read\n", "", "no permissions"),
    ],
    ids=lambda value: value[:24],
)
def test_the_check_of_workflows_finds_what_is_wrong(old, new, said):
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    assert old in text
    assert any(said in problem for problem in problems_of(yaml.safe_load(text.replace(old, new))))


def test_what_is_tested_is_what_is_promised():
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
    promised = [c.rpartition(" ")[2] for c in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", c)]
    assert workflow["jobs"]["test"]["strategy"]["matrix"]["python"] == promised
    assert PROJECT["requires-python"] == f">={promised[0]}"
    assert {"core", "lowest", "site", "windows", "package"} <= workflow["jobs"].keys()
    named = re.findall(r"tests/[\w/.]+", str(workflow))
    assert named
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_every_dependency_has_a_lowest_version():
    extras = PROJECT["optional-dependencies"]
    named = [*PROJECT["dependencies"], *(one for name, group in extras.items() if name != "dev" for one in group)]
    assert [one for one in named if not re.search(r"[>=]=\d|^outscore\[", one)] == []


def test_the_citation_names_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors", "version", "license"} <= citation.keys()
    assert (citation["version"], citation["license"]) == (__version__, PROJECT["license"])
    assert f"version = {{{__version__}}}" in (ROOT / "docs" / "project" / "cite.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_forms_of_issues_can_be_filled_in(path):
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert {"name", "description", "body"} <= form.keys()
    ids = [part["id"] for part in form["body"]]
    assert len(ids) == len(set(ids))
    for part in form["body"]:
        assert part["type"] in FIELDS
        assert part["attributes"]["label"]
        assert part.keys() <= {"type", "id", "attributes", "validations"}


def test_hooks_run_what_is_there():
    hooks = [
        hook
        for repo in yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
        for hook in repo["hooks"]
    ]
    for hook in hooks:
        assert {"id", "name", "entry", "language"} <= hook.keys()
        for word in re.findall(r"docs/\S+\.py", hook["entry"]):
            assert (ROOT / word).is_file()
    assert len(hooks) == 3


def test_the_changelog_tells_releases_newest_first():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## \[(.+)\]", text, re.MULTILINE) == [__version__, "0.1.0"]


def test_a_release_is_published_without_a_password_and_only_from_its_tag():
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8"))
    assert workflow[True] == {"push": {"tags": ["v*"]}}
    publish = workflow["jobs"]["publish"]
    assert (publish["needs"], publish["permissions"]) == (["build"], {"id-token": "write"})
    assert "secrets." not in str(workflow)
    assert "password" not in str(workflow)
    assert "_version.py" in str(workflow["jobs"]["build"])


def test_no_checkout_keeps_its_credentials():
    for path in WORKFLOWS:
        for job in yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values():
            for step in job["steps"]:
                if step.get("uses", "").startswith("actions/checkout@"):
                    assert step["with"]["persist-credentials"] is False, path.name


def test_links_of_the_readme_lead_somewhere_on_an_index():
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    hook = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "hatchling.metadata.plugin.interface", SimpleNamespace(MetadataHookInterface=object))
        for name in ("hatchling", "hatchling.metadata", "hatchling.metadata.plugin"):
            patch.setitem(sys.modules, name, SimpleNamespace())
        spec.loader.exec_module(hook)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    there = hook.readme_of(text, "https://host.invalid/a/b", "v9")
    assert "](https://host.invalid/a/b/blob/v9/docs/faq.md)" in there
    assert "](https://host.invalid/a/b/raw/v9/docs/ideas/verdict.svg)" in there
    assert "<!--" not in there
    for shown in (there, hook.readme_of(text, "", "v9")):
        assert re.findall(r"\]\((?!https?:|#)", shown) == []


def test_no_addresses_are_invented():
    """Names of hosts and people that only a fork could fill in; the action's OWNER is one that readers replace."""
    for name in ("README.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "CITATION.cff", "CONTRIBUTING.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert not re.search(r"[\w.]+@[\w-]+\.\w+|github\.com/|example\.(com|org)", text), name


WITHOUT_POSIX = """
import importlib, pkgutil, sys
sys.modules |= dict.fromkeys(("fcntl", "resource", "pwd", "grp", "termios"))
import outscore
names = [one.name for one in pkgutil.walk_packages(outscore.__path__, "outscore.")]
for name in names:
    if name == "outscore.web.mcp" or not (name.startswith("outscore.web.") or name.endswith("__main__")):
        importlib.import_module(name)
print(len(names))
"""


def test_everything_but_the_page_loads_without_posix():
    done = subprocess.run([sys.executable, "-c", WITHOUT_POSIX], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) > 300
