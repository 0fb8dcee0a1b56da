"""Looking early: evidence that is valid whenever one looks."""
