"""The rules of Five Tribes: states, actions, chance, views, positions and replays. Pure, standard library only."""

from __future__ import annotations

from arena._native import native_path

__path__ = native_path(__path__, __name__)

from arena.rules.chance import Stream, commitment, default_action, draw_chance, match_seed, settle
from arena.rules.components import RULES
from arena.rules.draft import Due, Ending, Phase
from arena.rules.errors import ActionSyntaxError, Divergence, IllegalAction, PositionError, ReplayError, RulesError
from arena.rules.game import Event, Game, Reseed, view_event
from arena.rules.legal import LegalActions
from arena.rules.moves import Result, results
from arena.rules.notation import Action
from arena.rules.parsing import parse_position
from arena.rules.parsing_view import parse_view
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
    "RULES",
    "Action",
    "ActionSyntaxError",
    "Divergence",
    "Due",
    "Ending",
    "Event",
    "FullSeat",
    "Game",
    "IllegalAction",
    "LegalActions",
    "Outcome",
    "Phase",
    "Position",
    "PositionError",
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
    "commitment",
    "default_action",
    "draw_chance",
    "format_position",
    "format_view",
    "match_seed",
    "parse_action",
    "parse_position",
    "parse_ruleset",
    "parse_view",
    "position",
    "read_game",
    "replay_document",
    "results",
    "score",
    "settle",
    "start",
    "start_with_stream",
    "verify_replay",
    "view",
    "view_event",
]
