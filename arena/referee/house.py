"""The house player, which plays on for a seat that has forfeited."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

from arena.referee.record import Record
from arena.rules import Action, View, view

House = Callable[[str, bytes, View, list[str]], str]
"""Function from the name of a house player, seed, view and legal actions to an action."""


def house_action(record: Record, house: House) -> Action:
    """Return the house's decision for the seat to act.

    The house sees what the seat sees, and each decision has its own seed. Everybody who referees or proves the match
    therefore gets the same decision.
    """
    seat = record.to_act
    salt = seat.to_bytes(1, "big") + record.index.to_bytes(8, "big")
    seed = sha256(record.running.seed + b"house" + salt).digest()
    legal = [action.text for action in record.state.legal]
    return record.state.parse(house(record.terms.policy.house, seed, view(record.state, seat), legal))
