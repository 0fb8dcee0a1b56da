"""What one run of each system leaves open, whatever the metric: said once, and by every report in the same words."""

from __future__ import annotations

__all__ = ["SINGLE_RUNS"]

SINGLE_RUNS = "Single runs: whether the difference would outlast another training run is not tested. Several runs would tell."
