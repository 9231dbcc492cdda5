"""Statistics: each public match counted once, head to head, figures of the game, and records. Figures by hand."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from arena.rules import Ruleset, read_game
from tests.kit.ladder import Kit
from webui.accounts import actions as account_actions
from webui.core.errors import NotFound
from webui.events import actions as event_actions
from webui.events.models import EventMatch, EventRow
from webui.game_statistics import queries
from webui.game_statistics.actions import count_matches
from webui.game_statistics.facts import EndFacts, MatchFacts, SeatFacts, StoryFacts, end_facts
from webui.game_statistics.models import (
    ArenaRecord,
    BotPair,
    CountProgress,
    FigureKind,
    GameFigure,
    HeldCount,
    RecordKind,
)
from webui.game_statistics.tally import Best, MeetingCounts, Sums, Tally
from webui.game_statistics.values import Effect, Mean, Moments, PairResult, ScoreBand, filled
from webui.matches.models import Match, MatchRecord, Participant
from webui.matches.records import unpack_record

MINUTES = timedelta(minutes=1)


def facts(name: str, *seats: tuple[int, int, int, int], end: EndFacts | None = None, story: StoryFacts | None = None,
          forfeits: tuple[int, ...] = ()) -> MatchFacts:  # fmt: skip
    """Facts of a match. Each seat is bot, placement, place in the first bidding, score."""
    rows = tuple(
        SeatFacts(seat, bot, placement, bid, score, seat in forfeits)
        for seat, (bot, placement, bid, score) in enumerate(seats, 1)
    )
    return MatchFacts(name, Ruleset(len(seats)), rows, end, story)


def tally(*matches: MatchFacts) -> Tally:
    found = Tally()
    for match in matches:
        found.add(match)
    return found


def test_two_games_of_three_bots_add_up() -> None:
    found = tally(
        facts("a", (7, 1, 2, 120), (5, 2, 1, 100), (9, 3, 3, 90)),
        facts("b", (5, 1, 1, 110), (7, 1, 2, 110), (9, 3, 3, 70)),
    )
    assert found.meetings[5, 7] == {("3", 1, 2): MeetingCounts(2, 0, 1, 1, 2)}
    assert found.meetings[5, 9] == {("3", 1, 3): MeetingCounts(2, 2, 0, 1, 0)}
    assert found.meetings[7, 9] == {("3", 2, 3): MeetingCounts(2, 2, 0, 2, 0)}
    # 100 and 110 from the first place: 100² + 110² = 22100. Half of the shared win.
    assert found.figures["3", FigureKind.PLACE, "1"] == Sums(2, 0.5, 0, 0, 210, 22100, 0)
    assert found.figures["3", FigureKind.PLACE, "2"] == Sums(2, 1.5, 0, 0, 230, 26500, 0)
    assert found.figures["3", FigureKind.WINNING, "120"] == Sums(1, 0.0, 0, 0, 120, 14400, 0)
    assert found.figures["3", FigureKind.WINNING, "110"] == Sums(1, 0.0, 0, 0, 110, 12100, 0)
    assert found.closest == {(5, 7): Best(0, "b"), (5, 9): Best(10, "a"), (7, 9): Best(30, "a")}
    assert found.highest == {(5, 7): Best(120, "a"), (5, 9): Best(110, "b"), (7, 9): Best(120, "a")}
    assert found.streaks == {7: 2, 5: 1, 9: 0}
    assert found.records == {
        (RecordKind.HIGHEST, 3): Best(120, "a", 7),
        (RecordKind.LOWEST_WIN, 3): Best(110, "b", 5),
        (RecordKind.CLOSEST, 3): Best(30, "a"),
        (RecordKind.LARGEST, 3): Best(20, "a", 7),
        (RecordKind.STREAK, 0): Best(2, "b", 7),
    }


def test_djinns_tiles_and_the_story_of_a_game() -> None:
    end = EndFacts((("jafaar", "sloar"), ()), ({"village": 3}, {"village": 1}), 41)
    story = StoryFacts(4, {1: 80, 2: 500})
    found = tally(facts("a", (5, 1, 1, 100), (7, 2, 2, 60), end=end, story=story))
    assert found.figures["2", FigureKind.DJINN, "jafaar"] == Sums(2, 0.0, 1, 1, 160, 13600, 100)
    assert found.figures["2", FigureKind.DJINN, "boaz"] == Sums(2, 0.0, 0, 0, 160, 13600, 0)
    assert ("2", FigureKind.DJINN, "geb") not in found.figures, "it is not in the base game"
    assert found.figures["2", FigureKind.TILE, "village"] == Sums(2, 0.0, 4, 10, 160, 13600, 360)
    assert found.comeback == {(5, 7): Best(80, "a")}
    assert found.records[RecordKind.COMEBACK, 2] == Best(80, "a", 5)
    assert found.records[RecordKind.LEADS, 2] == Best(4, "a")
    assert found.records[RecordKind.LONGEST, 2] == Best(41, "a")
    assert found.records[RecordKind.DJINNS, 2] == Best(2, "a", 5)


def test_a_forfeit_counts_between_bots_and_for_streaks_but_for_no_score() -> None:
    found = tally(facts("a", (5, 1, 1, 50), (7, 2, 2, 80), forfeits=(2,)))
    assert found.meetings == {(5, 7): {("2", 1, 2): MeetingCounts(1, 1, 0, 1, 0)}}
    assert found.streaks == {5: 1, 7: 0}
    assert not found.figures and not found.records and not found.closest and not found.highest


def test_two_versions_of_one_bot_are_no_pair() -> None:
    found = tally(facts("a", (5, 1, 1, 100), (5, 2, 2, 60)))
    assert found.meetings == {} and found.highest == {}


def test_means_and_differences_by_hand() -> None:
    # 100 and 110: the variance is 50, the error of the mean 5, and 1.96 of it 9.8.
    mean = Mean.of(2, 210, 22100)
    assert mean.points == 105.0 and mean.half == pytest.approx(9.8)
    assert Mean.of(1, 90, 8100) == Mean(90.0, None)
    # Scores 100 and 90 with, 80 and 70 without: a difference of 20. Within, each variance is 50; the error of the
    # difference is the root of 50/2 + 50/2.
    one = Moments(4, 2, 2, 340, 29400, 190)
    effect = Effect.of("jafaar", [one])
    assert effect is not None and (effect.key, effect.held) == ("jafaar", 2)
    assert effect.points == pytest.approx(20.0) and effect.half == pytest.approx(1.96 * 50**0.5)
    # The same 100 points higher in another game: the difference stays, as each game has its own mean.
    other = Moments(4, 2, 2, 740, 137400, 390)
    both = Effect.of("jafaar", [one, other])
    assert both is not None and both.held == 4 and both.points == pytest.approx(20.0)
    # Residuals: 200 over 8 seats less 3 free values; the spread of x is 2.
    assert both.half == pytest.approx(1.96 * (200 / 5 / 2) ** 0.5)
    assert Effect.of("boaz", [Moments(4, 0, 0, 340, 29400, 0)]) is None, "nobody had it"


def test_the_share_of_a_pair_has_wilsons_interval() -> None:
    # 7.5 of 10 points: the middle is (0.75 + 0.19208) / 1.38416 = 0.68062, and half of the interval is
    # 1.96 / 1.38416 times the root of 0.75 · 0.25 / 10 + 3.8416 / 400, which is 0.23844.
    share = PairResult(10, 7, 1, 2).share
    assert share.share == 0.75
    assert share.low == pytest.approx(0.4422, abs=1e-4) and share.high == pytest.approx(0.9191, abs=1e-4)


def test_bands_have_no_gap() -> None:
    assert filled([ScoreBand(90, 2), ScoreBand(120, 1)], 10) == (
        ScoreBand(90, 2), ScoreBand(100, 0), ScoreBand(110, 0), ScoreBand(120, 1),
    )  # fmt: skip
    assert filled([], 10) == ()


def long_ago(match_id: str, minutes: int) -> None:
    Match.objects.filter(pk=match_id).update(finished_at=timezone.now() - minutes * MINUTES)


def set_result(match_id: str, *seats: tuple[int, int, int]) -> None:
    """Write placement, place in the first bidding and score of each seat."""
    for seat, (placement, bid, score) in enumerate(seats, 1):
        rows = Participant.objects.filter(match=match_id, seat=seat)
        rows.update(placement=placement, first_bid=bid, score=score, forfeit_reason="")


@pytest.fixture
def table(kit: Kit) -> list[int]:
    return kit.versions(2)


@pytest.mark.django_db
def test_each_match_is_counted_once_when_it_has_settled(kit: Kit, table: list[int]) -> None:
    first, second = kit.finish(table).match_id, kit.finish(table).match_id
    fresh = kit.finish(table).match_id
    long_ago(first, 20)
    long_ago(second, 10)
    set_result(first, (1, 1, 130), (2, 2, 100))
    set_result(second, (2, 2, 90), (1, 1, 115))
    assert count_matches() == 2 and count_matches() == 0
    pair = BotPair.objects.get()
    assert (pair.games, pair.above, pair.level) == (2, 1, 0)
    assert (pair.closest, pair.closest_match_id, pair.highest, pair.highest_match_id) == (25, second, 130, first)
    long_ago(fresh, 6)
    set_result(fresh, (1, 1, 101), (2, 2, 100))
    assert count_matches() == 1 and CountProgress.objects.get().counted == 3
    pair.refresh_from_db()
    assert (pair.games, pair.above, pair.closest, pair.closest_match_id, pair.highest) == (3, 2, 1, fresh, 130)
    found = queries.game_statistics()
    assert found is not None and (found.players, found.games, found.counts) == (2, 3, (2,))
    assert [(line.place, line.games, line.share.share) for line in found.places] == [(1, 3, 1.0), (2, 3, 0.0)]
    assert found.winning.points == pytest.approx((130 + 115 + 101) / 3)
    assert found.bands == (ScoreBand(100, 1), ScoreBand(110, 1), ScoreBand(120, 0), ScoreBand(130, 1))
    records = {line.kind: (line.value, line.match.id) for line in queries.arena_records()}
    assert records["HIGHEST"] == (130, first) and records["LOWEST_WIN"] == (101, fresh)
    assert records["CLOSEST"] == (1, fresh) and records["LARGEST"] == (30, first) and "STREAK" not in records


@pytest.mark.django_db
def test_the_end_of_a_game_is_that_of_its_record(kit: Kit, table: list[int]) -> None:
    match_id = kit.finish(table).match_id
    long_ago(match_id, 10)
    record = unpack_record(bytes(MatchRecord.objects.get().packed))
    end = end_facts(record)
    assert end.decisions == sum(event[0] > 0 for event in record["events"])
    state = read_game(record).state
    assert [sum(tiles.values()) for tiles in end.tiles] == [seat.owned.bit_count() for seat in state.seats]
    assert count_matches() == 1
    villages = GameFigure.objects.get(game="2", kind="TILE", key="village")
    assert villages.held == sum(tiles["village"] for tiles in end.tiles) and villages.seats == 2
    scores = [score["total"] for score in record["result"]["scores"]]
    assert villages.total == sum(scores)
    assert GameFigure.objects.filter(kind="DJINN").count() == 22
    held = {djinn for djinns in end.djinns for djinn in djinns}
    assert set(GameFigure.objects.filter(kind="DJINN", held=1).values_list("key", flat=True)) == held


@pytest.mark.django_db
def test_challenges_and_matches_without_a_result_do_not_count(kit: Kit, table: list[int]) -> None:
    unrated = kit.finish(table, rated=False).match_id
    long_ago(unrated, 10)
    assert count_matches() == 1, "it is looked at"
    assert not BotPair.objects.exists() and not ArenaRecord.objects.exists() and not GameFigure.objects.exists()


@pytest.mark.django_db
def test_a_hidden_match_counts_and_shows_after_its_reveal(kit: Kit, table: list[int]) -> None:
    hidden, later = kit.finish(table).match_id, kit.finish(table).match_id
    long_ago(hidden, 20)
    long_ago(later, 10)
    set_result(later, (1, 1, 70), (2, 2, 60))
    set_result(hidden, (2, 1, 150), (1, 2, 190))
    owner = account_actions.create_user("lena", None)
    slug = event_actions.create_event(owner, {"name": "Cup", "format": {"kind": "swiss"}, "game": {"players": 2}})
    event = EventRow.objects.get(slug=slug)
    EventMatch.objects.create(event=event, match_id=hidden, round=1, table=1, game=1, attempt=1)
    EventRow.objects.filter(pk=event.pk).update(hidden=True, revealed=0)
    assert count_matches() == 2 and HeldCount.objects.get().match_id == hidden
    assert BotPair.objects.get().games == 1
    assert [line.match.id for line in queries.arena_records() if line.kind == "HIGHEST"] == [later]
    assert [line.id for line in queries.head_to_head("bot-1", "bot-2").latest] == [later]
    assert count_matches() == 0, "it waits"
    position = CountProgress.objects.values_list("last_at", "last_id").get()
    EventRow.objects.filter(pk=event.pk).update(revealed=1)
    assert count_matches() == 1 and not HeldCount.objects.exists() and count_matches() == 0
    assert CountProgress.objects.values_list("last_at", "last_id").get() == position
    assert BotPair.objects.get().games == 2
    assert [line.match.id for line in queries.arena_records() if line.kind == "HIGHEST"] == [hidden]
    assert len(queries.head_to_head("bot-1", "bot-2").latest) == 2


@pytest.mark.django_db
def test_a_broken_record_holds_nothing_up(kit: Kit, table: list[int]) -> None:
    match_id = kit.finish(table).match_id
    long_ago(match_id, 10)
    MatchRecord.objects.update(packed=b"no record")
    assert count_matches() == 1 and BotPair.objects.get().games == 1
    assert not GameFigure.objects.filter(kind="DJINN").exists() and GameFigure.objects.filter(kind="PLACE").exists()


@pytest.mark.django_db
def test_a_step_that_another_process_has_made_writes_nothing(
    kit: Kit, table: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = kit.finish(table).match_id
    long_ago(match_id, 10)
    from webui.game_statistics import actions

    slow = actions._facts

    def overtaken(matches: list[Match]) -> list[MatchFacts]:
        monkeypatch.setattr(actions, "_facts", slow)
        assert count_matches() == 1
        return slow(matches)

    monkeypatch.setattr(actions, "_facts", overtaken)
    assert count_matches() == 0
    assert BotPair.objects.get().games == 1 and CountProgress.objects.get().counted == 1


@pytest.mark.django_db
def test_two_bots_head_to_head_from_both_sides(kit: Kit, table: list[int]) -> None:
    third = kit.version()
    two, three = kit.finish(table).match_id, kit.finish([third, *table]).match_id
    long_ago(two, 20)
    long_ago(three, 10)
    set_result(two, (1, 2, 120), (2, 1, 90))
    set_result(three, (1, 1, 140), (3, 2, 80), (2, 3, 100))
    assert count_matches() == 2
    found = queries.head_to_head("bot-1", "bot-2")
    assert found.total is not None and found.total.result == PairResult(2, 1, 0, 1)
    assert (found.total.won, found.total.lost) == (1, 0)
    assert [(line.players, line.result.games) for line in found.by_game] == [(2, 1), (3, 1)]
    places = [(players, [(line.place, line.result.above) for line in lines]) for players, lines in found.by_place]
    assert places == [(2, [(2, 1)]), (3, [(2, 0)])]
    best = {one.kind: (one.value, one.match.id) for one in found.best}
    assert best == {"closest": (20, three), "highest": (120, two)}
    assert [line.id for line in found.latest] == [three, two]
    other = queries.head_to_head("bot-2", "bot-1")
    assert other.total is not None and other.total.result == PairResult(2, 1, 0, 1)
    assert (other.total.won, other.total.lost) == (0, 1)
    assert [line.place for _, lines in other.by_place for line in lines] == [1, 3]
    bot, rivals = queries.rivals("bot-2")
    assert bot.name == "Bot 2"
    assert [(line.bot.name, line.result.games) for line in rivals] == [("Bot 1", 2), ("Bot 3", 1)]
    assert queries.head_to_head("bot-1", "bot-3").total is not None
    for pair in (("bot-1", "bot-1"), ("bot-1", "nobody")):
        with pytest.raises(NotFound):
            queries.head_to_head(*pair)


@pytest.mark.django_db
def test_the_number_of_queries_does_not_depend_on_the_games(
    kit: Kit, table: list[int], django_assert_num_queries: pytest.FixtureRequest
) -> None:
    for minutes in (10, 20, 30):
        long_ago(kit.finish(table).match_id, minutes)
        count_matches()
    with django_assert_num_queries(2):  # type: ignore[operator]
        queries.game_statistics()
    with django_assert_num_queries(3):  # type: ignore[operator]
        queries.arena_records()
    with django_assert_num_queries(11):  # type: ignore[operator]
        queries.head_to_head("bot-1", "bot-2")


@pytest.mark.django_db
def test_streaks_go_on_over_the_steps(kit: Kit, table: list[int]) -> None:
    ids = []
    for number in range(3):
        match_id = kit.finish(table).match_id
        long_ago(match_id, 40 - number)
        set_result(match_id, (1, 1, 100), (2, 2, 90))
        ids.append(match_id)
        assert count_matches() == 1
    (streak,) = [line for line in queries.arena_records() if line.kind == "STREAK"]
    assert (streak.value, streak.match.id) == (3, ids[2]) and streak.bot is not None and streak.bot.name == "Bot 1"
    lost = kit.finish(table).match_id
    long_ago(lost, 10)
    set_result(lost, (2, 1, 80), (1, 2, 90))
    count_matches()
    assert ArenaRecord.objects.get(kind="STREAK").value == 3
    assert queries.arena_records(2) and all(line.players == 2 for line in queries.arena_records(2))
    assert queries.record_counts() == [2] and queries.arena_records(4) == []
    assert HeldCount.objects.count() == 0
