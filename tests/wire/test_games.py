"""Whole random games over the wire: every view of every seat and every position comes back."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.rules import Game, Ruleset, format_position, parse_position, replay_document, view
from arena.wire import codec
from arena.wire.v1.bot_pb2 import DecisionRequest, ServerMessage


@settings(max_examples=6, deadline=None)
@given(players=st.integers(2, 4), seed=st.binary(min_size=32, max_size=32))
def test_a_game_comes_back_view_by_view(players: int, seed: bytes) -> None:
    game = Game(Ruleset(players), seed)
    choices = random.Random(seed)
    while True:
        since = max(0, len(game.events) - 5)
        for seat in range(players + 1):
            document = view(game.state, seat)
            request = DecisionRequest(
                view=codec.encode_view(document),
                events=codec.encode_events(game.seen_events(seat, since), since),
                legal=[str(action) for action in game.state.legal],
            )
            got = codec.decode_server(ServerMessage(request=request).SerializeToString()).request
            assert codec.decode_view(got.view) == document
            assert [(e.seat, e.text) for e in codec.decode_events(got.events)] == [
                (e.seat, e.text) for e in game.seen_events(seat, since)
            ]
            assert list(got.legal) == [str(action) for action in game.state.legal]
        position = codec.decode_view(codec.encode_view(format_position(game.state)))
        assert format_position(parse_position(position)) == position == format_position(game.state)
        if game.state.is_over:
            break
        game.play(choices.choice(list(game.state.legal)))
    result = replay_document(game, match="m", seats=[{"name": "a", "version": "1"}] * players)["result"]
    assert codec.decode_result(codec.encode_result(result)) == result
