from arena.bots import Bot
from arena.rules import Stream, determinize, score, settle

CHANCE = Stream(bytes(32))


class MyBot(Bot):
    def choose(self, view, legal):
        state = determinize(view, CHANCE)  # a whole position that fits what your seat sees
        print(view.phase, points_after(state, legal[0], view.seat))
        return legal[0]  # which action brings most points at once?


def points_after(state, text, seat):
    """Return the points of a seat after an action, as if the game ended there."""
    after = settle(state.play(state.parse(text)), CHANCE)
    return score(after, seat)["total"]
