"""The rules of Five Tribes: states, actions, chance, views, positions, replays, and tools for searches.

Pure, standard library only. Everything in `__all__` is public. It is documented on the site's page "Python:
arena.rules" with examples that are tests, and a change of it needs a note in the release.

>>> state = start(Ruleset(players=2), seed=bytes(32))
>>> state = state.play(state.parse("bid 3"))
>>> view(state, seat=2).turn_track
(None, None, 1, None, None, None, None, None, None)
"""

from __future__ import annotations

from arena._native import native_path

__path__ = native_path(__path__, __name__)

from arena.rules.board import Board
from arena.rules.chance import RandomSource, Stream, commitment, default_action, draw_chance, match_seed, settle
from arena.rules.components import RESOURCES, RULES, TRIBES
from arena.rules.determinize import determinizations, determinize
from arena.rules.draft import Due, Ending, Phase
from arena.rules.errors import ActionSyntaxError, Divergence, IllegalAction, PositionError, ReplayError, RulesError
from arena.rules.game import Event, Game, Reseed, view_event
from arena.rules.geometry import Geometry
from arena.rules.legal import LegalActions
from arena.rules.line import Condition, Line, Policy
from arena.rules.moves import Result, results, sowings
from arena.rules.notation import TILE_NAMES, Action
from arena.rules.packed import cards_of, count, goods_in, tiles_of
from arena.rules.parsing import parse_position
from arena.rules.parsing_view import parse_view
from arena.rules.playouts import playouts
from arena.rules.position import format_position, position, view
from arena.rules.replay import parse_ruleset, read_game, replay_document, verify_replay
from arena.rules.ruleset import Ruleset
from arena.rules.scoring import Outcome, score
from arena.rules.seat import Seat
from arena.rules.setup import start, start_with_stream
from arena.rules.state import State
from arena.rules.syntax import parse_action
from arena.rules.view import Position, View, format_view
from arena.rules.view_parts import FullSeat, SeatView, TileView, TurnView

__all__ = [
    "RESOURCES",
    "RULES",
    "TILE_NAMES",
    "TRIBES",
    "Action",
    "ActionSyntaxError",
    "Board",
    "Condition",
    "Divergence",
    "Due",
    "Ending",
    "Event",
    "FullSeat",
    "Game",
    "Geometry",
    "IllegalAction",
    "LegalActions",
    "Line",
    "Outcome",
    "Phase",
    "Policy",
    "Position",
    "PositionError",
    "RandomSource",
    "ReplayError",
    "Reseed",
    "Result",
    "RulesError",
    "Ruleset",
    "Seat",
    "SeatView",
    "State",
    "Stream",
    "TileView",
    "TurnView",
    "View",
    "cards_of",
    "commitment",
    "count",
    "default_action",
    "determinizations",
    "determinize",
    "draw_chance",
    "format_position",
    "format_view",
    "goods_in",
    "match_seed",
    "parse_action",
    "parse_position",
    "parse_ruleset",
    "parse_view",
    "playouts",
    "position",
    "read_game",
    "replay_document",
    "results",
    "score",
    "settle",
    "sowings",
    "start",
    "start_with_stream",
    "tiles_of",
    "verify_replay",
    "view",
    "view_event",
]
