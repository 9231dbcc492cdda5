"""The log of offers: every match that an arena makes, signed and written before its bots are asked for their nonces.

It is published up to the first match that has not begun, for its bots may not know yet who plays.

Each document names the hash of the one before. So nobody can take one out, put one in, or change one, without changing
all that follow; whoever has kept a copy of the log, or of its last document, sees it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from arena.referee.document import canonical_bytes, difference

FORMAT: Final = "naqala/offer/1"
BEFORE_THE_FIRST: Final = "0" * 64
"""What the first document names as the hash of the one before."""
_KEYS: Final = {
    "format", "number", "previous", "match", "rules", "ruleset", "seats", "clock", "policy", "rated", "commitment"
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class HiddenOffer:
    """An entry of which only the hash is published, while the results of its match are hidden."""

    number: Any
    digest: Any


class OfferError(ValueError):
    """A log of offers that is broken; the message says where."""


def offer_document(
    *,
    number: int,
    previous: str,
    match: str,
    rules: str,
    ruleset: Mapping[str, Any],
    seats: Sequence[Mapping[str, Any]],
    clock: Mapping[str, Any],
    policy: Mapping[str, Any],
    rated: bool,
    commitment: str,
) -> dict[str, Any]:
    """The document of an offer, from 1 on. `seats`: `name` and `version` of each bot and the number of its owner's
    account, seat 1 first. `previous`, `commitment`: 64 hex digits."""
    return {
        "format": FORMAT,
        "number": number,
        "previous": previous,
        "match": match,
        "rules": rules,
        "ruleset": dict(ruleset),
        "seats": [dict(seat) for seat in seats],
        "clock": dict(clock),
        "policy": dict(policy),
        "rated": rated,
        "commitment": commitment,
    }


def offer_digest(document: Mapping[str, Any]) -> str:
    """The hash of a document that the next one names, in hex."""
    return sha256(canonical_bytes(document)).hexdigest()


def check_chain(entries: Iterable[Any], first: int = 1) -> Iterator[dict[str, Any]]:
    """The documents of a whole log, each once it was found to follow from the entry before; `OfferError` at the first
    that does not. What a `HiddenOffer` follows from cannot be seen: a log from number `first` on begins with one."""
    previous = BEFORE_THE_FIRST
    for number, document in enumerate(entries, first):
        if isinstance(document, HiddenOffer):
            if document.number != number:
                raise OfferError(f"entry {document.number!r:.40} stands where {number} was due")
            previous = document.digest
            continue
        if not isinstance(document, dict) or set(document) != _KEYS or document["format"] != FORMAT:
            raise OfferError(f"entry {number} is no document of the format {FORMAT!r}")
        if type(document["number"]) is not int or document["number"] != number:
            raise OfferError(f"entry {document['number']!r:.40} stands where {number} was due")
        if document["previous"] != previous:
            raise OfferError(f"entry {number} does not name the hash of the entry before")
        yield document
        previous = offer_digest(document)


def other_terms(document: Mapping[str, Any], told: Mapping[str, Any]) -> str | None:
    """The first of these terms that the document of an offer has otherwise; None if none. Seats are compared by name
    and version, and the policy without the time to answer, where what was told has none."""
    seats = document["seats"]
    offered = {**document, "seats": [{"name": one["name"], "version": one["version"]} for one in seats]}
    if "offer_ms" not in told.get("policy", {}):
        offered["policy"] = {key: value for key, value in document["policy"].items() if key != "offer_ms"}
    return next((key for key, value in told.items() if difference(offered.get(key), value, "/") is not None), None)
