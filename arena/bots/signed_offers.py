"""The signed offer that is sent when all bots have accepted a match. It must have the terms of the offer itself."""

from __future__ import annotations

import json
from typing import Any

from arena.bots.bot import MatchInfo
from arena.referee import canonical_bytes, other_terms
from arena.wire.v1.bot_pb2 import SignedOffer


class UntrueOffer(ValueError):
    """Raised when a signed offer has other terms; the message says which."""


def read_signed_offer(match: MatchInfo, signed: SignedOffer) -> dict[str, Any]:
    """Return the document and its signature, as a line of the public log.

    Raises `UntrueOffer` if it does not fit this match. The signature is kept, not checked: a bot has no keys of the
    arena, but whoever checks its receipt has.
    """
    try:
        document = json.loads(signed.document)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict) or canonical_bytes(document) != signed.document:
        raise UntrueOffer("the signed offer is not a canonical JSON object")
    terms = {
        "match": match.id,
        "ruleset": match.ruleset,
        "seats": [{"name": player["name"], "version": player["version"]} for player in match.participants],
        "clock": match.clock,
        "policy": match.policy,
        "rated": match.rated,
        "commitment": match.commitment.hex(),
    }
    try:
        differs = other_terms(document, terms)
    except (AttributeError, KeyError, TypeError):
        raise UntrueOffer("the signed offer is not an offer document") from None
    if differs is not None:
        raise UntrueOffer(f"the signed offer has a different {differs}")
    return {"document": document, "signature": {"key": signed.key, "ed25519": signed.signature.hex()}}
