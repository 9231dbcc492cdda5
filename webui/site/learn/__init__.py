"""Serve "Five Tribes in 60 seconds", a page for beginners that plays a game on the real board.

`game.json` holds the seed and the decisions of a game (`tests/kit/lesson.py` makes it). `lesson.py` shows the game step
by step.
"""
