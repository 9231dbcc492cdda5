"""Challenges: an arena to make them in."""

from __future__ import annotations

from typing import Any

import pytest

from arena.bus import Presence
from tests.kit.ladder import LEASE, Kit, play_out
from tests.site.world import World
from webui.accounts import actions as account_actions
from webui.bots import actions as bot_actions
from webui.bots import presence
from webui.bots.models import BotVersion
from webui.challenges import actions as challenge_actions
from webui.challenges import pairing
from webui.challenges import queries as challenge_queries
from webui.matches import ending, ownership


class Arena:
    """The world with a bot of the house and one of somebody else, and who is online."""

    def __init__(self, world: World, kit: Kit) -> None:
        self.world = world
        self.house = kit.version(owner=account_actions.create_user("keeper", None), is_house=True)
        self.theirs = bot_actions.register_bot(world.other, "Salt Road")
        self.guest = bot_actions.register_version(self.theirs, "1")
        self.own = BotVersion.objects.get(bot=world.bot, name="2.2").pk
        self.online: list[Presence] = [self.session(self.own), self.session(self.house)]

    def session(self, version: int) -> Presence:
        row = BotVersion.objects.select_related("bot").get(pk=version)
        return Presence(str(version), "g", row.bot_id, version, row.bot.owner_id, "p", capacity=8)

    def accept(self, accepts: str, friends: str = "") -> Any:
        form = {"accepts": accepts, "at_once": "1", "friends": friends}
        return self.world.client("other").post("/account/bots/salt-road/challenges/", form)

    def order(self, *seats: str, **more: str) -> Any:
        form = {f"seat_{number}": seat for number, seat in enumerate(seats, 1)}
        return self.world.client("owner").post(f"/bots/{self.slug}/challenge/", {**form, **more})

    @property
    def slug(self) -> str:
        return BotVersion.objects.get(pk=self.house).bot.slug

    def play(self, challenge: str) -> str:
        """The match of a challenge, played to its end."""
        pairing.advance_challenges(self.online, 8)
        match = challenge_queries.challenge(challenge).match
        assert match is not None
        claim = ownership.claim_match(match, "worker", LEASE)
        assert claim is not None
        played = play_out(claim)
        ownership.append(match, claim.epoch, 0, played.entries, LEASE)
        ending.finish_match(match, claim.epoch, played.verdict, played.document)
        return match


def challenge_arena(world: World, kit: Kit, monkeypatch: pytest.MonkeyPatch) -> Arena:
    found = Arena(world, kit)
    challenge_actions.withdraw_challenge(world.challenge, world.owner)

    def online() -> dict[int, list[Presence]]:
        by_bot: dict[int, list[Presence]] = {}
        for session in found.online:
            by_bot.setdefault(session.bot, []).append(session)
        return by_bot

    monkeypatch.setattr(presence, "online", online)
    return found


def bot_of(version: int) -> int:
    return BotVersion.objects.get(pk=version).bot_id
