"""What comes out: frozen records that survive a JSON round trip, show themselves and save themselves."""
