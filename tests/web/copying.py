"""What is shown to copy, run as a person would who copies it."""

from __future__ import annotations

import json
import re
import shlex

from click.testing import CliRunner

import outscore as osc
from outscore.cli.app import app


def command_line(folder, line, monkeypatch):
    """What the command line writes in a folder, given the line to copy."""
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(app, shlex.split(line)[1:])
    assert done.exit_code == 0, done.output
    return (folder / shlex.split(line)[shlex.split(line).index("-o") + 1]).read_bytes()


def python(call):
    """The result of a call to copy, as JSON has it: a single comparison is one of a list there."""
    assert call.startswith("import outscore as osc\n")
    assert not re.search(r"outscore[.]|from outscore", call)
    values = {}
    exec(call, values)  # noqa: S102 - it is what people are told to run
    result = values["result"]
    whole = osc.Comparisons([result], {}) if isinstance(result, osc.Comparison) else result
    return json.loads(json.dumps(whole.to_dict()))
