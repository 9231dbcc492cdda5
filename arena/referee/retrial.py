"""A match refereed again from its record: whose turn it was, what the clocks allowed, who had to forfeit.

The record does not say what the bots sent. Therefore nothing is decided here: the decisions in the record must be ones
that the referee can have made.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

from arena.referee.document import difference, match_document
from arena.referee.house import House, house_action
from arena.referee.incidents import MatchIncident
from arena.referee.log import Entry, Kind, LogError, Reason
from arena.referee.reading import read_incidents, read_nonces, read_terms
from arena.referee.record import Record
from arena.referee.terms import MAX_NONCE, Terms
from arena.rules import Divergence, Event, ReplayError, RulesError, default_action
from arena.rules.game import CHANCE
from arena.rules.replay import BEFORE, read_events

HASH_OF_NONE: Final = sha256(b"").digest()


def referee_again(document: dict[str, Any], house: House, seats: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the unsigned record that a referee of these events writes. The game must have been verified before.

    Raise `Divergence` at the first event that no referee can have allowed.
    """
    return _retrial(document, house).written(seats)


def log_of(document: dict[str, Any], house: House) -> tuple[Terms, list[Entry]]:
    """Return the terms and the log of a match from its record, which must have been proved before.

    The log lacks what only the owners of the bots may read: what was wrong with an answer, notes, and uncharged time.
    """
    retrial = _retrial(document, house)
    retrial.written([])
    return retrial.terms, retrial.log


def _retrial(document: dict[str, Any], house: House) -> _Retrial:
    retrial = _Retrial(document, house)
    for index, event in enumerate(read_events(document)):
        retrial.take(index, event)
    return retrial


class _Retrial:
    """The referee's record, rebuilt from what was published."""

    def __init__(self, document: dict[str, Any], house: House) -> None:
        self.terms = read_terms(document)
        self.log: list[Entry] = []
        self._house = house
        self._incidents = read_incidents(document)
        self._record = Record(self.terms)
        self._batch: int | None = None
        """Seat whose answer may also contain the next decision."""
        self._open(*read_nonces(document))

    def take(self, index: int, event: Event) -> None:
        record = self._record
        if event.seat == CHANCE:
            if event.facts is not None:
                raise Divergence("FACTS", index, "chance has no facts")
            self._batch = None
            self._write(Kind.CHANCE, CHANCE, event.text)
            return
        self._take_incidents(index)
        if record.verdict is not None:
            raise Divergence("OVER", index, "the match was over before this event")
        self._check_decision(index, event)
        self._write(Kind.DECISION, event.seat, event.text, event.facts)

    def written(self, seats: list[dict[str, Any]]) -> dict[str, Any]:
        index = self._record.index
        self._take_incidents(index)
        if self._incidents:
            left = self._incidents[0]
            raise Divergence(
                "INCIDENT", index, f"no decision was due at {left.at}, where seat {left.seat} has a {left.kind}"
            )
        if self._record.verdict is None:
            raise Divergence("TRUNCATED", index, "the match is not over: there is no verdict yet")
        return match_document(self._record, seats)

    # Before the game

    def _open(self, nonces: list[bytes], hashes: list[bytes]) -> None:
        for seat, digest in enumerate(hashes, 1):
            self._write(Kind.COMMIT, seat, digest.hex())
        withheld = {incident.seat for incident in self._incidents if incident.reason == Reason.NO_REVEAL}
        for seat, nonce in enumerate(nonces, 1):
            is_empty = hashes[seat - 1] == HASH_OF_NONE and seat not in withheld
            if nonce or is_empty:
                self._reveal(seat, nonce, hashes[seat - 1])
        while self._incidents and self._incidents[0].reason == Reason.NO_REVEAL:
            if self._incidents[0].seat not in self._record.unready:
                raise self._untrue(self._incidents[0], "its nonce was revealed")
            self._forfeit()
        if missing := self._record.unready:
            raise Divergence("NONCE", BEFORE, f"seat {missing[0]} has no nonce, and no forfeit for withholding it")

    def _reveal(self, seat: int, nonce: bytes, digest: bytes) -> None:
        if len(nonce) > MAX_NONCE or sha256(nonce).digest() != digest:
            raise Divergence("NONCE", BEFORE, f"the nonce of seat {seat} is not the one whose hash was given")
        self._write(Kind.READY, seat, nonce.hex())

    # Incidents

    def _take_incidents(self, index: int) -> None:
        while self._incidents and self._incidents[0].at == index:
            incident = self._incidents.pop(0)
            if self._record.seats[incident.seat].has_forfeited:
                raise self._untrue(incident, "it had already forfeited")
            if incident.kind == "forfeit":
                raise self._untrue(incident, "it had neither taken its last strike nor used up its grace")
            if incident.kind == "absence":
                self._absence(incident)
            else:
                self._fault(incident)

    def _absence(self, incident: MatchIncident) -> None:
        self._write(Kind.LOST, incident.seat)
        self._write(Kind.BACK, incident.seat, data={"away_ms": incident.ms})
        follows = self._incidents[0] if self._incidents else None
        if follows == MatchIncident(incident.at, incident.seat, "forfeit", reason=Reason.GONE):
            if self._record.seats[incident.seat].grace_ms > 0:
                raise self._untrue(follows, "it had neither taken its last strike nor used up its grace")
            self._forfeit()

    def _fault(self, incident: MatchIncident) -> None:
        seat = self._record.seats[incident.seat]
        if incident.seat == self._record.to_act and self._fault_at(incident.at, incident.seat):
            raise self._untrue(incident, "a fault has already resolved this decision")
        self._write(Kind.FAULT, incident.seat, incident.reason, {"strikes": seat.strikes + 1})
        if seat.strikes >= self._record.terms.policy.strikes:
            due = MatchIncident(incident.at, incident.seat, "forfeit", reason=incident.reason)
            if not self._incidents or self._incidents[0] != due:
                raise self._untrue(incident, "it was the last strike, and no forfeit follows")
            self._forfeit()

    def _forfeit(self) -> None:
        forfeit = self._incidents.pop(0)
        self._write(Kind.FORFEIT, forfeit.seat, forfeit.reason, {"index": forfeit.at})

    def _untrue(self, incident: MatchIncident, why: str) -> Divergence:
        return Divergence("INCIDENT", incident.at, f"seat {incident.seat} cannot have this {incident.kind}: {why}")

    # Decisions

    def _check_decision(self, index: int, event: Event) -> None:
        record, facts, is_forced = self._record, event.facts or {}, self._record.sole_action is not None
        fault = self._fault_at(index, event.seat)
        expected: dict[str, Any] = {"ms": facts["ms"]} if "ms" in facts else {}
        if record.seats[event.seat].has_forfeited:
            if not is_forced:
                expected = {"house": record.terms.policy.house}
                self._check_choice(index, event, self._ask_house(index), "the house player")
        else:
            self._check_time(index, event.seat, expected.get("ms"), fault, is_forced=is_forced)
            if fault is not None:
                expected["default"] = fault.reason
                default = default_action(record.state, record.running.seed, index)
                self._check_choice(index, event, default.text, "the seed")
        is_answered = "ms" in expected or self._batch == event.seat
        self._batch = event.seat if is_answered and fault is None else None
        if is_forced:
            expected["forced"] = True
        if difference(facts, expected, "/") is not None:
            raise Divergence("FACTS", index, f"the facts of this decision must be {expected}, not {facts!r:.200}")

    def _check_time(self, index: int, seat: int, ms: Any, fault: MatchIncident | None, *, is_forced: bool) -> None:
        """Check that an answer is charged once, at its first decision, and that nothing is charged without an
        answer."""
        record = self._record
        most = min(record.seats[seat].bank_ms, record.terms.clock.cap_ms + record.absent_ms)
        if ms is None:
            follows = self._batch == seat and (fault is None or fault.reason in (Reason.ILLEGAL, Reason.MALFORMED))
            if not follows and (fault is not None or not is_forced):
                raise Divergence("CLOCK", index, f"seat {seat} was asked for this decision, and `ms` is missing")
        elif is_forced:
            raise Divergence("CLOCK", index, "nobody was asked for this decision, so no time can be charged")
        elif type(ms) is not int or not 0 <= ms <= most:
            raise Divergence("CLOCK", index, f"`ms` must be from 0 to {most}, as bank and cap allow, not {ms!r:.40}")
        elif fault is not None and fault.reason in (Reason.LATE, Reason.GONE) and ms < record.limit_ms:
            charged = f"{record.limit_ms} ms" if most == record.limit_ms else f"{record.limit_ms} to {most} ms"
            raise Divergence("CLOCK", index, f"a late seat must be charged all the time it had, {charged}, not {ms}")

    def _fault_at(self, index: int, seat: int) -> MatchIncident | None:
        """Return the fault of the seat at this decision, if any."""
        faults = (
            incident
            for incident in self._record.incidents
            if (incident.at, incident.seat, incident.kind) == (index, seat, "fault")
        )
        return next(faults, None)

    def _ask_house(self, index: int) -> str:
        try:
            return house_action(self._record, self._house).text
        except RulesError as error:
            raise Divergence("HOUSE", index, str(error)) from None

    def _check_choice(self, index: int, event: Event, text: str, decider: str) -> None:
        if event.text != text:
            raise Divergence("CHOICE", index, f"{decider} gives {text!r} here, not {event.text!r}")

    def _write(self, kind: Kind, seat: int, text: str = "", data: Mapping[str, Any] | None = None) -> None:
        entry = Entry(self._record.length, kind, seat, text, data)
        self.log.append(entry)
        try:
            self._record.apply(entry)
        except LogError as error:
            raise ReplayError("BAD_REPLAY", str(error)) from error
