"""What hosted bots need on both sides, at home and in the arena. Nothing here needs Django."""
