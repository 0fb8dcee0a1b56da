"""Orchestration: the only place where metrics, inference and wording meet.

A package of its own, because ``outscore.compare`` has to be the function; a module of that name would take its place.
"""
