"""The bot with which the page begins."""

from typing import Final

EXAMPLE: Final = """from arena.bots import Bot


class MyBot(Bot):
    def choose(self, view, legal):
        # "view" is what your seat sees. "legal" lists all actions that you may play now.
        print(view.phase, "-", len(legal), "legal actions")
        return legal[0]
"""
