"""Commands made from requests: options and their completion, `--config FILE`, and where a result goes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from outscore.cli.output import FORMS, check_outputs, deliver, working
from outscore.core.errors import OutscoreError
from outscore.core.options import Option, did_you_mean, meant
from outscore.core.records import dataclass
from outscore.results.files import SUFFIXES
from outscore.results.note import Note
from outscore.workflows.requests.base import Request, Written
from outscore.workflows.requests.settings_file import LARGEST_SAVED, Entry, entries_of_saved, entries_of_yaml, saved_settings

if TYPE_CHECKING:
    from outscore.report.render import AnyResult


# Shell completion of values; click completes commands and options itself.


Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def of_files(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Files and folders, which the shell completes best."""
    del context, parameter
    return [CompletionItem(incomplete, type="file")]


def of_words(known: Callable[[], Iterable[str]]) -> Completer:
    """Words that are looked up on demand, such as the names of tests."""

    def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        del context, parameter
        return [CompletionItem(word) for word in known() if word.startswith(incomplete)]

    return complete


# `--config FILE`: options from a YAML file, or from a saved result to repeat it.
#
# Keys are the long names of the command's own options, so that one decorator gives every command a config file. Values are
# taken as they are written (`workflows/requests/settings_file`), and the options read them as they would read the command
# line. The command line overrides them.


HELP = "Options from a YAML file (unit-size: 5), or a saved result to repeat it; paths in it start from the current folder."
_META = "outscore.cli.declared"
_Command = TypeVar("_Command", bound=Callable[..., Any])


class DeclaredOption(click.Option):
    """A click option that knows the declaration it was made from."""

    def __init__(self, *given: Any, declared: Option, **more: Any) -> None:  # noqa: ANN401 - as in click
        super().__init__(*given, **more)
        self.declared = declared


@dataclass(frozen=True)
class Saved:
    """The digests of the files behind a saved result, by path, and the path of the result."""

    path: str
    digests: Mapping[str, str]


def config_option(command: _Command) -> _Command:
    """Give a command `--config FILE`."""
    option = click.option(
        "--config", metavar="FILE", is_eager=True, expose_value=False, callback=_load, help=HELP, shell_complete=of_files
    )
    return option(command)


def saved_inputs(context: click.Context) -> Saved | None:
    """The inputs of the saved result that --config names; None without one."""
    saved = context.meta.get(_META)
    return saved if isinstance(saved, Saved) else None


def changed_inputs(saved: Saved | None, inputs: Iterable[Mapping[str, Any]], *, whole: bool = False) -> list[Note]:
    """A note on every file that is no longer what the repeated result was made from; `inputs` as settings have them.

    With `whole`, also on files that were added or removed: a pattern may match other files than before.
    """
    if saved is None:
        return []
    now, then = {entry["path"]: entry["sha256"] for entry in inputs}, saved.digests
    texts: list[str] = []
    if whole:
        texts += [f"`{path}` was part of `{saved.path}`, but no longer is." for path in then if path not in now]
        texts += [f"`{path}` was not part of `{saved.path}`." for path in now if path not in then]
    texts += [f"`{path}` has changed since `{saved.path}` was saved." for path in now if then.get(path, now[path]) != now[path]]
    return [Note("difference", text) for text in texts]


def _load(context: click.Context, _param: click.Parameter, path: str | None) -> None:
    """Make the file's options the defaults of this command."""
    if path is None:
        return
    text = _text(path)
    saved = saved_settings(text, path, context.info_name or "")
    entries = entries_of_yaml(text, path) if saved is None else entries_of_saved(saved, path)
    known = _known_options(context.command)
    values = {key: _value(known[key], key, entry, context) for key, entry in _check_names(entries, known).items()}
    context.default_map = {str(known[key].name): value for key, value in values.items()}
    if saved is not None:
        context.meta[_META] = Saved(path, {i["path"]: i["sha256"] for i in saved.get("inputs", [])})


def _text(path: str) -> str:
    from outscore.formats.base.source import decoding_problem, open_source

    lines, size = [], 0
    with open_source(path) as source:
        for number, line in enumerate(source.lines(), 1):
            problem = decoding_problem(line)
            if problem is not None:
                raise OutscoreError(f"{source.label}, line {number}: {problem[0]}.", problem[1])
            lines.append(line)
            size += len(line)
            if size > LARGEST_SAVED:
                raise OutscoreError(f"{source.label} is too large for a config file.", "Name a YAML file or a saved result.")
    return "".join(lines)


def _known_options(command: click.Command) -> dict[str, click.Parameter]:
    """The options that a file may set, by long name."""
    options: dict[str, click.Parameter] = {}
    for param in command.params:
        names = [opt.removeprefix("--") for opt in param.opts if opt.startswith("--")] or [param.name or ""]
        options |= {long: param for long in names if long not in ("config", "help")}
    return options


NLPSTATTEST = {
    "eval-unit-size": "--unit-size {}",
    "eval-unit-met": "--unit-statistic {}",
    "eval-unit-stat": "--unit-statistic {}",
    "random-seed": "--shuffle {}",
    "shuffle-seed": "--shuffle {}",
    "normal-test-alpha": "--normality-alpha {}",
    "sig-test-name": "--test {}",
    "sig-test-alpha": "--alpha {}",
    "sig-boot-perm-B": "--resamples {}",
    "sig-boot-iterations": "--resamples {}",
    "mu": "--delta {}",
    "h1": "--alternative {}",
    "alternative": "--alternative {}",
    "eff-size-ind": "",
    "power-alpha": "",
}
"""Keys of the settings that NLPStatTest reads and of those that its page saves, as options of `compare` where there is one."""
NLPSTATTEST_PLAN = {
    "pre-mu-diff": "--effect {}",
    "pre-sd": "--sd {}",
    "pre-pow-lev": "--power {}",
    "pre-alpha": "--alpha {}",
    "pre-alternative": "--alternative {}",
}
"""The same for the power analysis before the data, as options of `plan`."""
NLPSTATTEST_TESTS = {
    "t": "student",
    "bootstrap": "bootstrap-t --set interval=equal-tailed",
    "bootstrap_med": "bootstrap-median",
    "permutation_med": "permutation-median",
}
"""Its names of tests that are others here."""
NLPSTATTEST_DRAWS = ("bootstrap", "bootstrap_med", "permutation")
"""Its tests that draw here as well."""


def _refuse_nlpstattest(entries: Mapping[str, Entry], known: Mapping[str, click.Parameter]) -> None:
    """Answer settings of NLPStatTest with the command that does the same."""
    given = {key.replace("_", "-"): entry for key, entry in entries.items()}
    theirs = [key for key in (*NLPSTATTEST, *NLPSTATTEST_PLAN) if key in given and key not in known]
    if len(theirs) < 2:  # one key may be a misprint of ours
        return
    if "shuffled" in given and str(given["shuffled"].value).lower() == "false":
        given.pop("random-seed", None)
    if "sig-test-name" in given and given["sig-test-name"].value not in NLPSTATTEST_DRAWS:
        given.pop("sig-boot-iterations", None)

    def written(options: Mapping[str, str]) -> str:
        values = {key: str(given[key].value) for key in options if key in given}
        name = values.get("sig-test-name", "")
        values["sig-test-name"] = NLPSTATTEST_TESTS.get(name, name)
        return "".join(f" {options[key].format(value)}" for key, value in values.items() if options.get(key) and value)

    cure = f"The same in options is `outscore compare SCORES{written(NLPSTATTEST)}`"
    plan = written(NLPSTATTEST_PLAN)
    cure += f", and before the data `outscore plan{plan} --method t`" if plan else ""
    place = given[theirs[0]].place
    raise OutscoreError(f"{place}: this is a file of NLPStatTest.", f"{cure}; --compat nlpstattest shows its numbers too.")


def _check_names(entries: Mapping[str, Entry], known: Mapping[str, click.Parameter]) -> Mapping[str, Entry]:
    _refuse_nlpstattest(entries, known)
    for key, entry in entries.items():
        if key not in known:
            raise OutscoreError(f"{entry.place}: there is no option `{key}`.", did_you_mean(key, known))
    return entries


def _value(param: click.Parameter, key: str, entry: Entry, context: click.Context) -> object:
    """The value as the command line would have read it."""
    try:
        return param.type_cast_value(context, _shape(param, key, entry))
    except click.BadParameter as error:
        # Releases of click list different words for true and false, the empty one among them.
        of_click = error.message.rstrip(".")
        text = f"{entry.value!r} is neither true nor false" if isinstance(param.type, click.types.BoolParamType) else of_click
        text = text if text[-1:] == "?" else f"{text}."
        raise OutscoreError(
            f"{entry.place}: `{key}` has a bad value: {text}", f"See `{context.command_path} --help`."
        ) from None


def _shape(param: click.Parameter, key: str, entry: Entry) -> str | list[str]:
    """One value or several, as the option takes them; its declaration says how its value is written."""
    value = entry.value
    kind = param.declared.kind if isinstance(param, DeclaredOption) else "value"
    if isinstance(value, dict) and kind == "settings":
        return [f"{name}={inner}" for name, inner in value.items()]
    if isinstance(value, list) and kind == "names":
        return ",".join(value)
    several = bool(getattr(param, "multiple", False)) or param.nargs != 1
    if isinstance(value, dict) or (isinstance(value, list) and not several):
        shape = "a list" if isinstance(value, list) else "a table"
        wanted = "a list or one value was" if several else "one value was"
        raise OutscoreError(f"{entry.place}: `{key}` is {shape}, but {wanted} expected.", f"Write `{key}: value`.")
    return [value] if isinstance(value, str) and several else value


# Commands made from requests: click options from declared ones, their values as text, and where a result goes.
#
# A request is read from text only. `command` turns a function of an `Asked` into a click command.


_Request = TypeVar("_Request", bound=Request)
_Result = TypeVar("_Result")
_option = click.option
DRY_RUN = "dry_run"
READING = {"compare", "rank", "score", "gate", "prefer", "diff"}
"""The commands whose reading can be looked at alone."""
dry_run_option = click.option("--dry-run", DRY_RUN, is_flag=True, help="Only show how the files would be read.")
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


class Number(click.types.FloatParamType):
    """A number; one in per cent is refused with both ways to write it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401 - as in click
        """The number that was written."""
        text = str(value).strip()
        share = text.removesuffix("%").strip()
        if share != text and share.replace(".", "", 1).isdigit():
            cure = f"Write {float(share) / 100:g} if scores go from 0 to 1, or {share} if they are per cent."
            self.fail(f"{text!r} does not say in which units the scores are. {cure}", param, ctx)
        return super().convert(value, param, ctx)


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

    @property
    def on_screen(self) -> bool:
        """Whether the result is shown on a screen alone."""
        return self.form == "text" and not (self.verbose or self.outputs or self.charts)

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
            looked_at = asked.pop(DRY_RUN, False)
            whole = Asked(question, form, outputs, charts, verbose, saved_inputs(context), asked)
            return _look(whole) if looked_at else answer(whole)

        callback.__doc__ = answer.__doc__
        decorators = (
            click.argument("files", nargs=-1, metavar=metavar or " ".join(metavars), shell_complete=of_files),
            declared_options(declared, without=request.positional),
            *own,
            *([dry_run_option] if request.subcommand in READING else []),
            output_options(**output),
        )
        decorated: Any = callback
        for decorator in reversed(decorators):
            decorated = decorator(decorated)
        return click.command(answer.__name__, cls=SectionedCommand)(decorated)

    return make


def _look(asked: Asked[Any]) -> int:
    """Only the reading: how the files would be read, with nothing computed."""
    if asked.form not in FORMS:
        raise OutscoreError(f"--format {asked.form} shows a result, but --dry-run computes none.", "Leave one of the two out.")
    with asked.working("reading"):
        from outscore.workflows.show.look import look

        seen = look(asked.request)
    asked.deliver(seen)
    return 0


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
    return Number() if option.type is float else option.type


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
