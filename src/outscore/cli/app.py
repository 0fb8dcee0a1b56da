"""The `outscore` command: its subcommands, and what happens when something goes wrong.

Exit codes: 0 done, 2 bad input or usage, 130 interrupted; `gate` also uses 1 and 3. An exception that nobody expected is left
to whoever started this, and becomes 70 there. A refusal is one sentence on standard error. Commands are imported on first use,
so that `--help` answers at once and an interrupt hardly ever comes before there is a handler.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, NoReturn, TextIO

import click

from outscore._version import __version__
from outscore.core.errors import OutscoreError, cut_quotes

DONE, REFUSED, INTERRUPTED = 0, 2, 130
MAX_OWNERS = 3
"""How many commands are named as owners of an option that another command lacks."""
SECTIONS = {
    "Questions": {
        "compare": "outscore.cli.commands",
        "rank": "outscore.cli.commands",
        "score": "outscore.cli.commands",
        "gate": "outscore.cli.commands",
        "diff": "outscore.cli.commands",
        "prefer": "outscore.cli.commands",
        "plan": "outscore.cli.commands",
    },
    "Evaluation logs": {
        "show": "outscore.cli.commands",
        "convert": "outscore.cli.commands",
    },
    "Results and the page": {
        "report": "outscore.cli.lists",
        "schema": "outscore.cli.lists",
        "serve": "outscore.cli.serve",
        "mcp": "outscore.cli.serve",
        "demo": "outscore.cli.demo",
    },
    "Lists": {
        "metrics": "outscore.cli.lists",
        "tests": "outscore.cli.lists",
        "formats": "outscore.cli.lists",
        "tasks": "outscore.cli.lists",
    },
}
"""The commands under the headings of the help, each with its module, which defines it under this name."""
COMMANDS = {name: module for commands in SECTIONS.values() for name, module in commands.items()}


class App(click.Group):
    """A group that turns every expected failure into one sentence and an exit code.

    Parameters
    ----------
    modules
        Commands by name that are imported on first use, with the module of each.
    """

    def __init__(self, *given: Any, modules: Mapping[str, str] | None = None, **more: Any) -> None:  # noqa: ANN401 - as in click
        super().__init__(*given, **more)
        self._modules = dict(modules or {})

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command by name, in the order of the help."""
        return [*self._modules, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command with this name, imported if necessary."""
        if cmd_name in self._modules:
            command = getattr(import_module(self._modules[cmd_name]), cmd_name)
            assert isinstance(command, click.Command)
            return command
        return super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """The requested command; an unknown one is refused, with the one that was probably meant."""
        name = args[0]
        if name.startswith("-") or ctx.resilient_parsing or self.get_command(ctx, name) is not None:
            return super().resolve_command(ctx, args)
        from outscore.core.options import did_you_mean

        raise OutscoreError(f"There is no command `{name}`.", did_you_mean(name, self.list_commands(ctx)))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Each command with the first sentence of its help, read from its source: importing all of them takes a while."""
        column = max(map(len, self.list_commands(ctx)))
        room = formatter.width - 6 - column
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:{column}}", self._short_help(ctx, name, room)) for name in commands])

    def _short_help(self, ctx: click.Context, name: str, room: int) -> str:
        said = _docstrings(self._modules[name]).get(name) if name in self._modules else None
        if said is not None:
            return click.Command(name, help=said).get_short_help_str(room)
        command = self.get_command(ctx, name)
        return "" if command is None else command.get_short_help_str(room)

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, *_: Any, **extra: Any) -> NoReturn:  # noqa: ANN401
        """Run and leave; click's own handling would print more than a sentence and call an interrupt 1."""
        extra["standalone_mode"] = False
        # On Windows, click would put files in the place of patterns; what a pattern stands for is said by the command.
        extra["windows_expand_args"] = False
        sys.exit(self._run(args, prog_name or "outscore", extra))

    def _run(self, args: Sequence[str] | None, prog_name: str, extra: dict[str, Any]) -> int:
        try:
            code = super().main(args, prog_name, **extra)
        except click.exceptions.NoArgsIsHelpError as error:
            error.show()
            return REFUSED
        except (click.Abort, KeyboardInterrupt):
            # On a terminal, the cursor is after ^C.
            _say(("\n" if sys.stderr.isatty() else "") + "outscore: interrupted.")
            return INTERRUPTED
        except (click.ClickException, OutscoreError, UnicodeError, OSError, MemoryError) as error:
            from outscore.report.document import clean

            # A message quotes what is in the files, which may be meant to steer the terminal.
            _say("outscore: " + " ".join(clean(_sentence(error)).split()))
            return REFUSED
        return code if isinstance(code, int) else DONE

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - as in click
        """Run the command; a reader that goes away (`| head`) is not a failure."""
        result = None
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except KeyboardInterrupt:
            # Click would print a blank line of its own.
            raise click.Abort from None
        except BrokenPipeError:
            from outscore.cli.output import silence_stdout

            silence_stdout()
        return result


@cache
def _docstrings(module: str) -> dict[str, str | None]:
    """What the functions of a module say of themselves, read from its source."""
    # Only the help needs these imports.
    import ast
    from importlib.abc import InspectLoader
    from importlib.util import find_spec

    spec = find_spec(module)
    if spec is None or not isinstance(spec.loader, InspectLoader):
        return {}
    tree = ast.parse(spec.loader.get_source(module) or "")
    return {node.name: ast.get_docstring(node) for node in tree.body if isinstance(node, ast.FunctionDef)}


def _sentence(error: Exception) -> str:
    """What went wrong and what to do, for every failure that is not our mistake."""
    match error:
        case click.NoSuchOption() if error.ctx is not None:
            return f"There is no option `{error.option_name}`. {_meant_option(error.option_name, error.ctx)}"
        case click.ClickException():
            text = cut_quotes(error.format_message().rstrip())
            text = text if text.endswith((".", "?", "!")) else f"{text}."
            context = getattr(error, "ctx", None)
            return f"{text} See `{context.command_path} --help`." if context is not None else text
        case UnicodeError():
            return f"Text could not be read or written: {error}. Save the files as UTF-8."
        case OSError():
            return _of_the_system(error)
        case MemoryError():
            return "There is not enough memory for this. Use fewer or smaller files."
        case _:
            return str(error)


def _of_the_system(error: OSError) -> str:
    """What the operating system refused; without a name it is about the streams, or about other machines."""
    reason = error.strerror or str(error) or type(error).__name__
    if error.filename:
        return f"`{error.filename}`: {reason}. Check the path, the permissions and the free space."
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO):
        return f"The output could not be written: {reason}. Free some space, or write it somewhere else."
    return f"The system reports: {reason}. Try it again."


def _meant_option(name: str, context: click.Context) -> str:
    """The commands that have it, the option that was meant, or where to find the list, which is too long for a sentence."""
    from outscore.core.options import meant
    from outscore.core.records import count_of

    owners = _commands_with(name, context)
    if owners:
        left = len(owners) - MAX_OWNERS
        more = f" and {count_of(left, 'more command')}" if left > 0 else ""
        return f"It is an option of {', '.join(f'`outscore {one}`' for one in owners[:MAX_OWNERS])}{more}."
    known = [option for param in context.command.get_params(context) for option in param.opts if option.startswith("--")]
    near = meant(name, known) if name.startswith("--") else None
    return f"See `{context.command_path} --help`." if near is None else f"Did you mean `{near}`?"


def _commands_with(name: str, context: click.Context) -> list[str]:
    """The other commands that have an option with this name."""
    group = context.find_root().command
    if not isinstance(group, App) or not name.startswith("--"):
        return []
    commands = {one: group.get_command(context, one) for one in group.list_commands(context)}
    return [one for one, command in commands.items() if command and any(name in param.opts for param in command.params)]


def _say(text: str) -> None:
    """Print a sentence on standard error, if anybody listens: the exit code says it, too."""
    with contextlib.suppress(OSError):
        click.echo(text, err=True)


@click.group(cls=App, modules=COMMANDS, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="outscore", message="%(prog)s %(version)s")
def app() -> None:
    """Did system A really outscore system B? Exact paired-permutation p-values for per-item scores."""


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets a question mark instead of an error.
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding=_encoding(stream, sys.platform), errors="replace")
    app()


def _encoding(stream: TextIO, platform: str) -> str | None:
    """UTF-8 for files and pipes on Windows, whose own code page lacks letters of names; None leaves a stream as it is."""
    if platform != "win32" or stream.isatty() or "PYTHONIOENCODING" in os.environ:
        return None
    return "utf-8"
