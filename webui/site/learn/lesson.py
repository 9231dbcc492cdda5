"""Define the steps of the beginner's page; each shows a position of one real game."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.core.cache import caches
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext_lazy

from arena.rules import Game, Ruleset
from webui.bots.values import BotRef, VersionRef
from webui.core.compress import pack
from webui.core.static_files import edition
from webui.matches.values import SeatLine
from webui.replays.frames import LEVELS, frames_document
from webui.replays.replay import FinishedReplay

FILE = Path(__file__).parent / "game.json"
NAMES = ("Lina", "Omar", "Nour")
"""Names of the players, seat 1 first."""
END = -1
"""Stands for the last ply of the game."""


@dataclass(frozen=True)
class LessonStep:
    """A position, and what the page says about it."""

    ply: int
    title: Promise
    text: Promise
    shows: str = ""
    """Part of the page that the step explains, if not the board: `market`, `djinns` or `score-table`."""


STEPS = (
    LessonStep(
        0,
        gettext_lazy("The table"),
        gettext_lazy(
            "Thirty tiles with three meeples on each. Every tile has a value, and every colour of meeples is a tribe."
        ),
    ),
    LessonStep(
        3,
        gettext_lazy("Bid"),
        gettext_lazy(
            "Each round begins with bids: who pays more gold acts earlier. Lina has paid 8, Omar 5, Nour nothing. It "
            "is Lina’s turn: her marker has moved from the turn order to the bid order of the next round."
        ),
    ),
    LessonStep(
        6,
        gettext_lazy("Sow"),
        gettext_lazy(
            "She picks up all meeples of one tile, and drops them one by one, each on the next tile of her path."
        ),
    ),
    LessonStep(
        7,
        gettext_lazy("Take the last tribe, and the tile"),
        gettext_lazy(
            "The last meeple has to meet its own tribe, and all of that tribe are lifted. That empties the tile, so "
            "Lina’s camel takes it: its value is hers at the end."
        ),
    ),
    LessonStep(
        8,
        gettext_lazy("Use their power"),
        gettext_lazy(
            "Each tribe does something different. Builders earn gold: four of them, times five blue tiles"
            " around, make 20."
        ),
    ),
    LessonStep(
        9,
        gettext_lazy("Use the tile"),
        gettext_lazy(
            "The tile does something, too. This one is a market: Lina buys a card, and different cards together are "
            "worth more and more."
        ),
        "market",
    ),
    LessonStep(
        15,
        gettext_lazy("Summon a Djinn"),
        gettext_lazy(
            "Omar lifts elders on a Sacred Place, and pays two of them for a Djinn: points, and a power that nobody "
            "else has."
        ),
        "djinns",
    ),
    LessonStep(
        END,
        gettext_lazy("The end"),
        gettext_lazy(
            "When somebody has placed the last camel (with the Artisans, also the tent), or nobody can "
            "move, everything is counted: gold, tribes, Djinns, cards, tiles and what stands on them. "
            "Most points win."
        ),
        "score-table",
    ),
)


@dataclass(frozen=True)
class Lesson:
    """The game and its seats."""

    replay: FinishedReplay
    lines: tuple[SeatLine, ...]

    @property
    def plies(self) -> list[int]:
        """Ply that each step shows."""
        return [len(self.replay.steps) if step.ply == END else step.ply for step in STEPS]


@cache
def lesson() -> Lesson:
    """Return the game of `game.json`. It is played through the rules once per process."""
    document = json.loads(FILE.read_text(encoding="utf-8"))
    game = Game(Ruleset(document["players"]), bytes.fromhex(document["seed"]))
    for action in document["actions"]:
        game.play(action)
    outcome = game.state.outcome
    assert outcome is not None  # the game is played to its end
    lines = []
    for seat, name in enumerate(NAMES, 1):
        version = VersionRef(0, "", BotRef(0, name, "", 0, "", is_house=False))
        rank, score = outcome.ranks[seat - 1], outcome.scores[seat - 1]["total"]
        lines.append(SeatLine(seat, version, rank, rank, score, forfeited_at=None, forfeit_reason=""))
    replay = FinishedReplay.of_game(game)
    replay.state(len(replay.steps))  # played through now, because later many threads read it and none may extend it
    return Lesson(replay, tuple(lines))


def lesson_frames(encoding: str) -> bytes:
    """Return the game's frames as compressed JSON (`encoding`: `zstd` or `gzip`) in the visitor's language, cached."""
    store, key = caches["frames"], f"lesson/{encoding}/{get_language()}/{edition()}"
    frames: bytes | None = store.get(key)
    if frames is None:
        shown = lesson()
        document = frames_document(shown.replay, shown.lines)
        text = json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()
        frames = pack(text, encoding, LEVELS[encoding])
        store.set(key, frames)
    return frames
