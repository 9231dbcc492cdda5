"""The errors of the rules core: each says what is wrong, which rule says so, and has a stable code."""

from __future__ import annotations

from typing import Any


class RulesError(Exception):
    """Base class: what the rules do not allow.

    `code` is stable and meant for programs; `rule` names the section of the rules; the message is for people.
    """

    def __init__(self, code: str, message: str, rule: str = "") -> None:
        cited = rule if rule.startswith("notation") else f"rule {rule}"
        super().__init__(f"{message} ({cited})" if rule else message)
        self.code = code
        self.rule = rule
        self.message = message


class ActionSyntaxError(RulesError):
    """A text that is not an action of the notation."""


class IllegalAction(RulesError):
    """An action that is well written but not allowed here. `position` is the position document it was tried in, where
    no chance is due."""

    position: dict[str, Any] | None = None


class PositionError(RulesError):
    """A document that is not a position of the notation, or one that cannot occur."""


class ReplayError(RulesError):
    """A document that is not a replay of the notation, or a log that does not fit its game."""


class Divergence(ReplayError):
    """The first event of a replay that the rules do not reproduce.

    `index` counts from 0 in `events`; -1 stands for what precedes them (seeds, set-up), `len(events)` for the result.
    """

    def __init__(
        self, code: str, index: int, message: str, position: dict[str, Any] | None = None, legal: tuple[str, ...] = ()
    ) -> None:
        super().__init__(code, message)
        self.index = index
        self.position = position
        self.legal = legal
