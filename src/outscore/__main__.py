"""What the installed `outscore` command and `python -m outscore` start."""

from __future__ import annotations

import os
import sys

__all__ = ["main"]

SPIN = "20"
"""Threads of numpy's BLAS wait 2^20 ticks of the processor's clock for another product before they sleep. Left alone they wait
2^26, on every core and after every product: a quarter of the processor time of a comparison of texts."""


def main() -> None:
    """Run the command line; an interrupt while it is being imported, or while it is leaving, is told like any other."""
    # Read when numpy is loaded, which is later.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", SPIN)
    try:
        from outscore.cli.app import main as run

        run()
    except KeyboardInterrupt:
        # Nobody could handle an interrupt yet, or any more.
        sys.stderr.write("outscore: interrupted.\n")
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
