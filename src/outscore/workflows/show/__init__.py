"""`show`: what logs contain."""
