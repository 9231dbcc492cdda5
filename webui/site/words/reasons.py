"""Why something ended or was refused, and what the seat that is to act decides."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

REASONS: dict[str, Promise] = {
    "camels": gettext_lazy("a last camel was placed"),
    "no-moves": gettext_lazy("no move was left"),
    "ILLEGAL": gettext_lazy("illegal action"),
    "MALFORMED": gettext_lazy("unreadable answer"),
    "LATE": gettext_lazy("late answer"),
    "GONE": gettext_lazy("connection lost"),
    "FLOODING": gettext_lazy("flooding"),
    "NO_ANSWER": gettext_lazy("a bot did not answer the offer"),
    "DECLINED": gettext_lazy("a bot declined the offer"),
    "NO_PLACE": gettext_lazy("a bot was leaving or had no room"),
}


def reason_words(code: str) -> str:
    """A reason code in words; an unknown one as it is."""
    return str(REASONS.get(code, code.replace("_", " ").lower()))


PHASES: dict[str, Promise] = {
    "bid": gettext_lazy("decides what to bid for its place in the turn order"),
    "move": gettext_lazy("chooses the tile whose meeples it picks up"),
    "sow": gettext_lazy("chooses where to drop which meeple"),
    "tribe": gettext_lazy("decides what the lifted meeples do"),
    "tile": gettext_lazy("decides about the action of the tile"),
    "choose": gettext_lazy("chooses which of the drawn Djinns to keep"),
    "sell": gettext_lazy("may sell goods and ends its turn"),
    "over": gettext_lazy("has finished"),
    "control": gettext_lazy("chooses between a camel and the tent"),
    "item": gettext_lazy("chooses which of the drawn items to keep"),
    "flute": gettext_lazy("lures meeples with the Enchanting Flute"),
    "horn": gettext_lazy("lays out the new market with the Horn of Plenty"),
    "scimitar": gettext_lazy("chooses a victim of the Burning Scimitar"),
}


def phase_words(phase: str) -> str:
    """What the seat that is to act has to decide, without the subject: `decides what to bid …`."""
    return str(PHASES[phase])
