"""One system by itself: how sure its score is, how much its runs differ, and what its test set can detect."""
