"""What a bot keeps of an offer, to hold against the arena (`arena replay verify --receipt`)."""

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
    """The terms of a match as they were offered, with the commitment, the nonce of this seat, the signed offer if there
    was one and, once they are known, the hashes of all nonces."""
    receipt = {
        "format": FORMAT,
        "match": match.id,
        "seat": match.seat,
        "ruleset": match.ruleset,
        "seats": [{"name": one["name"], "version": one["version"]} for one in match.participants],
        "clock": match.clock,
        "policy": match.policy,
        "commitment": match.commitment.hex(),
        "nonce": match.nonce.hex(),
        "nonce_hashes": [digest.hex() for digest in match.nonce_hashes],
    }
    return receipt if match.offer is None else {**receipt, "offer": match.offer}


def keep_receipt(folder: Path, match: MatchInfo) -> Path:
    """Write the receipt of a match into a folder, before the hash of its nonce is given away, and again before the
    nonce is; `OSError` if that fails."""
    # The id comes from the server: it names a file only where it can name no other.
    name = match.id if _FILE_NAME.fullmatch(match.id) else sha256(match.id.encode()).hexdigest()
    path = folder / f"{name}.json"
    path.write_text(json.dumps(receipt_of(match), ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def broken_promise(match: MatchInfo, end: End) -> str | None:
    """What the end of a match shows to be other than it was offered, in a sentence; None if nothing does.

    A process that was started again during the match has no nonce any more, and one that missed the offer no
    commitment: what it does not have it does not compare. A match that was voided before it began reveals nothing.
    """
    if match.commitment and sha256(end.server_seed + end.deal).digest() != match.commitment:
        return "the revealed server seed is not the one of the commitment that was offered"  # rules 9
    has_revealed = all((one["seat"], one["reason"]) != (match.seat, "NO_REVEAL") for one in end.verdict["forfeits"])
    if match.nonce and has_revealed and (len(end.nonces) < match.seat or end.nonces[match.seat - 1] != match.nonce):
        return "the nonce of this seat is not the one that was given"
    for seat, (digest, nonce) in enumerate(zip(match.nonce_hashes, end.nonces, strict=False), 1):
        if nonce and sha256(nonce).digest() != digest:
            return f"the nonce of seat {seat} is not the one whose hash was known before"
    return None
