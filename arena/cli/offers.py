"""The public log of offers, as `arena replay verify --offers` reads it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from arena.cli.files import InputError, read_replays
from arena.host.signing import SignatureError, check_signature
from arena.referee import HiddenOffer, OfferError, canonical_bytes, check_chain, other_terms
from arena.rules import Divergence
from arena.rules.replay import BEFORE


def read_offers(path: Path, keys: Mapping[str, bytes]) -> dict[str, dict[str, Any]]:
    """Return the documents of a whole log by match, without those of hidden matches.

    Raises `InputError` if the chain or a signature does not hold.
    """

    def documents() -> Iterator[Any]:
        for number, line in enumerate(read_replays(path), 1):
            if isinstance(line, dict) and line.keys() == {"number", "digest"}:
                yield HiddenOffer(line["number"], line["digest"])
                continue
            if not isinstance(line, dict) or line.keys() != {"document", "signature"}:
                raise OfferError(f"line {number} is not an offer with its signature")
            document = line["document"]
            if isinstance(document, dict):
                check_signed(document, line["signature"], keys, f"entry {number}")
            yield document

    try:
        return {str(document["match"]): document for document in check_chain(documents())}
    except (OfferError, SignatureError) as error:
        raise InputError(f"{path} is not a log of offers of this arena: {error}") from None


def check_signed(document: Mapping[str, Any], signature: Any, keys: Mapping[str, bytes], what: str) -> None:
    """Raise `SignatureError` if an offer's document is not signed with one of these keys."""
    try:
        check_signature(canonical_bytes(document), signature, keys)
    except SignatureError as error:
        raise SignatureError(f"{what}: {error}") from None


def check_offered(record: Mapping[str, Any], offer: Mapping[str, Any] | None) -> None:
    """Compare the record of a match with its signed offer. Raises `Divergence` at the first difference."""
    if offer is None:
        raise Divergence(
            "OFFER", BEFORE, "the log of offers does not have this match; if it was hidden, download the log again"
        )
    terms = {
        "match": record["match"],
        "rules": record["rules"],
        "ruleset": record["ruleset"],
        "seats": [{key: seat[key] for key in ("name", "version")} for seat in record["seats"]],
        "clock": record.get("clock"),
        "policy": record.get("policy", {}),
        "commitment": record["commitment"],
    }
    try:
        differs = other_terms(offer, terms)
    except (AttributeError, KeyError, TypeError):
        raise Divergence("OFFER", BEFORE, "the signed offer is not an offer document") from None
    if differs is not None:
        raise Divergence("OFFER", BEFORE, f"the signed offer has a different {differs}: {offer.get(differs)!r:.200}")
