"""A look at the data: summaries, normality, effect sizes, influence, repeats, units."""
