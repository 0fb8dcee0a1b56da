"""Battles: win rates, strengths, position, length, judges; prompts are the sampling units."""
