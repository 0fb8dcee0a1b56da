"""Runs as a random factor beside items: training seeds, whole reruns."""
