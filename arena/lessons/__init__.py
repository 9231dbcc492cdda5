"""Six lessons for authors of bots: what each checks, a program to start from, and one that passes. Pure.

A check reads the records of the games that a bot has played in a sandbox (`arena.runner.trial`). Each game has a fixed
set-up. `checks.py` judges the bot's decisions, `game.py` yields them, and `sources/` has the programs. Each program is
the solution of the lesson before it with one thing more.
"""

from arena.lessons.checks import LESSONS, BotLesson
from arena.lessons.values import LessonFinding, LessonVerdict

__all__ = ["LESSONS", "BotLesson", "LessonFinding", "LessonVerdict"]
