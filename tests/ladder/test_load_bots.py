"""Bots for load tests: they play challenges within the limits of everybody, and nothing rated."""

from __future__ import annotations

import pytest

from tests.kit.ladder import Kit
from tests.ladder.test_matchmaker import Online
from webui.ladder import actions, queries
from webui.ladder.actions.load_bots import LOAD_VERSION
from webui.ladder.models import Bot, BotVersion, User
from webui.ladder.values import NameTaken
from webui.ladder.values.challenges import WantedSeat

pytestmark = pytest.mark.django_db


def test_load_bots_play_challenges_and_nothing_rated(kit: Kit) -> None:
    keeper = actions.create_user("keeper", None)
    house = [kit.version(owner=keeper, is_house=True) for _ in range(3)]
    tokens = [actions.make_load_bot(f"load-{number}", days=1) for number in range(3)]
    bots = [queries.find_bot(f"load-{number}") for number in range(3)]
    versions = []
    for bot in bots:
        assert bot is not None
        versions.append(actions.register_version(bot.id, LOAD_VERSION))  # as at its hello
    assert len(set(tokens)) == 3 and BotVersion.objects.filter(bot__name__startswith="load-").count() == 3
    online = [Online(version) for version in (*versions, *house)]
    assert actions.begin_examinations(online) == []
    rated = [
        seat.version.id for match in actions.matchmake(online, 20) for seat in queries.match_page(match).line.seats
    ]
    assert not set(rated) & set(versions)
    one, other = (bot.id for bot in bots[:2] if bot)
    owner = Bot.objects.get(pk=one).owner_id
    actions.challenge(owner, [WantedSeat(one), WantedSeat(other)])
    actions.advance_challenges([Online(version, 1) for version in versions], 8)
    [made] = queries.own_challenges(owner, 5)
    assert made.match is not None


def test_made_again_they_have_another_token(kit: Kit) -> None:
    first, second = (actions.make_load_bot("load-1", days=1) for _ in range(2))
    assert queries.session_for_token(first) is None
    found = queries.session_for_token(second)
    assert found is not None and found.bot_id == Bot.objects.get().pk
    assert Bot.objects.count() == 1 == User.objects.count()
    assert not User.objects.get().has_usable_password()


def test_a_bot_of_somebody_is_not_taken(kit: Kit) -> None:
    owner = actions.create_user("lena", "a good long pass phrase")
    actions.register_bot(owner, "load-1")
    with pytest.raises(NameTaken):
        actions.make_load_bot("load-1", days=1)
