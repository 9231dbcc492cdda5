"""The log of a match: the kinds of entries and their data.

The log is the match: a referee is rebuilt from it alone. Entries are numbered without a gap over all kinds, and `data`
is JSON. The decision and chance entries, in order, are the `events` of the replay; a decision's `data` is the third
element. It must therefore contain nothing that the public may not see once the match is over. Clocks are in
milliseconds.

==========  ====  =======================  ============================================================================
kind        seat  text                     data
==========  ====  =======================  ============================================================================
`commit`    own   the SHA-256 of its       `by`: the process of the bot that plays the match, if known
                  nonce, in hex
`ready`     own   the nonce, in hex        none
`abort`     0     the reason: NO_ANSWER …  `seats`: the seats at fault, if any; `message`: a sentence
`decision`  own   the action               the facts of the decision, if any. `ms`: the charge to the clock, present
                                           exactly if an ask was resolved. `forced`: it was the only legal action.
                                           `default`: the reason why the default decision was played. `house`: the
                                           house player that decided for a seat that has forfeited
`chance`    0     the chance event         none
`fault`     own   the reason: ILLEGAL …    `index`: the decision concerned; `strikes`: including this one; `rule`,
                                           `message`: for the bot's author
`forfeit`   own   the reason               `index`: the first decision that the bot no longer makes. `NO_REVEAL` takes
                                           the place of `ready`
`lost`      own   why                      none; from here on the seat's grace runs
`back`      own   empty                    `away_ms`: the amount taken from its grace
`note`      own   the bot's note, if any   visible to the bot's owner only. `index`; for an answer, if they are not 0:
                                           `network_ms`, `queue_ms`, the uncharged time of the round trip and of
                                           waiting at the gateway. `spent_ms`: the time that the bot has had for the
                                           pending ask on a path that it has left, for the match's next owner;
                                           `gone_ms`: the part of it without a stream. `by`: the process of the bot
                                           that plays from here on, because the earlier one is gone
==========  ====  =======================  ============================================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Kind(StrEnum):
    """Kind of an entry."""

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
    """Reason why a match does not begin."""

    DECLINED = "DECLINED"
    """A bot declined the offer."""
    NO_ANSWER = "NO_ANSWER"
    """A bot did not answer the offer in time."""
    NO_PLACE = "NO_PLACE"
    """A bot could not be offered the match: it was leaving, was in too many matches, or could not be reached."""
    BAD_NONCE = "BAD_NONCE"
    """A bot accepted without the hash of a nonce."""


class Reason(StrEnum):
    """Fault of a bot."""

    ILLEGAL = "ILLEGAL"
    """The action is not legal here."""
    MALFORMED = "MALFORMED"
    """The answer has no action, or the message cannot be parsed."""
    LATE = "LATE"
    """There was no answer in time."""
    GONE = "GONE"
    """The bot had no stream for longer than its grace."""
    FLOODING = "FLOODING"
    """The bot sent far more messages than it was asked for."""
    NO_REVEAL = "NO_REVEAL"
    """The nonce does not match its hash, or did not come in time. This is always a forfeit, never a strike."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the log."""

    number: int
    """Number from 0, without a gap."""
    kind: str
    seat: int
    text: str
    data: Mapping[str, Any] | None = None


class LogError(Exception):
    """Raised for a log that no referee of this match can have written."""
