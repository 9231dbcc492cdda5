"""Whole games in one process, without a server."""

from __future__ import annotations

from arena.local.play import LocalGame, local_game, play_local_games

__all__ = ["LocalGame", "local_game", "play_local_games"]
