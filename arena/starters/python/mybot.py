import random

from arena.bots import Bot, run


class MyBot(Bot):
    expansions = ("artisans", "whims")  # what it is ready to play besides the base game; five players come with these

    def choose(self, view, legal):
        return random.choice(legal)  # view.me.gold, view.tiles["A1"].meeples, view.market, … tell more


if __name__ == "__main__":
    run(MyBot)  # needs ARENA_SERVER=host:port and ARENA_TOKEN=…
