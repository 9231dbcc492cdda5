"""What is published of the ladders: when, of whom, and that it is the fit of all games."""

from __future__ import annotations

import json
from collections import Counter
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from django.utils import timezone

from arena.ratings import INITIAL
from arena.ratings.batch import PRIOR_SD, RatedGame, Ratings, fit
from arena.ratings.overall import overall
from arena.ratings.standing import standings
from tests.kit.ladder import CLOCK, Kit
from webui.bots import actions as bot_actions
from webui.bots.models import BotVersion
from webui.ladders.models import Ladder
from webui.matches import queries as match_queries
from webui.matches.models import Match, Participant
from webui.ratings import checks, fitting
from webui.ratings import queries as rating_queries
from webui.ratings.models import Fit, PublishedRating, RatingEntry, Standing

pytestmark = pytest.mark.django_db
SLUG = "3-players-60-s-1-s"


def games_of(match_ids: list[str]) -> list[RatedGame]:
    """From the records: who placed where, and in which order the first bids were made."""
    games = []
    for match_id in match_ids:
        document = match_queries.match_record(match_id)
        assert document is not None
        bids = list(dict.fromkeys(seat for seat, text, *_ in document["events"] if seat and text.startswith("bid")))
        seats = Participant.objects.filter(match=match_id).order_by("seat")
        games.append(
            RatedGame(
                tuple(seats.values_list("version_id", flat=True)),
                tuple(document["verdict"]["placements"]),
                tuple(bids.index(seat) + 1 for seat in range(1, len(bids) + 1)),
            )
        )
    return games


def current() -> dict[int, PublishedRating]:
    return {row.version_id: row for row in PublishedRating.objects.filter(is_current=True)}


@pytest.mark.parametrize(
    ("fitted", "finished", "is_old", "due"),
    [
        (0, 0, True, False),
        (0, 1, False, True),
        (1, 1, False, False),
        (19, 20, False, True),
        (20, 21, False, False),
        (20, 22, False, True),
        (500, 549, False, False),
        (500, 550, False, True),
        (90_000, 90_099, False, False),
        (90_000, 90_100, False, True),
        (500, 500, True, True),
    ],
)
def test_a_ladder_is_due_with_a_tenth_or_a_hundred_more_and_once_a_day(
    fitted: int, finished: int, is_old: bool, due: bool
) -> None:
    assert fitting.is_due(fitted, finished, is_old, fitting.MOST_NEW) is due


def test_all_ladders_together_are_due_with_a_tenth_more_and_once_a_day() -> None:
    assert [fitting.is_due(90_000, finished, False) for finished in (90_100, 98_999, 99_000)] == [False, False, True]
    assert fitting.is_due(90_000, 90_000, True)


def test_what_is_published_is_the_fit_of_all_games(kit: Kit) -> None:
    versions = kit.versions(4)
    tables = [[versions[seat - turn] for seat in range(3)] for turn in range(4)] * 2
    found = fit(games_of([kit.finish(table).match_id for table in tables]))
    assert rating_queries.ladder(SLUG).rows[0].rated is None, "no fit yet"
    assert fitting.fit_due() == [SLUG] and fitting.fit_due() == []
    page = rating_queries.ladder(SLUG)
    assert (page.matches, page.fitted) == (8, 8)
    rows = current()
    assert [row.version.id for row in page.rows] == [one.bot for one in standings(found)]
    for one, games in zip(sorted(standings(found), key=lambda one: one.bot), found.games, strict=True):
        row = rows[one.bot]
        assert np.allclose((row.points, row.low, row.high), (one.rating, one.low, one.high))
        assert row.better == one.better
        assert (row.rank, row.best_rank, row.worst_rank) == (one.rank, one.best_rank, one.worst_rank)
        assert (row.is_settled, row.games_needed, row.games) == (one.is_settled, one.games_needed, games)
    terms = Fit.objects.get().terms
    assert [(players, place) for players, place, *_ in terms["places"]] == [(3, 1), (3, 2), (3, 3)]


def test_a_ladder_that_cannot_be_fitted_does_not_stop_the_others(kit: Kit) -> None:
    versions = kit.versions(3)
    broken = kit.finish(versions).match_id
    kit.finish(versions[:2])
    Participant.objects.filter(match=broken).update(first_bid=1)
    assert fitting.fit_due() == ["2-players-60-s-1-s"]


def test_a_former_rating_stays_where_the_version_has_played_since(kit: Kit) -> None:
    first, second, third, fourth = versions = kit.versions(4)
    kit.finish([first, second, third])
    kit.finish([second, third, fourth])
    fitting.fit_due()
    kit.finish([first, second, fourth])
    assert fitting.fit_due() == [SLUG]
    points = {version: rating_queries.rating_history(SLUG, [version]) for version in versions}
    assert {version: [point.games for point in points[version]] for version in versions} == {
        first: [1, 2], second: [2, 3], third: [2], fourth: [1, 2],
    }  # fmt: skip
    trends = rating_queries.trends(SLUG, versions)
    assert {version: [point.points for point in points[version]] for version in versions} == trends
    Fit.objects.update(made_at=timezone.now() - timedelta(hours=25))
    before = {row.version_id: (row.points, row.rank) for row in current().values()}
    assert fitting.fit_due() == [SLUG] and fitting.fit_due() == [], "once a day"
    assert {row.version_id: (row.points, row.rank) for row in current().values()} == before
    assert PublishedRating.objects.count() == 7 and rating_queries.trends(SLUG, versions) == trends


def test_the_front_view_has_the_surest_version_of_each_bot_that_is_not_idle(kit: Kit) -> None:
    old, other, idle = kit.versions(3)
    long_ago = kit.finish([old, other, idle]).match_id
    new = bot_actions.register_version(BotVersion.objects.get(pk=old).bot_id, "2")
    late = kit.version()
    kit.finish([old, other, late])
    kit.finish([new, other, late])
    kit.finish([old, other, late])
    Match.objects.filter(pk=long_ago).update(finished_at=timezone.now() - timedelta(days=14, minutes=1))
    fitting.fit_due()
    rows = {row.version_id: row for row in current().values()}
    ranks = {version: row.rank for version, row in rows.items()}
    surest = max((old, new), key=lambda version: rows[version].low)
    assert rows[old].low != rows[new].low
    assert ranks[old if surest == new else new] is None and ranks[idle] is None
    assert sorted(rank or 0 for rank in ranks.values()) == [0, 0, 1, 2, 3]
    page = rating_queries.ladder(SLUG)
    assert {row.version.id for row in page.rows if row.is_in_front} == {surest, other, late}
    of_old = Match.objects.filter(participants__version=surest)
    of_old.update(finished_at=timezone.now() - timedelta(days=15))
    Match.objects.filter(participants__version__in=[old, new]).exclude(participants__version=surest).update(
        finished_at=timezone.now()
    )
    Fit.objects.update(made_at=timezone.now() - timedelta(days=2))
    fitting.fit_due()
    ranks = {row.version_id: row.rank for row in current().values()}
    assert ranks[surest] is None and ranks[old if surest == new else new], "the other one, as soon as this one is away"
    Match.objects.update(finished_at=timezone.now() - timedelta(days=15))
    Fit.objects.update(made_at=timezone.now() - timedelta(days=2))
    assert fitting.fit_due() == [SLUG] and not any(row.rank for row in current().values())


def test_a_rank_lies_in_the_interval_that_is_published_with_it() -> None:
    """One bot is known well, and 200 others that seem a little weaker are not: dozens of them may well be stronger."""
    variances = np.array([100.0] + [300.0**2] * 200)
    found = Ratings(tuple(range(201)), np.array([1600.0] + [1500.0] * 200), np.diag(variances), (50,) * 201)
    first = standings(found)[0]
    assert first.bot == 0 and first.best_rank > 1
    row = fitting.rows_of(found, range(201), Counter())[0]
    assert (row.rank, row.best_rank, row.worst_rank) == (1, 1, first.worst_rank)


def test_a_ladder_that_counts_fewer_finishes_after_a_rebuild_is_fitted_anew_once(kit: Kit) -> None:
    versions = kit.versions(3)
    for table in (versions, versions[:2], versions, versions[1:]):
        kit.finish(table)
    assert len(fitting.fit_due()) == 3
    Ladder.objects.filter(slug=SLUG).update(finished=1)  # as a rebuild corrects a count
    fitting.fit_again([SLUG])
    assert sorted(Fit.objects.values_list("finished", flat=True)) == [1, 2, 3]
    assert fitting.fit_due() == []
    Ladder.objects.update(finished=0)  # and was killed before it fitted again
    assert fitting.fit_due() == [] and not Fit.objects.exists() and rating_queries.overall() is None


def test_three_house_versions_anchor_the_scale(kit: Kit) -> None:
    house = [kit.version(is_house=True) for _ in range(3)]
    guests = kit.versions(2)
    for table in ([house[0], guests[0]], [house[1], guests[1]], [guests[0], guests[1]], [*house, guests[0]]):
        kit.finish(table)
    fitting.fit_due()
    for which, anchors in (
        ({"ladder__slug": "2-players-60-s-1-s"}, [*house[:2], *guests]),  # two of the house are too few
        ({"ladder__slug": "4-players-60-s-1-s"}, house),
        ({"ladder": None}, house),
    ):
        points = dict(Fit.objects.get(**which).ratings.values_list("version_id", "points"))
        means = {name: np.mean([points[one] for one in of]) for name, of in (("anchors", anchors), ("all", points))}
        assert means["anchors"] == pytest.approx(1500)
        assert (means["all"] == pytest.approx(1500)) == (len(points) == len(anchors))


def test_a_list_has_the_versions_that_played_last_and_those_of_the_house(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    house, (a, b, c, d, e) = kit.version(is_house=True), kit.versions(5)
    tables = [(a, b, c), (house, a, d), (c, e, d), (d, e, c), (a, d, e)]
    matches = [kit.finish(list(table)).match_id for table in tables]
    first, second, third, fourth, last = games_of(matches)
    Participant.objects.filter(match__in=matches[:3], version__in=(a, d)).update(forfeited_at=5)
    for module in (fitting, checks):
        monkeypatch.setattr(module, "MOST_VERSIONS", 3)
    assert fitting.fit_due() == [SLUG]
    # The last to play were a, d and e, and c before them: of the first table nobody but a is left, of two tables two.
    left = [second, RatedGame((e, d), third.placements[1:]), RatedGame((d, e), fourth.placements[:2]), last]
    expected = fit(left, constant=[house])
    assert list(expected.ratings) != pytest.approx(list(fit(left).ratings)), "those of the house do not change"
    assert {version: row.points for version, row in current().items()} == pytest.approx(
        dict(zip(expected.bots, expected.ratings, strict=True))
    )
    assert expected.bots == (house, a, d, e) and first.bots == (a, b, c)
    assert [current()[version].forfeits for version in expected.bots] == [0, 1, 2, 0], (
        "not in the game that is left out"
    )
    (check,) = checks.check_ratings(SLUG)
    assert (check.versions, check.differences) == (4, [])


def test_a_fit_has_the_latest_finishes(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    house, (a, b, c, d) = kit.version(is_house=True), kit.versions(4)
    tables = [(house, a, b), (a, b, c), (b, c, d), (d, c, b)]
    _, *latest = games_of([kit.finish(list(table)).match_id for table in tables])
    for module in (fitting, checks):
        monkeypatch.setattr(module, "MOST_FINISHES", 3)
    assert fitting.fit_due() == [SLUG]
    expected = fit(latest)
    assert expected.bots == (a, b, c, d)
    assert {version: row.points for version, row in current().items()} == pytest.approx(
        dict(zip(expected.bots, expected.ratings, strict=True))
    )
    assert {version: row.games for version, row in current().items()} == {a: 1, b: 3, c: 3, d: 2}
    (check,) = checks.check_ratings(SLUG)
    assert (check.versions, check.differences) == (4, [])


def test_of_a_rating_so_many_former_points_are_kept(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitting, "KEPT_POINTS", 2)
    monkeypatch.setattr(fitting, "TURNS", 1)
    versions = kit.versions(2)
    for _ in range(5):
        kit.finish(versions)
        fitting.fit_due()
    rows = PublishedRating.objects.filter(version=versions[0]).order_by("finished")
    assert list(rows.values_list("finished", "is_current")) == [(3, False), (4, False), (5, True)]


def test_a_fit_of_fewer_finishes_does_not_replace_one_of_more(kit: Kit) -> None:
    versions = kit.versions(3)
    kit.finish(versions)
    stale = Ladder.objects.get()
    kit.finish(versions)
    fitting.fit_due()
    before = list(PublishedRating.objects.values_list("pk", "points", "games"))
    fitting.fit_ladder(stale)
    assert list(PublishedRating.objects.values_list("pk", "points", "games")) == before
    fitting.fit_ladder(Ladder.objects.get())  # another process with the same finishes
    assert [(points, games) for _, points, games in PublishedRating.objects.values_list("pk", "points", "games")] == [
        (points, games) for _, points, games in before
    ]


def test_a_fit_that_is_killed_while_it_writes_has_written_nothing(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    versions = kit.versions(3)
    kit.finish(versions)
    fitting.fit_due()
    kit.finish(versions)

    def killed(*_: Any, **__: Any) -> None:
        raise SystemExit

    monkeypatch.setattr(type(PublishedRating.objects), "bulk_create", killed)
    with pytest.raises(SystemExit):
        fitting.fit_due()
    monkeypatch.undo()
    assert {row.games for row in current().values()} == {1} and Fit.objects.get().finished == 1
    assert fitting.fit_due() == [SLUG] and {row.games for row in current().values()} == {2}


def test_forfeits_are_counted_apart(kit: Kit) -> None:
    versions = kit.versions(3)
    kit.finish(versions)
    kit.finish(versions)
    Participant.objects.filter(match=Match.objects.earliest("ladder_number"), seat=2).update(forfeited_at=5)
    fitting.fit_due()
    assert {version: row.forfeits for version, row in current().items()} == dict(zip(versions, (0, 1, 0), strict=True))
    rated = next(row.rated for row in rating_queries.ladder(SLUG).rows if row.version.id == versions[1])
    assert rated is not None and (rated.forfeits, rated.games) == (1, 2)


@pytest.mark.parametrize("players", [2, 4])
def test_a_finish_notes_who_bid_first(kit: Kit, players: int) -> None:
    match_id = kit.finish(kit.versions(players)).match_id
    (game,) = games_of([match_id])
    noted = Participant.objects.filter(match=match_id).order_by("seat").values_list("first_bid", flat=True)
    assert tuple(noted) == game.bidding and sorted(game.bidding) == list(range(1, players + 1))


def test_one_strength_is_published_over_all_ladders_of_a_clock(kit: Kit) -> None:
    versions = kit.versions(4)
    of_two = [kit.finish(versions[turn : turn + 2]).match_id for turn in (0, 1, 2, 0)]
    of_three = [kit.finish([versions[seat - turn] for seat in range(3)]).match_id for turn in range(4)]
    assert rating_queries.overall() is None
    two, three, clock = fitting.fit_due()
    assert (two, three, json.loads(clock)) == ("2-players-60-s-1-s", SLUG, CLOCK.document()) and fitting.fit_due() == []
    found = overall([fit(games_of(of_two), spread=PRIOR_SD), fit(games_of(of_three), spread=PRIOR_SD)])
    page = rating_queries.overall()
    assert page is not None and (page.ladders, page.fitted) == (2, 8)
    assert page.tau == pytest.approx(found.tau) and page.correlation == pytest.approx(found.correlation)
    expected = {one.bot: one for one in standings(found.ratings)}
    for row in page.rows:
        one = expected[row.version.id]
        assert row.rated is not None
        assert (row.rated.points, row.rated.low, row.rated.rank) == (round(one.rating), round(one.low), one.rank)
        assert row.wins == Participant.objects.filter(version=row.version.id, placement=1).count()
        assert row.games == Participant.objects.filter(version=row.version.id).count()
        assert rating_queries.trends(None, [row.version.id]) == {row.version.id: [row.rated.points]}
    other = Fit.objects.create(clock='{"base":1}', finished=2, terms={})
    row = current()[versions[0]]
    row.pk, row.fit, row.trend = None, other, [7]
    row.save(force_insert=True)
    assert rating_queries.trends(None, versions[:1])[versions[0]] != [7], "of the clock that is played most alone"
    other.delete()
    kit.finish(versions[:2])
    assert fitting.fit_due() == ["2-players-60-s-1-s", clock]


def test_a_new_version_begins_with_the_rating_of_the_former_one(kit: Kit) -> None:
    old, *others = kit.versions(4)
    bot = BotVersion.objects.get(pk=old).bot_id
    for _ in range(3):
        kit.finish([old, *others[:2]])
    new = bot_actions.register_version(bot, "2")
    before = Standing.objects.get(version=old)
    kit.finish([new, *others[1:]])
    entry = RatingEntry.objects.get(version=new)
    assert entry.mu_before == before.mu and before.sigma < entry.sigma_before <= INITIAL.sigma
    matches = Match.objects.order_by("ladder_number").values_list("pk", flat=True)
    found = fit(games_of(list(matches)), bot_of={old: bot, new: bot})
    assert fitting.fit_due() == [SLUG]
    points = {version: row.points for version, row in current().items()}
    assert points == pytest.approx(dict(zip(found.bots, found.ratings, strict=True)))
    (check,) = checks.check_ratings(SLUG)
    assert (check.versions, check.differences) == (5, [])

    made = Fit.objects.get()
    made.terms["spread"] *= 1.1
    made.save()
    (check,) = checks.check_ratings(SLUG)
    assert check.differences[0].startswith(f"the spread is {made.terms['spread']:.1f}, should be ")
    made.terms["spread"] /= 1.1
    made.terms["drift"] -= 1
    made.save()
    (check,) = checks.check_ratings(SLUG)
    assert check.differences == [f"the drift is {found.drift - 1:.1f}, should be {found.drift:.1f}"]
