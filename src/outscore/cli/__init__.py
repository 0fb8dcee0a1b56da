"""The command line. `main` is what the installed `outscore` command calls."""

from __future__ import annotations

from outscore.cli.app import app, main

__all__ = ["app", "main"]
