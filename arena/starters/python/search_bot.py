from itertools import islice

from arena.bots import Bot, run
from arena.players import ahead, bids, offers, picks
from arena.rules import Line, Stream, determinize, goods_in, results, score, settle


class SearchBot(Bot):
    def match_started(self):
        self.chance = Stream(bytes(32))

    def choose(self, view, legal):
        line = Line(determinize(view, self.chance))  # deals what is hidden from this seat at random
        if view.phase == "bid":
            return bids(line.state, promises(line.state))[0].text
        # Keep one sowing for each origin, end, tribe and number of its meeples at the end.
        ways = {(way.origin, way.end, way.tribe, way.dropped[-1]): way for way in islice(results(line.state), 3000)}
        if ways and view.phase == "move":
            best = max(ways.values(), key=lambda way: self.value(line, way.actions))
            return [action.text for action in best.actions]  # a whole sowing in one answer
        return best_action(line.state, self.chance).text

    def value(self, line, actions):
        """Value of a sowing: the position after it and its best follow-up, and what is left for everybody then."""
        me = line.state.to_act
        for action in actions:
            line.apply(action)
        line.playout(self.chance, best_action, until=lambda state: state.phase not in ("tribe", "tile", "choose"))
        to_come = [seat for seat in line.state.turn_track if seat]
        value = worth(line.state, me) + ahead(picks(to_come, promises(line.state)), me)
        line.undo(line.depth)
        return value


def best_action(state, rng):
    """Return the action with the best position right after it; of equals the last one, such as `pass` or `end`."""
    return max(list(state.legal)[:-21:-1], key=lambda action: worth(settle(state.play(action), rng), state.to_act))


def promises(state):
    """Return what each seat could win by a sowing, best first."""
    return [offers(state, seat) for seat in range(1, len(state.seats) + 1)]


def worth(state, me):
    """Return this seat's lead: points, and estimates for elders, Djinns and cards."""
    left = min(seat.camels for seat in state.seats) / 11
    worths = [score(state, number)["total"] for number in range(1, len(state.seats) + 1)]
    for number, seat in enumerate(state.seats):
        worths[number] += 0.5 * min(seat.elders, 4) + 3 * len(seat.djinns) + 0.3 * seat.fakirs
        worths[number] += 2 * left * goods_in(seat.hand).bit_count()  # kinds of goods
    return worths.pop(me - 1) - 0.75 * max(worths)


if __name__ == "__main__":
    run(SearchBot)
