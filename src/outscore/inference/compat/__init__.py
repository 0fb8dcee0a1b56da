"""Other tools' p-values, their flaws named and reproduced, to check what was published."""
