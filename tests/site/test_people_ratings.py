"""Ratings of people against bots of the house: which games count, for whom, and where they are shown."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from arena.ratings.anchored import Known, rate_against
from arena.ratings.batch import RatedGame
from tests.kit.ladder import Kit
from tests.site.world import sign_in, text
from webui.accounts import actions as account_actions
from webui.accounts import erasure, personal_data
from webui.bots.models import Bot, BotVersion
from webui.matches.models import Participant
from webui.people import actions, queries, ratings
from webui.people.models import Person, PersonRating
from webui.ratings.models import PublishedRating
from webui.ratings.values import Rated

pytestmark = pytest.mark.django_db


class People:
    """House bots, and people who have finished games against them."""

    def __init__(self, kit: Kit) -> None:
        self.kit = kit
        keeper = account_actions.create_user("keeper", None)
        self.house = [kit.version(owner=keeper, is_house=True) for _ in range(3)]

    def person(self, *, user: int | None = None, guest: str | None = None) -> Person:
        version = self.kit.version(owner=actions.owner_id())
        Bot.objects.filter(versions=version).update(is_person=True)
        return Person.objects.create(version_id=version, user_id=user, guest=guest)

    def play(self, person: Person, *others: int) -> str:
        """Finish a match of this person against some, or else one bot of the house."""
        return self.kit.finish([person.pk, *(others or self.house[:1])], rated=False).match_id


@pytest.fixture
def people(kit: Kit) -> People:
    return People(kit)


def game_of(match: str, person: Person) -> RatedGame:
    seats = Participant.objects.filter(match=match).order_by("seat")
    rows = list(seats.values_list("version", "version__bot", "placement"))
    return RatedGame(
        tuple(0 if version == person.pk else bot for version, bot, _ in rows), tuple(place or 0 for _, _, place in rows)
    )


def test_a_person_is_rated_by_all_finished_games_against_the_house_alone(people: People) -> None:
    nora = people.person(user=account_actions.create_user("nora", None))
    counted = [people.play(nora), people.play(nora, *people.house), people.play(nora, people.house[1])]
    people.play(nora, people.house[0], people.kit.version())  # the bot of somebody else sits there
    people.kit.match([nora.pk, people.house[0]], rated=False)  # it has not ended
    assert ratings.rate_people() == 1
    row = PersonRating.objects.get()
    expected = rate_against(0, [game_of(match, nora) for match in counted], {})
    assert (row.person_id, row.games) == (nora.pk, 3)
    assert (row.points, row.low, row.high) == pytest.approx(expected)
    assert ratings.rate_people() == 0, "there is nothing new"
    people.play(nora)
    assert ratings.rate_people() == 1 and PersonRating.objects.get().games == 4
    assert not PublishedRating.objects.exists(), "no bot is rated by it"


def test_published_ratings_of_the_house_are_the_measure(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    bot = BotVersion.objects.get(pk=people.house[0]).bot_id
    strong = {bot: (Rated(1900, 1861, 1939, 500, 0), None)}
    monkeypatch.setattr(ratings, "bot_ratings", lambda bots: {each: strong[each] for each in bots if each in strong})
    nora = people.person(user=account_actions.create_user("nora", None))
    match = people.play(nora)
    ratings.rate_people()
    expected = rate_against(0, [game_of(match, nora)], {bot: Known(1900, 39 / 1.96)})
    assert PersonRating.objects.get().points == pytest.approx(expected.points)


def test_an_account_has_one_rating_by_the_games_of_all_its_people(people: People) -> None:
    user = account_actions.create_user("nora", None)
    own, guest = people.person(user=user), people.person(guest="f" * 64)
    people.play(own)
    people.play(guest)
    ratings.rate_people()
    assert {row.person_id: row.games for row in PersonRating.objects.all()} == {own.pk: 1, guest.pk: 1}
    actions.take_over(user, "f" * 64)
    ratings.rate_people()
    assert {row.person_id: row.games for row in PersonRating.objects.all()} == {own.pk: 2}


def test_people_are_rated_in_small_steps(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ratings, "MOST_PEOPLE", 2)
    monkeypatch.setattr(ratings, "MOST_GAMES", 1)
    for letter in "abc":
        person = people.person(guest=64 * letter)
        people.play(person)
        people.play(person)
    assert [ratings.rate_people() for _ in range(3)] == [2, 1, 0]
    assert set(PersonRating.objects.values_list("games", flat=True)) == {1}
    assert ratings.rate_people(lambda: True) == 0


def test_the_list_shows_who_is_there(people: People) -> None:
    empty = text(Client().get("/people/"))
    assert "Nobody is rated yet" in empty
    user = account_actions.create_user("nora", None)
    nora, guest = people.person(user=user), people.person(guest="f" * 64)
    gone = people.person(guest="e" * 64)
    for person in (nora, guest, gone):
        people.play(person)
    ratings.rate_people()
    PersonRating.objects.filter(person=nora).update(points=1601.4, low=1401.0, high=1801.0)
    Person.objects.filter(pk=gone.pk).update(guest=None)
    page = Client().get("/people/").content.decode()
    assert 'href="/users/nora/"' in page and "<b>1601</b>" in page and "± 200" in page
    name = BotVersion.objects.get(pk=guest.pk).bot.name
    assert name in page and BotVersion.objects.get(pk=gone.pk).bot.name not in page
    items = Client().get("/api/v1/people").json()["items"]
    assert {"name": Bot.objects.get(versions=nora.pk).name, "user": "nora", "points": 1601, "low": 1401, "high": 1801,
            "games": 1} in items  # fmt: skip
    assert [item["user"] for item in items] in (["nora", None], [None, "nora"])
    assert "<b>1601</b> ± 200" in Client().get("/users/nora/").content.decode()
    assert "/people/" in Client().get("/play/").content.decode()
    assert Client().get("/people/?page=0").status_code == 404


def test_the_list_has_pages_best_first(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webui.people.pages.PEOPLE_A_PAGE", 2)
    for letter, points in (("a", 1400.0), ("b", 1500.0), ("c", 1600.0)):
        person = people.person(guest=64 * letter)
        PersonRating.objects.create(person=person, points=points, low=points - 9, high=points + 9, games=5)
    assert [each.rated.points for each in queries.rated_people(limit=9)] == [1600, 1500, 1400]
    first, second = (Client().get(f"/people/?page={number}").content.decode() for number in (1, 2))
    assert "<b>1600</b>" in first and "<b>1500</b>" in first and "<b>1400</b>" not in first
    assert "<b>1400</b>" in second and "<b>1500</b>" not in second


def test_a_rating_is_the_accounts_own_data(people: People) -> None:
    user = account_actions.create_user("nora", None)
    nora = people.person(user=user)
    people.play(nora)
    ratings.rate_people()
    own: Any = personal_data.personal_data(user)["person"]
    assert own["ratings"][0]["games"] == 1 and own["people"][0]["name"]
    erasure.erase_account(user)
    assert not PersonRating.objects.exists()
    assert queries.rated_people(limit=9) == []


def test_the_end_of_a_game_leads_to_the_list(people: People) -> None:
    client, user = Client(), account_actions.create_user("nora", None)
    nora = people.person(user=user)
    sign_in(client, user)
    assert 'href="/people/"' in client.get(f"/play/{people.play(nora)}/").content.decode()
