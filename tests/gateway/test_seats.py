"""State of one match in the gateway, without a stream: the times in a message that is sent again."""

from __future__ import annotations

import pytest

from arena.gateway.seats import PendingAsk
from arena.wire.v1.bot_pb2 import DecisionRequest, Offer, RevealRequest, ServerMessage

MS = 1_000_000


def sent_again(message: ServerMessage, *, after_ms: int, gone_ms: int = 0) -> ServerMessage:
    """Return the message that a bot gets `after_ms` after it got this one for the first time."""
    ask = PendingAsk(0, message.SerializeToString(), arrived_ns=5 * MS)
    ask.start(7 * MS)
    if gone_ms:
        ask.lost((7 + after_ms - gone_ms) * MS)
        ask.returned((7 + after_ms) * MS, (7 + after_ms - gone_ms) * MS)
    return ServerMessage.FromString(ask.current_payload((7 + after_ms) * MS))


def test_what_a_message_says_of_time_is_what_is_left_when_it_is_sent_again() -> None:
    request = ServerMessage(request=DecisionRequest(index=3, bank_ms=60_000, cap_ms=10_000, grace_ms=30_000))
    again = sent_again(request, after_ms=6_000, gone_ms=4_000).request
    assert (again.index, again.bank_ms, again.cap_ms, again.grace_ms) == (3, 54_000, 8_000, 26_000)
    offer = ServerMessage(offer=Offer(answer_within_ms=9_000))
    assert sent_again(offer, after_ms=2_000).offer.answer_within_ms == 7_000
    reveal = ServerMessage(reveal_request=RevealRequest(answer_within_ms=9_000))
    assert sent_again(reveal, after_ms=2_000).reveal_request.answer_within_ms == 7_000


@pytest.mark.parametrize("after_ms", [10_001, 100_000])
def test_time_that_is_up_is_none_and_never_less(after_ms: int) -> None:
    request = ServerMessage(request=DecisionRequest(bank_ms=9_000, cap_ms=10_000, grace_ms=10_000))
    assert sent_again(request, after_ms=after_ms).request.cap_ms == 0
    request.request.cap_ms = after_ms - 10_001
    again = sent_again(request, after_ms=after_ms, gone_ms=10_001).request
    assert (again.bank_ms, again.cap_ms, again.grace_ms) == (0, 0, 0)


def test_a_message_that_was_not_sent_yet_is_sent_as_it_is() -> None:
    payload = ServerMessage(offer=Offer(answer_within_ms=9_000)).SerializeToString()
    assert PendingAsk(-1, payload, arrived_ns=0).current_payload(5_000 * MS) == payload
