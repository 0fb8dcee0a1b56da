"""The command itself: what is imported before there is anybody to handle an interrupt, and which commands there are."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from outscore import __main__ as entry
from outscore.cli.app import COMMANDS, app
from outscore.cli.declared import SECTIONS
from outscore.workflows.requests.compare import ComparisonRequest, every_option


def test_commands_are_imported_when_they_are_called():
    code = "import sys, outscore.cli.app; print([name for name in sys.modules if name.startswith('outscore.cli.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['outscore.cli.app']"


def test_every_command_is_there():
    context = click.Context(app)
    assert app.list_commands(context) == list(COMMANDS)
    for name in COMMANDS:
        command = app.get_command(context, name)
        assert command is not None
        assert (command.name, bool(command.help)) == (name, True)
    assert app.get_command(context, "absent") is None


def test_the_list_of_commands_says_what_each_says_of_itself():
    """It is read from their sources, not imported, and every line fits an ordinary terminal."""
    context = click.Context(app)
    formatter = click.HelpFormatter(width=78)  # what click takes of 80 columns
    app.format_commands(context, formatter)
    listed = dict(line.split(maxsplit=1) for line in formatter.getvalue().splitlines() if line.startswith("  "))
    commands = {name: app.get_command(context, name) for name in COMMANDS}
    assert listed == {name: command.get_short_help_str(limit=1_000) for name, command in commands.items() if command}


def test_options_are_listed_under_the_headings_of_their_groups():
    said = CliRunner(env={"COLUMNS": "100"}).invoke(app, ["compare", "--help"]).output
    parts = re.split(r"^(\S[^:\n]*):$", said, flags=re.MULTILINE)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    under = {title: re.findall(r"^  (?:-\w, )?--([\w-]+)", part, re.MULTILINE) for title, part in sections.items()}
    declared: dict[str, list[str]] = {}
    for option in every_option():
        if option.name not in ComparisonRequest.positional:
            names = [option.long, *(flag for flag, _ in option.shortcuts)]
            declared.setdefault(SECTIONS[option.group], []).extend(names)
    own = under.pop(SECTIONS[""])
    assert {title: sorted(names) for title, names in under.items()} == {t: sorted(names) for t, names in declared.items()}
    assert {"output", "format", "config", "help"} <= set(own)
    assert not re.search(r"^  [A-Z]", sections[SECTIONS[""]], re.MULTILINE)  # arguments stand in the line of usage


def test_help_imports_no_command():
    code = "import sys\nfrom outscore.cli.app import app\ntry:\n    app(['--help'])\nexcept SystemExit:\n    pass\n"
    code += "print([name for name in sys.modules if name.startswith(('outscore.cli.', 'outscore.workflows'))])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "['outscore.cli.app']"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("comapre a.txt b.txt", "There is no command `comapre`. Did you mean `compare`?"),
        ("Rank a.csv", "There is no command `Rank`. Did you mean `rank`?"),
        ("compare --metrc mean a b", "There is no option `--metrc`. Did you mean `--metric`?"),
        ("rank --corection=holm a", "There is no option `--corection`. Did you mean `--correction`?"),
        (
            "score --margin .1 a",
            "There is no option `--margin`. It is an option of `outscore compare`, `outscore gate`, `outscore plan`.",
        ),
        (
            "prefer --bounds 0 1 a",
            "There is no option `--bounds`. It is an option of `outscore compare`, `outscore gate`, `outscore plan`.",
        ),
        ("show --alpha 0.1 a", "of `outscore compare`, `outscore rank`, `outscore score` and 4 more commands."),
        ("compare -z a b", "There is no option `-z`. See `outscore compare --help`."),
        ("--versoin", "There is no option `--versoin`. Did you mean `--version`?"),
        ("diff --task nr a b", "'nr' is not one of 'pos', 'dep', 'ner', 'label', 'coref'. Did you mean 'ner'?"),
        ("diff --sort dleta a b", "'dleta' is not one of 'evidence', 'delta', 'count'. Did you mean 'delta'?"),
        ("compare --format JSON a b", "'JSON' is not one of 'text', 'line', 'json', 'markdown', 'latex'. Did you mean 'json'?"),
        ("compare --method exakt a b", "Did you mean 'exact'?"),
        ("schema comparison", "There is no kind of result `comparison`. Did you mean `result`? Python calls it Comparisons."),
        ("schema compare", "Did you mean `result`? Python calls it Comparisons."),
        ("schema Ranking", "There is no kind of result `Ranking`. Did you mean `ranking`?"),
    ],
)
def test_slips_of_the_pen_get_the_word_that_was_meant(words, said):
    done = CliRunner().invoke(app, words.split(), prog_name="outscore")
    assert done.exit_code == 2
    assert said in done.output
    assert done.output.count("\n") == 1


def test_a_command_like_no_other_gets_all_of_them():
    done = CliRunner().invoke(app, ["xyzzy"])
    assert done.output == f"outscore: There is no command `xyzzy`. Choose one of: {', '.join(sorted(COMMANDS))}.\n"


def test_a_choice_like_no_other_gets_the_list_only():
    done = CliRunner().invoke(app, ["diff", "--task", "xyzzy", "a", "b"], prog_name="outscore")
    assert "'xyzzy' is not one of 'pos', 'dep', 'ner', 'label', 'coref'. See `outscore diff --help`." in done.output


@pytest.mark.parametrize(("given", "set_to"), [(None, entry.SPIN), ("24", "24")], ids=["by itself", "as told"])
def test_threads_of_numpy_wait_for_work_only_so_long(monkeypatch, given, set_to):
    """What the environment says already stays."""
    # Set before it is taken away, so that it is as before when the test is over.
    monkeypatch.setenv("OPENBLAS_THREAD_TIMEOUT", given or "")
    if given is None:
        monkeypatch.delenv("OPENBLAS_THREAD_TIMEOUT")
    found = []
    monkeypatch.setattr("outscore.cli.app.main", lambda: found.append(os.environ["OPENBLAS_THREAD_TIMEOUT"]))
    entry.main()
    assert found == [set_to]


@pytest.mark.parametrize(("command", "texts"), [("compare", "bleu,chrf"), ("rank", "bleu"), ("gate", "bleu")])
def test_help_names_the_metrics_of_texts_that_nobody_named(command, texts):
    said = " ".join(CliRunner().invoke(app, [command, "--help"]).output.split())
    assert f"[default: mean; f1 for counts; {texts} for texts]" in said
