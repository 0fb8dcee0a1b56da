"""Battles: win rates, strengths, position, length, judges; the prompt is what is drawn anew."""
