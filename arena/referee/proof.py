"""The proof of a match's record: everything that a rating depends on is derived again and must be the same.

The rules prove the game (`arena.rules.verify_replay`). This module proves what the referee added, by refereeing
the events again: turns, clocks, forced, default and house decisions, forfeits, and the verdict. At the end the whole
record is written again and must be equal, key by key.

Some parts cannot be derived from the record: who sat there, how long a decision took, that a bot was late. They are
only as true as the signature. `Claim` lists both kinds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from arena.referee.document import SIGNATURE, difference
from arena.referee.house import House
from arena.referee.reading import check_texts
from arena.referee.retrial import referee_again
from arena.rules import Divergence, ReplayError, read_game, replay_document, verify_replay
from arena.rules.replay import BEFORE, read_events

_REQUIRED: Final = ("server_seed", "nonces", "nonce_hashes", "clock", "policy", "verdict")
_ONLY_IN_A_MATCH: Final = (*_REQUIRED, "incidents", SIGNATURE)


class Claim(StrEnum):
    """Statements of a record, in parts that are proved together."""

    CHANCE = "chance"
    """The set-up and every later draw follow from the seed."""
    GAME = "game"
    """Every decision is legal in its position, and scores, ranks and the end follow."""
    SEED = "seed"
    """The seed is made from the server seed and every seat's nonce, and the commitment is that of the server seed."""
    NONCES = "nonces"
    """Every nonce matches its hash in the record, or its seat forfeited by withholding it."""
    CLOCKS = "clocks"
    """No decision took longer than its seat had left, or than the cap."""
    MARKS = "marks"
    """Forced, default and house decisions are marked, and are the ones that follow."""
    VERDICT = "verdict"
    """Strikes, forfeits and placements follow from the incidents and the game."""
    TERMS = "terms"
    """The match, its clock and policy, and its players with their versions. This is never proved, only signed."""
    INCIDENTS = "incidents"
    """The time of each decision, and that bots were at fault or away. This is never proved, only signed."""
    COMMITTED = "committed"
    """The commitment was published before anybody chose a nonce. A receipt or the public log of offers shows it."""


OF_A_GAME: Final = (Claim.CHANCE, Claim.GAME)
OF_A_MATCH: Final = (Claim.SEED, Claim.NONCES, *OF_A_GAME, Claim.CLOCKS, Claim.MARKS, Claim.VERDICT)
SIGNED: Final = (Claim.TERMS, Claim.INCIDENTS)


@dataclass(frozen=True, slots=True)
class Proof:
    """The claims that a record proves, and those that it does not prove by itself."""

    proved: tuple[Claim, ...]
    not_proved: tuple[Claim, ...]


PROOF_OF_A_MATCH: Final = Proof(OF_A_MATCH, (*SIGNED, Claim.COMMITTED))
"""Claims that the record of a match proves, after it was checked, and those that it does not."""


def prove(document: Any, house: House) -> Proof:
    """Prove the record of a match, or the replay of a game without one. A signature is ignored.

    Raise `Divergence` at the first part that does not follow. Raise `ReplayError` if this is not a replay at all, or is
    the record of an unreleased version.
    """
    read_game(document, 0)
    check_texts(document)
    is_match = any(key in document for key in _ONLY_IN_A_MATCH)
    missing = [key for key in _REQUIRED if document.get(key) is None]
    if is_match and missing == ["nonce_hashes"]:
        raise ReplayError(
            "UNRELEASED",
            "this record has no `nonce_hashes`: an unreleased version of the arena made it, and only that version can"
            " verify it",
        )
    if is_match and missing:
        raise Divergence("INCOMPLETE", BEFORE, f"the record of a match needs {', '.join(missing)}")
    verify_replay(document)
    again = referee_again(document, house, _seats(document)) if is_match else _play_again(document)
    if (where := difference(document, again)) is not None:
        raise Divergence("FORM", len(document["events"]), f"the record written again differs at {where}")
    return PROOF_OF_A_MATCH if is_match else Proof(OF_A_GAME, (Claim.TERMS, Claim.COMMITTED))


def _play_again(document: dict[str, Any]) -> dict[str, Any]:
    for index, event in enumerate(read_events(document)):
        if event.facts is not None:
            raise Divergence("FACTS", index, "a game without a match has no clock and no faults, so no facts either")
    return replay_document(read_game(document), match=document["match"], seats=_seats(document))


def _seats(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"name": seat["name"], "version": seat["version"]} for seat in document["seats"]]
