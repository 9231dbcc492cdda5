"""Five Tribes in 60 seconds: a beginner's page, played on the real board.

`game.json` is a game of the rules core, by its seed and its decisions (`tests/kit/lesson.py` makes it); `lesson.py`
shows it step by step.
"""
