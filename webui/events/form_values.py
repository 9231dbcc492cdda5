"""Initial values of the form of an event's terms, from templates or from terms that are being changed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from arena.events import Terms
from arena.events.terms import DEFAULT_TIE_BREAKS
from arena.events.tiebreaks import TIE_BREAKS
from arena.referee import Clock, Policy

CLOCKS: Final[Mapping[str, Clock]] = {
    "10": Clock(bank_ms=10_000, increment_ms=100, cap_ms=2_000),
    "60": Clock(),
    "300": Clock(bank_ms=300_000, increment_ms=5_000, cap_ms=30_000),
}
OWN: Final = "own"
"""Choice for a clock that is none of `CLOCKS`."""
TEMPLATES: Final[Mapping[str, tuple[Any, Mapping[str, Any]]]] = {
    "weekend": (_("Weekend Swiss"), {"kind": "swiss", "players": "3", "swiss_rounds": 5}),
    "robin": (_("Round robin"), {"kind": "round_robin", "players": "2", "entrants": 12}),
    "league": (_("League season"), {"kind": "league", "players": "2", "versions": "free"}),
    "lightning": (
        _("Lightning knockout"),
        {"kind": "knockout", "players": "2", "clock": "10", "no_show": timedelta(minutes=1)},
    ),
    "class": (
        _("Class tournament"),
        {
            "kind": "swiss",
            "players": "2",
            "hidden": True,
            "house_bots": False,
            "by_invitation": True,
            "no_show": timedelta(minutes=15),
        },
    ),
    "gauntlet": (_("Gauntlet"), {"kind": "gauntlet", "players": "2", "entrants": 16}),
}  # fmt: skip
CLOCK_FIELDS: Final = {"bank": "bank_ms", "increment": "increment_ms", "cap": "cap_ms"}
POLICY_FIELDS: Final = {"grace": "grace_ms", "offer": "offer_ms"}
LENGTH_FIELDS: Final = {"no_show": "no_show_s", "round_every": "round_every_s", "ends_after": "ends_after_s",
                   "check_in": "check_in_s"}  # fmt: skip
ENTRY_FIELDS: Final = (
    "entrants",
    "bots_an_owner",
    "house_bots",
    "by_invitation",
    "least_rating",
    "most_rating",
    "least_games",
)
FIELD_OF: Final[Mapping[str, str]] = {
    "name": "name",
    "summary": "summary",
    "format": "kind",
    "game": "players",
    "unit": "unit",
    "clock": "clock",
    "tie_breaks": "tie_1",
    **{f"clock.{key}": name for name, key in CLOCK_FIELDS.items()},
    **{f"policy.{key}": name for name, key in {**POLICY_FIELDS, "strikes": "strikes"}.items()},
    **{f"entry.{name}": name for name in (*ENTRY_FIELDS, "invited")},
    **{f"course.{key}": name for name, key in LENGTH_FIELDS.items()},
    "course.starts_at": "starts_at",
    "course.matches_at_once": "matches_at_once",
}
"""Form fields by the keys of the terms that they set."""


def initial_of(terms: Terms) -> dict[str, Any]:
    """Return the form's initial values for existing terms. Default values in folded groups are left out."""
    document = terms.document()
    kind, course, entry = document["format"]["kind"], terms.course, document["entry"]
    clock, policy = {**Clock().document(), **terms.clock}, {**Policy().document(), **terms.policy}
    chosen = next((name for name, known in CLOCKS.items() if known.document() == clock), OWN)
    start = {(False, False): "hand", (False, True): "full", (True, False): "time", (True, True): "either"}
    found: dict[str, Any] = {
        "name": terms.name,
        "summary": terms.summary,
        "kind": kind,
        **{f"{kind}_{name}": value for name, value in document["format"].items() if name != "kind"},
        "players": str(terms.ruleset.players),
        **{name: name in document["game"]["expansions"] for name in ("artisans", "whims")},
        **{name: document[name] for name in ("unit", "rated", "hidden")},
        "clock": chosen,
        "start": start[bool(course.starts_at), course.starts_when_full],
        **{name: entry[name] for name in ("entrants", "bots_an_owner", "house_bots")},
    }
    if course.starts_at:
        found["starts_at"] = datetime.fromisoformat(course.starts_at).astimezone(UTC)
    if chosen == OWN:
        found |= {name: clock[key] / 1000 for name, key in CLOCK_FIELDS.items()}
    if policy != Policy().document():
        found |= {"strikes": policy["strikes"], **{name: policy[key] / 1000 for name, key in POLICY_FIELDS.items()}}
    if terms.tie_breaks != DEFAULT_TIE_BREAKS:
        ties = [*terms.tie_breaks, *[""] * (len(TIE_BREAKS) - len(terms.tie_breaks))]
        found |= {f"tie_{k}": name for k, name in enumerate(ties, start=1)}
    folded = {
        name: entry[name] for name in ("by_invitation", "least_rating", "most_rating", "least_games") if name in entry
    }
    found |= {name: value for name, value in folded.items() if value}
    if entry["invited"]:
        found["invited"] = " ".join(entry["invited"])
    lengths = {name: getattr(course, key) for name, key in LENGTH_FIELDS.items() if getattr(course, key)}
    found |= {name: timedelta(seconds=value) for name, value in lengths.items() if (name, value) != ("no_show", 300)}
    if course.matches_at_once != 20:
        found["matches_at_once"] = course.matches_at_once
    if terms.versions != "frozen":
        found["versions"] = terms.versions
    return found
