"""Offers and nonces."""

from __future__ import annotations

from typing import Final

from arena.doctor.check import Checks
from arena.doctor.errors import Failed, Skipped
from arena.doctor.server import SOON_S
from arena.doctor.session import Session
from arena.wire.v1.bot_pb2 import ServerMessage

OFFERS: Final = Checks()
LONG_NONCE: Final = 16
MOST_PLACES: Final = 32
"""Maximum number of places that the checks fill."""


@OFFERS.register(
    "accepts-offer",
    "Answer Offer with Accept within Offer.answer_within_ms, with the same match_id and the SHA-256 of a new nonce"
    " (32 bytes).",
    is_essential=True,
)
async def accepts(session: Session) -> None:
    """The bot accepts an offer in time, with the hash of a nonce."""
    match = session.match()
    match.open()
    session.send(match.offer())
    await match.accepted()


@OFFERS.register(
    "reveals-nonce",
    "Answer RevealRequest with Reveal: the exact bytes whose SHA-256 you sent in Accept, at most 32.",
    is_essential=True,
)
async def reveals(session: Session) -> None:
    """The bot reveals the nonce whose hash it gave."""
    await session.match().begin()


@OFFERS.register("long-nonce", "Use 16 to 32 random bytes as a nonce: others could guess a shorter one from its hash.")
async def takes_long_nonce(session: Session) -> None:
    """The nonce has 16 bytes or more."""
    match = session.match()
    await match.begin()
    if (size := len(match.received("reveal").nonce)) < LONG_NONCE:
        raise Failed(f"its nonce has {size} bytes; with fewer than {LONG_NONCE} it can be guessed from its hash")


@OFFERS.register(
    "keeps-nonce-secret",
    "Send Reveal only in answer to RevealRequest: others who see your nonce earlier can choose theirs accordingly.",
)
async def keeps_nonce(session: Session) -> None:
    """The bot reveals nothing before it is asked to."""
    match = session.match()
    match.open()
    session.send(match.offer())
    await match.accepted()
    await session.pong()
    if match.received("reveal") is not None:
        raise Failed("it has sent Reveal right after Accept")


@OFFERS.register("new-nonce", "Use 16 to 32 new bytes from the system's random source for every match.")
async def takes_new_nonce(session: Session) -> None:
    """Two matches have two different nonces."""
    hashes = set()
    for _ in range(2):
        match = session.match()
        await match.begin()
        hashes.add(match.nonce_hash)
        match.abort()
    if len(hashes) < 2:
        raise Failed("it has used the same nonce for two matches")


@OFFERS.register(
    "same-offer-again", "Keep the nonce of a match: answer a repeated offer with the same Accept and the same hash."
)
async def accepts_again(session: Session) -> None:
    """A repeated offer is accepted with the same hash."""
    match = session.match()
    match.open()
    session.send(match.offer())
    await match.accepted()
    heard = len(match.heard)
    session.send(match.offer())
    again = await session.server.until(
        lambda: match.received("accept", heard), SOON_S, "it has not accepted a repeated offer"
    )
    if again.nonce_hash != match.nonce_hash:
        raise Failed("it has accepted a repeated offer with another hash; the first one counts")


@OFFERS.register(
    "reveals-again", "Answer a repeated RevealRequest, for example after a reconnect, with the same nonce."
)
async def reveals_again(session: Session) -> None:
    """A repeated RevealRequest is answered with the same nonce."""
    match = session.match()
    await match.begin()
    first, heard = match.received("reveal").nonce, len(match.heard)
    session.send(match.reveal_request())
    again = await session.server.until(
        lambda: match.received("reveal", heard), SOON_S, "it has not answered a repeated RevealRequest"
    )
    if again.nonce != first:
        raise Failed("it has answered a repeated RevealRequest with another nonce")


@OFFERS.register(
    "guards-nonce",
    "Before you reveal the nonce, check that your own hash is in its place in RevealRequest.nonce_hashes. If it is"
    " not, send empty bytes: somebody has changed it.",
)
async def guards_nonce(session: Session) -> None:
    """The bot does not reveal its nonce if another hash is in the place of its own."""
    match = session.match()
    match.open()
    session.send(match.offer())
    await match.accepted()
    request = match.reveal_request()
    request.reveal_request.nonce_hashes[match.seat - 1] = bytes(32)
    session.send(request)
    await session.pong()
    reveal = match.received("reveal")
    if reveal is not None and reveal.nonce:
        raise Failed("it has revealed its nonce, though another hash was in the place of its own")


@OFFERS.register(
    "declines-when-full",
    "Answer an offer beyond Hello.max_matches with Decline, at once: silence keeps the others waiting.",
)
async def declines(session: Session) -> None:
    """The bot declines an offer when all its places are taken."""
    if session.places > MOST_PLACES:
        raise Skipped(f"it has {session.places} places; the check fills at most {MOST_PLACES}")
    for _ in range(session.places):
        await session.match().begin()
    match = session.match()
    match.open()
    session.send(match.offer())
    reply = await session.server.until(
        lambda: match.received("decline") or match.received("accept"),
        SOON_S,
        f"it plays {session.places} matches and has not answered one more offer within {SOON_S:g} seconds",
    )
    if reply is match.received("accept"):
        raise Failed(f"it has accepted {session.places + 1} matches, but Hello announced only {session.places}")


@OFFERS.register(
    "place-is-free-again", "Drop a match at MatchAborted and MatchEnd, so that its place is free for the next offer."
)
async def frees_place(session: Session) -> None:
    """A match that was aborted, before or after its start, frees its place."""
    if session.places > MOST_PLACES:
        raise Skipped(f"it has {session.places} places; the check fills at most {MOST_PLACES}")
    for begins in (False, True):
        matches = [session.match() for _ in range(session.places)]
        for match in matches:
            match.open()
            session.send(match.offer())
            await match.accepted()
        for match in matches:
            if begins:
                session.send(match.reveal_request())
                await match.revealed()
            match.abort("NO_ANSWER")
    await session.match().begin()


@OFFERS.register(
    "offer-withdrawn", "MatchAborted may follow an offer at once, because another bot has declined: drop the match."
)
async def survives_withdrawal(session: Session) -> None:
    """An offer that is withdrawn at once does no harm."""
    for reason in ("DECLINED", "NO_ANSWER", "A_REASON_FROM_THE_FUTURE"):
        match = session.match()
        match.open()
        session.send(match.offer())
        match.abort(reason)
    session.send(ServerMessage(match_aborted={"match_id": "never-heard-of", "reason": "VOID"}))
    await session.pong()
    await session.match().begin()
