"""Facts about the environments for the documentation, as JSON. The site reads a file and does not import this package.

python -m arena.research.shapes > webui/site/docs/en/research.json
"""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

from arena.research.actions import action_space
from arena.research.observations import observations
from arena.rules import Ruleset
from arena.rules.components import CAMELS, EXPANSIONS

BASE = Ruleset(min(CAMELS))
MOST = Ruleset(max(CAMELS), EXPANSIONS)


def document() -> dict[str, Any]:
    """Return the sizes by ruleset, and the verbs and sections of the smallest ruleset (`base`) and the largest
    (`most`)."""
    rulesets = [
        Ruleset(players, expansions)
        for n in range(len(EXPANSIONS) + 1)
        for expansions in combinations(EXPANSIONS, n)
        for players in CAMELS
        if expansions or players < max(CAMELS)
    ]
    base, most = ({verb: rest for verb, *rest in action_space(ruleset).parts()} for ruleset in (BASE, MOST))
    here = {section.name: section for section in observations(BASE).sections}
    there = {section.name: section for section in observations(MOST).sections}
    return {
        "sizes": [
            {
                "players": ruleset.players,
                "expansions": " + ".join(ruleset.expansions) or "–",
                "actions": action_space(ruleset).size,
                "numbers": observations(ruleset).size,
            }
            for ruleset in rulesets
        ],
        "verbs": [
            {
                "verb": verb,
                "first": base[verb][0] if verb in base else "–",
                "base": base[verb][1] if verb in base else "–",
                "most": number,
                "example": base[verb][2] if verb in base else example,
            }
            for verb, (_, number, example) in most.items()
        ],
        "sections": {
            name.replace(" ", "_"): {
                "start": here[name].start if name in here else "–",
                "base": _shape(here[name].shape) if name in here else "–",
                "most": _shape(section.shape),
            }
            for name, section in there.items()
        },
        "tile": list(observations(BASE).tile_names),
        "seat": list(observations(BASE).seat_names),
    }


def _shape(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape))


if __name__ == "__main__":
    print(json.dumps(document(), indent=1, ensure_ascii=False))
