"""A bot that gets the messages of a recorded match again, up to one request, as often as needed and without clocks."""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue
from typing import NamedTuple

from arena.local.competitor import (
    OFFER,
    REVEAL,
    BotLost,
    BotReturned,
    Competitor,
    CompetitorEvent,
    MessageReceived,
    ProtocolBroken,
)
from arena.local.histories import SeatHistory
from arena.referee import MILLISECOND
from arena.rules import RulesError, parse_action
from arena.wire.codec import CodecError
from arena.wire.history import Sent, aborted, for_bot, kind_of, legal_in, resumed
from arena.wire.matches import Accepted, Answered, Declined, Revealed, decode_reply

# Checks whether an answer was legal at its request.


def judge(reply: BotReply, request: Sent) -> str:
    """Return a sentence about the error in an answer; empty if there is none.

    Without the position, as in a transcript, only the first action can be judged.
    """
    if reply.problem:
        return reply.problem
    state = request.state
    try:
        if state is None:
            if parse_action(reply.actions[0]).text not in legal_in(request.payload):
                return f"ILLEGAL: {reply.actions[0]!r} is not among the legal actions"
            return ""
        seat = state.to_act
        for text in reply.actions:
            state = state.play(state.parse(text))
            if state.due is not None or state.to_act != seat:
                break  # the remaining actions are dropped
    except RulesError as error:
        return f"{error.code}: {error}"
    return ""


class NoReply(Exception):
    """Raised when the bot cannot be asked or does not play; the message says why."""


class BotReply(NamedTuple):
    """A bot's answer."""

    actions: tuple[str, ...]
    note: str
    took_ns: int
    problem: str = ""
    """The error in the message; then there are no actions."""

    @property
    def took_ms(self) -> float:
        """Time of the answer in milliseconds."""
        return self.took_ns / MILLISECOND


class _StartedAgain(Exception):
    """Raised when another process of the bot connected that does not know the match."""


class Reproduction:
    """A match that a bot gets again. `say` receives messages about its connection for the user."""

    def __init__(
        self, bot: Competitor, history: SeatHistory, ask: int, say: Callable[[str], None], *, is_resumed: bool = False
    ) -> None:
        """`ask` is the index of the decision. `is_resumed`: send no history, only what a restarted process would
        get."""
        self._bot = bot
        self._history = history
        self._until = history.until(ask)
        self._say = say
        self._is_resumed = is_resumed
        self._inbox: SimpleQueue[CompetitorEvent] = SimpleQueue()
        self._has_begun = False
        self._nonce_hash = b""
        self.nonce = b""
        """The bot's own nonce, once it has revealed it."""
        bot.enter(history.match, self._inbox.put)

    def ask(self) -> BotReply:
        """Give the bot the match, again if needed, and return its answer to the request. Raises `NoReply`."""
        while True:
            self.abort("it starts again")
            self._has_begun = True
            try:
                if self._is_resumed:
                    self._send(resumed(self._payloads(), self._until[-1].payload))
                else:
                    self._give_history()
                return self._ask(self._until[-1])
            except _StartedAgain:
                self._say("another process has connected: it gets the match from the beginning")

    def carry_on(self, request: Sent) -> BotReply:
        """Ask for a decision that follows the request. Raises `NoReply`."""
        while True:
            try:
                return self._ask(request)
            except _StartedAgain:
                self._give_back(request)

    def send_notice(self, payload: bytes) -> None:
        """Send a message that needs no answer."""
        self._send(payload)

    def end(self, payload: bytes) -> None:
        """Send the end of the match."""
        self._send(payload)
        self._has_begun = False

    def abort(self, why: str) -> None:
        """Tell the bot that the match is not continued, if it is in it."""
        if self._has_begun:
            self._send(aborted(self._history.match, why))
        self._has_begun = False

    def close(self) -> None:
        """Stop asking the bot."""
        self.abort("it is over")
        self._bot.leave(self._history.match)

    # Sending

    def _payloads(self) -> list[bytes]:
        return [message.payload for message in self._until]

    def _send(self, payload: bytes, ask: int | None = None) -> None:
        self._bot.send(self._history.match, payload, ask)

    def _for_bot(self, payload: bytes) -> bytes:
        wants_legal = self._bot.hello.wants_legal
        return for_bot(payload, wants_legal=wants_legal, nonce_hash=self._nonce_hash, seat=self._history.seat)

    def _give_history(self) -> None:
        """Send everything before the request.

        The bot decides again each earlier decision, and the match continues as recorded whatever it answers.
        """
        answered: set[int] = set()
        for message in self._until[:-1]:
            match kind_of(message.payload):
                case "offer":
                    self._offer(message.payload)
                case "reveal_request":
                    self._reveal(message.payload)
                case "request" if message.ask not in answered:
                    assert message.ask is not None
                    self._ask(message)
                    answered.add(message.ask)
                case _:
                    self._send(self._for_bot(message.payload))

    def _offer(self, payload: bytes) -> None:
        self._send(payload, OFFER)
        match self._next_answer(OFFER, payload):
            case Accepted(nonce_hash):
                self._nonce_hash = nonce_hash
            case Declined(reason):
                raise NoReply(f"the bot has declined the match: {reason or 'it gave no reason'}")
            case reply:
                raise NoReply(f"the bot has not answered the offer: {_problem(reply)}")

    def _reveal(self, payload: bytes) -> None:
        mine = self._for_bot(payload)
        self._send(mine, REVEAL)
        match self._next_answer(REVEAL, mine):
            case Revealed(nonce):
                self.nonce = nonce
            case reply:
                raise NoReply(f"the bot has not revealed its nonce: {_problem(reply)}")

    def _ask(self, request: Sent) -> BotReply:
        assert request.ask is not None
        payload = self._for_bot(request.payload)
        self._send(payload, request.ask)
        reply = self._next_answer(request.ask, payload)
        assert isinstance(reply, BotReply)
        return reply

    def _give_back(self, request: Sent) -> None:
        """Resume the match at a reconnected bot, with its pending request, as the protocol requires."""
        payload = self._for_bot(request.payload)
        self._send(resumed(self._payloads(), payload))
        self._has_begun = True

    # Receiving

    def _next_answer(self, ask: int, payload: bytes) -> BotReply | Accepted | Declined | Revealed:
        """Return the answer to an ask. Answers to earlier asks are skipped."""
        while True:
            event = self._inbox.get()
            match event:
                case MessageReceived():
                    if (reply := _reply(event, ask)) is not None:
                        return reply
                case BotLost(reason, is_final):
                    if is_final:
                        raise NoReply(reason)
                    self._say(f"the bot has lost its stream ({reason}): waiting until it reconnects")
                case BotReturned():
                    self._is_back(ask, payload)
                case ProtocolBroken(reason, message):
                    return BotReply((), "", 0, f"{reason}: {message}")

    def _is_back(self, ask: int, payload: bytes) -> None:
        if self._history.match not in self._bot.hello.running:
            self._has_begun = False
            raise _StartedAgain
        self._say("the bot is back, and gets the match and its pending request")
        if kind_of(payload) == "request":
            self._send(resumed(self._payloads(), payload))
        self._send(payload, ask)


def _problem(reply: BotReply | Accepted | Declined | Revealed) -> str:
    """Return the error in an answer to an offer or a request for the nonce."""
    assert isinstance(reply, BotReply), "answers of other kinds are of other asks"
    return reply.problem


def _reply(message: MessageReceived, ask: int) -> BotReply | Accepted | Declined | Revealed | None:
    """Return the message of a bot if it answers this ask."""
    try:
        reply = decode_reply(message.payload)
    except CodecError as error:
        return BotReply((), "", message.ask_time.open_ns, f"MALFORMED: {error}")
    match reply:
        case Accepted() | Declined():
            return reply if ask == OFFER else None
        case Revealed():
            return reply if ask == REVEAL else None
        case Answered(index, actions, note):
            problem = "" if actions else "MALFORMED: the answer has no action"
            took_ns = message.ask_time.open_ns - message.ask_time.gone_ns
            return BotReply(actions, note, took_ns, problem) if index == ask else None
