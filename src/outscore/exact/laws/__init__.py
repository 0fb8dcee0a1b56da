"""Finite laws on whole numbers, and exact tails of their sums: laws, the sum under a tilt, its frequencies, its tails."""
