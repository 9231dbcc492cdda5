"""Bots written in the page: trials of a source, which runners play at once against a house player."""
