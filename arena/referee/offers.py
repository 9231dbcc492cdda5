"""The log of offers: every match of an arena, signed and stored before its bots are asked for their nonces.

It is published up to the first match that has not begun, because its bots must not know yet who plays.

Each document has the hash of the previous one. Nobody can remove, insert or change a document without changing all
that follow. Anybody who has kept a copy of the log, or of its last document, notices the change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from arena.referee.document import canonical_bytes, difference

FORMAT: Final = "naqala/offer/1"
BEFORE_THE_FIRST: Final = "0" * 64
"""Hash of the previous document in the first document."""
_KEYS: Final = {
    "format", "number", "previous", "match", "rules", "ruleset", "seats", "clock", "policy", "rated", "commitment"
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class HiddenOffer:
    """An entry of which only the hash is published, while the results of its match are hidden."""

    number: Any
    digest: Any


class OfferError(ValueError):
    """Raised for a broken log of offers; the message says where it is broken."""


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
    """Return the document of an offer; numbers begin at 1.

    `seats` have the `name` and `version` of each bot and the number of its owner's account, seat 1 first. `previous`
    and `commitment` are 64 hex digits.
    """
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
    """Return the hash of a document in hex, to which the next document refers."""
    return sha256(canonical_bytes(document)).hexdigest()


def check_chain(entries: Iterable[Any], first: int = 1) -> Iterator[dict[str, Any]]:
    """Yield the documents of a whole log, each after checking that it follows from the previous entry.

    `first` is the number of the first entry; a log that does not start at 1 begins with a `HiddenOffer`. The
    predecessor of a `HiddenOffer` cannot be checked. Raise `OfferError` at the first entry that does not follow.
    """
    previous = BEFORE_THE_FIRST
    for number, document in enumerate(entries, first):
        if isinstance(document, HiddenOffer):
            if document.number != number:
                raise OfferError(f"entry {document.number!r:.40} is out of order: {number} was expected")
            previous = document.digest
            continue
        if not isinstance(document, dict) or set(document) != _KEYS or document["format"] != FORMAT:
            raise OfferError(f"entry {number} is not a document in the format {FORMAT!r}")
        if type(document["number"]) is not int or document["number"] != number:
            raise OfferError(f"entry {document['number']!r:.40} is out of order: {number} was expected")
        if document["previous"] != previous:
            raise OfferError(f"entry {number} does not have the hash of the previous entry")
        yield document
        previous = offer_digest(document)


def other_terms(document: Mapping[str, Any], terms: Mapping[str, Any]) -> str | None:
    """Return the first of the terms in `terms` that differs in the document of an offer; None if all agree.

    Seats are compared by name and version. The time to answer is ignored if the policy in `terms` has none.
    """
    seats = document["seats"]
    offered = {**document, "seats": [{"name": seat["name"], "version": seat["version"]} for seat in seats]}
    if "offer_ms" not in terms.get("policy", {}):
        offered["policy"] = {key: value for key, value in document["policy"].items() if key != "offer_ms"}
    return next((key for key, value in terms.items() if difference(offered.get(key), value, "/") is not None), None)
