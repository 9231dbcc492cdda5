from itertools import islice

from arena.bots import Bot, imagine, run
from arena.players import ahead, bids, offers, picks
from arena.rules import Stream, results, score, settle
from arena.rules.groups import goods_in


class SearchBot(Bot):
    def match_started(self):
        self.chance = Stream(bytes(32))

    def choose(self, view, legal):
        state = imagine(view, self.chance)  # what is hidden from this seat is guessed
        if view.phase == "bid":
            return bids(state, self.offers(state))[0].text
        if view.phase == "move":
            # One sowing for each way to land: from where, to where, with which tribe, on how many of it.
            ways = {(way.origin, way.end, way.tribe, way.dropped[-1]): way for way in islice(results(state), 3000)}
            if ways:
                best = max(ways.values(), key=lambda way: self.value(state, way.actions))
                return [action.text for action in best.actions]  # a whole sowing in one answer
        return self.best(state)[0].text

    def value(self, state, actions):
        """What is reached by a sowing and the best that can follow it, and what is then left for everybody."""
        me = state.to_act
        for action in actions:
            state = state.play(action)
        while state.phase in ("tribe", "tile", "choose"):
            state = self.best(state)[1]
        to_come = [seat for seat in state.turn_track if seat]
        return self.worth(state, me) + ahead(picks(to_come, self.offers(state)), me)

    def best(self, state):
        """The action with the best position right after it, and that position; of equals the last, `pass` or `end`."""
        after = [(action, settle(state.play(action), self.chance)) for action in reversed(list(state.legal)[-20:])]
        return max(after, key=lambda pair: self.worth(pair[1], state.to_act))

    def offers(self, state):
        """What each seat could win by a sowing, best first."""
        return [offers(state, seat) for seat in range(1, len(state.seats) + 1)]

    def worth(self, state, me):
        """How far this seat is ahead: points, and what else pieces and cards promise."""
        left = min(seat.camels for seat in state.seats) / 11
        standing = [
            score(state, number)["total"]
            + 0.5 * min(seat.elders, 4)
            + 3 * len(seat.djinns)
            + 0.3 * seat.fakirs
            + 2 * left * goods_in(seat.hand).bit_count()  # kinds of goods
            for number, seat in enumerate(state.seats, 1)
        ]
        mine = standing.pop(me - 1)
        return mine - 0.75 * max(standing)


if __name__ == "__main__":
    run(SearchBot)
