"""The command line. `main` is what the installed `outscore` command calls."""

from __future__ import annotations

import sys

try:
    from outscore.cli.app import app, main
except KeyboardInterrupt:
    # There is nobody yet who could handle an interrupt.
    sys.stderr.write("outscore: interrupted.\n")
    raise SystemExit(130) from None

__all__ = ["app", "main"]
