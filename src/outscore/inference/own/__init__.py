"""One system on its own: how sure its score is, how much its runs differ, and what its test set can detect."""
