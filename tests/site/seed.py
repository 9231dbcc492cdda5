"""Believable data by real games, for tests and for looking at the pages. House players play every seat; everything goes
through the actions. The same calls on an empty database give the same games."""

from __future__ import annotations

import hashlib
import itertools
import random
from dataclasses import dataclass

from arena.players import make_player
from arena.referee import Clock, Policy
from arena.rules import Game, Ruleset
from tests.kit.ladder import Writer, terms_of
from tests.kit.records import RefereedMatch
from webui.accounts import actions as account_actions
from webui.bots import actions as bot_actions
from webui.bots import token_actions
from webui.matches import ending, ownership
from webui.matches.models import Match
from webui.matches.values import MatchClaim

CLOCK, POLICY = Clock(), Policy()
LEASE = 3600.0
PASSWORD = "a quiet caravan"

BOTS = [  # owner, bot, version, player that stands in for it
    ("arena", "House Random", "1", "random"),
    ("arena", "House Greedy", "1", "greedy"),
    ("arena", "House Vizier", "1", "greedy-vizier"),
    ("arena", "House Mystic", "1", "greedy-mystic"),
    ("arena", "House Trader", "1", "greedy-trader"),
    ("lena", "Long Ledger", "2.1", "greedy-settler"),
    ("tariq-b", "Oud", "0.9", "greedy-rival"),
    ("k.osei", "Mirage", "3f9c21ab07", "greedy-builder"),
    ("hanae", "Sirocco", "1.4", "greedy"),
]


@dataclass
class Entrant:
    """A bot version and the player that decides for it."""

    version_id: int
    player: str


def entrants() -> list[Entrant]:
    """Register all owners, bots and versions."""
    owners: dict[str, int] = {}
    found = []
    for owner, bot, version, player in BOTS:
        if owner not in owners:
            house = owner == "arena"
            owners[owner] = account_actions.create_user(
                owner, None if house else PASSWORD, role="house" if house else "player"
            )
        bot_id = bot_actions.register_bot(owners[owner], bot, is_house=owner == "arena")
        token_actions.issue_token(bot_id)
        found.append(Entrant(bot_actions.register_version(bot_id, version), player))
    return found


def schedule(table: list[Entrant], *, rated: bool = True) -> MatchClaim:
    """A match of these entrants, taken by a worker."""
    versions = [one.version_id for one in table]
    seed = hashlib.sha256(f"match {Match.objects.count()}".encode()).digest()
    match_id = ownership.schedule_match(Ruleset(len(table)), versions, CLOCK, POLICY, rated, server_seed=seed)
    claim = ownership.claim_match(match_id, f"seed {match_id}", LEASE)
    assert claim is not None
    return claim


def play(claim: MatchClaim, table: list[Entrant], *, until_round: int = 99, late: tuple[int, ...] = ()) -> Game:
    """Play a match to its end, or to the beginning of a round, and write its log. Seats in `late` forfeit."""
    match = RefereedMatch(terms_of(claim), [bytes([seat.seat]) * 16 for seat in claim.seats])
    players = [
        make_player(one.player, hashlib.sha256(claim.server_seed + bytes([seat])).digest())
        for seat, one in enumerate(table, 1)
    ]
    clock = random.Random(claim.server_seed)
    game = match.referee.record.running
    while not match.referee.is_over and game.state.round < until_round:
        ask = match.ask
        if ask.seat in late and game.state.round >= 3:
            match.be_late()
            continue
        choice = players[ask.seat - 1].choose(ask.view, [action.text for action in ask.legal])
        match.answer(*([choice] if isinstance(choice, str) else choice), ms=clock.randint(3, 900))
    Writer(claim).append(match.log)
    if match.referee.is_over:
        document = match.document([(seat.bot, seat.version) for seat in claim.seats])
        ending.finish_match(claim.match_id, claim.epoch, document["verdict"], document)
    return game


def fill(matches: int = 60, *, live: int = 3) -> list[Entrant]:
    """A small arena with a past and a present."""
    draw = random.Random(1)
    everybody = entrants()
    for number, players in zip(range(matches), itertools.cycle((4, 4, 3, 2, 4)), strict=False):
        table = draw.sample(everybody, players)
        play(schedule(table), table, late=(2,) if number % 17 == 1 else ())
    for players, until_round in itertools.islice(zip((4, 3, 2), (4, 3, 5), strict=True), live):
        table = draw.sample(everybody, players)
        play(schedule(table), table, until_round=until_round)
    declined = schedule(draw.sample(everybody, 2))
    ending.abort_match(declined.match_id, declined.epoch, "NO_ANSWER")
    schedule(draw.sample(everybody, 3))  # waits for its bots
    return everybody
