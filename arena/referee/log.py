"""The log of a match: the kinds of entries and what each one carries.

The log is the match: a referee is rebuilt from it alone. Entries have a gapless number over all kinds, and `data` is
JSON. The decision and chance entries, in order, are the `events` of the replay, with a decision's `data` as the third
element: so nothing may stand there that the public must not see once the match is over. Clocks are in milliseconds.

==========  ====  =======================  ============================================================================
kind        seat  text                     data
==========  ====  =======================  ============================================================================
`commit`    own   the SHA-256 of its       `by`: the process of the bot that plays the match, if it was told
                  nonce, in hex
`ready`     own   the nonce, in hex        none
`abort`     0     the reason: NO_ANSWER …   `seats`: whose fault it was, if any; `message`: a sentence
`decision`  own   the action               the facts of the decision, if any. `ms`: what was charged to the clock,
                                           present exactly where an ask was resolved. `forced`: it was the sole legal
                                           action. `default`: the reason why the default decision was played.
                                           `house`: the house player that decided for a seat that has forfeited
`chance`    0     the chance event         none
`fault`     own   the reason: ILLEGAL …    `index`: the decision it was about; `strikes`: this one included;
                                           `rule`, `message`: for the bot's author
`forfeit`   own   the reason               `index`: the first decision that is no longer the bot's. `NO_REVEAL`
                                           stands where `ready` would
`lost`      own   why                      none; from here on the seat's grace runs
`back`      own   empty                    `away_ms`: what was taken from its grace
`note`      own   what the bot noted, if   only the bot's owner may see it. `index`; of an answer, where they are not 0:
                  it did                   `network_ms`, `queue_ms`: what was not charged, for the round trip and for
                                           what waited at the gateway. `spent_ms`: what the bot has had of the pending
                                           ask on a path that it has left, for the match's next owner, and `gone_ms`:
                                           for how long of that it had no stream
==========  ====  =======================  ============================================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Kind(StrEnum):
    """What an entry records."""

    COMMIT = "commit"
    READY = "ready"
    ABORT = "abort"
    DECISION = "decision"
    CHANCE = "chance"
    FAULT = "fault"
    FORFEIT = "forfeit"
    LOST = "lost"
    BACK = "back"
    NOTE = "note"


class AbortReason(StrEnum):
    """Why a match does not begin."""

    DECLINED = "DECLINED"
    """A bot declined the offer."""
    NO_ANSWER = "NO_ANSWER"
    """A bot did not answer the offer in time."""
    NO_PLACE = "NO_PLACE"
    """A bot could not be offered the match: it was leaving, is in too many matches, or there was no way to it."""
    BAD_NONCE = "BAD_NONCE"
    """A bot accepted without the hash of a nonce."""


class Reason(StrEnum):
    """What a bot did wrong."""

    ILLEGAL = "ILLEGAL"
    """Not a legal action here."""
    MALFORMED = "MALFORMED"
    """No action at all, or a message that cannot be read."""
    LATE = "LATE"
    """No answer in time."""
    GONE = "GONE"
    """No stream for longer than its grace."""
    FLOODING = "FLOODING"
    """Far more messages than it was asked for."""
    NO_REVEAL = "NO_REVEAL"
    """Not the nonce whose hash it had given, or none in time: always a forfeit, never a strike."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the log."""

    number: int
    """From 0, without a gap."""
    kind: str
    seat: int
    text: str
    data: Mapping[str, Any] | None = None


class LogError(Exception):
    """A log that cannot have been written by a referee of this match."""
