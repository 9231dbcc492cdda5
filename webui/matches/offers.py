"""The log of offers: a match is signed and appended in the transaction in which it is made."""

from collections.abc import Mapping, Sequence
from typing import Any

from arena.referee import canonical_bytes, offer_digest, offer_document
from arena.referee.offers import BEFORE_THE_FIRST
from webui.bots.models import BotVersion
from webui.matches.models import Match, OfferEntry, OfferHead
from webui.matches.signing import sign


def lock_offers() -> OfferHead:
    """The end of the log, which nobody else moves until the caller's transaction ends. To be locked before anything
    that another scheduler may wait for."""
    OfferHead.objects.get_or_create(pk=1, defaults={"digest": BEFORE_THE_FIRST})
    return OfferHead.objects.select_for_update().get(pk=1)


def append_offer(head: OfferHead, match: Match, versions: Sequence[int], ruleset: Mapping[str, Any]) -> None:
    """Sign and append the offer of a match; `head` is locked. `versions`: of its bots, seat 1 first."""
    bots = BotVersion.objects.select_related("bot").in_bulk(versions)
    document = offer_document(
        number=head.length + 1,
        previous=head.digest,
        match=match.id,
        rules=match.rules,
        ruleset=ruleset,
        # The number of an account, not its name: what is signed and chained cannot be erased with the account.
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
