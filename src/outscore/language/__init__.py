"""The words: numbers for people, phrases, signatures, verdicts. Pure functions of results."""
