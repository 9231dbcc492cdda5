"""Golden playthroughs: whole games as readable text. A rule change shows as a diff of these files, to be reviewed.

Write them again with `make golden` (python -m tests.golden.playthrough).
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from arena.rules import Action, Game, Ruleset, State, format_position

FOLDER = Path(__file__).parent / "playthroughs"
GAMES = {f"base-{players}p": (Ruleset(players), sha256(f"golden {players}".encode()).digest()) for players in (2, 3, 4)}
GAMES |= {
    name: (ruleset, sha256(f"golden {name}".encode()).digest())
    for name, ruleset in {
        "whims-3p": Ruleset(3, ("whims",)),
        "whims-5p": Ruleset(5, ("whims",)),
        "artisans-2p": Ruleset(2, ("artisans",)),
        "artisans-4p": Ruleset(4, ("artisans",)),
        "artisans+whims-5p": Ruleset(5, ("artisans", "whims")),
    }.items()
}
RARE = ("use", "summon", "kill", "palm", "palace", "build", "buy", "sell", "item", "craft", "fly", "tent", "slay")
SHOWN = 6


def choose(game: Game) -> Action:
    """Choose an action by the seed. Every other time, choose a rare one if possible."""
    digest = sha256(game.seed + b"golden" + len(game.events).to_bytes(8, "big")).digest()
    rare = [action for action in game.state.legal if action.verb in RARE]
    options = rare if rare and digest[8] % 2 else game.state.legal
    return options[int.from_bytes(digest[:8], "big") % len(options)]


def playthrough(name: str) -> str:
    """Return the text of a golden game."""
    ruleset, seed = GAMES[name]
    return "\n".join(_lines(name, Game(ruleset, seed))) + "\n"


def _lines(name: str, game: Game) -> Iterator[str]:
    yield f"# {name}: {game.ruleset.players} players, seed {game.seed.hex()}"
    yield "# index, seat, phase, the action, and what else was legal"
    round_shown = 0
    while not game.state.is_over:
        state = game.state
        if state.round > round_shown:
            round_shown = state.round
            yield from _position(state)
        index, action = len(game.events), choose(game)
        others = [other.text for other in state.legal if other != action]
        more = f" … {len(others) - SHOWN} more" if len(others) > SHOWN else ""
        beside = f"   [{', '.join(others[:SHOWN])}{more}]" if others else ""
        for place, event in enumerate(game.play(action)):
            text = event.text if place else f"{event.text}{beside}"
            yield f"{index + place:4} {event.seat or '-'} {state.phase if not place else 'chance':6} {text}"
    yield from _position(game.state)
    outcome = game.state.outcome
    assert outcome is not None
    yield f"## over: {outcome.reason}"
    for seat, (score, rank) in enumerate(zip(outcome.scores, outcome.ranks, strict=True), 1):
        yield f"seat {seat} rank {rank}: " + ", ".join(f"{source} {value}" for source, value in score.items())


def _position(state: State) -> Iterator[str]:
    document = format_position(state)
    yield ""
    yield f"## round {state.round}"
    board = document["board"]
    for row in range(1, board["rows"] + 1):
        cells = []
        for column in range(board["columns"]):
            tile = board["tiles"][f"{chr(65 + column)}{row}"]
            owner = f" @{tile['owner']}" if tile["owner"] else ""
            owner += " tent" if tile.get("tent") else ""
            pieces = " palm" * tile["palms"] + " palace" * tile["palaces"]
            marks = "".join(f" {tile[mark]}" for mark in ("mountains", "whim") if tile.get(mark))
            cells.append(f"{tile['kind']} {tile['value']}{marks} {tile['meeples']}{owner}{pieces}")
        yield f"{row}: " + " | ".join(cells)
    market, djinns = document["resources"]["row"], document["djinns"]["row"]
    yield f"bag {document['bag']}; market {' '.join(market)}; djinns {' '.join(djinns)}"
    if "items" in document:
        pile, discard = document["items"]["pile"], document["items"]["discard"]
        yield f"items: {len(pile)} in the pile, discarded {' '.join(discard) or 'none'}"
    for seat, held in enumerate(document["seats"], 1):
        hand = " ".join(f"{name}×{number}" for name, number in held["hand"].items()) or "no cards"
        yield (
            f"seat {seat}: gold {held['gold']}, camels {held['camels']}, viziers {held['viziers']}, "
            f"elders {held['elders']}, {hand}, {' '.join(held['djinns']) or 'no Djinn'}{_more(held)}"
        )
    yield f"bid order {document['bid_order']}"
    yield ""


def _more(held: dict[str, Any]) -> str:
    """Return the text of a seat's possessions from the expansions."""
    text = ""
    if "items" in held:
        items = " ".join(held["items"]) or "no item"
        text += f", artisans {held['artisans']}, {'the tent' if held['tent'] else 'no tent'}, {items}"
    if "whims" in held:
        whims = [
            f"{whim} {'paid' if pile == 'paid' else 'open'}"
            for pile in ("open", "paid")
            for whim in held["whims"][pile]
        ]
        text += f", {', '.join(whims) or 'no whim'}"
    return text


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in GAMES:
        (FOLDER / f"{name}.txt").write_text(playthrough(name), encoding="utf-8")
        print(FOLDER / f"{name}.txt")
