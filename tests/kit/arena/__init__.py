"""A whole arena of real processes, to be broken at will. `tests.kit.arena.arena.Arena` is all that a test needs."""
