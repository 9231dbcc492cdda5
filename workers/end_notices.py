"""Notices to bots that have not learned that their match is over.

Either the match's owner died right after the finish, or the message was lost with the bus, or the sweeper voided the
match. Gateways announce the matches of their bots. For matches that are over, the end is sent again.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final

import structlog

from arena.bus import Bus, BusError, Presence, ToBot
from arena.rules import Ruleset
from arena.wire.matches import MatchCodec
from webui.matches import queries as match_queries
from workers.database import Pool

log = structlog.get_logger(__name__)

OVERDUE_S: Final = 10.0
"""Time after its end at which a match that is still announced counts as not reported. Presence is at most half as
old."""
NOBODY: Final = "nobody"
"""Mailbox for the gateways' answers: nobody reads it, and it expires."""


def send_missing_ends(bus: Bus, database: Pool, site_url: str, *, overdue_s: float = OVERDUE_S) -> list[str]:
    """Send the end again to every bot that is announced in a match that is over. Return the ids of these matches."""
    try:
        present = bus.presences()
    except BusError:
        return []  # the next time
    holders: dict[str, list[Presence]] = defaultdict(list)
    for bot in present:
        for match in bot.matches:
            holders[match].append(bot)
    ended = database(match_queries.ended_matches, list(holders), for_s=overdue_s) if holders else {}
    for match, epoch in ended.items():
        seats, payload = database(_end_notice, match, site_url)
        for bot in holders[match]:
            # A bot of one version has one seat. A bot whose version has changed meanwhile is notified as seat 0.
            seat = seats.get(bot.bot_version, 0)
            try:
                bus.send_to_gateway(bot.gateway, ToBot(bot.id, match, seat, epoch, NOBODY, payload, final=True))
            except BusError as error:
                log.warning("match_end_not_sent", match=match, presence=bot.id, error=str(error))
        log.info("match_end_sent", match=match, sessions=len(holders[match]))
    return list(ended)


def _end_notice(match: str, site_url: str) -> tuple[dict[int, int], bytes]:
    """Return the seats by bot version, and the last message of a match that has ended."""
    page = match_queries.match_page(match, hidden_too=True)
    line = page.line
    codec = MatchCodec(
        match=match,
        ruleset=Ruleset(line.players, tuple(line.expansions)),
        participants=[],
        clock=page.clock,
        policy=page.policy,
        commitment=bytes.fromhex(page.commitment),
        is_rated=line.rated,
    )
    record = match_queries.match_record(match)
    if record is not None:
        payload = codec.end(record, f"{site_url}/matches/{match}/" if site_url else "")
    else:
        payload = codec.aborted(*_abort_terms(line.state, line.reason))
    return {seat.version.id: seat.seat for seat in line.seats}, payload


def _abort_terms(state: str, reason: str) -> tuple[str, str]:
    """Return the code and the sentence that the owner of the match would have sent."""
    if state == "ABORTED":
        return reason, "the match was aborted while this bot was disconnected"
    return state, reason
