"""Matchmaking: which bots may meet, which get games, and where they sit."""

import random
from collections import Counter
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.ratings import Rating, model, rate
from arena.scheduling import Candidate, LadderPairing, Load, TableFormat, information, next_matches, rest_s
from arena.scheduling.ladder import NEWCOMER_GAMES

FORMATS = (TableFormat(2), TableFormat(3), TableFormat(4))
EQUAL = dict.fromkeys(FORMATS, 1)
FIVE = TableFormat(5, ("artisans", "whims"))


class Dice:
    """A random stream for tests."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def below(self, n: int, /) -> int:
        return self.random.randrange(n)


def player(
    version: int, owner: int | None = None, *, bot: int | None = None, house: bool = False, room: int = 1,
    mu: float = 25, formats: Iterable[TableFormat] = FORMATS,
) -> Candidate:  # fmt: skip
    return Candidate(
        version=version,
        bot=version if bot is None else bot,
        owner=version if owner is None else owner,
        is_house=house,
        room=room,
        formats=frozenset(formats),
        strength=dict.fromkeys(FORMATS, mu),
    )


class Season:
    """Schedules match after match and keeps the counts, as the database does."""

    def __init__(
        self, players: list[Candidate], seed: int, formats: Iterable[TableFormat] = FORMATS, games: int = NEWCOMER_GAMES
    ) -> None:
        """`games` are the earlier games of every version."""
        self.players, self.dice, self.shares = players, Dice(seed), dict.fromkeys(formats, 1)
        self.by_version = {player.version: player for player in players}
        self.made: Counter[TableFormat] = Counter()
        self.seated: dict[tuple[TableFormat, int], int] = {}
        self.waits: dict[tuple[TableFormat, int, bool], int] = {}
        self.games = Counter({(format, one.version): games for format in self.shares for one in players})
        self.seats: Counter[tuple[TableFormat, int, int]] = Counter()

    def online(self) -> list[Candidate]:
        """Return the bots that can play the next match."""
        return self.players

    def play(self, matches: int) -> list[LadderPairing]:
        played = []
        for _ in range(matches):
            load = Load(made=self.made, seated=self.seated, waits=self.waits, games=self.games, seats=self.seats)
            (pairing,) = next_matches(self.online(), load, self.shares, 1, self.dice)
            played.append(pairing)
            self.made[pairing.format] += 1
            for seat, version in enumerate(pairing.versions, start=1):
                player, is_new = self.by_version[version], self.games[pairing.format, version] < NEWCOMER_GAMES
                self.seated[pairing.format, player.bot] = self.made[pairing.format]
                self.waits[pairing.format, player.party, is_new] = self.made[pairing.format]
                self.games[pairing.format, version] += 1
                self.seats[pairing.format, version, seat] += 1
        return played


def seats_of(played: Iterable[LadderPairing]) -> Counter[int]:
    """Return how often each version sat down."""
    return Counter(version for pairing in played for version in pairing.versions)


players_lists = st.lists(
    st.tuples(
        st.integers(1, 4),
        st.booleans(),
        st.integers(0, 3),
        st.frozensets(st.sampled_from(FORMATS)),
        st.floats(0, 50),
    ),
    max_size=9,
).map(
    lambda rows: [
        Candidate(version, version, owner, house, room, formats, dict.fromkeys(FORMATS, mu))
        for version, (owner, house, room, formats, mu) in enumerate(rows, start=1)
    ]
)


@pytest.mark.slow
@given(players=players_lists, wanted=st.integers(0, 12), seed=st.integers(0, 2**32))
@settings(max_examples=300)
def test_no_pairing_breaks_a_promise(players: list[Candidate], wanted: int, seed: int) -> None:
    pairings = next_matches(players, Load(in_flight={TableFormat(2): 1}), EQUAL, wanted, Dice(seed))
    assert len(pairings) <= max(0, wanted - 1)
    by_version = {player.version: player for player in players}
    taken = Counter(version for pairing in pairings for version in pairing.versions)
    assert all(taken[version] <= by_version[version].room for version in taken)
    for pairing in pairings:
        table = [by_version[version] for version in pairing.versions]
        assert len(set(pairing.versions)) == len(table) == pairing.format.players
        assert all(pairing.format in player.formats for player in table)
        owners = [player.owner for player in table if not player.is_house]
        assert len(set(owners)) == len(owners)


@pytest.mark.slow
@given(players=players_lists, seed=st.integers(0, 2**32))
@settings(max_examples=300)
def test_a_table_that_can_be_filled_is_filled(players: list[Candidate], seed: int) -> None:
    for format in FORMATS:
        able = [player for player in players if player.room and format in player.formats]
        seatable = len({player.owner for player in able if not player.is_house}) + sum(p.is_house for p in able)
        pairings = next_matches(players, Load(), {format: 3}, 1, Dice(seed))
        assert len(pairings) == (seatable >= format.players)


@pytest.mark.slow
@given(seed=st.integers(0, 2**32), bots=st.integers(4, 9))
@settings(max_examples=40)
def test_games_and_seats_even_out(seed: int, bots: int) -> None:
    season = Season([player(version, mu=20 + version) for version in range(1, bots + 1)], seed)
    played = season.play(40 * bots)
    for format in FORMATS:
        games = seats_of(pairing for pairing in played if pairing.format == format)
        assert min(games[version] for version in range(1, bots + 1)) >= 0.6 * sum(games.values()) / bots
        for version in range(1, bots + 1):
            seats = [season.seats[format, version, seat] for seat in range(1, format.players + 1)]
            assert max(seats) - min(seats) <= 3


@pytest.mark.slow
@given(
    owners=st.lists(
        st.lists(st.tuples(st.booleans(), st.floats(0, 50)), min_size=1, max_size=4), min_size=4, max_size=9
    ),
    houses=st.integers(0, 3), players=st.integers(2, 4), seed=st.integers(0, 2**32),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_nobody_waits_longer_than_the_policy_says(
    owners: list[list[tuple[bool, float]]], houses: int, players: int, seed: int
) -> None:
    """The limit is 4 m b matches, where m is the number of owners and b that of the bots of its own.

    Some stay newcomers here.
    """
    format, rows = TableFormat(players), []
    for owner, bots in enumerate(owners, start=1):
        rows += [(owner, False, is_new, mu) for is_new, mu in bots]
    rows += [(99, True, False, 25.0)] * houses
    field = [player(n, owner, house=house, mu=mu) for n, (owner, house, _, mu) in enumerate(rows, start=1)]
    new = {n for n, row in enumerate(rows, start=1) if row[2]}
    season = Season(field, seed, [format])
    parties = len(owners) + houses
    own = Counter(bot.party for bot in field)
    waits = dict.fromkeys([bot.version for bot in field], 0)
    for _ in range(6 * parties * max(own.values())):
        season.games.update({(format, version): -season.games[format, version] for version in new})
        (pairing,) = season.play(1)
        for bot in field:
            waits[bot.version] = 0 if bot.version in pairing.versions else waits[bot.version] + 1
            assert waits[bot.version] < 4 * parties * own[bot.party]


def test_newcomers_open_every_fourth_match_and_sit_alone() -> None:
    """This holds if there are others. An owner's newcomers do not take the turns of its other bots."""
    old = [player(version, mu=version) for version in range(1, 13)]
    new = [player(version) for version in range(20, 26)]
    season = Season([*old, *new], 7, [TableFormat(3)])
    season.games.update({(TableFormat(3), bot.version): -NEWCOMER_GAMES for bot in new})
    for number, pairing in enumerate(season.play(40)):
        newcomers = [version for version in pairing.versions if season.games[TableFormat(3), version] < NEWCOMER_GAMES]
        assert len(newcomers) <= 1
        assert newcomers or number % 4
    assert min(season.games[TableFormat(3), bot.version] for bot in new) >= 4


@pytest.mark.slow
@given(
    settled=st.integers(2, 8), houses=st.integers(0, 3), crowd=st.integers(2, 12), players=st.integers(2, 4),
    seed=st.integers(0, 2**32),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_newcomers_have_a_quarter_of_the_seats_at_most(
    settled: int, houses: int, crowd: int, players: int, seed: int
) -> None:
    """This holds if other users could fill the table. Otherwise newcomers sit wherever a match needs them."""
    format = TableFormat(players)
    others = [player(version) for version in range(1, settled + 1)]
    others += [player(version, house=True) for version in range(50, 50 + houses)]
    newcomers = range(100, 100 + crowd)
    season = Season([*others, *map(player, newcomers)], seed, [format])
    for _ in range(6):
        sat = 0
        for _ in range(4):
            season.games.update({(format, version): -season.games[format, version] for version in newcomers})
            (pairing,) = season.play(1)
            sat += sum(version in newcomers for version in pairing.versions)
        assert sat <= players or settled < players


@pytest.mark.parametrize(("players", "share"), [(2, 0.75), (3, 0.75), (4, 0.75), (5, 0.8)])
def test_a_hundred_new_accounts_a_day_leave_settled_bots_most_seats(players: int, share: float) -> None:
    """`docs/ratings.md` has these shares. Each account of the crowd has an owner and a version."""
    format = TableFormat(players)
    settled = [player(version, formats=[format]) for version in range(1, 21)]
    season = Season(settled, 5, [format])
    seats: Counter[int] = Counter()
    for day in range(1, 4):
        crowd = [player(1000 * day + number, formats=[format]) for number in range(100)]
        season.players = [*season.players, *crowd]
        season.by_version.update({bot.version: bot for bot in crowd})
        seats += seats_of(season.play(200))
    assert sum(seats[bot.version] for bot in settled) >= share * seats.total()


def test_newcomers_meet_where_there_is_nobody_else() -> None:
    season = Season([player(version) for version in range(1, 4)], 1, [TableFormat(3)], games=0)
    assert len(season.play(5)) == 5


@pytest.mark.slow
def test_nobody_can_arrange_to_meet_somebody() -> None:
    """Two equals far above all others meet at most in one of four matches, the policy's maximum if eight bots are
    kept."""
    field = [player(1, mu=60), player(2, mu=60), *(player(version, mu=25) for version in range(3, 18))]
    played = Season(field, 3, [TableFormat(2)]).play(3000)
    with_one = [pairing.versions for pairing in played if 1 in pairing.versions]
    share = sum(2 in versions for versions in with_one) / len(with_one)
    assert 0.1 < share < 0.27


def test_an_account_with_many_bots_has_no_more_turns() -> None:
    crowd = [player(version, owner=1) for version in range(100, 140)]
    others = [player(version) for version in range(2, 10)]
    games = seats_of(Season([*crowd, *others], 5, [TableFormat(2)]).play(900))
    of_crowd = sum(games[bot.version] for bot in crowd)
    assert of_crowd < 1.3 * sum(games[bot.version] for bot in others) / len(others)
    assert max(games[bot.version] for bot in crowd) - min(games[bot.version] for bot in crowd) <= 1


class Hiding(Season):
    """A season in which the bots of owner 1 leave for a while, each after its match."""

    def online(self) -> list[Candidate]:
        last = max([self.seated.get((TableFormat(2), bot.bot), -1) for bot in self.players if bot.owner == 1])
        return [
            bot
            for bot in self.players
            if bot.owner != 1 or self.seated.get((TableFormat(2), bot.bot), -1) < max(last, 0)
        ]


@pytest.mark.parametrize("games", [0, NEWCOMER_GAMES])
def test_bots_that_leave_after_their_match_get_their_owner_no_more_turns(games: int) -> None:
    crowd = [player(version, owner=1) for version in range(100, 110)]
    others = [player(version) for version in range(2, 22)]
    season = Hiding([*crowd, *others], 5, [TableFormat(2)])
    season.games.update({(TableFormat(2), bot.version): games - NEWCOMER_GAMES for bot in crowd})
    sat = seats_of(season.play(600))
    assert sum(sat[bot.version] for bot in crowd) < 1.3 * sum(sat[bot.version] for bot in others) / len(others)


def test_an_owner_with_a_newcomer_for_ever_has_twice_as_many_turns_at_most() -> None:
    """The owner also has a bot that is not a newcomer."""
    others = [player(version) for version in range(2, 42)]
    season = Season([player(100, owner=1), player(101, owner=1), *others], 5, [TableFormat(2)])
    sat: Counter[int] = Counter()
    for _ in range(1500):
        season.games[TableFormat(2), 100] = 0
        sat.update(seats_of(season.play(1)))
    assert sat[100] + sat[101] < 2.3 * sum(sat[bot.version] for bot in others) / len(others)


@given(one=st.floats(0, 50), other=st.floats(0, 50))
def test_information_by_hand_and_from_the_ratings_own_odds(one: float, other: float) -> None:
    assert information(25, 25) == pytest.approx(1 / 4)
    ten_to_one = 400 / model.POINTS_PER_MU
    assert information(25, 25 + ten_to_one) == pytest.approx(1 / 11 * 10 / 11, rel=0.05)
    assert information(one, other) == pytest.approx(information(other, one)) and 0 < information(one, other) <= 1 / 4
    # The model expects equals to gain as much as they lose, and the better one to gain less.
    gain = rate([Rating(30, 5), Rating(20, 5)], [1, 2])[0].mu - 30
    assert 0 < gain < rate([Rating(25, 5), Rating(25, 5)], [1, 2])[0].mu - 25


def test_a_new_version_gets_the_next_games() -> None:
    old = [player(version) for version in range(1, 6)]
    games = {(format, version): 100 for format in FORMATS for version in range(1, 6)}
    seated = {(format, version): version for format in FORMATS for version in range(1, 6)}
    pairings = next_matches([*old, player(9)], Load(games=games, seated=seated), EQUAL, 1, Dice(1))
    assert 9 in pairings[0].versions


def test_all_player_counts_are_in_flight_together() -> None:
    players = [player(version, room=4) for version in range(1, 7)]
    pairings = next_matches(players, Load(), EQUAL, 6, Dice(3))
    assert Counter(pairing.format for pairing in pairings) == {TableFormat(2): 2, TableFormat(3): 2, TableFormat(4): 2}


def test_with_room_for_all_the_matches_in_flight_are_as_the_shares_say() -> None:
    players = [player(version, room=40, formats=(*FORMATS, FIVE)) for version in range(1, 8)]
    shares = {TableFormat(2): 4, TableFormat(3): 4, TableFormat(4): 4, FIVE: 2}
    pairings = next_matches(players, Load(), shares, 28, Dice(3))
    assert Counter(pairing.format for pairing in pairings) == {format: 2 * share for format, share in shares.items()}


def test_a_new_arena_begins_with_the_first_format_that_can_be_played() -> None:
    players = [player(version, formats=(TableFormat(3), FIVE)) for version in range(1, 6)]
    shares = {TableFormat(2): 1, TableFormat(3): 1, FIVE: 9}
    assert {next_matches(players, Load(), shares, 1, Dice(seed))[0].format for seed in range(20)} == {TableFormat(3)}


def test_with_little_room_every_format_still_has_its_turns() -> None:
    players = [player(version, formats=(*FORMATS, FIVE)) for version in range(1, 8)]
    shares, dice = {TableFormat(2): 4, TableFormat(3): 4, TableFormat(4): 4, FIVE: 2}, Dice(5)
    load = Load(games={(FIVE, 1): 1})
    played = Counter(next_matches(players, load, shares, 1, dice)[0].format for _ in range(1400))
    assert all(70 * share < played[format] < 130 * share for format, share in shares.items())


def test_who_does_not_play_a_format_does_not_wait_for_those_who_do() -> None:
    base, all_of_them = range(1, 5), range(5, 10)
    players = [player(version, room=2) for version in base]
    players += [player(version, room=2, formats=(*FORMATS, FIVE)) for version in all_of_them]
    for seed in range(50):
        pairings = next_matches(players, Load(), dict.fromkeys((*FORMATS, FIVE), 1), 5, Dice(seed))
        five = [pairing for pairing in pairings if pairing.format == FIVE]
        assert [set(pairing.versions) for pairing in five] == [set(all_of_them)] * len(five)
        assert len(pairings) == 5


def test_opponents_are_near_in_rating_but_all_meet_sometimes() -> None:
    season = Season([player(version, mu=5.0 * version) for version in range(1, 9)], 11, [TableFormat(2)])
    met = Counter(abs(a - b) for a, b in (pairing.versions for pairing in season.play(2000)))
    pairs = {gap: 8 - gap for gap in range(1, 8)}
    often = {gap: met[gap] / pairs[gap] for gap in pairs}
    assert often[1] > often[3] > often[5] > 0
    assert met[7] > 0


def test_a_full_house_waits() -> None:
    assert next_matches([player(1), player(2)], Load(in_flight={TableFormat(2): 3}), EQUAL, 3, Dice(1)) == []


def test_one_owner_alone_gets_no_match_and_the_house_does() -> None:
    mine = [player(1, 7), player(2, 7)]
    assert next_matches(mine, Load(), EQUAL, 5, Dice(1)) == []
    house = [player(1, 7, house=True), player(2, 7, house=True)]
    assert len(next_matches(house, Load(), EQUAL, 5, Dice(1))) == 1


def test_versions_of_a_bot_share_its_games() -> None:
    """A bot with sixteen versions gets as many games as one with a single version, shared among them."""
    many = [player(version, owner=1, bot=1, room=4) for version in range(100, 116)]
    others = [player(version, room=4) for version in range(2, 8)]
    season = Season([*many, *others], 4, [TableFormat(2)])
    games = seats_of(season.play(280))
    of_versions = [games[version] for version in range(100, 116)]
    assert 60 <= sum(of_versions) <= 100 and max(of_versions) - min(of_versions) <= 1


def test_two_versions_of_a_house_bot_never_meet() -> None:
    house = [player(version, owner=1, bot=version % 2, house=True) for version in range(4)]
    for seed in range(20):
        for pairing in next_matches(house, Load(), {TableFormat(2): 1}, 2, Dice(seed)):
            assert {version % 2 for version in pairing.versions} == {0, 1}


def test_an_owner_sits_in_three_quarters_of_the_matches_at_most() -> None:
    mine = [player(version, owner=1, room=9) for version in range(1, 5)]
    others = [player(version, room=9) for version in range(5, 9)]
    for seed in range(20):
        load = Load(in_flight={TableFormat(3): 2}, owners={1: 2})
        pairings = next_matches([*mine, *others], load, {TableFormat(2): 1}, 8, Dice(seed))
        assert len(pairings) == 6
        assert sum(bool(set(pairing.versions) & {1, 2, 3, 4}) for pairing in pairings) <= 4
    house = [player(version, owner=1, house=True, room=9) for version in range(1, 5)]
    assert len(next_matches(house, Load(), {TableFormat(2): 1}, 8, Dice(1))) == 8


def test_rests_double_up_to_an_hour() -> None:
    assert [rest_s(failures) for failures in range(11)] == [0, 15, 30, 60, 120, 240, 480, 960, 1920, 3600, 3600]
    assert rest_s(10**6) == 3600
