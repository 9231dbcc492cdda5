"""Play a game yourself in the terminal: `python -m arena.bots.play greedy mybot.py`.

The opponents are house players and Python files of bots, in this process and without clocks. The rules apply as in a
match: each player sees its own view, a single legal action is played automatically, and a default decision replaces a
bot's faulty one. With the same --seed and the same choices of yours, house players repeat a game.
"""

from __future__ import annotations

import argparse
import asyncio
import secrets
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Protocol

from arena.bots.bot import Ask, Bot, MatchInfo
from arena.bots.house_bots import house_bot
from arena.bots.loading import NotLoaded, load_bot
from arena.bots.match_runner import actions_of, as_coroutine
from arena.bots.prompt import Prompt
from arena.bots.view import View
from arena.players import PLAYERS
from arena.rules import Game, RulesError, Ruleset, default_action, position, view
from arena.rules.components import EXPANSIONS
from arena.wire.codec import SeenEvent

LEFT = 130
"""Exit code of a game that was left."""
HOUR_MS = 3_600_000
MATCH = "terminal"


class SeatPlayer(Protocol):
    """A player that decides for a seat."""

    def choose(self, seen: View, legal: tuple[str, ...], game: Game) -> Sequence[str]:
        """Return one action, or several."""


class BotSeat:
    """A bot at a seat. Its methods run in this process, one after the other."""

    def __init__(self, bot: type[Bot], seat: int, ruleset: Ruleset) -> None:
        self._awaiting = asyncio.Runner()
        self._seen = 0
        self._bot = bot()
        self._bot.match = MatchInfo(id=MATCH, seat=seat, ruleset=ruleset.document())
        if (pending := self._bot.match_started()) is not None:
            self._awaiting.run(as_coroutine(pending))

    def choose(self, seen: View, legal: tuple[str, ...], game: Game) -> Sequence[str]:
        """Return the bot's decision. Its exceptions reach the caller."""
        events = game.seen_events(seen.seat, self._seen)
        new = tuple(SeenEvent(self._seen + place, event.seat, event.text) for place, event in enumerate(events))
        self._seen = len(game.events)
        self._bot.ask = Ask(len(game.events), new, HOUR_MS, 0, HOUR_MS, None)
        choice = self._bot.choose(seen, legal if self._bot.wants_legal else ())
        return actions_of(choice if isinstance(choice, str | Sequence) else self._awaiting.run(as_coroutine(choice)))


class HumanSeat:
    """You at a seat."""

    def __init__(self, prompt: Prompt, names: Sequence[str]) -> None:
        self._prompt = prompt
        self._names = names
        self._seen = 0

    def choose(self, seen: View, legal: tuple[str, ...], game: Game) -> Sequence[str]:
        """Print the events since your last turn and the board, and return your choice."""
        self.print_events(game, seen.seat)
        return (self._prompt.ask(seen, legal, self._names),)

    def print_events(self, game: Game, seat: int) -> None:
        """Print the events since the last call."""
        events = game.seen_events(seat, self._seen)
        self._seen = len(game.events)
        for number, actions in groupby(events, lambda event: event.seat):
            player = f"{number} {self._names[number - 1]}" if number else "chance"
            print(f"  {player}: {', '.join(event.text for event in actions)}")


def play_out(game: Game, seats: Mapping[int, SeatPlayer], report: Callable[[str], None]) -> None:
    """Play a game to its end. `report` receives a line about every fault of a seat and the action played instead."""
    while not game.state.is_over:
        seat, legal = game.state.to_act, tuple(action.text for action in game.state.legal)
        if len(legal) == 1:
            game.play(legal[0])
            continue
        try:
            choice = seats[seat].choose(View.of(view(game.state, seat)), legal, game)
            for number, action in enumerate(choice or [""]):
                if number and (game.state.is_over or game.state.to_act != seat):
                    break
                if len(game.play(action)) > 1:  # chance intervened: the rest was decided without knowing it
                    break
        except Exception as error:  # noqa: BLE001 - a bot's fault does not end the game
            default = default_action(game.state, game.seed, len(game.events))
            if not isinstance(error, RulesError):
                traceback.print_exc()
            report(f"seat {seat}: {error or type(error).__name__}; played instead: {default.text}")
            game.play(default)


def print_end(game: Game, names: Sequence[str]) -> None:
    """Print the final position, the points and the ranks."""
    from rich.console import Console

    from arena.bots.drawing import draw

    outcome = game.state.outcome
    assert outcome is not None
    totals = [score["total"] for score in outcome.scores]
    Console().print(draw(position(game.state), names, totals))
    for seat in sorted(range(len(names)), key=lambda seat: outcome.ranks[seat]):
        print(f"{outcome.ranks[seat]}. {names[seat]}: {totals[seat]} points")


def _opponent(words: str, ruleset: Ruleset) -> type[Bot]:
    """Return the bot that is named. Raises `NotLoaded` if there is none that plays such a game."""
    bot = house_bot(words) if words in PLAYERS else load_bot(words)
    if missing := set(ruleset.expansions) - set(bot.expansions):
        raise NotLoaded(f"{words} does not play {' and '.join(sorted(missing))}")
    if bot.player_counts and ruleset.players not in bot.player_counts:
        raise NotLoaded(f"{words} does not play with {ruleset.players} players")
    return bot


def main(arguments: Sequence[str] | None = None) -> int:
    """Play one game and return the exit code.

    The code is 0 if the game was played to its end, 130 if you left it before, and 2 if the arguments name no game that
    can be played.
    """
    parser = argparse.ArgumentParser(
        prog="python -m arena.bots.play", description="Play a game of Five Tribes yourself, in the terminal."
    )
    parser.add_argument("opponents", nargs="+", help=f"1 to 4 opponents: Python files of bots, or {', '.join(PLAYERS)}")
    parser.add_argument("--seat", type=int, default=1, help="your seat, from 1")
    parser.add_argument("--expansion", "-x", action="append", default=[], choices=EXPANSIONS, help="may be repeated")
    parser.add_argument(
        "--seed", default=secrets.token_hex(32), help="64 hex digits; the same seed gives the same deal"
    )
    options = parser.parse_args(arguments)
    names = [opponent if opponent in PLAYERS else Path(opponent).stem for opponent in options.opponents]
    names.insert(options.seat - 1, "you")
    try:
        seed = bytes.fromhex(options.seed)
        if len(seed) != 32 or not 1 <= options.seat <= len(names):
            raise ValueError("--seed must have 64 hex digits, and --seat must be the number of a seat")
        ruleset = Ruleset(len(names), tuple(sorted(set(options.expansion))))
        game = Game(ruleset, seed)
        seats: dict[int, SeatPlayer] = {options.seat: (you := HumanSeat(Prompt(), names))}
        free = [seat for seat in range(1, len(names) + 1) if seat != options.seat]
        for seat, words in zip(free, options.opponents, strict=True):
            seats[seat] = BotSeat(_opponent(words, ruleset), seat, ruleset)
    except (NotLoaded, RulesError, ValueError) as error:
        parser.error(str(error))
    try:
        play_out(game, seats, print)
    except KeyboardInterrupt:
        print(f"\nYou have left the game. To play the same deal again: --seed {options.seed}")
        return LEFT
    you.print_events(game, options.seat)
    print_end(game, names)
    return 0


if __name__ == "__main__":
    sys.exit(main())
