"""Versions that forfeit one rated match after the other by their own faults: taken off, told, put back."""

from __future__ import annotations

import pytest
from django.db import transaction

from tests.kit.ladder import Kit
from tests.ladder.test_ending import accepted, record_of
from tests.ladder.test_matchmaker import Online
from webui.ladder import actions, queries
from webui.ladder.actions import Actor, NotFound
from webui.ladder.models import BotNotice, BotVersion, Exclusion, Match, Participant
from webui.site.notices import details, path, sentence

pytestmark = pytest.mark.django_db


class Table:
    """Two versions that play rated matches, of which the first gives all the late answers that there are."""

    def __init__(self, kit: Kit) -> None:
        self.kit = kit
        self.versions = kit.versions(2)
        self.bot = BotVersion.objects.select_related("bot").get(pk=self.versions[0]).bot

    def play(self, *, late: bool, rated: bool = True) -> str:
        """A match to its end; its id."""
        claim, match = accepted(self.kit.claim(self.kit.match(self.versions, rated=rated)))
        while not match.referee.is_over:
            if late and match.ask.seat == 1:
                match.be_late()
            else:
                match.answer(next(iter(match.ask.legal)).text)
        document = record_of(claim, match)
        actions.finish_match(claim.match_id, claim.epoch, document["verdict"], document)
        return claim.match_id

    def is_paired(self) -> bool:
        """Whether the matchmaker finds an opponent for it."""
        with transaction.atomic():
            scheduled = actions.matchmake([Online(version) for version in self.versions], 1)
            transaction.set_rollback(True)
        return bool(scheduled)


def test_three_forfeits_in_a_row_take_a_version_off_until_its_owner_puts_it_back(kit: Kit) -> None:
    table = Table(kit)
    owner = table.bot.owner_id
    for late in (True, True, False, True, True):
        table.play(late=late)
    table.play(late=True, rated=False)
    assert not Exclusion.objects.exists() and table.is_paired(), "not in a row, or not rated"
    last = table.play(late=True)
    (own,) = queries.own_bots(owner)
    (line,) = own.exclusions
    assert (line.version, len(line.matches), line.matches[0]) == ("1", 3, last)
    assert not table.is_paired()
    (told,) = queries.notices(owner)
    assert sentence(told).startswith(f"{table.bot.name}: version 1 plays no rated matches any more")
    assert (details(told), path(told)) == ("late answer", f"/account/bots/{table.bot.slug}/matches/{last}/")
    table.play(late=True)  # had begun before
    assert Exclusion.objects.count() == BotNotice.objects.count() == 1

    other = actions.create_user("other", None)
    with pytest.raises(NotFound):
        actions.put_back(line.id, other, by=Actor(other))
    for _ in range(2):
        actions.put_back(line.id, owner, by=Actor(owner))
    assert table.is_paired() and [entry.subject for entry in queries.audit(owner) if entry.act == "BOT_RESUMED"] == [
        f"{table.bot.name} 1"
    ]
    for number in (1, 2, 3):
        table.play(late=True)
        assert Exclusion.objects.filter(ended_at=None).exists() is (number == 3), "those before do not count again"


def test_a_lost_connection_counts_neither_way_and_a_bot_of_the_house_never(kit: Kit) -> None:
    table = Table(kit)
    seats = Participant.objects.filter(version=table.versions[0])
    for reason in ("", "GONE", "NO_REVEAL", ""):
        table.play(late=True)
        if reason:
            seats.filter(match=Match.objects.latest("ladder_number")).update(forfeit_reason=reason)
    assert not Exclusion.objects.exists()
    table.play(late=True)
    assert Exclusion.objects.count() == 1
    Exclusion.objects.all().delete()
    table.bot.is_house = True
    table.bot.save()
    table.play(late=True)
    assert not Exclusion.objects.exists()


def test_matches_that_ran_at_the_same_time_count_once(kit: Kit) -> None:
    table = Table(kit)
    for _ in range(3):
        table.play(late=True)
    Exclusion.objects.all().delete()
    Match.objects.update(started_at=Match.objects.earliest("started_at").started_at)
    table.play(late=True)
    assert not Exclusion.objects.exists(), "two in a row"
    table.play(late=True)
    assert Exclusion.objects.count() == 1
