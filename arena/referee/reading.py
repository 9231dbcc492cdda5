"""Readers for a record's statements about its match: terms, incidents, names. Nothing in it is trusted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from arena.referee.incidents import MatchIncident
from arena.referee.log import Reason
from arena.referee.terms import NONCE_HASH, Clock, Policy, Terms
from arena.rules import ReplayError, parse_ruleset

MAX_NAME: Final = 100
"""Maximum number of characters of a match's id, and of a bot's name and version."""


def check_texts(document: Mapping[str, Any]) -> None:
    """Raise `ReplayError` for a match id, name or version that no arena assigns."""
    texts = {"match": document.get("match")}
    for number, seat in enumerate(document["seats"], 1):
        texts |= {f"{key} of seat {number}": seat[key] for key in ("name", "version")}
    for name, text in texts.items():
        if not isinstance(text, str) or not 0 < len(text) <= MAX_NAME or not text.isprintable():
            raise ReplayError("BAD_REPLAY", f"the {name} needs 1 to {MAX_NAME} printable characters, not {text!r:.60}")


def read_terms(document: dict[str, Any]) -> Terms:
    """Return the terms of a match from its record, whose seeds have been verified.

    Raise `ReplayError` if they are invalid.
    """
    for part in ("clock", "policy"):
        values = document[part]
        if not isinstance(values, dict) or not all(type(v) is int or key == "house" for key, v in values.items()):
            raise ReplayError("BAD_REPLAY", f"the {part} must be an object of whole numbers")
    house = document["policy"].get("house")
    if not isinstance(house, str):
        raise ReplayError("BAD_REPLAY", "the policy must name a house player")
    try:
        clock, policy = Clock.parse(document["clock"]), Policy.parse(document["policy"])
    except (TypeError, ValueError) as error:
        raise ReplayError("BAD_REPLAY", str(error)) from None
    return Terms(
        match=document["match"],
        ruleset=parse_ruleset(document["ruleset"]),
        server_seed=bytes.fromhex(document["server_seed"]),
        clock=clock,
        policy=policy,
        deal=bytes.fromhex(document["deal"]) if document.get("deal") is not None else None,
    )


def read_nonces(document: Mapping[str, Any]) -> tuple[list[bytes], list[bytes]]:
    """Return the nonces of a record and their hashes.

    The nonces must have been verified to make the seed. Raise `ReplayError` if they are not written as an arena writes
    them.
    """
    players = len(document["seats"])
    nonces = [bytes.fromhex(nonce) for nonce in document["nonces"]]
    try:
        hashes = [bytes.fromhex(digest) for digest in document["nonce_hashes"]]
    except (TypeError, ValueError):
        hashes = []
    if len(hashes) != players or any(len(digest) != NONCE_HASH for digest in hashes):
        raise ReplayError("BAD_REPLAY", f"`nonce_hashes` must be {players} strings of {2 * NONCE_HASH} hex digits")
    return nonces, hashes


def read_incidents(document: dict[str, Any]) -> list[MatchIncident]:
    """Return the incidents of a record, in order. Raise `ReplayError` if one is impossible."""
    given = document.get("incidents", [])
    if not isinstance(given, list) or ("incidents" in document and not given):
        raise ReplayError("BAD_REPLAY", "`incidents` must be a list that is not empty")
    return [_read_incident(incident, place, len(document["seats"])) for place, incident in enumerate(given)]


def _read_incident(given: Any, place: int, seats: int) -> MatchIncident:
    try:
        incident = MatchIncident(**given)
    except TypeError:
        incident = None
    if incident is None or incident.document() != given or not _is_possible(incident, seats):
        raise ReplayError("BAD_REPLAY", f"incident {place} is invalid: {given!r:.200}")
    return incident


def _is_possible(incident: MatchIncident, seats: int) -> bool:
    numbers = (incident.at, incident.seat, incident.ms)
    if not all(type(number) is int and number >= 0 for number in numbers) or not 1 <= incident.seat <= seats:
        return False
    if incident.kind == "absence":
        return incident.ms > 0
    if incident.reason == Reason.NO_REVEAL:
        return incident.kind == "forfeit" and incident.at == 0
    return incident.kind in ("fault", "forfeit") and incident.reason in list(Reason)
