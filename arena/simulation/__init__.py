"""Ladders simulated with bots of known strength, to see how well ratings find it; and an arena of some size, as queues.
Pure: the same seed, the same table.

`worlds`: who plays, how strong, from when on. `ladder`: matches by the arena's own matchmaking. `rivals`: ways to rate
them. `measures`: how near each of them comes to the truth. `costs`: what a match costs, as it was measured. `queues`:
waiting times, by theory and by simulation. `load`: the fleet for so many matches a day. NumPy, SciPy and OpenSkill come
with the extra `server`.
"""
