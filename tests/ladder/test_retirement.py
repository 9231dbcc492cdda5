"""Bots and versions that retire: no more matches and no place in front views, and all of it undone."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from arena.rules import Ruleset
from tests.kit.ladder import Kit
from tests.ladder.online import Online
from webui.accounts import actions as account_actions
from webui.accounts import queries as account_queries
from webui.accounts import values as account_values
from webui.accounts.values import Act
from webui.bots import actions as bot_actions
from webui.bots import queries as bot_queries
from webui.bots import retirement
from webui.bots.models import Bot, BotVersion
from webui.challenges import queries as challenge_queries
from webui.comparisons import actions as comparison_actions
from webui.comparisons import queries as comparison_queries
from webui.core.errors import BadRequest, NotFound, TooMany
from webui.events.eligibility import version_to_play
from webui.pairing import matchmaking
from webui.profiles import queries as profile_queries
from webui.ratings import fitting
from webui.ratings import queries as rating_queries
from webui.ratings.checks import check_ratings
from webui.staff import locks

pytestmark = [pytest.mark.django_db, pytest.mark.database_specific]
SLUG = "2-players-60-s-1-s"


def acts(owner: int) -> list[str]:
    """What was done to bots after they were registered, the latest first."""
    return [
        line.act for line in account_queries.audit(owner, most=50) if line.act in (Act.BOT_RETIRED, Act.BOT_RETURNED)
    ]


def bot_of(version: int) -> Bot:
    return BotVersion.objects.select_related("bot__owner").get(pk=version).bot


def test_a_retired_bot_gets_no_match_and_comes_back(kit: Kit) -> None:
    versions = kit.versions(2)
    online, bot = [Online(version) for version in versions], bot_of(versions[0])
    retirement.retire_bot(bot.pk)
    retirement.retire_bot(bot.pk)
    assert matchmaking.matchmake(online, 1) == []
    with pytest.raises(BadRequest, match="bring it back"):
        bot_actions.set_bot_state(bot.pk, "ACTIVE")
    bot_actions.set_bot_state(bot.pk, "PAUSED")  # which it is
    assert acts(bot.owner_id) == [Act.BOT_RETIRED]
    retirement.bring_back_bot(bot.pk)
    retirement.bring_back_bot(bot.pk)
    assert acts(bot.owner_id) == [Act.BOT_RETURNED, Act.BOT_RETIRED]
    assert len(matchmaking.matchmake(online, 1)) == 1


def test_a_retired_version_gets_no_match_while_another_one_plays(kit: Kit) -> None:
    old, other = kit.versions(2)
    bot = bot_of(old)
    new = bot_actions.register_version(bot.pk, "2")
    retirement.retire_version(bot.pk, "2")
    assert matchmaking.matchmake([Online(new), Online(other)], 1) == []
    assert version_to_play(bot) == "1", "the newest that has not retired"
    with pytest.raises(NotFound):
        comparison_actions.compare_versions(bot.owner_id, new, old, Ruleset(2))
    offered, _ = challenge_queries.opponents(bot.owner_id)
    assert [version.id for version in offered] == [old]
    assert [version.id for version in comparison_queries.versions_to_compare(bot.pk)[0]] == [old]
    assert len(matchmaking.matchmake([Online(old), Online(other)], 1)) == 1
    retirement.bring_back_version(bot.pk, "2")
    assert version_to_play(bot) == "2" and comparison_actions.compare_versions(bot.owner_id, new, old, Ruleset(2))
    with pytest.raises(NotFound):
        retirement.retire_version(bot.pk, "3")


def test_who_retires_leaves_the_front_view_with_the_next_fit_and_keeps_matches_and_rating(kit: Kit) -> None:
    versions = kit.versions(2)
    kit.finish(versions)
    fitting.fit_due()
    bot = bot_of(versions[0])

    def in_front() -> set[int]:
        return {row.version.id for row in rating_queries.ladder(SLUG).rows if row.is_in_front}

    assert in_front() == set(versions) and fitting.fit_due() == []
    retirement.retire_bot(bot.pk)
    assert fitting.fit_due() == [SLUG] and in_front() == {versions[1]}
    page = profile_queries.bot_page(bot.slug)
    assert len(page.matches) == 1 and page.standings[0].rated is not None and page.retired_at is not None
    retirement.bring_back_bot(bot.pk)
    assert fitting.fit_due() == [SLUG] and in_front() == set(versions)
    retirement.retire_version(bot.pk, "1")
    assert fitting.fit_due() == [SLUG] and in_front() == {versions[1]}


def test_who_retires_while_a_fit_is_made_leaves_with_the_next_one(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    versions = kit.versions(2)
    kit.finish(versions)
    front_view = fitting.front_view

    def then_one_retires(*arguments: Any) -> Any:
        found = front_view(*arguments)
        monkeypatch.undo()
        retirement.retire_bot(bot_of(versions[0]).pk)
        return found

    monkeypatch.setattr(fitting, "front_view", then_one_retires)
    assert [fitting.fit_due(), fitting.fit_due(), fitting.fit_due()] == [[SLUG], [SLUG], []]
    assert [row.version.id for row in rating_queries.ladder(SLUG).rows if row.is_in_front] == [versions[1]]


def test_the_check_of_ratings_knows_who_had_retired_by_a_fit(kit: Kit) -> None:
    """It computes the front view by its own words."""
    versions = kit.versions(2)
    kit.finish(versions)

    def differences() -> list[str]:
        return [words for check in check_ratings(SLUG) for words in check.differences if "rank" in words]

    retirement.retire_bot(bot_of(versions[0]).pk)
    fitting.fit_due()
    assert differences() == []
    Bot.objects.filter(retired_at__isnull=False).update(retired_at=timezone.now() + timedelta(hours=1))
    assert any(f"version {versions[0]}: rank None" in words for words in differences()), "it had not retired by then"


def test_lists_leave_retired_bots_out(kit: Kit) -> None:
    versions = kit.versions(2)
    bot = bot_of(versions[1])
    second = bot_actions.register_bot(bot.owner_id, "Aardvark")
    retirement.retire_bot(second)
    assert [line.bot.name for line in profile_queries.bots(is_retired=False)] == ["Bot 2", "Bot 1"]
    assert [line.bot.name for line in profile_queries.bots(is_retired=True)] == ["Aardvark"]
    assert [own.bot.name for own in bot_queries.own_bots(bot.owner_id)] == ["Bot 2", "Aardvark"]
    assert [line.bot.name for line in profile_queries.user_page(bot.owner.username).bots] == ["Bot 2", "Aardvark"]


def test_a_retired_bot_is_not_active_whoever_writes(kit: Kit) -> None:
    bot = bot_of(kit.version())
    retirement.retire_bot(bot.pk)
    with pytest.raises(IntegrityError), transaction.atomic():
        Bot.objects.filter(pk=bot.pk).update(state="ACTIVE")


def test_what_staff_lock_stays_locked_and_retired(kit: Kit) -> None:
    bot = bot_of(kit.version())
    staff = account_values.Actor(account_actions.create_user("warden", None, role="admin"))
    locks.lock_bot(bot.pk, "It plays for another.", by=staff)
    retirement.retire_bot(bot.pk)
    assert profile_queries.bot_page(bot.slug).state == "LOCKED"
    locks.unlock_bot(bot.pk, "It does not.", by=staff)
    assert profile_queries.bot_page(bot.slug).state == "PAUSED", "it has retired"
    locks.lock_bot(bot.pk, "It does.", by=staff)
    retirement.bring_back_bot(bot.pk)
    assert profile_queries.bot_page(bot.slug).state == "LOCKED"


def test_much_coming_and_going_is_refused(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retirement, "CHANGES_A_DAY", 2)
    bot = bot_of(kit.version())
    retirement.retire_bot(bot.pk)
    retirement.bring_back_bot(bot.pk)
    with pytest.raises(TooMany):
        retirement.retire_bot(bot.pk)
    assert bot_queries.own_bots(bot.owner_id)[0].retired_at is None, "what is refused changes nothing"


def test_a_description_is_changed_once(kit: Kit) -> None:
    bot = bot_of(kit.version())
    bot_actions.describe_bot(bot.pk, " Counts\r\ntwice. ")
    bot_actions.describe_bot(bot.pk, "Counts\ntwice.")
    assert profile_queries.bot_page(bot.slug).description == "Counts\ntwice."
    told: list[Any] = [line.act for line in account_queries.audit(bot.owner_id, most=50)]
    assert told.count(Act.BOT_CHANGED) == 1
    for number in range(1, account_actions.CHANGES_AN_HOUR):
        bot_actions.describe_bot(bot.pk, f"Counts {number} times.")
    with pytest.raises(TooMany):
        bot_actions.describe_bot(bot.pk, "Counts once more.")
    assert profile_queries.bot_page(bot.slug).description == f"Counts {number} times.", (
        "what is refused changes nothing"
    )
    with pytest.raises(BadRequest):
        bot_actions.describe_bot(bot.pk, "x" * 501)
