"""Readers of battles: who was compared with whom on which prompt, and who won."""
