"""A gateway's message to a worker has effect once, however often it is delivered."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from arena.bus import FromBot, Presence, WireKind, WireReason
from arena.referee import OfferDeclined, PathLost, TimeSpent
from arena.wire.v1.bot_pb2 import Accept, Answer, BotMessage, Reveal
from tests.workers.match_world import EPOCH
from webui.matches.values import LostOwnership
from workers.inbound import Inbound
from workers.metrics import OverheadTimer
from workers.outbox import Outbox
from workers.paths import PresenceSnapshot, SeatPath, SeatPaths

SEAT = 1
BOT = Presence("s", "g", bot=7, bot_version=7, owner=1, process="p")


class Link:
    """A link without a bus."""

    presence = PresenceSnapshot()


def inbound() -> Inbound:
    path = SeatPath(7)
    path.set_route(BOT)
    link: Any = Link()
    return Inbound(EPOCH, SeatPaths({SEAT: path}), Outbox("m", EPOCH, "w"), link, OverheadTimer())


def said(kind: WireKind, reason: WireReason = WireReason.NONE, **more: Any) -> FromBot:
    return FromBot("m", SEAT, "s", kind, epoch=EPOCH, gateway="g", reason=reason, **more)


ACCEPTS = BotMessage(accept=Accept(match_id="m", nonce_hash=bytes(32))).SerializeToString()
REVEALS = BotMessage(reveal=Reveal(match_id="m", nonce=bytes(16))).SerializeToString()
ANSWERS = BotMessage(answer=Answer(match_id="m", index=4, actions=["pass"])).SerializeToString()

MESSAGES = {
    "accept": said(WireKind.MESSAGE, payload=ACCEPTS, index=-1, is_answer=True),
    "reveal": said(WireKind.MESSAGE, payload=REVEALS, index=0, is_answer=True),
    "answer": said(WireKind.MESSAGE, payload=ANSWERS, index=4, is_answer=True),
    "unreadable answer": said(WireKind.MESSAGE, payload=b"\xff", index=4, is_answer=True),
    "fault": said(WireKind.FAULT, WireReason.FLOODING, index=4),
    "lost": said(WireKind.LOST, WireReason.STREAM_LOST),
    "back": said(WireKind.BACK),
    "moved": said(WireKind.MOVED, WireReason.TAKEN_OVER, index=4, open_ns=12 * 10**9),
    "undeliverable": said(WireKind.UNDELIVERABLE, WireReason.LEFT, index=-1),
}


def test_every_kind_is_tried() -> None:
    assert {message.kind for message in MESSAGES.values()} == set(WireKind)


@pytest.mark.parametrize("message", MESSAGES.values(), ids=list(MESSAGES))
def test_a_message_that_is_delivered_twice_is_heard_once(message: FromBot) -> None:
    heard = inbound()
    events = list(heard.events(replace(message, number=5), 0))
    assert events
    assert list(heard.events(replace(message, number=5), 0)) == []
    assert list(heard.events(replace(message, number=4), 0)) == [], "a whole batch comes again, from its first"
    # The same, sent later or by another gateway, is not a duplicate.
    assert list(heard.events(replace(message, number=6), 0)) == events
    assert list(heard.events(replace(message, number=6), 0)) == []
    if message.kind in (WireKind.MESSAGE, WireKind.FAULT):
        other = replace(message, gateway="h", number=1)
        assert list(heard.events(other, 0)) == events


def test_a_fault_counts_only_from_the_process_that_plays() -> None:
    fault = MESSAGES["fault"]
    assert list(inbound().events(replace(fault, session="another", number=1), 0)) == []
    pinned = inbound()
    pinned._paths[SEAT].pin("s")
    pinned._paths[SEAT].route = None
    assert list(pinned.events(replace(fault, number=1), 0))


def test_a_later_owner_is_known_from_the_first_message_about_it() -> None:
    message = said(WireKind.UNDELIVERABLE, WireReason.STALE_EPOCH, number=1)
    with pytest.raises(LostOwnership):
        list(inbound().events(message, 0))


def test_a_bot_whose_processes_are_all_full_cannot_be_offered_the_match() -> None:
    heard, full = inbound(), said(WireKind.UNDELIVERABLE, WireReason.TOO_MANY_MATCHES, index=-1)
    other = replace(BOT, id="other")
    for number, (running, is_declined) in enumerate(((0, False), (1, True)), 1):
        heard._link.presence = PresenceSnapshot({BOT.id: BOT, other.id: replace(other, running=running)})
        events = list(heard.events(replace(full, number=number), 0))
        assert any(isinstance(event, OfferDeclined) and not event.is_blamed for event in events) == is_declined
        assert events[-1] == PathLost(SEAT, is_refused=True)


def test_time_at_a_process_whose_match_was_handed_over_is_not_charged_again() -> None:
    heard = inbound()
    for number, (pinned, is_charged) in enumerate((("", True), ("s", True), ("new", False)), 1):
        heard._paths[SEAT].pinned = pinned
        events = list(heard.events(replace(MESSAGES["moved"], number=number), 0))
        assert any(isinstance(event, TimeSpent) for event in events) == is_charged


@pytest.mark.parametrize(("reason", "is_overbooked"), [("LEAVING", False), ("TOO_MANY_MATCHES", True)])
def test_a_bot_with_too_many_matches_was_overbooked_by_the_arena(reason: str, is_overbooked: bool) -> None:
    events = list(inbound().events(said(WireKind.UNDELIVERABLE, WireReason(reason), index=-1, number=1), 0))
    (declined,) = [event for event in events if isinstance(event, OfferDeclined)]
    assert (declined.is_blamed, declined.is_overbooked) == (False, is_overbooked)
