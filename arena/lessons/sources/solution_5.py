from dataclasses import replace
from itertools import islice

from arena.bots import Bot
from arena.rules import Stream, determinize, results, score, settle

CHANCE = Stream(bytes(32))


class MyBot(Bot):
    def choose(self, view, legal):
        state = determinize(view, CHANCE)
        if view.phase == "bid":
            offers = promises(view)
            return max(legal, key=lambda text: profit(view, offers, text))
        if view.phase == "move":
            turns = list(all_turns(state, view.seat))
            if turns:
                value, way = max(turns, key=lambda turn: turn[0])
                self.note = f"worth {value}"
                return [action.text for action in way.actions]
        return max(legal, key=lambda text: worth(rest_of_turn(after(state, text), view.seat), view.seat))


def worth(state, seat):
    """Return how good a position is for a seat."""
    return score(state, seat)["total"]


def all_turns(state, seat):
    """Yield the worth of each turn, and its sowing. Of sowings that end alike, one is enough."""
    seen = set()
    for way in islice(results(state), 3000):
        landing = (way.origin, way.end, way.tribe, way.dropped[-1])
        if landing not in seen:
            seen.add(landing)
            yield worth(rest_of_turn(played(state, way), seat), seat), way


def rest_of_turn(state, seat):
    """Return the state after the tribe's and the tile's action, each chosen for the best position."""
    while state.phase in ("tribe", "tile", "choose") and state.to_act == seat:
        options = [settle(state.play(action), CHANCE) for action in list(state.legal)[:-21:-1]]
        state = max(options, key=lambda option: worth(option, seat))
    return state


def after(state, text):
    """Return the state after an action and the chance that follows it."""
    return settle(state.play(state.parse(text)), CHANCE)


def played(state, way):
    """Return the state after all actions of a sowing."""
    for action in way.actions:
        state = state.play(action)
    return state


def as_mover(view):
    """Return the same view with your seat to move first, to see what the board offers."""
    markers = [marker for marker in (*view.bid_order, *view.turn_track) if marker]
    markers.remove(view.seat)
    track = (*markers, *[None] * (len(view.turn_track) - len(markers)))
    return replace(view, phase="move", to_act=view.seat, bid_order=(view.seat,), turn_track=track)


def promises(view):
    """Return what the best turn with each last tile brings, best first."""
    state = determinize(as_mover(view), CHANCE)
    now, best = worth(state, view.seat), {}
    for value, way in all_turns(state, view.seat):
        best[way.end] = max(value - now, best.get(way.end, value - now))
    return sorted(best.values(), reverse=True) or [0]


def profit(view, offers, text):
    """Return what a bid leaves: the turn that is still there at your place, less the price."""
    spot = int(text.split()[1])
    ahead = sum(1 for marker in view.turn_track[:spot] if marker)
    ahead += (len(view.bid_order) - 1) * spot // len(view.turn_track)  # of those that are bid later
    price = view.me.gold - after(determinize(view, CHANCE), text).seats[view.seat - 1].gold
    return offers[min(ahead, len(offers) - 1)] - price
