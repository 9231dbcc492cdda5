"""Ladders simulated with bots of known strength, to see how well ratings find it. Pure: the same seed, the same table.

`worlds`: who plays, how strong, from when on. `ladder`: matches by the arena's own matchmaking. `rivals`: ways to rate
them. `measures`: how near each of them comes to the truth. NumPy, SciPy and OpenSkill come with the extra `server`.
"""
