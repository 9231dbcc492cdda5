import random

from arena.bots import Bot, run


class MyBot(Bot):
    def choose(self, view, legal):
        return random.choice(legal)  # view.me.gold, view.tiles["A1"].meeples, view.market, … tell more


if __name__ == "__main__":
    run(MyBot)  # needs ARENA_SERVER=host:port and ARENA_TOKEN=…
