"""Environments for learning and search over `arena.rules`: PettingZoo, Gymnasium, OpenSpiel, games in lock step.

Optional: `pip install naqala-arena[research]`, for OpenSpiel `pip install open-spiel` too. Nothing else of the arena
imports this package. What an index of an action and a number of an observation mean is said by `actions.py` and
`observations.py`, and by the site's page "Environments for research".
"""
