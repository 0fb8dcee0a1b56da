"""What the installed `outscore` command and `python -m outscore` start."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; an interrupt while it is being imported, or while it is leaving, is told like any other."""
    try:
        from outscore.cli.app import main as run

        run()
    except KeyboardInterrupt:
        # Nobody could handle an interrupt yet, or any more.
        sys.stderr.write("outscore: interrupted.\n")
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
