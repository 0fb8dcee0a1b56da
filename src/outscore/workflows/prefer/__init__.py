"""Battles: from a request to win rates, strengths, position, length and judges."""
