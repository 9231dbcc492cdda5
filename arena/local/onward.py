"""A recorded match that is continued from one of its decisions: the bot at its seat, house players at the others.

The position is that of the record, including everything hidden. Chance comes from another seed. No clock runs: every
request has the times of the first one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from arena.local.histories import NoHistory, RecordedMatch
from arena.local.house_series import player_seed
from arena.local.reproduction import BotReply, Reproduction
from arena.local.results import GameResult
from arena.players import VERSION, make_player
from arena.referee import AskMove, Reason, TellFault
from arena.referee.reading import MAX_NAME
from arena.rules import (
    ActionSyntaxError,
    Game,
    Reseed,
    RulesError,
    default_action,
    read_game,
    replay_document,
    view,
)
from arena.rules.replay import read_events
from arena.wire.history import Sent


class OnwardGame:
    """One game that continues from a decision; `play` plays it. Raises `NoHistory` if that is impossible."""

    def __init__(
        self, match: RecordedMatch, seat: int, ask: int, against: Sequence[str], seed: bytes, version: str
    ) -> None:
        """`against` are house players for the other seats in order, or one for all; `version` is the bot's version."""
        start = read_game(match.document, 0)
        if start.reseed is not None:
            raise NoHistory("this game continues a position of another one: use that one's replay")
        self._match = match
        self._seat = seat
        commands = (sent.command for sent in match.sent_commands(seat))
        self._ask = next(command for command in commands if isinstance(command, AskMove) and command.index == ask)
        others = [other for other in match.terms.seats if other != seat]
        if len(against) not in (1, len(others)):
            raise NoHistory(f"there are {len(others)} other seats: name one house player for all, or one for each")
        named = dict(zip(others, list(against) * (len(others) if len(against) == 1 else 1), strict=True))
        self._players = {other: make_player(name, player_seed(seed, other)) for other, name in named.items()}
        self._seats = [
            {"name": match.names[seat - 1], "version": version}
            if number == seat
            else {"name": named[number], "version": VERSION}
            for number in match.terms.seats
        ]
        self._game = Game(start.ruleset, start.seed, start.deal, Reseed(ask, seed))
        self._game.fold(event._replace(facts=None) for event in read_events(match.document)[:ask])
        self._faults: list[str] = []
        self._thinks: list[int] = []

    def play(self, bot: Reproduction, first: BotReply) -> GameResult:
        """Play to the end. `first` is the bot's answer to the first request. Raises `NoReply`."""
        game, reply = self._game, first
        is_first = True
        while not game.state.is_over:
            seat = game.state.to_act
            if (sole := game.state.legal.sole) is not None:
                game.play(sole)
            elif seat != self._seat:
                legal = [action.text for action in game.state.legal]
                choice = self._players[seat].choose(view(game.state, seat), legal)
                self._play_all((choice,) if isinstance(choice, str) else choice)
            else:
                since = len(game.events)
                if not is_first:
                    reply = bot.carry_on(self._request())
                is_first = False
                self._take(bot, reply)
                self._ask = replace(self._ask, since=since)
        bot.end(self._end(bot))
        return self._result()

    def _request(self) -> Sent:
        state, since, index = self._game.state, self._ask.since, len(self._game.events)
        ask = replace(
            self._ask,
            index=index,
            phase=state.phase,
            view=view(state, self._seat),
            events=self._game.seen_events(self._seat, since),
            legal=state.legal,
        )
        return Sent(self._match.codec.request(ask, None, wants_legal=True), index, state)

    def _take(self, bot: Reproduction, reply: BotReply) -> None:
        """Handle an answer as the referee does. A fault costs nothing here; the default decision is played."""
        self._thinks.append(reply.took_ns)
        index, reason, message, rule = len(self._game.events), Reason.MALFORMED, reply.problem, ""
        if not message:
            try:
                self._play_all(reply.actions)
            except RulesError as error:
                index, message, rule = len(self._game.events), error.message, error.rule
                reason = Reason.MALFORMED if isinstance(error, ActionSyntaxError) else Reason.ILLEGAL
        if message:
            default = default_action(self._game.state, self._game.seed, index)
            self._game.play(default)
            self._faults.append(reason)
            fault = TellFault(self._seat, index, reason, rule, message, len(self._faults), default.text, False)
            bot.send_notice(self._match.codec.fault(fault))

    def _play_all(self, actions: Sequence[str]) -> None:
        """Play actions in order, until chance intervenes or another seat is to decide."""
        seat = self._game.state.to_act
        for text in actions:
            happened = self._game.play(self._game.state.parse(text))
            if len(happened) > 1 or self._game.state.to_act != seat:
                return

    def _end(self, bot: Reproduction) -> bytes:
        document, outcome = self._match.document, self._game.state.outcome
        assert outcome is not None
        nonces = list(document.get("nonces") or [""] * len(self._seats))
        nonces[self._seat - 1] = bot.nonce.hex()
        return self._match.codec.end(
            {
                "verdict": {"kind": "completed", "placements": list(outcome.ranks), "forfeits": []},
                "result": outcome.document(),
                "server_seed": document.get("server_seed", document["seed"]),
                "nonces": nonces,
                "deal": document.get("deal", ""),
            },
            "",
        )

    def _result(self) -> GameResult:
        outcome = self._game.state.outcome
        assert outcome is not None and self._game.reseed is not None
        name = f"{self._match.terms.match}-from-{self._game.reseed.at}"[-MAX_NAME:]
        faults: list[tuple[str, ...]] = [()] * len(self._seats)
        thinks: list[tuple[int, ...]] = [()] * len(self._seats)
        faults[self._seat - 1], thinks[self._seat - 1] = tuple(self._faults), tuple(self._thinks)
        return GameResult(
            tuple(range(len(self._seats))),
            outcome.ranks,
            tuple(outcome.scores),
            tuple(faults),
            frozenset(),
            tuple(thinks),
            replay_document(self._game, match=name, seats=self._seats),
        )
