"""The words of the panel "Verify this match": its script has none of its own."""

from django import template
from django.utils.html import json_script
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

register = template.Library()


@register.simple_tag
def proof_texts() -> SafeString:
    """All that the panel may say, as data. Gaps are written `{index}`."""
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
                "commitment": _("The commitment does not fit. The seed gives {expected}, published was {published}."),
                "nonces": _("There is not one nonce a seat."),
                "seed": _("The seed is not {expected}, as server seed and nonces make it, but {published}."),
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
