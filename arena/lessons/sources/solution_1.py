from arena.bots import Bot
from arena.rules import Stream, determinize, score, settle

CHANCE = Stream(bytes(32))


class MyBot(Bot):
    def choose(self, view, legal):
        state = determinize(view, CHANCE)  # a whole position that fits what your seat sees
        return max(legal, key=lambda text: points_after(state, text, view.seat))


def points_after(state, text, seat):
    """Return the points of a seat after an action, as if the game ended there."""
    after = settle(state.play(state.parse(text)), CHANCE)
    return score(after, seat)["total"]
