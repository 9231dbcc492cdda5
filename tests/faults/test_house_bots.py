"""A bot of the arena may restart at any moment: it continues its matches, and nobody forfeits."""

from __future__ import annotations

import signal

import pytest

from arena.players import VERSION
from arena.referee import Kind, Policy
from tests.faults import table
from tests.kit.arena.arena import Arena
from tests.kit.arena.play import Bots
from tests.kit.arena.process import Process
from tests.kit.until import until
from webui.accounts import actions as account_actions
from webui.bots import actions as bot_actions
from webui.bots import token_actions
from webui.matches.models import LogRow

pytestmark = [pytest.mark.timeout(600), pytest.mark.slow]
PLAYER = "random"
UNHURRIED = Policy(offer_ms=300_000)
"""A policy with which bots can wait for each other on a slow machine."""


def has_accepted(match: str, seat: int) -> bool:
    return LogRow.objects.filter(match=match, kind=Kind.COMMIT, seat=seat).exists()


def start_house(arena: Arena, token: str) -> Process:
    """Start the process of the bots of the arena, and wait until it is connected."""
    process = arena.forge.start("house", server=f"127.0.0.1:{arena.ports[0]}", tokens={PLAYER: token})
    until(lambda: process.said("connected"), "a bot of the arena")
    return process


def test_a_house_bot_that_restarts_before_the_reveal_plays_on(arena: Arena) -> None:
    row = table.row("house bot killed between acceptance and reveal", arena.database, tries=1)
    owner = account_actions.create_user("owner-of-random", None)
    bot = bot_actions.register_bot(owner, "Random", is_house=True)
    version, token = bot_actions.register_version(bot, VERSION), token_actions.issue_token(bot).token
    guest = arena.seat("ada")
    house = start_house(arena, token)
    until(lambda: version in arena.present(), "its presence")
    # The guest accepts nothing until the house bot has restarted, so no nonce is requested before.
    arena.bots["ada"].signal(signal.SIGSTOP)
    match = arena.schedule(Bots((*guest.versions, version), ()), "restarted", policy=UNHURRIED)
    with arena.working():
        until(lambda: has_accepted(match, seat=2), "the acceptance of the bot of the arena")
        house.kill()
        start_house(arena, token)
        assert not has_accepted(match, seat=1)
        arena.bots["ada"].signal(signal.SIGCONT)
        arena.finish(match)
    fate = arena.fate(match)
    assert fate.state == "FINISHED"
    assert not {Kind.FAULT, Kind.FORFEIT}.intersection(fate.kinds)
    row.survived = 1
