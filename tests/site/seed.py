"""Believable data by real games, for tests and for looking at the pages. House players play every seat; everything goes
through the actions."""

from __future__ import annotations

import hashlib
import itertools
import random
from dataclasses import dataclass

from arena.players import make_player
from arena.referee import Clock, Entry, Kind, Policy, judge
from arena.referee.verdict import Forfeit
from arena.rules import Game, Ruleset, match_seed, replay_document, view
from webui.ladder import actions
from webui.ladder.values import Claim

CLOCK, POLICY = Clock().document(), Policy().document()
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
            owners[owner] = actions.create_user(owner, None if house else PASSWORD, role="house" if house else "player")
        bot_id = actions.register_bot(owners[owner], bot, is_house=owner == "arena")
        actions.issue_token(bot_id)
        found.append(Entrant(actions.register_version(bot_id, version), player))
    return found


def schedule(table: list[Entrant], *, rated: bool = True) -> Claim:
    """A match of these entrants, taken by a worker."""
    match_id = actions.schedule_match(Ruleset(len(table)), [one.version_id for one in table], CLOCK, POLICY, rated)
    claim = actions.claim_match(match_id, f"seed {match_id}", LEASE)
    assert claim is not None
    return claim


def play(claim: Claim, table: list[Entrant], *, until_round: int = 99, late: tuple[int, ...] = ()) -> Game:
    """Play a match to its end, or to the beginning of a round, and write its log. Seats in `late` forfeit."""
    nonces = [bytes([seat.seat]) * 16 for seat in claim.seats]
    game = Game(claim.ruleset, match_seed(claim.server_seed, nonces), claim.deal)
    players = [
        make_player(one.player, hashlib.sha256(f"{claim.match_id} {seat}".encode()).digest())
        for seat, one in enumerate(table, 1)
    ]
    clock = random.Random(claim.match_id)
    entries = [Entry(i, Kind.READY, i + 1, nonce.hex()) for i, nonce in enumerate(nonces)]
    forfeits: list[Forfeit] = []
    while not game.state.is_over and game.state.round < until_round:
        seat = game.state.to_act
        legal = [action.text for action in game.state.legal]
        choice = players[seat - 1].choose(view(game.state, seat), legal)
        texts = [choice] if isinstance(choice, str) else list(choice)
        for text in texts:
            if game.state.to_act != seat or text not in [action.text for action in game.state.legal]:
                break
            facts: dict[str, object] = {"ms": clock.randint(3, 900)}
            if seat in late and game.state.round == 3 and not any(f.seat == seat for f in forfeits):
                index = len(game.events)
                forfeits.append(Forfeit(seat, index, "LATE"))
                entries.append(Entry(len(entries), Kind.FORFEIT, seat, "LATE", {"index": index}))
            if any(forfeit.seat == seat for forfeit in forfeits):
                facts = {"house": "greedy"}
            for event in game.play(text, facts):
                kind = Kind.DECISION if event.seat else Kind.CHANCE
                entries.append(Entry(len(entries), kind, event.seat, event.text, event.facts))
    actions.append(claim.match_id, claim.epoch, 0, entries, LEASE)
    if game.state.is_over:
        outcome = game.state.outcome
        verdict = judge(claim.ruleset.players, forfeits, outcome.ranks if outcome else None)
        assert verdict is not None
        document = replay_document(
            game,
            match=claim.match_id,
            seats=[{"name": seat.bot, "version": seat.version} for seat in claim.seats],
            server_seed=claim.server_seed,
            nonces=nonces,
            clock=claim.clock,
            policy=claim.policy,
            verdict=verdict.document(),
        )
        actions.finish_match(claim.match_id, claim.epoch, verdict.document(), document)
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
    actions.abort_match(declined.match_id, declined.epoch, "NO_ANSWER")
    schedule(draw.sample(everybody, 3))  # waits for its bots
    return everybody
