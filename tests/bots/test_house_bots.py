"""House bots: their own version, and choices that do not depend on the opponents."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arena.bots.bot import MatchInfo
from arena.bots.house_bots import house_bot
from arena.bots.loading import version_of
from arena.players import GRADED, PLAYERS, VERSION
from arena.rules import Ruleset, view
from tests.kit.games import random_states, seed_of


@pytest.mark.parametrize("player", PLAYERS)
def test_a_house_bots_version_is_not_the_packages(player: str) -> None:
    assert version_of(house_bot(player)) == VERSION == "1"


@pytest.mark.slow
@pytest.mark.parametrize("player", GRADED)
def test_a_house_bot_plays_alike_whoever_sits_there(player: str) -> None:
    """Play the same match with friends and with strangers: house bots never favour one another."""
    ruleset = Ruleset(3, ("artisans", "whims"))
    here = MatchInfo("m1", 1, dict(ruleset.document()))
    friends = ({"name": name, "version": "1", "owner": "house"} for name in ("Greedy", "Search 1", "Random"))
    strangers = ({"name": name, "version": "7", "owner": "mira"} for name in ("Sand Fox", "Dune", "Mirage"))
    chosen = []
    for participants in (tuple(friends), tuple(strangers)):
        bot = house_bot(player)()
        bot.match = replace(here, participants=participants)
        bot.match_started()
        choices = []
        for number, state in enumerate(random_states(ruleset, seed_of("relabelled"))):
            if state.to_act == 1 and number % 3 == 0:
                shown = view(state, 1)
                assert not any(one["name"] in repr(shown) for one in participants)
                choices.append(bot.choose(shown, [action.text for action in state.legal]))
        chosen.append(choices)
    assert chosen[0] == chosen[1] and len(chosen[0]) > 10
