"""The command itself: what is imported before there is anybody to handle an interrupt, and which commands there are."""

from __future__ import annotations

import subprocess
import sys

import click

from outscore.cli.app import COMMANDS, app


def test_commands_are_imported_when_they_are_called():
    code = "import sys, outscore.cli.app; print([name for name in sys.modules if name.startswith('outscore.cli.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['outscore.cli.app']"


def test_every_command_is_there():
    context = click.Context(app)
    assert app.list_commands(context) == sorted(COMMANDS)
    for name in COMMANDS:
        command = app.get_command(context, name)
        assert command is not None
        assert (command.name, bool(command.help)) == (name, True)
    assert app.get_command(context, "absent") is None


def test_the_list_of_commands_says_what_each_says_of_itself():
    """It is read from their sources; click would import them all."""
    context = click.Context(app)
    ours, imported = click.HelpFormatter(width=80), click.HelpFormatter(width=80)
    app.format_commands(context, ours)
    click.Group.format_commands(app, context, imported)
    assert ours.getvalue() == imported.getvalue()


def test_help_imports_no_command():
    code = "import sys\nfrom outscore.cli.app import app\ntry:\n    app(['--help'])\nexcept SystemExit:\n    pass\n"
    code += "print([name for name in sys.modules if name.startswith(('outscore.cli.', 'outscore.workflows'))])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "['outscore.cli.app']"
