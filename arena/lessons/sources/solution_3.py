from itertools import islice

from arena.bots import Bot
from arena.rules import Stream, determinize, results, score, settle

CHANCE = Stream(bytes(32))


class MyBot(Bot):
    def choose(self, view, legal):
        buys = [text for text in legal if text.startswith("buy")]
        if buys:
            best = max(buys, key=lambda text: new_kinds(view, text))
            if new_kinds(view, best):
                return best
        state = determinize(view, CHANCE)  # a whole position that fits what your seat sees
        if view.phase == "move":
            ways = list(islice(results(state), 3000))  # whole sowings, from the tile to the last meeple
            if ways:
                best = max(ways, key=lambda way: way_value(view, played(state, way)))
                return [action.text for action in best.actions]
        return max(legal, key=lambda text: points_after(state, text, view.seat))


def points_after(state, text, seat):
    """Return the points of a seat after an action, as if the game ended there."""
    after = settle(state.play(state.parse(text)), CHANCE)
    return score(after, seat)["total"]


def new_kinds(view, text):
    """Return how many kinds of goods an action buys of which you have none yet."""
    places = [int(word) for word in text.split()[1:]]  # "buy 1 4" takes the first and the fourth card
    cards = {view.market[place - 1] for place in places}
    return len(cards - {"fakir"} - set(view.me.hand))


def played(state, way):
    """Return the state after all actions of a sowing."""
    for action in way.actions:
        state = state.play(action)
    return state


def way_value(view, after):
    """Return how good a sowing is: viziers come first until you have three more than anybody else."""
    lead = view.me.viziers - max(other.viziers for other in view.others)
    me = after.seats[view.seat - 1]
    return (me.viziers if lead < 3 else 0, score(after, view.seat)["total"])
