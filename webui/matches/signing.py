"""The key with which this process signs offers and records, and the log of offers."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings

from arena.host.signing import Signer, check_signature
from arena.referee import SIGNATURE, canonical_bytes, offer_digest, offer_document, unsigned
from arena.referee.offers import BEFORE_THE_FIRST
from webui.bots.models import BotVersion
from webui.matches.models import Match, OfferEntry, OfferHead, SigningKey


def lock_offers() -> OfferHead:
    """Lock and return the end of the log until the caller's transaction ends.

    Call this before you lock anything else that another scheduler may wait for.
    """
    OfferHead.objects.get_or_create(pk=1, defaults={"digest": BEFORE_THE_FIRST})
    return OfferHead.objects.select_for_update().get(pk=1)


def append_offer(head: OfferHead, match: Match, versions: Sequence[int]) -> None:
    """Sign and append the offer of a match.

    `head` is the locked end of the log. `versions` are the ids of the match's bot versions, seat 1 first.
    """
    bots = BotVersion.objects.select_related("bot").in_bulk(versions)
    document = offer_document(
        number=head.length + 1,
        previous=head.digest,
        match=match.id,
        rules=match.rules,
        ruleset=match.ruleset.document(),
        # Use the account's number, not its name: a signed and chained document cannot be erased with the account.
        seats=[
            {"name": bots[pk].bot.name, "version": bots[pk].name, "owner": bots[pk].bot.owner_id} for pk in versions
        ],
        clock=match.clock.document(),
        policy=match.policy.document(),
        rated=match.rated,
        commitment=match.commitment,
    )
    text = canonical_bytes(document)
    signature = sign(text)
    OfferEntry.objects.create(
        number=head.length + 1,
        match=match,
        document=text.decode(),
        key=signature["key"],
        signature=signature["ed25519"],
    )
    head.length, head.digest = head.length + 1, offer_digest(document)
    head.save()


def signer() -> Signer:
    """Return the signing key of this process. Raise `SigningKeyError` if there is none."""
    return _signer(settings.SIGNING_KEY, settings.PLACES.signing_key)


@lru_cache(maxsize=1)
def _signer(given: str, own: Path) -> Signer:
    return Signer.of_text(given) if given else Signer.of_file(own)


def sign(message: bytes) -> dict[str, str]:
    """Return the signature of a message, and store its public key in the current transaction."""
    key = signer()
    signature = key.sign(message)
    SigningKey.objects.get_or_create(id=signature["key"], defaults={"public_key": key.public_key.hex()})
    return signature


def sign_record(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document with its signature."""
    bare = unsigned(document)
    return {**bare, SIGNATURE: sign(canonical_bytes(bare))}


def check_record_signature(document: Mapping[str, Any]) -> None:
    """Raise `SignatureError` if the signature of a record is not valid."""
    check_signature(canonical_bytes(unsigned(document)), document.get(SIGNATURE), public_keys())


def public_keys() -> dict[str, bytes]:
    """Return every public key that has signed something, by name."""
    rows = SigningKey.objects.values_list("id", "public_key")
    return {name: bytes.fromhex(public_key) for name, public_key in rows}
