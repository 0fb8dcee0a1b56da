"""Words and chains in the columns of the CoNLL shared tasks."""
