"""Bootstrap tests and the centred rule that turns resamples into p and interval."""
