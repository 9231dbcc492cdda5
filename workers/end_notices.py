"""Bots that were never told that their match is over: its owner died right after the finish, the mail was lost with the
bus, or the sweeper voided it. Gateways announce which matches they hold; what has ended among these is told again.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final

import structlog

from arena.bus import Bus, BusError, Presence, ToBot
from arena.referee import Clock, Policy
from arena.rules import Ruleset
from arena.wire.matches import MatchCodec
from webui.ladder import queries
from workers.database import Pool

log = structlog.get_logger(__name__)

OVERDUE_S: Final = 10.0
"""A match that ended so long ago and is still announced: presence is half of that old at most."""
NOBODY: Final = "nobody"
"""Whose mailbox takes what a gateway answers: nobody reads it, and it goes by itself."""


def tell_ended(bus: Bus, database: Pool, site_url: str, *, overdue_s: float = OVERDUE_S) -> list[str]:
    """Tell every bot that is announced in a match that is over; the ids of these matches."""
    try:
        sessions = bus.presences()
    except BusError:
        return []  # the next time
    holders: dict[str, list[Presence]] = defaultdict(list)
    for session in sessions:
        for match in session.matches:
            holders[match].append(session)
    ended = database(queries.ended_matches, list(holders), for_s=overdue_s) if holders else {}
    for match, epoch in ended.items():
        seats, payload = database(_end_notice, match, site_url)
        for session in holders[match]:
            # A bot of one version sits at one seat; a version that changed meanwhile hears of it as seat 0.
            seat = seats.get(session.bot_version, 0)
            try:
                bus.send_to_gateway(session.gateway, ToBot(session.id, match, seat, epoch, NOBODY, payload, final=True))
            except BusError as error:
                log.warning("match_end_not_sent", match=match, session=session.id, error=str(error))
        log.info("match_end_sent", match=match, sessions=len(holders[match]))
    return list(ended)


def _end_notice(match: str, site_url: str) -> tuple[dict[int, int], bytes]:
    """Versions by seat, and the last message of a match that has ended."""
    page = queries.match_page(match)
    line = page.line
    codec = MatchCodec(
        match=match,
        ruleset=Ruleset(line.players, tuple(line.expansions)),
        participants=[],
        clock=Clock.parse(page.clock),
        policy=Policy.parse(page.policy),
        commitment=bytes.fromhex(page.commitment),
        is_rated=line.rated,
    )
    record = queries.match_record(match)
    if record is not None:
        payload = codec.end(record, f"{site_url}/matches/{match}/" if site_url else "")
    else:
        payload = codec.aborted(line.state, line.reason)
    return {seat.version.id: seat.seat for seat in line.seats}, payload
