"""Shells complete commands, options, the words an option takes, and files where files belong."""

from __future__ import annotations

import pytest
from click.shell_completion import BashComplete
from click.testing import CliRunner

from outscore.cli.app import COMMANDS, app
from outscore.inference.registry import TESTS
from outscore.results.saved import kind_names

VARIABLE = "_OUTSCORE_COMPLETE"


def completed(*words, incomplete=""):
    return BashComplete(app, {}, "outscore", VARIABLE).get_completions(list(words), incomplete)


def values(*words, incomplete=""):
    return [item.value for item in completed(*words, incomplete=incomplete)]


def test_commands():
    assert values() == list(COMMANDS)
    assert values(incomplete="co") == ["compare", "convert"]


def test_options():
    assert "--metric" in values("compare", incomplete="--me")
    assert values("plan", incomplete="--price-i") == ["--price-item"]


@pytest.mark.parametrize(
    ("words", "incomplete", "expected"),
    [
        (("compare", "--alternative"), "g", ["greater"]),
        (("compare", "--test"), "w", ["wilcoxon"]),
        (("rank", "--test"), "", list(TESTS)),
        (("schema",), "", kind_names()),
        (("diff", "--task"), "c", ["coref"]),
    ],
    ids=lambda value: str(value)[:20],
)
def test_words_that_are_known(words, incomplete, expected):
    assert [value for value in values(*words, incomplete=incomplete) if value in expected] == expected


@pytest.mark.parametrize(
    "words",
    [
        *((command,) for command in ("compare", "score", "gate", "rank", "diff", "prefer", "show", "convert", "report")),
        ("compare", "--reference"),
        ("plan", "--pilot"),
        ("compare", "--config"),
        ("compare", "-o"),
        ("rank", "--charts"),
    ],
    ids=" ".join,
)
def test_files_are_left_to_the_shell(words):
    (item,) = completed(*words, incomplete="res")
    assert (item.type, item.value) in {("file", "res"), ("dir", "res")}


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_script_for_a_shell(shell):
    done = CliRunner(env={VARIABLE: f"{shell}_source"}).invoke(app, prog_name="outscore")
    assert done.exit_code == 0
    assert f"{VARIABLE}={shell}_complete" in done.output
