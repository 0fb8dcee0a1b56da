"""From paired rows to p-values, intervals and effect sizes. `registry` lists the tests."""
