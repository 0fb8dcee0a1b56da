"""Commands made from requests: click options from declared ones, their values as text, and where a result goes.

A request is read from text only. `command` turns a function of an `Asked` into a click command.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import click
from click.core import ParameterSource

from outscore.cli.completion import of_files, of_words
from outscore.cli.config import DeclaredOption, Saved, changed_inputs, config_option, saved_inputs
from outscore.cli.output import FORMS, check_outputs, deliver
from outscore.cli.progress import working
from outscore.core.errors import OutscoreError
from outscore.core.options import Option, meant
from outscore.core.records import dataclass
from outscore.results.files import SUFFIXES
from outscore.workflows.requests.base import Request, Written

if TYPE_CHECKING:
    from outscore.report.render import AnyResult

_Command = TypeVar("_Command", bound=Callable[..., Any])
_Decorator = Callable[[_Command], _Command]
_Request = TypeVar("_Request", bound=Request)
_Result = TypeVar("_Result")
_option = click.option
SECTIONS = {
    "design": "What to plan",
    "test": "Question and test",
    "data": "How to read the data",
    "units": "Evaluation units",
    "logs": "Evaluation logs",
    "review": "Printed scores",
    "pilot": "Pilot data",
    "files": "Further files",
    "": "Output and settings",
}
"""The headings of a command's help, in order, by the group of their options; options outside the request have no group."""


class SectionedCommand(click.Command):
    """A command whose help lists its options under headings: most have too many for one list."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Every option below the heading of its group."""
        rows: dict[str, list[tuple[str, str]]] = {group: [] for group in SECTIONS}
        for param in self.get_params(ctx):
            row = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if row is not None:
                rows[param.declared.group if isinstance(param, DeclaredOption) else ""].append(row)
        for group, title in SECTIONS.items():
            if rows[group]:
                with formatter.section(title):
                    formatter.write_dl(rows[group])


class OneOf(click.Choice[str]):
    """A choice that suggests the word that a misspelt one probably meant."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:  # noqa: ANN401 - as in click
        """What is wrong with a value, with the word that was probably meant."""
        near = meant(str(value), self.choices)
        return super().get_invalid_choice_message(value, ctx) + ("" if near is None else f" Did you mean {near!r}?")


@dataclass(frozen=True)
class Asked(Generic[_Request]):
    """What a command was asked: a request, where its result goes, and the values of options outside the request."""

    request: _Request
    form: str
    outputs: tuple[str, ...]
    charts: str | None
    verbose: bool
    saved: Saved | None
    own: Mapping[str, Any]

    def working(self, doing: str) -> AbstractContextManager[None]:
        """A sign of life while work is done, unless somebody is typing the input."""
        typing = "-" in self.request.inputs and sys.stdin.isatty()
        return nullcontext() if typing else working(doing)

    def with_changes(self, result: _Result) -> _Result:
        """The result with a note on every input file that is no longer what the repeated result was made from."""
        notes = changed_inputs(self.saved, result.settings.get("inputs", []))  # type: ignore[attr-defined]
        return replace(result, notes=[*result.notes, *notes])  # type: ignore[type-var, attr-defined]

    def deliver(self, result: AnyResult, further: Mapping[str, str | bytes] | None = None, **shown: Any) -> None:  # noqa: ANN401
        """Write the result, and further files with it, and print it."""
        deliver(result, self.form, self.outputs, self.charts, verbose=self.verbose, further=further or {}, **shown)


def command(
    request: type[_Request],
    *own: Callable[[Any], Any],
    options: Sequence[Option] = (),
    read: Callable[[Mapping[str, Written]], _Request] | None = None,
    metavar: str = "",
    **output: Any,  # noqa: ANN401 - those of `output_options`
) -> Callable[[Callable[[Asked[_Request]], int | None]], click.Command]:
    """A click command with the options of a request; the decorated function answers it.

    Parameters
    ----------
    request
        The request; its `positional` options are the arguments.
    own
        Click options of the command that do not change the numbers.
    options, read, metavar
        If they differ from the request's own: its options, the function that reads it from text, and how its arguments are
        written.
    output
        What `output_options` takes.
    """
    declared = tuple(options) or request.options()
    *alone, _ = request.positional or ("files",)
    metavars = [option.metavar for option in declared if option.name in request.positional]

    def make(answer: Callable[[Asked[_Request]], int | None]) -> click.Command:
        @click.pass_context
        def callback(
            context: click.Context,
            /,
            files: tuple[str, ...],
            form: str,
            outputs: tuple[str, ...],
            charts: str | None,
            *,
            verbose: bool,
            **asked: Any,  # noqa: ANN401 - one per option
        ) -> int | None:
            files = given_files(context, files)
            written: dict[str, Written] = {**given_of(declared, asked), **dict(zip(alone, files, strict=False))}
            question = (read or request.from_written)({**written, "files": files[len(alone) :]})
            check_outputs(outputs, charts, question.inputs)
            return answer(Asked(question, form, outputs, charts, verbose, saved_inputs(context), asked))

        callback.__doc__ = answer.__doc__
        decorators = (
            click.argument("files", nargs=-1, metavar=metavar or " ".join(metavars), shell_complete=of_files),
            declared_options(declared, without=request.positional),
            *own,
            output_options(**output),
        )
        decorated: Any = callback
        for decorator in reversed(decorators):
            decorated = decorator(decorated)
        return click.command(answer.__name__, cls=SectionedCommand)(decorated)

    return make


def declared_options(options: Iterable[Option], *, without: Iterable[str] = ()) -> Callable[[_Command], _Command]:
    """Give a command these options, in this order, except those that are its arguments."""
    left_out = set(without)
    wanted = [option for option in options if option.name not in left_out]

    def apply(command: _Command) -> _Command:
        for option in reversed(wanted):
            for flag, value in reversed(option.shortcuts):
                same = f"The same as --{option.long} {value}."
                command = _option(f"--{flag}", cls=DeclaredOption, declared=option, is_flag=True, help=same)(command)
            command = _click_option(option)(command)
        return command

    return apply


def _click_option(option: Option) -> Callable[[_Command], _Command]:
    names = (f"--{option.long}", *(f"--{other}" for other in option.also), option.name)
    help_ = f"{option.help}  [default: {option.default_text}]" if option.default_text else option.help
    common: dict[str, Any] = {"cls": DeclaredOption, "declared": option, "help": help_}
    if option.kind == "flag":
        return _option(*names, is_flag=True, **common)
    pair = option.kind != "file" and option.least == option.most == 2
    common |= {"type": _type(option), "metavar": option.metavar or None}
    if option.kind == "file":
        common["shell_complete"] = of_files
    elif callable(option.choices):
        common["shell_complete"] = of_words(lambda: option.known)
    if pair:
        return _option(*names, nargs=2, **common)
    if option.many or option.kind == "metric":
        return _option(*names, multiple=True, **common)
    if option.default not in (None, ()):
        # An explicit default of None would make click forget that an option is required.
        common |= {"default": option.default, "show_default": True}
    return _option(*names, required=option.kind != "file" and option.least == 1, **common)


def _type(option: Option) -> click.ParamType[Any] | type:
    if isinstance(option.choices, tuple) and option.choices:
        return OneOf(option.choices)
    if option.type is int and option.minimum is not None:
        return click.IntRange(min=int(option.minimum))
    return option.type


def given_of(options: Iterable[Option], asked: dict[str, Any]) -> dict[str, str | list[str]]:
    """Take the values of declared options out of click's, as text; options that were not given are left out."""
    written: dict[str, str | list[str]] = {}
    for option in options:
        value = asked.pop(option.name, None)
        value = _from_shortcuts(option, asked, value)
        if isinstance(value, tuple) and value:
            written[option.name] = [str(one) for one in value]
        elif value is not None and value != () and value is not False:
            written[option.name] = str(value)
    return written


def _from_shortcuts(option: Option, asked: dict[str, Any], value: Any) -> Any:  # noqa: ANN401 - of the option's type
    """The value that the flags of an option set; they override a config file, and must not contradict each other."""
    source = click.get_current_context().get_parameter_source
    flags = {flag: meant for flag, meant in option.shortcuts if asked.pop(flag.replace("-", "_"), False)}
    written = {flag: v for flag, v in flags.items() if source(flag.replace("-", "_")) == ParameterSource.COMMANDLINE}
    if flags and source(option.name) == ParameterSource.COMMANDLINE:
        flags[option.long] = value
        written[option.long] = value
    values = written or flags
    if len(set(values.values())) > 1:
        one, other = list(values)[:2]
        raise OutscoreError(f"--{one} and --{other} contradict each other.", "Give one of them.", parameter=option.name)
    return next(iter(values.values()), value)


def output_options(
    *,
    charts: str = "Also write the charts as SVG, PNG, PDF and CSV.",
    verbose: str = "Show digits, alignment and settings too.",
    config: bool = True,
    forms: Sequence[str] = FORMS,
) -> Callable[[_Command], _Command]:
    """Give a command the options that say where a result goes, and --config if it can repeat a result."""

    def apply(command: _Command) -> _Command:
        for option in (
            _option("-v", "--verbose", is_flag=True, help=verbose),
            *([config_option] if config else []),
            _option("--charts", metavar="DIR", help=charts, shell_complete=of_files),
            _option(
                *("-o", "--output", "outputs"),
                multiple=True,
                metavar="FILE",
                help=f"Also write {', '.join(SUFFIXES)}.",
                shell_complete=of_files,
            ),
            _option("--format", "form", type=OneOf(forms), default="text", show_default=True, help="Format of the output."),
        ):
            command = option(command)
        return command

    return apply


def given_files(context: click.Context, files: tuple[str, ...]) -> tuple[str, ...]:
    """The files on the command line, or those of --config: not every release of click looks them up in the defaults."""
    return files or tuple(context.lookup_default("files") or ())
