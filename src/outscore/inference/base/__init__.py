"""What the tests share: the form of an entry, sign flips, item scores, tails and refusals."""
