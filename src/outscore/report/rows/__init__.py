"""Results as tables and statements of text: every rounding rule, no layout."""
