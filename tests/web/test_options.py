"""Forms have every option of their commands, with the choices and the defaults of the command line."""

from __future__ import annotations

import click
import pytest

from outscore.cli.app import app
from outscore.inference.registry import TESTS
from outscore.web.forms.fields import read_value
from outscore.web.forms.options import COMMANDS, METRICS_OF_TEXTS, form

# Options of the command line that name places on the disk or belong to a terminal; nobody may give them from afar.
NEVER = {"config", "output", "charts", "pairs", "changes", "format", "verbose", "dask", "jobs", "table", "sort", "top", "help"}
# Options that are said in another way: `set.NAME`, `lengths`, the file of labels.
ELSEWHERE = {"set"}


def command_of(name):
    return app.get_command(None, "compare" if name == "texts" else name)


def options_of(name):
    return {o.removeprefix("--") for param in command_of(name).params for o in param.opts if o.startswith("--")}


@pytest.mark.parametrize("name", [c for c in COMMANDS if c != "report"])
def test_forms_have_every_option_and_no_other(name):
    fields = form(name)
    plain = {one.name for one in fields if "." not in one.name} - {"files", "lengths"}
    assert plain <= options_of(name) | ({"gold"} if name == "diff" else set())
    foreign = {"item", "score", "system", "system-column", "cluster", "repeat", "slice", "dataset", "duplicates", "reader"}
    foreign |= {"unit-size", "unit-statistic", "shuffle", "unit-advice", "normality-alpha"}
    texts = {"reference", "documents", "buckets", "compat"}
    left_out = {"texts": foreign, "compare": texts}.get(name, set())
    assert options_of(name) - plain - NEVER - ELSEWHERE == left_out
    assert not plain & NEVER


@pytest.mark.parametrize("name", COMMANDS)
def test_forms_describe_themselves(name):
    for one in form(name):
        assert one.label
        assert one.help
        assert len({choice.value for choice in one.choices}) == len(one.choices)
        assert read_value(one, one.default) is not None
        if one.type == "choice" and one.default is not None:
            assert one.default in {choice.value for choice in one.choices}


def defaults_of(name):
    """What the command line does when nothing is said, by option; of a text comparison the library chooses the metrics."""
    command = command_of(name)
    context = click.Context(command)
    found = {o.removeprefix("--"): p for p in command.params for o in p.opts if o.startswith("--")}
    values = {option: param.get_default(context) for option, param in found.items()}
    # What was not set is something else in every version of click.
    said = {option: value if isinstance(value, (str, int, float)) and value else None for option, value in values.items()}
    return said | ({"metric": METRICS_OF_TEXTS} if name == "texts" else {})


@pytest.mark.parametrize("name", [c for c in COMMANDS if c != "report"])
def test_defaults_are_those_of_the_command_line(name):
    """A value equal to the form's default is left out of the command, so the command's own default is what runs."""
    known = defaults_of(name)
    resamples = {option.default for test in TESTS.values() for option in test.options if option.name == "resamples"}
    for one in form(name):
        if one.type == "file" or "." in one.name or one.name == "lengths":
            continue
        if one.name == "resamples":
            # The command line leaves it to the test.
            assert (known["resamples"], {one.default}) == (None, resamples)
        else:
            assert (one.default or None) == known[one.name], one.name


@pytest.mark.parametrize("name", [c for c in COMMANDS if c != "report"])
def test_choices_are_those_of_the_command_line(name):
    params = {o.removeprefix("--"): p for p in command_of(name).params for o in p.opts if o.startswith("--")}
    for one in form(name):
        param = params.get(one.name)
        if param is not None and isinstance(param.type, click.Choice):
            assert {choice.value for choice in one.choices} == set(param.type.choices), one.name
