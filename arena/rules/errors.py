"""Errors of the rules. Each has a message, a stable code, and usually the rule that it follows from."""

from __future__ import annotations

from typing import Any


class RulesError(Exception):
    """Base class: something that the rules do not allow.

    `code` is stable, for programs. `rule` names the section of the rules, and `message` is for people.

    >>> try:
    ...     start(Ruleset(7), bytes(32))
    ... except RulesError as error:
    ...     print(error.code, error.rule, error.message, sep="; ")
    NO_SUCH_RULESET; 2.1; a game has 2 to 5 players, not 7
    """

    def __init__(self, code: str, message: str, rule: str = "") -> None:
        cited = rule if rule.startswith("notation") else f"rule {rule}"
        super().__init__(f"{message} ({cited})" if rule else message)
        self.code = code
        self.rule = rule
        self.message = message


class ActionSyntaxError(RulesError):
    """Raised for a text that is not an action of the notation.

    >>> try:
    ...     parse_action("take Z9")
    ... except ActionSyntaxError as error:
    ...     print(error.code)
    BAD_SYNTAX
    """


class IllegalAction(RulesError):
    """Raised for an action that is well written but not allowed in the state.

    `position` is the position document of the state; None if chance is due there.

    >>> try:
    ...     start(Ruleset(2), bytes(32)).parse("take A1")
    ... except IllegalAction as error:
    ...     print(error.code, error.position["phase"])
    WRONG_PHASE bid
    """

    position: dict[str, Any] | None = None


class PositionError(RulesError):
    """Raised for a document that is not a position of the notation, or for a position that cannot occur.

    >>> try:
    ...     parse_position([])
    ... except PositionError as error:
    ...     print(error.code)
    BAD_POSITION
    """


class ReplayError(RulesError):
    """Raised for a document that is not a replay of the notation, or for a log that does not fit its game.

    >>> try:
    ...     read_game({"format": "naqala/replay/2"})
    ... except ReplayError as error:
    ...     print(error.code)
    BAD_REPLAY
    """


class Divergence(ReplayError):
    """Raised at the first part of a replay that the rules do not reproduce.

    `index` counts the events from 0. It is -1 for the parts before them (seeds, set-up), and the number of events for
    the result. `position` and `legal` describe the state there, if the error has one.

    >>> seats = [{"name": "a", "version": "1"}, {"name": "b", "version": "1"}]
    >>> document = replay_document(Game(Ruleset(2), bytes(32)), match="m", seats=seats)
    >>> try:
    ...     verify_replay(document | {"commitment": "00" * 32})
    ... except Divergence as error:
    ...     print(error.code, error.index)
    COMMITMENT -1
    """

    def __init__(
        self, code: str, index: int, message: str, position: dict[str, Any] | None = None, legal: tuple[str, ...] = ()
    ) -> None:
        super().__init__(code, message)
        self.index = index
        self.position = position
        self.legal = legal
