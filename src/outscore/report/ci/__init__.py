"""The outcome of a gate as continuous integration reads it."""
