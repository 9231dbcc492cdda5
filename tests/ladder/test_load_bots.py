"""Bots for load tests: they play challenges within the limits of everybody, and nothing rated."""

from __future__ import annotations

import pytest

from tests.kit.ladder import Kit
from tests.ladder.online import Online
from webui.accounts import actions as account_actions
from webui.accounts.models import User
from webui.bots import actions as bot_actions
from webui.bots import queries as bot_queries
from webui.bots import token_queries
from webui.bots.models import Bot, BotVersion
from webui.challenges import actions as challenge_actions
from webui.challenges import pairing
from webui.challenges import queries as challenge_queries
from webui.challenges.actions import LOAD_VERSION
from webui.challenges.values import WantedSeat
from webui.core.errors import NameTaken
from webui.matches import queries as match_queries
from webui.pairing import examinations, matchmaking

pytestmark = pytest.mark.django_db


def test_load_bots_play_challenges_and_nothing_rated(kit: Kit) -> None:
    keeper = account_actions.create_user("keeper", None)
    house = [kit.version(owner=keeper, is_house=True) for _ in range(3)]
    tokens = [challenge_actions.make_load_bot(f"load-{number}", days=1) for number in range(3)]
    bots = [bot_queries.find_bot(f"load-{number}") for number in range(3)]
    versions = []
    for bot in bots:
        assert bot is not None
        versions.append(bot_actions.register_version(bot.id, LOAD_VERSION))  # as at its hello
    assert len(set(tokens)) == 3 and BotVersion.objects.filter(bot__name__startswith="load-").count() == 3
    online = [Online(version) for version in (*versions, *house)]
    assert examinations.begin_examinations(online).matches == []
    rated = [
        seat.version.id
        for match in matchmaking.matchmake(online, 20)
        for seat in match_queries.match_page(match).line.seats
    ]
    assert not set(rated) & set(versions)
    one, other = (bot.id for bot in bots[:2] if bot)
    owner = Bot.objects.get(pk=one).owner_id
    challenge_actions.challenge(owner, [WantedSeat(one), WantedSeat(other)])
    pairing.advance_challenges([Online(version, 1) for version in versions], 8)
    [made] = challenge_queries.own_challenges(owner, 5)
    assert made.match is not None


def test_made_again_they_have_another_token(kit: Kit) -> None:
    first, second = (challenge_actions.make_load_bot("load-1", days=1) for _ in range(2))
    assert token_queries.session_for_token(first) is None
    found = token_queries.session_for_token(second)
    assert found is not None and found.bot_id == Bot.objects.get().pk
    assert Bot.objects.count() == 1 == User.objects.count()
    assert not User.objects.get().has_usable_password()


def test_a_bot_of_somebody_is_not_taken(kit: Kit) -> None:
    owner = account_actions.create_user("lena", "a good long pass phrase")
    bot_actions.register_bot(owner, "load-1")
    with pytest.raises(NameTaken):
        challenge_actions.make_load_bot("load-1", days=1)
