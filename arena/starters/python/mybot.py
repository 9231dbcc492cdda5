from arena.bots import Bot, run


class MyBot(Bot):
    expansions = ("artisans", "whims")  # the bot also plays with these expansions; five players need one

    def choose(self, view, legal):
        action = max(legal, key=lambda action: worth(view, action))
        self.note = f"worth {worth(view, action)}"
        return action


def worth(view, action):
    """Estimates the value of an action in points. The numbers are guesses: write better ones."""
    verb, *words = action.split()
    if verb in ("bid", "build"):  # a later spot costs less
        return int(words[0])
    if verb == "take":  # more meeples reach further
        return len(view.tiles[words[0]].meeples)
    if verb == "drop":  # a tile that nobody owns yet may become ours
        tile = view.tiles[words[0]]
        return tile.value if tile.owner is None else 0
    if verb == "buy":
        return 1 + len(words)
    if verb == "sell":  # keep small sets until they are larger
        return len(words) if len(words) >= 4 else -2
    return {"palm": 3, "palace": 3, "summon": 3, "end": -1, "pass": -1, "spare": -1, "skip": -1}.get(verb, 0)


if __name__ == "__main__":
    run(MyBot)  # needs ARENA_SERVER=https://… and ARENA_TOKEN=…
