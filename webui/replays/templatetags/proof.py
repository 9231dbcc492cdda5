"""Texts of the panel "Verify this match": the claims, and all texts that its script shows."""

from collections.abc import Mapping
from typing import Any

from django import template
from django.utils.html import json_script
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from arena.referee import SIGNATURE, Claim
from arena.referee.proof import PROOF_OF_A_MATCH, SIGNED

register = template.Library()


def claim_sentences() -> dict[Claim, str]:
    """Return the sentence of each claim. The English ones are those of `arena replay verify`."""
    return {
        Claim.SEED: _("the seed is made from the server seed and every nonce, and the commitment is the server seed's"),
        Claim.NONCES: _(
            "every nonce is the one whose hash its seat gave before any nonce was revealed, or the seat forfeited"
        ),
        Claim.CHANCE: _("the set-up and every later draw follow from the seed"),
        Claim.GAME: _("every decision is legal, and scores, ranks and the end follow"),
        Claim.CLOCKS: _("no decision took longer than its seat's bank and the cap allowed"),
        Claim.MARKS: _("forced, default and house decisions are marked, and are the ones that follow"),
        Claim.VERDICT: _("strikes, forfeits and placements follow from the incidents and the game"),
        Claim.TERMS: _("which match it was, its clock and policy, and who sat there with which version"),
        Claim.INCIDENTS: _("how long each decision took, and when a bot was at fault or away"),
        Claim.COMMITTED: _(
            "that the commitment was published before anybody chose a nonce: the public log of offers shows it, and "
            "what each bot keeps of its offer"
        ),
    }


@register.simple_tag
def proof_claims(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return in sentences what a match record proves, what is signed, and what is neither. `key` is the signing key."""
    sentences = claim_sentences()
    return {
        "proved": [sentences[claim] for claim in PROOF_OF_A_MATCH.proved],
        "signed": [sentences[claim] for claim in SIGNED],
        "open": [sentences[claim] for claim in PROOF_OF_A_MATCH.not_proved if claim not in SIGNED],
        "key": record[SIGNATURE]["key"],
    }


@register.simple_tag
def proof_texts() -> SafeString:
    """Return all texts of the panel as data. Placeholders are written `{index}`."""
    return json_script(
        {
            "chips": {"none": _("not checked yet"), "good": _("verified"), "bad": _("not verified")},
            "states": {"running": _("is being checked"), "done": _("checked"), "failed": _("failed")},
            "done": _(
                "All true. The seed is the one that was promised, the whole set-up follows from it, {decisions} "
                "decisions are legal, later draws ({draws}) come from the same seed, and the scores follow."
            ),
            "broken": _("The check could not be finished: {reason}. The replay file can still be verified at home."),
            "look": _("Look at it."),
            "differences": {
                "unknown": _("This page cannot check it: {key} is {value}. Use the command below."),
                "commitment": _(
                    "The commitment does not match: the seed gives {expected}, but {published} was published."
                ),
                "nonces": _("The number of nonces differs from the number of seats."),
                "hash": _("The nonce of seat {seat} does not match the hash that was given before."),
                "seed": _("The seed is {published}, but server seed and nonces give {expected}."),
                "setup": _(
                    "The set-up differs at {where}: the seed gives {expected}, the replay says {published}."
                ),
                "chance": _("Event {index} differs: the seed gives {expected}, the replay says {published}."),
                "event": _("Event {index}, {text}, is not the one that the arena recorded."),
                "missing": _("The replay ends at event {index}, the arena's record does not."),
                "illegal": _("The rules refuse event {index}: {reason}"),
                "result": _("The result differs at {where}: it follows as {expected}, the replay says {published}."),
            },
        }
    )  # fmt: skip
