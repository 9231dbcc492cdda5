"""Locks of users and bots, messages to them, and names that staff correct."""

from __future__ import annotations

import pytest

from arena.cli.files import InputError
from tests.kit.ladder import Kit
from tests.ladder.staff import WHY, entries, run
from tests.ladder.test_matchmaker import Online
from webui.ladder import actions, queries
from webui.ladder.actions import Act, Actor, BadRequest, NameTaken, TooMany
from webui.ladder.actions import locks as locking
from webui.ladder.models import (
    Bot,
    BotNotice,
    MailState,
    User,
)
from webui.ladder.values.challenges import WantedSeat

pytestmark = pytest.mark.django_db


def test_a_locked_user_is_shut_out_and_let_in_again(kit: Kit, staff: Actor) -> None:
    user = actions.create_user("nadir", "sirocco-7-dunes")
    token = actions.issue_token(actions.register_bot(user, "Fox"))
    api = actions.issue_api_token(user, ["read"])
    assert actions.lock_user(user, "Floods", by=staff) and not actions.lock_user(user, "Floods", by=staff)
    assert queries.session_for_token(token.token) is None and queries.caller(api.token) is None
    assert token.token_id not in queries.valid_tokens([token.token_id]), "gateways end its streams"
    assert actions.unlock_user(user, "It was a bug", by=staff) and not actions.unlock_user(user, "Again", by=staff)
    assert queries.session_for_token(token.token) is not None
    assert entries(Act.USER_LOCKED) == [("nadir", "Floods", {"is_active": [True, False]})]
    assert entries(Act.USER_UNLOCKED) == [("nadir", "It was a bug", {"is_active": [False, True]})]


def test_who_is_not_locked(kit: Kit, staff: Actor) -> None:
    house = actions.create_user("arena", None, role="house")
    actions.register_bot(house, "House", is_house=True)
    for user in (staff.user_id, house, actions.create_user("guard", "sirocco-7-dunes", role="admin")):
        assert user is not None
        with pytest.raises(BadRequest):
            actions.lock_user(user, WHY, by=staff)
    erased = actions.create_user("nadir", "sirocco-7-dunes")
    actions.erase_account(erased)
    with pytest.raises(BadRequest, match="erased"):
        actions.unlock_user(erased, WHY, by=staff)


def test_an_owner_cannot_undo_the_lock_of_a_bot(kit: Kit, staff: Actor) -> None:
    owner = actions.create_user("nadir", "sirocco-7-dunes")
    bot = actions.register_bot(owner, "Fox")
    assert actions.lock_bot(bot, "Floods", by=staff) and not actions.lock_bot(bot, "Floods", by=staff)
    for state in ("ACTIVE", "PAUSED"):
        with pytest.raises(BadRequest, match="locked"):
            actions.set_bot_state(bot, state, by=Actor(owner))
    with pytest.raises(BadRequest):
        actions.set_bot_state(bot, "LOCKED", by=Actor(owner))
    assert Bot.objects.get().state == "LOCKED"
    assert actions.unlock_bot(bot, "Repaired", by=staff) and not actions.unlock_bot(bot, "Repaired", by=staff)
    assert Bot.objects.get().state == "ACTIVE"
    told = list(BotNotice.objects.order_by("pk").values_list("user", "kind", "about", "data", "mail"))
    assert told == [
        (owner, "locked", "fox", {"bots": ["Fox"], "why": "Floods"}, MailState.DUE),
        (owner, "unlocked", "fox", {"bots": ["Fox"], "why": "Repaired"}, MailState.DUE),
    ]
    assert [line.reason for line in queries.audit(owner)[:2]] == ["Repaired", "Floods"]


def test_a_locked_bot_gets_no_match(kit: Kit, staff: Actor) -> None:
    versions = kit.versions(2)
    online = [Online(version) for version in versions]
    bot = Bot.objects.get(versions=versions[0])
    actions.lock_bot(bot.pk, WHY, by=staff)
    assert actions.matchmake(online, 4) == []
    with pytest.raises(actions.LadderError):
        actions.challenge(bot.owner_id, [WantedSeat(bot.pk), WantedSeat(Bot.objects.get(versions=versions[1]).pk)])
    actions.unlock_bot(bot.pk, WHY, by=staff)
    assert actions.matchmake(online, 4)


def test_a_bot_that_has_retired_stays_so_when_it_is_unlocked(kit: Kit, staff: Actor) -> None:
    owner = actions.create_user("nadir", "sirocco-7-dunes")
    bot = actions.register_bot(owner, "Fox")
    actions.lock_bot(bot, "Floods", by=staff)
    actions.retire_bot(bot, by=Actor(owner))
    assert Bot.objects.get().state == "LOCKED" and queries.staff_bot("fox").is_retired
    assert actions.unlock_bot(bot, "Repaired", by=staff) and Bot.objects.get().state == "PAUSED"


def test_a_message_is_sent_once_and_to_who_can_read_it(kit: Kit, staff: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    user = actions.create_user("nadir", "sirocco-7-dunes")
    assert actions.message_user(user, "Hello.\r\nPlease write.", 7, by=staff)
    assert not actions.message_user(user, "Hello.\nPlease write.", 7, by=staff)
    (line,) = queries.notices(user)
    assert (line.kind, line.data["text"]) == ("message", "Hello.\nPlease write.")
    assert entries(Act.USER_MESSAGED) == [("nadir", "Hello. Please write.", None)]
    for text in ("", "x" * 2001, "a\x07b"):
        with pytest.raises(BadRequest):
            actions.message_user(user, text, 8, by=staff)
    monkeypatch.setattr(locking, "MESSAGES_AN_HOUR", 2)
    assert actions.message_user(user, "Once more.", 9, by=staff)
    with pytest.raises(TooMany):
        actions.message_user(user, "And again.", 10, by=staff)
    actions.lock_user(user, WHY, by=staff)
    with pytest.raises(BadRequest, match="locked"):
        actions.message_user(user, "Still there?", 11, by=actions.OPERATOR)


def test_a_name_is_corrected_with_its_address_and_look(kit: Kit, staff: Actor) -> None:
    owner = actions.create_user("nadir", "sirocco-7-dunes")
    bot, other = actions.register_bot(owner, "Rude Fox"), actions.register_bot(owner, "Sand Fox")
    assert actions.correct_bot(bot, name="Polite Fox", description="Counts.", reason=WHY, by=staff)
    row = Bot.objects.get(pk=bot)
    assert (row.name, row.slug, row.description) == ("Polite Fox", "polite-fox", "Counts.")
    assert actions.register_bot(owner, "Rude Fox"), "the former name is free"
    with pytest.raises(NameTaken):
        actions.register_bot(owner, "Po1ite Fox")
    for name in ("Sand-Fox", "sand fox", "Naqala"):
        with pytest.raises(NameTaken):
            actions.correct_bot(bot, name=name, description="", reason=WHY, by=staff)
    assert not actions.correct_bot(other, name="Sand Fox", description="", reason=WHY, by=staff)
    assert entries(Act.BOT_CORRECTED) == [
        ("Polite Fox", WHY, {"name": ["Rude Fox", "Polite Fox"], "description": ["", "Counts."]})
    ]


def test_notices_follow_a_bot_to_its_new_address(kit: Kit, staff: Actor) -> None:
    owner = actions.create_user("nadir", "sirocco-7-dunes")
    bot, other = actions.register_bot(owner, "Rude Fox"), actions.register_bot(owner, "Sand Fox")
    for each in (bot, other):
        actions.lock_bot(each, WHY, by=staff)
    actions.unlock_bot(bot, WHY, by=staff)
    actions.correct_bot(bot, name="Polite Fox", description="", reason=WHY, by=staff)
    told = {(line.kind, line.about) for line in queries.notices(owner)}
    assert told == {("locked", "polite-fox"), ("unlocked", "polite-fox"), ("locked", "sand-fox")}


def test_locks_by_command() -> None:
    owner = actions.create_user("nadir", "sirocco-7-dunes")
    actions.register_bot(owner, "Fox")
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
