import unittest
from types import SimpleNamespace

from mybot import MyBot

from arena.bots.view import Tile

TILES = (
    Tile("A1", "village", 6, "blue", "ww", None, 0, 0),
    Tile("B1", "sacred", 8, "red", "b", 2, 0, 0),
    Tile("C1", "oasis", 4, "red", "yrr", None, 0, 0),
)
VIEW = SimpleNamespace(tiles={tile.name: tile for tile in TILES})


class TestChoose(unittest.TestCase):
    def test_takes_what_is_worth_most(self):
        for want, legal in {
            "bid 10": ["bid 10", "bid 2"],
            "take C1": ["take A1", "take B1", "take C1"],
            "drop A1 w": ["drop A1 w", "drop B1 w", "drop C1 w"],
            "build 3": ["build 0", "build 3"],
            "end": ["sell fish ivory", "end"],
            "use enki w A1": ["use enki w A1", "end"],
            "palm A1": ["palm A1", "palm A2 w"],
        }.items():
            with self.subTest(want):
                bot = MyBot()
                self.assertEqual(bot.choose(VIEW, legal), want)
                self.assertTrue(bot.note.startswith("worth "))


if __name__ == "__main__":
    unittest.main()
