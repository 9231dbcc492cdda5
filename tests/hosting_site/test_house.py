"""House bots that runners play, and those that dial in instead."""

from __future__ import annotations

import pytest

from arena.players import GRADED, VERSION
from tests.hosting_site.authors import FACTS, Author
from tests.kit.command import arena_here
from webui.accounts import actions as account_actions
from webui.bots import actions as bot_actions
from webui.bots import queries as bot_queries
from webui.core.errors import NotFound
from webui.hosting import jobs, queries
from webui.hosting.house import host_house_version, withdraw_house_versions
from webui.hosting.models import HostedVersion, Submission
from webui.hosting.subject import check_hosting

pytestmark = pytest.mark.django_db(transaction=True)


def house_bot(name: str = "Greedy") -> int:
    owner = account_actions.create_user("house", None, role="house")
    return bot_actions.register_bot(owner, name, is_house=True)


def test_a_house_bot_is_hosted_without_a_build(author: Author, runner: int) -> None:
    bot = house_bot()
    host_house_version(bot, VERSION, author.bundle("print(1)\n"), FACTS)
    [hosted] = queries.hosted_versions()
    assert (hosted.bot, hosted.version_name, hosted.is_house, hosted.is_offered) == (bot, VERSION, True, True)
    assert (hosted.command, hosted.expansions) == (("python3", "-m", "arena.bots", "bot.py"), FACTS.expansions)
    assert jobs.take_job(runner) is None
    assert not list(check_hosting())
    assert queries.is_submitted(bot, VERSION), "it may dial in beside the runner"


def test_new_files_replace_those_of_the_same_version(author: Author) -> None:
    bot = house_bot()
    bundles = [author.bundle("print(1)\n"), author.bundle("print(1)\n"), author.bundle("print(2)\n")]
    seen = []
    for bundle in bundles:
        host_house_version(bot, VERSION, bundle, FACTS)
        [hosted] = queries.hosted_versions()
        seen.append((hosted.version, hosted.image))
    assert [image for _, image in seen] == [bundle.sha256 for bundle in bundles]
    assert len({version for version, _ in seen}) == 1
    assert (Submission.objects.count(), HostedVersion.objects.count()) == (1, 1)


def test_only_house_bots_are_hosted_unexamined(author: Author) -> None:
    with pytest.raises(NotFound):
        host_house_version(author.bot, "v1", author.bundle(), FACTS)
    assert queries.hosted_versions() == []


def test_house_bots_that_are_withdrawn_may_dial_in_and_are_hosted_again(author: Author, runner: int) -> None:
    bot = house_bot()
    author.host("v1", runner)
    for _ in range(2):
        host_house_version(bot, VERSION, author.bundle("print(1)\n"), FACTS)
        assert {version.bot for version in queries.hosted_versions()} == {bot, author.bot}
        owner = bot_queries.user_id("house")
        assert owner is not None
        withdraw_house_versions(owner)
        assert {version.bot for version in queries.hosted_versions()} == {author.bot}
        assert not list(check_hosting())
        assert not queries.is_submitted(bot, VERSION)


def test_operators_host_and_withdraw_house_bots() -> None:
    for _ in range(2):
        hosted = arena_here("admin", "house", "host")
        assert (hosted.code, hosted.out) == (0, f"runners play 8 house bots: {', '.join(GRADED)}\n")
    assert [version.version_name for version in queries.hosted_versions()] == [VERSION] * len(GRADED)
    assert len({version.image for version in queries.hosted_versions()}) == len(GRADED)
    assert arena_here("admin", "house", "withdraw").out == "runners play no house bots\n"
    assert queries.hosted_versions() == []
