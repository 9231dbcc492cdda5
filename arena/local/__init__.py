"""Whole games in one process, without a server."""

from __future__ import annotations

from arena.local.house_series import LocalGame, local_game, play_local_games

__all__ = ["LocalGame", "local_game", "play_local_games"]
