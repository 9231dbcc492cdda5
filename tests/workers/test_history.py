"""The messages of a match, rebuilt from its log, are the bytes that its bots received."""

from __future__ import annotations

from typing import Any

import pytest

from arena.wire import codec
from arena.wire.v1.bot_pb2 import DecisionRequest, RoundTrip, ServerMessage
from tests.kit.until import until
from tests.workers.bus_bots import BusBots, pick
from tests.workers.conftest import Worker
from tests.workers.matches import Trigger, schedule
from webui.matches import queries as match_queries
from webui.replays.transcript import asks_of, messages_of

pytestmark = pytest.mark.django_db(transaction=True)


def comparable(message: ServerMessage) -> bytes:
    """Return the message as bytes, with times of the last answer in whole milliseconds, as in the log."""
    copy = ServerMessage.FromString(message.SerializeToString())
    if copy.HasField("request") and copy.request.HasField("last_round_trip"):
        last: RoundTrip = copy.request.last_round_trip
        for name in ("network_us", "queue_us", "thinking_us"):
            setattr(last, name, getattr(last, name) // 1000 * 1000)
    return copy.SerializeToString()


def test_every_message_to_every_seat_byte_for_byte(
    versions: list[int], bots: BusBots, worker: Worker, settings: Any
) -> None:
    """One bot plays correctly, one answers wrongly twice, one answers in batches."""
    settings.SITE_URL = "http://arena"
    wrong = iter([["dance"], []])

    def err(request: DecisionRequest) -> list[str]:
        return next(wrong, pick(request)) if request.index > 10 else pick(request)

    def batch(request: DecisionRequest) -> list[str]:
        return (
            [*pick(request), "end"] if pick(request)[0].startswith("drop") and not request.legal[1:] else pick(request)
        )

    sessions = [bots.add(version, choose) for version, choose in zip(versions, (pick, err, batch), strict=True)]
    match_id = schedule(versions)
    worker.play(match_id)
    line = match_queries.match_page(match_id).line
    assert line.state == "FINISHED" and line.rated
    # The bots read their mail in a thread of their own.
    until(lambda: {to for to, message in bots.heard if message.HasField("match_end")} == set(sessions))
    for seat, session in enumerate(sessions, 1):
        sent = [message for to, message in bots.heard if to == session]
        again = [codec.decode_server(payload) for payload in messages_of(line, seat)]
        assert [one.WhichOneof("kind") for one in again] == [one.WhichOneof("kind") for one in sent]
        for mine, theirs in zip(again, sent, strict=True):
            assert comparable(mine) == comparable(theirs), (mine, theirs)
        asked = [one.request.index for one in sent if one.HasField("request")]
        assert asks_of(match_queries.match_log(match_id), seat) == asked
    assert len([one for to, one in bots.heard if to == sessions[1] and one.HasField("fault")]) == 2


def test_what_a_bot_is_sent_that_drops_its_stream(versions: list[int], bots: BusBots, worker: Worker) -> None:
    """It gets the match back, and the request again; the time it has used until then is not in the log."""
    sessions: list[str] = []

    def drop(request: DecisionRequest) -> list[str]:
        bots.lose(sessions[0])
        bots.come_back(sessions[0])
        return pick(request)

    sessions += [bots.add(versions[0], Trigger(20, drop)), *(bots.add(version) for version in versions[1:])]
    match_id = schedule(versions)
    worker.play(match_id)
    sent = [message for to, message in bots.heard if to == sessions[0]]
    again = [codec.decode_server(payload) for payload in messages_of(match_queries.match_page(match_id).line, 1)]
    asked = [one.request.index for one in sent if one.HasField("request")]
    assert list(dict.fromkeys(asked)) == list(
        dict.fromkeys(one.request.index for one in again if one.HasField("request"))
    )
    assert {one.resumed.index for one in again if one.HasField("resumed")} <= {
        one.resumed.index for one in sent if one.HasField("resumed")
    }
