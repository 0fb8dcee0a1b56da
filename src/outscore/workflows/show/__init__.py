"""`show`: what logs hold."""
