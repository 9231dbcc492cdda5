"""The replay of a match, as pages show it: positions, moves, timeline and frames, also while the match runs."""
