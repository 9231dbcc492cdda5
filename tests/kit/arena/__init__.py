"""A whole arena of real processes that tests can break. Tests need only `tests.kit.arena.arena.Arena`."""
