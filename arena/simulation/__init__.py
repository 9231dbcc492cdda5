"""Simulations: ladders with bots of known strength, and the queues of an arena under load.

The ladders show how well ratings find the known strengths. Everything is pure: the same seed gives the same table.

- `worlds`: the bots of a ladder, their strengths and arrivals.
- `ladder`: matches by the arena's own matchmaking.
- `rivals`: other ways to rate the matches.
- `measures`: how close each of them comes to the truth.
- `costs`: the measured costs of a match.
- `queues`: waiting times, by theory and by simulation.
- `load`: the fleet for a number of matches a day.

NumPy, SciPy and OpenSkill come with the extra `server`.
"""
