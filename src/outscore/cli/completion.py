"""Shell completion of values; click completes commands and options itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import click
from click.shell_completion import CompletionItem

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
