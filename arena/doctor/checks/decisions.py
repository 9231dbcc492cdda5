"""Decisions: every phase, Djinn, item and whim, and large or rare positions."""

from __future__ import annotations

from typing import Final

from arena.doctor.check import Checks, DoctorCheck
from arena.doctor.errors import Skipped
from arena.doctor.session import Session
from arena.doctor.situations import (
    DJINN_SITUATIONS,
    ITEM_SITUATIONS,
    PHASES,
    RARE_SITUATIONS,
    WHIM_SITUATIONS,
    DoctorLine,
    Situation,
)
from arena.rules.components import CAMELS, EXPANSIONS

ROUNDS: Final = 2
BIG_ROUNDS: Final = 5
LEGAL: Final = (
    "Answer with an action of DecisionRequest.legal, exactly as written, or with several that are each legal when"
    " their turn comes. `arena rules legal` lists the legal actions of a position."
)
OF_EXPANSION: Final = LEGAL + " If the bot does not play this expansion, remove it from Hello.expansions."


def _check(situation: Situation) -> DoctorCheck:
    return DoctorCheck(
        name=situation.name,
        what=f"The bot decides legally {_about(situation)}.",
        advice=OF_EXPANSION if situation.expansions else LEGAL,
        run=_Turn(situation),
    )


def _about(situation: Situation) -> str:
    return (
        f"in phase {situation.name.removeprefix('phase-')}: {situation.what}" if situation in PHASES else situation.what
    )


class _Turn:
    """A check that asks the bot in a situation until its turn is over."""

    def __init__(self, situation: Situation) -> None:
        self._situation = situation

    async def __call__(self, session: Session) -> None:
        match = await session.open_match(self._situation)
        await match.play_turn()


PHASE_CHECKS: Final = Checks(map(_check, PHASES))
RARE_CHECKS: Final = Checks(map(_check, RARE_SITUATIONS))
DJINN_CHECKS: Final = Checks(map(_check, DJINN_SITUATIONS))
ITEM_CHECKS: Final = Checks(map(_check, ITEM_SITUATIONS))
WHIM_CHECKS: Final = Checks(map(_check, WHIM_SITUATIONS))
DECISIONS: Final = Checks()


@DECISIONS.register(
    "answers",
    "Answer DecisionRequest with Answer: the same match_id and index, and one of the legal actions.",
    is_essential=True,
)
async def answers(session: Session) -> None:
    """The bot answers its first request of a match with a legal action under the same index."""
    match = session.match()
    await match.begin()
    match.pass_on()
    await match.decide()


class _Rounds:
    """A check that plays the first rounds of a game."""

    def __init__(self, players: int | None = None, expansions: tuple[str, ...] = (), rounds: int = ROUNDS) -> None:
        self._players, self._expansions, self._rounds = players, expansions, rounds

    async def __call__(self, session: Session) -> None:
        match = session.match(ruleset=session.ruleset(self._expansions, self._players))
        await match.begin()
        await match.play_on(self._goes_on)

    def _goes_on(self, line: DoctorLine) -> bool:
        return line.state.round <= self._rounds


for _players in CAMELS:
    DECISIONS.append(
        DoctorCheck(
            f"players-{_players}",
            f"The bot plays the first rounds with {_players} players.",
            LEGAL + f" If the bot does not play with {_players}, list the other numbers in Hello.player_counts.",
            _Rounds(players=_players),
        )
    )
for _expansions in [(name,) for name in EXPANSIONS] + [EXPANSIONS]:
    DECISIONS.append(
        DoctorCheck(
            f"expansion-{'-'.join(_expansions)}",
            f"The bot plays the first rounds with {' and '.join(_expansions)}.",
            OF_EXPANSION,
            _Rounds(expansions=_expansions),
        )
    )


@DECISIONS.register(
    "whole-match",
    "The bot must play to the end and accept MatchEnd: check its output, and the phase where it stopped.",
)
async def plays_to_the_end(session: Session) -> None:
    """The bot plays a whole match, and accepts its end."""
    match = session.match(ruleset=session.ruleset(players=session.player_counts[-1]))
    await match.begin()
    await match.play_on(lambda line: True)
    match.finish()
    await session.pong()


@DECISIONS.register("big-request", "Accept messages of at least 256 kB, and events since the beginning of the match.")
async def takes_big_request(session: Session) -> None:
    """The bot accepts a large request: the most players and expansions that it plays, and all events so far."""
    match = session.match(ruleset=session.ruleset(session.expansions, session.player_counts[-1]))
    await match.begin()
    line = match.line
    assert line is not None
    while line.state.round <= BIG_ROUNDS and not line.state.is_over:
        line.play_at_random()
    if not match.pass_on():
        raise Skipped("the game ended before it was large")
    await match.decide()


@DECISIONS.register(
    "without-legal-list",
    "Without Hello.wants_legal no request has the legal actions: compute them yourself, or set it.",
)
async def plays_without_list(session: Session) -> None:
    """A bot that does not want the legal actions plays without them."""
    if session.hello.wants_legal:
        raise Skipped("it wants the legal actions (Hello.wants_legal)")
    await _Rounds()(session)
