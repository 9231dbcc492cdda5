"""Checks whether an answer was legal at its request."""

from __future__ import annotations

from arena.local.reproduction import BotReply
from arena.rules import RulesError, parse_action
from arena.wire.history import Sent, legal_in


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
