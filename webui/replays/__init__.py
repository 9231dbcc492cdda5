"""The replay of a match, as pages show it: positions by ply, moves, timeline, frames, and its growth while it runs."""
