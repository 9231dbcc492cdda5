"""Ratings: one match, a ladder, and their display."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings import INITIAL, Book, Finish, HeldRating, Rating, rate, rebuild

placements_lists = st.integers(2, 5).flatmap(
    lambda seats: st.lists(st.integers(1, seats), min_size=seats, max_size=seats)
)


def test_two_equal_bots_by_hand() -> None:
    """Weng and Lin 2011, algorithm 4, for two bots without a draw: omega = sigma² / c × (1 - 1/2)."""
    tau, beta = 25 / 300, 25 / 6
    sigma2 = (25 / 3) ** 2 + tau**2
    c = math.sqrt(2 * sigma2 + 2 * beta**2)
    winner, loser = rate([INITIAL, INITIAL], [1, 2])
    assert winner.mu == pytest.approx(25 + sigma2 / c * 0.5)
    assert loser.mu == pytest.approx(25 - sigma2 / c * 0.5)
    # sigma² shrinks by the factor 1 - gamma × sigma² / c² × 1/2 × (1 - 1/2), with gamma = sigma / c.
    shrunk = sigma2 * (1 - math.sqrt(sigma2) / c * sigma2 / c**2 * 0.25)
    assert winner.sigma == loser.sigma == pytest.approx(math.sqrt(shrunk))


def test_a_settled_bot_moves_less_and_a_tie_of_equals_only_makes_surer() -> None:
    settled = Rating(25, 2)
    new, old = rate([INITIAL, settled], [1, 2])
    assert new.mu - 25 > 10 * (25 - old.mu) > 0 and old.sigma == pytest.approx(2, abs=0.05)
    winner, _ = rate([INITIAL, INITIAL], [1, 2])
    for tied in rate([INITIAL, INITIAL], [1, 1]):
        assert tied == pytest.approx((25, winner.sigma))


def test_a_change_says_who_sat_where_and_what_it_was_before() -> None:
    book = Book()
    first = book.apply(Finish(1, (7, 3), (2, 1)))
    assert [change[:5] for change in first] == [(1, 1, 7, 2, INITIAL), (1, 2, 3, 1, INITIAL)]
    (again, _) = book.apply(Finish(2, (3, 9), (1, 2)))
    assert (again.number, again.seat, again.before, again.games) == (2, 1, first[1].after, 2)


@given(placements=placements_lists)
def test_better_places_of_equals_gain_more_and_ties_gain_the_same(placements: list[int]) -> None:
    after = rate([INITIAL] * len(placements), placements)
    for place, rating in zip(placements, after, strict=True):
        for other_place, other in zip(placements, after, strict=True):
            if place < other_place:
                assert rating.mu > other.mu
            elif place == other_place:
                assert rating.mu == pytest.approx(other.mu)
                assert rating.sigma == pytest.approx(other.sigma)
    assert sum(rating.mu for rating in after) == pytest.approx(25 * len(after))


@given(
    mus=st.lists(st.floats(0, 50), min_size=3, max_size=3),
    sigmas=st.lists(st.floats(0.5, 9), min_size=3, max_size=3),
    order=st.permutations([0, 1, 2]),
    placements=st.permutations([1, 2, 3]),
)
def test_seats_do_not_matter(mus: list[float], sigmas: list[float], order: list[int], placements: list[int]) -> None:
    ratings = [Rating(mu, sigma) for mu, sigma in zip(mus, sigmas, strict=True)]
    straight = rate(ratings, placements)
    shuffled = rate([ratings[i] for i in order], [placements[i] for i in order])
    for place, i in enumerate(order):
        assert shuffled[place] == pytest.approx(straight[i])


def test_a_match_needs_two() -> None:
    with pytest.raises(ValueError, match="2 or more"):
        rate([INITIAL], [1])
    with pytest.raises(ValueError, match="2 or more"):
        rate([INITIAL, INITIAL], [1])


@st.composite
def ladders(draw: st.DrawFn) -> list[Finish]:
    finishes = []
    for number in range(1, draw(st.integers(0, 12)) + 1):
        versions = draw(st.lists(st.integers(1, 6), min_size=2, max_size=4, unique=True))
        placements = draw(st.permutations(range(1, len(versions) + 1)))
        finishes.append(Finish(number, tuple(versions), tuple(placements)))
    return finishes


@given(finishes=ladders(), cut=st.integers(0, 12))
def test_rebuilding_gives_the_same_as_going_on(finishes: list[Finish], cut: int) -> None:
    whole, changes = rebuild(finishes)
    half, _ = rebuild(finishes[:cut])
    resumed = Book(half.number, dict(half.held))
    later = [change for finish in finishes[cut:] for change in resumed.apply(finish)]
    assert resumed == whole
    assert later == [change for change in changes if change.number > half.number]
    games = {version: sum(version in finish.versions for finish in finishes) for version in whole.held}
    assert {version: held.games for version, held in whole.held.items()} == games


def test_a_ladder_has_no_gap_and_no_double_seat() -> None:
    book = Book()
    with pytest.raises(ValueError, match="the finish after 0 must be 1, not 2"):
        book.apply(Finish(2, (1, 2), (1, 2)))
    with pytest.raises(ValueError, match="two seats"):
        book.apply(Finish(1, (1, 1), (1, 2)))
    assert book == Book()


def test_better_bots_come_out_above() -> None:
    """Bot 1 always beats 2, and 2 always beats 3. After twenty matches their intervals are separate."""
    finishes = [Finish(number, (1, 2, 3), (1, 2, 3)) for number in range(1, 21)]
    book, _ = rebuild(finishes)
    first, second, third = (book.held[version].rating for version in (1, 2, 3))
    assert first.mu > second.mu > third.mu
    assert first.mu - 2 * first.sigma > third.mu + 2 * third.sigma


def test_a_new_version_begins_where_the_former_one_stands() -> None:
    """By hand: sigma 3, and 150 points of a version, which are 5, make √34.

    No version is less certain than a new bot.
    """
    held = {
        2: HeldRating(Rating(30.0, 3.0), 40),
        3: HeldRating(Rating(20.0, 8.0), 1),
        6: HeldRating(Rating(40.0, 1.0), 9),
    }
    book = Book(7, held, bot_of={2: 1, 4: 1, 6: 1, 3: 2, 5: 2})
    changes = book.apply(Finish(8, (4, 5, 7), (1, 2, 3)))
    assert [(change.before, change.games) for change in changes] == [
        (Rating(30.0, pytest.approx(34**0.5)), 1), (Rating(20.0, INITIAL.sigma), 1), (INITIAL, 1)
    ]  # fmt: skip
