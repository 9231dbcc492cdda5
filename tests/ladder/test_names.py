"""Names: what nobody may have, and which ones look the same to a reader."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from importlib import import_module
from typing import Any

import pytest
from confusable_homoglyphs.confusables import confusables_data
from django.apps import apps
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from arena.players import PLAYERS
from webui.accounts import actions as account_actions
from webui.accounts import names
from webui.accounts.models import User
from webui.bots import actions as bot_actions
from webui.bots import queries as bot_queries
from webui.bots.models import Bot, BotVersion
from webui.core import errors

PASSWORD = "a long enough password"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("paypal", "p\u0430ypal"),  # a Cyrillic а
        ("Ivan", "lvan"),
        ("modern", "rnodern"),
        ("O0", "00"),
        ("fish", "\ufb01sh"),  # a ligature
        ("Alpha-1", "Alpha-l"),
        ("ABC", "\u0410\u0412\u0421"),  # all Cyrillic
        ("admin", "AD\u041cIN"),
        ("mallory", "M\u0410LLORY"),
        ("My Bot", "M\u0423 BOT"),
        ("OTTO", "otto"),
        ("Illusion", "ILLUSION"),
        ("H0USE", "house"),
        ("Victim-Bot", "Victim_Bot"),
        ("Victim Bot", "VictimBot"),
        ("Victim\u2013Bot", "victim bot"),
    ],
)
def test_names_that_look_the_same(one: str, other: str) -> None:
    assert names.skeleton_of(one) == names.skeleton_of(other)


@pytest.mark.parametrize(("one", "other"), [("Cafe", "Café"), ("Vizier 1", "Vizier 2"), ("мир", "mup")])
def test_names_that_do_not(one: str, other: str) -> None:
    assert names.skeleton_of(one) != names.skeleton_of(other)


def test_looks_are_those_that_databases_keep() -> None:
    """If this fails, new names are not compared correctly with the stored ones. Write a migration that computes the
    stored looks again, and put the new digest here."""
    known = sorted(text for text in confusables_data if len(text) == 1)
    looks = "\n".join(f"{character}{names.skeleton_of(character)}" for character in known)
    assert hashlib.sha256(looks.encode()).hexdigest()[:16] == "396815783b90ff37"


@given(st.text(max_size=60))
def test_every_text_is_a_name_or_refused(text: str) -> None:
    try:
        name = names.check_name(text, "a name")
    except errors.BadRequest:
        return
    assert names.check_name(name, "a name") == name
    assert 1 <= len(name) <= names.LONGEST
    assert name.isprintable() and "\0" not in name
    names.skeleton_of(name)


@pytest.mark.parametrize(
    "name",
    ["a\0b", "a\nb", "a\u202eb", "a\u200bb", "a\u2066b", "\ufeffa", "a\u3164", "a\ufe0f", "\ue000",
        "e\u0301\u0301\u0301\u0301", "M\u0443 \u180bBot", "1.0\u180f", "a\U0001d159", "a\U00016fe4", "\u0301a",
        "a \u0301b", "a.\u093e", "a\u00b4b", "", "   ", "x" * 41],
)  # fmt: skip
def test_what_cannot_be_seen_is_no_name(name: str) -> None:
    with pytest.raises(errors.BadRequest):
        names.check_name(name, "a name")


@pytest.mark.skipif(shutil.which("perl") is None, reason="there is no perl")
def test_the_characters_that_unicode_ignores_are_those_of_its_list() -> None:
    """Perl has the whole database of Unicode, and here answers for each code point."""
    perl = 'for (0..0xD7FF, 0xE000..0x10FFFF) { print "$_ " if chr =~ /\\p{Default_Ignorable_Code_Point}/ }'
    run = subprocess.run(["perl", "-e", perl], capture_output=True, text=True, check=True)
    known = {code for first, last in names.IGNORABLE for code in range(first, last + 1)}
    assert known == {int(code) for code in run.stdout.split()}
    for code in known:
        with pytest.raises(errors.BadRequest):
            names.check_name(f"a{chr(code)}b", "a name")


@pytest.mark.parametrize(
    "name", ["cafe\u0301", "\u0939\u093f\u0928\u094d\u0926\u0940", "1\u20e3", "\u0e01\u0e49\u0e32"]
)
def test_marks_on_letters_are_names(name: str) -> None:
    assert names.check_name(name, "a name")


@pytest.mark.django_db
@pytest.mark.parametrize("name", [".", "..", "-", "@", "+_+"])
def test_a_users_name_has_a_letter_or_digit(name: str) -> None:
    with pytest.raises(errors.BadRequest, match="letter or digit"):
        account_actions.create_user(name, PASSWORD)


@pytest.mark.parametrize("name", ["A\u2502ice", "\u2588", "M\u2571ra"])
def test_lines_pass_for_letters_and_are_no_name(name: str) -> None:
    with pytest.raises(errors.BadRequest, match="made for drawing"):
        names.check_name(name, "a name")


@pytest.mark.django_db
@pytest.mark.parametrize(
    "name",
    [
        "house",
        "House",
        "h\u043euse",
        "ADMIN",
        "admin.",
        "ad-min",
        "Naqala",
        "ADMlN",
        "ADM1N",
        "ROO\u0422",
        "SUPPOR\u0422",
        "H0USE",
        "Supp0rt",
        "Naqala-Arena",
        "naqalaarena",
        "ArenaStaff",
        "arena.staff",
        "the_\u0430rena",
        "Official2",
        "_House_",
    ],
)
def test_the_arenas_names_are_nobodys(name: str) -> None:
    with pytest.raises(errors.NameTaken):
        account_actions.create_user(name, PASSWORD)
    owner = account_actions.create_user("mira", PASSWORD)
    with pytest.raises(errors.NameTaken):
        bot_actions.register_bot(owner, name)


@pytest.mark.parametrize(
    "name",
    [
        *("Naqala Arena", "Greedy (house)", "Greedy 2", "mygreedybot", "Gr\u0435edy-Vizier", "RANDOM!", "Search_1"),
        *("Search1", "The Search 3 Bot", "Arena Support", "Bot (official)"),
    ],
)
def test_no_bot_speaks_for_the_house_or_its_bots(name: str) -> None:
    assert names.is_reserved(name, is_bot=True)


@pytest.mark.parametrize(
    "name",
    [
        *("Searchlight", "Research Lab", "Null Move", "Root Finder", "Arenaceous", "Warehouse", "Housecat"),
        *("Systematic", "Grand Vizier", "Search 4", "Helpful", "Victim.Bot"),
    ],
)
def test_words_that_only_contain_a_reserved_word_are_names(name: str) -> None:
    assert not names.is_reserved(name, is_bot=True)


@pytest.mark.django_db
def test_the_house_and_its_bots_have_their_names() -> None:
    house = account_actions.create_user("house", None, role="house")
    for player in PLAYERS:
        title = player.replace("-", " ").title()
        with pytest.raises(errors.NameTaken):
            bot_actions.register_bot(house, title)
        assert bot_actions.register_bot(house, title, is_house=True)
    assert not bot_queries.can_sign_in(house)
    with pytest.raises(errors.BadRequest):
        account_actions.create_user("house2", PASSWORD, role="house")


@pytest.mark.django_db
def test_a_name_that_looks_like_anothers_is_taken() -> None:
    owner = account_actions.create_user("Mira", PASSWORD)
    for name in ("mira", "M\u0456ra", "MIRA"):
        with pytest.raises(errors.NameTaken):
            account_actions.create_user(name, PASSWORD)
    bot_actions.register_bot(owner, "Grand Vizier")
    for name in (
        "Grand  Vizier",
        "grand-vizier",
        "Gr\u0430nd Vizier",
        "Grand_Vizier",
        "GrandVizier",
        "Grand\u2010Vizier",
    ):
        with pytest.raises(errors.NameTaken):
            bot_actions.register_bot(owner, name)


@pytest.mark.django_db
def test_names_are_kept_in_normal_form() -> None:
    owner = account_actions.create_user("\uff2d\uff49\uff52\uff41", PASSWORD)  # full width
    assert User.objects.get(pk=owner).username == "Mira"
    bot = bot_actions.register_bot(owner, "  \ufb01sh   2 ")
    assert Bot.objects.get(pk=bot).name == "fish 2"
    with pytest.raises(errors.BadRequest):
        bot_actions.register_version(bot, "1.0\u202e")


@pytest.mark.django_db
def test_the_sign_up_page_refuses_them_too(client: Client, settings: Any) -> None:
    account_actions.create_user("mira", PASSWORD)
    for name in ("house", "mir\u0430", "MIRA", "a\u202eb", "a\0b"):
        answer = client.post("/sign-up/", {"username": name, "password1": PASSWORD})
        assert answer.status_code in (200, 400, 422), name
        assert User.objects.count() == 1, name
    assert client.post("/sign-up/", {"username": "\uff2fmar", "password1": PASSWORD}).status_code == 302
    assert User.objects.filter(username="Omar").exists()


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/bots/?q=a%00", "/matches/?state=%00", "/bots/a%00/", "/?%00=1"])
def test_a_nul_is_a_bad_request(client: Client, address: str) -> None:
    assert client.get(address).status_code == 400


@pytest.mark.django_db
def test_a_nul_in_a_cookie_or_a_form_is_a_bad_request(client: Client) -> None:
    client.cookies["sessionid"] = "abcdefgh\0"
    assert client.get("/").status_code == 400
    client.cookies.clear()
    assert client.post("/sign-in/", {"login": "a\0", "password": "b"}).status_code == 400


@pytest.fixture
def bot(db: None) -> int:
    return bot_actions.register_bot(account_actions.create_user("mira", PASSWORD), "Camel")


@pytest.mark.parametrize(
    "version", ["732d86a", "0cfa723e", "a94a8fe5ccb19ba61c4c0873d391e987982fbbd3", "v1.4-3-g732d86a"]
)
def test_the_hash_of_a_commit_is_no_version(bot: int, version: str) -> None:
    with pytest.raises(errors.BadRequest, match="name a release"):
        bot_actions.register_version(bot, version)


@pytest.mark.parametrize("version", ["1.4", "20261123", "facade", "defaced", "f0f0f0f0f0", "1.4-beta2", "732d86a plus"])
def test_what_an_author_names_a_release_is_one(bot: int, version: str) -> None:
    assert bot_actions.register_version(bot, version) == bot_actions.register_version(bot, version)


def test_a_version_of_before_that_is_the_hash_of_a_commit_plays_on(bot: int) -> None:
    known = BotVersion.objects.create(bot_id=bot, name="732d86a")
    assert bot_actions.register_version(bot, "732d86a") == known.pk


@pytest.mark.django_db
def test_names_of_before_are_compared_as_new_ones_are() -> None:
    """The migration stores the looks again. Two names that have become alike both stay."""
    owner = account_actions.create_user("mira", PASSWORD)
    first, second = (bot_actions.register_bot(owner, name) for name in ("Grand Vizier", "Fox"))
    Bot.objects.filter(pk=first).update(skeleton="grand vizier")
    Bot.objects.filter(pk=second).update(name="Grand_Vizier", skeleton="grand_vizier")
    import_module("webui.bots.migrations.0002_fold_names").fold_names(apps, None)
    assert Bot.objects.get(pk=first).skeleton == names.skeleton_of("Grand Vizier")
    assert Bot.objects.get(pk=second).skeleton == "grand_vizier"


@pytest.mark.django_db
def test_a_user_whose_name_has_become_like_another_can_be_saved() -> None:
    kept, other = (account_actions.create_user(name, PASSWORD) for name in ("Anna-Lena", "Boreas"))
    User.objects.filter(pk=kept).update(skeleton="anna-lena")
    User.objects.filter(pk=other).update(username="annalena", skeleton=names.skeleton_of("annalena"))
    user = User.objects.get(pk=kept)
    user.set_password("another one")
    user.save()
    assert User.objects.get(pk=kept).skeleton == "anna-lena"
    user.username = "Fox"
    user.save()
    assert User.objects.get(pk=kept).skeleton == names.skeleton_of("Fox")
