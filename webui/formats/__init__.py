"""How numbers are written in languages that would write them otherwise."""
