"""Locks of users and bots, messages to them, and names that staff correct."""

from __future__ import annotations

import pytest

from arena.cli.files import InputError
from tests.kit.ladder import Kit
from tests.ladder.online import Online
from tests.ladder.staff import WHY, entries, run
from webui.accounts import actions as account_actions
from webui.accounts import erasure
from webui.accounts import queries as account_queries
from webui.accounts import values as account_values
from webui.accounts.models import User
from webui.accounts.values import Act, Actor
from webui.bots import actions as bot_actions
from webui.bots import retirement, token_actions, token_queries
from webui.bots.models import Bot
from webui.challenges import actions as challenge_actions
from webui.challenges.values import WantedSeat
from webui.core import errors
from webui.core.errors import BadRequest, NameTaken, TooMany
from webui.notices import queries as notice_queries
from webui.notices.models import BotNotice, MailState
from webui.pairing import matchmaking
from webui.staff import locks, people_queries

pytestmark = [pytest.mark.django_db, pytest.mark.database_specific]


def test_a_locked_user_is_shut_out_and_let_in_again(kit: Kit, staff: Actor) -> None:
    user = account_actions.create_user("nadir", "sirocco-7-dunes")
    token = token_actions.issue_token(bot_actions.register_bot(user, "Fox"))
    api = token_actions.issue_api_token(user, ["read"])
    assert locks.lock_user(user, "Floods", by=staff) and not locks.lock_user(user, "Floods", by=staff)
    assert token_queries.session_for_token(token.token) is None and token_queries.caller(api.token) is None
    assert token.token_id not in token_queries.valid_tokens([token.token_id]), "gateways end its streams"
    assert locks.unlock_user(user, "It was a bug", by=staff) and not locks.unlock_user(user, "Again", by=staff)
    assert token_queries.session_for_token(token.token) is not None
    assert entries(Act.USER_LOCKED) == [("nadir", "Floods", {"is_active": [True, False]})]
    assert entries(Act.USER_UNLOCKED) == [("nadir", "It was a bug", {"is_active": [False, True]})]


def test_who_is_not_locked(kit: Kit, staff: Actor) -> None:
    house = account_actions.create_user("arena", None, role="house")
    bot_actions.register_bot(house, "House", is_house=True)
    for user in (staff.user_id, house, account_actions.create_user("guard", "sirocco-7-dunes", role="admin")):
        assert user is not None
        with pytest.raises(BadRequest):
            locks.lock_user(user, WHY, by=staff)
    erased = account_actions.create_user("nadir", "sirocco-7-dunes")
    erasure.erase_account(erased)
    with pytest.raises(BadRequest, match="erased"):
        locks.unlock_user(erased, WHY, by=staff)


def test_an_owner_cannot_undo_the_lock_of_a_bot(kit: Kit, staff: Actor) -> None:
    owner = account_actions.create_user("nadir", "sirocco-7-dunes")
    bot = bot_actions.register_bot(owner, "Fox")
    assert locks.lock_bot(bot, "Floods", by=staff) and not locks.lock_bot(bot, "Floods", by=staff)
    for state in ("ACTIVE", "PAUSED"):
        with pytest.raises(BadRequest, match="locked"):
            bot_actions.set_bot_state(bot, state, by=Actor(owner))
    with pytest.raises(BadRequest):
        bot_actions.set_bot_state(bot, "LOCKED", by=Actor(owner))
    assert Bot.objects.get().state == "LOCKED"
    assert locks.unlock_bot(bot, "Repaired", by=staff) and not locks.unlock_bot(bot, "Repaired", by=staff)
    assert Bot.objects.get().state == "ACTIVE"
    told = list(BotNotice.objects.order_by("pk").values_list("user", "kind", "about", "data", "mail"))
    assert told == [
        (owner, "locked", "fox", {"bots": ["Fox"], "why": "Floods"}, MailState.DUE),
        (owner, "unlocked", "fox", {"bots": ["Fox"], "why": "Repaired"}, MailState.DUE),
    ]
    assert [line.reason for line in account_queries.audit(owner)[:2]] == ["Repaired", "Floods"]


def test_a_locked_bot_gets_no_match(kit: Kit, staff: Actor) -> None:
    versions = kit.versions(2)
    online = [Online(version) for version in versions]
    bot = Bot.objects.get(versions=versions[0])
    locks.lock_bot(bot.pk, WHY, by=staff)
    assert matchmaking.matchmake(online, 4) == []
    with pytest.raises(errors.LadderError):
        challenge_actions.challenge(
            bot.owner_id, [WantedSeat(bot.pk), WantedSeat(Bot.objects.get(versions=versions[1]).pk)]
        )
    locks.unlock_bot(bot.pk, WHY, by=staff)
    assert matchmaking.matchmake(online, 4)


def test_a_bot_that_has_retired_stays_so_when_it_is_unlocked(kit: Kit, staff: Actor) -> None:
    owner = account_actions.create_user("nadir", "sirocco-7-dunes")
    bot = bot_actions.register_bot(owner, "Fox")
    locks.lock_bot(bot, "Floods", by=staff)
    retirement.retire_bot(bot, by=Actor(owner))
    assert Bot.objects.get().state == "LOCKED" and people_queries.staff_bot("fox").is_retired
    assert locks.unlock_bot(bot, "Repaired", by=staff) and Bot.objects.get().state == "PAUSED"


def test_a_message_is_sent_once_and_to_who_can_read_it(kit: Kit, staff: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    user = account_actions.create_user("nadir", "sirocco-7-dunes")
    assert locks.message_user(user, "Hello.\r\nPlease write.", 7, by=staff)
    assert not locks.message_user(user, "Hello.\nPlease write.", 7, by=staff)
    (line,) = notice_queries.notices(user)
    assert (line.kind, line.data.text) == ("message", "Hello.\nPlease write.")
    assert entries(Act.USER_MESSAGED) == [("nadir", "Hello. Please write.", None)]
    for text in ("", "x" * 2001, "a\x07b"):
        with pytest.raises(BadRequest):
            locks.message_user(user, text, 8, by=staff)
    monkeypatch.setattr(locks, "MESSAGES_AN_HOUR", 2)
    assert locks.message_user(user, "Once more.", 9, by=staff)
    with pytest.raises(TooMany):
        locks.message_user(user, "And again.", 10, by=staff)
    locks.lock_user(user, WHY, by=staff)
    with pytest.raises(BadRequest, match="locked"):
        locks.message_user(user, "Still there?", 11, by=account_values.OPERATOR)


def test_a_name_is_corrected_with_its_address_and_look(kit: Kit, staff: Actor) -> None:
    owner = account_actions.create_user("nadir", "sirocco-7-dunes")
    bot, other = bot_actions.register_bot(owner, "Rude Fox"), bot_actions.register_bot(owner, "Sand Fox")
    assert locks.correct_bot(bot, name="Polite Fox", description="Counts.", reason=WHY, by=staff)
    row = Bot.objects.get(pk=bot)
    assert (row.name, row.slug, row.description) == ("Polite Fox", "polite-fox", "Counts.")
    assert bot_actions.register_bot(owner, "Rude Fox"), "the former name is free"
    with pytest.raises(NameTaken):
        bot_actions.register_bot(owner, "Po1ite Fox")
    for name in ("Sand-Fox", "sand fox", "Naqala"):
        with pytest.raises(NameTaken):
            locks.correct_bot(bot, name=name, description="", reason=WHY, by=staff)
    assert not locks.correct_bot(other, name="Sand Fox", description="", reason=WHY, by=staff)
    assert entries(Act.BOT_CORRECTED) == [
        ("Polite Fox", WHY, {"name": ["Rude Fox", "Polite Fox"], "description": ["", "Counts."]})
    ]


def test_notices_follow_a_bot_to_its_new_address(kit: Kit, staff: Actor) -> None:
    owner = account_actions.create_user("nadir", "sirocco-7-dunes")
    bot, other = bot_actions.register_bot(owner, "Rude Fox"), bot_actions.register_bot(owner, "Sand Fox")
    for each in (bot, other):
        locks.lock_bot(each, WHY, by=staff)
    locks.unlock_bot(bot, WHY, by=staff)
    locks.correct_bot(bot, name="Polite Fox", description="", reason=WHY, by=staff)
    told = {(line.kind, line.about) for line in notice_queries.notices(owner)}
    assert told == {("locked", "polite-fox"), ("unlocked", "polite-fox"), ("locked", "sand-fox")}


def test_locks_by_command() -> None:
    owner = account_actions.create_user("nadir", "sirocco-7-dunes")
    bot_actions.register_bot(owner, "Fox")
    assert run("lock-bot", "Fox", "--reason", WHY) == "lock-bot Fox: done\n"
    assert run("lock-bot", "Fox", "--reason", WHY) == "lock-bot Fox: nothing was changed\n"
    assert run("unlock-bot", "Fox", "--reason", WHY) == "unlock-bot Fox: done\n"
    assert run("message", "nadir", "Hello.") == "message nadir: done\n"
    assert (
        run("lock-user", "nadir", "--reason", WHY) == "lock-user nadir: done\n"
        and not User.objects.get(pk=owner).is_active
    )
    assert run("unlock-user", "nadir", "--reason", WHY) == "unlock-user nadir: done\n"
    for words in (("lock-user", "nobody"), ("lock-bot", "nobody")):
        with pytest.raises(InputError, match="nobody"):
            run(*words, "--reason", WHY)
    said = run("audit").splitlines()
    assert [line.split()[2] for line in said] == [
        "USER_UNLOCKED", "USER_LOCKED", "USER_MESSAGED", "BOT_UNLOCKED", "BOT_LOCKED"
    ]  # fmt: skip
    assert all(line.split()[1] == "-" for line in said) and WHY in said[0]
    assert "ACCOUNT_MADE" in run("audit", "--all") and run("audit", "--by", "nobody") == ""
