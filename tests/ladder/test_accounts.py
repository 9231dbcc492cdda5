"""Users, bots, versions and tokens."""

import hashlib
from datetime import UTC, datetime, timedelta

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth import authenticate
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session

from tests.kit.ladder import Kit
from webui.accounts import actions as account_actions
from webui.accounts import erasure, sessions
from webui.accounts import queries as account_queries
from webui.accounts.models import User, UserSession
from webui.bots import actions as bot_actions
from webui.bots import queries as bot_queries
from webui.bots import token_actions, token_queries
from webui.bots.models import Bot, BotToken, BotVersion
from webui.comparisons import queries as comparison_queries
from webui.core.errors import BadRequest, NameTaken, NotFound
from webui.events.eligibility import version_to_play
from webui.profiles import queries as profile_queries

pytestmark = pytest.mark.django_db

PASSWORD = "sirocco-7-dunes"


def test_users_sign_in_and_admins_may_administer() -> None:
    account_actions.create_user("nadir", PASSWORD, email="nadir@example.org")
    account_actions.create_user("vizier", PASSWORD, role="admin")
    nadir = authenticate(username="nadir", password=PASSWORD)
    assert isinstance(nadir, User) and (nadir.is_staff, nadir.is_superuser) == (False, False)
    vizier = User.objects.get(username="vizier")
    assert (vizier.is_staff, vizier.is_superuser) == (True, True)
    assert bot_queries.user_id("nadir") == nadir.pk and bot_queries.user_id("nobody") is None


def test_a_user_without_a_password_cannot_sign_in() -> None:
    account_actions.create_user("house", None, role="house")
    assert authenticate(username="house", password="") is None


@pytest.mark.parametrize(
    ("name", "password", "email", "role"),
    [
        ("a b", PASSWORD, "", "player"),
        ("", PASSWORD, "", "player"),
        ("nadir", "12345678", "", "player"),
        ("nadir", PASSWORD, "no address", "player"),
        ("nadir", PASSWORD, "", "sultan"),
    ],
)
def test_users_that_are_refused(name: str, password: str, email: str, role: str) -> None:
    with pytest.raises(BadRequest):
        account_actions.create_user(name, password, email=email, role=role)
    assert not User.objects.exists()


def test_names_are_taken_once() -> None:
    owner = account_actions.create_user("nadir", PASSWORD)
    with pytest.raises(NameTaken):
        account_actions.create_user("nadir", PASSWORD)
    bot_actions.register_bot(owner, "Sand Fox")
    for name in ("Sand Fox", "sand  fox", "Sand-Fox"):
        with pytest.raises(NameTaken):
            bot_actions.register_bot(owner, name)
    found = bot_queries.find_bot("sand fox")
    assert found and (found.name, found.slug) == ("Sand Fox", "sand-fox")


@pytest.mark.parametrize("name", ["", "  ", "!!!", "x" * 41])
def test_bot_names_that_are_refused(name: str) -> None:
    owner = account_actions.create_user("nadir", PASSWORD)
    with pytest.raises(BadRequest):
        bot_actions.register_bot(owner, name)


def test_bots_of_nobody_and_nothing_are_not_found() -> None:
    with pytest.raises(NotFound):
        bot_actions.register_bot(999_999, "Fox")
    with pytest.raises(NotFound):
        bot_actions.set_bot_state(999_999, "PAUSED")
    with pytest.raises(NotFound):
        token_actions.issue_token(999_999)
    with pytest.raises(NotFound):
        token_actions.revoke_token(999_999)
    with pytest.raises(NotFound):
        profile_queries.bot_page("fox")


def test_a_version_is_registered_once_and_never_changes(kit: Kit) -> None:
    version_id = kit.version()
    version = BotVersion.objects.get(pk=version_id)
    assert bot_actions.register_version(version.bot_id, " 1 ") == version_id
    assert bot_actions.register_version(version.bot_id, "2") != version_id
    with pytest.raises(BadRequest):
        bot_actions.register_version(version.bot_id, "")
    version.name = "changed"
    with pytest.raises(TypeError):
        version.save()


def test_a_token_is_shown_once_and_only_its_hash_is_kept() -> None:
    owner = account_actions.create_user("nadir", PASSWORD)
    bot = bot_actions.register_bot(owner, "Fox")
    token = token_actions.issue_token(bot).token
    row = BotToken.objects.get()
    assert row.digest == hashlib.sha256(token.encode()).hexdigest()
    assert token.startswith(row.prefix) and len(row.prefix) < len(token) / 3
    assert token not in str(vars(row))
    assert token != token_actions.issue_token(bot).token
    (own,) = bot_queries.own_bots(owner)
    assert own.tokens[0].prefix == row.prefix and token not in str(own)


def test_a_token_opens_its_bot_until_it_is_revoked() -> None:
    owner = account_actions.create_user("nadir", PASSWORD)
    bot = bot_actions.register_bot(owner, "Fox")
    new = token_actions.issue_token(bot)
    identity = token_queries.session_for_token(new.token)
    assert identity is not None
    assert (identity.bot_id, identity.bot_name) == (bot, "Fox")
    assert identity.token_id == new.token_id
    token_actions.note_token_used(new.token_id)
    assert bot_queries.own_bots(owner)[0].tokens[0].last_used_at is not None
    assert token_queries.session_for_token(new.token + "x") is None
    assert token_queries.session_for_token("") is None
    token_actions.revoke_token(new.token_id)
    first = BotToken.objects.get().revoked_at
    token_actions.revoke_token(new.token_id)
    assert BotToken.objects.get().revoked_at == first is not None
    assert token_queries.session_for_token(new.token) is None


def test_a_token_without_the_scope_or_of_a_shut_out_owner_opens_nothing() -> None:
    owner = account_actions.create_user("nadir", PASSWORD)
    bot = bot_actions.register_bot(owner, "Fox")
    assert token_queries.session_for_token(token_actions.issue_token(bot, scopes=()).token) is None
    with pytest.raises(BadRequest):
        token_actions.issue_token(bot, scopes=("rule",))
    token = token_actions.issue_token(bot).token
    User.objects.update(is_active=False)
    assert token_queries.session_for_token(token) is None


def test_a_token_opens_its_bot_until_it_expires() -> None:
    owner = account_actions.create_user("nadir", PASSWORD)
    new = token_actions.issue_token(bot_actions.register_bot(owner, "Fox"), label="box", days=30)
    line = bot_queries.own_bots(owner)[0].tokens[0]
    assert line.label == "box" and line.is_valid and line.expires_at is not None
    assert abs(line.expires_at - line.created_at - timedelta(days=30)) < timedelta(minutes=1)
    assert token_queries.session_for_token(new.token) is not None and token_queries.valid_tokens([new.token_id])
    BotToken.objects.update(expires_at=line.created_at)
    assert token_queries.session_for_token(new.token) is None and not token_queries.valid_tokens([new.token_id])
    assert not bot_queries.own_bots(owner)[0].tokens[0].is_valid
    for days in (0, 3651):
        with pytest.raises(BadRequest):
            token_actions.issue_token(line.id, days=days)


def test_the_last_use_of_a_token_is_written_seldom() -> None:
    owner = account_actions.create_user("nadir", PASSWORD)
    new = token_actions.issue_token(bot_actions.register_bot(owner, "Fox"))

    def last() -> tuple[datetime | None, str]:
        line = bot_queries.own_bots(owner)[0].tokens[0]
        return line.last_used_at, line.last_address

    token_actions.note_token_used(new.token_id, "203.0.113.7")
    first = last()
    assert first[0] is not None and first[1] == "203.0.113.7"
    token_actions.note_token_used(new.token_id, "203.0.113.7")
    assert last() == first, "just now it was written"
    token_actions.note_token_used(new.token_id, "2001:db8:1:2::/64")
    assert last()[1] == "2001:db8:1:2::/64"
    BotToken.objects.update(last_used_at=first[0] - timedelta(minutes=2))
    token_actions.note_token_used(new.token_id, "2001:db8:1:2::/64")
    again = last()[0]
    assert again is not None and again >= first[0]


def test_the_sign_in_seen_longest_ago_ends_first() -> None:
    owner = account_actions.create_user("nadir", PASSWORD)
    keys = []
    for _ in range(31):
        session = SessionStore()
        session.create()
        keys.append(session.session_key)
        sessions.note_session(owner, str(session.session_key), address="", agent="")
    assert {line.session_key for line in account_queries.sessions(owner)} == set(keys[1:])
    assert not Session.objects.filter(session_key=keys[0]).exists()


def test_sign_ins_that_have_ended_are_forgotten_and_end_no_other() -> None:
    owner = account_actions.create_user("nadir", PASSWORD)

    def sign_in() -> str:
        session = SessionStore()
        session.create()
        sessions.note_session(owner, str(session.session_key), address="203.0.113.7", agent="")
        return str(session.session_key)

    live = sign_in()
    for _ in range(15):
        Session.objects.filter(session_key=sign_in()).delete()  # signed out
        Session.objects.filter(session_key=sign_in()).update(expire_date=datetime(2020, 1, 1, tzinfo=UTC))
    last = sign_in()
    assert [line.session_key for line in account_queries.sessions(owner)] == [last, live]
    assert set(UserSession.objects.values_list("session_key", flat=True)) == {last, live}


def test_erasing_an_account_needs_no_name_that_is_free() -> None:
    owner, other = account_actions.create_user("nadir", PASSWORD), account_actions.create_user("tariq", PASSWORD)
    bot = bot_actions.register_bot(owner, "Fox")
    bot_actions.register_bot(other, f"Retired bot: {bot}")  # another look, the same slug
    bot_actions.register_bot(other, f"RETIRED BOT {bot}x")
    account_actions.create_user(f"former-author-{owner}", PASSWORD)
    erasure.erase_account(owner)
    assert Bot.objects.get(pk=bot).slug == f"retired-bot-{bot}xx"
    assert User.objects.get(pk=owner).username == f"former-author-{owner}x"


def test_the_same_address_once_more_changes_nothing() -> None:
    owner = account_actions.create_user("nadir", PASSWORD)
    assert account_actions.set_email(owner, "Nadir@example.org")
    EmailAddress.objects.update(verified=True)
    entries = len(account_queries.audit(owner))
    assert not account_actions.set_email(owner, "nadir@Example.org")
    assert account_queries.has_verified_email(owner) and len(account_queries.audit(owner)) == entries


def test_a_bot_has_a_description_and_a_state() -> None:
    owner = account_actions.create_user("nadir", PASSWORD)
    bot = bot_actions.register_bot(owner, "Fox", description="two\r\nlines")
    bot_actions.set_bot_state(bot, "PAUSED")
    page = profile_queries.bot_page("fox")
    assert (page.description, page.state) == ("two\r\nlines", "PAUSED")
    with pytest.raises(BadRequest):
        bot_actions.set_bot_state(bot, "ASLEEP")
    for description in ("x" * 501, "ok\x07"):
        with pytest.raises(BadRequest):
            bot_actions.register_bot(owner, "Wolf", description=description)


def test_a_release_has_a_note_and_waits_for_its_hello(kit: Kit) -> None:
    bot = BotVersion.objects.get(pk=kit.version()).bot
    released = bot_actions.release_version(bot.pk, " 2 ", " Bids\r\nwith care. ")
    assert (released.version, released.is_ready) == ("2", True)
    line, former = profile_queries.bot_page(bot.slug).versions
    assert (line.note, line.is_ready, former.note, former.is_ready) == ("Bids\nwith care.", True, "", False)
    assert version_to_play(bot) == "1", "it plays nothing before it has said hello"
    assert comparison_queries.versions_to_compare(bot.pk)[0] == [former.version]
    assert bot_actions.register_version(bot.pk, "2") == line.version.id
    assert version_to_play(bot) == "2"
    bot_actions.release_version(bot.pk, "4", "Late.")
    ready = BotVersion.objects.get(bot=bot, name="4").pk
    former_id = bot_actions.register_version(bot.pk, "2.1")
    later = bot_actions.register_version(bot.pk, "4")
    assert later > former_id > ready and version_to_play(bot) == "4", "the newest is the one that began last"
    assert (
        profile_queries.bot_page(bot.slug).versions[0].note == "Late."
        and bot_actions.register_version(bot.pk, "4") == later
    )
    BotVersion.objects.filter(pk__in=(former_id, later)).delete()
    known = bot_actions.release_version(bot.pk, "1", "The first.")
    assert (known.version, known.is_ready) == ("1", False)
    assert [line.note for line in profile_queries.bot_page(bot.slug).versions] == ["Bids\nwith care.", "The first."]
    for version, note in (("732d86a", ""), ("3", "x" * 501), ("3", "ok\x07")):
        with pytest.raises(BadRequest):
            bot_actions.release_version(bot.pk, version, note)
    assert BotVersion.objects.filter(bot=bot).count() == 2
