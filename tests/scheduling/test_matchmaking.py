"""Matchmaking: who may meet, who gets games, who sits where."""

import random
from collections import Counter
from collections.abc import Iterable

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.scheduling import Candidate, Format, Load, Pairing, next_matches, rest_s

FORMATS = (Format(2), Format(3), Format(4))
EQUAL = dict.fromkeys(FORMATS, 1)
FIVE = Format(5, ("artisans", "whims"))


class Dice:
    """A stream of chance for tests."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def below(self, n: int, /) -> int:
        return self.random.randrange(n)


def player(
    version: int, owner: int | None = None, *, bot: int | None = None, house: bool = False, room: int = 1,
    mu: float = 25, formats: Iterable[Format] = FORMATS,
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
    """Schedules match after match and keeps the books, as the tables do."""

    def __init__(self, players: list[Candidate], seed: int, formats: Iterable[Format] = FORMATS) -> None:
        self.players, self.dice, self.shares = players, Dice(seed), dict.fromkeys(formats, 1)
        self.bot_of = {player.version: player.bot for player in players}
        self.games: Counter[tuple[Format, int]] = Counter()
        self.version_games: Counter[tuple[Format, int]] = Counter()
        self.seats: Counter[tuple[Format, int, int]] = Counter()

    def play(self, matches: int) -> list[Pairing]:
        played = []
        for _ in range(matches):
            load = Load(games=self.games, version_games=self.version_games, seats=self.seats)
            (pairing,) = next_matches(self.players, load, self.shares, 1, self.dice)
            played.append(pairing)
            for seat, version in enumerate(pairing.versions, start=1):
                self.games[pairing.format, self.bot_of[version]] += 1
                self.version_games[pairing.format, version] += 1
                self.seats[pairing.format, version, seat] += 1
        return played


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


@given(players=players_lists, wanted=st.integers(0, 12), seed=st.integers(0, 2**32))
@settings(max_examples=300)
def test_no_pairing_breaks_a_promise(players: list[Candidate], wanted: int, seed: int) -> None:
    pairings = next_matches(players, Load(in_flight={Format(2): 1}), EQUAL, wanted, Dice(seed))
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


@given(players=players_lists, seed=st.integers(0, 2**32))
@settings(max_examples=300)
def test_a_table_that_can_be_filled_is_filled(players: list[Candidate], seed: int) -> None:
    for format in FORMATS:
        able = [player for player in players if player.room and format in player.formats]
        seatable = len({player.owner for player in able if not player.is_house}) + sum(p.is_house for p in able)
        pairings = next_matches(players, Load(), {format: 3}, 1, Dice(seed))
        assert len(pairings) == (seatable >= format.players)


@given(seed=st.integers(0, 2**32), bots=st.integers(4, 9))
@settings(max_examples=40)
def test_games_and_seats_even_out(seed: int, bots: int) -> None:
    season = Season([player(version, mu=20 + version) for version in range(1, bots + 1)], seed)
    season.play(40 * bots)
    for format in FORMATS:
        games = [season.games[format, version] for version in range(1, bots + 1)]
        assert max(games) - min(games) <= 4
        for version in range(1, bots + 1):
            seats = [season.seats[format, version, seat] for seat in range(1, format.players + 1)]
            assert max(seats) - min(seats) <= 3


def test_a_new_version_gets_the_next_games() -> None:
    old = [player(version) for version in range(1, 6)]
    games = {(format, version): 100 for format in FORMATS for version in range(1, 6)}
    pairings = next_matches([*old, player(9)], Load(games=games), EQUAL, 1, Dice(1))
    assert 9 in pairings[0].versions


def test_all_player_counts_are_in_flight_together() -> None:
    players = [player(version, room=4) for version in range(1, 7)]
    pairings = next_matches(players, Load(), EQUAL, 6, Dice(3))
    assert Counter(pairing.format for pairing in pairings) == {Format(2): 2, Format(3): 2, Format(4): 2}


def test_with_room_for_all_the_matches_in_flight_are_as_the_shares_say() -> None:
    players = [player(version, room=40, formats=(*FORMATS, FIVE)) for version in range(1, 8)]
    shares = {Format(2): 4, Format(3): 4, Format(4): 4, FIVE: 2}
    pairings = next_matches(players, Load(), shares, 28, Dice(3))
    assert Counter(pairing.format for pairing in pairings) == {format: 2 * share for format, share in shares.items()}


def test_a_new_arena_begins_with_the_first_format_that_can_be_played() -> None:
    players = [player(version, formats=(Format(3), FIVE)) for version in range(1, 6)]
    shares = {Format(2): 1, Format(3): 1, FIVE: 9}
    assert {next_matches(players, Load(), shares, 1, Dice(seed))[0].format for seed in range(20)} == {Format(3)}


def test_with_little_room_every_format_still_has_its_turns() -> None:
    players = [player(version, formats=(*FORMATS, FIVE)) for version in range(1, 8)]
    shares, dice = {Format(2): 4, Format(3): 4, Format(4): 4, FIVE: 2}, Dice(5)
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
    season = Season([player(version, mu=5.0 * version) for version in range(1, 9)], 11, [Format(2)])
    met = Counter(abs(a - b) for a, b in (pairing.versions for pairing in season.play(2000)))
    pairs = {gap: 8 - gap for gap in range(1, 8)}
    often = {gap: met[gap] / pairs[gap] for gap in pairs}
    assert often[1] > often[3] > often[5] > 0
    assert met[7] > 0


def test_a_full_house_waits() -> None:
    assert next_matches([player(1), player(2)], Load(in_flight={Format(2): 3}), EQUAL, 3, Dice(1)) == []


def test_one_owner_alone_gets_no_match_and_the_house_does() -> None:
    mine = [player(1, 7), player(2, 7)]
    assert next_matches(mine, Load(), EQUAL, 5, Dice(1)) == []
    house = [player(1, 7, house=True), player(2, 7, house=True)]
    assert len(next_matches(house, Load(), EQUAL, 5, Dice(1))) == 1


def test_versions_of_a_bot_share_its_games() -> None:
    """A bot with sixteen versions gets as many games as one with a single one, shared among them."""
    many = [player(version, owner=1, bot=1, room=4) for version in range(100, 116)]
    others = [player(version, room=4) for version in range(2, 8)]
    season = Season([*many, *others], 4, [Format(2)])
    season.play(140)
    games = {bot: season.games[Format(2), bot] for bot in range(1, 8)}
    assert max(games.values()) - min(games.values()) <= 4
    of_versions = [season.version_games[Format(2), version] for version in range(100, 116)]
    assert sum(of_versions) == games[1] and max(of_versions) - min(of_versions) <= 1


def test_two_versions_of_a_house_bot_never_meet() -> None:
    house = [player(version, owner=1, bot=version % 2, house=True) for version in range(4)]
    for seed in range(20):
        for pairing in next_matches(house, Load(), {Format(2): 1}, 2, Dice(seed)):
            assert {version % 2 for version in pairing.versions} == {0, 1}


def test_an_owner_sits_in_three_quarters_of_the_matches_at_most() -> None:
    mine = [player(version, owner=1, room=9) for version in range(1, 5)]
    others = [player(version, room=9) for version in range(5, 9)]
    for seed in range(20):
        load = Load(in_flight={Format(3): 2}, owners={1: 2})
        pairings = next_matches([*mine, *others], load, {Format(2): 1}, 8, Dice(seed))
        assert len(pairings) == 6
        assert sum(bool(set(pairing.versions) & {1, 2, 3, 4}) for pairing in pairings) <= 4
    house = [player(version, owner=1, house=True, room=9) for version in range(1, 5)]
    assert len(next_matches(house, Load(), {Format(2): 1}, 8, Dice(1))) == 8


def test_rests_double_up_to_an_hour() -> None:
    assert [rest_s(failures) for failures in range(11)] == [0, 15, 30, 60, 120, 240, 480, 960, 1920, 3600, 3600]
    assert rest_s(10**6) == 3600
