"""Environments for learning and search over `arena.rules`: PettingZoo, Gymnasium, OpenSpiel, games in lock step.

This package is optional: `pip install naqala-arena[research]`, and for OpenSpiel also `pip install open-spiel`. Nothing
else of the arena imports it. `actions.py`, `observations.py` and the site's page "Environments for research" explain
the indices of actions and the numbers of observations.
"""
