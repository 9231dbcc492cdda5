"""Describe why a match, an offer or a seat ended early."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

REASONS: dict[str, Promise] = {
    "ILLEGAL": gettext_lazy("illegal action"),
    "MALFORMED": gettext_lazy("unreadable answer"),
    "LATE": gettext_lazy("late answer"),
    "GONE": gettext_lazy("connection lost"),
    "FLOODING": gettext_lazy("flooding"),
    "NO_REVEAL": gettext_lazy("nonce not revealed"),
    "NO_ANSWER": gettext_lazy("a bot did not answer the offer"),
    "DECLINED": gettext_lazy("a bot declined the offer"),
    "NO_PLACE": gettext_lazy("a bot was leaving or had no room"),
    "BAD_NONCE": gettext_lazy("a bot accepted without the hash of a nonce"),
}


def reason_words(code: str) -> str:
    """Describe a reason code. An unknown code is returned in lower case, with spaces."""
    return str(REASONS.get(code, code.replace("_", " ").lower()))
