"""What is shown on TV: chosen once for everybody, one match after the other, whoever is killed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.db import IntegrityError, transaction

from tests.kit.ladder import Kit, Writer, play_out
from tests.ladder.organised import Organised
from webui.ladders.models import Ladder
from webui.matches.models import Match, Participant
from webui.ratings.models import Fit, PublishedRating
from webui.tv import actions as tv_actions
from webui.tv import queries as tv_queries
from webui.tv.models import FeaturedMatch
from webui.tv.values import EPILOGUE

pytestmark = pytest.mark.django_db

NOON = datetime(2031, 5, 1, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def rate(points: dict[int, float]) -> None:
    """Publish these ratings of versions on the only ladder."""
    fit, _ = Fit.objects.get_or_create(ladder=Ladder.objects.get())
    for version, rating in points.items():
        PublishedRating.objects.create(fit=fit, version_id=version, is_current=True, finished=1, points=rating,
                                       low=rating - 50, high=rating + 50, games=9, forfeits=0, trend=[])  # fmt: skip


def running(kit: Kit, versions: list[int]) -> str:
    claim = kit.claim(kit.match(versions))
    Writer(claim).append(play_out(claim).entries[:20])
    return claim.match_id


def ended(match_id: str, at: datetime, length: int = 200) -> None:
    """The match has ended, as if it had been played on."""
    Match.objects.filter(pk=match_id).update(
        state="FINISHED", owner="", lease_expires_at=None, finished_at=at, length=length, ladder_number=99
    )


def shown() -> list[tuple[str, datetime, datetime | None, bool]]:
    return list(FeaturedMatch.objects.order_by("number").values_list("match", "begins_at", "ends_at", "was_live"))


def test_the_match_whose_weakest_bot_is_the_strongest_is_shown_while_it_runs(kit: Kit) -> None:
    one, two, three, four = versions = kit.versions(4)
    uneven, even = running(kit, [one, two]), running(kit, [three, four])
    rate(dict(zip(versions, (1900.0, 1200.0, 1500.0, 1450.0), strict=True)))
    kit.finish(versions[:2])
    assert [line.id for line in tv_queries.live_pairings()] == [even, uneven]
    assert tv_actions.feature_next(NOON) and not tv_actions.feature_next(NOON + SECOND)
    assert shown() == [(even, NOON, None, True)]

    # It ends after 42 seconds, with 200 entries in its log: at 0.65 s for each the show takes 130 s.
    ended(even, NOON + 42 * SECOND)
    assert tv_actions.feature_next(NOON + 44 * SECOND)
    end = NOON + 130 * SECOND + EPILOGUE
    assert shown() == [(even, NOON, end, True)]
    assert not tv_actions.feature_next(end - 21 * SECOND), "not yet: a better one may begin"
    assert tv_actions.feature_next(end - 19 * SECOND)
    assert shown()[1:] == [(uneven, end, None, True)]
    assert not tv_actions.feature_next(end - 18 * SECOND)


def test_a_slow_match_is_shown_as_it_is_played_and_a_long_one_ends_not_much_later_than_it_did(kit: Kit) -> None:
    match_id = running(kit, kit.versions(2))
    tv_actions.feature_next(NOON)
    ended(match_id, NOON + 3600 * SECOND)
    match = Match.objects.get(pk=match_id)
    assert tv_actions.end_of(match, NOON) == NOON + 3600 * SECOND + EPILOGUE
    match.finished_at, match.length = NOON + SECOND, 10_000
    assert tv_actions.end_of(match, NOON) == NOON + 480 * SECOND + EPILOGUE
    match.state = "VOID"
    assert tv_actions.end_of(match, NOON) == NOON + SECOND + EPILOGUE, "it has no end to be shown"


def test_without_a_running_match_recent_ones_are_shown_in_turn_close_and_strong_ones_first(kit: Kit) -> None:
    versions = [kit.versions(2) for _ in range(3)]
    matches = [kit.finish(each).match_id for each in versions]
    rate({version: points for pair, points in zip(versions, (1300.0, 1500.0, 1500.0), strict=True) for version in pair})
    for match_id, scores in zip(matches, ((100, 99), (100, 60), (100, 91)), strict=True):
        for seat, score in enumerate(scores, 1):
            Participant.objects.filter(match=match_id, seat=seat).update(score=score)
    # 1300 − 10, 1500 − 400, 1500 − 90
    order = [matches[2], matches[0], matches[1]]
    assert [line.id for line in tv_queries.classics()] == order
    at = NOON
    for _ in range(7):
        assert tv_actions.feature_next(at)
        at = FeaturedMatch.objects.latest("number").ends_at or at
    assert [match_id for match_id, *_ in shown()] == [*order, *order, order[0]], "those shown longest ago come again"
    assert all(one[2] == two[1] for one, two in zip(shown(), shown()[1:], strict=False)), "one follows the other"

    # After a pause without a worker the next one begins at once.
    late = at + 3600 * SECOND
    assert tv_actions.feature_next(late) and shown()[-1][1] == late


def test_what_is_on_follows_from_the_rows_and_the_time_alone(kit: Kit) -> None:
    matches = [kit.finish().match_id for _ in range(3)]
    for number, match_id in enumerate(matches[:2], 1):
        begins = NOON + 100 * (number - 1) * SECOND
        FeaturedMatch.objects.create(
            number=number, match_id=match_id, was_live=False, begins_at=begins, ends_at=begins + 100 * SECOND
        )

    def on(second: int) -> tuple[str | None, str | None]:
        found = tv_queries.channel(NOON + second * SECOND)
        return found.now.line.id if found.now else None, found.next.line.id if found.next else None

    assert on(-1) == (None, matches[0])
    assert on(0) == on(99) == (matches[0], matches[1])
    assert on(100) == on(199) == (matches[1], None)
    assert on(200) == (None, None)
    assert [line.id for line in tv_queries.channel(NOON).later] == [matches[2]]
    assert tv_queries.channel(NOON) == tv_queries.channel(NOON)


def test_a_hidden_match_is_neither_chosen_nor_shown(kit: Kit) -> None:
    cup = Organised(kit, 4, hidden=True, format={"kind": "knockout"})
    cup.start()
    first = cup.scheduled()[0]
    Writer(claim := kit.claim(first)).append(play_out(claim).entries[:20])
    assert not tv_actions.feature_next(NOON) and tv_queries.live_pairings() == []
    FeaturedMatch.objects.create(number=1, match_id=first, was_live=True, begins_at=NOON)
    found = tv_queries.channel(NOON + SECOND)
    assert (found.now, found.next, found.later) == (None, None, [])


def test_two_workers_choose_once(kit: Kit) -> None:
    kit.finish()
    kit.finish()
    assert tv_actions.feature_next(NOON)
    before = shown()
    assert tv_actions._choose(1, NOON + SECOND), "another worker that saw the same"
    assert shown() == before
    row = FeaturedMatch.objects.get()
    for wrong in ({"ends_at": row.begins_at}, {"ends_at": None, "was_live": False}):
        with pytest.raises(IntegrityError), transaction.atomic():
            FeaturedMatch.objects.update(**wrong)
    open_ones = [FeaturedMatch(number=n, match=row.match, begins_at=NOON, was_live=True) for n in (2, 3)]
    with pytest.raises(IntegrityError), transaction.atomic():
        FeaturedMatch.objects.bulk_create(open_ones)


def test_nothing_is_chosen_where_nothing_was_played(kit: Kit) -> None:
    assert not tv_actions.feature_next()
    kit.match()
    assert not tv_actions.feature_next() and tv_queries.channel().now is None, "it has not begun"


def test_old_rows_go(kit: Kit) -> None:
    match_id = kit.finish().match_id
    rows = [FeaturedMatch(number=n, match_id=match_id, was_live=False, begins_at=NOON + n * SECOND,
                          ends_at=NOON + (n + 1) * SECOND) for n in range(1, tv_actions.KEPT + 2)]  # fmt: skip
    FeaturedMatch.objects.bulk_create(rows)
    tv_actions.feature_next(NOON + timedelta(hours=1))
    assert FeaturedMatch.objects.count() == tv_actions.KEPT
