"""What is shown to copy, run as a person would who copies it."""

from __future__ import annotations

import json
import re
import shlex

from click.testing import CliRunner

from outscore.cli.app import app


def command_line(folder, line, monkeypatch):
    """What the command line writes in a folder, given the line to copy."""
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(app, shlex.split(line)[1:])
    assert done.exit_code == 0, done.output
    return (folder / shlex.split(line)[shlex.split(line).index("-o") + 1]).read_bytes()


def python(call):
    """The result of a call to copy, as JSON has it; a single comparison is not in a list."""
    assert call.startswith("import outscore as osc\n")
    assert not re.search(r"outscore[.]|from outscore", call)
    values = {}
    exec(call, values)  # noqa: S102 - it is what people are told to run
    found = json.loads(json.dumps(values["result"].to_dict()))
    return found if "schema" in found else {"comparisons": [found], "family": None}
