"""The log of offers. The transaction that makes a match also signs its offer and appends it."""

from collections.abc import Mapping, Sequence
from typing import Any

from arena.referee import canonical_bytes, offer_digest, offer_document
from arena.referee.offers import BEFORE_THE_FIRST
from webui.bots.models import BotVersion
from webui.matches.models import Match, OfferEntry, OfferHead
from webui.matches.signing import sign


def lock_offers() -> OfferHead:
    """Lock and return the end of the log until the caller's transaction ends.

    Call this before you lock anything else that another scheduler may wait for.
    """
    OfferHead.objects.get_or_create(pk=1, defaults={"digest": BEFORE_THE_FIRST})
    return OfferHead.objects.select_for_update().get(pk=1)


def append_offer(head: OfferHead, match: Match, versions: Sequence[int], ruleset: Mapping[str, Any]) -> None:
    """Sign and append the offer of a match.

    `head` is the locked end of the log. `versions` are the ids of the match's bot versions, seat 1 first.
    """
    bots = BotVersion.objects.select_related("bot").in_bulk(versions)
    document = offer_document(
        number=head.length + 1,
        previous=head.digest,
        match=match.id,
        rules=match.rules,
        ruleset=ruleset,
        # Use the account's number, not its name: a signed and chained document cannot be erased with the account.
        seats=[
            {"name": bots[pk].bot.name, "version": bots[pk].name, "owner": bots[pk].bot.owner_id} for pk in versions
        ],
        clock=match.clock,
        policy=match.policy,
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
