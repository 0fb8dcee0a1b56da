"""Words and chains as JSON: what Hugging Face datasets, spaCy, Stanza and coreference systems write."""
