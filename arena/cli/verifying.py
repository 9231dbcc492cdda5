"""The checks of `arena replay verify`, and their sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import Request

from arena.cli.fetching import Away, read_text, refuse_clear_text, refused
from arena.cli.files import InputError, parse_document, read_document
from arena.cli.offers import check_offered, check_signed
from arena.host.signing import PUBLIC_KEY_BYTES, SignatureError, check_signature, key_id, read_keys
from arena.players import ask_house
from arena.referee import SIGNATURE, Claim, canonical_bytes, difference, prove, unsigned
from arena.referee.proof import SIGNED
from arena.rules import Divergence
from arena.rules.replay import BEFORE

KEYS_PATH: Final = "/.well-known/naqala-arena-keys.json"

SENTENCES: Final[Mapping[Claim, str]] = {
    Claim.SEED: "the seed is made from the server seed and every nonce, and the commitment is the server seed's",
    Claim.CHANCE: "the set-up and every later draw follow from the seed",
    Claim.GAME: "every decision is legal, and scores, ranks and the end follow",
    Claim.NONCES: "every nonce is the one whose hash its seat gave before any nonce was revealed, "
    "or the seat forfeited",
    Claim.CLOCKS: "no decision took longer than its seat's bank and the cap allowed",
    Claim.MARKS: "forced, default and house decisions are marked, and are the ones that follow",
    Claim.VERDICT: "strikes, forfeits and placements follow from the incidents and the game",
    Claim.TERMS: "which match it was, its clock and policy, and who sat there with which version",
    Claim.INCIDENTS: "how long each decision took, and when a bot was at fault or away",
    Claim.COMMITTED: "that the commitment was published before anybody chose a nonce: "
    "the public log of offers shows it, and what each bot keeps of its offer",
}


@dataclass(frozen=True, slots=True)
class Verified:
    """The claims that hold for one replay."""

    proved: tuple[Claim, ...]
    """Claims proved by recomputation, or by a receipt."""
    signed: tuple[Claim, ...]
    """Claims that are only as true as the key that signed them."""
    not_proved: tuple[Claim, ...]
    signed_by: str | None
    """Name of the key; `None` if no key was asked for."""


def verify_document(
    document: Any,
    keys: Mapping[str, bytes],
    receipt: Mapping[str, Any] | None,
    offers: Mapping[str, Mapping[str, Any]] | None = None,
) -> Verified:
    """Verify a replay by itself, and against public keys, a receipt and the log of offers if they are given.

    The receipt is used only if it is of the same match. `offers` are the documents of the log by match. Raises
    `ReplayError` (or `Divergence`) as `prove` does, and `SignatureError` if it is not signed with one of the keys.
    """
    proof = prove(document, ask_house)
    signed_by = None
    if keys:
        if SIGNATURE not in document:
            raise SignatureError("it is not signed")
        signed_by = check_signature(canonical_bytes(unsigned(document)), document[SIGNATURE], keys)
    signed = SIGNED if signed_by else ()
    proved = proof.proved
    if receipt is not None and receipt["match"] == document["match"]:
        check_receipt(document, receipt, keys)
        proved = (*proved, Claim.COMMITTED)
    if offers is not None:
        check_offered(document, offers.get(document["match"]))
        proved = (*proved, *({Claim.COMMITTED} - set(proved)))
    left = tuple(claim for claim in proof.not_proved if claim not in (*signed, *proved))
    return Verified(proved, signed, left, signed_by)


def read_receipt(path: Path) -> dict[str, Any]:
    """Return the receipt in a file. Raises `InputError` if it does not hold one."""
    from arena.bots.receipts import FORMAT  # loads gRPC, which no other proof needs

    receipt = read_document(path)
    known = isinstance(receipt, dict) and receipt.get("format") == FORMAT
    signed = receipt.get("offer") if known else None
    if signed is not None and not (isinstance(signed, dict) and isinstance(signed.get("document"), dict)):
        raise InputError(f"{path} is not a receipt: its offer has no document")
    if not known or type(receipt.get("seat")) is not int or not isinstance(receipt.get("match"), str):
        raise InputError(f"{path} is not a receipt: receipts have the format {FORMAT!r}, a match and a seat")
    return dict(receipt)


def check_receipt(document: dict[str, Any], receipt: Mapping[str, Any], keys: Mapping[str, bytes]) -> None:
    """Compare the record of a match with one bot's receipt. Raises `Divergence` at the first difference.

    Values that the receipt lacks are not compared: the nonce after a restart, and hashes that were not sent.
    """
    seat, nonces = receipt["seat"], document.get("nonces") or []
    policy = {key: value for key, value in document.get("policy", {}).items() if key != "offer_ms"}
    terms = {
        "commitment": document["commitment"],
        "ruleset": document["ruleset"],
        "seats": [{key: seating[key] for key in ("name", "version")} for seating in document["seats"]],
        "clock": document.get("clock"),
        "policy": policy,
        "nonce": nonces[seat - 1] if 0 < seat <= len(nonces) else None,
        "nonce_hashes": document.get("nonce_hashes"),
    }
    if terms["nonce"] == "" and terms["nonce_hashes"]:
        del terms["nonce"]  # the nonce came too late: the record has only its hash
    if not receipt.get("commitment"):
        raise Divergence("RECEIPT", BEFORE, "the receipt has no commitment")
    for key, value in terms.items():
        if receipt.get(key) and difference(receipt[key], value, "/") is not None:
            raise Divergence("RECEIPT", BEFORE, f"the bot was offered a different {key}: {receipt[key]!r:.200}")
    if (signed := receipt.get("offer")) is not None:
        check_offered(document, signed["document"])
        if keys:
            check_signed(signed["document"], signed["signature"], keys, "the offer in the receipt")


def find_keys(given: list[str], arena: str | None) -> dict[str, bytes]:
    """Return the public keys named by options: 64 hex digits, a file of keys, or the published keys of an arena."""
    keys: dict[str, bytes] = {}
    for word in given:
        if len(word) == 2 * PUBLIC_KEY_BYTES and not Path(word).exists():
            try:
                public = bytes.fromhex(word)
            except ValueError:
                raise InputError(f"a public key is 64 hex digits or a file of keys, not {word!r}") from None
            keys[key_id(public)] = public
        else:
            keys |= _keys_of(read_document(Path(word)), word)
    if arena is not None:
        keys |= _keys_of(_fetch(arena.rstrip("/") + KEYS_PATH), arena)
    return keys


def _keys_of(document: Any, where: str) -> dict[str, bytes]:
    try:
        return read_keys(document)
    except ValueError as error:
        raise InputError(f"no keys in {where}: {error}") from None


def _fetch(url: str) -> Any:
    refuse_clear_text(url)
    try:
        return parse_document(read_text(Request(url)))  # noqa: S310 - the scheme was checked
    except HTTPError as error:
        raise refused(error) from None
    except (Away, ValueError) as error:
        raise InputError(f"cannot read {url}: {error}") from None


def summary(verified: list[Verified]) -> dict[str, Any]:
    """Return the claims that hold for all replays of a file, as JSON."""

    def of_all(part: str) -> list[str]:
        lists = [getattr(each, part) for each in verified]
        return [str(claim) for claim in Claim if all(claim in claims for claims in lists)]

    return {
        "proved": of_all("proved"),
        "signed": of_all("signed"),
        "not_proved": [str(claim) for claim in Claim if any(claim in each.not_proved for each in verified)],
        "signed_by": sorted({each.signed_by for each in verified if each.signed_by}),
    }


def lines(shown: Mapping[str, Any]) -> list[str]:
    """Return the same as lines of text."""
    signed = f"signed by the key {', '.join(shown['signed_by'])}"
    parts = [("proved", shown["proved"]), (signed, shown["signed"]), ("not proved", shown["not_proved"])]
    return [f"  {title}: {SENTENCES[Claim(claim)]}" for title, claims in parts for claim in claims]
