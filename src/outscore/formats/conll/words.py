"""Files of words, whichever of the two forms they have: CoNLL-U, or plain columns."""

from __future__ import annotations

import os
from collections.abc import Sequence

from outscore.core.errors import OutscoreError
from outscore.core.options import did_you_mean
from outscore.formats.conll import conllu, word_columns
from outscore.formats.detect import CHAINS, TABLES, refuse_kinds
from outscore.formats.source import Source, open_source
from outscore.outputs.model import Words

__all__ = ["WORD_FORMATS", "read_words"]

WORD_FORMATS = ("conllu", "word-columns")


def read_words(
    path: str | os.PathLike[str],
    name: str | None = None,
    *,
    format: str = "auto",
    columns: Sequence[str] = conllu.DEFAULT,
    layout: Sequence[str] | None = None,
) -> Words:
    r"""Read a file of words in either form.

    Parameters
    ----------
    path
        The file; ``-`` is standard input.
    name
        What the system is called; the file's name if not given.
    format
        ``"conllu"``, ``"word-columns"``, or ``"auto"`` to recognise it.
    columns
        Which columns of a CoNLL-U file to read, as far as it has them; plain files are read whole.
    layout
        What the columns of a plain file are called, in order.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "new.tsv")
    ...     _ = path.write_text("It\tPRON\nworks\tVERB\n")
    ...     words = read_words(path)
    >>> words.name, words.origin.format, words.columns["tag"].names
    ('new', 'word-columns', ('PRON', 'VERB'))
    """
    if format not in ("auto", *WORD_FORMATS):
        raise OutscoreError(f"There is no format of words `{format}`.", did_you_mean(format, ["auto", *WORD_FORMATS]))
    with open_source(path) as source:
        refuse_kinds(source, (CHAINS, *TABLES), "words with their tags were")
        if format == "conllu" or (format == "auto" and _is_conllu(source)):
            return conllu.words_of(source, name, [column for column in columns if column in conllu.COLUMNS])
        return word_columns.words_of(source, layout, name)


def _is_conllu(source: Source) -> bool:
    """Its first word says so, or its name: then the reader of CoNLL-U says what is wrong with the first word."""
    return conllu.looks_like_conllu(source) or source.suffix in (".conllu", ".conll-u")
