"""The ways to use a command, for each of which some options are: texts or scores, tables or logs, the same items or not.

An option names its modes (`Option.only_for`); `Request.refuse_outside` refuses what is given outside of them.
"""

from __future__ import annotations

from outscore.core.options import Mode

PAIRED = Mode(
    "paired",
    "--{long} needs the same items for both systems, but with --unpaired the items differ.",
    "Leave one of the two out.",
)
TEXTS = Mode("texts", "--{long} is for texts, but no --reference was named.", "Add --reference FILE, or leave --{long} out.")
SCORES = Mode("scores", "--{long} is for tables of scores, not for texts.")
NO_OUTPUTS = Mode("no outputs", "--{long} is for tables of scores, not for outputs.")
TABLES = Mode(
    "tables",
    "--{long} is for tables, but {log} is a log of an evaluation harness.",
    "Choose a part of the log with --log-task, --metric and --filter, or read it as a table with --reader jsonl.",
)
LOGS = Mode(
    "logs",
    "--{long} is for logs of evaluation harnesses, but the input is not a log.",
    "Leave --{long} out, or name the format of the logs with --reader.",
)
FILES = Mode("files", "`{keyword}` is for files, but the scores are given directly.", "Leave `{keyword}` out.")
ALL_ROWS = Mode(
    "all rows",
    "--{long} needs all rows at once, but Parquet parts are read one by one.",
    "Leave --{long} out, or name the files one by one if they are few and small.",
)
SINGLE = Mode("single", "--{long} is for a single score, but --measure names {measures}.", "Leave it out.")
MEASURES = Mode("measures", "--{long} needs measures, but no --measure was named.", "Name each measure with --measure.")
EXPLAINED = Mode("explained", "--{long} only works together with --explain.", "Add --explain, or leave --{long} out.")
ONE_LOOK = Mode(
    "one look",
    "--anytime tests single items against no difference, so it cannot be combined with `{keyword}`.",
    "Leave one of the two out.",
)
SHIFTED = Mode("shifted", "--{long} is about a margin or a one-sided --delta, but there is none.")
BOUNDED = Mode(
    "bounded",
    "--{long} is for a margin, a one-sided --delta, --anytime or --missing zero, but there is none.",
    "Leave --{long} out, or ask for one of them.",
)


def of_values(option: str, values: tuple[str, ...]) -> Mode:
    """The mode in which another option has one of these values."""
    listed = " or ".join(f"`{value}`" for value in values)
    return Mode(option, f"--{{long}} is for {option} {listed}, not for `{{{option}}}`.", option=option, values=values)


def without(option: str) -> Mode:
    """The mode in which another option is not given."""
    return Mode(f"without {option}", f"--{{long}} cannot be combined with --{option}.", "Leave one of them out.")
