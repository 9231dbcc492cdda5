"""Games of every ruleset over the wire: every view of every seat and every position comes back."""

import random

import pytest

from arena.rules import Game, Ruleset, View, parse_position, parse_view, position, replay_document, view
from arena.wire import codec
from arena.wire.v1.bot_pb2 import DecisionRequest, ServerMessage
from arena.wire.v1.game_pb2 import GameView
from tests.kit.games import RARE, RULESETS, seed_of
from tests.kit.positions import phases, strange_position

EVERY = pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: "+".join([*ruleset[1], str(ruleset[0])]))


@EVERY
def test_a_game_comes_back_view_by_view(ruleset: Ruleset) -> None:
    seed = seed_of("wire", *ruleset)
    game, choices = Game(ruleset, seed), random.Random(seed)
    while True:
        legal = [str(action) for action in game.state.legal]
        since = max(0, len(game.events) - 5)
        # The seat to act, and another seat or a spectator.
        for seat in {game.state.to_act or 1, choices.randint(0, ruleset.players)}:
            seen, events = view(game.state, seat), game.seen_events(seat, since)
            request = DecisionRequest(
                view=codec.encode_view(seen), events=codec.encode_events(events, since), legal=legal
            )
            got = codec.decode_server(ServerMessage(request=request).SerializeToString()).request
            assert codec.decode_view(got.view) == seen
            assert [(e.seat, e.text) for e in codec.decode_events(got.events)] == [(e.seat, e.text) for e in events]
            assert list(got.legal) == legal
        if game.state.is_over or not len(game.events) % 4:
            whole = over_the_wire(position(game.state))
            assert whole == position(game.state) == position(parse_position(whole.document))
        if game.state.is_over:
            break
        rare = [action for action in legal if action.split()[0] in RARE and choices.random() < 0.7]
        game.play(choices.choice(rare or legal))
    seats = [{"name": "a", "version": "1"}] * ruleset.players
    result = replay_document(game, match="m", seats=seats)["result"]
    assert codec.decode_result(codec.encode_result(result)) == result


@EVERY
def test_positions_of_every_phase_come_back(ruleset: Ruleset) -> None:
    for phase in sorted(set(phases(ruleset.expansions))):
        for seed in range(3):
            document = strange_position(ruleset.players, seed, phase, ruleset.expansions)
            state = parse_position(document)
            assert over_the_wire(position(state)) == parse_view(document) == position(state)
            for seat in range(ruleset.players + 1):
                assert over_the_wire(view(state, seat)) == view(state, seat)


def over_the_wire(seen: View) -> View:
    return codec.decode_view(GameView.FromString(codec.encode_view(seen).SerializeToString()))
