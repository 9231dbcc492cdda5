from dataclasses import replace
from itertools import islice

from arena.bots import Bot
from arena.rules import Stream, determinize, results, score, settle

CHANCE = Stream(bytes(32))


class MyBot(Bot):
    def choose(self, view, legal):
        if view.phase == "bid":
            return self.bid(view, legal)
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

    def bid(self, view, legal):
        offers = promises(view)  # offers[0] is the best sowing, offers[1] the next one that ends elsewhere
        return max(legal, key=lambda text: profit(view, offers, text))


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


def as_mover(view):
    """Return the same view with your seat to move first, to see what the board offers."""
    markers = [marker for marker in (*view.bid_order, *view.turn_track) if marker]
    markers.remove(view.seat)
    track = (*markers, *[None] * (len(view.turn_track) - len(markers)))
    return replace(view, phase="move", to_act=view.seat, bid_order=(view.seat,), turn_track=track)


def promises(view):
    """Return what the best sowing to each last tile brings in points, best first."""
    state = determinize(as_mover(view), CHANCE)
    before = score(state, view.seat)["total"]
    best = {}
    for way in islice(results(state), 3000):
        gain = score(played(state, way), view.seat)["total"] - before
        best[way.end] = max(gain, best.get(way.end, gain))
    return sorted(best.values(), reverse=True) or [0]


def price(view, text):
    """Return what a bid costs."""
    state = determinize(view, CHANCE)
    return view.me.gold - state.play(state.parse(text)).seats[view.seat - 1].gold


def profit(view, offers, text):
    """Return what a bid leaves: the sowing that is still there at your turn, less the price."""
    spot = int(text.split()[1])
    ahead = sum(1 for marker in view.turn_track[:spot] if marker)
    ahead += (len(view.bid_order) - 1) * spot // len(view.turn_track)  # of those that are bid later
    return offers[min(ahead, len(offers) - 1)] - price(view, text)
