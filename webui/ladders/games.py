"""Games of the ladders: their names and titles, and which matches count for the same ladder."""

import json
from collections.abc import Mapping

from django.utils.text import slugify

from arena.events.fields import terms_of
from arena.referee import Clock
from arena.rules import Ruleset
from webui.ladders.models import Ladder
from webui.ladders.values import LadderRef, LadderSettings

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
"""Games that the matchmaker schedules, fastest first, with their default shares of the running matches.

Staff can set another share (`terms.game_terms`).
"""


def game_key(ruleset: Ruleset) -> str:
    """Return the name of a game in addresses and commands: `3`, or `4-artisans-whims`."""
    return "-".join([str(ruleset.players), *sorted(ruleset.expansions)])


GAMES: Mapping[str, Ruleset] = {game_key(ruleset): ruleset for ruleset in SHARES}
"""Games of the ladders by name."""


def ladder_key(ruleset: Ruleset, clock: Clock) -> str:
    """Return ruleset and clock as canonical JSON."""
    return json.dumps([ruleset.document(), clock.document()], sort_keys=True, separators=(",", ":"))


def format_clock(clock: Clock) -> str:
    """Return a clock as text: `60 s + 1 s` for one minute and an increment of one second."""
    return f"{clock.bank_ms / 1000:g} s + {clock.increment_ms / 1000:g} s"


def ladder_title(ruleset: Ruleset, clock: Clock) -> str:
    """Return the title of a ladder: `4 players · 60 s + 1 s`, with the expansions in between."""
    parts = [
        f"{ruleset.players} players",
        *(name.capitalize() for name in ruleset.expansions),
        format_clock(clock),
    ]
    return " · ".join(parts)


def ladder_ref(ladder: Ladder) -> LadderRef:
    """Return the row as a value."""
    return LadderRef(
        id=ladder.pk,
        slug=ladder.slug,
        title=ladder_title(ladder.ruleset, ladder.clock),
        players=ladder.ruleset.players,
        expansions=ladder.ruleset.expansions,
        clock=ladder.clock,
        **{name: getattr(ladder, name) for name in terms_of(LadderSettings)},
    )


def ensure_ladder(ruleset: Ruleset, clock: Clock) -> Ladder:
    """Return the ladder of this ruleset and clock. It is created when it is first needed."""
    key = ladder_key(ruleset, clock)
    if ladder := Ladder.objects.filter(key=key).first():
        return ladder
    slug = slugify(ladder_title(ruleset, clock).replace("+", " ").replace(".", "-"))[:70]
    if Ladder.objects.filter(slug=slug).exists():  # the titles of clocks that differ only in their caps are equal
        slug = f"{slug}-{Ladder.objects.count() + 1}"
    return Ladder.objects.get_or_create(key=key, defaults={"slug": slug, "ruleset": ruleset, "clock": clock})[0]
