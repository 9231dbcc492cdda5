"""Which ladders there are, which matches count for the same one, and their titles."""

import json
from collections.abc import Mapping
from typing import Any

from django.utils.text import slugify

from arena.rules import Ruleset
from webui.ladders.models import Ladder
from webui.ladders.values import LadderRef

WHIMS, ARTISANS, BOTH = ("whims",), ("artisans",), ("artisans", "whims")

SHARES: Mapping[Ruleset, int] = {
    Ruleset(2): 4,
    Ruleset(3): 4,
    Ruleset(4): 4,
    Ruleset(2, WHIMS): 1,
    Ruleset(3, WHIMS): 1,
    Ruleset(4, WHIMS): 1,
    Ruleset(5, WHIMS): 2,
    Ruleset(2, ARTISANS): 1,
    Ruleset(3, ARTISANS): 1,
    Ruleset(4, ARTISANS): 1,
    Ruleset(5, ARTISANS): 2,
    Ruleset(2, BOTH): 1,
    Ruleset(3, BOTH): 1,
    Ruleset(4, BOTH): 1,
    Ruleset(5, BOTH): 2,
}
"""What the matchmaker schedules for ladders, the fastest first, each with its share of the matches in flight, unless
staff set another one (`queries.game_terms`)."""


def game_key(ruleset: Ruleset) -> str:
    """`3`, or `4-artisans-whims`: the name of a game in addresses and commands."""
    return "-".join([str(ruleset.players), *sorted(ruleset.expansions)])


GAMES: Mapping[str, Ruleset] = {game_key(ruleset): ruleset for ruleset in SHARES}
"""The games of the ladders by their names."""


def ladder_key(ruleset: Ruleset, clock: Mapping[str, Any]) -> str:
    """Ruleset and clock as canonical JSON."""
    return json.dumps([ruleset.document(), dict(clock)], sort_keys=True, separators=(",", ":"))


def format_clock(clock: Mapping[str, Any]) -> str:
    """`60 s + 1 s` for a clock of one minute and a second's increment."""
    bank, increment = (clock.get(name, 0) / 1000 for name in ("bank_ms", "increment_ms"))
    return f"{bank:g} s + {increment:g} s"


def ladder_title(ruleset: Mapping[str, Any], clock: Mapping[str, Any]) -> str:
    """`4 players · 60 s + 1 s`, with the expansions between."""
    parts = [
        f"{ruleset['players']} players",
        *(name.capitalize() for name in ruleset["expansions"]),
        format_clock(clock),
    ]
    return " · ".join(parts)


def ladder_ref(ladder: Ladder) -> LadderRef:
    """The row as a value."""
    return LadderRef(
        id=ladder.pk,
        slug=ladder.slug,
        title=ladder_title(ladder.ruleset, ladder.clock),
        players=ladder.ruleset["players"],
        expansions=tuple(ladder.ruleset["expansions"]),
        clock=ladder.clock,
        delay=ladder.delay,
    )


def ensure_ladder(ruleset: Ruleset, clock: Mapping[str, Any]) -> Ladder:
    """The ladder of this ruleset and clock, created at first use."""
    key = ladder_key(ruleset, clock)
    if found := Ladder.objects.filter(key=key).first():
        return found
    document = ruleset.document()
    slug = slugify(ladder_title(document, clock).replace("+", " ").replace(".", "-"))[:70]
    if Ladder.objects.filter(slug=slug).exists():  # the same title, as for two caps of one clock
        slug = f"{slug}-{Ladder.objects.count() + 1}"
    return Ladder.objects.get_or_create(key=key, defaults={"slug": slug, "ruleset": document, "clock": dict(clock)})[0]
