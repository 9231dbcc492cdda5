from dataclasses import replace
from itertools import islice

from arena.bots import Bot
from arena.rules import Stream, determinize, goods_in, results, score, settle

CHANCE = Stream(bytes(32))
FINALISTS = 4


class MyBot(Bot):
    def choose(self, view, legal):
        state = determinize(view, CHANCE)
        if view.phase == "bid":
            offers = promises(view)
            return max(legal, key=lambda text: profit(view, offers, text))
        if view.phase == "move":
            turns = list(all_turns(state, view.seat))
            if turns:
                turns.sort(key=lambda turn: turn[0], reverse=True)
                way = played_out(view, turns[:FINALISTS])
                return [action.text for action in way.actions]
        return max(legal, key=lambda text: worth(rest_of_turn(after(state, text), view.seat), view.seat))


def worth(state, seat):
    """Return how good a position is for a seat: its lead, and what cards, Djinns and elders promise."""
    values = []
    for number, each in enumerate(state.seats, start=1):
        promise = 1.2 * goods_in(each.hand).bit_count() + min(each.fakirs, 4)
        promise += 2 * len(each.djinns) + 0.4 * min(each.elders, 4)
        values.append(score(state, number)["total"] + promise)
    return values.pop(seat - 1) - 0.5 * max(values)


def played_out(view, turns):
    """Return the sowing of these turns after which the round ends best for you."""
    state = determinize(view, CHANCE)  # deals what is hidden anew; several deals would judge better, and take longer

    def value(way):
        end = end_of_round(rest_of_turn(played(state, way), view.seat))
        return worth(end, view.seat)

    return max((way for _, way in turns), key=value)


def end_of_round(state):
    """Return the state after the other turns of the round, each the best one for its seat."""
    while not state.is_over and state.phase != "bid":
        turns = list(all_turns(state, state.to_act)) if state.phase == "move" else []
        if turns:
            _, way = max(turns, key=lambda turn: turn[0])
            state = rest_of_turn(played(state, way), state.to_act)
        else:
            state = settle(state.play(state.legal[-1]), CHANCE)
    return state


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
    # A turn that is missed leaves another one: it does not cost all that it promises.
    return 0.65 * offers[min(ahead, len(offers) - 1)] - price
