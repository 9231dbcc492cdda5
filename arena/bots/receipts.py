"""A bot's receipt of an offer, to check the arena against later (`arena replay verify --receipt`)."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from arena.bots.bot import End, MatchInfo

FORMAT: Final = "naqala/receipt/2"
_FILE_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


def receipt_of(match: MatchInfo) -> dict[str, Any]:
    """Return the terms of a match as offered, with the commitment and the nonce of this seat.

    The signed offer and the hashes of all nonces are added once they are known.
    """
    receipt = {
        "format": FORMAT,
        "match": match.id,
        "seat": match.seat,
        "ruleset": match.ruleset,
        "seats": [{"name": player["name"], "version": player["version"]} for player in match.participants],
        "clock": match.clock,
        "policy": match.policy,
        "commitment": match.commitment.hex(),
        "nonce": match.nonce.hex(),
        "nonce_hashes": [digest.hex() for digest in match.nonce_hashes],
    }
    return receipt if match.offer is None else {**receipt, "offer": match.offer}


def keep_receipt(folder: Path, match: MatchInfo) -> Path:
    """Write the receipt of a match into a folder and return its path.

    It is written before the hash of the nonce is sent, and again before the nonce is. Raises OSError if writing
    fails.
    """
    # The id comes from the server. Use it as a file name only if it cannot name any other file.
    name = match.id if _FILE_NAME.fullmatch(match.id) else sha256(match.id.encode()).hexdigest()
    path = folder / f"{name}.json"
    path.write_text(json.dumps(receipt_of(match), ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def broken_promise(match: MatchInfo, end: End) -> str | None:
    """Compare the end of a match with its offer. Return a sentence about what differs, or `None`.

    A process that restarted during the match has no nonce any more, and one that missed the offer has no commitment.
    Missing values are not compared. A match that was voided before it began reveals nothing.
    """
    if match.commitment and sha256(end.server_seed + end.deal).digest() != match.commitment:
        return "the revealed server seed does not match the commitment in the offer"  # rules 9
    forfeits = {(forfeit["seat"], forfeit["reason"]) for forfeit in end.verdict["forfeits"]}
    has_revealed = (match.seat, "NO_REVEAL") not in forfeits
    if match.nonce and has_revealed and (len(end.nonces) < match.seat or end.nonces[match.seat - 1] != match.nonce):
        return "the revealed nonce of this seat is not the one that this bot gave"
    for seat, (digest, nonce) in enumerate(zip(match.nonce_hashes, end.nonces, strict=False), 1):
        if nonce and sha256(nonce).digest() != digest:
            return f"the nonce of seat {seat} does not match the hash that was fixed before"
    return None
